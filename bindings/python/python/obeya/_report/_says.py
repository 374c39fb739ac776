"""Sentences that the terminal and the page share, in the language of the report."""

from __future__ import annotations

import datetime
from itertools import pairwise

from obeya._report._gather import Figures
from obeya._report._meters import Meter
from obeya._report._process import LEAST, Process
from obeya._report._words import Words


def head(figures: Figures, words: Words) -> str:
    """What there is in all, and whose it is."""
    parts = [
        words(
            "on_record",
            incidents=words.count("incidents", figures.incidents),
            improvements=words.count("improvements", figures.improvements),
        )
    ]
    if figures.area is not None:
        parts.append(words("scope.area", name=figures.area))
    if figures.group is not None:
        parts.append(words("scope.group", name=figures.group))
    return ", ".join(parts)


def serious(figures: Figures, words: Words) -> str:
    """What counts as a serious incident."""
    kind = figures.wanted.safety
    return words("serious") if kind is None else words("serious.of", kind=kind)


def since_yesterday(figures: Figures, words: Words) -> list[tuple[int, str]]:
    """The counts of what has happened, each with what is counted."""
    found = figures.yesterday
    counts = {
        "new": found.new,
        "serious": len(found.serious),
        "closed": found.closed,
        "suggested": found.suggested,
        "implemented": found.implemented,
    }
    return [(number, words.count(f"yesterday.{name}", number)) for name, number in counts.items()]


def failures(figures: Figures, words: Words) -> list[tuple[str, str]]:
    """What is not shown, or not of all records, and why. The messages of `lean` are in English."""
    return [
        (words(f"failed.{name}"), words(why) if why.startswith("failed.") else why) for name, why in figures.failed.items()
    ]


def changes(process: Process, words: Words) -> list[str]:
    """What each change of the process brought: the difference of the means before and after."""
    said = []
    for change, (before, after) in zip(process.changes, pairwise(process.chart.phases), strict=True):
        difference = after.centre - before.centre
        name = "process.higher" if difference > 0 else "process.lower_now"
        said.append(words(name, day=words.day(change), by=_amount(abs(difference), process.unit, words)))
    said += [words("process.passed_over", least=LEAST, day=words.day(change)) for change in process.passed_over]
    return said


def _amount(difference: float, unit: str | None, words: Words) -> str:
    """A difference with its unit: from 60 % to 66 % it is 6 percentage points, and 10 %."""
    number = words.number(difference)
    if unit == "%":
        one, _, many = words("process.points", n=number).partition("|")
        return one if number == "1" else many
    return f"{number} {unit}" if unit else number


def last_signal(process: Process, words: Words) -> str:
    """How many weeks rules find something in, and what in the last of them."""
    hits = [week for week in process.weeks if week["rules"]]
    if not hits:
        return words("process.quiet")
    last = hits[-1]
    found = ", ".join(f"{words(f'rule.{rule}')} ({rule})" for rule in last["rules"])
    return words.count("process.signals", len(hits), day=words.day(last["date"].date()), found=found)


def process_name(process: Process, words: Words) -> str:
    """What the values are called."""
    return process.name or words("process.source", id=process.source)


def target(meter: Meter, words: Words) -> str:
    """What a meter is to reach."""
    return words(f"better.{meter.target.better}", target=with_unit(meter.target.target, meter, words))


def with_unit(value: float, meter: Meter, words: Words) -> str:
    """A value of a meter."""
    number, unit = words.number(value), meter.target.unit
    return f"{number}\u00a0{unit}" if unit else number


def state(meter: Meter, words: Words) -> str:
    """Whether the last value reaches the target."""
    if meter.last is None:
        return words("meter.nothing")
    return words("meter.on" if meter.target.met(meter.last[1]) else "meter.off")


def when(meter: Meter, day: datetime.date, words: Words) -> str:
    """The period that begins with a day."""
    period = meter.target.period
    return words.month(day) if period == "month" else words(f"period.{period}", day=words.short_day(day))


def met(meter: Meter, words: Words) -> str:
    """How many of the last periods reached the target."""
    return words("meter.of", met=words.number(meter.met), points=words.number(len(meter.points)))
