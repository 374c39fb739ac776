"""Many values through every way to a table, compared value by value with what Python's own json makes slowly of the same answers.

100,000 of them in an ordinary run; a million with `cargo xtask test --long`.
"""

from __future__ import annotations

import asyncio
import datetime
import json
import os
import random
import struct
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import obeya
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import relay
from obeya import F

ROWS = 1_000_000 if os.environ.get("OBEYA_TEST_LONG") else 100_000
PAGE = 10_000
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
MOMENTS = ("registrationDate", "valueDate")

Column = list[Any]
Columns = dict[str, Column]


def lines() -> Iterator[str]:
    """Values as the import takes them: with gaps, at the limits of their types, and with texts that are hard on parsers."""
    rng = random.Random(7)
    texts = ["", "Ærlig ", "O'Neil", 'quote " and \\ slash', "tab\tline\nend", "🦺", "null", "\u2028", "x" * 255]
    numbers = [0.0, 5e-324, 1.7976931348623157e308, 0.1, -1 / 3, 123456789.123456789, 1e22, 2**53 + 0.0]
    ints = [0, -1, 2**31 - 1, -(2**31)]
    start = datetime.datetime(2026, 1, 1)
    for n in range(1, ROWS + 1):
        moment = start + datetime.timedelta(seconds=7 * n)
        if n % 1000 == 1:
            moment = rng.choice([datetime.datetime(1, 1, 1), datetime.datetime(1969, 12, 31, 23, 59, 59), datetime.datetime(9999, 12, 31, 23)])
        fraction = rng.choice(["", ".5", ".123456", ".1234567", ".9999999"])
        line: dict[str, Any] = {
            "id": n,
            "dataSourceId": 1,
            "value": rng.choice(numbers) if n % 10 == 0 else rng.uniform(-1e6, 1e6),
            "valueDate": f"{moment.isoformat()}{fraction}Z",
            "registrationDate": f"2026-02-01T00:00:{n % 60:02}{rng.choice(['', '.0000001'])}Z",
            "dimension": f"Line {n % 4}",
            "dimension2": rng.choice([None, "day", "night", "Ærlig"]),
            "assetId": rng.choice([None, *ints]),
        }
        if n % 3 == 0:
            line["description"] = rng.choice(texts) or None
            line["externalId"] = f"E-{n}"
            line["dimension3"] = f"batch {n // 50}"
        yield json.dumps(line) + "\n"


def microseconds(text: str) -> int:
    """Of an instant as the service writes it, since 1970; further digits are cut off."""
    seconds, _, digits = text.removesuffix("Z").partition(".")
    moment = datetime.datetime.fromisoformat(seconds).replace(tzinfo=datetime.timezone.utc)
    return (moment - EPOCH) // datetime.timedelta(microseconds=1) + int(digits[:6].ljust(6, "0"))


class Plant(NamedTuple):
    server: obeya.TestServer
    client: obeya.Client
    columns: Columns
    """The content of the answers."""


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plant]:
    folder: Path = tmp_path_factory.mktemp("big")
    (folder / "datasources.jsonl").write_text('{"id": 1, "title": "Output"}\n', encoding="utf-8")
    with (folder / "datasource_values.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(lines())
    with obeya.TestServer() as server:
        assert ROWS in server.import_dir(folder).values()
        with server.client() as client:
            yield Plant(server, client, decoded(server))


def decoded(server: obeya.TestServer) -> Columns:
    """All answers, read without this package."""
    client_id, client_secret = server.credentials()
    form = f"grant_type=client_credentials&client_id={client_id}&client_secret={client_secret}".encode()
    with urllib.request.urlopen(f"{server.base_url}/connect/token", form) as answer:
        token = json.load(answer)["access_token"]
    columns: Columns = {}
    for number in range(1, ROWS // PAGE + 1):
        address = f"{server.base_url}/v1/Datasources/1/values?page={number}&pageSize={PAGE}"
        with urllib.request.urlopen(urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})) as answer:
            page = json.load(answer)["values"]
        assert len(page) == PAGE
        for row in page:
            for name, value in row.items():
                columns.setdefault(name, []).append(microseconds(value) if name in MOMENTS else value)
    assert {len(column) for column in columns.values()} == {ROWS}
    return columns


def of_arrow(table: Any) -> Columns:
    for name in MOMENTS:
        assert table.schema.field(name).type == pa.timestamp("us", "UTC")
    return {
        name: (table[name].cast(pa.int64()) if name in MOMENTS else table[name]).to_pylist() for name in table.schema.names
    }


def of_pandas(frame: pd.DataFrame) -> Columns:
    columns: Columns = {}
    for name in frame.columns:
        series = frame[name]
        if name in MOMENTS:
            assert str(series.dtype) == "datetime64[us, UTC]"
            columns[name] = series.astype("int64").tolist()
        else:
            gaps = series.isna().tolist()
            columns[name] = [None if gap else value for gap, value in zip(gaps, series.tolist())]
    return columns


def of_polars(frame: pl.DataFrame) -> Columns:
    return {name: (frame[name].dt.epoch("us") if name in MOMENTS else frame[name]).to_list() for name in frame.columns}


def of_duckdb(relation: Any) -> Columns:
    names = relation.columns
    chosen = ", ".join(f'epoch_us("{name}")' if name in MOMENTS else f'"{name}"' for name in names)
    return dict(zip(names, map(list, zip(*relation.project(chosen).fetchall()))))


