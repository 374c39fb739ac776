"""How every chart looks. matplotlib, altair and plotly are imported here and in what draws, and only when something is drawn.

Colours are those of Okabe and Ito (2008, "Color Universal Design"), which people with any of the common forms of colour blindness
tell apart. No chart relies on colour alone: what matters also has a shape, a place or a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from obeya._printable import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
YELLOW = "#F0E442"
BLUE = "#0072B2"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"
GREY = "#666666"
PALE = "#DDDDDD"

_INKS = {VERMILLION: "#A84400", PURPLE: "#8F4A75", GREY: "#595959"}
"""What is too pale for text on white, and what is written instead."""

_NAME, _LEAST = 9.5, 5.5
"""Points of the names of rows, where there is place for them and where there is little."""

SMALL = 8.5
"""Points of the text beside marks: 12 pixels in a default figure."""

NOTHING = "no data"
"""What a chart of nothing says."""

BARS = 16
"""How many bars that lie on their side can be read in a figure."""


def require(module: str) -> Any:
    """A library that is needed for one thing only, or what to install."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        message = f"this needs {package}: pip install {package}"
        raise ImportError(message, name=package) from error


def axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The given axes, or those of a new figure."""
    if ax is not None:
        return ax
    pyplot = require("matplotlib.pyplot")
    _, new = pyplot.subplots(figsize=size, dpi=100, layout="constrained")
    drawn: Axes = new
    return drawn


def divided(ax: Axes, heights: Sequence[float], gap: float | None = None) -> list[Axes]:
    """Panels one below the other in the place of the axes, which are the first of them."""
    place = ax.get_subplotspec()
    figure = ax.get_figure()
    if place is None or figure is None:
        message = "this chart has several panels and needs axes of a grid (pyplot.subplots), which it divides"
        raise ValueError(message)
    if len(heights) < 2:
        return [ax] * len(heights)
    grid = place.subgridspec(len(heights), 1, height_ratios=heights, hspace=gap)
    ax.set_subplotspec(grid[0])
    return [ax, *(figure.add_subplot(grid[at]) for at in range(1, len(heights)))]


def blank(ax: Axes, title: str) -> None:
    """A chart of nothing, which says so."""
    ax.set_title(title, loc="left", fontsize=11, fontweight="bold", pad=8)
    ax.set_axis_off()
    ax.text(0.5, 0.5, NOTHING, transform=ax.transAxes, ha="center", va="center", fontsize=11, color=GREY, gid="nothing")


def frame(ax: Axes, title: str, *, x: str = "", y: str = "", grid: str = "y", pad: float = 8) -> None:
    """Title, labels and the least of lines."""
    ax.set_title(title, loc="left", fontsize=11, fontweight="bold", pad=pad)
    ax.set_xlabel(literal(x))
    ax.set_ylabel(literal(y))
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis="both" if grid == "both" else "x" if grid == "x" else "y", color=PALE, linewidth=0.8)


def line_labels(ax: Axes, labels: Sequence[tuple[float, str, str]]) -> None:
    """Labels lines at their right end: height, text, colour. Labels that would overlap are separated."""
    low, high = ax.get_ylim()
    gap = (high - low) * 0.065
    placed: list[float] = []
    for height, text, colour in sorted(labels):
        at = max(height, placed[-1] + gap) if placed else height
        placed.append(at)
        ax.annotate(
            literal(text),
            xy=(1, at),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL,
            color=ink(colour),
            annotation_clip=False,
        )


def point_labels(ax: Axes, labels: Sequence[tuple[float, float, str]]) -> None:
    """Labels points: each label is next to its point, where it covers neither another label nor another point, if possible."""
    figure = ax.get_figure()
    if figure is None:
        return
    # Lays the axes out, without which a place on them is no place in the figure.
    figure.canvas.figure.draw_without_rendering()
    dots = [tuple(ax.transData.transform((x, y))) for x, y, _ in labels]
    scale = figure.dpi / 72
    width, height = SMALL * 0.62 * scale, SMALL * 1.3 * scale
    taken = [(x - 4 * scale, y - 4 * scale, x + 4 * scale, y + 4 * scale) for x, y in dots]
    inside = ax.get_window_extent()
    for (x, y, text), (left, low) in zip(labels, dots, strict=True):
        size = width * len(text)
        for right, rise in ((right, rise) for rise in (0, 11, -11, 22, -22) for right in (True, False)):
            start = left + 7 * scale if right else left - 7 * scale - size
            box = (start, low + rise * scale - height / 2, start + size, low + rise * scale + height / 2)
            if inside.x0 <= box[0] and box[2] <= inside.x1 and not any(overlap(box, other) for other in taken):
                break
        else:
            # Nowhere: a label that covers others would make several unreadable.
            continue
        taken.append(box)
        side = "left" if right else "right"
        ax.annotate(
            literal(text),
            (x, y),
            (7 if right else -7, rise),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=SMALL,
            gid="name",
        )


def overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def date_axis(ax: Axes) -> None:
    """Ticks of dates that say the year once."""
    dates = require("matplotlib.dates")
    locator = dates.AutoDateLocator(minticks=3, maxticks=8)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))


def ink(colour: str) -> str:
    """The colour in which text of a mark's colour is written: with a contrast of 4.5:1 or more on white."""
    return _INKS.get(colour, colour)


