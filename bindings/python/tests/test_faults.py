"""Faults between client and service, in the middle of long reads: the result is complete and in order, or a typed error.

The service is the real one; a relay before it does what networks and proxies do. Which page goes wrong is decided by its address,
since several are under way at once.
"""

from __future__ import annotations

import asyncio
import re
import threading
import urllib.parse
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import obeya
import plant
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import relay
from obeya.types import DatasourceValueInput
from relay import Exchange, Handler

PAGE = 200
PAGES = -(-plant.VALUES // PAGE)
IDS = list(range(1, plant.VALUES + 1))
AREAS = list(range(1, plant.AREAS + 1))

Break = Callable[[Exchange, Handler], None]


def number(exchange: Exchange) -> int:
    """The number of the requested page of a list, from 1 on."""
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(exchange.target).query)
    if "$skiptoken" in query:
        return 2
    return int(query.get("page", ["1"])[0])


class Breaking:
    """Breaks the answer that is some page, so many times."""

    def __init__(self, page: int, how: Break, times: int) -> None:
        self.page = page
        self.how = how
        self.left = times
        self.lock = threading.Lock()

    def __call__(self, exchange: Exchange, handler: Handler) -> bool:
        with self.lock:
            if number(exchange) != self.page or self.left == 0:
                return False
            self.left -= 1
        self.how(exchange, handler)
        return True


def either(ways: list[Breaking]) -> relay.Way:
    return lambda exchange, handler: any(way(exchange, handler) for way in ways)


def refuse(status: int, **headers: str) -> Break:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _exchange, handler: relay.send(handler, status, {"Content-Type": "text/plain", **named}, b"busy")


def cut(share: float, end: Callable[[Handler], None]) -> Break:
    """The head with the whole length, some of the body, and then the end of the connection."""

    def how(exchange: Exchange, handler: Handler) -> None:
        relay.head(handler, exchange.status, exchange.headers, len(exchange.body))
        handler.wfile.write(exchange.body[: int(len(exchange.body) * share)])
        handler.wfile.flush()
        end(handler)

    return how


def leave(handler: Handler) -> None:
    handler.close_connection = True


def say_nothing(_exchange: Exchange, handler: Handler) -> None:
    relay.reset(handler)


def in_crumbs(exchange: Exchange, handler: Handler) -> None:
    """The whole answer, in the smallest pieces and with the end of the connection after it."""
    relay.head(handler, exchange.status, exchange.headers, len(exchange.body))
    for at in range(0, len(exchange.body), 97):
        handler.wfile.write(exchange.body[at : at + 97])
        handler.wfile.flush()
    handler.close_connection = True


