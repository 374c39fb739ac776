"""Reads what the report is about, once, and computes its figures."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from obeya import lean

if TYPE_CHECKING:
    from obeya import Client, DatasourceDetail, Improvement, Incident

_YEAR = datetime.timedelta(weeks=52)

_RULES = ("N1", "N2")
"""Points beyond the limits, and long runs: enough for a page that is looked at once a week, and few false alarms."""

_BARS = 9
"""How many bars a phone has room for."""

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


@dataclass(frozen=True)
class Wanted:
    """What the report is to be about."""

    title: str
    today: datetime.date
    """The day of the report. What happened on it or later is left out of what counts whole days."""
    safety: str | None = None
    """The type of incident that is about people's safety; all types without it."""
    datasource: int | None = None
    """The datasource to look at; the first without it."""
    name: str | None = None
    """What its values are called; its title without it."""
    where: str | None = None
    """Which of its values count, as an OData expression."""
    phases: tuple[datetime.date, ...] = ()
    """The days on which something about the process was changed on purpose."""
    unit: str | None = None
    """The unit of the values."""
    currency: str = "currency"
    """What money is counted in."""


@dataclass(frozen=True)
class Process:
    """A datasource, week by week."""

    name: str
    unit: str | None
    chart: lean.XmR

    @property
    def weeks(self) -> list[dict[str, Any]]:
        """Every week with its mean and what rules found."""
        weeks: list[dict[str, Any]] = self.chart.to_arrow().to_pylist()
        return weeks


@dataclass(frozen=True)
class Figures:
    """Everything that the report shows. What there is no data for is None."""

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

    @property
    def serious(self) -> str:
        """What counts as a serious incident."""
        return f"{self.wanted.safety}, severity High" if self.wanted.safety else "severity High"


def gather(client: Client, wanted: Wanted) -> Figures:
    """Reads incidents, improvements and the values of one datasource, and computes."""
    incidents = client.incidents.list().all()
    improvements = client.improvements.list().all()
    today = wanted.today
    yesterday = today - datetime.timedelta(days=1)
    past = [incident for incident in incidents if incident.incident_date < today]
    safety = [incident for incident in past if wanted.safety in (None, incident.incident_type)]
    serious = [incident for incident in safety if incident.severity == "High"]
    recent = [incident for incident in past if incident.incident_date >= today - _YEAR]
    every = _columns(incidents, _INCIDENT)
    ideas = _columns(improvements, _IMPROVEMENT)
    dated = any(improvement.suggestion_date for improvement in improvements)
    open_ideas = [idea for idea in improvements if idea.status in ("Open", "Suggested", "Planned")]
    return Figures(
        wanted=wanted,
        incidents=len(incidents),
        improvements=len(improvements),
        recent=len(recent),
        cross=lean.safety_cross(_columns(safety, _INCIDENT), as_of=yesterday) if safety else None,
        since=lean.days_since(_columns(serious, _INCIDENT), as_of=today) if serious else None,
        since_by_group=lean.days_since(_columns(serious, _INCIDENT), by="reportedByGroup", as_of=today) if serious else None,
        between=_between(serious),
        types=lean.pareto(_columns(recent, _INCIDENT), top=_BARS, unit="incidents") if recent else None,
        causes=_causes(recent),
        late_incidents=lean.overdue(every, responsible="followUpGroup", as_of=today) if incidents else None,
        late_improvements=lean.overdue(ideas, responsible="group", as_of=today) if improvements else None,
        process=_process(client, wanted),
        flow=lean.cumulative_flow(ideas, first=today - _YEAR, last=yesterday) if dated else None,
        times=lean.lead_times(ideas) if dated else None,
        pick=lean.pick(_titled(_columns(open_ideas, _IMPROVEMENT))) if open_ideas else None,
        good=lean.evaluation_ratio(ideas) if improvements else None,
        good_by_category=lean.evaluation_ratio(ideas, by="category") if improvements else None,
        roi=lean.roi(ideas, unit=wanted.currency) if improvements else None,
        roi_by_category=lean.roi(ideas, by="category", unit=wanted.currency) if improvements else None,
    )


def _columns(records: Iterable[Incident] | Iterable[Improvement], fields: Sequence[str]) -> dict[str, list[Any]]:
    """Records as columns with the names of the wire."""
    kept = list(records)
    return {_wire(field): [_plain(getattr(record, field)) for record in kept] for field in fields}


def _wire(field: str) -> str:
    first, *others = field.split("_")
    return first + "".join(part.capitalize() for part in others)


def _plain(value: Any) -> Any:
    """Lists of records, such as causes, as lists of their titles."""
    return [part.title for part in value] if isinstance(value, tuple) else value


def _titled(ideas: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """With titles that fit a quarter of a chart on a phone."""
    return {**ideas, "title": [shorten(title or "", 24, placeholder="…") for title in ideas["title"]]}


def _causes(recent: Sequence[Incident]) -> tuple[str, lean.Pareto] | None:
    """Causes of the most frequent type among those that have any."""
    explained = Counter(incident.incident_type for incident in recent if incident.causes)
    if not explained:
        return None
    ((kind, _),) = explained.most_common(1)
    own = [incident for incident in recent if incident.incident_type == kind and incident.causes]
    return kind, lean.pareto(_columns(own, _INCIDENT), by="causes", top=_BARS, unit="incidents")


def _between(serious: Sequence[Incident]) -> lean.RareEvents | None:
    """The days between serious incidents, where there are enough for limits, and not all on one day."""
    days = sorted(incident.incident_date for incident in serious)
    if len(days) < 6 or days[0] == days[-1]:
        return None
    return lean.g_chart({"incidentDate": days})


def _process(client: Client, wanted: Wanted) -> Process | None:
    """Weekly means of a datasource over the last 52 whole weeks."""
    source = _source(client, wanted.datasource)
    if source is None:
        return None
    monday = wanted.today - datetime.timedelta(days=wanted.today.weekday())
    # Both ends are excluded.
    start = datetime.datetime.combine(monday - _YEAR, datetime.time()) - datetime.timedelta(microseconds=1)
    values = client.datasources.values(source.id, start=start, end=monday, where=wanted.where).to_arrow()
    weeks: dict[datetime.date, list[float]] = {}
    for date, value in zip(values["valueDate"].to_pylist(), values["value"].to_pylist(), strict=True):
        if value is not None:
            weeks.setdefault(date.date() - datetime.timedelta(days=date.weekday()), []).append(value)
    days = sorted(weeks)
    # A phase of fewer weeks has no limits to speak of.
    phases = [day for day in wanted.phases if all(_enough(days, day))]
    if len(days) < 5:
        return None
    means = [sum(weeks[day]) / len(weeks[day]) for day in days]
    chart = lean.xmr({"valueDate": days, "value": means}, phases=phases or None, rules=_RULES, unit=wanted.unit)
    return Process(name=wanted.name or source.title or f"datasource {source.id}", unit=wanted.unit, chart=chart)


def _enough(days: Sequence[datetime.date], phase: datetime.date) -> tuple[bool, bool]:
    before = sum(day < phase for day in days)
    return before >= 5, len(days) - before >= 5


def _source(client: Client, datasource: int | None) -> DatasourceDetail | None:
    if datasource is None:
        first = client.datasources.list().first()
        if first is None:
            return None
        datasource = first.id
    return client.datasources.get(datasource)