def same(found: Columns, wanted: Columns) -> None:
    """Every value, and of the right type: in Python 1 is 1.0 and True, and 0.0 is -0.0."""
    assert list(found) == list(wanted)
    for name, column in wanted.items():
        if found[name] != column:
            places = [at for at, (a, b) in enumerate(zip(found[name], column)) if a != b]
            at = places[0] if places else min(len(column), len(found[name]))
            pytest.fail(f"{name}: {len(found[name])} of {len(column)}, {len(places)} differ, the first at {at}: {found[name][at : at + 1]}")
        assert set(map(type, found[name])) == set(map(type, column)), name
    bits = [struct.pack(f"{len(side['value'])}d", *side["value"]) for side in (found, wanted)]
    assert bits[0] == bits[1]


def in_parquet(values: obeya.Values, folder: Path) -> Columns:
    assert values.to_parquet(folder / "values.parquet") == ROWS
    return of_arrow(pq.read_table(folder / "values.parquet"))


def in_relation(values: obeya.Values, _folder: Path) -> Columns:
    # DuckDB 1.2 closes a connection that nothing but its relations needs.
    with duckdb.connect() as connection:
        return of_duckdb(values.to_duckdb(connection))


def read_by_duckdb(values: obeya.Values, _folder: Path) -> Columns:
    with duckdb.connect() as connection:
        return of_duckdb(connection.from_arrow(values))


WAYS: dict[str, Callable[[obeya.Values, Path], Columns]] = {
    "to_arrow": lambda values, _folder: of_arrow(values.to_arrow()),
    "to_pandas": lambda values, _folder: of_pandas(values.to_pandas()),
    "to_polars": lambda values, _folder: of_polars(values.to_polars()),
    "to_duckdb": in_relation,
    "to_arrow_batch_reader": lambda values, _folder: of_arrow(values.to_arrow_batch_reader().read_all()),
    "to_parquet": in_parquet,
    "pyarrow.table": lambda values, _folder: of_arrow(pa.table(values)),
    "polars.DataFrame": lambda values, _folder: of_polars(pl.DataFrame(values)),
    "duckdb": read_by_duckdb,
}


def of_records(values: obeya.Values) -> Columns:
    rows = [json.loads(value.to_json()) for value in values]
    # A property that is missing in a record's own text is null.
    columns: Columns = {name: [row.get(name) for row in rows] for name in pa.schema(values).names}
    for name in MOMENTS:
        columns[name] = [microseconds(text) for text in columns[name]]
    return columns


def chosen(columns: Columns, name: str, where: Callable[[Any], bool]) -> Columns:
    places = [at for at, value in enumerate(columns[name]) if where(value)]
    return {name: [column[at] for at in places] for name, column in columns.items()}


def test_the_values_are_worth_comparing(big: Plant) -> None:
    columns = big.columns
    assert len(set(columns["id"])) == ROWS
    assert {5e-324, 1.7976931348623157e308, -1 / 3} <= set(columns["value"])
    assert {2**31 - 1, -(2**31), None} <= set(columns["assetId"])
    assert min(columns["valueDate"]) == -62_135_596_800_000_000
    assert {"tab\tline\nend", "🦺", None} <= set(columns["description"])
    assert len(set(columns["dimension3"])) > ROWS / 100


@pytest.mark.parametrize("way", WAYS)
def test_every_way_brings_every_value(big: Plant, tmp_path: Path, way: str) -> None:
    same(WAYS[way](big.client.datasources.values(1, page_size=PAGE), tmp_path), big.columns)


def test_records_bring_every_value(big: Plant) -> None:
    same(of_records(big.client.datasources.values(1, where=F.id <= 20_000)), chosen(big.columns, "id", lambda id: id <= 20_000))


@pytest.mark.parametrize("way", ["to_arrow", "to_pandas", "to_polars", "to_duckdb", "to_arrow_batch_reader", "to_parquet"])
def test_every_way_brings_every_value_out_of_json(big: Plant, tmp_path: Path, way: str) -> None:
    def in_json(_target: str, headers: dict[str, str]) -> None:
        if "arrow" in headers.get("accept", ""):
            headers["accept"] = "application/json"

    client_id, client_secret = big.server.credentials()
    with relay.before(big.server.base_url, change=in_json) as line, obeya.Client(line.url, client_id, client_secret) as client:
        same(WAYS[way](client.datasources.values(1, page_size=PAGE), tmp_path), big.columns)
        assert all(exchange.body[:1] == b"{" for exchange in line.exchanges)


def test_eight_threads_and_an_event_loop_at_once(big: Plant, tmp_path: Path) -> None:
    """All share a client; each reads other values, and each in another way."""
    of_line = [chosen(big.columns, "dimension", f"Line {line}".__eq__) for line in range(4)]
    ways = [name for name in WAYS if name != "to_parquet"]

    def values(line: int) -> obeya.Values:
        return big.client.datasources.values(1, where=F.dimension == f"Line {line}", page_size=5000)

    def read(n: int) -> None:
        same(WAYS[ways[n % len(ways)]](values(n % 4), tmp_path), of_line[n % 4])

    async def beside() -> None:
        async with big.server.async_client() as client:

            async def table(line: int) -> None:
                where = F.dimension == f"Line {line}"
                same(of_arrow(await client.datasources.values(1, where=where, page_size=5000).to_arrow()), of_line[line])

            async def frame(line: int) -> None:
                where = F.dimension == f"Line {line}"
                same(of_polars(await client.datasources.values(1, where=where, page_size=5000).to_polars()), of_line[line])

            await asyncio.gather(*(table(line) for line in range(4)), *(frame(line) for line in range(4)))

    with ThreadPoolExecutor(9) as pool:
        others = [pool.submit(read, n) for n in range(8)]
        others.append(pool.submit(asyncio.run, beside()))
        for other in others:
            other.result()
