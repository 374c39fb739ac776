"""`python -m obeya`: a lean report of the demo's plant, or of one's own service, and a wall that shows it on a screen.

Ends with 0 when the report is written, with 1 when something is missing or failed, with 2 when the command was not understood, and
with 130 when it was interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import obeya
from obeya._printable import printable

if TYPE_CHECKING:
    import datetime

    from obeya._report._wanted import Wanted

_NEEDED = ("pyarrow",)


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
        _run(parsed)
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


def _run(parsed: argparse.Namespace) -> None:
    """Runs the command. What was asked for and is wrong or not there is refused."""
    from obeya._report import _options
    from obeya._report._targets import TargetsError
    from obeya._report._wanted import Unknown
    from obeya._wall import _command
    from obeya._wall._server import ListenError

    try:
        today = _options.today(parsed)
    except ValueError as error:
        raise _Refused(str(error)) from error
    subject = _options.demo if parsed.demo else _options.own
    try:
        wanted = subject(parsed, today)
        with _client(parsed, today) as client:
            if parsed.command == "wall":
                _command.run(client, lambda: replace(wanted, today=_options.today(parsed)), parsed)
            else:
                _report(client, wanted, parsed)
    except (TargetsError, Unknown, ListenError) as error:
        raise _Refused(str(error)) from error


def _parser() -> argparse.ArgumentParser:
    from obeya._report import _options
    from obeya._wall import _command

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
        "be allowed to read incidents, improvements and datasources; it shows tasks too if it may read them.",
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
        command.add_argument("--no-html", action="store_true", help="print the text only")
        command.add_argument(
            "--today",
            type=_options.day,
            metavar="DAY",
            help="the day of the report, such as 2026-03-31 (default: today in its time zone)",
        )
    wall = commands.add_parser(
        "wall",
        help="the report of your own data on a screen in the room",
        description="Serves the report as a page that shows one board after the other, full screen, and renews itself. When the service "
        "is away, the last good figures stay, with their time. Reads and needs what `report` does.",
    )
    _command.add_options(wall)
    for command in (demo, own, wall):
        _options.add_look(command)
    for command in (own, wall):
        _options.add_subject(command)
    demo.set_defaults(demo=True)
    own.set_defaults(demo=False)
    return parser


def _check(parsed: argparse.Namespace) -> None:
    """Reports errors that are known before anything is computed."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        message = f"the report needs {' and '.join(missing)}: pip install {' '.join(missing)}"
        raise _Refused(message)
    if parsed.command == "wall" or parsed.no_html:
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
def _client(parsed: argparse.Namespace, today: datetime.date) -> Iterator[obeya.Client]:
    if not parsed.demo:
        with obeya.Client.from_env() as client:
            yield client
        return
    with obeya.TestServer.demo(today=today) as server, server.client() as client:
        yield client


def _report(client: obeya.Client, wanted: Wanted, parsed: argparse.Namespace) -> None:
    from obeya._report._gather import gather
    from obeya._report._text import text

    figures = gather(client, wanted)
    if not parsed.no_html:
        from obeya._report._page import page

        _write(parsed.output, page(figures))
    print(text(figures), end="")
    if not parsed.no_html:
        print(f"\nCharts: {parsed.output} ({parsed.output.stat().st_size / 1000:,.0f} kB)")
    sys.stdout.flush()


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
