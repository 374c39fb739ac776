"""`top` of the lists with numbered pages, however they are read, and the requests that it saves."""

from __future__ import annotations

import asyncio
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import obeya
import plant
import polars as pl
import pyarrow as pa
import pytest
import relay

WAYS: dict[str, Callable[[Any, Path], int]] = {
    "iterated": lambda read, _folder: sum(1 for _ in read),
    "pages": lambda read, _folder: sum(len(page) for page in read.pages()),
    "all": lambda read, _folder: len(read.all()),
    "pyarrow": lambda read, _folder: read.to_arrow().num_rows,
    "pandas": lambda read, _folder: len(read.to_pandas()),
    "polars": lambda read, _folder: read.to_polars().height,
    "duckdb": lambda read, _folder: len(read.to_duckdb()),
    "reader": lambda read, _folder: read.to_arrow_batch_reader().read_all().num_rows,
    "parquet": lambda read, folder: read.to_parquet(folder / "some.parquet"),
    "a library of Arrow streams": lambda read, _folder: pl.DataFrame(read).height,
}
"""How many records each way of reading a list gives."""


def pages_of(line: relay.Relay) -> list[tuple[str, str]]:
    """Number and size of the pages that were requested, in the order of their numbers."""
    queries = [urllib.parse.parse_qs(urllib.parse.urlsplit(exchange.target).query) for exchange in line.exchanges]
    line.exchanges.clear()
    return sorted((query["page"][0], query["pageSize"][0]) for query in queries)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_read_beyond_the_limit(server: obeya.TestServer, way: str, tmp_path: Path) -> None:
    credentials = server.credentials(["Data.Read"])
    with relay.before(server.base_url) as line, obeya.Client(line.url, *credentials) as client:
        for top, pages in [
            (7, [("1", "7")]),
            (400, [("1", "400")]),
            # Three pages of one size, since the numbers of pages fit one size only.
            (1100, [("1", "367"), ("2", "367"), ("3", "367")]),
        ]:
            values = client.datasources.values(1, page_size=400, top=top)
            assert WAYS[way](values, tmp_path) == top
            assert pages_of(line) == pages


def test_the_first_records_come_and_the_count_is_that_of_all(
    client: obeya.Client, new_incident: Callable[..., obeya.IncidentV1]
) -> None:
    values = client.datasources.values(1, page_size=1000, top=1500)
    assert [value.id for value in values] == list(range(1, 1501))
    assert values.count() == plant.VALUES
    assert (len(values.page()), len(values.page(2)), len(values.page(3))) == (1000, 500, 0)
    assert pa.schema(values.to_arrow().schema) == pa.schema(values)
    nothing = client.datasources.values(1, top=0)
    assert (nothing.all(), nothing.first(), len(nothing.page())) == ([], None, 0)
    assert nothing.to_arrow().schema == values.to_arrow().schema
    latest = client.datasources.values(1, order_by="valueDate desc", top=2)
    assert [value.id for value in latest] == [plant.VALUES, plant.VALUES - 1]
    assert latest.first() == latest.all()[0]
    new_incident()
    client.improvements.create(title="Limited", suggested_by_user_id="u1")
    for list_ in (client.incidents.list, client.improvements.list):
        every = list_().all()
        assert len(every) > 1
        assert list_(top=1).all() == every[:1]
        assert list_(top=1).page().items == tuple(every[:1])
        assert list_(order_by="id desc", page_size=1, top=2).all() == every[::-1][:2]
    board = client.boards.list().first()
    assert board is not None
    for number in range(3):
        client.boards.create_task(board, title=f"Limit {number}")
    tasks = client.boards.tasks(board).all()
    assert client.boards.tasks(board, page_size=1, top=2).all() == tasks[:2]


def test_it_counts_from_zero(client: obeya.Client) -> None:
    for list_ in (
        client.incidents.list,
        client.improvements.list,
        lambda top: client.boards.tasks(1, top=top),
        lambda top: client.datasources.values(1, top=top),
    ):
        with pytest.raises(ValueError, match="top: found -1, expected 0 to 4294967295"):
            list_(top=-1)


def test_asyncio_has_it_too(server: obeya.TestServer) -> None:
    async def read() -> list[int]:
        async with server.async_client() as client:
            return [value.id async for value in client.datasources.values(1, page_size=2, top=3)]

    assert asyncio.run(read()) == [1, 2, 3]
