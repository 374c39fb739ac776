"""The sub-package in the package: records and values of the client as frames, nothing imported too early, and its own types."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import obeya
import pytest
from obeya import lean


def test_records_of_the_client_are_a_frame(new_incident: Callable[..., obeya.IncidentV1]) -> None:
    incidents = [
        new_incident(incident_date=f"2026-03-0{day}", causes=[33], due_date=f"2026-03-0{day}T00:00:00Z") for day in (1, 2, 4, 5, 6, 9)
    ]
    assert lean.pareto(incidents).vital == ("Equipment failure",)
    assert lean.pareto(incidents, by="causes").vital == ("Wear",)
    assert lean.g_chart(incidents).to_arrow()["value"].to_pylist() == [1, 2, 1, 1, 3]
    assert len(lean.t_chart(incidents)) == 5
    assert lean.safety_cross(incidents, as_of="2026-03-10").incidents == 6
    assert lean.days_since(incidents, as_of="2026-03-10").days == 1
    assert lean.overdue(incidents, as_of="2026-03-06").overdue == 4
    assert lean.evaluation_ratio(incidents).ratio is None


def test_the_values_of_a_datasource_are_a_frame(client: obeya.Client) -> None:
    values = client.datasources.values(1, end="2026-01-01")
    with pytest.raises(ValueError, match="the rows are of 4 series by 'dimension': Line 1, Line 2, Line 3 and 1 more. Choose one"):
        lean.xmr(values)
    chart = lean.xmr(values, mixed=True)
    assert len(chart) == 95
    assert chart.centre == 24
    # Values 4, 8 to 92 of 95, each half its number.
    lines = lean.xmr(values, by="dimension").charts
    assert (list(lines), len(lines["Line 1"]), lines["Line 1"].centre) == (["Line 1", "Line 2", "Line 3", "Line 4"], 23, 24)
    assert lean.pareto(client.datasources.values(1), by="dimension").total == 2500


def test_what_is_awaited_is_not_taken_before_it_is(server: obeya.TestServer) -> None:
    async def work() -> None:
        async with server.async_client() as client:
            values = client.datasources.values(1, end="2026-01-01")
            with pytest.raises(TypeError, match=r"an AsyncValues is awaited: expected a frame, so await its to_arrow\(\) first"):
                lean.xmr(values)  # type: ignore[call-overload]
            assert lean.xmr(await values.to_arrow(), mixed=True).centre == 24

    asyncio.run(work())


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_is_imported_before_it_is_needed() -> None:
    names = ("pyarrow", "pandas", "matplotlib", "altair", "plotly", "polars", "numpy", "obeya.lean", "asyncio", "dataclasses", "inspect")
    heavy = f"[name for name in {names} if name in sys.modules]"
    assert run(f"import sys, obeya; print({heavy})") == "[]"
    drawing = "[name for name in ('matplotlib', 'altair', 'plotly') if name in sys.modules]"
    assert run(f"import sys, obeya.lean; print({drawing})") == "[]"
    other = "obeya.lean.pareto(['a']).plot(backend='plotly')"
    assert run(f"import sys, obeya.lean; {other}; print({drawing})") == "['plotly']"
    # By attribute, as by import.
    assert run("import obeya; print(obeya.lean.xmr.__name__, 'lean' in dir(obeya))") == "xmr True"


WITHOUT = "import sys; sys.modules['obeya._obeya'] = None\n"
"""Makes the compiled extension absent."""


def test_lean_needs_neither_the_client_nor_the_extension() -> None:
    use = "print(lean.xmr([1, 2, 3, 4, 5]).centre, lean.pareto(['a', 'b', 'a']).vital, lean.xmr([1] * 5).to_polars().height)\n"
    modules = "print(sorted(name for name in sys.modules if name.startswith('obeya.') and not name.startswith('obeya.lean')))"
    for way in ("from obeya import lean\n", "import obeya.lean as lean\n", "import obeya\nlean = obeya.lean\n"):
        used, loaded = run(WITHOUT + way + use + modules).splitlines()
        assert used == "3.0 ('a', 'b') 5"
        # That of the extension is None.
        assert loaded == "['obeya._errors', 'obeya._frames', 'obeya._obeya', 'obeya._printable']"
    # With the extension it is the same module, without anything of the client either.
    imported = "import ast, obeya.lean, pathlib\n"
    names = "{name for file in pathlib.Path(obeya.lean.__file__).parent.glob('*.py') for node in ast.walk(ast.parse(file.read_text('utf-8'))) "
    names += "if isinstance(node, ast.ImportFrom) for name in [node.module] if name.startswith('obeya') and 'lean' not in name}"
    assert run(f"{WITHOUT}{imported}print(sorted({names}))") == "['obeya', 'obeya._frames', 'obeya._printable']"


def test_what_needs_the_extension_says_that_it_is_absent() -> None:
    catch = "try:\n    {0}\nexcept ImportError as error:\n    print(error)"
    for use, name in (("obeya.Client", "Client"), ("from obeya import AsyncClient", "AsyncClient"), ("obeya.models", "models")):
        said = run(f"{WITHOUT}import obeya\n" + catch.format(use))
        expected = "is not available: the compiled extension obeya._obeya is not installed. Only obeya.lean works without it"
        assert said == f"obeya.{name} {expected}"
    # With the extension, of which any name is a class here, another module that is absent is a fault of the
    # installation.
    there = "import sys, types\nmade = types.ModuleType('obeya._obeya')\nmade.__getattr__ = lambda name: type(name, (), {})\n"
    there += "sys.modules.update({'obeya._obeya': made, 'obeya._filters': None})\n"
    assert run(there + catch.format("import obeya")).startswith("import of obeya._filters halted")


@pytest.mark.parametrize("arguments", [["demo"], ["report"], ["--help"], ["--version"], []])
def test_the_report_says_that_the_extension_is_absent(arguments: list[str]) -> None:
    code = f"{WITHOUT}from obeya.__main__ import main\nsys.exit(main({arguments}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    said = "error: the compiled extension obeya._obeya is not installed, and python -m obeya needs it: install the package with pip\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


def test_a_missing_library_is_named() -> None:
    code = "import sys; sys.modules[{0!r}] = None\nimport obeya\ntry:\n    {1}\nexcept ImportError as error:\n    print(error)"
    assert run(code.format("pyarrow", "obeya.lean")) == "this needs pyarrow: pip install pyarrow"
    draw = "obeya.lean.pareto({'incidentType': ['a']}).plot(backend='%s')"
    assert run(code.format("altair", draw % "altair")) == "this needs altair: pip install altair"
    assert run(code.format("plotly", draw % "plotly")) == "this needs plotly: pip install plotly"
    assert run(code.format("matplotlib.pyplot", draw % "matplotlib")) == "this needs matplotlib: pip install matplotlib"
    frame = "obeya.lean.pareto({'incidentType': ['a']}).to_polars()"
    assert run(code.format("polars", frame)) == "this needs polars: pip install polars"


def test_types() -> None:
    package = Path(__file__).parent.parent.parent
    mypy = ["mypy", "--config-file", "pyproject.toml", "--follow-imports", "silent", "-p", "obeya.lean"]
    done = subprocess.run([sys.executable, "-m", *mypy], capture_output=True, text=True, check=False, cwd=package)
    assert done.returncode == 0, done.stdout + done.stderr
