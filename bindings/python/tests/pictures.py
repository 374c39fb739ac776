"""The pictures of the repository, taken of the pages themselves: the report, the wall and the explorer over the plant of the demo.

`python tests/pictures.py` writes them into `docs/` of the repository; `cargo xtask pictures` installs the package before. Each has a list
of what it shows in it: the texts with their looks. A test compares that list with what the page shows now, since pixels differ with
the fonts of a machine. Look at a picture before it is committed.
"""

from __future__ import annotations

import base64
import difflib
import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import chromium
import obeya
import walls
from obeya._report._gather import gather
from obeya._report._page import page as report_page
from PIL import Image, PngImagePlugin
from test_wall_browser import DEMO, SHOWN

FOLDER = Path(__file__).parents[3] / "docs"
NAMES = ("report", "report-phone", "wall", "explorer")

ADDRESS = "https://obeya.plant.example"
"""The address of a service in the documents."""

_CHUNK = "Shows"

# Where a picture ends is where an element ends, so the fonts of a machine do not decide what is in it.
_LIST = """(place => [...document.querySelectorAll('body *')].filter(node => {
  const box = node.getBoundingClientRect(), x = box.left + scrollX + box.width / 2, y = box.top + scrollY + box.height / 2;
  if (!box.width || !box.height || x < place.x || x > place.x + place.width || y < place.y || y > place.y + place.height) return false;
  return node.namespaceURI.endsWith('svg') || node.value || [...node.childNodes].some(of => of.nodeType === 3 && of.textContent.trim());
}).map(node => {
  const look = getComputedStyle(node), own = [...node.childNodes].filter(of => of.nodeType === 3).map(of => of.textContent).join(' ');
  const text = (node.value || own).trim().replace(/\\s+/g, ' ');
  const style = node.namespaceURI.endsWith('svg') ? [look.fill, look.stroke] : [look.color, look.backgroundColor, look.fontSize];
  return [node.localName, ...style, text].join(' | ');
}))"""


@dataclass(frozen=True)
class Picture:
    """A picture."""

    png: bytes
    shows: str
    """What it shows: a line for each element with a text, and for each shape of a drawing."""

    def write(self, file: Path) -> None:
        """Writes it with the list of what it shows."""
        chunks = PngImagePlugin.PngInfo()
        chunks.add_text(_CHUNK, self.shows, zip=True)
        Image.open(io.BytesIO(self.png)).convert("RGB").save(file, optimize=True, pnginfo=chunks)


def stored(file: Path) -> str:
    """What the picture in a file shows."""
    with Image.open(file) as image:
        image.load()
        assert isinstance(image, PngImagePlugin.PngImageFile)
        return str(image.text[_CHUNK])


def difference(name: str, now: str) -> str:
    """What a page shows now beside what its picture does; empty if that is the same."""
    before = stored(FOLDER / f"{name}.png").splitlines()
    return "\n".join(difflib.unified_diff(before, now.splitlines(), f"docs/{name}.png", "the page", lineterm="", n=1))


@contextmanager
def pages(demo: obeya.TestServer, browser: chromium.Page, folder: Path) -> Iterator[Iterator[tuple[str, Picture]]]:
    """Opens each page and takes its picture, in the order of `NAMES`."""
    file = folder / "report.html"
    with demo.client() as client:
        file.write_text(report_page(gather(client, DEMO)), encoding="utf-8")
    with walls.running(demo, DEMO, seconds=3600) as wall:
        yield _taken(demo, browser, file.as_uri(), wall.url)


def _taken(demo: obeya.TestServer, browser: chromium.Page, report: str, wall: str) -> Iterator[tuple[str, Picture]]:
    browser.look("light")
    browser.size(1280, 900)
    browser.open(report)
    yield "report", _take(browser, "body", "#board-safety")

    browser.size(390, 844, phone=True)
    browser.open(report)
    yield "report-phone", _take(browser, "body", "#board-yesterday")

    browser.size(1280, 720)
    browser.open(wall)
    browser.until(f"{SHOWN} === 'board-morning'")
    while browser.run(SHOWN) != "board-targets":
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
    # The hour at which the picture is taken is nobody's business.
    browser.run("document.querySelector('#at').textContent = 'Figures of 07:00'")
    yield "wall", _take(browser, "html", "html")

    yield "explorer", _explorer(demo, browser)


