"""The page of the wall: the boards of the report one at a time, in the size of the screen, with what is to be known of their age."""

from __future__ import annotations

import datetime

from obeya._report._markup import Markup, element
from obeya._report._page import boards, document, head
from obeya._report._style import STYLE
from obeya._report._wanted import Wanted
from obeya._report._words import Words
from obeya._wall._builder import State
from obeya.lean import _dates

STYLE_OF_WALL = f"""{STYLE}
[hidden] {{ display: none !important; }}
.notice {{ padding: .5rem 1.25rem; font-weight: 600; }}
.wall header {{ display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1.5rem; align-items: baseline; }}
.wall #at {{ grid-column: 2; grid-row: 1; }}
.wall header .soft {{ grid-column: 1 / -1; }}
.wall header #at.soft {{ grid-column: 2; }}
.wall #board-failed, .wall details {{ display: none; }}
.paged body {{ display: grid; grid-template-columns: minmax(0, 1fr); grid-template-rows: auto auto minmax(0, 1fr) auto; height: 100vh; overflow: hidden; }}
.paged header, .paged main, .paged footer {{ max-width: none; width: 100%; }}
.paged header {{ padding-top: .8rem; }}
.paged h1 {{ font-size: 1.4rem; }}
.paged h2 {{ margin-top: .6rem; }}
.paged main {{ overflow: hidden; }}
.paged .card {{ padding: .5rem .8rem; }}
.paged .charts {{ gap: .6rem; }}
.paged .plot > svg {{ height: 8rem; }}
.paged .wide .plot > svg {{ height: 13rem; }}
.paged .cross td {{ width: 2.6rem; height: 2.2rem; }}
.paged .board:not(.shown) {{ display: none; }}
@media (orientation: portrait) {{
  .paged .charts {{ grid-template-columns: minmax(0, 1fr); }}
  .paged .meters .less {{ display: none; }}
}}
.paged footer {{ padding-top: .3rem; padding-bottom: .5rem; display: flex; justify-content: space-between; }}
#next {{ font: inherit; color: var(--soft); background: none; border: 0; padding: 0; cursor: pointer; }}
html:not(.paged) #next {{ display: none; }}
"""
"""The style sheet of the report, and what a wall needs besides."""

SCRIPT = r"""
// Shows one board after the other, in the size of the screen, and fetches a new page as soon as there is one. Whatever goes
// wrong, the last page stays.
"use strict";
const root = document.documentElement;
const large = matchMedia("(min-width: 62rem)");
let at = 0, tag = null, paused = false, turned = performance.now();

const boards = () => [...document.querySelectorAll("main > .board:not(#board-failed)")];
const number = name => Number(document.body.dataset[name]) * 1000;

// The largest letters with which the board is all on the screen.
function fit() {
  root.style.fontSize = "";
  const main = document.querySelector("main"), board = document.querySelector(".shown");
  if (!root.classList.contains("paged") || !board) return;
  let low = 8, high = Math.max(16, innerWidth / 40);
  for (let step = 0; step < 9; step++) {
    const size = (low + high) / 2;
    root.style.fontSize = size + "px";
    const space = main.clientHeight - board.offsetTop + main.offsetTop;
    const wide = [board, ...board.querySelectorAll(".card")].some(part => part.scrollWidth > part.clientWidth);
    const pressed = [...board.querySelectorAll("table")].some(table => {
      const { paddingLeft, paddingRight } = getComputedStyle(table.parentElement);
      return table.offsetWidth > table.parentElement.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) + 1;
    });
    if (!wide && !pressed && board.scrollHeight <= space) low = size; else high = size;
  }
  root.style.fontSize = low + "px";
}

function show() {
  const all = boards();
  root.classList.toggle("paged", large.matches && all.length > 0);
  at = (at + all.length) % (all.length || 1);
  all.forEach((board, place) => board.classList.toggle("shown", place === at));
  const next = document.querySelector("#next");
  if (next) next.textContent = document.body.dataset.board.replace("{at}", at + 1).replace("{all}", all.length);
  fit();
}

function turn(by) {
  at += by;
  turned = performance.now();
  show();
}

// Asks for another page than this one, and is answered as soon as there is one. A page that is not in order, or does not
// come, changes nothing but the notice.
async function renew() {
  const headers = tag === null ? {} : { "If-None-Match": tag, "Prefer": "wait=25" };
  const answer = await fetch("/", { cache: "no-store", headers });
  const found = answer.headers.get("ETag");
  if (!found) throw new Error("no page of a wall");
  if (answer.status !== 304) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!page.querySelector("main")) throw new Error("no page of a wall");
    document.title = page.title;
    document.body.replaceWith(document.adoptNode(page.body));
    show();
  }
  tag = found;
}

async function watch() {
  const asked = performance.now();
  let lost = false;
  await renew().catch(() => lost = true);
  document.querySelector("#lost").hidden = !lost;
  // A wall with very many screens answers some of them at once.
  setTimeout(watch, lost || performance.now() - asked < 1000 ? number("again") : 0);
}

function tick() {
  if (!paused && root.classList.contains("paged") && performance.now() - turned >= number("page")) turn(1);
  setTimeout(tick, 200);
}

addEventListener("keydown", event => {
  if (event.key === "ArrowRight") turn(1);
  else if (event.key === "ArrowLeft") turn(-1);
  else if (event.key === " ") { paused = !paused; event.preventDefault(); }
  else if (event.key === "f") document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen();
});
addEventListener("click", event => event.target.closest("#next") && turn(1));
addEventListener("resize", show);
show();
watch();
tick();
"""

_CHARTS = 3
"""How many charts of a part are on a board: of more, the letters would be too small across a room."""

_AGAIN = 2.0
"""Seconds after which a browser that got no answer asks again."""


def page(state: State, wanted: Wanted, seconds: float) -> str:
    """The page of a state. A board is shown for so many seconds."""
    words = Words(wanted.lang)
    zone = _dates.zone(wanted.tz)
    figures = state.figures
    lost = element("p", words("wall.lost"), id="lost", class_="notice warned", role="status", hidden="hidden")
    notice = None
    if state.away is not None:
        text = words("wall.never") if figures is None else words("wall.away", time=_time(state.away, zone))
        notice = element("p", text, id="away", class_="notice warned", role="alert")
    top: list[Markup] = [element("h1", wanted.title)] if figures is None else head(figures, words)
    if state.made is not None:
        top.append(element("p", words("wall.at", time=_time(state.made, zone)), id="at", class_="soft"))
    body = element(
        "body",
        element("div", notice, lost),
        element("header", *top),
        element("main", *(boards(figures, words, _CHARTS) if figures is not None else ())),
        element("footer", element("button", "", id="next", type="button")),
        data_page=seconds,
        data_again=_AGAIN,
        data_board=words("wall.board", at="{at}", all="{all}"),
    )
    look = Markup(
        '<link rel="stylesheet" href="/wall.css" />\n<link rel="icon" href="data:," />\n'
        '<script src="/wall.js" defer="defer"></script>\n'
        '<noscript><meta http-equiv="refresh" content="60" /></noscript>'
    )
    return document(wanted.title, wanted.lang, look, body, class_="wall")


def _time(moment: datetime.datetime, zone: datetime.tzinfo) -> str:
    """The hour and the minute; the day too if it is another one than today."""
    local = moment.astimezone(zone)
    today = datetime.datetime.now(zone).date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%Y-%m-%d %H:%M}"
