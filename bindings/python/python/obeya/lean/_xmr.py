"""XmR charts: individual values and their moving ranges, with the limits that the process itself draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import pyarrow as pa

from obeya.lean import _control, _dates, _input, _plot, _plotly, _plotly_control, _series
from obeya.lean._limits import SCALE, Phase, limits, settled
from obeya.lean._panels import Panels, panels
from obeya.lean._result import Result
from obeya.lean._rows import Rows
from obeya.lean._rules import MOVING_RANGE, Rule, Rules, chosen, hits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NO_PHASE = Phase("", 0, *[math.nan] * 5)


@dataclass(frozen=True, eq=False, repr=False)
class XmR(Result):
    """An XmR chart. Its columns: ``date``, ``value``, ``phase``, ``centre``, ``lower``, ``upper``, ``rules`` (the ids of those
    that hit there, ``R1`` for a moving range beyond its limit), ``range``, ``range_centre``, ``range_upper`` and
    ``range_beyond``.

    Without a point, its figures are NaN.

    Its plot has two panels, the ranges below the values: the axes that are passed are divided, and answer for the values.
    """

    centre: float
    """The centre line of the last phase: its mean."""
    lower: float
    """The lower natural process limit of the last phase."""
    upper: float
    """The upper natural process limit of the last phase."""
    range_centre: float
    """The average moving range of the last phase."""
    range_upper: float
    """The upper limit of the moving ranges of the last phase."""
    phases: tuple[Phase, ...]
    """The limits of each phase."""
    signals: int
    """How many points a rule hits."""
    name: str
    """The name of the values."""
    unit: str | None
    """The unit of the values, if it was named."""

    _size: ClassVar[tuple[float, float]] = (6.4, 5.2)

    def _says(self) -> str:
        if not len(self):
            return "0 points"
        return (
            f"{_plot.plural(len(self), 'point')}, {_plot.plural(len(self.phases), 'phase')}, centre {_plot.short(self.centre)}, "
            f"limits {_plot.short(self.lower)} to {_plot.short(self.upper)}, {_plot.plural(self.signals, 'signal')}"
        )

    def _title(self) -> str:
        return f"XmR chart of {self.name}"

    def _draw(self, ax: Axes, title: str) -> None:
        rows = self._rows()
        _control.draw(ax, rows, title=title, y=_plot.labelled(self.name, self.unit))
        _control.draw(_control.below(ax), rows, title="", y=_plot.labelled("moving range", self.unit), column="range")

    def _chart(self, alt: Any, title: Any) -> Any:
        rows = self._rows()
        y, ranges = _plot.labelled(self.name, self.unit), _plot.labelled("moving range", self.unit)
        return alt.vconcat(
            _control.chart(alt, rows, title=title, y=y),
            _control.chart(alt, rows, title="", y=ranges, column="range"),
        )

    def _subplots(self) -> list[_plotly.Subplot]:
        return _plotly_control.pair(self._rows(), name=self.name, unit=self.unit)


@overload
def xmr(
    data: _input.Frame,
    *,
    value: str = "value",
    date: str | None = "valueDate",
    phases: _control.Phases = None,
    rules: Rules = "nelson",
    ranges: Literal["mean", "median"] = "mean",
    baseline: int | None = None,
    minimum: int = 5,
    floor: float | None = None,
    ceiling: float | None = None,
    unit: str | None = None,
    by: None = None,
    mixed: bool = False,
    key: str = "id",
    tz: str = "UTC",
) -> XmR: ...
@overload
def xmr(
    data: _input.Frame,
    *,
    value: str = "value",
    date: str | None = "valueDate",
    phases: _control.Phases = None,
    rules: Rules = "nelson",
    ranges: Literal["mean", "median"] = "mean",
    baseline: int | None = None,
    minimum: int = 5,
    floor: float | None = None,
    ceiling: float | None = None,
    unit: str | None = None,
    by: str | Sequence[str],
    mixed: bool = False,
    key: str = "id",
    tz: str = "UTC",
) -> Panels[XmR]: ...
def xmr(
    data: _input.Frame,
    *,
    value: str = "value",
    date: str | None = "valueDate",
    phases: _control.Phases = None,
    rules: Rules = "nelson",
    ranges: Literal["mean", "median"] = "mean",
    baseline: int | None = None,
    minimum: int = 5,
    floor: float | None = None,
    ceiling: float | None = None,
    unit: str | None = None,
    by: str | Sequence[str] | None = None,
    mixed: bool = False,
    key: str = "id",
    tz: str = "UTC",
) -> XmR | Panels[XmR]:
    """An XmR chart (individuals and moving ranges, process behaviour chart) of a series of values.

    With the mean x̄ of the values and the mean R̄ of the moving ranges (the distances between neighbours), the natural process
    limits are x̄ ± 2.66 R̄ and the ranges' limit is 3.267 R̄. ``ranges="median"`` takes the median range instead, with 3.145 and
    3.865, which a few large jumps do not widen. 2.66 is 3/d₂ and 3.267 is D₄ for two values.

    Sources: D. J. Wheeler, *Understanding Variation*, 2nd ed., SPC Press 2000; D. C. Montgomery, *Introduction to Statistical
    Quality Control*, section 6.4 (individuals). Rules: see `NELSON` and `WESTERN_ELECTRIC`.

    Args:
        value: The column of numbers. A row without one is left out, and there is no range across the gap, because it would be
            of values that are not neighbours. Patterns reach across it.
        date: The column to sort by, days or moments; equal ones stay in the order of the frame. None: the rows are in order.
        phases: A column that says the phase of each point, or the moments at which new phases begin. Each phase has limits of its
            own, its first point has no range, and no pattern reaches across. Say why a phase begins: limits that are computed
            anew whenever a signal comes up hide it.
        rules: ``"nelson"``, ``"western-electric"``, rules, or ids such as ``["N1", "N2", "R1"]``. Both sets have `MOVING_RANGE`
            (``R1``) with them: a moving range beyond its limit is a signal as much as a value is.
        baseline: How many first points of each phase determine its limits. None: all.
        minimum: How many points a phase must have, at least 2. Wheeler calls limits of five or six values useful, and those of
            17 or more solid.
        floor: The least that a value can be, such as 0 for counts and times; a lower value is left out. A lower limit beyond it
            is drawn there: nothing can fall below, so it gives no signal. The rules keep their distances from the centre.
        ceiling: The most that a value can be, such as 100 for percentages.
        unit: The unit of the values, for the chart.
        by: One or more columns of groups, such as ``"dimension"``: the result is a chart of each group.
        mixed: Whether rows of several series are one chart. By default they are refused if the frame tells them apart, by
            ``dimension`` to ``dimension4``, ``dataSourceId``, ``areaId``, ``assetId`` or ``projectId``: between values of six
            lines the ranges are those between the lines, and a chart with such limits shows no signal of any of them.
        key: The column that names a record in `left_out`.
        tz: The time zone in which ``phases`` are days.

    Values alone are in order: a list, an array or a Series, which has dates if they are its index (moments, days, periods, or
    texts of ISO 8601). Without rows the
    chart has no points.

    A phase (or baseline) whose values are all equal has limits that are its value: any other value is beyond them, and so is
    the step to it. Differences of rounding (1 part in 10¹²) are none.

    Raises:
        ValueError: A column is missing or of the wrong kind, no row can be used, a phase has fewer points than ``minimum``,
            most of its neighbours are equal, whose median range of 0 gives no limits, or the rows are of several series.
    """
    _control.ranged(minimum)
    if ranges not in SCALE:
        message = f"expected ranges to be mean or median; found {ranges!r}"
        raise ValueError(message)
    wanted = chosen(rules, ranges=True)
    _dates.zone(tz)
    table = _input.table(data, value)
    if _input.alone(table, value):
        date = _input.INDEX if _input.INDEX in table.column_names else None

    def chart(own: pa.Table) -> XmR:
        if not mixed:
            _series.one(own, {name for name in (value, date, phases) if isinstance(name, str)})
        used = Rows(own, key)
        points = _control.series(used, value, date, phases, tz, lambda number: _beyond(number, value, floor, ceiling))
        rows, found = _computed(points, wanted, ranges, baseline, minimum, floor, ceiling, used.left_out)
        last = found[-1] if found else _NO_PHASE
        return XmR(
            table=_table(rows, dated=date is not None),
            centre=last.centre,
            lower=last.lower,
            upper=last.upper,
            range_centre=last.range_centre,
            range_upper=last.range_upper,
            phases=tuple(found),
            signals=sum(bool(row["rules"]) for row in rows),
            name=value,
            unit=unit,
            left_out=used.left_out,
        )

    return chart(table) if by is None else panels(table, by, chart)


def _computed(
    points: Sequence[_control.Point],
    wanted: Sequence[Rule],
    ranges: str,
    baseline: int | None,
    minimum: int,
    floor: float | None,
    ceiling: float | None,
    left_out: Sequence[str],
) -> tuple[list[dict[str, Any]], list[Phase]]:
    """The rows of the frame and the limits of each phase."""
    of_ranges = [rule.id for rule in wanted if rule == MOVING_RANGE]
    of_values = [rule for rule in wanted if rule != MOVING_RANGE]
    rows: list[dict[str, Any]] = []
    found: list[Phase] = []
    for name, part in _control.phased(points):
        _control.enough(name, len(part), baseline, minimum, left_out)
        values = settled([point.value for point in part], baseline)
        gaps = [point.gap for point in part]
        phase = limits(values, gaps, name=name, ranges=ranges, baseline=baseline)
        marks = hits(values, phase.centre, (phase.upper - phase.centre) / 3, of_values)
        phase = replace(
            phase,
            lower=phase.lower if floor is None else max(phase.lower, floor),
            upper=phase.upper if ceiling is None else min(phase.upper, ceiling),
        )
        found.append(phase)
        rows.extend(_rows(part, values, phase, marks, of_ranges))
    return rows, found


def _beyond(value: float, name: str, floor: float | None, ceiling: float | None) -> str | None:
    """Why a value cannot be."""
    if floor is not None and value < floor:
        return f"has the {name} {value:g}, below the floor of {floor:g}"
    if ceiling is not None and value > ceiling:
        return f"has the {name} {value:g}, above the ceiling of {ceiling:g}"
    return None


def _rows(
    part: Sequence[_control.Point],
    values: Sequence[float],
    phase: Phase,
    marks: Sequence[tuple[str, ...]],
    of_ranges: Sequence[str],
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for at, (point, rules) in enumerate(zip(part, marks, strict=True)):
        distance = abs(values[at] - values[at - 1]) if at and not point.gap else None
        beyond = distance is not None and distance > phase.range_upper
        rows.append(
            {
                "date": point.date,
                "value": point.value,
                "phase": point.phase,
                "centre": phase.centre,
                "lower": phase.lower,
                "upper": phase.upper,
                "rules": [*rules, *of_ranges] if beyond else list(rules),
                "range": distance,
                "range_centre": phase.range_centre,
                "range_upper": phase.range_upper,
                "range_beyond": beyond,
            }
        )
    return rows


def _table(rows: list[dict[str, Any]], *, dated: bool) -> pa.Table:
    number = pa.float64()
    fields = [
        ("date", pa.timestamp("us", "UTC")),
        ("value", number),
        ("phase", pa.string()),
        ("centre", number),
        ("lower", number),
        ("upper", number),
        ("rules", pa.list_(pa.string())),
        ("range", number),
        ("range_centre", number),
        ("range_upper", number),
        ("range_beyond", pa.bool_()),
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema(fields if dated else fields[1:]))
