"""Every record survives a round trip through a dictionary, with any of its properties missing. The records are made from the specification."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import obeya
import obeya.models
import pytest

SPEC = Path(__file__).parents[3] / "spec" / "generated" / "openapi.json"
SCHEMAS: dict[str, dict[str, Any]] = json.loads(SPEC.read_text(encoding="utf-8"))["components"]["schemas"]
CLASSES = [name for name, _ in inspect.getmembers(obeya.models, inspect.isclass)]

DEPTH = 3
"""How deep recursive records are filled."""


def record(schema: dict[str, Any], *, full: bool, depth: int = 0) -> Any:
    """A value of a schema: with all properties, or with the required ones only."""
    if "$ref" in schema:
        return record(SCHEMAS[schema["$ref"].rpartition("/")[2]], full=full, depth=depth)
    one, *or_null = schema.get("anyOf", [schema])
    if (or_null or schema.get("nullable")) and (not full or depth > DEPTH):
        return None
    if or_null:
        return record(one, full=full, depth=depth)
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"], schema.get("format"):
        case "object", _ if "properties" in schema:
            names = schema["properties"] if full and depth <= DEPTH else schema.get("required", [])
            return {name: record(schema["properties"][name], full=full, depth=depth + 1) for name in names}
        case "object", _:
            return {"x y": record(schema["additionalProperties"], full=full, depth=depth + 1)}
        case "array", _:
            return [record(schema["items"], full=full, depth=depth + 1)] if depth <= DEPTH else []
        case "string", "date-time":
            return "2026-03-02T06:12:00.123456Z"
        case "string", "date":
            return "2026-03-02"
        case "string", _:
            return "Blåbær «7»"
        case "integer", _:
            return 417
        case "number", _:
            return 90
        case "boolean", _:
            return True
    raise AssertionError(schema)


def test_all_classes_are_tried() -> None:
    assert len(CLASSES) >= 25
    assert set(CLASSES) <= set(SCHEMAS)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", CLASSES)
def test_a_dictionary_and_back(name: str, full: bool) -> None:
    class_ = getattr(obeya.models, name)
    one = class_.from_json(json.dumps(record(SCHEMAS[name], full=full)))
    assert class_.from_dict(one.to_dict()) == one


def test_none_stays_refused_where_something_must_be() -> None:
    with pytest.raises(TypeError, match="id cannot be None"):
        obeya.CauseReference.from_dict({"id": None, "title": "Wear"})
