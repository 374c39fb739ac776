"""The limits of charts of rare events: those of a geometric distribution, and those of transformed times."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

from obeya.lean import _control
from obeya.lean._limits import limits as moving_range_limits
from obeya.lean._limits import settled
from obeya.lean._rules import Rule, hits

_NELSON_POWER = 3.6
"""The root that makes times between random events nearly normal (Nelson 1994)."""

_TAIL = 0.00135
"""The share of a normal distribution beyond three sigma, on one side."""


def g_rows(
    points: Sequence[_control.Point],
    wanted: Sequence[Rule],
    limits: str,
    baseline: int | None,
    minimum: int,
    left_out: Sequence[str],
) -> list[dict[str, Any]]:
    """The rows of a g chart, with the limits of their phases."""
    rows: list[dict[str, Any]] = []
    for name, part in _control.phased(points):
        _control.enough(name, len(part), baseline, minimum, left_out)
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
    return rows


def t_rows(
    points: Sequence[_control.Point], wanted: Sequence[Rule], baseline: int | None, minimum: int, left_out: Sequence[str]
) -> list[dict[str, Any]]:
    """The rows of a t chart, with the limits of their phases."""
    rows: list[dict[str, Any]] = []
    for name, part in _control.phased(points):
        _control.enough(name, len(part), baseline, minimum, left_out)
        straight = settled([point.value ** (1 / _NELSON_POWER) for point in part], baseline)
        phase = moving_range_limits(straight, [point.gap for point in part], name=name, ranges="mean", baseline=baseline)
        marks = hits(straight, phase.centre, (phase.upper - phase.centre) / 3, wanted)
        lines = {
            "centre": phase.centre**_NELSON_POWER,
            "median": None,
            "lower": phase.lower**_NELSON_POWER if phase.lower > 0 else None,
            "upper": phase.upper**_NELSON_POWER,
        }
        rows.extend(_rows(part, lines, marks))
    return rows


def _geometric(mean: float, limits: str) -> tuple[float | None, float]:
    if limits == "sigma":
        return None, mean + 3 * math.sqrt(mean * (mean + 1))
    if mean == 0:
        return None, 0.0
    # The smallest k with 1 - (1 - p)^(k + 1) at or above the quantile, where 1 - p = mean / (1 + mean).
    stay = math.log(mean / (1 + mean))
    lower, upper = (max(0, math.ceil(math.log1p(-quantile) / stay) - 1) for quantile in (_TAIL, 1 - _TAIL))
    return float(lower) if lower > 0 else None, float(upper)


def _rows(part: Sequence[_control.Point], lines: dict[str, float | None], marks: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    return [
        {"date": point.date, "value": point.value, "phase": point.phase, **lines, "rules": list(mark)}
        for point, mark in zip(part, marks, strict=True)
    ]
