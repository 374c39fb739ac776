"""What charts with limits share: a series in order, its phases, and how matplotlib and altair draw both."""

from __future__ import annotations

import datetime
import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from numbers import Integral
from typing import TYPE_CHECKING, Any

from obeya.lean import _dates, _frame, _plot
from obeya.lean._control_marks import DENSE, colour, gaps, interrupted, labels, names_of_signals, phase_labels, rules_of, stretches
from obeya.lean._rows import Rows
from obeya.lean._rows import named as listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Point:
    """A value, when it was, and the phase it belongs to."""

    value: float
    date: datetime.datetime | None
    phase: str
    gap: bool = False
    """Whether a value between it and the point before is left out: then the two are not neighbours."""


Phases = str | Sequence[datetime.date | str] | None


def series(
    rows: Rows, value: str, date: str | None, phases: Phases, tz: str, why: Callable[[float], str | None] | None = None
) -> list[Point]:
    """The values in order. Those with a reason ``why`` not to be used are left out, and what cannot be used anyway."""
    values = rows.numbers(value, "value")
    if why is not None:
        rows.refuse(values, why)
    stamps = None if date is None else rows.stamps(date, "date")
    dates = [None] * len(values) if stamps is None else [None if stamp is None else stamp.moment for stamp in stamps]
    named = phase_names(rows, phases, stamps, tz)
    # A value that is left out leaves a gap at its place; one without a date has none.
    placed = [row for row in range(len(values)) if stamps is None or dates[row] is not None]
    if stamps is not None:
        placed.sort(key=lambda row: dates[row] or datetime.datetime.min)
    usable, gap = set(rows.usable), False
    points: list[Point] = []
    for row in placed:
        if row in usable:
            points.append(Point(values[row] or 0.0, dates[row], named[row], gap and bool(points)))
        gap = row not in usable
    return points


def phase_names(rows: Rows, phases: Phases, stamps: Sequence[_dates.Stamp | None] | None, tz: str) -> list[str]:
    """The phase of each row: by a column, or numbered from 1 where each moment begins a new one.

    A phase that begins with a day begins with its first moment in the time zone. Where every moment is midnight UTC, as a day is
    stored, they are days.
    """
    if phases is None:
        return [""] * rows.table.num_rows
    if isinstance(phases, str):
        return [name or "" for name in _frame.words(rows.table, phases, "phases")]
    if not isinstance(phases, Iterable):
        message = f"expected a column of phases, or their first moments; found {phases!r}"
        raise ValueError(message)  # noqa: TRY004
    if stamps is None:
        message = "phases by moment need the column of dates"
        raise ValueError(message)
    where = _dates.zone(tz)
    starts = sorted(_dates.given(start).clock(where) for start in phases)
    of_days = all(stamp is None or stamp.whole for stamp in stamps)
    clocks = [None if stamp is None else stamp.moment.replace(tzinfo=None) if of_days else stamp.clock(where) for stamp in stamps]
    return ["" if clock is None else str(1 + bisect_right(starts, clock)) for clock in clocks]


def phased(points: Sequence[Point]) -> Iterator[tuple[str, list[Point]]]:
    """The phases, in order. A name that occurs again later is a separate phase."""
    for name, part in groupby(points, key=lambda point: point.phase):
        yield name, list(part)


def ranged(minimum: int) -> None:
    """Refuses a least number of points that leaves nothing between them."""
    if minimum < 2:
        message = f"a moving range needs 2 values: expected a minimum of at least 2, found {minimum}"
        raise ValueError(message)


def enough(name: str, points: int, baseline: int | None, minimum: int, left_out: Sequence[str]) -> None:
    """Refuses a phase of which the limits would say nothing."""
    without = f"; left out: {listed(left_out)}" if left_out else ""
    where = f"phase {name!r}" if name else "the series"
    if points < minimum:
        message = f"{where} has {points} points, of which at least {minimum} are needed for limits (argument `minimum`){without}"
        raise ValueError(message)
    if baseline is not None and not isinstance(baseline, Integral):
        message = f"a baseline is a number of points: expected a whole number, found {baseline!r}"
        raise ValueError(message)
    if baseline is not None and not minimum <= baseline <= points:
        message = f"a baseline of {baseline} points for {where}: expected {minimum} to {points}{without}"
        raise ValueError(message)