def tall(rows: int, each: float = 0.36) -> float:
    """The height in inches of a figure whose rows have names of two lines."""
    return max(4.0, 1.3 + each * rows)


def categories(ax: Axes, names: Sequence[str | None], none: str) -> None:
    """Rows of a chart that lies on its side, the first on top. Long names have two lines where there is place for two."""
    texts = [none if name is None else name for name in names]
    figure = ax.get_figure()
    points = ax.get_window_extent().height / (figure.dpi if figure is not None else 100) * 72
    each = points / max(len(texts), 1)
    size = min(_NAME, max(each / 1.25, _LEAST))
    labels = [wrapped(text) if each >= 2.3 * size else shortened(text, 26) for text in texts]
    ax.set_yticks(range(len(names)), [literal(label) for label in labels], fontsize=size)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def dots(ax: Axes) -> float:
    """How many dots of the picture a point has."""
    figure = ax.get_figure()
    return (figure.dpi if figure is not None else 100) / 72


def uncovered(labels: Sequence[tuple[float, float, str]], size: float, rise: int = 1) -> list[int]:
    """Of labels with their places, in order of importance, those that cover none before them. All in pixels, ``size`` is that of the
    letters.
    """
    taken: list[tuple[float, float, float, float]] = []
    kept = []
    for at, (left, low, text) in enumerate(labels):
        # Somewhat more than the letters take: the place of the axes is not final before the picture is
        # laid out.
        half, height = size * 0.38 * len(text), size * 1.4
        box = (left - half, low, left + half, low + height) if rise > 0 else (left - half, low - height, left + half, low)
        if not any(overlap(box, other) for other in taken):
            taken.append(box)
            kept.append(at)
    return kept


def plain(text: str) -> str:
    """Text without control characters, which make malformed SVG. Its lines and its formulas stay."""
    return "\n".join(map(printable, text.split("\n")))


def literal(text: str) -> str:
    """Text of the data, to be drawn as it is.

    matplotlib would typeset text between two dollars as a formula, and control characters make malformed SVG.
    """
    text = plain(text)
    return text.replace("$", r"\$") if require("matplotlib").rcParams["text.parse_math"] else text


def wrapped(text: str, width: int = 22) -> str:
    """Text in at most two lines, cut where even these do not suffice. No word is broken inside."""
    from textwrap import shorten, wrap

    def cut(line: str) -> str:
        if len(line) <= width:
            return line
        # A word alone that is too long is cut at its end.
        return shorten(line, width, placeholder=" …") if " " in line[:width] else shortened(line, width)

    first, *others = wrap(text, width, break_long_words=False) or [""]
    return "\n".join([cut(first), cut(" ".join(others))]) if others else cut(first)


def shortened(text: str, length: int = 20) -> str:
    """A name that is cut where it is too long for a line with others."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def short(value: float) -> str:
    """A number as a reader wants it: four digits that count, no exponents."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}" if abs(value) >= 0.001 else f"{value:.1e}"


def percent(share: float) -> str:
    """A share in whole percent, with a decimal if that is more exact."""
    scaled = share * 100
    return f"{scaled:.1f}%" if abs(scaled) < 10 and abs(scaled - round(scaled)) >= 0.05 else f"{scaled:.0f}%"


def called(group: str | None, groups: int) -> str:
    """The name of a group, or what stands for it where it has none."""
    return group if group is not None else "all" if groups == 1 else "(none)"


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count and its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def labelled(name: str, unit: str | None) -> str:
    """The name of an axis with its unit."""
    return f"{name} ({unit})" if unit else name


def data(alt: Any, rows: Sequence[dict[str, Any]]) -> Any:
    """Rows for altair: days and moments as text, since JSON has neither."""
    return alt.Data(values=[{name: _plain(value) for name, value in row.items()} for row in rows])


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
