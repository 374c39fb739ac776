"""Draws lines, areas and bars as SVG that is stretched to its place, with every text beside it as text of the page.

So a chart fits any width, its texts have the size of all others, and dark mode, print and the wall need no drawing of their own.
Colours are classes of the style sheet.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from obeya._report._markup import Markup, element, joined

_NAMESPACE = "http://www.w3.org/2000/svg"

_SIDE = 1000
"""The side of the square that a drawing fills before it is stretched."""


@dataclass(frozen=True)
class Axis:
    """A range of numbers between two multiples of a round step."""

    low: float
    high: float
    steps: int

    @property
    def ticks(self) -> list[float]:
        """The multiples of the step, from the highest to the lowest."""
        return [self.low + (self.high - self.low) * at / self.steps for at in range(self.steps, -1, -1)]

    def place(self, value: float) -> float:
        """Where a value is, as a share of the range."""
        return (value - self.low) / (self.high - self.low)


_STEPS, _MOST_STEPS = 4, 5
_ROUND = (1, 2, 2.5, 5)


def axis(values: Iterable[float], *, zero: bool = False) -> Axis:
    """A range around all values, with two to five round steps: that which wastes least, and of equal ones that with about four steps."""
    known = [value for value in values if math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        low, high = (0.0, 1.0) if not low else (low - abs(low) / 10, high + abs(high) / 10)
    power = math.floor(math.log10(high - low))
    ranges = []
    for factor in _ROUND:
        for size in (factor * 10.0 ** (power - 1), factor * 10.0**power):
            first, last = math.floor(low / size + 1e-9), math.ceil(high / size - 1e-9)
            if 2 <= last - first <= _MOST_STEPS:
                ranges.append(Axis(first * size, last * size, last - first))

    def waste(found: Axis) -> tuple[float, int]:
        return round((found.high - found.low) / (high - low), 6), abs(found.steps - _STEPS)

    return min(ranges, key=waste, default=Axis(low, high, 2))


@dataclass(frozen=True)
class Line:
    """A line through points, as shares of the drawing's width and height from its lower left corner."""

    class_: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Dots:
    """Round marks of a size in pixels, which no stretching changes."""

    class_: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Area:
    """What is between two lines with the same places from left to right."""

    class_: str
    lower: Sequence[tuple[float, float]]
    upper: Sequence[tuple[float, float]]


Mark = Line | Dots | Area


def plot(
    name: str,
    title: str,
    says: str,
    marks: Sequence[Mark],
    *,
    up: Sequence[str] = (),
    along: Sequence[str] = (),
    class_: str = "plot",
) -> Markup:
    """A drawing with a text alternative. The texts of its axes are at equal distances, from the top and from the left."""
    svg = _svg(
        element("title", title, id=f"{name}-title"),
        element("desc", says, id=f"{name}-desc"),
        *_grid(len(up)),
        *map(_mark, marks),
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
    )
    beside = element("div", *(element("span", text) for text in up), class_="up", aria_hidden="true") if up else None
    below = element("div", *(element("span", text) for text in along), class_="along", aria_hidden="true") if along else None
    return element("div", beside, svg, below, class_=class_)


def legend(entries: Iterable[tuple[str, str]]) -> Markup:
    """What each line and area is: pairs of a class and a text. A sample is drawn as the thing itself."""
    return element("p", *(joined(element("span", sample(class_), text, class_="key"), " ") for class_, text in entries), class_="legend")


def sample(class_: str) -> Markup:
    """A short piece of a line, an area or a mark."""
    kind = class_.partition(" ")[0]
    if kind == "line":
        mark = element("path", d="M0 500H1000", class_=class_)
    elif kind == "dots":
        mark = element("path", d="M500 500h0", class_=class_)
    else:
        mark = element("rect", x=0, y=0, width=_SIDE, height=_SIDE, class_=class_)
    return _svg(mark, class_="sample", aria_hidden="true")


def bar(*parts: tuple[str, float, float]) -> Markup:
    """Bars on a line: the class of each, and its begin and end as shares of the width."""
    rectangles = [
        element("rect", x=_number(begin), y=0, width=_number(max(end - begin, 0.004)), height=_SIDE, class_=class_)
        for class_, begin, end in parts
    ]
    return _svg(*rectangles, class_="bar", aria_hidden="true")


def interval(low: float, high: float, middle: float) -> Markup:
    """An interval on a line with a mark in it, as shares of the width."""
    return _svg(
        element("path", d=f"M0 500H{_SIDE}", class_="line grid"),
        element("path", d=f"M{_number(low)} 500H{_number(high)}", class_="line value"),
        element("path", d=f"M{_number(middle)} 500h0", class_="dots mark"),
        class_="bar",
        aria_hidden="true",
    )


def _svg(*content: Markup, **attributes: str) -> Markup:
    """A square that is stretched to its place."""
    return element(
        "svg", *content, xmlns=_NAMESPACE, viewBox=f"0 0 {_SIDE} {_SIDE}", preserveAspectRatio="none", **attributes
    )


def _grid(lines: int) -> list[Markup]:
    return [element("path", d=f"M0 {_number(at / (lines - 1))}H{_SIDE}", class_="line grid") for at in range(lines)]


def _mark(mark: Mark) -> Markup:
    if isinstance(mark, Area):
        there = [*mark.upper, *reversed(mark.lower)]
        return element("path", d=f"M{' '.join(map(_point, there))}Z", class_=f"area {mark.class_}")
    if isinstance(mark, Dots):
        return element("path", d="".join(f"M{_point(point)}h0" for point in mark.points), class_=f"dots {mark.class_}")
    return element("path", d=f"M{' '.join(map(_point, mark.points))}", class_=f"line {mark.class_}")


def _point(point: tuple[float, float]) -> str:
    return f"{_number(point[0])},{_number(1 - point[1])}"


def _number(share: float) -> str:
    return f"{share * _SIDE:.1f}".removesuffix(".0")