def below(ax: Axes) -> Axes:
    """A smaller panel below, with the same horizontal axis, in a part of the place that the axes have."""
    _, panel = _plot.divided(ax, (7, 3), gap=0.04)
    panel.sharex(ax)
    ax.tick_params(axis="x", labelbottom=False)
    ax.set_xlabel("")
    return panel


def draw(
    ax: Axes,
    rows: Sequence[dict[str, Any]],
    *,
    title: str,
    y: str,
    column: str = "value",
    spaced: bool = True,
    centre: str = "mean",
) -> None:
    """The points with centre line and limits for each phase. Exceptional points are marked and named.

    Points are at their dates or, when not ``spaced``, side by side with some of the dates below.
    """
    prefix = "" if column == "value" else "range_"
    dated = spaced and "date" in rows[0]
    xs = [row["date"] if dated else at + 1 for at, row in enumerate(rows)]
    _plot.frame(ax, title, x="" if dated else "observation", y=y, pad=20 if rows[0]["phase"] != rows[-1]["phase"] else 8)
    # A missing number interrupts the line: the first point of a phase has no range.
    heights = [math.nan if row[column] is None else row[column] for row in rows]
    # Of very many points the marks would be a band: then there is a thin line, and marks of signals alone.
    dense = len(rows) > DENSE
    look = {"linewidth": 0.4} if dense else {"linewidth": 1, "marker": "o", "markersize": 3.5}
    ax.plot(*interrupted(rows, xs, heights), color=_plot.SKY if dense else _plot.BLUE, gid=f"{column}s", **look)
    starts = _lines(ax, rows, xs, prefix)
    ax.margins(x=0.02, y=0.12)
    _signals(ax, rows, xs, column, dense=dense)
    _names_of_phases(ax, rows, xs, starts, visible=column == "value")
    if dated:
        _plot.date_axis(ax)
    elif "date" in rows[0]:
        step = max(1, (len(rows) + 4) // 5)
        ax.set_xticks(xs[::step], [row["date"].date().isoformat() for row in rows[::step]])
        ax.set_xlabel("events in their order")
    else:
        ax.xaxis.set_major_locator(_plot.require("matplotlib.ticker").MaxNLocator(integer=True))
    _plot.line_labels(ax, labels(rows, prefix, centre))


def _lines(ax: Axes, rows: Sequence[dict[str, Any]], xs: Sequence[Any], prefix: str) -> list[int]:
    for start, end in stretches(rows):
        # A phase of one point is a point; its lines still reach half way to its neighbours by the marker's
        # size alone.
        span = [xs[start], xs[end]]
        for key, style in (("centre", "-"), ("median", ":"), ("upper", "--"), ("lower", "--")):
            height = rows[start].get(prefix + key)
            if height is not None:
                ax.plot(span, [height, height], style, color=colour(key), linewidth=1.2, gid=f"{prefix}{key}")
    return [start for start, _ in stretches(rows)]


def _names_of_phases(ax: Axes, rows: Sequence[dict[str, Any]], xs: Sequence[Any], starts: Sequence[int], *, visible: bool) -> None:
    for start in starts[1:]:
        between = xs[start - 1] + (xs[start] - xs[start - 1]) / 2
        ax.axvline(between, color=_plot.GREY, linewidth=0.8, linestyle=(0, (1, 3)), gid="phase")
    if visible and len(starts) > 1:
        letter = _plot.SMALL * 0.62 * _plot.dots(ax)
        names = phase_labels([rows[start]["phase"] for start in starts], ax.get_window_extent().width, letter)
        for start, name in zip(starts, names, strict=True):
            ax.annotate(
                _plot.literal(name),
                xy=(xs[start], 1),
                xycoords=("data", "axes fraction"),
                xytext=(0, 2),
                textcoords="offset points",
                va="bottom",
                fontsize=_plot.SMALL,
                color=_plot.ink(_plot.GREY),
            )


def _number(ax: Axes, x: Any) -> float:
    """A place on the horizontal axis: days are numbers there."""
    convert: Any = ax.convert_xunits
    return float(convert(x))


def _signals(ax: Axes, rows: Sequence[dict[str, Any]], xs: Sequence[Any], column: str, *, dense: bool) -> None:
    said = [",".join(rules_of(row, column)) for row in rows]
    marked = [at for at, text in enumerate(said) if text]
    if not marked:
        return
    heights = [rows[at][column] for at in marked]
    ax.plot(
        [xs[at] for at in marked],
        heights,
        linestyle="",
        marker="D",
        markersize=2 if dense else 7,
        color=_plot.VERMILLION,
        fillstyle="full" if dense else "none",
        markeredgewidth=0 if dense else 1.6,
        gid="signals",
    )

    def pixels(at: int) -> tuple[float, float]:
        left, low = ax.transData.transform((_number(ax, xs[at]), rows[at][column]))
        return float(left), float(low)

    # Looking at the limits brings them up to date, which a transformation alone does not.
    ax.get_xlim()
    ax.get_ylim()
    for at, up in names_of_signals(rows, said, column, pixels, _plot.SMALL * _plot.dots(ax)):
        ax.annotate(
            said[at],
            xy=(xs[at], rows[at][column]),
            xytext=(0, 7 if up else -7),
            textcoords="offset points",
            ha="center",
            va="bottom" if up else "top",
            fontsize=_plot.SMALL,
            color=_plot.ink(_plot.VERMILLION),
        )


def chart(alt: Any, rows: Sequence[dict[str, Any]], *, title: str, y: str, column: str = "value", spaced: bool = True) -> Any:
    """The same for altair."""
    prefix = "" if column == "value" else "range_"
    dated = spaced and "date" in rows[0]
    numbered: list[dict[str, Any]] = []
    missing = gaps(rows)
    for at, row in enumerate(rows):
        new = at > 0 and row["phase"] != rows[at - 1]["phase"]
        stretch = numbered[-1]["stretch"] + new if numbered else 0
        # The line of the values is interrupted where one is left out.
        piece = bisect_right(missing, at)
        numbered.append({**row, "number": at + 1, "stretch": stretch, "piece": piece, "signal": ", ".join(rules_of(row, column))})
    x = alt.X("date:T", title=None) if dated else alt.X("number:Q", title="observation", axis=alt.Axis(tickMinStep=1))
    scale = alt.Scale(zero=column != "value")
    base = alt.Chart(_plot.data(alt, numbered), title=title or alt.Undefined, width=560, height=260 if column == "value" else 110)
    values = base.mark_line(point=True, color=_plot.BLUE).encode(
        x=x, y=alt.Y(f"{column}:Q", title=y, scale=scale), detail="piece:N"
    )
    lines = [
        base.mark_line(color=colour(key), strokeDash=dash).encode(
            x=x, y=alt.Y(f"{prefix}{key}:Q", title=y, scale=scale), detail="stretch:N"
        )
        for key, dash in (("centre", [1, 0]), ("median", [2, 2]), ("upper", [6, 3]), ("lower", [6, 3]))
        if rows[-1].get(prefix + key) is not None
    ]
    signals = base.transform_filter("datum.signal !== ''")
    marks = signals.mark_point(shape="diamond", size=110, color=_plot.VERMILLION, strokeWidth=2)
    texts = signals.mark_text(dy=-14, color=_plot.ink(_plot.VERMILLION))
    place = {"x": x, "y": alt.Y(f"{column}:Q", title=y, scale=scale)}
    tips = ["number:Q", *(["date:T"] if dated else []), f"{column}:Q", "signal:N"]
    return alt.layer(*lines, values, marks.encode(**place, tooltip=tips), texts.encode(**place, text="signal:N"))
