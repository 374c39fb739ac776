"""Cumulative flow: how many improvements are in each stage, day by day."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, overload

import pyarrow as pa

from obeya.lean import _dates, _input, _plot, _plotly, _stages
from obeya.lean._control_marks import DENSE
from obeya.lean._panels import Panels, panels
from obeya.lean._result import Result
from obeya.lean._stages import DAY, LAST_YEAR, STAGES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHADES = (_plot.SKY, _plot.YELLOW, _plot.ORANGE, _plot.GREEN, _plot.BLUE, "#999999", _plot.PURPLE, _plot.VERMILLION)

_LONGEST = 36525
"""The days of 100 years. A wrong year in one record alone must not make a frame of more."""
_SCHEMA = pa.schema([("day", pa.date32()), ("stage", pa.string()), ("entered", pa.int64()), ("in_stage", pa.int64())])
_BOTH = "`first` and `last`"


@dataclass(frozen=True, eq=False, repr=False)
class CumulativeFlow(Result):
    """A cumulative flow diagram. Its columns: ``day``, ``stage``, ``entered`` (how many entered the stage on that day) and
    ``in_stage`` (how many were in it when the day ended); a row for each day and stage.
    """

    stages: tuple[str, ...]
    """The stages, in their order."""
    first: datetime.date | None
    """The first day; None without records if no day is passed."""
    last: datetime.date | None
    """The last day."""
    arrived: int
    """How many had entered any stage when the last day ended."""
    undated: int
    """How many records have no date at all and are left out."""

    _impossible: ClassVar[str] = " with impossible dates"

    def _says(self) -> str:
        if not len(self):
            return "no improvements"
        days, stages = f"{self.first} to {self.last}", _plot.plural(len(self.stages), "stage")
        return f"{days}, {stages}, {_plot.plural(self.arrived, 'improvement')}"

    def _title(self) -> str:
        return f"Cumulative flow, {self.first} to {self.last}" if len(self) else "Cumulative flow"

    def _draw(self, ax: Axes, title: str) -> None:
        rows = self._rows()
        width = len(self.stages)
        days = [row["day"] for row in rows[::width]]
        # The last stage is at the bottom, so that finished work grows from below.
        heights = [[row["in_stage"] for row in rows[at::width]] for at in reversed(range(width))]
        shades = [_SHADES[at % len(_SHADES)] for at in reversed(range(width))]
        _plot.frame(ax, title, y="improvements")
        areas = ax.stackplot(days, heights, colors=shades, edgecolor="white", linewidth=0.5)
        for area, name in zip(areas, reversed(self.stages), strict=True):
            # It becomes an id in SVG.
            area.set_gid(_plot.plain(name))
        ax.margins(x=0)
        ax.set_ylim(bottom=0)
        _plot.date_axis(ax)
        _plot.line_labels(ax, self._labels([band[-1] for band in heights]))

    def _labels(self, counts: Sequence[int]) -> list[tuple[float, str, str]]:
        """The labels of the bands from below, which have ``counts`` on the last day: height, text, colour."""
        labels, below = [], 0
        for name, count in zip(reversed(self.stages), counts, strict=True):
            if count:
                labels.append((below + count / 2, f"{name} {count}", _plot.BLACK))
            below += count
        return labels

    def _chart(self, alt: Any, title: Any) -> Any:
        rows = [{**row, "order": -self.stages.index(row["stage"])} for row in self._rows()]
        domain = list(self.stages)
        return (
            alt.Chart(_plot.data(alt, rows), title=title, width=480, height=280)
            .mark_area()
            .encode(
                x=alt.X("day:T", title=None),
                y=alt.Y("in_stage:Q", stack="zero", title="improvements"),
                color=alt.Color(
                    "stage:N",
                    sort=domain,
                    title="stage",
                    scale=alt.Scale(domain=domain, range=list(_SHADES[: len(domain)])),
                ),
                order=alt.Order("order:Q"),
                tooltip=["day:T", "stage:N", "in_stage:Q", "entered:Q"],
            )
        )

    def _subplots(self) -> list[_plotly.Subplot]:
        rows = self._rows()
        width = len(self.stages)
        days = self._changing([rows[at : at + width] for at in range(0, len(rows), width)])
        most = max(sum(row["in_stage"] for row in day) for day in days) or 1
        part = _plotly.Subplot(
            {"type": "date", "showgrid": False},
            {"title": _plotly.titled("improvements"), "range": [0, most * 1.05], **({"dtick": 1} if most < 10 else {})},
            300,
        )
        xs = [_plotly.day(day[0]["day"]) for day in days]
        for stage in reversed(range(width)):
            own = [day[stage] for day in days]
            said = [_plotly.text(f"{row['day']}\n{row['stage']}: {row['in_stage']}, {row['entered']} entered") for row in own]
            # The line is as white as in the other pictures: it separates the bands.
            counts = [row["in_stage"] for row in own]
            band = _plotly.stroke(_plotly.text(self.stages[stage]), xs, counts, "#FFFFFF", 0.5, hoverinfo="text")
            shade = _SHADES[stage % len(_SHADES)]
            part.traces.append({**band, "stackgroup": "stages", "hoveron": "points", "hovertext": said, "fillcolor": shade})
        labels = self._labels([days[-1][stage]["in_stage"] for stage in reversed(range(width))])
        _plotly.line_labels(part, labels, 0, most * 1.05)
        return [part]

    def _changing(self, days: Sequence[Sequence[dict[str, Any]]]) -> Sequence[Sequence[dict[str, Any]]]:
        """The days. Of very many only those next to a change, between which the bands are the same."""
        if len(days) <= DENSE:
            return days
        counts = [[row["in_stage"] for row in day] for day in days]
        last = len(days) - 1
        return [
            day for at, day in enumerate(days) if at in (0, last) or counts[at - 1] != counts[at] or counts[at] != counts[at + 1]
        ]


@overload
def cumulative_flow(
    data: _input.Frame,
    *,
    stages: Mapping[str, str] = STAGES,
    first: _dates.Day | None = None,
    last: _dates.Day | None = None,
    status: str | None = "status",
    key: str = "id",
    tz: str = "UTC",
    by: None = None,
) -> CumulativeFlow: ...
@overload
def cumulative_flow(
    data: _input.Frame,
    *,
    stages: Mapping[str, str] = STAGES,
    first: _dates.Day | None = None,
    last: _dates.Day | None = None,
    status: str | None = "status",
    key: str = "id",
    tz: str = "UTC",
    by: str | Sequence[str],
) -> Panels[CumulativeFlow]: ...
def cumulative_flow(
    data: _input.Frame,
    *,
    stages: Mapping[str, str] = STAGES,
    first: _dates.Day | None = None,
    last: _dates.Day | None = None,
    status: str | None = "status",
    key: str = "id",
    tz: str = "UTC",
    by: str | Sequence[str] | None = None,
) -> CumulativeFlow | Panels[CumulativeFlow]:
    """How many improvements were in each stage at the end of each day.

    On each day a record is in the furthest stage whose date has come. The height of all bands is what has arrived, the height of
    a band its work in progress, and the width between its edges roughly the time that a record takes (Little's law). A record
    that was put into the archive unfinished is counted there from that day on, not among the implemented. A record with
    impossible dates (not in the order of the stages, or before 1900) is left out; ``left_out`` says which and why.
    A date after 2199, which systems write for "never", never comes.

    Sources: D. J. Anderson, *Kanban*, 2010 (cumulative flow diagrams); J. D. C. Little, "A Proof for the Queuing Formula: L =
    λW", Operations Research 9(3), 1961, 383-387.

    Args:
        stages: The stages in their order, with the columns of their dates.
        first, last: The days to show; from the first date of the frame to its last by default. More than 100 years
            must be asked for with both.
        status, key: As in `lead_times`.
        tz: The time zone whose days count. A day without a time, or midnight UTC, which is how one is stored, stays that day.
        by: One or more columns of groups: the result is a chart of each, all of the same days.

    Without rows the chart has no days.

    Raises:
        ValueError: A column is missing or of the wrong kind, the dates of all records are impossible, no record has
            a date, ``last`` is before ``first``, or one of them is not given and all dates are "never" or the days
            more than 100 years.
    """
    table = _input.table(data)
    whole = _flow(table, stages, first, last, status, key, tz)
    if by is None:
        return whole
    # All groups have the same days.
    return panels(table, by, lambda own: _flow(own, stages, whole.first, whole.last, status, key, tz))


def _flow(
    table: pa.Table,
    stages: Mapping[str, str],
    first: _dates.Day | None,
    last: _dates.Day | None,
    status: str | None,
    key: str,
    tz: str,
) -> CumulativeFlow:
    """The flow of the records of a table."""
    staged = _stages.staged(table, stages, status, key, tz, never=True)
    records = staged.entries
    if not table.num_rows:
        day = None if first is None and last is None else _dates.day(first or last, tz)
        return _of_nothing(stages, day, day if last is None else _dates.day(last, tz))
    dated = [
        [None if entry is None or entry.moment.year > LAST_YEAR else entry.day for entry in dates]
        for dates in records
        if any(dates)
    ]
    if not dated:
        message = f"none of the {len(records)} records has a date in any of the columns {', '.join(stages.values())}"
        raise ValueError(message)
    every = [date for dates in dated for date in dates if date is not None]
    asked = first is not None and last is not None
    if not every and not asked:
        none = f"none of the {len(records)} records has a date up to the year {LAST_YEAR}"
        message = f"{none}; name the days to show: {_BOTH}"
        raise ValueError(message)
    begin = min(every) if first is None else _dates.day(first, tz)
    end = max(every) if last is None else _dates.day(last, tz)
    if end < begin:
        message = f"the last day, {end}, is before the first, {begin}"
        raise ValueError(message)
    span = (end - begin).days + 1
    if span > _LONGEST and not asked:
        message = f"the days from {begin} to {end} are more than 100 years; name those to show: {_BOTH}"
        raise ValueError(message)
    rows, arrived = _counted(dated, stages, begin, end)
    return CumulativeFlow(
        table=pa.table(rows, schema=_SCHEMA),
        stages=tuple(stages),
        first=begin,
        last=end,
        arrived=arrived,
        undated=len(records) - len(dated),
        left_out=staged.left_out,
    )


def _of_nothing(stages: Mapping[str, str], first: datetime.date | None, last: datetime.date | None) -> CumulativeFlow:
    """The flow of no records. Nothing is in any stage, so there is no day to show."""
    return CumulativeFlow(
        table=pa.Table.from_pylist([], schema=_SCHEMA), stages=tuple(stages), first=first, last=last, arrived=0, undated=0
    )


def _counted(
    dated: Sequence[Sequence[datetime.date | None]], stages: Mapping[str, str], begin: datetime.date, end: datetime.date
) -> tuple[dict[str, list[Any]], int]:
    """The columns of the frame, and how many have arrived when the last day ends."""
    span = (end - begin).days + 1
    width = len(stages)
    entered = [[0] * width for _ in range(span)]
    moved = [[0] * width for _ in range(span)]
    for dates in dated:
        before: int | None = None
        for stage, date in enumerate(dates):
            if date is None or date > end:
                continue
            at = max(0, (date - begin).days)
            if date >= begin:
                entered[at][stage] += 1
            moved[at][stage] += 1
            if before is not None:
                moved[at][before] -= 1
            before = stage
    rows: dict[str, list[Any]] = {"day": [], "stage": [], "entered": [], "in_stage": []}
    now = [0] * width
    for at in range(span):
        now = [count + change for count, change in zip(now, moved[at], strict=True)]
        for stage, name in enumerate(stages):
            rows["day"].append(begin + at * DAY)
            rows["stage"].append(name)
            rows["entered"].append(entered[at][stage])
            rows["in_stage"].append(now[stage])
    return rows, sum(now)
