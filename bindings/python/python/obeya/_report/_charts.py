"""The charts of the page: their order, the title of each, its summary in a sentence, and its figures as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from obeya._report._gather import Figures
from obeya._report._phrases import changes, day, last_signal
from obeya.lean import Overdue, Pareto, Result
from obeya.lean._plot import BARS, percent, plural, short

Cell = str | int | float | None


@dataclass(frozen=True)
class Chart:
    """A chart with its title, summary and table."""

    name: str
    section: str
    title: str
    says: str
    """The summary as text."""
    result: Result
    wide: float
    """Its height in inches in a column of a large page."""
    narrow: float
    """Its height in inches on a phone."""
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    place: Literal["column", "across", "tall"] = "column"
    """Whether it takes one column of a large page, all of its width, or the place of two charts one above the other."""


def charts(figures: Figures) -> Iterator[Chart]:
    """The charts there is data for, in the order of the page."""
    for make in (
        _cross,
        _since,
        _between,
        _types,
        _causes,
        _late_incidents,
        _late_improvements,
        _process,
        _flow,
        _times,
        _pick,
        _good,
        _roi,
    ):
        chart = make(figures)
        if chart is not None:
            yield chart


def _table(result: Result, columns: dict[str, str], change: Callable[[dict[str, Any]], dict[str, Any]] = dict) -> Any:
    """Columns of a result under the names that readers know."""
    rows = [change(row) for row in result.to_arrow().to_pylist()]
    return {"head": list(columns.values()), "rows": [[row[name] for name in columns] for row in rows]}


def _cross(figures: Figures) -> Chart | None:
    cross = figures.cross
    if cross is None:
        return None
    kind = figures.wanted.safety or "all types"
    over = cross.safe + sum(row["state"] == "incident" for row in cross.to_arrow().to_pylist())
    return Chart(
        name="cross",
        section="Safety",
        title=f"Safety cross, {cross.month:%Y-%m}",
        says=f"{cross.safe} of {plural(over, 'day')} without an incident ({kind}); {plural(cross.incidents, 'incident')} in all.",
        result=cross,
        wide=5.4,
        narrow=4.3,
        **_table(cross, {"day": "Day", "state": "State", "severity": "Worst", "incidents": "Incidents"}),
    )


def _since(figures: Figures) -> Chart | None:
    by_group, since = figures.since_by_group, figures.since
    if by_group is None or since is None or since.days is None or since.record is None:
        return None
    rows = min(len(by_group), BARS)
    return Chart(
        name="since",
        section="Safety",
        title="Days since the last serious incident",
        says=f"{plural(since.days, 'day')} in the whole plant ({figures.serious}); "
        f"the longest stretch was {plural(since.record, 'day')}.",
        result=by_group,
        wide=1.0 + 0.42 * rows,
        narrow=1.0 + 0.42 * rows,
        **_table(
            by_group,
            {
                "group": "Reported by",
                "incidents": "Incidents",
                "last": "Last",
                "days": "Days since",
                "record": "Longest stretch, days",
            },
        ),
    )


def _between(figures: Figures) -> Chart | None:
    between = figures.between
    if between is None:
        return None
    return Chart(
        name="between",
        section="Safety",
        title="Days between serious incidents",
        says=f"g chart: {between.centre:.1f} days on average; "
        f"more than {between.upper:.0f} would be a signal that it has become safer. {plural(between.signals, 'signal')}.",
        result=between,
        wide=3.2,
        narrow=3.3,
        place="across",
        **_table(
            between,
            {"date": "Incident on", "value": "Days since the one before", "rules": "Rules"},
            lambda row: {**row, "date": day(row["date"]), "rules": ", ".join(row["rules"])},
        ),
    )


def _types(figures: Figures) -> Chart | None:
    if figures.types is None:
        return None
    return _pareto("types", "Incident types, 52 weeks", figures.types, "Type")


def _causes(figures: Figures) -> Chart | None:
    if figures.causes is None:
        return None
    kind, causes = figures.causes
    return _pareto("causes", f"Causes of {kind}, 52 weeks", causes, "Cause")


def _pareto(name: str, title: str, pareto: Pareto, what: str) -> Chart:
    first = pareto.to_arrow().to_pylist()[0]
    return Chart(
        name=name,
        section="Incidents",
        title=title,
        says=f"Pareto chart: {first['category'] or '(none)'} comes first with {percent(first['share'])}; "
        f"{len(pareto.vital)} of {pareto.categories} make up {percent(pareto.threshold)} or more.",
        result=pareto,
        wide=3.8,
        narrow=3.6,
        **_table(
            pareto,
            {"category": what, "amount": "Incidents", "share": "Share", "cumulative": "Cumulative share"},
            lambda row: {
                **row,
                "category": row["category"] or "(none)",
                "amount": round(row["amount"]),
                "share": percent(row["share"]),
                "cumulative": percent(row["cumulative"]),
            },
        ),
    )


def _late_incidents(figures: Figures) -> Chart | None:
    return _late("overdue-incidents", "incidents", "who follows up", figures.late_incidents)


def _late_improvements(figures: Figures) -> Chart | None:
    return _late("overdue-improvements", "improvements", "group", figures.late_improvements)


def _late(name: str, what: str, whose: str, late: Overdue | None) -> Chart | None:
    if late is None or not late.overdue:
        return None
    rows = [row for row in late.to_arrow().to_pylist() if row["overdue"]]
    longest = max(row["longest"] for row in rows)
    return Chart(
        name=name,
        section="Overdue",
        title=f"Overdue {what}, by {whose}",
        says=f"{late.overdue} of {late.open} open {what} are past their due date, one of them by {plural(longest, 'day')}.",
        result=late,
        wide=1.4 + 0.4 * min(len(rows), BARS),
        narrow=1.5 + 0.4 * min(len(rows), BARS),
        head=[whose.capitalize(), "Overdue", "Open", "Longest, days"],
        rows=[[row["responsible"] or "(nobody)", row["overdue"], row["open"], row["longest"]] for row in rows],
    )


def _process(figures: Figures) -> Chart | None:
    process = figures.process
    if process is None:
        return None
    chart = process.chart
    return Chart(
        name="process",
        section="Process",
        title=f"{process.name}, weekly means",
        says=f"XmR chart: mean {short(chart.centre)}, natural process limits {short(chart.lower)} to {short(chart.upper)}. "
        + " ".join([*changes(process), last_signal(process)]),
        result=chart,
        wide=4.8,
        narrow=4.6,
        place="across",
        **_table(
            chart,
            {"date": "Week of", "value": "Mean", "lower": "Lower limit", "upper": "Upper limit", "rules": "Rules"},
            lambda row: {**row, "date": day(row["date"]), "rules": ", ".join(row["rules"])},
        ),
    )


def _flow(figures: Figures) -> Chart | None:
    flow = figures.flow
    if flow is None:
        return None
    days: dict[Any, dict[str, int]] = {}
    for row in flow.to_arrow().to_pylist():
        days.setdefault(row["day"], {})[row["stage"]] = row["in_stage"]
    now = days[flow.last]
    # Every fourth week and today: a table with a row for each day would be too long to read.
    shown = sorted(days, reverse=True)[::28]
    working = now.get("Planned", 0) + now.get("InProgress", 0)
    return Chart(
        name="flow",
        section="Improvements",
        title="Cumulative flow, 52 weeks",
        says=f"{plural(flow.arrived, 'improvement')} have arrived; {working} are planned or in progress on {flow.last}.",
        result=flow,
        wide=4.0,
        narrow=3.4,
        head=["Day", *flow.stages],
        rows=[[str(at), *(days[at][stage] for stage in flow.stages)] for at in shown],
    )


def _times(figures: Figures) -> Chart | None:
    times = figures.times
    if times is None or times.median is None or times.p85 is None:
        return None
    return Chart(
        name="times",
        section="Improvements",
        title="Lead times of improvements",
        says=f"From suggestion to implementation half take at most {times.median:.0f} days, 85% at most {times.p85:.0f} "
        f"({plural(times.finished, 'improvement')}).",
        result=times,
        wide=4.4,
        narrow=4.2,
        **_table(
            times,
            {
                "stage": "Stage",
                "left": "Have left it",
                "staying": "Are in it",
                "p50": "50%, days",
                "p85": "85%, days",
                "p95": "95%, days",
            },
        ),
    )


def _pick(figures: Figures) -> Chart | None:
    pick = figures.pick
    if pick is None:
        return None
    placed = sum(pick.counts.values())
    return Chart(
        name="pick",
        section="Improvements",
        title="PICK chart of what is not begun",
        says=f"Of {plural(placed, 'idea')} with a priority {pick.counts['Implement']} promise much for little; "
        f"{pick.unplaced} have no priority yet.",
        result=pick,
        wide=5.6,
        narrow=4.6,
        place="tall",
        head=["Quadrant", "Ideas"],
        rows=[*pick.counts.items(), ("Not placed", pick.unplaced)],
    )


def _good(figures: Figures) -> Chart | None:
    good, by_category = figures.good, figures.good_by_category
    if good is None or by_category is None or good.ratio is None or good.lower is None or good.upper is None:
        return None
    rows = len(by_category)
    return Chart(
        name="evaluations",
        section="Improvements",
        title="Improvements judged good",
        says=f"{good.good} of {good.evaluated} evaluated, {percent(good.ratio)} "
        f"({percent(good.confidence)} interval {percent(good.lower)} to {percent(good.upper)}).",
        result=by_category,
        wide=1.1 + 0.42 * rows,
        narrow=1.1 + 0.42 * rows,
        **_table(
            by_category,
            {"group": "Category", "good": "Good", "evaluated": "Evaluated", "ratio": "Share", "lower": "From", "upper": "To"},
            lambda row: {
                **row,
                **{name: percent(row[name]) if row[name] is not None else None for name in ("ratio", "lower", "upper")},
            },
        ),
    )


def _roi(figures: Figures) -> Chart | None:
    roi, by_category = figures.roi, figures.roi_by_category
    if roi is None or by_category is None or roi.roi is None:
        return None
    rows = len(by_category)
    return Chart(
        name="roi",
        section="Improvements",
        title="Return on investment",
        says=f"{short(roi.cost)} {roi.unit} brought {short(roi.gain)} {roi.unit}: a return of {percent(roi.roi)}. "
        f"{plural(roi.incomplete, 'improvement')} without cost or gain do not count.",
        result=by_category,
        wide=1.0 + 0.55 * rows,
        narrow=1.0 + 0.55 * rows,
        **_table(
            by_category,
            {"group": "Category", "counted": "Counted", "cost": "Cost", "gain": "Gain", "roi": "Return"},
            lambda row: {**row, "roi": percent(row["roi"]) if row["roi"] is not None else None},
        ),
    )
