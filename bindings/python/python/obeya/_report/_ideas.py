"""The charts of improvements."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import Any

from obeya._report._chart import Chart, Column, Table, table
from obeya._report._draw import Area, Mark, axis, bar, interval, legend, plot
from obeya._report._gather import Figures
from obeya._report._markup import Markup, element, joined
from obeya._report._words import Words
from obeya.lean import QUADRANTS

_TITLES = 3
"""How many ideas of a quadrant are named."""

_LETTERS = 44
"""How many letters of a title are shown there."""


def ideas(figures: Figures, words: Words, late: Chart | None) -> Iterator[Chart]:
    """The charts there is data for; `late` is that of overdue improvements."""
    if late is not None:
        yield late
    for make in (_flow, _times, _pick, _good, _roi):
        chart = make(figures, words)
        if chart is not None:
            yield chart


def _flow(figures: Figures, words: Words) -> Chart | None:
    flow = figures.flow
    if flow is None or flow.last is None:
        return None
    days: dict[datetime.date, dict[str, int]] = {}
    for row in flow.to_arrow().to_pylist():
        days.setdefault(row["day"], {})[row["stage"]] = row["in_stage"]
    now = days[flow.last]
    working = now.get("Planned", 0) + now.get("InProgress", 0)
    title = words("flow.title")
    says = words("flow.says", arrived=words.count("flow.arrived", flow.arrived), working=working, day=words.day(flow.last))
    # Every fourth week and the last day: a table with a row for each day would be too long to read.
    listed = sorted(days, reverse=True)[::28]
    return Chart(
        name="flow",
        section="improvements",
        title=title,
        says=says,
        body=_stacked(title, says, days, flow.stages, words),
        figures=Table(
            [Column(words("flow.day"), "name"), *(Column(words.of("stage", stage), "number") for stage in flow.stages)],
            [[words.day(day), *(words.number(days[day][stage]) for stage in flow.stages)] for day in listed],
        ),
    )


def _stacked(
    title: str, says: str, days: dict[datetime.date, dict[str, int]], stages: Sequence[str], words: Words
) -> Markup:
    """The stages one upon the other, the last one below. A point each week, and one on the last day."""
    order = sorted(days)
    shown = sorted({*order[::7], order[-1]})
    scale = axis([sum(days[day].values()) for day in shown], zero=True)
    span = max((shown[-1] - shown[0]).days, 1)
    below = [((day - shown[0]).days / span, 0.0) for day in shown]
    marks: list[Mark] = []
    for stage in reversed(stages):
        heights = [
            (x, y + scale.place(days[day][stage]) - scale.place(0)) for (x, y), day in zip(below, shown, strict=True)
        ]
        marks.append(Area(f"stage{stages.index(stage)}", below, heights))
        below = heights
    middle = shown[0] + (shown[-1] - shown[0]) / 2
    drawing = plot(
        "flow",
        title,
        says,
        marks,
        up=[words.number(tick) for tick in scale.ticks],
        along=[words.short_month(day) for day in (shown[0], middle, shown[-1])],
    )
    last = days[shown[-1]]
    keys = [(f"area stage{at}", f"{words.of('stage', stage)} {words.number(last[stage])}") for at, stage in enumerate(stages)]
    return joined(drawing, legend(keys))


def _times(figures: Figures, words: Words) -> Chart | None:
    times = figures.times
    if times is None or times.median is None or times.p85 is None:
        return None
    rows = times.to_arrow().to_pylist()
    most = max(row["p95"] for row in rows if row["p95"] is not None) or 1

    def named(stage: str) -> str:
        if stage != times.whole:
            return words.of("stage", stage)
        first, _, last = stage.partition(" to ")
        return words("stage.whole", first=words.of("stage", first), last=words.of("stage", last))

    def days(value: float | None) -> str | None:
        return None if value is None else words.number(round(value, 1))

    def drawn(row: dict[str, Any]) -> Markup | None:
        if row["p50"] is None:
            return None
        return bar(("pale", 0, row["p95"] / most), ("weak", 0, row["p85"] / most), ("strong", 0, row["p50"] / most))

    return Chart(
        name="times",
        section="improvements",
        title=words("times.title"),
        says=words(
            "times.says",
            median=words.number(round(times.median)),
            p85=words.number(round(times.p85)),
            finished=words.count("times.finished", times.finished),
        ),
        body=table(
            Table(
                [
                    Column(words("times.stage"), "name"),
                    Column("", "drawing"),
                    *(Column(words(f"times.{name}"), "number") for name in ("p50", "p85", "p95")),
                    *(Column(words(f"times.{name}"), "number less") for name in ("left", "staying")),
                ],
                [
                    [
                        named(row["stage"]),
                        drawn(row),
                        *(days(row[name]) for name in ("p50", "p85", "p95")),
                        words.number(row["left"]),
                        words.number(row["staying"]),
                    ]
                    for row in rows
                ],
            ),
            "bars",
        ),
    )


def _pick(figures: Figures, words: Words) -> Chart | None:
    pick = figures.pick
    if pick is None:
        return None
    ideas: dict[str, list[str]] = {name: [] for name in pick.counts}
    for row in pick.to_arrow().to_pylist():
        if row["quadrant"] is not None:
            ideas[row["quadrant"]].append(row["title"] or "")
    placed = sum(pick.counts.values())
    # Little effort to the left, great effect above.
    order = ("Implement", "Challenge", "Possible", "Kick")
    assert set(order) == set(QUADRANTS.values())
    quadrants = [_quadrant(name, ideas[name], words) for name in order]
    return Chart(
        name="pick",
        section="improvements",
        place="tall",
        title=words("pick.title"),
        says=words(
            "pick.says",
            placed=words.count("pick.placed", placed),
            implement=pick.counts["Implement"],
            unplaced=pick.unplaced,
        ),
        body=joined(
            element("p", f"↑ {words('quadrant.effect')}", class_="legend"),
            element("div", *quadrants, class_="quadrants"),
            element("p", f"{words('quadrant.effort')} →", class_="legend right"),
        ),
    )


def _quadrant(name: str, titles: Sequence[str], words: Words) -> Markup:
    listed = [element("li", shorten(title, _LETTERS, placeholder=" …")) for title in titles[:_TITLES]]
    if len(titles) > _TITLES:
        listed.append(element("li", words.count("more", len(titles) - _TITLES)))
    heading = element("b", f"{words.of('quadrant', name)} {words.number(len(titles))}")
    return element("div", heading, element("ul", *listed) if listed else None, class_=f"quadrant {name.lower()}")


def _good(figures: Figures, words: Words) -> Chart | None:
    good, by_category = figures.good, figures.good_by_category
    if good is None or by_category is None or good.ratio is None or good.lower is None or good.upper is None:
        return None
    rows = by_category.to_arrow().to_pylist()
    return Chart(
        name="evaluations",
        section="improvements",
        title=words("evaluations.title"),
        says=words(
            "evaluations.says",
            good=good.good,
            evaluated=good.evaluated,
            share=words.percent(good.ratio),
            confidence=words.percent(good.confidence),
            lower=words.percent(good.lower),
            upper=words.percent(good.upper),
        ),
        body=table(
            Table(
                [
                    Column(words("category"), "name"),
                    Column("0–100\u00a0%" if words.lang != "en" else "0–100%", "drawing"),
                    Column(words("evaluations.good"), "number"),
                    Column(words("evaluations.share"), "number"),
                ],
                [
                    [
                        row["group"] or words("none"),
                        None if row["ratio"] is None else interval(row["lower"], row["upper"], row["ratio"]),
                        words("meter.of", met=row["good"], points=row["evaluated"]),
                        None if row["ratio"] is None else words.percent(row["ratio"]),
                    ]
                    for row in rows
                ],
            ),
            "bars",
        ),
    )


def _roi(figures: Figures, words: Words) -> Chart | None:
    roi, by_category = figures.roi, figures.roi_by_category
    if roi is None or by_category is None or roi.roi is None:
        return None
    rows = by_category.to_arrow().to_pylist()
    most = max(max(row["cost"], row["gain"], 0) for row in rows) or 1
    return Chart(
        name="roi",
        section="improvements",
        title=words("roi.title"),
        says=words(
            "roi.says",
            cost=words.number(roi.cost),
            gain=words.number(roi.gain),
            unit=roi.unit,
            share=words.percent(roi.roi),
            incomplete=words.count("roi.incomplete", roi.incomplete),
        ),
        body=table(
            Table(
                [
                    Column(words("category"), "name"),
                    Column("", "drawing"),
                    Column(words("roi.cost"), "number"),
                    Column(words("roi.gain"), "number"),
                    Column(words("roi.return"), "number"),
                ],
                [
                    [
                        row["group"] or words("none"),
                        joined(bar(("spent", 0, row["cost"] / most)), bar(("good", 0, max(row["gain"], 0) / most))),
                        words.number(row["cost"]),
                        words.number(row["gain"]),
                        None if row["roi"] is None else words.percent(row["roi"]),
                    ]
                    for row in rows
                ],
            ),
            "bars",
        ),
    )
