"""Run rules: patterns that chance alone rarely draws on a chart of a stable process.

A rule hits at the point that completes its pattern, and at each further point that continues it. A pattern never crosses
phases. Points on the centre line are on neither side and end a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class Rule:
    """A run rule."""

    id: str
    """How frames and charts name it: ``N`` and the number of Nelson (1984), ``W`` and that of Western Electric (1956)."""
    name: str
    """A short name."""
    says: str
    """What must be seen."""


NELSON = (
    Rule("N1", "beyond a limit", "one point more than three sigma from the centre line"),
    Rule("N2", "shift", "nine points in a row on the same side of the centre line"),
    Rule("N3", "trend", "six points in a row, each higher, or each lower, than the one before"),
    Rule("N4", "sawtooth", "fourteen points in a row, alternately up and down"),
    Rule("N5", "two of three", "two of three points in a row more than two sigma from the centre line, on the same side"),
    Rule("N6", "four of five", "four of five points in a row more than one sigma from the centre line, on the same side"),
    Rule("N7", "too quiet", "fifteen points in a row within one sigma of the centre line"),
    Rule("N8", "mixture", "eight points in a row more than one sigma from the centre line, on both sides of it"),
)
"""L. S. Nelson, "The Shewhart Control Chart: Tests for Special Causes", Journal of Quality Technology 16(4), 1984, 237-239."""

WESTERN_ELECTRIC = (
    Rule("W1", "beyond a limit", "one point more than three sigma from the centre line"),
    Rule("W2", "two of three", "two of three points in a row more than two sigma from the centre line, on the same side"),
    Rule("W3", "four of five", "four of five points in a row more than one sigma from the centre line, on the same side"),
    Rule("W4", "shift", "eight points in a row on the same side of the centre line"),
)
"""Western Electric Company, Statistical Quality Control Handbook, 1956, pages 23-28 (tests for instability)."""

MOVING_RANGE = Rule(
    "R1", "moving range beyond its limit", "the step from the point before is above the upper limit of the moving ranges"
)
"""The rule for the lower panel of an XmR chart (Wheeler 2000; Montgomery, section 6.4)."""

Rules: TypeAlias = Literal["nelson", "western-electric"] | Sequence[Rule | str]
"""A set of rules by name, or rules, or their ids."""

_BY_ID = {rule.id: rule for rule in (*NELSON, *WESTERN_ELECTRIC)}


def names(rule: str) -> str:
    """The id of a rule with its name, such as ``N1, beyond a limit``. Rules of the caller's have an id alone."""
    known = MOVING_RANGE if rule == MOVING_RANGE.id else _BY_ID.get(rule)
    return f"{rule}, {known.name}" if known else rule


def chosen(rules: Rules, *, ranges: bool = False) -> tuple[Rule, ...]:
    """The rules that are meant. A chart with moving ranges has a rule for them too, which is part of both sets."""
    also = (MOVING_RANGE,) if ranges else ()
    if rules == "nelson":
        return (*NELSON, *also)
    if rules == "western-electric":
        return (*WESTERN_ELECTRIC, *also)
    known = {rule.id: rule for rule in (*_BY_ID.values(), *also)}
    found: list[Rule] = []
    for rule in [rules] if isinstance(rules, str) else rules:
        name = rule.id if isinstance(rule, Rule) else rule
        if name not in known:
            message = f"no rule {name!r}; expected nelson, western-electric, or ids among {', '.join(known)}"
            raise ValueError(message)
        found.append(known[name])
    return tuple(found)


def hits(values: Sequence[float], centre: float, sigma: float, rules: Sequence[Rule]) -> list[tuple[str, ...]]:
    """For each point of one phase, the ids of the rules that hit there.

    A sigma of 0 is that of values that were all equal: any other value is beyond the limits, and no point is too quiet.
    """
    marks = [(rule.id, _FIND[rule.id](values, centre, sigma)) for rule in rules]
    return [tuple(id for id, found in marks if found[at]) for at in range(len(values))]


Find: TypeAlias = Callable[[Sequence[float], float, float], list[bool]]


def _run(fits: Sequence[bool], length: int) -> list[bool]:
    """Where at least ``length`` in a row fit."""
    found, run = [], 0
    for fit in fits:
        run = run + 1 if fit else 0
        found.append(run >= length)
    return found


def _either(first: list[bool], second: list[bool]) -> list[bool]:
    return [one or other for one, other in zip(first, second, strict=True)]


def _beyond(values: Sequence[float], centre: float, sigma: float) -> list[bool]:
    return [value > centre + 3 * sigma or value < centre - 3 * sigma for value in values]


def _shift(length: int) -> Find:
    def find(values: Sequence[float], centre: float, _sigma: float) -> list[bool]:
        return _either(_run([v > centre for v in values], length), _run([v < centre for v in values], length))

    return find


def _trend(values: Sequence[float], _centre: float, _sigma: float) -> list[bool]:
    # Six points are five steps.
    steps = [0.0, *(after - before for before, after in pairwise(values))]
    return _either(_run([step > 0 for step in steps], 5), _run([step < 0 for step in steps], 5))


def _sawtooth(values: Sequence[float], _centre: float, _sigma: float) -> list[bool]:
    # Fourteen points are thirteen steps and twelve turns.
    turns = [False] * min(2, len(values))
    for before, at, after in zip(values, values[1:], values[2:], strict=False):
        turns.append((at > before and after < at) or (at < before and after > at))
    return _run(turns, 12)


def _most(needed: int, of: int, zone: int) -> Find:
    """The point itself is in the zone, and with it ``needed`` of the last ``of``, or of as many as there are."""

    def find(values: Sequence[float], centre: float, sigma: float) -> list[bool]:
        def side(fits: list[bool]) -> list[bool]:
            return [fit and sum(fits[max(0, at - of + 1) : at + 1]) >= needed for at, fit in enumerate(fits)]

        return _either(
            side([value > centre + zone * sigma for value in values]),
            side([value < centre - zone * sigma for value in values]),
        )

    return find


def _quiet(values: Sequence[float], centre: float, sigma: float) -> list[bool]:
    if not sigma:
        return [False] * len(values)
    return _run([centre - sigma <= value <= centre + sigma for value in values], 15)


def _mixture(values: Sequence[float], centre: float, sigma: float) -> list[bool]:
    above = [value > centre + sigma for value in values]
    below = [value < centre - sigma for value in values]
    return [
        run and any(above[at - 7 : at + 1]) and any(below[at - 7 : at + 1]) for at, run in enumerate(_run(_either(above, below), 8))
    ]


_FIND: dict[str, Find] = {
    "N1": _beyond,
    "N2": _shift(9),
    "N3": _trend,
    "N4": _sawtooth,
    "N5": _most(2, 3, 2),
    "N6": _most(4, 5, 1),
    "N7": _quiet,
    "N8": _mixture,
    "W1": _beyond,
    "W2": _most(2, 3, 2),
    "W3": _most(4, 5, 1),
    "W4": _shift(8),
}
