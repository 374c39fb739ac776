"""The figure of plotly: subplots one below the other, with the title above and the key of the colours below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from obeya.lean import _plot
from obeya.lean._plotly import LETTER, LINE, NARROW, SIZE, WIDE, Subplot, lines, unescaped

_TITLE = 15
"""Pixels of the letters of the title."""
_CAPITAL = 0.7
"""The height of a capital as a share of that of its line. plotly adds it to the place of a title of one line only."""
_BAR = 26
"""Pixels above the title for the buttons of plotly, which are there while the pointer is over the figure."""
_ENTRY = 19
"""Pixels of a row of a legend."""

_LOOK = {
    "showgrid": True,
    "gridcolor": _plot.PALE,
    "zeroline": False,
    "zerolinecolor": _plot.BLACK,
    "zerolinewidth": 1,
    "linecolor": _plot.GREY,
    "tickfont": {"size": SIZE},
}
"""How every axis looks."""


def figure(graph: Any, title: str, note: str, parts: Sequence[Subplot]) -> Any:
    """The figure of subplots, one below the other. ``graph`` is `plotly.graph_objects`."""
    head = lines(title, WIDE)
    said = f"<b>{head}</b>"
    top = _BAR + 16 + _TITLE * 1.3 * (head.count("<br>") + 1)
    if note:
        below = lines(note, WIDE + 10)
        said += f'<br><span style="font-size:{SIZE}px">{below}</span>'
        top += LINE * 1.3 * (below.count("<br>") + 1)
    traces, layout = _placed(parts)
    legend = _legend_rows([trace["name"] for trace in traces if trace["showlegend"]])
    inner = sum(part.above + part.height + part.below for part in parts) - parts[0].above - parts[-1].below
    margin = {"t": top + parts[0].above, "b": parts[-1].below, "l": 16, "r": max(part.margin for part in parts)}
    font = {"family": "Helvetica, Arial, sans-serif", "size": SIZE, "color": _plot.BLACK}
    whole = {
        # Not the template that a program may have set: on a dark one these colours would not be read.
        "template": "none",
        "paper_bgcolor": "#FFFFFF",
        "plot_bgcolor": "#FFFFFF",
        "font": font,
        "title": {
            "text": said,
            "font": {"size": _TITLE, "color": _plot.BLACK},
            **{"x": 0, "xref": "container", "xanchor": "left", "y": 1, "yref": "container", "yanchor": "top"},
            "pad": {"l": 16, "t": _BAR + (_CAPITAL * _TITLE if "<br>" in said else 0)},
        },
        "margin": {side: round(pixels) for side, pixels in margin.items()},
        "height": round(inner + margin["t"] + margin["b"] + legend * _ENTRY),
        "barmode": "overlay",
        # A number that has no place in its bar or above it is hidden, and not made smaller.
        "uniformtext": {"mode": "hide", "minsize": SIZE},
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": "#FFFFFF", "font": font, "align": "left"},
        "showlegend": legend > 0,
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": -parts[-1].below / inner, "yanchor": "top", "font": font},
    }
    return graph.Figure({"data": traces, "layout": {**whole, **layout}})


def _legend_rows(names: Sequence[str]) -> int:
    """How many rows a legend has on a phone, where its columns are as wide as the longest name."""
    if not names:
        return 0
    columns = max(1, int(NARROW // (LETTER * max(max(map(len, unescaped(name))) for name in names) + 44)))
    return -(-len(names) // columns)


def _placed(parts: Sequence[Subplot]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The traces, and the axes, annotations and shapes of the layout: each on the axes of its subplot."""
    inner = sum(part.above + part.height + part.below for part in parts) - parts[0].above - parts[-1].below
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": [], "shapes": []}
    named: set[str | None] = set()
    down, count, shared = -parts[0].above, 0, "x"
    for at, part in enumerate(parts):
        down += part.above
        ends = [max(0.0, 1 - (down + part.height) / inner), 1 - down / inner]
        down += part.height + part.below
        own, count = ("" if not count else str(count + 1)), count + 1
        x = {"automargin": True, **_LOOK, **part.x, "anchor": f"y{own}"}
        if part.shares_x:
            x["matches"] = shared
        # Of several subplots each may be the one that others share their axis with.
        shared = x.get("matches", f"x{own}")
        if at + 1 < len(parts) and parts[at + 1].shares_x:
            x["showticklabels"] = False
        y = {"automargin": True, **_LOOK, **part.y, "anchor": f"x{own}", "domain": ends}
        if "scaleanchor" in y:
            y["scaleanchor"] = f"x{own}"
        layout[f"xaxis{own}"], layout[f"yaxis{own}"] = x, y
        if part.right:
            count += 1
            layout[f"yaxis{count}"] = {**_LOOK, **part.right, "anchor": f"x{own}", "overlaying": f"y{own}", "side": "right"}
        for trace in part.traces:
            vertical = f"y{count}" if trace.get("yaxis") == "right" else f"y{own}"
            # The legend has each name once, for the traces of all subplots.
            name = trace.get("name") if trace.get("showlegend") else None
            key = {} if name is None else {"legendgroup": name}
            drawn = {"xaxis": f"x{own}", "yaxis": vertical, "showlegend": name is not None and name not in named}
            traces.append({**trace, **key, **drawn})
            named.add(name)
        for kind, placed in (("annotations", part.annotations), ("shapes", part.shapes)):
            for each in placed:
                refs = {ref: each.get(ref, ref[0]).replace(ref[0], ref[0] + own, 1) for ref in ("xref", "yref")}
                layout[kind].append({**each, **refs})
    return traces, layout
