"""The documents of the package as programs: their Python is run, and what it prints and draws is held against what they show.

`python tests/documents.py` writes into `docs/` what is shown there: the outputs and pictures of the cookbook, and those of the notebook. Read
the difference before it is committed.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import notebook

PACKAGE = Path(__file__).parent.parent
README = PACKAGE / "README.md"
MAIN_README = PACKAGE.parent.parent / "README.md"
COOKBOOK = PACKAGE / "docs" / "cookbook.md"

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^## (.+)$", flags=re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of a document."""

    section: str
    """The heading above it; empty before the first."""
    language: str
    text: str
    span: tuple[int, int]
    """The position of its text in the document."""


def blocks(document: Path) -> list[Block]:
    """All fenced blocks, in their order."""
    text = document.read_text(encoding="utf-8")
    headings = [(found.start(), found[1]) for found in _HEADING.finditer(text)]
    found = []
    for block in _BLOCK.finditer(text):
        section = [name for start, name in headings if start < block.start()]
        found.append(Block(section[-1] if section else "", block[1], block[2], block.span(2)))
    return found


def examples(document: Path) -> list[str]:
    """The Python in it."""
    return [block.text for block in blocks(document) if block.language == "python"]


def programs(document: Path) -> dict[str, str]:
    """The Python of each section, after what comes before the first: each is a program of its own."""
    start, sections = "", dict[str, str]()
    for block in blocks(document):
        if block.language == "python":
            if block.section:
                sections[block.section] = sections.get(block.section, start) + block.text
            else:
                start += block.text
    return sections


@dataclass(frozen=True)
class Shown:
    """A block of output, and the text that was printed."""

    block: Block
    printed: str


@contextlib.contextmanager
def running(document: Path, folder: Path) -> Iterator[Iterator[Shown]]:
    """Runs each section in the names that come before the first, and gives what its blocks print beside what the document shows.

    Files are written into the folder. The environment names the service that the document has started.
    """
    names: dict[str, Any] = {}
    before = Path.cwd()
    with mock.patch.dict(os.environ):
        os.environ.pop("OBEYA_AUTH_URL", None)
        os.chdir(folder)
        try:
            yield _run(document, names)
        finally:
            os.chdir(before)
            if "server" in names:
                names["server"].close()


def _run(document: Path, start: dict[str, Any]) -> Iterator[Shown]:
    section, printed, names = "", "", start
    for block in blocks(document):
        if block.language == "text":
            yield Shown(block, printed)
            printed = ""
        elif block.language == "python":
            assert not printed, f"{document.name}, {section}: printed and not shown: {printed}"
            if block.section != section:
                section, names = block.section, dict(start)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block.text, f"{document.name}, {section}", "exec"), names)
            printed = out.getvalue()
            if names is start and "server" in names:
                server = names["server"]
                os.environ["OBEYA_BASE_URL"] = server.base_url
                os.environ["OBEYA_CLIENT_ID"], os.environ["OBEYA_CLIENT_SECRET"] = server.credentials()
    assert not printed, f"{document.name}, {section}: printed and not shown: {printed}"


def pictures(document: Path) -> list[str]:
    """The pictures that it shows."""
    return re.findall(r"^!\[[^\]]+\]\(([^)]+)\)$", document.read_text(encoding="utf-8"), flags=re.MULTILINE)


def _write_cookbook() -> None:
    text, end, parts = COOKBOOK.read_text(encoding="utf-8"), 0, []
    with tempfile.TemporaryDirectory() as folder, running(COOKBOOK, Path(folder)) as outputs:
        for shown in outputs:
            parts += [text[end : shown.block.span[0]], shown.printed]
            end = shown.block.span[1]
        for picture in pictures(COOKBOOK):
            shutil.copy(picture, COOKBOOK.parent / picture)
    COOKBOOK.write_text("".join([*parts, text[end:]]), encoding="utf-8")


if __name__ == "__main__":
    _write_cookbook()
    notebook.run(notebook.NOTEBOOK)
