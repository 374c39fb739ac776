"""The Grafana example: what the SDK of Grafana reads of the dashboard, and that the service answers every request in it."""

from __future__ import annotations

import datetime
import json
import re
import sys
from pathlib import Path
from typing import Any

import obeya
import pytest
import requests

if sys.version_info >= (3, 11):
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.models.dashboard import Dashboard

FOLDER = Path(__file__).parents[3] / "examples" / "grafana"
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))

# What the plugin Infinity knows of a JSON query by URL: `src/types/query.types.ts` of
# grafana/grafana-infinity-datasource.
TARGET = {"refId", "datasource", "type", "parser", "source", "format", "url", "url_options", "root_selector", "columns"}
URL_OPTIONS = {"method", "data", "params"}
COLUMN_TYPES = {"string", "number", "timestamp", "timestamp_epoch", "timestamp_epoch_s"}
FORMATS = {"table", "timeseries", "dataframe", "as-is"}

START, END = "2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"


def targets() -> list[dict[str, Any]]:
    """The query of each panel."""
    return [target for panel in DASHBOARD["panels"] for target in panel["targets"]]


def filled(text: str) -> str:
    """A text with the values of the dashboard's variables, as Grafana fills them in."""
    values = {one["name"]: one["query"] for one in DASHBOARD["templating"]["list"]}
    values |= {"__from:date:iso": START, "__to:date:iso": END}
    return re.sub(r"\$\{([^}]+)\}", lambda found: values[found[1]], text)


def lost(written: Any, read: Any, path: str = "") -> list[str]:
    """What is in one and not in the other."""
    if isinstance(written, dict):
        return [fault for name in written for fault in lost(written[name], (read or {}).get(name), f"{path}.{name}")]
    if isinstance(written, list):
        pairs = zip(written, [*(read or []), *[None] * len(written)], strict=False)
        return [fault for at, (one, other) in enumerate(pairs) for fault in lost(one, other, f"{path}[{at}]")]
    return [] if written == read else [f"{path}: {written!r} became {read!r}"]


def selected(row: Any, selector: str) -> Any:
    """A column of a row, by the path of its selector. A name with a point of its own is found first."""
    if isinstance(row, dict) and selector in row:
        return row[selector]
    first, _, rest = selector.partition(".")
    inner = row.get(first) if isinstance(row, dict) else None
    return selected(inner, rest) if rest and inner is not None else None


# The SDK needs Python 3.11.
if sys.version_info >= (3, 11):

    def test_the_sdk_of_grafana_knows_every_part_of_the_dashboard() -> None:
        read = json.loads(JSONEncoder().encode(Dashboard.from_json(DASHBOARD)))
        assert lost(DASHBOARD, read) == []
        # What it does not know, it drops.
        misspelt = {"titel": "x"}
        assert lost(misspelt, json.loads(JSONEncoder().encode(Dashboard.from_json(misspelt)))) != []


def test_the_queries_are_those_of_the_plugin() -> None:
    names = {one["name"] for one in DASHBOARD["templating"]["list"]}
    for target in targets():
        assert set(target) <= TARGET
        assert (target["type"], target["source"], target["parser"]) == ("json", "url", "backend")
        assert target["format"] in FORMATS
        assert target["url"].startswith("/")
        assert set(target["url_options"]) <= URL_OPTIONS
        assert {column["type"] for column in target["columns"]} <= COLUMN_TYPES
        # `$filter` would be a variable if the dashboard had one of that name.
        options = {option["key"].removeprefix("$") for option in target["url_options"]["params"]}
        assert not options & names


@pytest.mark.parametrize("target", targets(), ids=[panel["title"] for panel in DASHBOARD["panels"]])
def test_every_query_is_answered_with_its_columns(target: dict[str, Any], demo: obeya.TestServer) -> None:
    provisioned = (FOLDER / "datasource.yaml").read_text(encoding="utf-8")
    scopes = re.findall(r"^ +- ([A-Z]\w+\.\w+)$", provisioned, flags=re.MULTILINE)
    path = re.search(r"token_url: https://obeya\.plant\.example(/\S+)", provisioned)
    assert path
    # The library of the plugin sends the secret by basic authentication, and names the scopes.
    form = {"grant_type": "client_credentials", "scope": " ".join(scopes)}
    answer = requests.post(demo.base_url + path[1], data=form, auth=demo.credentials(scopes), timeout=30)
    headers = {"Authorization": f"Bearer {answer.json()['access_token']}"}

    params = {option["key"]: filled(option["value"]) for option in target["url_options"]["params"]}
    answer = requests.get(demo.base_url + filled(target["url"]), params=params, headers=headers, timeout=30)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    rows = body[target["root_selector"]] if target["root_selector"] else [body]
    assert rows
    for column in target["columns"]:
        found = [value for row in rows if (value := selected(row, column["selector"])) is not None]
        assert found, column
        if column["type"] == "number":
            assert all(isinstance(value, int | float) for value in found)
        if column["type"] == "timestamp":
            assert all(datetime.datetime.fromisoformat(value.replace("Z", "+00:00")) for value in found)


def test_the_values_are_those_of_the_period(demo: obeya.TestServer) -> None:
    (target,) = [target for target in targets() if target["format"] == "timeseries"]
    params = {option["key"]: filled(option["value"]) for option in target["url_options"]["params"]}
    with demo.client() as client:
        every = list(client.datasources.values(int(filled("${source}")), where=params["$filter"]))
    start, end = (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (START, END))
    inside = [value for value in every if start < value.value_date < end]
    assert 0 < len(inside) < len(every)
    assert len(inside) <= int(params["pageSize"])
