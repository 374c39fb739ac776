"""Reads the records of the report once, and computes its figures. Nothing here knows a language."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

from obeya import NotFoundError, lean
from obeya._report import _morning
from obeya._report._meters import Meter, meter
from obeya._report._process import Process, process
from obeya._report._process import read as read_process
from obeya._report._read import SERIOUS, YEAR, Data, named, pc, read
from obeya._report._wanted import Unknown, Wanted

if TYPE_CHECKING:
    from obeya import Client

_Figure = TypeVar("_Figure")

_RULES = ("N1", "N2", "R1")
"""Points and moving ranges beyond the limits, and long runs: enough for a weekly page, with few false alarms."""

_BARS = 9
"""How many bars a chart of categories has."""


@dataclass(frozen=True)
class Figures:
    """Everything that the report shows. A part without data, or with data that a method of `lean` rejects, is None."""

    wanted: Wanted
    area: str | None
    """The name of the area that it is limited to."""
    group: str | None
    """The name of the group that it is limited to."""
    incidents: int
    improvements: int
    recent: int
    """Incidents of the last 52 weeks."""
    yesterday: _morning.Yesterday
    today: _morning.Today
    meters: tuple[Meter, ...]
    cross: lean.SafetyCross | None
    since: lean.DaysSince | None
    since_by_group: lean.DaysSince | None
    between: lean.RareEvents | None
    types: lean.Pareto | None
    causes: tuple[str, lean.Pareto] | None
    """The most frequent type of incident, and what caused those."""
    late_incidents: lean.Overdue | None
    """By the groups that follow up."""
    late_improvements: lean.Overdue | None
    """By the groups they belong to."""
    process: Process | None
    flow: lean.CumulativeFlow | None
    times: lean.LeadTimes | None
    pick: lean.Pick | None
    good: lean.EvaluationRatio | None
    good_by_category: lean.EvaluationRatio | None
    roi: lean.Roi | None
    roi_by_category: lean.Roi | None
    failed: dict[str, str]
    """What could not be read or computed, or not of all records, and why: a name of the table of words, or a message of `lean`."""


def gather(client: Client, wanted: Wanted) -> Figures:
    """Reads incidents, improvements, tasks and values, and computes.

    Raises:
        Unknown: Something that is asked for does not exist.
    """
    data = read(client, wanted)
    today, yesterday, tz = wanted.today, wanted.yesterday, wanted.tz
    failed = dict(data.failed)
    incidents, improvements = data.incidents, data.improvements
    if data.scope.area is not None:
        failed["improvements"] = "failed.area"
        improvements = improvements.slice(0, 0)
    past = incidents.filter(pc.less(incidents["incidentDate"], pa.scalar(today, pa.date32())))
    safety = past if wanted.safety is None else past.filter(pc.equal(past["incidentType"], wanted.safety))
    serious = safety.filter(pc.equal(safety["severity"], SERIOUS))
    recent = past.filter(pc.greater_equal(past["incidentDate"], pa.scalar(today - YEAR, pa.date32())))
    # The cross of a month without an incident is green, if there has ever been one.
    crossed = safety.filter(pc.greater_equal(safety["incidentDate"], pa.scalar(yesterday.replace(day=1), pa.date32())))
    # An idea that is still open goes through no stages, whatever dates it has.
    staged = improvements.filter(pc.not_equal(improvements["status"], "Open"))
    dated = any(len(staged[column]) > staged[column].null_count for column in lean.STAGES.values())
    not_begun = improvements.filter(pc.is_in(improvements["status"], pa.array(["Open", "Suggested", "Planned"])))

    def figure(name: str, data: pa.Table, compute: Callable[[pa.Table], _Figure], noun: str = "improvement") -> _Figure | None:
        """A figure where there is data for it. Data that its method refuses costs this figure, and not the report."""
        try:
            found = compute(data) if data.num_rows else None
        except ValueError as error:
            failed[name] = str(error)
            return None
        if isinstance(found, lean.Result) and found.left_out:
            failed[name] = named(found.left_out, noun, dates=isinstance(found, (lean.LeadTimes, lean.CumulativeFlow)))
        return found

    since = figure("since", serious, lambda own: lean.days_since(own, as_of=today), "incident")
    by_group = figure("since", serious, lambda own: lean.days_since(own, by="reportedByGroup", as_of=today), "incident")
    return Figures(
        wanted=wanted,
        area=data.scope.area and data.scope.area[1],
        group=data.scope.group and data.scope.group[1],
        incidents=data.incidents_on_record,
        improvements=improvements.num_rows,
        recent=recent.num_rows,
        yesterday=_morning.yesterday(_of(data, improvements), wanted),
        today=_morning.today(_of(data, improvements), wanted),
        meters=tuple(_meters(client, wanted, failed)),
        cross=None if not safety.num_rows else _attempt(failed, "cross", lambda: lean.safety_cross(crossed, as_of=yesterday)),
        since=since,
        since_by_group=by_group,
        between=figure("between", serious, _between, "incident"),
        types=figure("types", recent, lambda own: lean.pareto(own, top=_BARS, unit="incidents"), "incident"),
        causes=figure("causes", recent, _causes, "incident"),
        late_incidents=figure(
            "overdue-incidents",
            incidents,
            lambda own: lean.overdue(own, responsible="followUpGroup", as_of=today, tz=tz),
            "incident",
        ),
        late_improvements=figure(
            "overdue-improvements", improvements, lambda own: lean.overdue(own, responsible="group", as_of=today, tz=tz)
        ),
        process=_process(client, wanted, failed),
        flow=figure("flow", staged if dated else staged.slice(0, 0), lambda own: _flow(own, wanted)),
        times=figure("times", staged if dated else staged.slice(0, 0), lean.lead_times),
        pick=figure("pick", not_begun, lean.pick),
        good=figure("evaluations", improvements, lean.evaluation_ratio),
        good_by_category=figure("evaluations", improvements, lambda own: lean.evaluation_ratio(own, by="category")),
        roi=figure("roi", improvements, lambda own: lean.roi(own, unit=wanted.currency)),
        roi_by_category=figure("roi", improvements, lambda own: lean.roi(own, by="category", unit=wanted.currency)),
        failed=failed,
    )


def _of(data: Data, improvements: pa.Table) -> Data:
    """The records with these improvements."""
    return Data(data.scope, data.incidents, improvements, data.tasks, data.incidents_on_record, data.failed)


def _attempt(failed: dict[str, str], name: str, compute: Callable[[], _Figure]) -> _Figure | None:
    try:
        return compute()
    except ValueError as error:
        failed[name] = str(error)
        return None


def _process(client: Client, wanted: Wanted, failed: dict[str, str]) -> Process | None:
    readings = read_process(client, wanted)
    return None if readings is None else _attempt(failed, "process", lambda: process(readings, wanted, _RULES))


def _meters(client: Client, wanted: Wanted, failed: dict[str, str]) -> Iterable[Meter]:
    for target in wanted.targets:
        try:
            yield meter(client, target, wanted)
        except NotFoundError as error:
            message = f"no datasource has the id {target.datasource}, which the meter {target.name!r} names"
            raise Unknown(message) from error


def _flow(staged: pa.Table, wanted: Wanted) -> lean.CumulativeFlow:
    return lean.cumulative_flow(staged, first=wanted.today - YEAR, last=wanted.yesterday, tz=wanted.tz)


def _causes(recent: pa.Table) -> tuple[str, lean.Pareto] | None:
    """Causes of the most frequent type among those that have any."""
    explained = recent.filter(pc.greater(pc.list_value_length(recent["causes"]), 0))
    if not explained.num_rows:
        return None
    ((kind, _),) = Counter(explained["incidentType"].to_pylist()).most_common(1)
    own = explained.filter(pc.equal(explained["incidentType"], kind))
    return kind, lean.pareto(own, by="causes", top=_BARS, unit="incidents")


def _between(serious: pa.Table) -> lean.RareEvents | None:
    """The days between serious incidents, where there are enough for limits, and not all on one day."""
    days: list[datetime.date] = sorted(serious["incidentDate"].to_pylist())
    if len(days) < 6 or days[0] == days[-1]:
        return None
    return lean.g_chart({"incidentDate": days})
