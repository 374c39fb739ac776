"""`python -m obeya`: a lean report of the demo's plant, or of one's own service.

Ends with 0 when the report is written, with 1 when something is missing or failed, with 2 when the command was not understood, and
with 130 when it was interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import obeya
from obeya._printable import printable

if TYPE_CHECKING:
    from obeya._report._wanted import Wanted

_NEEDED = ("matplotlib", "pyarrow")
_DAYS_OF_STEP = 248
"""How long ago line 3 of the demo's plant got its quick changeover."""


class _Refused(Exception):
    """The report cannot be made; the message gives the reason."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code."""
    if obeya._ABSENT:
        # Nothing here works without it, not even the version.
        print(f"error: {obeya._ABSENT}, and python -m obeya needs it: install the package with pip", file=sys.stderr)
        return 1
    parsed = _parser().parse_args(arguments)
    # A terminal that knows few letters gets question marks for the others, and not an error amid the report.
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        _check(parsed)
        with _client(parsed) as client:
            _report(client, parsed)
    except BrokenPipeError:
        # The reader of the text has closed the pipe, and the page is written. Python would complain once more
        # when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (_Refused, obeya.APIError, obeya.ConfigError, OSError) as error:
        # The message may quote text of the service that contains terminal escapes.
        print(f"error: {printable(str(error))}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m obeya",
        description="A lean report: a page with charts that opens offline, and its figures as text.",
        # Not an extra of this package: pip would look for it in the public index, where its name is not
        # ours.
        epilog=f"A report needs more than the package itself: pip install {' '.join(_NEEDED)}",
    )
    parser.add_argument("--version", action="version", version=f"obeya {obeya.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo = commands.add_parser(
        "demo",
        help="a report of a made-up plant; needs no account",
        description="Starts the service inside this process with a made-up plant in it, and reports on that plant.",
    )
    own = commands.add_parser(
        "report",
        help="a report of your own data",
        description="Reads what OBEYA_BASE_URL, OBEYA_CLIENT_ID and OBEYA_CLIENT_SECRET lead to, and reports on it. The client must "
        "be allowed to read incidents, improvements and datasources.",
    )
    for command in (demo, own):
        command.add_argument(
            "-o",
            "--output",
            type=Path,
            default=Path("report.html"),
            metavar="FILE",
            help="the page to write (default: %(default)s)",
        )
        command.add_argument("--force", action="store_true", help="replace FILE even if it is not a report")
        command.add_argument("--no-html", action="store_true", help="print the text only; needs no matplotlib")
        command.add_argument(
            "--today", type=_day, metavar="DAY", help="the day of the report, such as 2026-03-31 (default: today in UTC)"
        )
    own.add_argument("--title", default="Lean report", help="what the report is called (default: %(default)s)")
    own.add_argument("--safety", metavar="TYPE", help="the type of incident that is about safety (default: all types)")
    own.add_argument("--datasource", type=int, metavar="ID", help="the datasource to chart (default: the first)")
    own.add_argument("--where", metavar="FILTER", help="which of its values count, such as \"dimension eq 'Line 2'\"")
    own.add_argument(
        "--since", type=_day, action="append", default=[], metavar="DAY", help="a day on which that process was changed"
    )
    own.add_argument("--name", help="what those values are called (default: the title of the datasource)")
    own.add_argument("--unit", help="the unit of its values")
    own.add_argument("--currency", default="currency", help="what money is counted in")
    return parser


def _day(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError as error:
        message = f"expected a day such as 2026-03-31; found {text!r}"
        raise argparse.ArgumentTypeError(message) from error


def _check(parsed: argparse.Namespace) -> None:
    """Reports errors that are known before anything is computed."""
    missing = [name for name in _NEEDED if find_spec(name) is None and not (name == "matplotlib" and parsed.no_html)]
    if missing:
        message = f"the report needs {' and '.join(missing)}: pip install {' '.join(missing)}"
        raise _Refused(message)
    if parsed.no_html:
        return
    if not parsed.output.parent.is_dir():
        message = f"there is no folder {parsed.output.parent}"
        raise _Refused(message)
    if parsed.force or not parsed.output.exists():
        return
    from obeya._report._page import is_report

    if not is_report(parsed.output):
        message = f"{parsed.output} is there and is no report of obeya; --force replaces it"
        raise _Refused(message)


@contextlib.contextmanager
def _client(parsed: argparse.Namespace) -> Iterator[obeya.Client]:
    if parsed.today is None:
        parsed.today = datetime.datetime.now(datetime.timezone.utc).date()
    if parsed.command == "report":
        with obeya.Client.from_env() as client:
            yield client
        return
    with obeya.TestServer.demo(today=parsed.today) as server, server.client() as client:
        yield client


def _report(client: obeya.Client, parsed: argparse.Namespace) -> None:
    from obeya._report._gather import Unknown, gather
    from obeya._report._text import text

    try:
        figures = gather(client, _wanted(parsed))
    except Unknown as error:
        raise _Refused(str(error)) from error
    if not parsed.no_html:
        from obeya._report._page import page

        _write(parsed.output, page(figures))
    print(text(figures), end="")
    if not parsed.no_html:
        print(f"\nCharts: {parsed.output} ({parsed.output.stat().st_size / 1000:,.0f} kB)")
    sys.stdout.flush()


def _wanted(parsed: argparse.Namespace) -> Wanted:
    from obeya._report._wanted import Wanted

    if parsed.command == "demo":
        return Wanted(
            title="Fjordvik Gear",
            today=parsed.today,
            safety="Health and safety",
            datasource=1,
            name="OEE of line 3",
            where="dimension eq 'Line 3'",
            phases=(parsed.today - datetime.timedelta(days=_DAYS_OF_STEP),),
            unit="%",
            currency="NOK",
        )
    return Wanted(
        title=parsed.title,
        today=parsed.today,
        safety=parsed.safety,
        datasource=parsed.datasource,
        name=parsed.name,
        where=parsed.where,
        phases=tuple(parsed.since),
        unit=parsed.unit,
        currency=parsed.currency,
    )


def _write(path: Path, text: str) -> None:
    """Replaces the file as a whole: a reader that has the old one open does not see half of the new one."""
    half = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        half.write_text(text, encoding="utf-8")
        half.replace(path)
    except BaseException:
        half.unlink(missing_ok=True)
        raise


if __name__ == "__main__":
    sys.exit(main())
