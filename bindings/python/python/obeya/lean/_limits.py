"""The limits of a phase of a series, from the moving ranges of its values."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

SCALE = {"mean": (2.66, 3.267), "median": (3.145, 3.865)}
"""From the average moving range to the distance of the limits, and to the limit of the ranges (Wheeler 2000, appendix)."""

_ROUNDING = 1e-12
"""How much two numbers may differ, as a share of them, and be the same but for rounding."""


@dataclass(frozen=True)
class Phase:
    """The limits of one phase."""

    name: str
    """The name of the phase."""
    points: int
    """How many values it has."""
    centre: float
    """The centre line: the mean of its values."""
    lower: float
    """The lower natural process limit."""
    upper: float
    """The upper natural process limit."""
    range_centre: float
    """The average moving range, or the median one if requested."""
    range_upper: float
    """The upper limit of the moving ranges."""


def settled(values: Sequence[float], baseline: int | None) -> list[float]:
    """The values, without differences of rounding if those of the baseline differ by no more.

    Means of equal numbers differ in their last bit. Limits as narrow as that would make signals of the others.
    """
    if all(math.isclose(value, values[0], rel_tol=_ROUNDING) for value in values[:baseline]):
        return [values[0] if math.isclose(value, values[0], rel_tol=_ROUNDING) else value for value in values]
    return list(values)


def limits(values: Sequence[float], gaps: Sequence[bool], *, name: str, ranges: str, baseline: int | None) -> Phase:
    """The limits of one phase. There is no range across a gap before a value."""
    used = values[:baseline]
    moving = [abs(after - before) for (before, after), gap in zip(pairwise(used), gaps[1:], strict=False) if not gap]
    where = f"phase {name!r}" if name else "the series"
    if not moving:
        message = f"no two values of {where} are neighbours: between each two a value is left out"
        raise ValueError(message)
    typical = statistics.fmean(moving) if ranges == "mean" else statistics.median(moving)
    differ = any(value != used[0] for value in used)
    if differ and not typical:
        hint = "use ranges='mean'" if any(moving) else "they differ across values that are left out only"
        message = f"the {ranges} range of {where} is 0, though its values differ: {hint}"
        raise ValueError(message)
    # The mean of equal numbers may be another number in its last bit.
    centre = statistics.fmean(used) if differ else used[0]
    reach, most = SCALE[ranges]
    return Phase(
        name=name,
        points=len(values),
        centre=centre,
        lower=centre - reach * typical,
        upper=centre + reach * typical,
        range_centre=typical,
        range_upper=most * typical,
    )
