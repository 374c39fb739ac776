"""The wall in a browser: it fills the screen, turns its boards, renews itself, and keeps the last figures whatever goes away.

These tests are there where a Chromium is (see `chromium`).
"""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
from collections.abc import Callable, Iterator

import chromium
import obeya
import pytest
import walls
from obeya._report import _options
from obeya._report._wanted import Wanted
from test_report import environment
from test_report_browser import MEASURE

SHOWN = "document.querySelector('.shown')?.id"

DEMO = Wanted(
    title="Fjordvik Gear",
    today=walls.DAY,
    safety="Health and safety",
    datasource=1,
    where="dimension eq 'Line 3'",
    unit="%",
    currency="NOK",
    targets=_options._DEMO_TARGETS,
)

if chromium.PROGRAM:

    @pytest.fixture(scope="module")
    def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Page]:
        with chromium.browser(tmp_path_factory.mktemp("profile")) as page:
            yield page

    @pytest.fixture(scope="module")
    def wall(demo: obeya.TestServer) -> Iterator[walls.Running]:
        """The demo's plant, whose boards are turned by hand."""
        with walls.running(demo, DEMO, seconds=3600) as wall:
            yield wall

    @pytest.mark.parametrize(
        ("width", "height", "look", "least"),
        # The least size of any text, in pixels: on a large screen in proportion.
        [(1280, 720, "light", 11), (1920, 1080, "dark", 16), (3840, 2160, "dark", 33), (1080, 1920, "light", 15)],
    )
    def test_each_board_fills_the_screen_and_no_more(
        width: int, height: int, look: str, least: float, browser: chromium.Page, wall: walls.Running
    ) -> None:
        browser.size(width, height)
        browser.look(look)
        browser.open(wall.url)
        browser.until(f"{SHOWN} === 'board-morning'")
        seen = []
        while True:
            board = browser.run(SHOWN)
            if board in seen:
                break
            seen.append(board)
            browser.picture(f"wall-{width}-{look}-{board}")
            assert browser.run("document.documentElement.scrollHeight <= innerHeight")
            bottom = browser.run("document.querySelector('.shown').getBoundingClientRect().bottom")
            assert bottom <= browser.run("document.querySelector('footer').getBoundingClientRect().top") + 1, board
            small = """Math.min(...[...document.querySelectorAll('.shown *')].filter(node => node.namespaceURI.endsWith('xhtml')
                && node.getClientRects().length && [...node.childNodes].some(child => child.nodeType === 3))
                .map(node => parseFloat(getComputedStyle(node).fontSize)))"""
            assert browser.run(small) >= least, board
            found = [text for text in browser.run(MEASURE)["found"] if " px: " not in text]
            assert not found, (board, found)
            browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
        assert seen == [
            "board-morning",
            "board-safety",
            "board-targets",
            "board-incidents",
            "board-process",
            "board-improvements",
            "board-improvements2",
        ]
        assert browser.run("document.querySelector('#next').textContent") == "Board 1 of 7"
        assert browser.said() == []

    def test_on_a_phone_it_is_read_as_one_page(browser: chromium.Page, wall: walls.Running) -> None:
        browser.size(390, 844, phone=True)
        browser.look("dark")
        browser.open(wall.url)
        browser.until(f"{SHOWN} === 'board-morning'")
        browser.picture("wall-390-dark")
        hidden = "[...document.querySelectorAll('.board:not(#board-failed)')].filter(board => !board.getClientRects().length).length"
        assert browser.run(hidden) == 0
        assert browser.run(MEASURE)["found"] == []
        assert browser.said() == []

    def test_keys_and_the_button_turn_the_boards(browser: chromium.Page, wall: walls.Running) -> None:
        browser.size(1280, 720)
        browser.open(wall.url)
        browser.until(f"{SHOWN} === 'board-morning'")
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowLeft")
        assert browser.run(SHOWN) == "board-improvements2"
        browser.run("document.querySelector('#next').click()")
        assert browser.run(SHOWN) == "board-morning"

    def test_the_boards_turn_by_themselves_and_a_pause_holds_them(browser: chromium.Page, demo: obeya.TestServer) -> None:
        with walls.running(demo, DEMO, seconds=0.1) as wall:
            browser.size(1280, 720)
            browser.open(wall.url)
            for board in ("board-safety", "board-targets", "board-incidents"):
                browser.until(f"{SHOWN} === '{board}'")
            browser.call("Input.dispatchKeyEvent", type="keyDown", key=" ")
            held = browser.run(SHOWN)
            # As many turns as there would be boards, by the clock of the page.
            browser.run("window.wallUntil = performance.now() + 700")
            browser.until("performance.now() >= window.wallUntil")
            assert browser.run(SHOWN) == held
            browser.call("Input.dispatchKeyEvent", type="keyDown", key=" ")
            browser.until(f"{SHOWN} !== '{held}'")

    def test_it_renews_itself_and_stays_on_its_board(
        browser: chromium.Page, server: obeya.TestServer, new_incident: Callable[..., obeya.IncidentV1]
    ) -> None:
        today = datetime.datetime.now(datetime.timezone.utc).date()
        with walls.running(server, walls.replace_day(today), seconds=3600) as wall:
            browser.size(1280, 720)
            browser.open(wall.url)
            browser.until(f"{SHOWN} === 'board-morning'")
            browser.run("document.querySelector('#next').click()")
            board = browser.run(SHOWN)
            assert board != "board-morning"
            new_incident(title="Smoke at press 11", severity="High")
            browser.until("document.body.textContent.includes('Smoke at press 11')")
            assert browser.run(SHOWN) == board
            assert browser.said() == []

    def test_the_last_figures_stay_when_the_service_is_away(browser: chromium.Page, server: obeya.TestServer) -> None:
        with walls.running(server, seconds=3600) as wall:
            browser.size(1280, 720)
            browser.open(wall.url)
            browser.until(f"{SHOWN} === 'board-morning'")
            wall.away.set()
            browser.until("document.querySelector('#away')")
            browser.picture("wall-away")
            assert browser.run("document.querySelector('#away').textContent").endswith("These are the last figures.")
            assert browser.run(SHOWN) == "board-morning"
            wall.away.clear()
            browser.until("!document.querySelector('#away')")
            assert browser.run("document.querySelector('#lost').hidden") is True

    def test_the_last_figures_stay_when_the_wall_itself_ends(
        browser: chromium.Page, server: obeya.TestServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        environment(server, monkeypatch)
        command = [sys.executable, "-m", "obeya", "wall", "--listen", "127.0.0.1:0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
            assert process.stdout is not None
            found = re.search(r"http://[^ ]+?(?=: )", process.stdout.readline())
            assert found
            browser.size(1280, 720)
            browser.open(found[0])
            browser.until(f"{SHOWN} === 'board-morning'")
            process.kill()
        browser.until("!document.querySelector('#lost').hidden")
        browser.picture("wall-lost")
        assert browser.run(SHOWN) == "board-morning"
        assert browser.run("document.querySelector('#lost').getClientRects().length") == 1
        assert browser.run("document.querySelector('.shown .card').getClientRects().length") == 1
