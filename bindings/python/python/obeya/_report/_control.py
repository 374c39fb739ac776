"""Control charts of the page: values with their mean and natural process limits for each phase, and marks where rules found signals."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from obeya._report._draw import Dots, Line, Mark, axis, legend, plot
from obeya._report._markup import Markup, joined
from obeya._report._words import Words

_DOTTED = 120
"""Of more points only the signals are marked: the others would be a band."""


def control(name: str, title: str, says: str, rows: Sequence[dict[str, Any]], words: Words, *, zero: bool = False) -> Markup:
    """A control chart. Points are at equal distances, in their order."""
    lines = [[row[line] for row in rows if row[line] is not None] for line in ("value", "centre", "lower", "upper")]
    scale = axis([value for line in lines for value in line], zero=zero)
    step = 1 / max(len(rows) - 1, 1)
    points = [(at * step, scale.place(row["value"])) for at, row in enumerate(rows)]
    marks: list[Mark] = []
    begin = 0
    for _, members in groupby(rows, key=lambda row: row["phase"]):
        phase = list(members)
        end = begin + len(phase) - 1
        if begin:
            between = (begin - 0.5) * step
            marks.append(Line("change", [(between, 0), (between, 1)]))
        # Limits reach half-way to the next phase, so that a phase of one point has some too.
        left, right = max((begin - 0.5) * step, 0), min((end + 0.5) * step, 1)
        for line, class_ in (("upper", "limit"), ("centre", "mean"), ("lower", "limit")):
            if phase[0][line] is not None:
                height = scale.place(phase[0][line])
                marks.append(Line(class_, [(left, height), (right, height)]))
        begin = end + 1
    marks.append(Line("value", points))
    if len(points) <= _DOTTED:
        marks.append(Dots("value", points))
    signals = [point for point, row in zip(points, rows, strict=True) if row["rules"]]
    if signals:
        # A ring about the point: it is seen without colours too.
        marks += [Dots("ring", signals), Dots("hole", signals), Dots("core", signals)]
    drawing = plot(name, title, says, marks, up=[words.number(tick) for tick in scale.ticks], along=_days(rows, words))
    return joined(drawing, _legend(rows, words, signals=bool(signals), changed=begin > 0 and rows[0]["phase"] != rows[-1]["phase"]))


def _legend(rows: Sequence[dict[str, Any]], words: Words, *, signals: bool, changed: bool) -> Markup:
    last = rows[-1]
    limits = (
        words("legend.limit", upper=words.number(last["upper"]))
        if last["lower"] is None
        else words("legend.limits", lower=words.number(last["lower"]), upper=words.number(last["upper"]))
    )
    entries = [
        ("line value", words("legend.value")),
        ("line mean", words("legend.mean", value=words.number(last["centre"]))),
        ("line limit", limits),
    ]
    if signals:
        entries.append(("dots ring", words("legend.signal")))
    if changed:
        entries.append(("line change", words("legend.change")))
    return legend(entries)


def _days(rows: Sequence[dict[str, Any]], words: Words) -> list[str]:
    """The days of the first point, the one in the middle and the last."""
    places = sorted({0, (len(rows) - 1) // 2, len(rows) - 1}) if len(rows) > 2 else range(len(rows))
    days = [rows[place]["date"] for place in places]
    return [words.short_month(_day(day)) for day in days if day is not None]


def _day(moment: datetime.datetime | datetime.date) -> datetime.date:
    return moment.date() if isinstance(moment, datetime.datetime) else moment
