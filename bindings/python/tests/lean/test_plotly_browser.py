"""Figures of plotly in a browser, wide and as narrow as a phone: no text covers another, is cut or is small, and texts of the data
are drawn as they are. Runs where a Chromium is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chromium
import pytest
from obeya import lean
from test_looks import CROWDED, NAMES
from test_plotly import HOSTILE, hostile_charts
from test_plots import CHARTS, INCIDENTS, with_bad_records

FIGURES: dict[str, Callable[[], lean.Result]] = {
    **CHARTS,
    **{f"crowded {name}": create for name, create in CROWDED.items()},
    "left out": lambda: next(iter(with_bad_records())),
    "no data": lambda: lean.xmr([]),
    "groups": lambda: lean.safety_cross(INCIDENTS, as_of="2026-03-20", by="reportedByGroup"),
    "pairs": lambda: lean.xmr({"value": [1.0, 2, 1, 9, 2] * 3, "line": ["A"] * 5 + ["B"] * 5 + ["C"] * 5}, date=None, by="line"),
}

DRAWN = "document.querySelector('.js-plotly-plot .main-svg') && !document.querySelector('.js-plotly-plot')._promises?.length"

TEXTS = """[...document.querySelectorAll('.js-plotly-plot text')].flatMap(text => {
  const box = text.getBoundingClientRect(), scale = Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b);
  const sizes = [text, ...text.querySelectorAll('tspan')].map(each => parseFloat(getComputedStyle(each).fontSize) * scale);
  if (!text.textContent.trim() || !box.width) return [];
  // Boxes of texts that are turned overlap where the texts do not.
  return [{text: text.textContent, left: box.left, right: box.right, top: box.top, bottom: box.bottom, size: Math.min(...sizes),
           turned: Math.abs(text.getScreenCTM().b) > 0.01}];
})"""


if chromium.PROGRAM:

    @pytest.fixture(scope="module")
    def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Page]:
        with chromium.browser(tmp_path_factory.mktemp("profile")) as page:
            yield page

    @pytest.fixture(scope="module")
    def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
        return tmp_path_factory.mktemp("figures")

    def shown(browser: chromium.Page, folder: Path, chart: lean.Result, width: int) -> list[dict[str, Any]]:
        """Opens the chart, and returns the texts that are seen."""
        file = folder / "figure.html"
        # The library is beside the figures, once.
        chart.plot(backend="plotly").write_html(file, include_plotlyjs="directory", config={"responsive": True})
        browser.size(width, 800)
        browser.open(file.as_uri())
        browser.until(DRAWN)
        found: list[dict[str, Any]] = browser.run(TEXTS)
        return found

    @pytest.mark.parametrize("name", FIGURES)
    @pytest.mark.parametrize("width", [1280, 390])
    def test_texts_are_apart_and_large_enough(browser: chromium.Page, folder: Path, name: str, width: int) -> None:
        texts = shown(browser, folder, FIGURES[name](), width)
        browser.picture(f"plotly-{name}-{width}")
        assert len(texts) >= 2
        assert [each for each in texts if each["size"] < 11.99] == []
        assert [each for each in texts if each["left"] < -1 or each["right"] > width + 1 or each["top"] < 0] == []
        covered = [
            (one["text"], other["text"])
            for at, one in enumerate(texts)
            for other in texts[:at]
            if not (one["turned"] and other["turned"])
            and one["left"] < other["right"] - 2
            and other["left"] < one["right"] - 2
            and one["top"] < other["bottom"] - 3
            and other["top"] < one["bottom"] - 3
        ]
        assert covered == []
        assert browser.run("document.documentElement.scrollWidth") <= width
        assert browser.said() == []

    def test_texts_of_the_data_are_drawn_as_they_are(browser: chromium.Page, folder: Path) -> None:
        for chart in hostile_charts():
            texts = shown(browser, folder, chart, 1280)
            assert [each["text"] for each in texts if any(part in each["text"] for part in ("<b>", "<a", "$x^2$", "<br>"))], chart
            assert browser.run("document.querySelectorAll('.main-svg a').length") == 0
        days = next(chart for chart in hostile_charts() if isinstance(chart, lean.DaysSince))
        names = {each["text"] for each in shown(browser, folder, days, 1280)}
        assert {HOSTILE[4], "A<br>B & C <script>"} <= names
        # What is said where the pointer is.
        browser.run("Plotly.Fx.hover(document.querySelector('.js-plotly-plot'), [{curveNumber: 0, pointNumber: 3}])")
        browser.until("document.querySelector('.hoverlayer text')")
        assert HOSTILE[0] in browser.run("[...document.querySelectorAll('.hoverlayer text')].map(each => each.textContent).join()")
        assert browser.run("document.querySelectorAll('.hoverlayer a').length") == 0
        # plotly sets formulas between dollars where it has a library for them.
        assert browser.run("[...document.querySelectorAll('[data-unformatted]')].every(each => !each.dataset.unformatted.includes('$'))")

    @pytest.mark.parametrize("width", [1280, 390])
    def test_turned_names_that_go_beyond_the_last_bar_are_drawn(browser: chromium.Page, folder: Path, width: int) -> None:
        texts = [each["text"] for each in shown(browser, folder, CROWDED["pareto"](), width)]
        assert len([text for text in texts if text[:9] in {name[:9] for name in NAMES}]) == 13
