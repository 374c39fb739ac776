"""Reads the records of the report once, and computes its figures."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Any, TypeVar

from obeya import lean
from obeya._report._process import Process, process, read
from obeya._report._wanted import Wanted
from obeya.lean._plot import plural

if TYPE_CHECKING:
    from obeya import Client, Improvement, IncidentV1

_Data = TypeVar("_Data")
_Figure = TypeVar("_Figure")

_YEAR = datetime.timedelta(weeks=52)

_RULES = ("N1", "N2", "R1")
"""Points and moving ranges beyond the limits, and long runs: enough for a weekly page, with few false alarms."""

_BARS = 9
"""How many bars fit on a phone."""

_NAMED = 3
"""How many of the records that a chart does without are named."""

_INCIDENT = (
    "causes",
    "due_date",
    "follow_up_group",
    "id",
    "incident_date",
    "incident_type",
    "reported_by_group",
    "severity",
    "status",
)

_IMPROVEMENT = (
    "archived_date",
    "category",
    "cost_of_investment",
    "due_date",
    "evaluated_date",
    "evaluation_status",
    "gain_of_investment",
    "group",
    "id",
    "implemented_date",
    "in_progress_date",
    "planned_date",
    "priority_status",
    "status",
    "suggestion_date",
    "title",
)


class Unknown(Exception):
    """The subject of the report does not exist; the message lists what exists."""


@dataclass(frozen=True)
class Figures:
    """Everything that the report shows. A part without data, or with data that a method of `lean` rejects, is None."""

    wanted: Wanted
    incidents: int
    improvements: int
    recent: int
    """Incidents of the last 52 weeks."""
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
    """What could not be computed, or not of all records, and why, in the messages of `lean`."""

    @property
    def serious(self) -> str:
        """What counts as a serious incident."""
        return f"{self.wanted.safety}, severity High" if self.wanted.safety else "severity High"


def gather(client: Client, wanted: Wanted) -> Figures:
    """Reads incidents, improvements and the values of one datasource, and computes."""
    incidents = client.incidents.list().all()
    _check(client, wanted, incidents)
    improvements = client.improvements.list().all()
    today = wanted.today
    yesterday = today - datetime.timedelta(days=1)
    failed: dict[str, str] = {}
    past = [incident for incident in _readable(incidents, failed) if incident.incident_date < today]
    safety = [incident for incident in past if wanted.safety in (None, incident.incident_type)]
    serious = [incident for incident in safety if incident.severity == "High"]
    recent = [incident for incident in past if incident.incident_date >= today - _YEAR]
    improving = _columns(improvements, _IMPROVEMENT) if improvements else None
    # An idea that is still open goes through no stages, whatever dates it has.
    under_way = [idea for idea in improvements if idea.status != "Open"]
    staged = _columns(under_way, _IMPROVEMENT)
    dated = any(date for column in lean.STAGES.values() for date in staged[column])
    not_begun = [idea for idea in improvements if idea.status in ("Open", "Suggested", "Planned")]

    def figure(
        name: str, data: _Data | None, compute: Callable[[_Data], _Figure], noun: str = "improvement"
    ) -> _Figure | None:
        """A figure where there is data for it. Data that its method refuses costs this figure, and not the report."""
        try:
            found = compute(data) if data else None
        except ValueError as error:
            failed[name] = str(error)
            return None
        if isinstance(found, lean.Result) and found.left_out:
            failed[name] = _left_out(found.left_out, noun, staged=isinstance(found, (lean.LeadTimes, lean.CumulativeFlow)))
        return found

    flow = figure(
        "Cumulative flow",
        staged if dated else None,
        lambda own: lean.cumulative_flow(own, first=today - _YEAR, last=yesterday),
    )
    times = figure("Lead times", staged if dated else None, lean.lead_times)

    return Figures(
        wanted=wanted,
        incidents=len(incidents),
        improvements=len(improvements),
        recent=len(recent),
        cross=figure("Safety cross", safety, lambda own: lean.safety_cross(_columns(own, _INCIDENT), as_of=yesterday)),
        since=figure("Days since", serious, lambda own: lean.days_since(_columns(own, _INCIDENT), as_of=today)),
        since_by_group=figure(
            "Days since", serious, lambda own: lean.days_since(_columns(own, _INCIDENT), by="reportedByGroup", as_of=today)
        ),
        between=figure("Days between", serious, _between),
        types=figure("Incident types", recent, lambda own: lean.pareto(_columns(own, _INCIDENT), top=_BARS, unit="incidents")),
        causes=figure("Causes", recent, _causes),
        late_incidents=figure(
            "Overdue incidents",
            incidents,
            lambda own: lean.overdue(_columns(own, _INCIDENT), responsible="followUpGroup", as_of=today),
            "incident",
        ),
        late_improvements=figure(
            "Overdue improvements",
            improving,
            lambda own: lean.overdue(own, responsible="group", as_of=today),
        ),
        process=figure("Process", read(client, wanted), lambda readings: process(readings, wanted, _RULES)),
        flow=flow,
        times=times,
        pick=figure("PICK chart", not_begun, lambda own: lean.pick(_titled(_columns(own, _IMPROVEMENT)))),
        good=figure("Evaluations", improving, lean.evaluation_ratio),
        good_by_category=figure("Evaluations", improving, lambda own: lean.evaluation_ratio(own, by="category")),
        roi=figure("Return on investment", improving, lambda own: lean.roi(own, unit=wanted.currency)),
        roi_by_category=figure(
            "Return on investment", improving, lambda own: lean.roi(own, by="category", unit=wanted.currency)
        ),
        failed=failed,
    )


def _check(client: Client, wanted: Wanted, incidents: Iterable[IncidentV1]) -> None:
    """Rejects a type of incident that does not exist: its charts would be missing without a message."""
    known = {incident.incident_type for incident in incidents}
    if wanted.safety is None or wanted.safety in known:
        return
    known.update(kind.title for kind in client.incidents.types())
    if wanted.safety not in known:
        there = ", ".join(sorted(name for name in known if name)) or "none"
        message = f"no type of incident is called {wanted.safety!r}; those there are: {there}"
        raise Unknown(message)


def _columns(records: Iterable[IncidentV1] | Iterable[Improvement], fields: Sequence[str]) -> dict[str, list[Any]]:
    """Records as columns with the names of the wire."""
    kept: list[IncidentV1 | Improvement] = list(records)
    return {_wire(field): _column(kept, field) for field in fields}


def _column(records: Sequence[IncidentV1 | Improvement], field: str) -> list[Any]:
    try:
        return [_plain(getattr(record, field)) for record in records]
    except ValueError:
        # A date of the year 0, which the service takes and Python does not hold. As text it reaches `lean`,
        # which names the record; all of the column, as a column is of one kind.
        return [json.loads(record.to_json())[_wire(field)] for record in records]


def _readable(incidents: Iterable[IncidentV1], failed: dict[str, str]) -> list[IncidentV1]:
    """The incidents of days that Python can represent. The others are on no day of any chart."""
    readable: list[IncidentV1] = []
    others: list[str] = []
    for incident in incidents:
        try:
            _ = incident.incident_date
        except ValueError:
            others.append(f"the record {incident.id} is of {json.loads(incident.to_json())['incidentDate']}")
        else:
            readable.append(incident)
    if others:
        failed["Incidents"] = _left_out(others, "incident")
    return readable


def _wire(field: str) -> str:
    first, *others = field.split("_")
    return first + "".join(part.capitalize() for part in others)


def _plain(value: Any) -> Any:
    """Lists of records, such as causes, as lists of their titles."""
    return [part.title for part in value] if isinstance(value, tuple) else value


def _left_out(records: Sequence[str], noun: str, *, staged: bool = True) -> str:
    """How many records a chart does without, and the first of them. With ``staged`` it is for their dates."""
    more = f"; and {len(records) - _NAMED} more" if len(records) > _NAMED else ""
    dates = " with impossible dates" if staged else ""
    count = f"{plural(len(records), noun)}{dates} {'is' if len(records) == 1 else 'are'} left out"
    return f"{count}: {'; '.join(records[:_NAMED])}{more}"


def _titled(ideas: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """With titles that fit a quarter of a chart on a phone."""
    return {**ideas, "title": [shorten(title or "", 24, placeholder="…") for title in ideas["title"]]}


def _causes(recent: Sequence[IncidentV1]) -> tuple[str, lean.Pareto] | None:
    """Causes of the most frequent type among those that have any."""
    explained = Counter(incident.incident_type for incident in recent if incident.causes)
    if not explained:
        return None
    ((kind, _),) = explained.most_common(1)
    own = [incident for incident in recent if incident.incident_type == kind and incident.causes]
    return kind, lean.pareto(_columns(own, _INCIDENT), by="causes", top=_BARS, unit="incidents")


def _between(serious: Sequence[IncidentV1]) -> lean.RareEvents | None:
    """The days between serious incidents, where there are enough for limits, and not all on one day."""
    days = sorted(incident.incident_date for incident in serious)
    if len(days) < 6 or days[0] == days[-1]:
        return None
    return lean.g_chart({"incidentDate": days})
