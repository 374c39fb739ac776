"""Charts of events so rare that most counts would be zero: the time, or the number of good cases, between two events."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

import pyarrow as pa

from obeya.lean import _control, _input, _plot, _plotly, _plotly_control
from obeya.lean._events import given, intervals, no_count, no_time
from obeya.lean._rare_limits import g_rows, t_rows
from obeya.lean._panels import Panels, panels
from obeya.lean._result import Result
from obeya.lean._rows import Rows
from obeya.lean._rules import Rules, chosen

if TYPE_CHECKING:
    from matplotlib.axes import Axes

@dataclass(frozen=True, eq=False, repr=False)
class RareEvents(Result):
    """A g chart or a t chart: a row for each event but the first. Its columns: ``date`` of the event, ``value`` (what lay between
    it and the event before), ``phase``, ``centre``, ``median``, ``lower`` and ``upper`` (null where there is no such limit) and
    ``rules``.
    """

    kind: Literal["g", "t"]
    """Which of the two charts it is."""
    centre: float
    """The centre line of the last phase; NaN without an interval, as the upper limit."""
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
        if not len(self):
            return f"0 intervals in {self.unit}"
        lower = "none" if self.lower is None else _plot.short(self.lower)
        return (
            f"{_plot.plural(len(self), 'interval')} in {self.unit}, centre {_plot.short(self.centre)}, "
            f"limits {lower} to {_plot.short(self.upper)}, {_plot.plural(self.signals, 'signal')}"
        )

    def _title(self) -> str:
        return f"{self.kind} chart: {self.unit} between events"

    def _centre(self) -> str:
        """What the centre line is."""
        return "mean" if self.kind == "g" else "centre"

    def _draw(self, ax: Axes, title: str) -> None:
        y = _plot.labelled("between events", self.unit)
        _control.draw(ax, self._rows(), title=title, y=y, spaced=False, centre=self._centre())
        ax.set_ylim(bottom=-0.03 * ax.get_ylim()[1])

    def _chart(self, alt: Any, title: Any) -> Any:
        return _control.chart(alt, self._rows(), title=title, y=_plot.labelled("between events", self.unit), spaced=False)

    def _subplots(self) -> list[_plotly.Subplot]:
        look = {"name": "between events", "unit": self.unit, "centre": self._centre()}
        # Little below zero: no time is negative.
        return [_plotly_control.subplot(self._rows(), spaced=False, floor=-0.03, **look)]


@overload
def g_chart(
    data: _input.Frame,
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
    by: None = None,
) -> RareEvents: ...
@overload
def g_chart(
    data: _input.Frame,
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
    by: str | Sequence[str],
) -> Panels[RareEvents]: ...
def g_chart(
    data: _input.Frame,
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
    by: str | Sequence[str] | None = None,
) -> RareEvents | Panels[RareEvents]:
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
        tz: The time zone in which moments are days. Midnight UTC, which is how a day is stored, stays that day.
        unit: What is counted; days when there is no ``between``.
        key: The column that names a record in `left_out`.
        by: One or more columns of groups: the result is a chart of each.

    Dates alone, in a list, an array or a Series, are the events; numbers alone are counted intervals. Without rows the
    chart has no intervals.

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
    table, date, between, unit = given(data, date, between, "cases", unit)

    def chart(own: pa.Table) -> RareEvents:
        used = Rows(own, key)
        if between is None:
            points = intervals(used, date, phases, tz, lambda first, second: float((second - first).days), days=True)
        else:
            points = _control.series(used, between, date, phases, tz, lambda number: no_count(number, between))
        rows = g_rows(points, wanted, limits, baseline, minimum, used.left_out)
        return _result("g", rows, unit or between or "days", dated=date is not None, left_out=used.left_out)

    return chart(table) if by is None else panels(table, by, chart)


@overload
def t_chart(
    data: _input.Frame,
    *,
    date: str | None = "reportedDate",
    between: str | None = None,
    phases: _control.Phases = None,
    rules: Rules = ("N1", "W4"),
    baseline: int | None = None,
    minimum: int = 5,
    unit: Literal["days", "hours"] | str = "days",
    key: str = "id",
    by: None = None,
    tz: str = "UTC",
) -> RareEvents: ...
@overload
def t_chart(
    data: _input.Frame,
    *,
    date: str | None = "reportedDate",
    between: str | None = None,
    phases: _control.Phases = None,
    rules: Rules = ("N1", "W4"),
    baseline: int | None = None,
    minimum: int = 5,
    unit: Literal["days", "hours"] | str = "days",
    key: str = "id",
    by: str | Sequence[str],
    tz: str = "UTC",
) -> Panels[RareEvents]: ...
def t_chart(
    data: _input.Frame,
    *,
    date: str | None = "reportedDate",
    between: str | None = None,
    phases: _control.Phases = None,
    rules: Rules = ("N1", "W4"),
    baseline: int | None = None,
    minimum: int = 5,
    unit: Literal["days", "hours"] | str = "days",
    key: str = "id",
    by: str | Sequence[str] | None = None,
    tz: str = "UTC",
) -> RareEvents | Panels[RareEvents]:
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
        by: One or more columns of groups: the result is a chart of each.
        tz: The time zone in which ``phases`` are days.

    Moments alone, in a list, an array or a Series, are the events; numbers alone are measured times. Without rows the chart has
    no intervals.

    Left out are events without a date, those at the same moment as another (`g_chart` takes them: of records with a day only,
    it is the better chart), and of ``between`` what is not above zero.

    Raises:
        ValueError: A column is missing or of the wrong kind, no row can be used, or there are too few.
    """
    _control.ranged(minimum)
    wanted = chosen(rules)
    table, date, between, _ = given(data, date, between, "times", unit)
    scale = {"days": 86400.0, "hours": 3600.0}.get(unit)
    if scale is None and between is None:
        message = f"expected the unit days or hours; found {unit!r}"
        raise ValueError(message)
    seconds = scale or 1.0

    def chart(own: pa.Table) -> RareEvents:
        used = Rows(own, key)
        if between is None:
            points = intervals(used, date, phases, tz, lambda first, second: (second - first).total_seconds() / seconds, days=False)
        else:
            points = _control.series(used, between, date, phases, tz, lambda number: no_time(number, between))
        rows = t_rows(points, wanted, baseline, minimum, used.left_out)
        return _result("t", rows, unit, dated=date is not None, left_out=used.left_out)

    return chart(table) if by is None else panels(table, by, chart)


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
    last: dict[str, Any] = rows[-1] if rows else {"centre": math.nan, "median": None, "lower": None, "upper": math.nan}
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
