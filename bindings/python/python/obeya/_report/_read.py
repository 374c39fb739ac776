"""Reads the records of the report once, page after page, and holds of each the columns that the report needs.

Incidents are by far the most records. Of those that are older than a year, only the open and the serious ones count in any figure,
so the service is asked for no others.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute

from obeya import F, NotFoundError, PermissionDeniedError
from obeya._report import _scope
from obeya._report._scope import Scope
from obeya._report._wanted import Unknown, Wanted
from obeya.lean import _dates

if TYPE_CHECKING:
    from obeya import Client
    from obeya._sync.lists import Records

pc: Any = pyarrow.compute
"""The functions of Arrow. It makes them when it is imported, where no type checker sees them."""

YEAR = datetime.timedelta(weeks=52)
"""How far back the charts of incidents look."""

OPEN = ("New", "InProgress")
"""The statuses of incidents on which work remains."""

SERIOUS = "High"
"""The severity of a serious incident."""

_FIRST_DAY = -719_162
"""0001-01-01, the first day that Python can represent, as Arrow counts days."""

_INCIDENT = {
    "id": pa.int64(),
    "title": pa.string(),
    "incidentType": pa.string(),
    "severity": pa.string(),
    "status": pa.string(),
    "incidentDate": pa.date32(),
    "reportedDate": pa.timestamp("us", "UTC"),
    "resolvedDate": pa.timestamp("us", "UTC"),
    "dueDate": pa.timestamp("us", "UTC"),
    "reportedByGroup": pa.string(),
    "followUpGroup": pa.string(),
    "responsibleDisplayName": pa.string(),
    "causes": pa.list_(pa.struct([("title", pa.string())])),
}

_IMPROVEMENT = {
    "id": pa.int64(),
    "title": pa.string(),
    "status": pa.string(),
    "priorityStatus": pa.string(),
    "evaluationStatus": pa.string(),
    "category": pa.string(),
    "group": pa.string(),
    "responsibleDisplayName": pa.string(),
    "costOfInvestment": pa.float64(),
    "gainOfInvestment": pa.float64(),
    **dict.fromkeys(
        (
            "suggestionDate",
            "dueDate",
            "plannedDate",
            "inProgressDate",
            "implementedDate",
            "evaluatedDate",
            "archivedDate",
        ),
        pa.timestamp("us", "UTC"),
    ),
}

_TASK = {
    "id": pa.int64(),
    "title": pa.string(),
    "status": pa.string(),
    "responsibleUser": pa.string(),
    "dueDate": pa.timestamp("us", "UTC"),
}


@dataclass(frozen=True)
class Data:
    """The records that count, as columns with the names of the wire."""

    scope: Scope
    incidents: pa.Table
    """Those of the last 52 weeks, the open ones, the serious ones, and those that were reported or resolved since yesterday."""
    improvements: pa.Table
    tasks: pa.Table
    """The tasks that are due today or late, and not completed."""
    incidents_on_record: int
    """How many incidents there are in all."""
    failed: dict[str, str]
    """What was not read, and why; a word of the table of words, or text of the service."""


def read(client: Client, wanted: Wanted) -> Data:
    """Reads everything but the values of datasources.

    Raises:
        Unknown: The area, the group or the type of incident that is meant does not exist.
    """
    scope = _scope.find(client, wanted)
    failed: dict[str, str] = {}
    counted = client.incidents.list(
        where=scope.incidents(
            F.incident_date >= wanted.today - YEAR,
            F.status.in_(OPEN),
            F.severity == SERIOUS,
            F.reported_date >= earliest(wanted.yesterday, wanted.tz),
            F.resolved_date >= earliest(wanted.yesterday, wanted.tz),
        )
    )
    incidents = _columns(counted, _INCIDENT)
    _check(client, wanted, incidents)
    improvements = _columns(client.improvements.list(where=scope.improvements()), _IMPROVEMENT)
    return Data(
        scope=scope,
        incidents=_representable(incidents, failed),
        improvements=improvements,
        tasks=_tasks(client, wanted, scope, failed),
        incidents_on_record=client.incidents.list(where=scope.incidents()).count(),
        failed=failed,
    )


def earliest(day: datetime.date, tz: str) -> datetime.datetime:
    """The first moment that may be of a day: in a time zone, or midnight UTC, which stands for the day."""
    return min(datetime.datetime.combine(day, datetime.time(), zone) for zone in (_dates.zone(tz), datetime.timezone.utc))


def latest(day: datetime.date, tz: str) -> datetime.datetime:
    """The moment after which none is of the days before a day."""
    return max(datetime.datetime.combine(day, datetime.time(), zone) for zone in (_dates.zone(tz), datetime.timezone.utc))


def _tasks(client: Client, wanted: Wanted, scope: Scope, failed: dict[str, str]) -> pa.Table:
    """The tasks. A service or a client without them has a report all the same."""
    nothing = pa.table({name: pa.array([], kind) for name, kind in _TASK.items()})
    if scope.area is not None:
        return nothing
    tomorrow = latest(wanted.today + datetime.timedelta(days=1), wanted.tz)
    where = scope.tasks(F.status != "Completed", F.due_date < tomorrow)
    try:
        return _columns(client.tasks.list(where=where, select=list(_TASK)), _TASK)
    except PermissionDeniedError:
        failed["tasks"] = "failed.denied"
    except NotFoundError:
        failed["tasks"] = "failed.absent"
    return nothing


def _columns(records: Records[Any], kinds: dict[str, pa.DataType]) -> pa.Table:
    """Some columns of all records. A page is let go of as soon as its columns are copied."""
    parts = [pa.table({name: _as(batch.column(name), kind) for name, kind in kinds.items()}) for batch in records.to_arrow_batch_reader()]
    nothing = pa.table({name: pa.array([], kind) for name, kind in kinds.items()})
    return pa.concat_tables([nothing, *parts]).combine_chunks()


def _as(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """A copy of a column, in its kind."""
    if pa.types.is_list(kind):
        titles = pc.list_flatten(column).field("title")
        return pa.ListArray.from_arrays(_offsets(column), pa.StructArray.from_arrays([_copied(titles)], names=["title"]))
    return _copied(column.cast(kind))


def _copied(column: pa.Array) -> pa.Array:
    """A copy: a part of a page would hold all of it in memory."""
    return column.take(pa.array(range(len(column)), pa.int32()))


def _offsets(lists: pa.ListArray) -> pa.Array:
    """Where each list begins, when they are one behind the other."""
    lengths: Sequence[int] = pc.fill_null(pc.list_value_length(lists), 0).to_pylist()
    ends = [0]
    for length in lengths:
        ends.append(ends[-1] + length)
    return pa.array(ends, pa.int32())


def _check(client: Client, wanted: Wanted, incidents: pa.Table) -> None:
    """Rejects a type of incident that does not exist: its charts would be missing without a message."""
    known = set(pc.unique(incidents["incidentType"]).to_pylist())
    if wanted.safety is None or wanted.safety in known:
        return
    known.update(kind.title for kind in client.incidents.types())
    if wanted.safety not in known:
        there = ", ".join(sorted(name for name in known if name)) or "none"
        message = f"no type of incident is called {wanted.safety!r}; those there are: {there}"
        raise Unknown(message)


def _representable(incidents: pa.Table, failed: dict[str, str]) -> pa.Table:
    """The incidents of days that Python can represent. The others are on no day of any chart."""
    days = incidents["incidentDate"].cast(pa.int32())
    early = pc.less(days, _FIRST_DAY)
    others = incidents.filter(early)
    if others.num_rows:
        found = zip(others["id"].to_pylist(), _dates.stamps(others, "incidentDate", "date"), strict=True)
        failed["incidents"] = named([f"the record {number} is of {getattr(day, 'text', day)}" for number, day in found], "incident")
    return incidents.filter(pc.invert(early))


def named(records: Sequence[str], noun: str, *, dates: bool = True, most: int = 3) -> str:
    """How many records a chart does without, and the first of them. With `dates` it is for their dates."""
    more = f"; and {len(records) - most} more" if len(records) > most else ""
    count = f"{len(records):,} {noun}{'' if len(records) == 1 else 's'}{' with impossible dates' if dates else ''}"
    return f"{count} {'is' if len(records) == 1 else 'are'} left out: {'; '.join(records[:most])}{more}"