PASSING: dict[str, Break] = {
    "429": refuse(429, Retry_After="0"),
    "429 for a second": refuse(429, Retry_After="1"),
    "503": refuse(503),
    "503 with a date that is past": refuse(503, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
    "502": refuse(502),
    "504": refuse(504, Retry_After="0"),
    "nothing and a reset": say_nothing,
    "head and a reset": cut(0, relay.reset),
    "half and a reset": cut(0.5, relay.reset),
    "half and an end": cut(0.5, leave),
    "all but the end": cut(0.999, leave),
    "crumbs": in_crumbs,
}


def values_of(client: obeya.Client) -> Any:
    return client.datasources.values(1, page_size=PAGE)


def in_json(_target: str, headers: dict[str, str]) -> None:
    """As from a client that takes no Arrow, so that the other way of decoding is taken."""
    if "arrow" in headers.get("accept", ""):
        headers["accept"] = "application/json"


Read = Callable[[obeya.Client], list[int]]

READS: dict[str, tuple[Read, relay.Change]] = {
    "records": (lambda client: [value.id for value in values_of(client)], lambda _target, _headers: None),
    "a table": (lambda client: values_of(client).to_arrow()["id"].to_pylist(), lambda _target, _headers: None),
    "a table of JSON": (lambda client: values_of(client).to_arrow()["id"].to_pylist(), in_json),
    "a frame": (lambda client: list(values_of(client).to_pandas()["id"]), lambda _target, _headers: None),
    "links": (lambda client: [area.id or 0 for area in client.areas.list()], lambda _target, _headers: None),
}


def expected(read: str) -> list[int]:
    return AREAS if read == "links" else IDS


def places(read: str) -> list[int]:
    """The pages that are broken: the first, one in the middle, the last."""
    return [1, 2] if read == "links" else [1, 6, PAGES]


@pytest.fixture(scope="module")
def credentials(server: obeya.TestServer) -> tuple[str, str]:
    return server.credentials()


# A client that is asked to wait does so: once is enough.
CASES = [(read, fault) for read in READS for fault in PASSING if fault != "429 for a second" or read == "links"]


@pytest.mark.parametrize(("read", "fault"), CASES)
def test_what_passes_costs_no_row_and_doubles_none(
    server: obeya.TestServer, credentials: tuple[str, str], read: str, fault: str
) -> None:
    way, change = READS[read]
    ways = [Breaking(page, PASSING[fault], 1) for page in places(read)]
    with relay.before(server.base_url, either(ways), change) as line, obeya.Client(line.url, *credentials) as client:
        assert way(client) == expected(read)
    assert [broken.left for broken in ways] == [0] * len(ways)
    asked = Counter(number(exchange) for exchange in line.exchanges)
    again = 1 if fault == "crumbs" else 2
    assert asked == {page: again if page in places(read) else 1 for page in range(1, 3 if read == "links" else PAGES + 1)}


LASTING: dict[str, tuple[Break, type[obeya.APIError]]] = {
    "429": (refuse(429, Retry_After="0"), obeya.RateLimitError),
    "429 for an hour": (refuse(429, Retry_After="3600"), obeya.RateLimitError),
    "503": (refuse(503, Retry_After="0"), obeya.InternalServerError),
    "500": (refuse(500), obeya.InternalServerError),
    "418": (refuse(418), obeya.APIStatusError),
    "half and a reset": (cut(0.5, relay.reset), obeya.APIConnectionError),
    "half and an end": (cut(0.5, leave), obeya.APIConnectionError),
    "nothing and a reset": (say_nothing, obeya.APIConnectionError),
}


@pytest.mark.parametrize("fault", LASTING)
def test_what_lasts_is_a_typed_error_after_all_that_came_before(server: obeya.TestServer, credentials: tuple[str, str], fault: str) -> None:
    how, class_ = LASTING[fault]
    for read, page, most in [("records", 6, 5 * PAGE), ("links", 2, 1000)]:
        with relay.before(server.base_url, Breaking(page, how, -1)) as line:
            with obeya.Client(line.url, *credentials, max_retries=1) as client:
                records: Any = client.areas.list() if read == "links" else values_of(client)
                iterator, got = iter(records), []
                with pytest.raises(class_) as caught:
                    for record in iterator:
                        got.append(record.id)
                assert type(caught.value) is class_
                # All that lay before, nothing twice, and nothing behind a gap.
                assert got == expected(read)[:most]
                assert list(iterator) == []
                if read == "records":
                    for table in (records.to_arrow, records.to_pandas):
                        with pytest.raises(class_):
                            table()
        tries = 1 if fault in ("429 for an hour", "500", "418") else 2
        reads = 3 if read == "records" else 1
        assert Counter(number(exchange) for exchange in line.exchanges)[page] == tries * reads


def test_a_body_that_never_ends_is_a_timeout(server: obeya.TestServer, credentials: tuple[str, str]) -> None:
    enough = threading.Event()

    def stall(exchange: Exchange, handler: Handler) -> None:
        relay.head(handler, exchange.status, exchange.headers, len(exchange.body))
        handler.wfile.write(exchange.body[:-1])
        handler.wfile.flush()
        enough.wait(60)
        handler.close_connection = True

    with relay.before(server.base_url, Breaking(3, stall, -1)) as line:
        with obeya.Client(line.url, *credentials, timeout=1) as client:
            try:
                got = []
                with pytest.raises(obeya.APITimeoutError):
                    for value in values_of(client):
                        got.append(value.id)
                # Whole pages from the first on; the two before the third, unless they were slow as well.
                assert got == IDS[: len(got)]
                assert len(got) in (0, PAGE, 2 * PAGE)
                with pytest.raises(obeya.APITimeoutError):
                    values_of(client).to_arrow()
            finally:
                enough.set()


class Expiring:
    """Has the service find the token of a page no longer good, so many times, as after it was revoked."""

    def __init__(self, page: str, times: int) -> None:
        self.page = page
        self.left = times
        self.lock = threading.Lock()

    def __call__(self, target: str, headers: dict[str, str]) -> None:
        with self.lock:
            if not re.search(self.page, target) or self.left == 0:
                return
            self.left -= 1
        scheme, token = headers["authorization"].split()
        first, rest = token[0], token[1:]
        headers["authorization"] = f"{scheme} {'A' if first != 'A' else 'B'}{rest}"


@pytest.mark.parametrize(("read", "page"), [("records", r"page=6\b"), ("a table", r"page=6\b"), ("links", "skiptoken")])
def test_a_token_that_ends_in_the_middle_is_replaced_once(
    server: obeya.TestServer, credentials: tuple[str, str], read: str, page: str
) -> None:
    expiring = Expiring(page, 1)
    with relay.before(server.base_url, change=expiring) as line, obeya.Client(line.url, *credentials) as client:
        assert READS[read][0](client) == expected(read)
    assert expiring.left == 0
    assert line.tokens == 2
    assert [exchange.status for exchange in line.exchanges].count(401) == 1


def test_tokens_that_are_never_good_are_an_authentication_error(server: obeya.TestServer, credentials: tuple[str, str]) -> None:
    with relay.before(server.base_url, change=Expiring(r"page=6\b", -1)) as line:
        with obeya.Client(line.url, *credentials) as client:
            got = []
            with pytest.raises(obeya.AuthenticationError) as caught:
                for value in values_of(client):
                    got.append(value.id)
            assert (caught.value.status_code, caught.value.code) == (401, "token.invalid")
            assert got == IDS[: 5 * PAGE]
            with pytest.raises(obeya.AuthenticationError):
                values_of(client).to_arrow()


def test_tokens_that_are_over_at_once_are_replaced_for_every_page(
    server: obeya.TestServer, credentials: tuple[str, str]
) -> None:
    with relay.before(server.base_url, lifetime=0) as line, obeya.Client(line.url, *credentials) as client:
        assert [value.id for value in client.datasources.values(1, page_size=PAGE, prefetch=1)] == IDS
        assert line.tokens == PAGES
        assert values_of(client).to_arrow()["id"].to_pylist() == IDS
    assert {exchange.status for exchange in line.exchanges} == {200}


@pytest.mark.parametrize("fault", ["429", "503", "half and a reset", "half and an end"])
def test_beside_an_event_loop(server: obeya.TestServer, credentials: tuple[str, str], fault: str) -> None:

    async def check() -> None:
        broken = [Breaking(page, PASSING[fault], 1) for page in (2, 7)]
        expiring = Expiring(r"page=9\b", 1)
        with relay.before(server.base_url, either(broken), expiring) as line:
            async with obeya.AsyncClient(line.url, *credentials) as client:

                async def records() -> list[int]:
                    return [value.id async for value in client.datasources.values(1, page_size=PAGE)]

                async def table() -> list[int]:
                    ids: list[int] = (await client.datasources.values(1, page_size=PAGE).to_arrow())["id"].to_pylist()
                    return ids

                async def areas() -> list[int]:
                    return [area.id or 0 async for area in client.areas.list()]

                found: list[list[int]] = [*await asyncio.gather(records(), table(), areas())]
                assert found == [IDS, IDS, AREAS]
        assert [*(one.left for one in broken), expiring.left] == [0, 0, 0]

    asyncio.run(check())


def in_a_file(values: obeya.Values, folder: Path) -> list[int]:
    assert values.to_parquet(folder / "values.parquet") == plant.VALUES
    found: list[int] = pq.read_table(folder / "values.parquet")["id"].to_pylist()
    return found


TABLES: dict[str, Callable[[obeya.Values, Path], list[int]]] = {
    "to_arrow": lambda values, _folder: values.to_arrow()["id"].to_pylist(),
    "to_polars": lambda values, _folder: values.to_polars()["id"].to_list(),
    "to_duckdb": lambda values, _folder: [id for (id,) in values.to_duckdb(duckdb.connect()).project("id").fetchall()],
    "to_arrow_batch_reader": lambda values, _folder: values.to_arrow_batch_reader().read_all()["id"].to_pylist(),
    "to_parquet": in_a_file,
    "pyarrow.table": lambda values, _folder: pa.table(values)["id"].to_pylist(),
}


@pytest.mark.parametrize("way", TABLES)
def test_many_faults_in_one_read(
    server: obeya.TestServer, credentials: tuple[str, str], tmp_path: Path, way: str
) -> None:
    """Every page breaks in another way, and some twice."""
    breaks = [how for name, how in PASSING.items() if name != "429 for a second"]
    ways = [Breaking(page, breaks[page % len(breaks)], 1 + page % 2) for page in range(1, PAGES + 1)]
    with relay.before(server.base_url, either(ways)) as line, obeya.Client(line.url, *credentials) as client:
        assert TABLES[way](values_of(client), tmp_path) == IDS
    assert [one.left for one in ways] == [0] * PAGES


@pytest.mark.parametrize("way", TABLES)
def test_a_table_that_fails_is_no_table(
    server: obeya.TestServer, credentials: tuple[str, str], tmp_path: Path, way: str
) -> None:
    """A part of the values looks like all of them, so nothing is given and no file is left."""
    with relay.before(server.base_url, Breaking(PAGES, refuse(500), -1)) as line, obeya.Client(line.url, *credentials) as client:
        # Through the C interface the class is the other library's.
        class_ = (pa.ArrowInvalid, OSError) if way == "pyarrow.table" else obeya.InternalServerError
        with pytest.raises(class_):
            TABLES[way](values_of(client), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fault", ["nothing and a reset", "half and a reset", "half and an end", "504"])
def test_a_write_whose_answer_is_lost_is_carried_out_once(server: obeya.TestServer, credentials: tuple[str, str], fault: str) -> None:
    new: list[DatasourceValueInput] = [{"value": n, "value_date": f"2027-01-01T00:00:{n:02}Z", "description": fault} for n in range(50)]
    # Writes wait for the disk, which may be busy.
    with server.client(timeout=600) as direct:
        broken = Breaking(1, PASSING[fault], 1)
        with relay.before(server.base_url, broken) as line, obeya.Client(line.url, *credentials, timeout=600) as client:
            assert client.datasources.create_values(2, new) == 50
        assert [exchange.method for exchange in line.exchanges] == ["POST", "POST"]
        values = direct.datasources.values(2).all()
        # Other tests find it empty.
        direct.datasources.delete_values(2, values)
        assert sorted(value.value for value in values) == [float(n) for n in range(50)]
