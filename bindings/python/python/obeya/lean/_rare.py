"""Charts of events so rare that most counts would be zero: the time, or the number of good cases, between two events."""

from __future__ import annotations

import datetime
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from obeya.lean import _control, _dates, _frame, _plot
from obeya.lean._result import Result
from obeya.lean._rows import Rows, named
from obeya.lean._rules import Rules, chosen, hits
from obeya.lean._xmr import limits as xmr_limits
from obeya.lean._xmr import settled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NELSON_POWER = 3.6
"""The root that makes times between random events nearly normal (Nelson 1994)."""

_TAIL = 0.00135
"""The share of a normal distribution beyond three sigma, on one side."""


@dataclass(frozen=True, eq=False, repr=False)
class RareEvents(Result):
    """A g chart or a t chart: a row for each event but the first. Its columns: ``date`` of the event, ``value`` (what lay between
    it and the event before), ``phase``, ``centre``, ``median``, ``lower`` and ``upper`` (null where there is no such limit) and
    ``rules``.
    """

    kind: Literal["g", "t"]
    """Which of the two charts it is."""
    centre: float
    """The centre line of the last phase."""
    median: float | None
    """The median of the last phase, about which a g chart counts runs; None in a t chart."""
    lower: float | None
    """The lower limit of the last phase; None where none is above zero."""
    upper: float
    """The upper limit of the last phase."""
    signals: int
    """How many points a rule hits."""
    unit: str
    """What lies between two events, such as days."""

    def _says(self) -> str:
        lower = "none" if self.lower is None else _plot.short(self.lower)
        return (
            f"{_plot.plural(len(self), 'interval')} in {self.unit}, centre {_plot.short(self.centre)}, "
            f"limits {lower} to {_plot.short(self.upper)}, {_plot.plural(self.signals, 'signal')}"
        )

    def _title(self) -> str:
        return f"{self.kind} chart: {self.unit} between events"

    def _draw(self, ax: Axes, title: str) -> None:
        centre = "mean" if self.kind == "g" else "centre"
        _control.draw(ax, self._rows(), title=title, y=_plot.labelled("between events", self.unit), spaced=False, centre=centre)
        ax.set_ylim(bottom=-0.03 * ax.get_ylim()[1])

    def _chart(self, alt: Any, title: Any) -> Any:
        return _control.chart(alt, self._rows(), title=title, y=_plot.labelled("between events", self.unit), spaced=False)


