"""The meters that have a target: the last value of each, whether it reaches the target, and where the values go."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from obeya import lean
from obeya._report._periods import by_period
from obeya._report._targets import Period, Target
from obeya._report._wanted import Wanted

if TYPE_CHECKING:
    from obeya import Client

Trend = Literal["better", "worse", "steady", "unknown"]

_PERIODS: dict[Period, int] = {"day": 30, "week": 26, "month": 24}
"""How many whole periods are looked at."""

_LEAST = 8
"""Of fewer values a trend cannot be distinguished from noise."""

_RULES = ("N1", "N2")
"""A value beyond the natural process limits, or the last of a long run on one side of the mean."""


@dataclass(frozen=True)
class Meter:
    """A target and the values of its meter."""

    target: Target
    points: tuple[tuple[datetime.date, float], ...]
    """The value of each whole period that has any, by its first day, the last one last."""
    trend: Trend
    """Whether the last value is a signal, and in which direction. Everything else is noise, whatever its colour."""

    @property
    def last(self) -> tuple[datetime.date, float] | None:
        """The last period that has values, and its value."""
        return self.points[-1] if self.points else None

    @property
    def met(self) -> int:
        """How many periods reach the target."""
        return sum(self.target.met(value) for _, value in self.points)


def meter(client: Client, target: Target, wanted: Wanted) -> Meter:
    """Reads the means or sums of the last whole periods."""
    window = _window(target.period, wanted.today)
    found = by_period(client, target.datasource, target.period, window, wanted.tz, where=target.where, combine=target.combine)
    points = tuple(found.items())
    return Meter(target, points, trend(points, target))


def trend(points: Sequence[tuple[datetime.date, float]], target: Target) -> Trend:
    """Whether the last value is a signal of an XmR chart, and in which direction."""
    if len(points) < _LEAST:
        return "unknown"
    chart = lean.xmr({"value": [value for _, value in points]}, date=None, rules=_RULES)
    last = chart.to_arrow().to_pylist()[-1]
    if not last["rules"]:
        return "steady"
    return "better" if (last["value"] < last["centre"]) == (target.better == "lower") else "worse"


def _window(period: Period, today: datetime.date) -> tuple[datetime.date, datetime.date]:
    """The first day of the first period, and the day after the last one."""
    end = _begin(period, today)
    first = end
    for _ in range(_PERIODS[period]):
        first = _begin(period, first - datetime.timedelta(days=1))
    return first, end


def _begin(period: Period, day: datetime.date) -> datetime.date:
    """The first day of the period of a day."""
    if period == "week":
        return day - datetime.timedelta(days=day.weekday())
    return day.replace(day=1) if period == "month" else day
