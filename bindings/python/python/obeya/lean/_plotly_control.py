"""Charts with limits as figures of plotly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from obeya.lean import _plot, _plotly
from obeya.lean._control_marks import DENSE, colour, interrupted, labels, names_of_signals, phase_labels, rules_of, stretches
from obeya.lean._rules import names

_DASHES = {"centre": "solid", "median": "dot", "upper": "dash", "lower": "dash"}

_TICKS = 5
"""How many events that stand side by side have their date below."""


def subplot(
    rows: Sequence[dict[str, Any]],
    *,
    name: str,
    unit: str | None,
    column: str = "value",
    spaced: bool = True,
    centre: str = "mean",
    floor: float | None = None,
) -> _plotly.Subplot:
    """The points with centre line and limits for each phase. Exceptional points are marked and named.

    Points are at their dates or, when not ``spaced``, side by side with some of the dates below. ``floor`` is where the
    vertical axis begins, as a share of the greatest height.
    """
    prefix = "" if column == "value" else "range_"
    dated = spaced and "date" in rows[0]
    xs = [_plotly.day(row["date"]) if dated else at + 1 for at, row in enumerate(rows)]
    lines = labels(rows, prefix, centre)
    low, high = _ends(rows, column, prefix, floor)
    part = _plotly.Subplot(
        _horizontal(rows, spaced=spaced),
        {"title": _plotly.titled(_plot.labelled(name, unit), 34 if column == "value" else 16), "range": [low, high]},
        260 if column == "value" else 120,
    )
    dense = len(rows) > DENSE
    said = [",".join(rules_of(row, column)) for row in rows]
    texts = ["" if dense and not rules else _said(row, name, unit, column) for row, rules in zip(rows, said, strict=True)]
    _line(part, rows, xs, column, [] if dense else texts)
    _limits(part, rows, xs, prefix)
    if any(said):
        _signals(part, rows, xs, column, said, texts)
    _phases(part, rows, xs, visible=column == "value")
    _plotly.line_labels(part, lines, low, high)
    return part


def pair(rows: Sequence[dict[str, Any]], *, name: str, unit: str | None) -> list[_plotly.Subplot]:
    """The values, and their moving ranges below."""
    values = subplot(rows, name=name, unit=unit)
    ranges = subplot(rows, name="moving range", unit=unit, column="range")
    values.below, ranges.above, ranges.shares_x = 6, 6, True
    values.x = {**values.x, "title": {"text": ""}}
    return [values, ranges]


def _horizontal(rows: Sequence[dict[str, Any]], *, spaced: bool) -> dict[str, Any]:
    if spaced and "date" in rows[0]:
        return {"type": "date", "showgrid": False}
    reach = (len(rows) - 1) * 0.02 + 0.5
    axis: dict[str, Any] = {"range": [1 - reach, len(rows) + reach], "showgrid": False}
    if "date" in rows[0]:
        step = max(1, (len(rows) + _TICKS - 1) // _TICKS)
        places = range(0, len(rows), step)
        dates = [rows[at]["date"].date().isoformat() for at in places]
        return {**axis, "title": _plotly.titled("events in their order"), "tickvals": [at + 1 for at in places], "ticktext": dates}
    # Of few points plotly would put ticks between the numbers.
    return {**axis, "title": _plotly.titled("observation"), **({"dtick": 1} if len(rows) <= 10 else {})}


def _ends(rows: Sequence[dict[str, Any]], column: str, prefix: str, floor: float | None) -> tuple[float, float]:
    """The ends of the vertical axis: there is some space beyond everything that is drawn."""
    drawn = [row[key] for row in rows for key in (column, *(prefix + line for line in _DASHES)) if row.get(key) is not None]
    low, high = min(drawn), max(drawn)
    space = (high - low) * 0.12 or abs(high) * 0.1 or 1.0
    return (low - space if floor is None else floor * high), high + space


def _said(row: dict[str, Any], name: str, unit: str | None, column: str) -> str:
    """What the text of a point says: date, value, phase, and the rules that hit."""
    if row[column] is None:
        return ""
    date = [_plotly.day(row["date"])] if "date" in row else []
    phase = [f"phase {row['phase']}"] if row["phase"] else []
    value = f"{name}: {row[column]:.10g}" + (f" {unit}" if unit else "")
    return _plotly.lines("\n".join([*date, value, *phase, *(names(rule) for rule in rules_of(row, column))]), 48)


def _line(part: _plotly.Subplot, rows: Sequence[dict[str, Any]], xs: Sequence[Any], column: str, said: Sequence[str]) -> None:
    """The points. ``said`` has no texts for so many points that they are a line only, and plotly shows their numbers."""
    heights = [math.nan if row[column] is None else row[column] for row in rows]
    places, line = interrupted(rows, xs, heights)
    ys = [None if math.isnan(height) else height for height in line]
    if not said:
        thin = _plotly.stroke(f"{column}s", places, ys, _plot.SKY, 1, hoverinfo="x+y")
        part.traces.append(thin)
        return
    # A gap takes the text of the point behind it, and has no point.
    texts, _ = interrupted(rows, said, heights)
    marker = {"color": _plot.BLUE, "size": 6}
    part.traces.append(
        _plotly.stroke(
            f"{column}s", places, ys, _plot.BLUE, 1.4, mode="lines+markers", marker=marker, hoverinfo="text", hovertext=list(texts)
        )
    )


def _limits(part: _plotly.Subplot, rows: Sequence[dict[str, Any]], xs: Sequence[Any], prefix: str) -> None:
    for key, dash in _DASHES.items():
        places: list[Any] = []
        heights: list[float | None] = []
        for start, end in stretches(rows):
            height = rows[start].get(prefix + key)
            if height is not None:
                places += [xs[start], xs[end], xs[end]]
                heights += [height, height, None]
        if places:
            part.traces.append(_plotly.stroke(f"{prefix}{key}", places, heights, colour(key), 1.6, line={"dash": dash}))


def _signals(
    part: _plotly.Subplot,
    rows: Sequence[dict[str, Any]],
    xs: Sequence[Any],
    column: str,
    said: Sequence[str],
    texts: Sequence[str],
) -> None:
    """The marks of the signals, and the rules beside those where they have place. ``said`` has the rules of each point."""
    marked = [at for at, text in enumerate(said) if text]
    ways = [row["date"].timestamp() if isinstance(xs[0], str) else at for at, row in enumerate(rows)]
    reach = (ways[-1] - ways[0]) or 1.0
    low, high = part.y["range"]

    def pixels(at: int) -> tuple[float, float]:
        return (ways[at] - ways[0]) / reach * _plotly.NARROW, (rows[at][column] - low) / (high - low) * part.height

    named = dict(names_of_signals(rows, said, column, pixels, _plotly.SIZE))
    dense = len(rows) > DENSE
    look = {"symbol": "diamond" if dense else "diamond-open", "size": 5 if dense else 11, "color": _plot.VERMILLION}
    part.traces.append(
        _plotly.marks(
            "signals",
            [xs[at] for at in marked],
            [rows[at][column] for at in marked],
            [texts[at] for at in marked],
            mode="markers+text",
            text=[_plotly.text(said[at]) if at in named else "" for at in marked],
            textposition=["top center" if named.get(at, True) else "bottom center" for at in marked],
            textfont={"size": _plotly.SIZE, "color": _plot.ink(_plot.VERMILLION)},
            marker={**look, "line": {"width": 0 if dense else 2, "color": _plot.VERMILLION}},
        )
    )


def _phases(part: _plotly.Subplot, rows: Sequence[dict[str, Any]], xs: Sequence[Any], *, visible: bool) -> None:
    starts = [start for start, _ in stretches(rows)]
    for start in starts[1:]:
        if isinstance(xs[0], str):
            before, after = rows[start - 1]["date"], rows[start]["date"]
            between: Any = _plotly.day(before + (after - before) / 2)
        else:
            between = xs[start] - 0.5
        part.shapes.append(
            {
                "type": "line",
                "name": "phase",
                **{"x0": between, "x1": between, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"},
                "line": {"color": _plot.GREY, "width": 1, "dash": "dot"},
            }
        )
    if visible and len(starts) > 1:
        part.above = _plotly.LINE + 6
        shown = phase_labels([rows[start]["phase"] for start in starts], _plotly.NARROW, _plotly.LETTER * 1.3)
        for start, name in zip(starts, shown, strict=True):
            if name:
                place = {"x": xs[start], "xanchor": "left", "y": 1, "yref": "y domain", "yanchor": "bottom"}
                part.note(_plotly.text(name), name="phase", font={"color": _plot.ink(_plot.GREY)}, **place)
