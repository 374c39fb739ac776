"""The report as one self-contained page: no network, no scripts. It is well-formed XML too, which a test checks.

What a morning meeting asks first comes first. On paper it takes two sheets.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path

import obeya
from obeya._report import _says, _top
from obeya._report._chart import Chart, table
from obeya._report._charts import charts
from obeya._report._gather import Figures
from obeya._report._markup import Markup, element, joined
from obeya._report._style import STYLE
from obeya._report._words import Words
from obeya.lean import _dates

_MARK = '<meta name="generator" content="obeya '
"""The marker of such a page, of any version."""

_SECTIONS = ("safety", "incidents", "process", "improvements")


def page(figures: Figures, *, made: datetime.datetime | None = None) -> str:
    """The whole page. `made` is when, and now without it."""
    words, wanted = Words(figures.wanted.lang), figures.wanted
    at = (made or datetime.datetime.now(datetime.timezone.utc)).astimezone(_dates.zone(wanted.tz))
    foot = words("foot", version=obeya.__version__, time=f"{at:%Y-%m-%d %H:%M}", zone=wanted.tz)
    return document(
        f"{wanted.title}, {wanted.today}",
        wanted.lang,
        Markup(f"<style>\n{STYLE}\n</style>"),
        element(
            "body",
            element("header", *head(figures, words)),
            element("main", *boards(figures, words)),
            element("footer", foot),
        ),
    )


def document(title: str, lang: str, look: Markup, body: Markup, *, class_: str | None = None) -> str:
    """A page with a look and a body."""
    class_attribute = f' class="{class_}"' if class_ else ""
    parts = [
        "<!DOCTYPE html>",
        f'<html xmlns="http://www.w3.org/1999/xhtml" lang="{lang}"{class_attribute}>',
        "<head>",
        '<meta charset="utf-8" />',
        '<meta name="viewport" content="width=device-width, initial-scale=1" />',
        f'{_MARK}{obeya.__version__}" />',
        element("title", title),
        look,
        "</head>",
        body,
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def is_report(path: Path) -> bool:
    """Whether a file is such a page, of any version."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return _MARK in file.read(1000)
    except OSError:
        return False


def head(figures: Figures, words: Words) -> list[Markup]:
    """What the report is about."""
    wanted = figures.wanted
    said = words("report", weekday=words.weekday(wanted.today), day=words.day(wanted.today))
    return [element("h1", wanted.title), element("p", f"{said}: {_says.head(figures, words)}", class_="soft")]


def boards(figures: Figures, words: Words, most: int | None = None) -> Iterator[Markup]:
    """The parts of the report, each with a heading. With `most` a part of more charts becomes several."""
    drawn = list(charts(figures, words))
    first = [_section(name, words, show(figures, words)) for name, show in (("yesterday", _top.yesterday), ("today", _top.today))]
    yield element("div", *first, id="board-morning", class_="board pair")
    crossed, met = _top.cross(figures, words), _top.targets(figures, words)
    for name in _SECTIONS:
        own = [_figure(chart, words) for chart in drawn if chart.section == name]
        if name == "safety" and crossed is not None:
            own.insert(0, crossed)
        size = most or len(own)
        for at in range(0, len(own), size or 1):
            shown = element("div", *own[at : at + size], class_="charts")
            yield _section(name, words, shown, number=at // size + 1)
        if name == "safety" and met is not None:
            yield _section("targets", words, met)
    if not figures.incidents and not figures.improvements and not drawn and met is None:
        yield element("p", words("empty"))
    yield from _failed(_says.failures(figures, words), words)


def _section(name: str, words: Words, *content: Markup, number: int = 1) -> Markup:
    class_ = None if name in ("yesterday", "today") else "board"
    return element("section", element("h2", words(f"section.{name}")), *content, id=f"board-{name}{number if number > 1 else ''}", class_=class_)


def _failed(failures: Sequence[tuple[str, str]], words: Words) -> Iterator[Markup]:
    if failures:
        listed = element("ul", *(element("li", f"{name}: {why}") for name, why in failures))
        yield _section("failed", words, listed)


def _figure(chart: Chart, words: Words) -> Markup:
    caption = element("figcaption", element("h3", chart.title), element("p", chart.says))
    details = None
    if chart.figures is not None:
        # The table may be wider or longer than its place; with a tabindex it can be moved by keys.
        scroll = element("div", table(chart.figures, "values"), class_="scroll", tabindex=0, role="group", aria_label=chart.title)
        details = element("details", element("summary", words("figures")), scroll)
    return element("figure", caption, chart.body, details, id=chart.name, class_=f"card {chart.place}" if chart.place else "card")
