"""Charts as figures of plotly. A figure is written as plotly's JSON, so plotly itself is needed only to make a `Figure` of it.

plotly finds markup in every text: a few tags of HTML, entities, the variables of templates, and formulas between dollars. Texts of
the data may contain any of these by chance or by intent, so each text passes `text` or `lines`, and no trace has a template.

A figure has no width: it is as wide as its place, on a phone or on a wall. What is placed by the space that it needs is placed for
the narrowest screen, and does not overlap on a wider one either. All text has 12 pixels or more.
"""

from __future__ import annotations

import datetime
import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any

from obeya.lean import _plot

SIZE = 12
"""Pixels of all text but the title."""

NARROW = 220
"""Pixels between the axes of a chart on a phone, between names or numbers on its left and labels on its right."""

LETTER = 7.4
"""Pixels of a letter, on average of a text in a wide font."""

LINE = 16
"""Pixels from one line of text to the next."""

ROW = 48
"""Pixels of a row: two lines of its name, or a line of text above its bar."""

THICK, BELOW = 0.36, 0.24
"""The height of a bar and the distance of its middle from that of its row, in rows. Its text is above it, where it has place in a
picture of any width.
"""

_SHORTER = (24, 16, 11)
"""The lengths to which names of points are shortened."""

WIDE = 38
"""How many letters a line of the title has."""

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "\n": "<br>"})


@dataclass
class Subplot:
    """A pair of axes with what is drawn on them. References to axes are those of a figure with one pair: ``x`` and ``y``."""

    x: dict[str, Any]
    """The horizontal axis."""
    y: dict[str, Any]
    """The vertical axis."""
    height: float
    """Pixels between the ends of the vertical axis."""
    traces: list[dict[str, Any]] = field(default_factory=list)
    annotations: list[dict[str, Any]] = field(default_factory=list)
    shapes: list[dict[str, Any]] = field(default_factory=list)
    right: dict[str, Any] | None = None
    """A second vertical axis, of the traces whose axis is ``right``."""
    above: float = 8
    """Pixels for the texts above."""
    below: float = 52
    """Pixels for the texts below."""
    margin: float = 16
    """Pixels for the texts on the right."""
    shares_x: bool = False
    """Whether the horizontal axis is that of the subplot before."""

    def note(self, said: str, **place: Any) -> None:
        """Places a text, which has passed `text` or `lines`."""
        font = {"size": SIZE, "color": _plot.BLACK, **place.pop("font", {})}
        self.annotations.append({"text": said, "showarrow": False, "xref": "x", "yref": "y", **place, "font": font})

    def headed(self, name: str) -> Subplot:
        """Has a heading above, which is the name of a group."""
        heading = lines(name, WIDE)
        self.note(
            f"<b>{heading}</b>",
            name="group",
            **{"x": 0, "xref": "x domain", "xanchor": "left", "y": 1, "yref": "y domain", "yanchor": "bottom"},
            yshift=self.above - 4,
            align="left",
        )
        self.above += LINE * (heading.count("<br>") + 1) + 8
        return self


def text(said: str) -> str:
    """A text of the data, to be drawn as it is."""
    return _plot.plain(said).translate(_ESCAPES).replace("%{", "&#37;{")


def lines(said: str, width: int) -> str:
    """A text in lines of a width, as far as its words allow."""
    given = _plot.plain(said).split("\n")
    return text("\n".join(line for part in given for line in wrap(part, width, break_long_words=False) or [""]))


def unescaped(label: str) -> list[str]:
    """The lines of a text as they are read, with a letter for each entity."""
    return [html.unescape(line) for line in label.split("<br>")]


def wrapped(said: str, width: int = 22) -> str:
    """A name in at most two lines, as in the other pictures."""
    return text(_plot.wrapped(said, width))


def day(value: datetime.date) -> str:
    """A day or a moment for an axis and for a reader: without the parts that are zero, in UTC."""
    if not isinstance(value, datetime.datetime):
        return value.isoformat()
    naive = value.replace(tzinfo=None)
    if naive.time() == datetime.time():
        return naive.date().isoformat()
    return naive.isoformat(" ", "minutes" if not (naive.second or naive.microsecond) else "auto")


def bars(name: str, rows: Sequence[Any], reach: Sequence[float], said: Sequence[str], **look: Any) -> dict[str, Any]:
    """Bars that lie on their side."""
    flat = {"type": "bar", "orientation": "h", "name": name, "y": list(rows), "x": list(reach)}
    return {**flat, "hoverinfo": "text", "hovertext": list(said), **look}


def marks(name: str, xs: Sequence[Any], ys: Sequence[Any], said: Sequence[str], **look: Any) -> dict[str, Any]:
    """Marks of points, with a text for each."""
    points = {"type": "scatter", "mode": "markers", "name": name, "x": list(xs), "y": list(ys)}
    return {**points, "hoverinfo": "text", "hovertext": list(said), "cliponaxis": False, **look}


def stroke(name: str, xs: Sequence[Any], ys: Sequence[Any], colour: str, width: float = 1.2, **look: Any) -> dict[str, Any]:
    """A line, interrupted at each None."""
    line = {"color": colour, "width": width, **look.pop("line", {})}
    points = {"type": "scatter", "mode": "lines", "name": name, "x": list(xs), "y": list(ys)}
    return {**points, "line": line, "hoverinfo": "skip", **look}


