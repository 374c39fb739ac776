"""PICK charts: what to do with an idea, by its effort and its effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from obeya.lean import _frame, _input, _plot, _plotly
from obeya.lean._result import Result
from obeya.lean._rows import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUADRANTS: Mapping[str, str] = {
    "LowEffortLowEffect": "Possible",
    "LowEffortHighEffect": "Implement",
    "HighEffortHighEffect": "Challenge",
    "HighEffortLowEffect": "Kick",
}
"""The values of ``priorityStatus`` and their quadrants in a PICK chart."""

_UNPLACED = "NotPrioritized"
_SHADES = {"Possible": _plot.SKY, "Implement": _plot.GREEN, "Challenge": _plot.ORANGE, "Kick": "#999999"}
_MARKS = {"Possible": "o", "Implement": "^", "Challenge": "s", "Kick": "X"}
_SYMBOLS = {"Possible": "circle", "Implement": "triangle-up", "Challenge": "square", "Kick": "x"}
_UNTITLED = "(no title)"

_LETTERS = 20
"""How many letters of a title have place in a quadrant on a phone."""

_PLACES = {"Implement": (0, 1), "Challenge": (1, 1), "Possible": (0, 0), "Kick": (1, 0)}


@dataclass(frozen=True, eq=False, repr=False)
class Pick(Result):
    """A PICK chart, a row for each idea in the order of the frame. Its columns: ``title``, ``effort`` and ``effect`` (numbers;
    null when the values of ``priorityStatus`` are used) and ``quadrant`` (null for improvements without one).
    """

    counts: Mapping[str, int]
    """How many ideas are in each quadrant."""
    unplaced: int
    """How many are in none."""
    axes: tuple[str, str] | None
    """The names of effort and effect with their units, when they are numbers."""
    thresholds: tuple[float, float] | None
    """From where on effort and effect are high."""

    _size: ClassVar[tuple[float, float]] = (6.4, 5.2)

    def _says(self) -> str:
        return ", ".join(f"{name} {count}" for name, count in self.counts.items()) + f", {self.unplaced} not placed"

    def _title(self) -> str:
        return f"PICK chart of {_plot.plural(sum(self.counts.values()), 'idea')}, {self.unplaced} not placed"

    def _is_blank(self) -> bool:
        # The quadrants are there without ideas too.
        return False

    def _draw(self, ax: Axes, title: str) -> None:
        if self.axes and self.thresholds:
            self._scatter(ax, title, self.axes, self.thresholds)
        else:
            self._lists(ax, title)

    def _lists(self, ax: Axes, title: str) -> None:
        patches = _plot.require("matplotlib.patches")
        _plot.frame(ax, title, x="effort (low → high)", y="effect (low → high)", grid="")
        ax.set(xlim=(0, 2), ylim=(0, 2), xticks=[], yticks=[])
        rows = self._rows()
        for name, (x, y) in _PLACES.items():
            ax.add_patch(patches.Rectangle((x, y), 1, 1, facecolor=_SHADES[name], alpha=0.25, edgecolor="white", linewidth=3))
            ax.text(x + 0.04, y + 0.94, f"{name} {self.counts[name]}", va="top", fontsize=11, fontweight="bold")
            text = _plot.literal("\n".join(_listed(_titles(rows, name), 8)))
            ax.text(x + 0.04, y + 0.82, text, va="top", fontsize=_plot.SMALL, linespacing=1.35)

    def _scatter(self, ax: Axes, title: str, axes: tuple[str, str], thresholds: tuple[float, float]) -> None:
        _plot.frame(ax, title, x=axes[0], y=axes[1], grid="")
        rows = self._rows()
        for name, mark in _MARKS.items():
            own = [row for row in rows if row["quadrant"] == name]
            ax.plot(
                [row["effort"] for row in own],
                [row["effect"] for row in own],
                mark,
                color=_SHADES[name],
                markeredgecolor=_plot.BLACK,
                markersize=7,
                gid=name,
            )
        ax.axvline(thresholds[0], color=_plot.GREY, linewidth=1)
        ax.axhline(thresholds[1], color=_plot.GREY, linewidth=1)
        ax.margins(0.15)
        for name, (x, y) in _PLACES.items():
            ax.annotate(
                f"{name} {self.counts[name]}",
                (x, y),
                (-6 if x else 6, -6 if y else 6),
                xycoords="axes fraction",
                textcoords="offset points",
                ha="right" if x else "left",
                va="top" if y else "bottom",
                fontsize=11,
                fontweight="bold",
                color=_plot.GREY,
            )
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(lambda value, _: _plot.short(value))
        placed = [row for row in rows if row["quadrant"]]
        _plot.point_labels(ax, [(row["effort"], row["effect"], _cut(row["title"] or "", 24)) for row in placed])

    def _chart(self, alt: Any, title: Any) -> Any:
        rows = [row for row in self._rows() if row["quadrant"]]
        shades = alt.Color("quadrant:N", scale=alt.Scale(domain=list(_SHADES), range=list(_SHADES.values())), title=None)
        if self.axes and self.thresholds:
            points = (
                alt.Chart(_plot.data(alt, rows), title=title, width=480, height=360)
                .mark_point(filled=True, size=90)
                .encode(
                    x=alt.X("effort:Q", title=self.axes[0]),
                    y=alt.Y("effect:Q", title=self.axes[1]),
                    color=shades,
                    shape=alt.Shape("quadrant:N", title=None, scale=alt.Scale(domain=list(_SHADES))),
                    tooltip=["title:N", "effort:Q", "effect:Q", "quadrant:N"],
                )
            )
            upright = alt.Chart(alt.Data(values=[{"at": self.thresholds[0]}])).mark_rule(color=_plot.GREY).encode(x="at:Q")
            level = alt.Chart(alt.Data(values=[{"at": self.thresholds[1]}])).mark_rule(color=_plot.GREY).encode(y="at:Q")
            return alt.layer(points, upright, level)
        counts = [{"quadrant": name, "count": count} for name, count in self.counts.items()]
        base = alt.Chart(_plot.data(alt, counts), title=title, width=480).encode(y=alt.Y("quadrant:N", sort=None, title=None))
        return base.mark_bar().encode(x=alt.X("count:Q", title="ideas"), color=shades.legend(None))

    def _subplots(self) -> list[_plotly.Subplot]:
        if self.axes and self.thresholds:
            return [self._points(self.axes, self.thresholds)]
        hidden = {"showticklabels": False, "showgrid": False, "range": [0, 2], "fixedrange": True}
        effort, effect = ({"title": _plotly.titled(f"{name} (low → high)"), **hidden} for name in ("effort", "effect"))
        part = _plotly.Subplot(effort, effect, 400)
        rows = self._rows()
        for name, (x, y) in _PLACES.items():
            heading, titles = f"{name} {self.counts[name]}", _titles(rows, name)
            said = _plotly.text("\n".join([heading, *_listed(titles, 24, 60)]))
            marker = {"color": _SHADES[name], "opacity": 0.25}
            part.traces.append(_plotly.box(name, [x + 0.5], [y], [said], width=0.98, marker=marker))
            listed = "".join(f"<br>{_plotly.text(title)}" for title in _listed(titles, 8, _LETTERS))
            place = {"xanchor": "left", "yanchor": "top", "align": "left"}
            part.note(f"<b>{heading}</b>{listed}", name="ideas", x=x + 0.03, y=y + 0.97, **place)
        return [part]

    def _points(self, axes: tuple[str, str], thresholds: tuple[float, float]) -> _plotly.Subplot:
        rows = [row for row in self._rows() if row["quadrant"]]
        ends = [_ends([row[key] for row in rows], thresholds[at]) for at, key in enumerate(("effort", "effect"))]
        both = [{"title": _plotly.titled(axis), "range": list(end)} for axis, end in zip(axes, ends, strict=True)]
        part = _plotly.Subplot(both[0], both[1], 400)
        for name, symbol in _SYMBOLS.items():
            own = [row for row in rows if row["quadrant"] == name]
            xs, ys = [row["effort"] for row in own], [row["effect"] for row in own]
            said = [
                _plotly.lines(f"{row['title'] or _UNTITLED}\n{axes[0]}: {row['effort']:.10g}\n{axes[1]}: {row['effect']:.10g}", 48)
                for row in own
            ]
            look = {"symbol": symbol, "size": 10, "color": _SHADES[name], "line": {"width": 1, "color": _plot.BLACK}}
            part.traces.append(_plotly.marks(name, xs, ys, said, marker=look))
        for ref, other, at in (("x", "y", thresholds[0]), ("y", "x", thresholds[1])):
            line = {f"{ref}0": at, f"{ref}1": at, f"{other}0": 0, f"{other}1": 1, f"{other}ref": f"{other} domain"}
            part.shapes.append({"type": "line", "name": "threshold", **line, "line": {"color": _plot.GREY, "width": 1}})
        for name, (x, y) in _PLACES.items():
            place = {"x": x, "xref": "x domain", "xanchor": "right" if x else "left", "y": y, "yref": "y domain"}
            heading = f"<b>{name} {self.counts[name]}</b>"
            # Outside of the axes, where it covers no point.
            edge = {"yanchor": "bottom" if y else "top", "yshift": 2 if y else -22}
            part.note(heading, name="quadrant", font={"color": _plot.ink(_plot.GREY)}, **place, **edge)
        part.above, part.below = 24, 74
        part.x["title"]["standoff"] = 26
        _plotly.point_names(part, [(row["effort"], row["effect"], row["title"] or "") for row in rows], ends[0], ends[1])
        return part


def _titles(rows: Sequence[Mapping[str, Any]], quadrant: str) -> list[str]:
    return [row["title"] or _UNTITLED for row in rows if row["quadrant"] == quadrant]


def _listed(titles: Sequence[str], most: int, length: int = 30) -> list[str]:
    """Titles in at most so many lines, of which the last says how many more there are."""
    shown = [_cut(title, length) for title in (titles if len(titles) <= most else titles[: most - 1])]
    return [*shown, *([f"and {len(titles) - most + 1} more"] if len(titles) > most else [])]


def _ends(values: Sequence[float], threshold: float) -> tuple[float, float]:
    """The ends of an axis: there is some space beyond its points and its threshold."""
    low, high = min([*values, threshold]), max([*values, threshold])
    space = (high - low) * 0.15 or abs(high) * 0.1 or 1.0
    return low - space, high + space


def pick(
    data: _input.Frame,
    *,
    priority: str = "priorityStatus",
    effort: str | None = None,
    effect: str | None = None,
    effort_from: float | None = None,
    effect_from: float | None = None,
    title: str = "title",
    unit: str = "currency",
    key: str = "id",
) -> Pick:
    """A PICK chart: Possible (low effort, low effect), Implement (low, high), Challenge (high, high) and Kick (high, low).

    Improvements carry the judgement of people in ``priorityStatus``, which is used by default; ``NotPrioritized`` is placed
    nowhere. With ``effort`` and ``effect`` their estimates are used instead, such as ``estimatedCostOfInvestmentHours`` (hours)
    and ``estimatedGainOfInvestment`` (money): at ``effort_from`` and ``effect_from``, and above, they are high.

    Source: M. L. George, *Lean Six Sigma for Service*, McGraw-Hill 2003 (PICK chart, from Lockheed Martin).

    Args:
        priority: The column of priorities; ignored with numbers.
        effort, effect: Columns of numbers. An idea that lacks one of them is placed nowhere.
        effort_from, effect_from: The thresholds, in the units of the columns.
        title: The column that names the ideas.
        unit: What money is counted in, for the chart; columns that end in ``Hours`` are hours.
        key: The column that names a record in `left_out`: an idea with an unknown priority, or with something that is no number.

    Words alone, in a list, an array or a Series, are the priorities of ideas without titles.

    Raises:
        ValueError: A column is missing or of the wrong kind, no record can be used, or of columns and thresholds only some are
            given.
    """
    table = _input.table(data, priority)
    used = Rows(table, key)
    titles = [None] * table.num_rows if _input.alone(table, priority) else _frame.words(table, title, "title")
    efforts: list[float | None] = [None] * len(titles)
    effects: list[float | None] = [None] * len(titles)
    axes = thresholds = None
    if effort is None and effect is None and effort_from is None and effect_from is None:
        words = _frame.words(table, priority, "priority")
        used.refuse(words, lambda word: _unknown(word, priority))
        quadrants = [QUADRANTS.get(word or _UNPLACED) for word in words]
    elif effort is None or effect is None or effort_from is None or effect_from is None:
        message = "numbers need all four: `effort`, `effect`, `effort_from` and `effect_from`"
        raise ValueError(message)
    else:
        efforts = used.numbers(effort, "effort", needed=False)
        effects = used.numbers(effect, "effect", needed=False)
        thresholds = (effort_from, effect_from)
        quadrants = [_of_numbers(one, other, thresholds) for one, other in zip(efforts, effects, strict=True)]
        axes = (_plot.labelled(effort, _unit(effort, unit)), _plot.labelled(effect, _unit(effect, unit)))
    usable = used.usable
    placed = Counter(quadrants[row] for row in usable)
    columns = {
        "title": pa.array([titles[row] for row in usable], pa.string()),
        "effort": pa.array([efforts[row] for row in usable], pa.float64()),
        "effect": pa.array([effects[row] for row in usable], pa.float64()),
        "quadrant": pa.array([quadrants[row] for row in usable], pa.string()),
    }
    return Pick(
        table=pa.table(columns),
        counts={name: placed[name] for name in QUADRANTS.values()},
        unplaced=placed[None],
        axes=axes,
        thresholds=thresholds,
        left_out=used.left_out,
    )


def _unknown(word: str, column: str) -> str | None:
    if word == _UNPLACED or word in QUADRANTS:
        return None
    return f"has the {column} {word!r}; expected {_UNPLACED} or one of {', '.join(QUADRANTS)}"


def _of_numbers(effort: float | None, effect: float | None, thresholds: tuple[float, float]) -> str | None:
    if effort is None or effect is None:
        return None
    high_effort, high_effect = effort >= thresholds[0], effect >= thresholds[1]
    return QUADRANTS[f"{'High' if high_effort else 'Low'}Effort{'High' if high_effect else 'Low'}Effect"]


def _unit(column: str, money: str) -> str:
    return "hours" if column.endswith("Hours") else money


def _cut(text: str, length: int = 30) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
