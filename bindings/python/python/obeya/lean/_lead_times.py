"""Lead times: how long improvements stay in each stage, and how long the whole way takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, overload

import pyarrow as pa
import pyarrow.compute as pc

from obeya.lean import _input, _plot, _plotly, _stages
from obeya.lean._control_marks import DENSE
from obeya.lean._panels import Panels, panels
from obeya.lean._result import Result
from obeya.lean._stages import DAY, STAGES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class LeadTimes(Result):
    """Lead times in days, a row for each stage and one for the whole way. Its columns: ``stage``, ``left`` (how many have gone on
    from it), ``staying`` (how many are in it still), ``mean``, and ``p50``, ``p85``, ``p95`` or the percentiles that were asked
    for.
    """

    finished: int
    """How many went the whole way."""
    median: float | None
    """Half of those took at most so many days; None when there are none."""
    p85: float | None
    """85 in 100 of those took at most so many days."""
    whole: str
    """The name of the whole flow: its first stage and its last."""
    durations: tuple[tuple[float, ...], ...]
    """The days of each, for each row of the frame."""

    _impossible: ClassVar[str] = " with impossible dates"

    def _says(self) -> str:
        if self.median is None or self.p85 is None:
            return f"{self.whole}: none finished"
        days = f"half within {self.median:.1f} days, 85% within {self.p85:.1f} days"
        return f"{self.whole}: {self.finished} finished, {days}"

    def _title(self) -> str:
        return f"Lead times, {self.whole}"

    def _names(self) -> list[str]:
        """The names of the rows, with how many have gone on from each."""
        return [f"{row['stage']} ({row['left']})" for row in self._rows()]

    def _draw(self, ax: Axes, title: str) -> None:
        rows = self._rows()
        _plot.frame(ax, title, x="days", grid="x")
        for at, days in enumerate(self.durations):
            if not days:
                continue
            last = at == len(rows) - 1
            reach = _percentile(days, 85)
            ax.barh(at, reach, height=0.5, color=_plot.BLUE if last else _plot.SKY, alpha=0.45, gid="p85")
            middle = _percentile(days, 50)
            ax.plot([middle, middle], [at - 0.25, at + 0.25], color=_plot.BLACK, linewidth=2, gid="p50")
            ax.plot(
                days,
                [at] * len(days),
                linestyle="",
                marker="|",
                markersize=9,
                color=_plot.BLUE,
                alpha=0.7,
                gid="durations",
            )
            ax.annotate(_figures(days), (0, at - 0.3), (2, 0), textcoords="offset points", va="bottom", fontsize=_plot.SMALL)
        _plot.categories(ax, self._names(), "")
        ax.set_ylim(len(rows) - 0.5, -0.75)
        ax.set_xlim(left=0)

    def _chart(self, alt: Any, title: Any) -> Any:
        rows = [
            {"stage": row["stage"], "days": day} for row, days in zip(self._rows(), self.durations, strict=True) for day in days
        ]
        bars = [
            {"stage": row["stage"], "p50": _percentile(days, 50), "p85": _percentile(days, 85)}
            for row, days in zip(self._rows(), self.durations, strict=True)
            if days
        ]
        y = alt.Y("stage:N", sort=None, title=None)
        wide = alt.Chart(_plot.data(alt, bars), title=title, width=480).encode(y=y)
        return alt.layer(
            wide.mark_bar(color=_plot.SKY, opacity=0.5).encode(
                x=alt.X("p85:Q", title="days"), tooltip=["stage:N", "p50:Q", "p85:Q"]
            ),
            wide.mark_tick(color=_plot.BLACK, thickness=3).encode(x="p50:Q"),
            alt.Chart(_plot.data(alt, rows)).mark_tick(color=_plot.BLUE).encode(x="days:Q", y=y),
        )

    def _subplots(self) -> list[_plotly.Subplot]:
        names = self._names()
        part = _plotly.named_rows(names, "days", rangemode="tozero")
        rows = [(at, days) for at, days in enumerate(self.durations) if days]
        last = len(names) - 1
        half = _plotly.THICK / 2
        places = [at + _plotly.BELOW for at, _ in rows]
        shades = [_plot.BLUE if at == last else _plot.SKY for at, _ in rows]
        said = [_plotly.text(f"{names[at]}\n{_figures(days)} days") for at, days in rows]
        look = {"width": _plotly.THICK, "marker": {"color": shades, "opacity": 0.45}}
        part.traces.append(_plotly.bars("p85", places, [_percentile(days, 85) for _, days in rows], said, **look))
        shown = [(day, place) for (_, days), place in zip(rows, places, strict=True) for day in _apart(days)]
        tick = {"symbol": "line-ns-open", "size": 11, "color": _plot.BLUE, "opacity": 0.7}
        texts = [f"{day:.1f} days" for day, _ in shown]
        part.traces.append(_plotly.marks("durations", [day for day, _ in shown], [place for _, place in shown], texts, marker=tick))
        xs: list[float | None] = []
        ys: list[float | None] = []
        for (_, days), place in zip(rows, places, strict=True):
            middle = _percentile(days, 50)
            xs, ys = [*xs, middle, middle, None], [*ys, place - half, place + half, None]
        part.traces.append(_plotly.stroke("p50", xs, ys, _plot.BLACK, 2.5))
        part.traces.append(_plotly.above_bars([at for at, _ in rows], [_figures(days) for _, days in rows]))
        return [part]


@overload
def lead_times(
    data: _input.Frame,
    *,
    stages: Mapping[str, str] = STAGES,
    start: str = "Suggested",
    end: str = "Implemented",
    percentiles: Sequence[float] = (50, 85, 95),
    status: str | None = "status",
    key: str = "id",
    tz: str = "UTC",
    by: None = None,
) -> LeadTimes: ...
@overload
def lead_times(
    data: _input.Frame,
    *,
    stages: Mapping[str, str] = STAGES,
    start: str = "Suggested",
    end: str = "Implemented",
    percentiles: Sequence[float] = (50, 85, 95),
    status: str | None = "status",
    key: str = "id",
    tz: str = "UTC",
    by: str | Sequence[str],
) -> Panels[LeadTimes]: ...
def lead_times(
    data: _input.Frame,
    *,
    stages: Mapping[str, str] = STAGES,
    start: str = "Suggested",
    end: str = "Implemented",
    percentiles: Sequence[float] = (50, 85, 95),
    status: str | None = "status",
    key: str = "id",
    tz: str = "UTC",
    by: str | Sequence[str] | None = None,
) -> LeadTimes | Panels[LeadTimes]:
    """How long improvements stay in each stage, and how long the whole way takes.

    An improvement is in a stage from its date to the next date that it has; the time is what has passed between the two moments, in
    days of 24 hours. Those still in a stage have no time there yet and are counted separately, so recent weeks look faster than they
    are. The whole way is from ``start`` to ``end``, of those that have both dates. A record with impossible dates (not in the
    order of the stages, outside of the years 1900 to 2199, or no dates at all) is left out; ``left_out`` says which and why.

    A date may be a day without a time, or midnight UTC, which is how a day is stored. It may then be in either order with what
    else is on that day, counts from its first moment, and a time that would be negative by that is 0.

    Percentiles are those of Hyndman and Fan's definition 7 (linear between neighbours, numpy's and R's default). That 85 in 100
    are done within so many days is the usual promise of a team that forecasts from its own history.

    Sources: R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50(4), 1996, 361-365; D.
    S. Vacanti, *Actionable Agile Metrics for Predictability*, 2015 (85th percentile).

    Args:
        stages: The stages in their order, with the columns of their dates.
        start, end: The stages between which the whole way lies.
        percentiles: From 0 to 100.
        status: The column with the status: ``Open`` improvements are left out. None when there is no such column.
        key: The column that names a record in messages.
        tz: The time zone in which a moment is on the same day as one without a time.
        by: One or more columns of groups: the result is a chart of each.

    Raises:
        ValueError: A column is missing or of the wrong kind, the dates of all records are impossible, or ``end``
            does not come after ``start``.
    """
    for stage in (start, end):
        if stage not in stages:
            message = f"no stage {stage!r}; the stages are {', '.join(stages)}"
            raise ValueError(message)
    names = list(stages)
    if names.index(end) <= names.index(start):
        message = f"the way from {start} to {end} goes back; the stages are, in their order, {', '.join(names)}"
        raise ValueError(message)
    for percentile in percentiles:
        if not 0 <= percentile <= 100:
            message = f"expected percentiles from 0 to 100; found {percentile}"
            raise ValueError(message)
    table = _input.table(data)

    def chart(own: pa.Table) -> LeadTimes:
        return _times(_stages.staged(own, stages, status, key, tz), names, start, end, percentiles)

    return chart(table) if by is None else panels(table, by, chart)


def _times(
    staged: _stages.Staged, names: Sequence[str], start: str, end: str, percentiles: Sequence[float]
) -> LeadTimes:
    """The times in each stage and of the whole way."""
    times: dict[str, list[float]] = {stage: [] for stage in names}
    staying = dict.fromkeys(names, 0)
    whole: list[float] = []
    under_way = 0
    for dates in staged.entries:
        entered = [(stage, date) for stage, date in zip(names, dates, strict=True) if date is not None]
        for (stage, date), (_, left) in pairwise(entered):
            times[stage].append(left.since(date) / DAY)
        if entered:
            staying[entered[-1][0]] += 1
        first, last = dates[names.index(start)], dates[names.index(end)]
        if first is not None and last is not None:
            whole.append(last.since(first) / DAY)
        elif first is not None and not any(dates[names.index(end) :]):
            under_way += 1
    # The last stage has no next one, and so no time.
    label = f"{start} to {end}"
    rows = [*((stage, times[stage], staying[stage]) for stage in names[:-1]), (label, whole, under_way)]
    columns: dict[str, Any] = {
        "stage": pa.array([stage for stage, _, _ in rows], pa.string()),
        "left": pa.array([len(days) for _, days, _ in rows], pa.int64()),
        "staying": pa.array([count for _, _, count in rows], pa.int64()),
        "mean": pa.array([sum(days) / len(days) if days else None for _, days, _ in rows], pa.float64()),
    }
    for percentile in percentiles:
        columns[f"p{percentile:g}"] = pa.array(
            [_percentile(days, percentile) if days else None for _, days, _ in rows], pa.float64()
        )
    return LeadTimes(
        table=pa.table(columns),
        finished=len(whole),
        median=_percentile(whole, 50) if whole else None,
        p85=_percentile(whole, 85) if whole else None,
        whole=label,
        durations=tuple(tuple(days) for _, days, _ in rows),
        left_out=staged.left_out,
    )


def _figures(days: Sequence[float]) -> str:
    """The figures of a row, above its bar."""
    return f"half within {_percentile(days, 50):.1f}, 85% within {_percentile(days, 85):.1f}"


def _apart(days: Sequence[float]) -> Sequence[float]:
    """The times of a row. Of very many those that would cover each other are one mark."""
    if len(days) <= DENSE:
        return days
    width = max(days) / DENSE or 1.0
    return list({int(day / width): day for day in days}.values())


def _percentile(days: Sequence[float], percentile: float) -> float:
    return float(pc.quantile(pa.array(days, pa.float64()), q=percentile / 100, interpolation="linear")[0].as_py())
