"""The cookbook: its programs run, print the shown output, and draw the shown pictures."""

from __future__ import annotations

import struct
from pathlib import Path

import documents
import matplotlib.pyplot as plt
import pytest


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[documents.Shown], Path]:
    """The printed text, and the folder of the pictures."""
    folder = tmp_path_factory.mktemp("cookbook")
    with documents.running(documents.COOKBOOK, folder) as outputs:
        shown = list(outputs)
    plt.close("all")
    return shown, folder


def test_it_prints_what_it_shows(shown: tuple[list[documents.Shown], Path]) -> None:
    outputs, _ = shown
    assert len(outputs) >= 12
    for output in outputs:
        assert output.printed == output.block.text, output.block.section


def size(png: Path) -> tuple[int, int]:
    """Width and height, from the header."""
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    return width, height


def test_it_draws_what_it_shows(shown: tuple[list[documents.Shown], Path]) -> None:
    _, folder = shown
    pictures = documents.pictures(documents.COOKBOOK)
    assert len(pictures) >= 5
    assert sorted(pictures) == sorted(file.name for file in folder.glob("*.png"))
    for picture in pictures:
        assert size(folder / picture) == size(documents.COOKBOOK.parent / picture), picture


def test_every_program_is_checked_as_a_program() -> None:
    assert len(documents.programs(documents.COOKBOOK)) >= 12
    assert all("obeya.TestServer.demo" in program for program in documents.programs(documents.COOKBOOK).values())
