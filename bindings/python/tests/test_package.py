"""The package as a whole: its stubs, its types and its README."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import documents
import obeya
import pytest
from obeya import __main__ as obeya_main
from obeya import _obeya as extension

HERE = Path(__file__).parent
PACKAGE = HERE.parent

def run(*arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)], capture_output=True, text=True, check=False, cwd=PACKAGE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_stubs_say_what_the_module_has() -> None:
    run("mypy.stubtest", "--mypy-config-file", "pyproject.toml", "obeya._obeya", "obeya.models")


def test_types() -> None:
    run("mypy", "--config-file", "pyproject.toml", "tests", "docs", "../../examples/nightly")
    run("mypy", "--config-file", "pyproject.toml", "-p", "obeya")


def test_types_as_another_checker_sees_them(tmp_path: Path) -> None:
    programs = write_programs(tmp_path)
    package = Path(obeya.__file__).parent
    settings = {
        "include": [str(package), str(HERE / "typed_example.py"), *map(str, programs)],
        # pyarrow has no types, and this checker guesses them.
        "exclude": [str(package / "lean")],
        "pythonVersion": "3.10",
        "typeCheckingMode": "standard",
        # The package is installed here, and uses its own models.
        "reportWildcardImportFromLibrary": False,
        "failOnWarnings": True,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    run("basedpyright", "--project", tmp_path, "--pythonpath", sys.executable)


def test_everything_exported_exists_and_is_explained() -> None:
    for name in obeya.__all__:
        thing = getattr(obeya, name)
        if isinstance(thing, type):
            assert thing.__doc__, name
            assert thing.__module__ in {"obeya", "obeya.models"}, name


def test_importing_the_package_imports_nothing_that_few_programs_use() -> None:
    slow = "{'obeya.types', 'obeya.lean', 'asyncio', 'difflib', 'numpy', 'pandas', 'polars', 'pyarrow'}"
    program = f"import sys, obeya; print(sorted({slow} & set(sys.modules))); print(obeya.types.__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\nobeya.types\n"


def test_the_version_is_the_package_s() -> None:
    assert obeya.__version__ == importlib.metadata.version("obeya")


def test_the_extension_needs_nothing_newer_than_its_oldest_python() -> None:
    """One wheel serves all versions from 3.10 on, so it may only use the stable ABI of 3.10."""
    oldest = importlib.metadata.metadata("obeya")["Requires-Python"].removeprefix(">=")
    assert oldest == "3.10"
    report = run("abi3audit", "--strict", "--report", "--assume-minimum-abi3", oldest, extension.__file__)
    (found,) = json.loads(report)["specs"].values()
    result = found["object"]["result"]
    assert result["non_abi3_symbols"] == []
    assert result["future_abi3_objects"] == {}
    # What it is without any function of Python, or with those overlooked.
    assert result["computed"] != "3.2"


def run_examples(document: Path, server: obeya.TestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    client_id, client_secret = server.credentials()
    monkeypatch.setenv("OBEYA_BASE_URL", server.base_url)
    monkeypatch.setenv("OBEYA_CLIENT_ID", client_id)
    monkeypatch.setenv("OBEYA_CLIENT_SECRET", client_secret)
    monkeypatch.delenv("OBEYA_AUTH_URL", raising=False)
    names: dict[str, object] = {}
    for example in documents.examples(document):
        exec(compile(example, "README.md", "exec"), names)


def test_the_readme_s_examples_run(server: obeya.TestServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # They write files.
    monkeypatch.chdir(tmp_path)
    run_examples(documents.README, server, monkeypatch)


def test_the_main_readme_s_examples_run_on_the_plant_that_it_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    with obeya.TestServer() as server:
        server.import_dir(documents.MAIN_README.parent / "spec" / "plant")
        run_examples(documents.MAIN_README, server, monkeypatch)


def installed(extras: Iterable[str]) -> set[str]:
    """The packages that extras install, on every system."""
    requirements = importlib.metadata.requires("obeya") or []
    found = (re.fullmatch(r"([\w-]+)[^;]*; extra == ['\"](\w+)['\"]", requirement) for requirement in requirements)
    return {match[1] for match in found if match and match[2] in extras}


def test_the_readme_s_first_line_installs_what_its_others_need() -> None:
    blocks = [block.text for block in documents.blocks(documents.MAIN_README) if block.section == "In Python"]
    extras = re.search(r"pip install '\./bindings/python\[([\w,]+)\]'", blocks[0])
    assert extras
    assert "python -m obeya demo" in blocks[0]
    assert extras[1] == "report" and ".to_arrow()" in blocks[1]
    assert installed([extras[1]]) >= {*obeya_main._NEEDED, "pyarrow"}


def test_the_report_s_line_installs_what_it_needs() -> None:
    report = [block.text for block in documents.blocks(documents.README) if block.section == "A report"]
    extras = re.match(r"pip install '\./bindings/python\[([\w,]+)\]'\npython -m obeya demo", report[0])
    assert extras
    assert installed(extras[1].split(",")) >= {*obeya_main._NEEDED}


def test_the_examples_of_the_documents_have_types(tmp_path: Path) -> None:
    run("mypy", "--config-file", "pyproject.toml", *write_programs(tmp_path))


@pytest.mark.parametrize("document", [documents.README, documents.COOKBOOK], ids=["README", "cookbook"])
def test_the_links_of_the_documents_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    places = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert len(links) >= 5
    for link in links:
        path, _, place = link.partition("#")
        assert (document.parent / path).exists(), link
        assert not place or place in places, link


def write_programs(folder: Path) -> list[Path]:
    """The README as one program, and each question of the cookbook as another."""
    files = []
    programs = ["\n".join(documents.examples(documents.README)), *documents.programs(documents.COOKBOOK).values()]
    for number, program in enumerate(programs):
        files.append(folder / f"program_{number}.py")
        files[-1].write_text(program, encoding="utf-8")
    assert len(files) > 10
    return files
