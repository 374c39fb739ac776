"""Waiting: it ends with Ctrl-C, it blocks no other thread, and a forked child gets an error for objects of its parent."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import canned
import obeya
import polars as pl
import pyarrow as pa
import pytest

SOON = 0.2
"""How long Ctrl-C may take, in seconds."""


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Ctrl-C is heard, also by tests that run in the background of a shell, which has it ignored there."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def soon(interrupt: Callable[[], float]) -> bool:
    """Whether it takes no longer. A busy machine may delay one attempt, or two."""
    return any(interrupt() < SOON for _ in range(5))


FIRST_OF_MANY = '{"value": [{"id": 1}], "@odata.nextLink": "?$skiptoken=1"}'

VALUES = ", ".join(
    f'{{"id": {n}, "dataSourceId": 1, "registrationDate": "2026-03-02T00:00:00Z", "value": 1, "valueDate": "2026-03-02T00:00:00Z"}}'
    for n in range(1, 3)
)
FIRST_VALUES = f'{{"pageSize": 2, "pageNo": 1, "count": 9, "values": [{VALUES}]}}'

WAITS: list[tuple[str, list[str], Callable[[obeya.Client], object]]] = [
    ("a call", [], lambda client: client.areas.get(1)),
    ("a write", [], lambda client: client.incidents.delete(1)),
    ("a page", [], lambda client: client.areas.list().page()),
    ("a count", [], lambda client: client.incidents.list().count()),
    ("the first page of a list", [], lambda client: list(client.areas.list())),
    ("the next page of a list", [FIRST_OF_MANY], lambda client: list(client.areas.list())),
    ("the next page of values", [FIRST_VALUES], lambda client: list(client.datasources.values(1, page_size=2))),
    ("a table", [], lambda client: client.datasources.values(1).to_arrow()),
    (
        "the next part of a table",
        [FIRST_VALUES],
        lambda client: client.datasources.values(1, page_size=2, prefetch=1).to_arrow(),
    ),
    ("a frame", [], lambda client: client.datasources.values(1).to_pandas()),
    ("the next part of a table of records", [FIRST_OF_MANY], lambda client: client.areas.list().to_arrow()),
    ("the next part of a frame", [FIRST_OF_MANY], lambda client: client.areas.list().to_pandas()),
    ("the next part of a frame of polars", [FIRST_OF_MANY], lambda client: client.areas.list().to_polars()),
    ("the next part of a relation", [FIRST_OF_MANY], lambda client: client.areas.list().to_duckdb()),
    ("the next part of a file", [FIRST_OF_MANY], lambda client: client.areas.list().to_parquet(Path(tempfile.gettempdir(), "obeya-interrupted.parquet"))),
    (
        "the next batch of a reader",
        [FIRST_OF_MANY],
        lambda client: client.areas.list().to_arrow_batch_reader().read_all(),
    ),
    ("a bar", [FIRST_OF_MANY], lambda client: client.areas.list().to_arrow(progress=True)),
]


@pytest.mark.parametrize(("bodies", "read"), [wait[1:] for wait in WAITS], ids=[wait[0] for wait in WAITS])
def test_ctrl_c_ends_it(bodies: list[str], read: Callable[[obeya.Client], object]) -> None:
    def interrupt() -> float:
        with canned.silent(*bodies, interrupts=0) as service, obeya.Client(service.url, token="t", timeout=600) as client:
            with pytest.raises(KeyboardInterrupt) as caught:
                read(client)
            taken = time.monotonic() - service.interrupted
            # The connection is given up at once, although the client goes on and the failure is still at
            # hand.
            assert service.freed.wait(60)
            del caught
            return taken

    assert soon(interrupt)


@pytest.mark.parametrize("library", [pa.table, pl.DataFrame], ids=["pyarrow", "polars"])
def test_ctrl_c_ends_what_another_library_reads(library: Callable[[object], object]) -> None:
    def interrupt() -> float:
        with (
            canned.silent(FIRST_OF_MANY, interrupts=0) as service,
            obeya.Client(service.url, token="t", timeout=600) as client,
        ):
            with pytest.raises(KeyboardInterrupt):
                # It fails with the library's own exception; Python finds the signal when it continues.
                with suppress(Exception):
                    library(client.areas.list())
                while time.monotonic() < service.interrupted + 60:
                    pass
            taken = time.monotonic() - service.interrupted
            assert service.freed.wait(60)
            return taken

    assert soon(interrupt)


class Alarm(Exception):
    """The exception of a program's own signal handler."""


@pytest.mark.parametrize("library", [pa.table, pl.DataFrame], ids=["pyarrow", "polars"])
def test_what_a_handler_raises_ends_what_another_library_reads(library: Callable[[object], object]) -> None:
    def handler(number: int, _frame: object) -> None:
        raise Alarm(f"signal {number}")

    before = signal.signal(signal.SIGINT, handler)
    try:
        with (
            canned.silent(FIRST_OF_MANY, interrupts=0) as service,
            obeya.Client(service.url, token="t", timeout=600) as client,
        ):
            with pytest.raises(Exception, match=f"Alarm: signal {int(signal.SIGINT)}"):
                library(client.areas.list())
            assert service.freed.wait(60)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("read", ["page", "all"])
