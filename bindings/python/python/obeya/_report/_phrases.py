"""Texts that the terminal and the page share."""

from __future__ import annotations

import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from obeya._report._process import LEAST
from obeya.lean import MOVING_RANGE, NELSON
from obeya.lean._plot import plural, short

if TYPE_CHECKING:
    from obeya._report._process import Process

_NAMES = {rule.id: rule.name for rule in (*NELSON, MOVING_RANGE)}


def day(moment: datetime.datetime) -> str:
    """The day of a moment."""
    return moment.date().isoformat()


def changes(process: Process) -> list[str]:
    """What each change of the process brought: the difference of the means before and after."""
    said = []
    for change, (before, after) in zip(process.changes, pairwise(process.chart.phases), strict=True):
        difference = after.centre - before.centre
        by = _amount(abs(difference), process.unit)
        said.append(f"Since the change on {change} the mean is {by} {'higher' if difference > 0 else 'lower'}.")
    for change in process.passed_over:
        said.append(f"Fewer than {LEAST} weeks before or after the change on {change}: it begins no phase.")
    return said


def _amount(difference: float, unit: str | None) -> str:
    """A difference with its unit: from 60 % to 66 % it is 6 percentage points, and 10 %."""
    if unit == "%":
        return f"{short(difference)} percentage {'point' if short(difference) == '1' else 'points'}"
    return f"{short(difference)} {unit}" if unit else short(difference)


def last_signal(process: Process) -> str:
    """How many weeks rules find something in, and what in the last of them."""
    hits = [week for week in process.weeks if week["rules"]]
    if not hits:
        return "No signal: only the noise of the process."
    last = hits[-1]
    found = ", ".join(f"{_NAMES[rule]} ({rule})" for rule in last["rules"])
    return f"{plural(len(hits), 'week')} with a signal, the last that of {day(last['date'])}: {found}."
