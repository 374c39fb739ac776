"""The package as a whole: its stubs, its types, its README, and that no operation is missing."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

import obeya
import pytest

HERE = Path(__file__).parent
PACKAGE = HERE.parent
SPEC = PACKAGE.parent.parent / "spec" / "generated" / "openapi.json"

OTHER_NAMES = {
    "updateIncidentConsequences": "set_incident_consequences",
    "updateIncidentCauses": "set_incident_causes",
    "updateIncidentExternalId": "set_incident_external_id",
}


def run(*arguments: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)], capture_output=True, text=True, check=False, cwd=PACKAGE
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_say_what_the_module_has() -> None:
    run("mypy.stubtest", "--mypy-config-file", "pyproject.toml", "obeya._obeya", "obeya.models")


def test_types() -> None:
    run("mypy", "--config-file", "pyproject.toml", "tests")


def test_every_operation_of_the_first_description_is_a_method() -> None:
    paths = json.loads(SPEC.read_text(encoding="utf-8"))["paths"]
    described = [operation for item in paths.values() for operation in item.values() if "operationId" in operation]
    # The companion operations are the Rust SDK's alone so far.
    operations = [operation["operationId"] for operation in described if operation.get("x-obeya-set") != "companion"]
    assert len(operations) == 19
    for operation in operations:
        name = OTHER_NAMES.get(operation, re.sub(r"(?=[A-Z])", "_", operation).lower())
        assert callable(getattr(obeya.Client, name)), operation


def test_everything_exported_exists_and_is_explained() -> None:
    for name in obeya.__all__:
        thing = getattr(obeya, name)
        if isinstance(thing, type):
            assert thing.__doc__, name
            assert thing.__module__ in {"obeya", "obeya.models", "obeya._errors"}, name


def test_the_version_is_the_package_s() -> None:
    assert obeya.__version__ == importlib.metadata.version("obeya")


def test_the_readme_s_examples_run(server: obeya.TestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    client_id, client_secret = server.credentials()
    monkeypatch.setenv("OBEYA_BASE_URL", server.base_url)
    monkeypatch.setenv("OBEYA_CLIENT_ID", client_id)
    monkeypatch.setenv("OBEYA_CLIENT_SECRET", client_secret)
    monkeypatch.delenv("OBEYA_AUTH_URL", raising=False)
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert len(examples) >= 3
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, "README.md", "exec"), names)
