"""A datasource week by week: reads the means of its values, and charts them with a phase for each change that has weeks enough."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from obeya import lean
from obeya._report._periods import by_period
from obeya.lean._plot import plural

if TYPE_CHECKING:
    from obeya import Client, DatasourceDetail
    from obeya._report._wanted import Wanted

LEAST = 5
"""How many weeks a phase must have: of fewer there are no limits to speak of."""

_WEEKS = 52


@dataclass(frozen=True)
class Readings:
    """The weekly means of a datasource."""

    source: int
    """The id of the datasource."""
    name: str
    """What the values are called; empty if the datasource has no title."""
    weeks: dict[datetime.date, float]
    """That of each week that has values, by its Monday, the earliest one first."""


@dataclass(frozen=True)
class Process:
    """A datasource, week by week."""

    source: int
    """The id of the datasource."""
    name: str
    """What the values are called; empty if the datasource has no title."""
    unit: str | None
    chart: lean.XmR
    changes: tuple[datetime.date, ...]
    """The days on which a new phase of the chart begins."""
    passed_over: tuple[datetime.date, ...]
    """Days of changes with fewer weeks before or after them than a phase must have."""

    @property
    def weeks(self) -> list[dict[str, Any]]:
        """Every week with its mean and what rules found."""
        weeks: list[dict[str, Any]] = self.chart.to_arrow().to_pylist()
        return weeks


def read(client: Client, wanted: Wanted) -> Readings | None:
    """The means of the last 52 whole weeks; None where there is no datasource."""
    source = _source(client, wanted.datasource)
    if source is None:
        return None
    monday = wanted.today - datetime.timedelta(days=wanted.today.weekday())
    first = monday - datetime.timedelta(weeks=_WEEKS)
    weeks = by_period(client, source.id, "week", (first, monday), wanted.tz, where=wanted.where)
    return Readings(source.id, wanted.name or source.title or "", weeks)


def process(readings: Readings, wanted: Wanted, rules: Sequence[str]) -> Process:
    """The chart of the weekly means."""
    days = list(readings.weeks)
    if len(days) < LEAST:
        message = f"{readings.name or f'datasource {readings.source}'} has values in {plural(len(days), 'week')} of the last {_WEEKS}; limits need {LEAST}"
        raise ValueError(message)
    asked = sorted(set(wanted.phases))
    changes = _phases(days, asked)
    return Process(
        source=readings.source,
        name=readings.name,
        unit=wanted.unit,
        chart=lean.xmr({"valueDate": days, "value": list(readings.weeks.values())}, phases=changes or None, rules=rules, unit=wanted.unit),
        changes=tuple(changes),
        passed_over=tuple(change for change in asked if change not in changes),
    )


def _phases(days: Sequence[datetime.date], changes: Iterable[datetime.date]) -> list[datetime.date]:
    """The changes, the earliest first, with weeks enough between them, and before the first and after the last."""
    kept: list[datetime.date] = []
    for change in changes:
        start = kept[-1] if kept else datetime.date.min
        before, after = sum(start <= day < change for day in days), sum(change <= day for day in days)
        if min(before, after) >= LEAST:
            kept.append(change)
    return kept


def _source(client: Client, datasource: int | None) -> DatasourceDetail | None:
    if datasource is None:
        first = client.datasources.list().first()
        if first is None:
            return None
        datasource = first.id
    return client.datasources.get(datasource)
