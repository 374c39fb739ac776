"""What a chart with limits shows, whichever library draws it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from obeya.lean import _plot
from obeya.lean._rules import MOVING_RANGE

DENSE = 400
"""Of more points only the signals are marked."""

_NAMED = 12
"""How many of their signals are named then: those farthest from the centre line."""


def labels(rows: Sequence[dict[str, Any]], prefix: str, centre: str) -> list[tuple[float, str, str]]:
    """The labels of the lines of the last phase: height, text, colour."""
    last = rows[-1]
    names = (("upper", "upper limit"), ("median", "median"), ("centre", centre), ("lower", "lower limit"))
    return [
        (last[prefix + key], f"{text} {_plot.short(last[prefix + key])}", colour(key))
        for key, text in names
        if last.get(prefix + key) is not None
    ]


def gaps(rows: Sequence[dict[str, Any]]) -> list[int]:
    """The points after a value that is left out: without being the first of their phase, they have no range."""
    return [at for at, row in enumerate(rows) if at and row.get("range", 0) is None and row["phase"] == rows[at - 1]["phase"]]


def interrupted(
    rows: Sequence[dict[str, Any]], xs: Sequence[Any], heights: Sequence[float]
) -> tuple[Sequence[Any], Sequence[float]]:
    """The line, interrupted where a value is left out."""
    places, line = list(xs), list(heights)
    for at in reversed(gaps(rows)):
        places.insert(at, xs[at])
        line.insert(at, math.nan)
    return places, line


def colour(line: str) -> str:
    return {"centre": _plot.BLACK, "median": _plot.PURPLE}.get(line, _plot.VERMILLION)


def stretches(rows: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    """The first and the last point of each phase."""
    starts = [at for at, row in enumerate(rows) if at == 0 or row["phase"] != rows[at - 1]["phase"]]
    return list(zip(starts, [*(start - 1 for start in starts[1:]), len(rows) - 1], strict=True))


def phase_labels(names: Sequence[str], width: float, letter: float) -> Sequence[str]:
    """The names of phases that fit above them: in full, alone, or some of them. Width and letters in one unit."""
    each = width / len(names)
    for labels in ([f"phase {name}" for name in names], names):
        if max(map(len, labels)) * letter < each:
            return labels
    step = math.ceil(max(map(len, names)) * letter / each)
    return [name if at % step == 0 else "" for at, name in enumerate(names)]


def rules_of(row: dict[str, Any], column: str) -> list[str]:
    """The rules to mark in the panel of the values, or in that of the ranges."""
    if column == "value":
        return [rule for rule in row["rules"] if rule != MOVING_RANGE.id]
    return [MOVING_RANGE.id] if row["range_beyond"] else []


def _to_name(rows: Sequence[dict[str, Any]], said: Sequence[str], column: str) -> list[int]:
    """The signals to name in the order of their importance: those farthest from the centre line first. ``said`` has the rules of
    each point. Where names are too many, the others are marked alone.
    """
    centre = "centre" if column == "value" else "range_centre"
    # A run of the same signal is named where it begins.
    named = [
        at
        for at, text in enumerate(said)
        if text and not (at and text == said[at - 1] and rows[at]["phase"] == rows[at - 1]["phase"])
    ]
    named.sort(key=lambda at: -abs(rows[at][column] - rows[at][centre]))
    return named[:_NAMED] if len(rows) > DENSE else named


def _is_up(row: dict[str, Any], column: str) -> bool:
    """Whether the name of a signal is above its point."""
    return column != "value" or bool(row["value"] >= row["centre"])


def names_of_signals(
    rows: Sequence[dict[str, Any]], said: Sequence[str], column: str, pixels: Callable[[int], tuple[float, float]], size: float
) -> list[tuple[int, bool]]:
    """The signals whose names are shown, as none covers another, and whether a name is above its point. ``said`` has the rules of
    each point, ``pixels`` its place, and ``size`` is that of the letters.
    """
    named = _to_name(rows, said, column)
    shown = []
    for up in (True, False):
        side = [at for at in named if _is_up(rows[at], column) is up]
        shown += [(side[kept], up) for kept in _plot.uncovered([(*pixels(at), said[at]) for at in side], size, 1 if up else -1)]
    return shown
