"""The options of `python -m obeya` that say what a report is about, and what follows from them."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from obeya._report import _targets, _wanted
from obeya._report._targets import Target
from obeya._report._wanted import Wanted

_T = TypeVar("_T")

_DAYS_OF_STEP = 248
"""How long ago line 3 of the demo's plant got its quick changeover."""

_DEMO_TARGETS = (
    Target("S", "Safety walks", 8, 6, "higher", period="week", combine="sum"),
    Target("S", "Absence", 7, 6, "lower", unit="%"),
    Target("Q", "Scrap of line 3", 2, 1.5, "lower", where="dimension eq 'Line 3'", unit="%"),
    Target("D", "Delivery precision", 6, 94, "higher", unit="%"),
    Target("D", "Good parts of line 3", 4, 900, "higher", where="dimension eq 'Line 3'", combine="sum"),
    Target("C", "OEE of line 3", 1, 70, "higher", where="dimension eq 'Line 3'", unit="%"),
    Target("C", "Electricity of machining", 5, 55_000, "lower", "dimension eq 'Machining'", "week", "sum", "kWh"),
)
"""What the demo's plant wants to reach."""


def add_look(command: argparse.ArgumentParser) -> None:
    """Adds the options of every report."""
    command.add_argument("--lang", choices=_wanted.LANGUAGES, default="en", help="the language (default: %(default)s)")
    command.add_argument(
        "--tz", default="UTC", metavar="ZONE", help="the time zone of days, such as Europe/Oslo (default: %(default)s)"
    )
    command.add_argument(
        "--link",
        type=_checked(_wanted.link),
        metavar="URL",
        help="the address of a record for a browser, such as https://plant.example/{kind}/{id}; kind is incidents, improvements or tasks",
    )


def add_subject(command: argparse.ArgumentParser) -> None:
    """Adds the options of a report of one's own data."""
    command.add_argument("--title", default="Lean report", help="what the report is called (default: %(default)s)")
    command.add_argument("--area", metavar="NAME", help="count the incidents of this area alone; its name or id")
    command.add_argument(
        "--group", metavar="NAME", help="count the records of this group and its subgroups alone; its name or id"
    )
    command.add_argument("--safety", metavar="TYPE", help="the type of incident that is about safety (default: all types)")
    command.add_argument("--targets", type=Path, metavar="FILE", help="a file of TOML with meters and their targets")
    command.add_argument("--datasource", type=int, metavar="ID", help="the datasource to chart (default: the first)")
    command.add_argument("--where", metavar="FILTER", help="which of its values count, such as \"dimension eq 'Line 2'\"")
    command.add_argument(
        "--since", type=day, action="append", default=[], metavar="DAY", help="a day on which that process was changed"
    )
    command.add_argument("--name", help="what those values are called (default: the title of the datasource)")
    command.add_argument("--unit", help="the unit of its values")
    command.add_argument("--currency", default="currency", help="what money is counted in")


def day(text: str) -> datetime.date:
    """A day that was passed as text."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError as error:
        message = f"expected a day such as 2026-03-31; found {text!r}"
        raise argparse.ArgumentTypeError(message) from error


def today(parsed: argparse.Namespace) -> datetime.date:
    """The day of the report: that which was passed, or today in its time zone.

    Raises:
        ValueError: The time zone is not known.
    """
    from obeya.lean import _dates

    return _dates.day(getattr(parsed, "today", None), parsed.tz)


def demo(parsed: argparse.Namespace, today: datetime.date) -> Wanted:
    """The report of the demo's plant."""
    return Wanted(
        title="Fjordvik Gear",
        today=today,
        safety="Health and safety",
        datasource=1,
        name="OEE of line 3",
        where="dimension eq 'Line 3'",
        phases=(today - datetime.timedelta(days=_DAYS_OF_STEP),),
        unit="%",
        currency="NOK",
        targets=_DEMO_TARGETS,
        tz=parsed.tz,
        lang=parsed.lang,
        link=parsed.link,
    )


def own(parsed: argparse.Namespace, today: datetime.date) -> Wanted:
    """The report of one's own data.

    Raises:
        TargetsError: The file of targets cannot be used.
    """
    return Wanted(
        title=parsed.title,
        today=today,
        safety=parsed.safety,
        area=parsed.area,
        group=parsed.group,
        datasource=parsed.datasource,
        name=parsed.name,
        where=parsed.where,
        phases=tuple(parsed.since),
        unit=parsed.unit,
        currency=parsed.currency,
        targets=() if parsed.targets is None else _targets.read(parsed.targets),
        tz=parsed.tz,
        lang=parsed.lang,
        link=parsed.link,
    )


def _checked(check: Callable[[str], _T]) -> Callable[[str], _T]:
    """A check whose message the parser shows."""

    def checked(text: str) -> _T:
        try:
            return check(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return checked
