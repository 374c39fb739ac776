"""What is read of a report: its words in each language, its colours, and the round numbers of its axes."""

from __future__ import annotations

import ast
import datetime
import re
import string
from pathlib import Path

import obeya
import pytest
from obeya._report import _draw, _gather, _options, _style, _words
from obeya._report._page import page
from obeya._report._text import text
from obeya._report._wanted import LANGUAGES, Wanted
from obeya._report._words import Words

HERE = Path(_words.__file__).parent.parent
ENGLISH = _words._TABLES["en"]


def fields(words: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(words) if name is not None}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_every_word_with_its_fields(lang: str) -> None:
    table = _words._TABLES[lang]
    assert list(table) == list(ENGLISH)
    for name, words in table.items():
        assert words.strip(), name
        assert fields(words) == fields(ENGLISH[name]), name
        assert words.count("|") == ENGLISH[name].count("|") <= 1, name
        # Singular and plural say the same.
        one, bar, many = words.partition("|")
        assert not bar or fields(one) == fields(many), name
    assert [len(table[name].split()) for name in ("months", "short_months", "weekdays")] == [12, 12, 7]


def test_every_word_is_used() -> None:
    names: set[str] = set()
    patterns: set[str] = set()
    for file in (*HERE.glob("*.py"), HERE / "_words" / "__init__.py", *(HERE.parent / "_wall").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                names.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                # A name that is put together of parts.
                parts = [re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[^.]+" for part in node.values]
                patterns.add("".join(parts))
    # Without a point it would be any name.
    patterns = {pattern for pattern in patterns if re.match(r"[\w-]+\\\.|\[\^\.\]\+\\\.\w", pattern)}
    used = [name for name in ENGLISH if name in names or any(re.fullmatch(pattern, name) for pattern in patterns)]
    # `Words.of` takes its group and its word apart.
    groups = ("stage.", "quadrant.", "severity.")
    assert [name for name in ENGLISH if name not in used and not name.startswith(groups)] == []


@pytest.mark.parametrize(
    ("lang", "number", "share", "day", "short", "month", "weekday"),
    [
        ("en", "1,234,567", "6.5%", "1 March 2026", "1 Mar", "March 2026", "Sunday"),
        ("nb", "1\u00a0234\u00a0567", "6,5\u00a0%", "1. mars 2026", "1. mars", "mars 2026", "søndag"),
        ("de", "1.234.567", "6,5\u00a0%", "1. März 2026", "1. März", "März 2026", "Sonntag"),
    ],
)
def test_numbers_and_days_are_written_as_in_the_language(
    lang: str, number: str, share: str, day: str, short: str, month: str, weekday: str
) -> None:
    words, sunday = Words(lang), datetime.date(2026, 3, 1)
    assert (words.number(1_234_567), words.percent(0.065)) == (number, share)
    assert (words.day(sunday), words.short_day(sunday), words.month(sunday), words.weekday(sunday)) == (day, short, month, weekday)
    assert words.count("incidents", 1).split()[0] == "1" and words.count("incidents", 1) != words.count("incidents", 2)
    assert words.of("stage", "InProgress") == {"en": "In progress", "nb": "Pågår", "de": "In Arbeit"}[lang]
    assert words.of("stage", "Shelved") == "Shelved"


@pytest.mark.parametrize("lang", ["nb", "de"])
def test_no_english_is_left_in_another_language(lang: str, demo: obeya.TestServer) -> None:
    wanted = Wanted(title="Fjordvik", today=datetime.date(2026, 3, 1), lang=lang, targets=_options._DEMO_TARGETS)
    with demo.client() as client:
        figures = _gather.gather(client, wanted)
    shown, said = page(figures), text(figures)
    assert f'lang="{lang}"' in shown
    for name in ("section.today", "section.targets", "times.title", "meter.trend"):
        assert Words(lang)(name) in shown
    # Class names and ids are no words that are read. The plant has English names of its own.
    read = re.sub(r"<style>.*?</style>|<[^>]*>", " ", shown, flags=re.DOTALL)
    for word in ("incidents", "improvements", "overdue", "at least", "signals", "days", "since", "longest", "Nothing", "nobody"):
        assert word not in read and word not in said, word


def luminance(colour: str) -> float:
    """WCAG 2.1, relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    # The grey that is known as the lightest one on white.
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("look", [_style.LIGHT, _style.DARK], ids=["light", "dark"])
def test_texts_are_read_on_their_grounds(look: dict[str, str]) -> None:
    assert set(_style.LIGHT) == set(_style.DARK)
    for text_colour, ground in _style.PAIRS:
        assert contrast(look[text_colour], look[ground]) >= 4.5, (text_colour, ground)
    # What is drawn: WCAG 2.1, 1.4.11.
    for mark in ("strong", "good", "bad"):
        assert contrast(look[mark], look["card"]) >= 3, mark


def test_the_days_of_the_cross_are_read_on_their_grounds() -> None:
    for name, (text_colour, ground) in _style.CELLS.items():
        assert contrast(text_colour, ground) >= 4.5, name


def test_every_colour_of_text_in_the_style_sheet_is_checked() -> None:
    named = set(re.findall(r"[^-]color: var\(--(\w+)\)", _style.STYLE))
    assert named <= {text_colour for text_colour, _ in _style.PAIRS}


@pytest.mark.parametrize(
    ("values", "zero", "ticks"),
    [
        ([0, 626], True, [750, 500, 250, 0]),
        ([48, 73], False, [80, 70, 60, 50, 40]),
        ([1.2, 1.9], False, [2, 1.8, 1.6, 1.4, 1.2]),
        ([5, 5], False, [5.5, 5.25, 5, 4.75, 4.5]),
        ([0, 0], True, [1, 0.75, 0.5, 0.25, 0]),
        ([-3, 4], True, [4, 2, 0, -2, -4]),
        ([float("nan"), 3, 4], False, [4, 3.75, 3.5, 3.25, 3]),
    ],
)
def test_an_axis_ends_at_round_numbers(values: list[float], zero: bool, ticks: list[float]) -> None:
    found = _draw.axis(values, zero=zero)
    assert found.ticks == pytest.approx(ticks)
    assert [found.place(ticks[0]), found.place(ticks[-1])] == pytest.approx([1, 0])
