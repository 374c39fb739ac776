"""`python -m obeya wall`: its options, and its run until it is interrupted."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from obeya._printable import printable

if TYPE_CHECKING:
    from obeya import Client
    from obeya._report._wanted import Wanted

_LEAST_EVERY = 5.0
_LEAST_PAGE = 3.0


def add_options(command: argparse.ArgumentParser) -> None:
    """Adds the options of a wall, beside those of its report."""
    command.add_argument(
        "--listen",
        default="127.0.0.1:8090",
        metavar="HOST:PORT",
        help="where browsers find it (default: %(default)s); port 0 is any free one",
    )
    command.add_argument(
        "--every", type=_seconds(_LEAST_EVERY), default=60.0, metavar="SECONDS", help="how often the report is made (default: 60)"
    )
    command.add_argument(
        "--page", type=_seconds(_LEAST_PAGE), default=20.0, metavar="SECONDS", help="how long a board is shown (default: 20)"
    )
    command.add_argument("--demo", action="store_true", help="show the demo's plant, without an account")


def run(client: Client, wanted: Callable[[], Wanted], parsed: argparse.Namespace) -> None:
    """Serves the wall until it is interrupted. `wanted` is asked for each report: days pass.

    Raises:
        ListenError: The address cannot be listened on.
        Unknown: Something that the report is asked for does not exist.
    """
    from obeya._report._gather import gather
    from obeya._wall._builder import Builder
    from obeya._wall._pages import page
    from obeya._wall._server import Wall, address

    listen = address(parsed.listen)
    builder = Builder(
        gather=lambda: gather(client, wanted()),
        show=lambda state: page(state, wanted(), parsed.page),
        every=parsed.every,
        say=_say,
    )
    # In this thread: what is wrong with the options is refused before anything is shown.
    builder.renew()
    with Wall(listen, builder) as wall:
        if not wall.local:
            _say(f"whoever reaches {wall.url} sees this report: there is no login and no encryption")
        print(f"a wall on {wall.url}: a report every {parsed.every:g} seconds, until it is interrupted", flush=True)
        builder.start()
        try:
            wall.serve_forever()
        finally:
            builder.stop()


def _say(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)


def _seconds(least: float) -> Callable[[str], float]:
    def seconds(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not least <= number <= 86_400:
            message = f"expected {least:g} to 86400 seconds; found {text!r}"
            raise argparse.ArgumentTypeError(message)
        return number

    return seconds
