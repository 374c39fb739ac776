"""Incidents with what hangs on them, as tables that belong together and as one wide table."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import obeya
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from obeya._tidy import wide

TYPES = [
    {
        "id": 3,
        "title": "Equipment failure",
        "categories": [{"id": 31, "title": "Hydraulics"}, {"id": 32, "title": "Leak"}],
        "causes": [{"id": 33, "title": "Wear"}],
        "consequences": [{"id": 34, "title": "Downtime", "unit": "min"}, {"id": 35, "title": "severity"}],
        "customFields": [
            {"id": 36, "label": "Machine", "type": "text"},
            {"id": 37, "label": "title", "type": "text"},
            {"id": 38, "label": "Shift", "type": "list", "dataListId": 5},
        ],
    },
    {
        "id": 4,
        "title": "Quality",
        "categories": [{"id": 41, "title": "Surface"}],
        "consequences": [
            {"id": 44, "title": "Downtime", "unit": "min"},
            {"id": 45, "title": "Scrap", "unit": "kg"},
            {"id": 49, "title": "Downtime", "unit": "min"},
        ],
        "customFields": [
            {"id": 46, "label": "Machine", "type": "text"},
            {"id": 47, "label": "Batch", "type": "text"},
            {"id": 48, "label": "Machine (46)", "type": "text"},
        ],
    },
]


def incident(id: int, type: int, **parts: Any) -> dict[str, Any]:
    return {"id": id, "incidentTypeId": type, "title": f"No. {id}", "incidentDate": "2026-03-02", "severity": "Low", **parts}


INCIDENTS = [
    incident(
        1,
        3,
        categories=[{"id": 31}, {"id": 32}],
        causes=[{"id": 33}],
        consequences=[{"id": 34, "amount": 90.5}, {"id": 35, "amount": 2}],
        customFields=[
            {"id": 36, "value": "Press 2"},
            {"id": 37, "value": "Foreman"},
            {"id": 38, "value": "51", "dataListId": 5, "dataListValue": "Night"},
        ],
    ),
    incident(2, 3, categories=[{"id": 31}]),
    incident(
        3,
        4,
        categories=[{"id": 41}],
        consequences=[{"id": 44, "amount": 15}, {"id": 45}, {"id": 49, "amount": 5}],
        customFields=[{"id": 46, "value": "Lathe"}, {"id": 47, "value": "0815"}, {"id": 48, "value": "x"}],
    ),
]


@pytest.fixture(scope="module")
def quality(tmp_path_factory: pytest.TempPathFactory) -> Iterator[obeya.TestServer]:
    folder: Path = tmp_path_factory.mktemp("quality")
    lists = [{"id": 5, "name": "Shifts", "items": [{"id": 51, "identifier": "Night"}]}]
    for name, lines in {"data_lists": lists, "incident_types": TYPES, "incidents": INCIDENTS}.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with obeya.TestServer() as server:
        server.import_dir(folder)
        yield server


def test_each_kind_of_part_has_a_table(quality: obeya.TestServer) -> None:
    with quality.client() as client:
        # More than one page, each with its own dictionary.
        read = client.incidents.list(page_size=1)
        found = read.tidy()
        assert found.incidents.column_names == read.to_arrow().column_names[:-4]
        assert found.incidents["id"].to_pylist() == [1, 2, 3]
        assert repr(found) == "<obeya.Tidy: 3 incidents, 5 consequences, 1 causes, 4 categories, 6 custom_fields>"
        match found:
            case obeya.Tidy(incidents, consequences):
                assert (incidents, consequences) == (found.incidents, found.consequences)
        assert found.consequences.to_pylist() == [
            {"incidentId": 1, "id": 34, "title": "Downtime", "amount": 90.5, "unit": "min"},
            {"incidentId": 1, "id": 35, "title": "severity", "amount": 2.0, "unit": None},
            {"incidentId": 3, "id": 44, "title": "Downtime", "amount": 15.0, "unit": "min"},
            {"incidentId": 3, "id": 45, "title": "Scrap", "amount": None, "unit": "kg"},
            {"incidentId": 3, "id": 49, "title": "Downtime", "amount": 5.0, "unit": "min"},
        ]
        owner = found.consequences.schema.field("incidentId")
        assert (owner.type, owner.nullable) == (pa.int32(), False)
        assert found.causes.to_pylist() == [{"incidentId": 1, "id": 33, "title": "Wear"}]
        assert found.categories.to_pydict() == {
            "incidentId": [1, 1, 2, 3],
            "id": [31, 32, 31, 41],
            "title": ["Hydraulics", "Leak", "Hydraulics", "Surface"],
        }
        fields = found.custom_fields.select(["incidentId", "id", "label", "value"])
        assert [tuple(row.values()) for row in fields.to_pylist()] == [
            (1, 36, "Machine", "Press 2"),
            (1, 37, "title", "Foreman"),
            (1, 38, "Shift", "51"),
            (3, 46, "Machine", "Lathe"),
            (3, 47, "Batch", "0815"),
            (3, 48, "Machine (46)", "x"),
        ]
        frames = found.to_pandas()
        assert frames.consequences["incidentId"].dtype == pd.Int32Dtype()
        by_title = frames.consequences.groupby("title")["amount"].sum()
        assert by_title.to_dict() == {"Downtime": 110.5, "Scrap": 0.0, "severity": 2.0}
        assert isinstance(frames.incidents["severity"].dtype, pd.CategoricalDtype)
        assert found.to_polars().categories.group_by("title").len().filter(pl.col("title") == "Hydraulics")["len"].item() == 2


WIDE: dict[str, list[Any]] = {
    "categories": ["Hydraulics; Leak", "Hydraulics", "Surface"],
    "causes": ["Wear", None, None],
    "Downtime (min)": [90.5, None, 20.0],
    "Scrap (kg)": [None, None, None],
    "severity (consequence)": [2.0, None, None],
    "Machine (36)": ["Press 2", None, None],
    "title (37)": ["Foreman", None, None],
    # The item of the list, and not its id.
    "Shift": ["Night", None, None],
    "Machine (46)": [None, None, "Lathe"],
    "Batch": [None, None, "0815"],
    "Machine (46) (48)": [None, None, "x"],
}


def test_a_wide_table_has_a_column_for_each_part_by_its_name(quality: obeya.TestServer) -> None:
    with quality.client() as client:
        read = client.incidents.list(page_size=1)
        table = read.to_arrow(wide=True)
        own = read.to_arrow().column_names[:-4]
        assert table.column_names == [*own, *WIDE]
        assert table.select(list(WIDE)).to_pydict() == WIDE
        assert table.schema.field("Scrap (kg)").type == pa.float64()
        frame = read.to_pandas(wide=True)
        assert list(frame.columns) == table.column_names
        assert frame["Downtime (min)"].sum() == 110.5
        assert read.to_polars(wide=True).select(list(WIDE)).to_dict(as_series=False) == WIDE


def test_an_incident_that_comes_twice_has_its_own_amounts_each_time(quality: obeya.TestServer) -> None:
    with quality.client() as client:
        table = client.incidents.list().to_arrow()
    # As it is when the first is changed while the second page is read.
    twice = wide(pa.concat_tables([table, table.slice(0, 1)]))
    assert twice["id"].to_pylist() == [1, 2, 3, 1]
    assert twice.select(list(WIDE)).to_pydict() == {name: [*values, values[0]] for name, values in WIDE.items()}


def test_columns_are_in_one_order_whatever_the_order_of_incidents(quality: obeya.TestServer) -> None:
    with quality.client() as client:
        table = client.incidents.list().to_arrow()
    backwards = wide(table.take(pa.array([2, 1, 0])))
    assert backwards["id"].to_pylist() == [3, 2, 1]
    assert backwards.select(list(WIDE)).to_pydict() == {name: values[::-1] for name, values in WIDE.items()}
    assert backwards.column_names == wide(table).column_names


@pytest.mark.parametrize(
    ("way", "missing", "needed"),
    [("to_pandas", "pandas", "pyarrow and pandas"), ("to_pandas", "pyarrow", "pyarrow and pandas"), ("to_polars", "polars", "polars")],
)
def test_a_missing_library_is_named(
    quality: obeya.TestServer, monkeypatch: pytest.MonkeyPatch, way: str, missing: str, needed: str
) -> None:
    with quality.client() as client:
        found = client.incidents.list().tidy()
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError) as caught:
        getattr(found, way)()
    assert str(caught.value) == f"this needs {needed}: pip install {needed.replace(' and ', ' ')}"
    assert caught.value.name == missing


def test_where_there_are_no_incidents_there_are_their_own_columns(quality: obeya.TestServer) -> None:
    with quality.client() as client:
        read = client.incidents.list(where="id gt 99")
        own = read.to_arrow().column_names[:-4]
        assert read.to_arrow(wide=True).column_names == [*own, "categories", "causes"]
        assert read.tidy().consequences.column_names == ["incidentId", "id", "title", "amount", "unit"]
        assert read.tidy().custom_fields.num_rows == 0


def test_asyncio_has_the_same(quality: obeya.TestServer) -> None:
    async def work() -> None:
        async with quality.async_client() as client:
            read = client.incidents.list()
            assert (await read.to_arrow(wide=True)).select(list(WIDE)).to_pydict() == WIDE
            assert (await read.to_pandas(wide=True))["Batch"].isna().sum() == 2
            assert (await read.to_polars(wide=True)).height == 3
            assert (await read.tidy()).to_pandas().causes["title"].to_list() == ["Wear"]

    asyncio.run(work())