def test_ctrl_c_ends_a_wait_of_asyncio(read: str) -> None:
    async def wait(url: str) -> None:
        async with obeya.AsyncClient(url, token="t", timeout=600) as client:
            await getattr(client.areas.list(), read)()

    def interrupt() -> float:
        # Not at once: asyncio overlooks a signal that comes between two instructions, on the way into its
        # wait.
        with canned.silent(interrupts=0.2) as service:
            with pytest.raises(KeyboardInterrupt):
                asyncio.run(wait(service.url))
            taken = time.monotonic() - service.interrupted
            assert service.freed.wait(60)
            return taken

    assert soon(interrupt)


def test_who_waits_holds_up_nobody() -> None:
    counted = 0
    with canned.silent() as service, obeya.Client(service.url, token="t", timeout=0.5, max_retries=0) as client:

        def wait() -> None:
            with pytest.raises(obeya.APITimeoutError):
                client.areas.get(1)

        thread = threading.Thread(target=wait)
        thread.start()
        assert service.asked.wait(5)
        while thread.is_alive():
            counted += 1
        thread.join()
    # Python lets each thread run for 5 ms; one that waited with the GIL would leave nothing of them.
    assert counted > 1000


def in_a_child(work: Callable[[], str]) -> str:
    """The message of the work in a forked child."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns of this.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            said = work()
        except BaseException as error:
            said = f"failed: {error!r}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def complaint(call: Callable[[], object]) -> str:
    try:
        call()
    except RuntimeError as error:
        return str(error).partition(" was made before the process forked")[0]
    return "no complaint"


def test_calls_in_a_forked_child_raise(server: obeya.TestServer) -> None:
    client = server.client(timeout=5, max_retries=0)
    patient, areas, values = client.with_options(timeout=9), client.areas, client.areas.list()
    figures = client.datasources.values(1)
    iterator, pages = iter(client.areas.list()), client.areas.list().pages()
    assert next(iterator).id == 1
    assert len(next(pages)) == 1000
    asynchronous = server.async_client()
    stream = pa.RecordBatchReader.from_stream(client.areas.list())
    assert stream.read_next_batch().num_rows == 1000

    def work() -> str:
        try:
            stream.read_next_batch()
        except Exception as error:
            if "this stream was made before the process forked" not in str(error):
                return str(error)
        calls: list[Callable[[], object]] = [
            lambda: client.areas.get(1),
            client.areas.list,
            lambda: areas.get(1),
            lambda: patient.ping(),
            lambda: asyncio.run(asynchronous.ping()),
            values.page,
            lambda: list(values),
            figures.to_arrow,
            figures.count,
            lambda: figures.__arrow_c_stream__(),
            # Fetched rows may still be read; nothing more is fetched.
            lambda: list(iterator),
            lambda: next(pages),
            server.credentials,
        ]
        return ",".join(map(complaint, calls))

    assert in_a_child(work).split(",") == ["this client"] * 5 + ["this list"] * 5 + ["this iterator"] * 2 + ["this server"]
    # The parent continues, with its connection.
    assert client.areas.get(3).id == 3
    assert next(iterator).id == 2
    assert len(next(pages)) == 203
    assert stream.read_all().num_rows == 203


def test_a_forked_child_can_begin_anew(server: obeya.TestServer) -> None:
    client_id, client_secret = server.credentials()
    with obeya.Client(server.base_url, client_id, client_secret) as parents:
        parents.ping()

        async def ask() -> int | None:
            async with obeya.AsyncClient(server.base_url, client_id, client_secret) as client:
                return (await client.areas.get(3)).id

        def work() -> str:
            with obeya.Client(server.base_url, client_id, client_secret) as client:
                return f"{client.areas.get(2).id} {asyncio.run(ask())} {len(list(client.datasources.values(1)))}"

        assert in_a_child(work) == "2 3 2500"


def test_a_fork_amid_the_calls_of_other_threads(server: obeya.TestServer) -> None:
    client_id, client_secret = server.credentials()
    ended = threading.Event()
    with obeya.Client(server.base_url, client_id, client_secret) as client:

        def read() -> None:
            while not ended.is_set():
                client.areas.get(1)

        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()

        def work() -> str:
            message = complaint(lambda: client.areas.get(1))
            with obeya.Client(server.base_url, client_id, client_secret) as own:
                return f"{message}, {own.areas.get(2).id}"

        try:
            assert [in_a_child(work) for _ in range(5)] == ["this client, 2"] * 5
        finally:
            ended.set()
            for thread in threads:
                thread.join()


def test_what_a_child_lets_go_of_is_still_the_parent_s(tmp_path: Path) -> None:
    (tmp_path / "areas.jsonl").write_text('{"id": 1, "name": "Foundry"}\n')
    kept: dict[str, Any] = {"server": obeya.TestServer()}
    kept["client"] = kept["server"].client()
    kept["iterator"] = iter(kept["client"].areas.list())

    def work() -> str:
        kept["server"].close()
        kept["client"].close()
        kept.clear()
        gc.collect()
        return "let go"

    assert in_a_child(work) == "let go"
    assert kept["server"].import_dir(tmp_path) == {"areas.jsonl": 1}
    assert [area.id for area in kept["iterator"]] == [1]
    kept["server"].close()
