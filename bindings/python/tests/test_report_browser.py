"""The report in a browser: all of it is in its place on a phone, a desktop, a large screen and paper, and large enough to read.

These tests are there where a Chromium is (see `chromium`).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import chromium
import obeya
import pytest
from obeya._report import _options
from obeya._report._gather import gather
from obeya._report._page import page
from obeya._report._targets import Target
from obeya._report._wanted import Wanted

LONG = "Vedlikeholdsavdelingen for hydrauliske presser i bearbeidingshallen"

MEASURE = r"""(() => {
  const found = [], wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) found.push("the page is " + wide + " pixels wide");
  const leaves = [...document.querySelectorAll("body *")].filter(node => node.namespaceURI.endsWith("xhtml")
    && [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim()) && node.getClientRects().length);
  for (const node of leaves) {
    const size = parseFloat(getComputedStyle(node).fontSize);
    if (size < 12) found.push(size + " px: " + node.textContent);
    if (node.closest(".scroll")) continue;
    const own = document.createRange();
    own.selectNodeContents(node);
    const place = own.getBoundingClientRect(), card = (node.closest(".card") || document.body).getBoundingClientRect();
    if (place.left < card.left - 1 || place.right > card.right + 1 || place.bottom > card.bottom + 1)
      found.push("beyond its card: " + node.textContent);
    // A word that is broken stands in two lines.
    for (const child of node.childNodes) {
      if (child.nodeType !== 3) continue;
      for (const word of child.textContent.matchAll(/[^\s-]+/g)) {
        const part = document.createRange();
        part.setStart(child, word.index);
        part.setEnd(child, word.index + word[0].length);
        const lines = new Set([...part.getClientRects()].map(line => Math.round(line.top)));
        if (lines.size > 1 && word[0].length < 24) found.push("broken: " + word[0]);
      }
    }
  }
  // Texts side by side, such as the ticks of an axis, cover none of each other.
  for (const row of document.querySelectorAll(".along, .up, .legend, tr")) {
    const places = [...row.children].filter(child => child.textContent.trim()).map(child => {
      const own = document.createRange();
      own.selectNodeContents(child);
      return [own.getBoundingClientRect(), child.textContent];
    });
    for (let at = 0; at < places.length; at++) for (let other = 0; other < at; other++) {
      const [one, text] = places[at], [two, before] = places[other];
      if (one.width && two.width && one.left < two.right - 1 && two.left < one.right - 1
          && one.top < two.bottom - 2 && two.top < one.bottom - 2) found.push(before + " is covered by " + text);
    }
  }
  return { found, texts: leaves.length };
})()"""


def wanted(**changes: object) -> Wanted:
    base = Wanted(
        title="Fjordvik Gear",
        today=datetime.date(2026, 3, 1),
        safety="Health and safety",
        datasource=1,
        where="dimension eq 'Line 3'",
        unit="%",
        currency="NOK",
        targets=_options._DEMO_TARGETS,
        link="https://plant.example/{kind}/{id}",
    )
    return replace(base, **changes)  # type: ignore[arg-type]


if chromium.PROGRAM:

    @pytest.fixture(scope="module")
    def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Page]:
        with chromium.browser(tmp_path_factory.mktemp("profile")) as page:
            yield page

    @pytest.fixture(scope="module", params=["en", "nb", "de", "long"])
    def address(request: pytest.FixtureRequest, demo: obeya.TestServer, tmp_path_factory: pytest.TempPathFactory) -> str:
        """The report of the demo in each language, and one with long names."""
        kind: str = request.param
        changes: dict[str, object] = {"lang": kind}
        if kind == "long":
            many = [Target("Q", f"{LONG} {at}", 1, 70, "higher", unit="prosentpoeng") for at in range(13)]
            changes = {"title": LONG * 2, "name": LONG, "targets": tuple(many)}
        file: Path = tmp_path_factory.mktemp("report") / f"{kind}.html"
        with demo.client() as client:
            shown = page(gather(client, wanted(**changes)))
        if kind == "long":
            # The names of groups and types, wherever they are shown.
            for short in ("Machining evening shift", "Electrical and automation", "Equipment failure", "Arbeidsmiljø", "Measuring device"):
                assert short in shown
                shown = shown.replace(short, LONG)
        file.write_text(shown, encoding="utf-8")
        return file.as_uri()

    @pytest.mark.parametrize(
        ("width", "height", "look"),
        [(360, 740, "light"), (390, 844, "dark"), (768, 1024, "light"), (1280, 900, "light"), (3840, 2160, "dark")],
    )
    def test_all_of_it_is_in_its_place_and_large_enough(
        width: int, height: int, look: str, browser: chromium.Page, address: str
    ) -> None:
        browser.size(width, height, phone=width < 500)
        browser.look(look)
        browser.open(address)
        measured = browser.run(MEASURE)
        browser.picture(f"report-{Path(address).stem}-{width}-{look}")
        assert not measured["found"], "\n".join(measured["found"])
        assert measured["texts"] > 300
        assert browser.said() == []

    def test_it_takes_two_sheets_of_paper(browser: chromium.Page, address: str) -> None:
        browser.size(1280, 900)
        browser.open(address)
        sheets = len(re.findall(rb"/Type\s*/Page\b", browser.print()))
        # 13 meters with names of two lines each are too many for one sheet.
        assert sheets == (3 if "long" in address else 2)
