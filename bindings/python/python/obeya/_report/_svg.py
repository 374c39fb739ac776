"""Draws a chart with matplotlib and turns its file into an element of a page: without links, with the page's style and with unique ids."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

from obeya._printable import printable
from obeya.lean import Result, _plot

_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_STYLE = {
    # Texts stay texts: smaller, searchable, and in the font of the reader. Those are narrower than the one
    # that is measured.
    "svg.fonttype": "none",
    # The same chart always has the same bytes.
    "svg.hashsalt": "obeya",
    "font.size": 9.5,
}
_GAP = 6
"""Pixels between two labels, of 100 in an inch."""
_LONG = re.compile(r"-?\d+\.\d{3,}")
_FAMILY = re.compile(r"font-family:[^;]*;?|(?<=px) '[^;]*")


def element(result: Result, size: tuple[float, float], *, name: str, title: str, says: str, kind: str) -> str:
    """The chart as an `svg` element of the class `kind`. Its ids begin with `name`; `says` is the text
    alternative.
    """
    root = ET.fromstring(_drawn(result, size))
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    _own_ids(root, name)
    for node in root.iter():
        _shorten(node)
        # ElementTree would put a prefix before every name.
        node.tag = node.tag.removeprefix(f"{{{_SVG}}}")
    for size_of in ("width", "height"):
        root.attrib.pop(size_of, None)
    root.attrib.update({"xmlns": _SVG, "class": kind, "role": "img", "aria-labelledby": f"{name}-title {name}-desc"})
    for at, (tag, text) in enumerate((("title", title), ("desc", says))):
        told = ET.Element(tag, {"id": f"{name}-{tag}"})
        told.text = printable(text)
        root.insert(at, told)
    return ET.tostring(root, encoding="unicode")


def _drawn(result: Result, size: tuple[float, float]) -> bytes:
    matplotlib = _plot.require("matplotlib")
    # Not pyplot, which would look for a screen.
    figures: Any = _plot.require("matplotlib.figure")
    out = io.BytesIO()
    with matplotlib.rc_context(_STYLE):
        figure = figures.Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        result.plot(axes)
        # The page has its own heading.
        axes.set_title("", loc="left")
        _fit(figure)
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return out.getvalue()


def _fit(figure: Any) -> None:
    """Makes space in a chart that was designed for a larger figure: a legend gets all the width, and labels are turned."""
    for axes in figure.axes:
        legend = axes.get_legend()
        if legend is not None:
            legend.remove()
            handles, labels = axes.get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize=_plot.SMALL)
    numbers = _plot.require("matplotlib.ticker").MaxNLocator
    for axes in figure.axes:
        locator = axes.xaxis.get_major_locator()
        if isinstance(locator, numbers):
            # Of numbers some will do.
            for most in (4, 2):
                if _collide(figure, axes):
                    locator.set_params(nbins=most)
        elif _collide(figure, axes):
            names = [label.get_text().replace("\n", " ") for label in axes.get_xticklabels()]
            axes.set_xticks(axes.get_xticks(), names, rotation=30, ha="right", rotation_mode="anchor")


def _collide(figure: Any, axes: Any) -> bool:
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
    boxes.sort(key=lambda box: box.x0)
    return any(before.x1 + _GAP > after.x0 for before, after in pairwise(boxes))


def _own_ids(root: ET.Element, name: str) -> None:
    """Preserves the ids that something refers to, and makes them begin with `name`: ids must be unique in a page."""
    wanted = set()
    for node in root.iter():
        link = node.attrib.pop(_LINK, None)
        if link is not None:
            node.set("href", f"#{name}-{link[1:]}")
            wanted.add(link[1:])
        for key, value in node.attrib.items():
            found = re.findall(r"url\(#([^)]*)\)", value)
            wanted.update(found)
            if found:
                node.set(key, value.replace("url(#", f"url(#{name}-"))
    for node in root.iter():
        given = node.attrib.pop("id", None)
        if given in wanted:
            node.set("id", f"{name}-{given}")


def _shorten(node: ET.Element) -> None:
    """Rounds to hundredths of a point, uses the font of the page for texts, and writes common attributes of marks once."""
    for key, value in node.attrib.items():
        if key in ("d", "x", "y", "width", "height", "points", "transform", "viewBox"):
            node.set(key, _LONG.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), " ".join(value.split())))
        elif key == "style" and node.tag == f"{{{_SVG}}}text":
            node.set(key, _FAMILY.sub(" sans-serif" if "font:" in value else "", value))
    marks = [child for child in node if child.tag == f"{{{_SVG}}}use"]
    styles = {mark.get("style") for mark in marks}
    if len(marks) > 1 and len(marks) == len(node) and len(styles) == 1 and "style" not in node.attrib:
        style = styles.pop()
        if style is not None:
            node.set("style", style)
            for mark in marks:
                del mark.attrib["style"]
