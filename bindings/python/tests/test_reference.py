"""The reference that is written from the docstrings: every public name is in it and explained, and every link leads somewhere."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import urldefrag, urljoin

import obeya
import pytest
from obeya import lean, models

WRITER = Path(__file__).parent.parent / "docs" / "reference.py"


@dataclass
class Page(HTMLParser):
    """One page, as far as these tests look at it."""

    ids: set[str] = field(default_factory=set)
    explained: set[str] = field(default_factory=set)
    """The ids of names with a docstring."""
    links: list[str] = field(default_factory=list)
    unlinked: list[str] = field(default_factory=list)
    """Names of this package in code that lead nowhere."""

    def __post_init__(self) -> None:
        super().__init__()
        self._last = ""
        self._tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self._tags.append(tag)
        if (name := found.get("id")) is not None:
            self.ids.add(name)
            if tag in ("section", "div"):
                self._last = name
        if tag == "div" and "docstring" in (found.get("class") or "").split():
            self.explained.add(self._last)
        if tag == "a" and (href := found.get("href")) is not None:
            self.links.append(href)

    def handle_endtag(self, tag: str) -> None:
        while self._tags and self._tags.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._tags[-1:] == ["code"]:
            self.unlinked += re.findall(r"\bobeya\.[\w.]+", data)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    folder = tmp_path_factory.mktemp("reference")
    done = subprocess.run([sys.executable, WRITER, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages: dict[str, Page] = {}
    for file in folder.rglob("*.html"):
        page = Page()
        page.feed(file.read_text(encoding="utf-8"))
        page.close()
        pages[file.relative_to(folder).as_posix()] = page
    return pages


def attributes(thing: type) -> set[str]:
    """The members of a class for its users."""
    names = {*vars(thing), *inspect.get_annotations(thing)}
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize(
    ("path", "module", "elsewhere"),
    [
        ("obeya.html", obeya, {*models.__all__, "models", "types", "__version__"}),
        ("obeya/lean.html", lean, set()),
        ("obeya/models.html", models, set()),
    ],
)
def test_every_public_name_is_explained(pages: dict[str, Page], path: str, module: ModuleType, elsewhere: set[str]) -> None:
    names = set()
    for name in set(module.__all__) - elsewhere:
        names.add(name)
        if inspect.isclass(thing := getattr(module, name)):
            names |= {f"{name}.{attribute}" for attribute in attributes(thing)}
    assert len(names) > 20
    assert sorted(names - pages[path].ids) == []
    assert sorted(names - pages[path].explained) == []


def test_every_link_leads_somewhere(pages: dict[str, Page]) -> None:
    followed = 0
    for path, page in pages.items():
        for link in page.links:
            if link.startswith("https://"):
                continue
            target, name = urldefrag(urljoin(path, link))
            assert target in pages, f"{path}: {link}"
            assert not name or name in pages[target].ids, f"{path}: {link}"
            followed += 1
    assert followed > 1000


def test_names_of_the_package_in_texts_are_links(pages: dict[str, Page]) -> None:
    assert {path: page.unlinked for path, page in pages.items() if page.unlinked} == {}
