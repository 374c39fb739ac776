"""Pictures of crowded data: names do not cover each other, no word is broken, and text is read on white."""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Iterator
from typing import Any

import matplotlib
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from obeya import lean
from obeya.lean import _plot

TODAY = datetime.date(2026, 3, 1)

NAMES = [
    "Vedlikeholdsavdelingen for hydrauliske presser",
    "Electrical and automation of the northern halls",
    "Helse, miljø og sikkerhet i støperiet",
    "Donaudampfschifffahrtsgesellschaft Werk Süd",
    "Machining evening shift with its toolroom",
    "Oberflächenbehandlung und Härterei",
    "Continuous improvement office",
    "Stores and dispatch, incoming inspection",
    "Assembly and test of gearboxes",
    "Qualitätssicherungsbeauftragte der Montage",
    "Safety representatives",
    "Engineering change board",
    "Lagerverwaltung",
]
"""Thirteen, and longer than most."""


def rows(names: int = 13) -> list[dict[str, Any]]:
    dice = random.Random(9)
    return [
        {
            "id": at,
            "name": NAMES[at % names],
            "title": NAMES[at % names],
            "incidentDate": TODAY - datetime.timedelta(days=dice.randrange(1, 700)),
            "dueDate": TODAY - datetime.timedelta(days=dice.randrange(1, 90)),
            "status": "New",
            "evaluationStatus": "Good",
            "costOfInvestment": dice.randrange(10_000, 90_000),
            "gainOfInvestment": dice.randrange(10_000, 300_000),
            "effort": dice.random() * 100,
            "effect": dice.random() * 100_000,
        }
        for at in range(names * 10)
    ]


def values(count: int, extra: int = 4000) -> dict[str, list[Any]]:
    """Noise with a spike now and then."""
    dice = random.Random(4)
    start = datetime.datetime(2024, 1, 1)
    return {
        "valueDate": [start + datetime.timedelta(hours=at) for at in range(count)],
        "value": [dice.gauss(10, 1) + (8 if at % extra == 7 else 0) for at in range(count)],
    }


