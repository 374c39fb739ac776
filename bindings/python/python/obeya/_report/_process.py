"""A datasource week by week: reads its values, and charts their means with a phase for each change that has weeks enough."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from obeya import lean
from obeya.lean._plot import plural

if TYPE_CHECKING:
    from obeya import Client, DatasourceDetail
    from obeya._report._wanted import Wanted

LEAST = 5
"""How many weeks a phase must have: of fewer there are no limits to speak of."""

_WEEKS = 52


@dataclass(frozen=True)
class Readings:
    """The values of a datasource."""

    name: str
    weeks: dict[datetime.date, list[float]]
    """Those of each week that has any, by its Monday."""


@dataclass(frozen=True)
class Process:
    """A datasource, week by week."""

    name: str
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
    """The values of the last 52 whole weeks; None where there is no datasource."""
    source = _source(client, wanted.datasource)
    if source is None:
        return None
    monday = wanted.today - datetime.timedelta(days=wanted.today.weekday())
    # Both ends are excluded.
    first = datetime.datetime.combine(monday - datetime.timedelta(weeks=_WEEKS), datetime.time())
    start = first - datetime.timedelta(microseconds=1)
    values = client.datasources.values(source.id, start=start, end=monday, where=wanted.where).to_arrow()
    weeks: dict[datetime.date, list[float]] = {}
    for date, value in zip(values["valueDate"].to_pylist(), values["value"].to_pylist(), strict=True):
        if value is not None:
            weeks.setdefault(date.date() - datetime.timedelta(days=date.weekday()), []).append(value)
    return Readings(wanted.name or source.title or f"datasource {source.id}", weeks)


def process(readings: Readings, wanted: Wanted, rules: Sequence[str]) -> Process:
    """The chart of the weekly means."""
    days = sorted(readings.weeks)
    if len(days) < LEAST:
        message = f"{readings.name} has values in {plural(len(days), 'week')} of the last {_WEEKS}; limits need {LEAST}"
        raise ValueError(message)
    asked = sorted(set(wanted.phases))
    changes = _phases(days, asked)
    means = [sum(readings.weeks[day]) / len(readings.weeks[day]) for day in days]
    return Process(
        name=readings.name,
        unit=wanted.unit,
        chart=lean.xmr({"valueDate": days, "value": means}, phases=changes or None, rules=rules, unit=wanted.unit),
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