def words(name: str, xs: Sequence[Any], ys: Sequence[Any], said: Sequence[str]) -> dict[str, Any]:
    """Texts on the right of places."""
    points = {"type": "scatter", "name": name, "x": list(xs), "y": list(ys), "text": list(said)}
    return {
        **points,
        # Without a mark a text would touch its point, such as the end of an axis.
        "mode": "markers+text",
        "marker": {"opacity": 0, "size": 4},
        "textposition": "middle right",
        "textfont": {"size": SIZE, "color": _plot.BLACK},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def above_bars(rows: Sequence[int], said: Sequence[str]) -> dict[str, Any]:
    """The texts of bars."""
    return words("figures", [0] * len(rows), [row - 0.2 for row in rows], said)


def box(
    name: str, middles: Sequence[Any], bottoms: Sequence[Any], said: Sequence[str], *, width: float = 0.94, **look: Any
) -> dict[str, Any]:
    """Boxes of one kind, as high as they are wide."""
    upright = {"type": "bar", "name": name, "x": list(middles), "base": list(bottoms), "y": [width] * len(middles), "width": width}
    return {**upright, "hoverinfo": "text", "hovertext": list(said), **look}


def titled(said: str, width: int = WIDE) -> dict[str, Any]:
    """The title of an axis."""
    return {"text": lines(said, width), "standoff": 8, "font": {"size": SIZE}}


def named_rows(names: Sequence[str], x: str, each: float = ROW, **horizontal: Any) -> Subplot:
    """A subplot of rows with names, the first on top."""
    axis = {
        "tickvals": list(range(len(names))),
        "ticktext": [wrapped(name) for name in names],
        "range": [len(names) - 0.5, -0.5],
        "showgrid": False,
        "fixedrange": True,
    }
    return Subplot({"title": titled(x), "zeroline": True, **horizontal}, axis, max(len(names), 1) * each)


def line_labels(part: Subplot, labels: Sequence[tuple[float, str, str]], low: float, high: float, width: int = 12) -> None:
    """Labels lines at their right end: height, text, colour. Labels that would overlap are separated."""
    scale = part.height / (high - low)
    placed: list[tuple[float, float, str, str]] = []
    least = 0.0
    for at, said, colour in sorted(labels):
        label = lines(said, width)
        half = LINE * (label.count("<br>") + 1) / 2
        middle = max((at - low) * scale, least + half)
        least = middle + half
        placed.append((at, middle, label, colour))
        part.margin = max(part.margin, LETTER * max(map(len, unescaped(label))) + 12)
    # Too many for the top move down, and what is below them too.
    most = part.height + LINE / 2
    for at, middle, label, colour in reversed(placed):
        half = LINE * (label.count("<br>") + 1) / 2
        middle = min(middle, most - half)
        most = middle - half
        part.note(
            label,
            name="label",
            **{"x": 1, "xref": "x domain", "xanchor": "left", "y": at, "yanchor": "middle", "align": "left"},
            **{"xshift": 4, "yshift": round(middle - (at - low) * scale, 1), "font": {"color": _plot.ink(colour)}},
        )


def point_names(
    part: Subplot, labels: Sequence[tuple[float, float, str]], across: tuple[float, float], up: tuple[float, float]
) -> None:
    """Names points: each name is next to its point, if it covers neither another name nor another point, however wide the figure is.
    It is shortened where it has place only then.
    """
    widths = (NARROW, 5 * NARROW)
    scale = part.height / (up[1] - up[0])
    dots = [[((x - across[0]) / (across[1] - across[0]) * width, (y - up[0]) * scale) for x, y, _ in labels] for width in widths]
    taken = [[(x - 7, y - 7, x + 7, y + 7) for x, y in places] for places in dots]
    for at, (x, y, said) in enumerate(labels):
        for name, right in ((_plot.shortened(said, most), right) for most in _SHORTER for right in (True, False)):
            size = LETTER * len(name)
            lefts = [places[at][0] + 8 if right else places[at][0] - 8 - size for places in dots]
            low = dots[0][at][1] - LINE / 2
            boxes = [(left, low, left + size, low + LINE) for left in lefts]
            free = not any(_plot.overlap(box, other) for box, others in zip(boxes, taken, strict=True) for other in others)
            if free and boxes[0][0] >= 0 and boxes[0][2] <= NARROW + part.margin:
                for box, others in zip(boxes, taken, strict=True):
                    others.append(box)
                part.note(text(name), name="name", x=x, y=y, xanchor="left" if right else "right", xshift=8 if right else -8)
                break


def nothing(said: str = _plot.NOTHING) -> Subplot:
    """A picture of nothing, which says so."""
    part = Subplot({"visible": False}, {"visible": False}, 160)
    place = {"x": 0.5, "xref": "x domain", "y": 0.5, "yref": "y domain"}
    part.note(text(said), name="nothing", font={"size": 14, "color": _plot.ink(_plot.GREY)}, **place)
    return part
