"""What a morning meeting asks first: what has happened since yesterday, and what is due today or late."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from obeya._report._read import OPEN, SERIOUS, Data, pc
from obeya._report._wanted import Wanted
from obeya.lean import _dates

Kind = Literal["incidents", "improvements", "tasks"]

_UNFINISHED = ("Open", "Suggested", "Planned", "InProgress", "Activated")
"""The statuses of improvements on which work remains."""


@dataclass(frozen=True)
class Item:
    """A record in a list of the meeting."""

    kind: Kind
    id: int
    title: str
    who: str | None
    """The responsible person, or else the group."""
    days: int
    """How many days it is late; 0 is due today."""


@dataclass(frozen=True)
class Yesterday:
    """What has happened since the day before the report began."""

    first: datetime.date
    """The day before the report."""
    new: int
    """Incidents that were reported."""
    closed: int
    """Incidents that were resolved."""
    suggested: int
    """Improvements that were suggested."""
    implemented: int
    """Improvements that were implemented."""
    serious: tuple[Item, ...]
    """The serious ones among the new incidents, the latest first."""


@dataclass(frozen=True)
class Today:
    """Unfinished records by their due date. Those that became late last come first: what is late for years is no news."""

    due: tuple[Item, ...]
    """Due on the day of the report."""
    late: tuple[Item, ...]
    """Due before it."""


def yesterday(data: Data, wanted: Wanted) -> Yesterday:
    """What has happened on the day before the report and on its day."""
    days = (wanted.yesterday, wanted.today)

    def of(table: pa.Table, column: str) -> list[int]:
        return [row for row, day in enumerate(_days(table, column, wanted.tz)) if day in days]

    new = of(data.incidents, "reportedDate")
    grave = data.incidents.take(pa.array(new, pa.int64()))
    grave = grave.filter(pc.equal(grave["severity"], SERIOUS)).sort_by([("reportedDate", "descending"), ("id", "descending")])
    return Yesterday(
        first=wanted.yesterday,
        new=len(new),
        closed=len(of(data.incidents, "resolvedDate")),
        suggested=len(of(data.improvements, "suggestionDate")),
        implemented=len(of(data.improvements, "implementedDate")),
        serious=tuple(_item("incidents", row, 0) for row in grave.to_pylist()),
    )


def today(data: Data, wanted: Wanted) -> Today:
    """What is due, and what is late. A record without a due date, or with one that is no date of the calendar, is neither."""
    tables: Sequence[tuple[Kind, pa.Table]] = (
        ("incidents", data.incidents.filter(pc.is_in(data.incidents["status"], pa.array(OPEN)))),
        ("improvements", data.improvements.filter(pc.is_in(data.improvements["status"], pa.array(_UNFINISHED)))),
        # The service was asked for those that are not completed.
        ("tasks", data.tasks),
    )
    found = sorted(
        (item for kind, table in tables for item in _due(kind, table, wanted)), key=lambda item: (item.days, item.kind, item.id)
    )
    return Today(
        due=tuple(item for item in found if item.days == 0),
        late=tuple(item for item in found if item.days > 0),
    )


def _due(kind: Kind, table: pa.Table, wanted: Wanted) -> Iterator[Item]:
    rows = [
        (row, (wanted.today - day).days)
        for row, day in enumerate(_days(table, "dueDate", wanted.tz))
        if day is not None and day <= wanted.today
    ]
    taken = table.take(pa.array([row for row, _ in rows], pa.int64()))
    for row, (_, days) in zip(taken.select([name for name in _SHOWN if name in table.column_names]).to_pylist(), rows, strict=True):
        yield _item(kind, row, days)


_SHOWN = ("id", "title", "responsibleDisplayName", "responsibleUser", "followUpGroup", "group")


def _item(kind: Kind, row: dict[str, Any], days: int) -> Item:
    who = next((row[name] for name in _SHOWN[2:] if row.get(name)), None)
    return Item(kind, row["id"], row["title"] or "", who, days)


def _days(table: pa.Table, column: str, tz: str) -> list[datetime.date | None]:
    where = _dates.zone(tz)
    return [
        stamp.local(where) if isinstance(stamp, _dates.Stamp) else None for stamp in _dates.stamps(table, column, column)
    ]