def g_chart(
    data: _frame.Frame,
    *,
    date: str | None = "incidentDate",
    between: str | None = None,
    phases: _control.Phases = None,
    limits: Literal["sigma", "probability"] = "sigma",
    rules: Rules = ("N1", "W4"),
    baseline: int | None = None,
    minimum: int = 5,
    tz: str = "UTC",
    unit: str | None = None,
    key: str = "id",
) -> RareEvents:
    """A g chart: the number of days, or of good cases, between one rare event and the next.

    Counts between events of a constant chance follow a geometric distribution. With their mean x̄, the form of Kaminsky et al.
    has the centre line x̄ and the upper limit x̄ + 3 √(x̄ (x̄ + 1)); its lower limit is below zero, so there is none.
    ``limits="probability"`` takes the 0.00135 and 0.99865 quantiles of the distribution with p = 1 / (1 + x̄), which leave out as
    much on either side as three sigma of a normal distribution do. A point *above* is good news. That events have come closer
    together shows in runs, which are counted about the median (Provost and Murray), because a skewed distribution has more points
    below its mean than above.

    Sources: F. C. Kaminsky, J. C. Benneyan, R. D. Davis, R. J. Burke, "Statistical Control Charts Based on a Geometric
    Distribution", Journal of Quality Technology 24(2), 1992, 63-69; J. C. Benneyan, "Number-Between g-Type Statistical Quality
    Control Charts", Health Care Management Science 4, 2001, 305-318; L. P. Provost, S. K. Murray, *The Health Care Data Guide*,
    2011, page 228.

    Args:
        date: The column of the events' days or moments; a frame of incidents has a row for each event. Events on one day are 0 days
            apart. None with ``between``: the rows are in order.
        between: A column of whole numbers, counted already, instead of the days between dates.
        phases, baseline, minimum: As in `xmr`; ``minimum`` counts intervals.
        rules: Of `NELSON` and `WESTERN_ELECTRIC`, those that need no sigma: N1, N2, N3, N4, W1, W4.
        tz: The time zone in which moments are days.
        unit: What is counted; days when there is no ``between``.
        key: The column that names a record in `left_out`.

    Left out are events without a date, and of ``between`` what is no whole number from 0.

    Raises:
        ValueError: A column is missing or of the wrong kind, no row can be used, all counts are 0, there are too few, or a rule
            needs sigma.
    """
    if limits not in ("sigma", "probability"):
        message = f"expected limits to be sigma or probability; found {limits!r}"
        raise ValueError(message)
    wanted = chosen(rules)
    needing = [rule.id for rule in wanted if rule.id not in {"N1", "N2", "N3", "N4", "W1", "W4"}]
    if needing:
        message = f"the rules {', '.join(needing)} count in sigma, which a skewed distribution has not on both sides alike"
        raise ValueError(message)
    used = Rows(_frame.table(data), key)
    if between is None:
        points = _intervals(used, date, phases, lambda first, second: float((second - first).days), tz)
    else:
        points = _control.series(used, between, date, phases, lambda number: _no_count(number, between))
    rows: list[dict[str, Any]] = []
    for name, part in _control.phased(points):
        _control.enough(name, len(part), baseline, minimum, used.left_out)
        values = [point.value for point in part]
        mean = statistics.fmean(values[:baseline])
        if not any(values):
            message = f"all events of {f'phase {name!r}' if name else 'the series'} are 0 apart: there is no variation to chart"
            raise ValueError(message)
        median = statistics.median(values[:baseline])
        lower, upper = _geometric(mean, limits)
        # The rules see limits at three sigma about a centre; each needs its own of either here.
        marks: list[list[str]] = [[] for _ in values]
        for rule in wanted:
            if rule.id in {"N1", "W1"}:
                found = [value > upper or (lower is not None and value < lower) for value in values]
            else:
                found = [bool(ids) for ids in hits(values, median, math.inf, [rule])]
            for mark, hit in zip(marks, found, strict=True):
                mark.extend([rule.id] if hit else [])
        lines = {"centre": mean, "median": median, "lower": lower, "upper": upper}
        rows.extend(_rows(part, lines, marks))
    return _result("g", rows, unit or between or "days", dated=date is not None, left_out=used.left_out)


def t_chart(
    data: _frame.Frame,
    *,
    date: str | None = "reportedDate",
    between: str | None = None,
    phases: _control.Phases = None,
    rules: Rules = ("N1", "W4"),
    baseline: int | None = None,
    minimum: int = 5,
    unit: Literal["days", "hours"] | str = "days",
    key: str = "id",
) -> RareEvents:
    """A t chart: the time between one rare event and the next.

    Times t between events of a constant rate are exponentially distributed. Nelson's transformation y = t^(1/3.6) makes them nearly
    normal; an XmR chart of y (x̄ ± 2.66 R̄) gives centre line and limits, which are brought back by t = y^3.6. A limit of y below
    zero is no limit. A point *above* is good news, a point *below* is not.

    Sources: L. S. Nelson, "A Control Chart for Parts-Per-Million Nonconforming Items", Journal of Quality Technology 26(3), 1994,
    239-240; D. C. Montgomery, *Introduction to Statistical Quality Control*, section 7.3.5 (example: valve failures).

    Args:
        date: The column of moments. An incident's ``incidentDate`` is a day, so incidents of one day would have no time between
            them; the moment of the report is the nearest that a record holds. None with ``between``: the rows are in order.
        between: A column of times that are measured already, instead of the differences of dates.
        phases, rules, baseline, minimum: As in `xmr`, on the transformed times; ``minimum`` counts intervals, at least 2.
        unit: ``"days"`` or ``"hours"`` for differences of dates; with ``between`` the name of its unit.
        key: The column that names a record in `left_out`.

    Left out are events without a date, those at the same moment as another (`g_chart` takes them: of records with a day only,
    it is the better chart), and of ``between`` what is not above zero.

    Raises:
        ValueError: A column is missing or of the wrong kind, no row can be used, or there are too few.
    """
    scale = {"days": 86400.0, "hours": 3600.0}.get(unit)
    if scale is None and between is None:
        message = f"expected the unit days or hours; found {unit!r}"
        raise ValueError(message)
    _control.ranged(minimum)
    seconds = scale or 1.0
    wanted = chosen(rules)
    used = Rows(_frame.table(data), key)
    if between is None:
        points = _intervals(used, date, phases, lambda first, second: (second - first).total_seconds() / seconds, None)
    else:
        points = _control.series(used, between, date, phases, lambda number: _no_time(number, between))
    rows: list[dict[str, Any]] = []
    for name, part in _control.phased(points):
        _control.enough(name, len(part), baseline, minimum, used.left_out)
        straight = settled([point.value ** (1 / _NELSON_POWER) for point in part], baseline)
        phase = xmr_limits(straight, [point.gap for point in part], name=name, ranges="mean", baseline=baseline)
        marks = hits(straight, phase.centre, (phase.upper - phase.centre) / 3, wanted)
        lines = {
            "centre": phase.centre**_NELSON_POWER,
            "median": None,
            "lower": phase.lower**_NELSON_POWER if phase.lower > 0 else None,
            "upper": phase.upper**_NELSON_POWER,
        }
        rows.extend(_rows(part, lines, marks))
    return _result("t", rows, unit, dated=date is not None, left_out=used.left_out)