def _take(browser: chromium.Page, start: str, end: str, scale: float = 1) -> Picture:
    """From the top of an element to the bottom of another, over the whole width of the first."""
    place = browser.run(
        f"""(() => {{
          const from = document.querySelector({json.dumps(start)}).getBoundingClientRect();
          const to = document.querySelector({json.dumps(end)}).getBoundingClientRect();
          const top = Math.floor(from.top + scrollY), bottom = Math.ceil(to.bottom + scrollY);
          return {{ x: from.left + scrollX, y: top, width: from.width, height: bottom - top }};
        }})()"""
    )
    shows: list[str] = browser.run(f"{_LIST}({json.dumps(place)})")
    clip = {**place, "scale": scale}
    taken = browser.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
    return Picture(base64.b64decode(taken["data"]), "\n".join(shows))


def _explorer(demo: obeya.TestServer, browser: chromium.Page) -> Picture:
    """A call in the explorer: signed in, with a filter, and its answer."""
    client_id, secret = demo.credentials(["public.api.read"])
    browser.size(1280, 900)
    browser.open(f"{demo.base_url}/docs")
    _click(browser, "button.authorize")
    for name, value in (("client_id", client_id), ("client_secret", secret)):
        _fill(browser, f".modal-ux input[id^={name}]", value)
    _click(browser, ".modal-ux button.authorize")
    _click(browser, ".modal-ux button.btn-done")
    operation = '.opblock:has([data-path="/v2/incidents"])'
    browser.until(f"document.querySelector('.opblock-tag[data-tag=Incidents]') || document.querySelector('{operation}')")
    if not browser.run(f"document.querySelector('{operation}') !== null"):
        _click(browser, ".opblock-tag[data-tag=Incidents]")
    _click(browser, f"{operation} .opblock-summary-control")
    for name, value in (("$filter", "severity eq 'High'"), ("$select", "id,title,status"), ("$orderby", "id desc"), ("$top", "2")):
        _fill(browser, f'{operation} tr[data-param-name="{name}"] input', value)
    _click(browser, f"{operation} button.execute")
    answer = f"{operation} .live-responses-table .highlight-code"
    browser.until(f"document.querySelector('{answer}')")
    # The address is that of this run, and the command has its token.
    browser.run(
        f"""(() => {{
          const operation = document.querySelector('{operation}');
          operation.querySelector('.curl-command').remove();
          const texts = document.createTreeWalker(operation, NodeFilter.SHOW_TEXT);
          while (texts.nextNode()) {{
            texts.currentNode.data = texts.currentNode.data.replace({json.dumps(demo.base_url)}, '{ADDRESS}');
          }}
        }})()"""
    )
    return _take(browser, operation, answer, scale=0.75)


def _click(browser: chromium.Page, selector: str) -> None:
    browser.until(f"document.querySelector({json.dumps(selector)})")
    browser.run(f"document.querySelector({json.dumps(selector)}).click()")


def _fill(browser: chromium.Page, selector: str, text: str) -> None:
    browser.until(f"document.querySelector({json.dumps(selector)})")
    browser.run(f"document.querySelector({json.dumps(selector)}).select()")
    browser.call("Input.insertText", text=text)
    # The explorer takes what was typed after a while, or when the field is left.
    browser.run("document.activeElement.blur()")


def _main() -> None:
    if not chromium.PROGRAM:
        raise SystemExit("found no Chromium: install the package chromium, or name the program in OBEYA_TEST_CHROMIUM")
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        obeya.TestServer.demo(today=str(walls.DAY)) as demo,
        chromium.browser(Path(folder, "profile")) as browser,
        pages(demo, browser, Path(folder)) as taken,
    ):
        for name, picture in taken:
            picture.write(FOLDER / f"{name}.png")
            print(f"docs/{name}.png")


if __name__ == "__main__":
    _main()
