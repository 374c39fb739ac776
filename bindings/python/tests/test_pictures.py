"""The pictures of the repository show what the pages show now.

The comparison is there where a Chromium is (see `chromium`).
"""

from __future__ import annotations

import re
from pathlib import Path

import chromium
import obeya
import pictures
import pytest

ROOT = pictures.FOLDER.parent
DOCUMENTS = ("README.md", "bindings/python/README.md", "docs/network.md")


def test_every_picture_is_made_by_the_script_and_shown_by_a_document() -> None:
    shown = set[Path]()
    for name in DOCUMENTS:
        document = ROOT / name
        links = re.findall(r"!\[[^\]]+\]\(([^)]+\.png)\)", document.read_text(encoding="utf-8"))
        shown |= {(document.parent / link).resolve() for link in links}
    made = {pictures.FOLDER / f"{name}.png" for name in pictures.NAMES}
    assert set(pictures.FOLDER.glob("*.png")) == made
    assert made <= shown


@pytest.mark.parametrize("name", pictures.NAMES)
def test_a_picture_says_what_it_shows(name: str) -> None:
    lines = pictures.stored(pictures.FOLDER / f"{name}.png").splitlines()
    assert len(lines) > 10
    # Nothing of the machine that it was taken on, and no secret.
    assert not [line for line in lines if re.search(r"127\.0\.0\.1|localhost|/home/|/tmp/|Bearer", line)]


if chromium.PROGRAM:

    def test_every_picture_shows_what_its_page_shows(demo: obeya.TestServer, tmp_path: Path) -> None:
        found = []
        with (
            chromium.browser(tmp_path / "profile") as browser,
            pictures.pages(demo, browser, tmp_path) as taken,
        ):
            for name, picture in taken:
                difference = pictures.difference(name, picture.shows)
                found += [f"{difference}\nrun `cargo xtask pictures`, and look at docs/{name}.png"] if difference else []
        assert not found, "\n\n".join(found)