def _geometric(mean: float, limits: str) -> tuple[float | None, float]:
    if limits == "sigma":
        return None, mean + 3 * math.sqrt(mean * (mean + 1))
    if mean == 0:
        return None, 0.0
    # The smallest k with 1 - (1 - p)^(k + 1) at or above the quantile, where 1 - p = mean / (1 + mean).
    stay = math.log(mean / (1 + mean))
    lower, upper = (max(0, math.ceil(math.log1p(-quantile) / stay) - 1) for quantile in (_TAIL, 1 - _TAIL))
    return float(lower) if lower > 0 else None, float(upper)


def _intervals(
    rows: Rows, date: str | None, phases: _control.Phases, apart: Callable[[Any, Any], float], tz: str | None
) -> list[_control.Point]:
    """What lies between each event and the one before it, with the date and the phase of the later one.

    Without ``tz`` moments are compared, of which the second of two equal ones is left out.
    """
    if date is None:
        message = "expected a column of dates (argument `date`), or one of intervals (argument `between`)"
        raise ValueError(message)
    stamps = rows.stamps(date, "date")
    where = None if tz is None else _dates.zone(tz)
    moments = [
        None if stamp is None else stamp.moment if where is None else _dates.moment(stamp.local(where)) for stamp in stamps
    ]
    phase = _frame.words(rows.table, phases, "phases") if isinstance(phases, str) else [""] * len(moments)
    events = sorted(
        ((moment, row) for row, moment in enumerate(moments) if moment is not None), key=lambda event: event[0]
    )
    if where is None:
        for (before, _), (moment, row) in pairwise(events):
            if moment == before:
                rows.leave_out(row, f"is at {moment.isoformat()}, as the event before: no time is between them")
    kept = set(rows.kept)
    events = [event for event in events if event[1] in kept]
    points = [
        _control.Point(apart(before, moment), moment, phase[row] or "") for (before, _), (moment, row) in pairwise(events)
    ]
    if not points:
        without = f" that can be used; left out: {named(rows.left_out)}" if rows.left_out else ""
        message = f"an interval needs two events; the frame has {len(events)}{without}"
        raise ValueError(message)
    return points if phases is None or isinstance(phases, str) else _control.cut(points, phases)


def _no_count(number: float, name: str) -> str | None:
    whole = number >= 0 and number == int(number)
    return None if whole else f"has the {name} {_plot.short(number)}, which is no whole number from 0"


def _no_time(number: float, name: str) -> str | None:
    return None if number > 0 else f"has the {name} {_plot.short(number)}, which is not above zero"


def _rows(part: Sequence[_control.Point], lines: dict[str, float | None], marks: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    return [
        {"date": point.date, "value": point.value, "phase": point.phase, **lines, "rules": list(mark)}
        for point, mark in zip(part, marks, strict=True)
    ]


def _result(kind: Literal["g", "t"], rows: list[dict[str, Any]], unit: str, *, dated: bool, left_out: tuple[str, ...]) -> RareEvents:
    number = pa.float64()
    fields = [
        ("date", pa.timestamp("us", "UTC")),
        ("value", number),
        ("phase", pa.string()),
        ("centre", number),
        ("median", number),
        ("lower", number),
        ("upper", number),
        ("rules", pa.list_(pa.string())),
    ]
    last = rows[-1]
    return RareEvents(
        table=pa.Table.from_pylist(rows, schema=pa.schema(fields if dated else fields[1:])),
        kind=kind,
        centre=last["centre"],
        median=last["median"],
        lower=last["lower"],
        upper=last["upper"],
        signals=sum(bool(row["rules"]) for row in rows),
        unit=unit,
        left_out=left_out,
    )