def phased() -> lean.XmR:
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=at) for at in range(84)]
    dice = random.Random(2)
    return lean.xmr({"valueDate": days, "value": [dice.gauss(10 + at // 6, 1) for at in range(84)]}, phases=days[6::6], rules="nelson")


CROWDED = {
    "days since": lambda: lean.days_since(rows(), by="name", as_of=TODAY),
    "overdue": lambda: lean.overdue(rows(), responsible="name", as_of=TODAY),
    "evaluations": lambda: lean.evaluation_ratio(rows(), by="name"),
    "return": lambda: lean.roi(rows(), by="name", unit="NOK"),
    "pareto": lambda: lean.pareto(rows(), by="name"),
    "ideas": lambda: lean.pick(rows()[:40], effort="effort", effect="effect", effort_from=50, effect_from=50_000),
    "many values": lambda: lean.xmr(values(22_695)),
    "many signals": lambda: lean.xmr(values(120, 3), rules="nelson"),
    "phases": phased,
}


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    matplotlib.use("Agg")
    yield
    pyplot.close("all")


def texts(ax: Axes) -> list[Text]:
    """Every text of the picture that is seen."""
    figure: Any = ax.figure
    figure.canvas.draw()
    found = []
    for each in figure.axes:
        named = [*each.get_xticklabels(), *each.get_yticklabels(), *each.texts]
        low, high = sorted(each.get_ylim())
        shown = [text for text in named if text.get_visible() and text.get_text().strip()]
        ticks = {id(label) for label in each.get_yticklabels()}
        # A tick beyond the end of an axis is not drawn.
        found += [text for text in shown if id(text) not in ticks or low - 1e-9 <= text.get_position()[1] <= high + 1e-9]
    return found


@pytest.mark.parametrize("name", CROWDED)
def test_no_text_covers_another(name: str) -> None:
    ax = CROWDED[name]().plot()
    shown = [text for text in texts(ax) if not text.get_rotation()]
    boxes = [(text.get_window_extent(), text.get_text()) for text in shown]
    covered = [
        (one, other)
        for at, (box, one) in enumerate(boxes)
        for before, other in boxes[:at]
        if box.x0 < before.x1 - 2 and before.x0 < box.x1 - 2 and box.y0 < before.y1 - 2 and before.y0 < box.y1 - 2
    ]
    assert covered == []
    assert len(shown) > 8


def test_turned_names_keep_a_line_apart() -> None:
    ax = CROWDED["pareto"]().plot()
    figure: Any = ax.figure
    figure.canvas.draw()
    labels = [label for label in ax.get_xticklabels() if label.get_text()]
    assert len(labels) == 13 and all("\n" not in label.get_text() for label in labels)
    # The distance of two lines that are turned by 35 degrees, in points; a line is 1.2 times its letters.
    places = [ax.transData.transform((at, 0))[0] for at in (0, 1)]
    distance = (places[1] - places[0]) * 72 / figure.dpi * 0.5736
    assert distance >= 1.2 * float(labels[0].get_fontsize())


@pytest.mark.parametrize("name", [name for name in CROWDED if name not in ("many values", "many signals", "phases")])
def test_no_word_is_broken_inside(name: str) -> None:
    words = {word for each in NAMES for word in re.split(r"[\s,-]+", each)}
    for text in texts(CROWDED[name]().plot()):
        if not any(text.get_text()[:6] in each for each in NAMES):
            continue
        for line in text.get_text().split("\n"):
            for word in re.split(r"[\s,-]+", line.replace("$", "")):
                # A word that is cut says so.
                whole = word.strip("…")
                assert not whole or whole in words or word.endswith("…"), text.get_text()


def test_the_names_of_a_small_place_have_one_line() -> None:
    figure = pyplot.figure(figsize=(6, 2.4), dpi=100)
    ax = CROWDED["days since"]().plot(figure.add_subplot())
    figure.canvas.draw()
    labels = [label for label in ax.get_yticklabels() if label.get_text()]
    assert len(labels) == 13 and all("\n" not in label.get_text() for label in labels)
    boxes = sorted((label.get_window_extent() for label in labels), key=lambda box: box.y0)
    assert all(one.y1 <= other.y0 + 3 for one, other in zip(boxes, boxes[1:], strict=False))


def test_very_many_values_are_thinned_to_their_signals() -> None:
    chart = lean.xmr(values(22_695))
    ax = chart.plot()
    lines = {str(line.get_gid()): line for line in ax.get_lines()}
    assert lines["values"].get_marker() in ("None", "")
    # Every signal is marked, and the farthest are named.
    signals = [row for row in chart.to_arrow().to_pylist() if set(row["rules"]) - {"R1"}]
    assert len(list(lines["signals"].get_xdata())) == len(signals)  # type: ignore[arg-type]
    named = [text.get_text() for text in ax.texts if re.match(r"N\d", text.get_text())]
    assert 1 <= len(named) <= 12 and "N1" in " ".join(named)


def test_a_few_values_are_all_marked() -> None:
    ax = lean.xmr(values(100)).plot()
    (line,) = [line for line in ax.get_lines() if line.get_gid() == "values"]
    assert line.get_marker() == "o"


def luminance(colour: Any) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("name", CROWDED)
def test_text_is_read_on_white(name: str) -> None:
    for text in texts(CROWDED[name]().plot()):
        # WCAG 2.1, 1.4.3.
        assert 1.05 / (luminance(text.get_color()) + 0.05) >= 4.5, text.get_text()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Short", "Short"),
        ("Stores and dispatch, incoming inspection", "Stores and dispatch,\nincoming inspection"),
        ("Donaudampfschifffahrtsgesellschaft Werk Süd", "Donaudampfschifffahrt…\nWerk Süd"),
        ("Electrical and automation of the northern halls", "Electrical and\nautomation of the …"),
        ("", ""),
    ],
)
def test_names_are_wrapped_between_words(text: str, lines: str) -> None:
    assert _plot.wrapped(text) == lines
