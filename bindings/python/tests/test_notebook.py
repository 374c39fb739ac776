"""The notebook: it runs from top to bottom, and has the outputs that it shows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import notebook


def code(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def said(cell: dict[str, Any]) -> tuple[str, list[tuple[str, list[str]]]]:
    """What a cell prints, and the texts and kinds of what it shows. Pictures and tables have bytes of their own: they must be there."""
    printed, displayed = "", []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            # In how many pieces it comes is chance.
            printed += "".join(output["text"])
        else:
            displayed.append(("".join(output["data"]["text/plain"]), sorted(output["data"])))
    return printed, displayed


def test_it_runs_from_top_to_bottom_and_says_what_it_shows(tmp_path: Path) -> None:
    fresh = tmp_path / "run.ipynb"
    done = subprocess.run([sys.executable, notebook.__file__, fresh], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    shown, ran = code(notebook.NOTEBOOK), code(fresh)
    assert [cell["execution_count"] for cell in ran] == list(range(1, len(ran) + 1))
    assert len(ran) >= 8
    for before, after in zip(shown, ran, strict=True):
        assert said(after) == said(before), "".join(before["source"])
    assert any("image/png" in kinds for cell in ran for _, kinds in said(cell)[1])
