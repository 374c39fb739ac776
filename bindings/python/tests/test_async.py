"""The client for asyncio: the same operations, concurrently, in the one thread of an event loop."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import warnings
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import canned
import obeya
import plant
import pytest

_T = TypeVar("_T")


def run(server: obeya.TestServer, work: Callable[[obeya.AsyncClient], Awaitable[_T]]) -> _T:
    """Does the work with a client of the server."""

    async def main() -> _T:
        async with server.async_client() as client:
            return await work(client)

    return asyncio.run(main())


def test_reads_and_writes(server: obeya.TestServer) -> None:
    async def work(client: obeya.AsyncClient) -> None:
        assert repr(client) == f"<obeya.AsyncClient {client.base_url}>"
        assert (await client.areas.get(1)).name == "Foundry"
        kind = await client.incidents.type_detail(3)
        incident = await client.incidents.create(
            incident_type_id=3, severity="Low", title="Async", incident_date="2026-03-02", categories=kind.categories
        )
        incident = await client.incidents.update(incident, text="Later")
        assert (incident.title, incident.text) == ("Async", "Later")
        found = await client.tagged(lambda client: client.incidents.get(incident.id))
        assert found.value == incident
        with pytest.raises(obeya.PreconditionFailedError):
            await client.incidents.delete(incident, if_match='"other"')
        await client.incidents.delete(incident, if_match=found.tag)
        access = await client.authenticate()
        assert access is not None
        assert "public.api.read" in access.scopes

    run(server, work)


def test_lists(server: obeya.TestServer) -> None:
    async def work(client: obeya.AsyncClient) -> None:
        areas = client.areas.list()
        assert repr(areas) == "<obeya.AsyncGroupableRecords of areas>"
        for _ in range(2):
            assert [area.id async for area in areas] == list(range(1, plant.AREAS + 1))
        assert [len(page) async for page in areas.pages()] == [1000, plant.AREAS - 1000]
        assert len(await areas.page()) == 1000
        first = await areas.first()
        assert first is not None
        assert (first.id, await areas.count(), len(await areas.all())) == (1, plant.AREAS, plant.AREAS)
        async for area in areas:
            if area.id == 1001:
                break
        assert [each.id async for each in client.incidents.types()] == [3]
        assert len(await client.incidents.list().page(2)) == 0

    run(server, work)


def test_values(server: obeya.TestServer) -> None:
    async def work(client: obeya.AsyncClient) -> None:
        values = client.datasources.values(1, page_size=1000)
        assert repr(values) == "<obeya.AsyncValues of datasource 1>"
        numbers = [plant.value(n) for n in range(1, plant.VALUES + 1)]
        assert [value.value async for value in values] == numbers
        assert (await values.to_arrow())["value"].to_pylist() == numbers
        assert list((await values.to_pandas())["value"]) == numbers

    run(server, work)


def test_fifty_calls_at_once() -> None:
    async def main(url: str) -> None:
        async with obeya.AsyncClient(url, token="t", max_retries=0) as client:
            answers = await asyncio.gather(*(client.ping() for _ in range(50)), return_exceptions=True)
            assert [type(answer) for answer in answers] == [obeya.InternalServerError] * 50

    with canned.slow(60, enough=50) as service:
        asyncio.run(main(service.url))
        assert (len(service.paths), service.most) == (50, 50)


def test_more_calls_than_a_service_has_connections(server: obeya.TestServer) -> None:
    """The service accepts 1,024 connections; further clients wait."""

    async def work(client: obeya.AsyncClient) -> None:
        hasty = client.with_options(timeout=20, max_retries=0)
        moments = await asyncio.gather(*(which.ping() for which in (client, hasty) for _ in range(750)))
        assert len(moments) == 1500

    run(server, work)


def test_no_more_are_under_way_than_have_a_turn() -> None:
    async def main(url: str) -> None:
        async with obeya.AsyncClient(url, token="t", max_retries=0) as client:
            calls = (call for _ in range(75) for call in (client.ping(), client.areas.list().first()))
            answers = await asyncio.gather(*calls, return_exceptions=True)
            assert [type(answer) for answer in answers] == [obeya.InternalServerError] * 150

    # As many calls as there are permits block all others until they are answered.
    with canned.slow(60, enough=100) as service:
        asyncio.run(main(service.url))
        assert len(service.paths) == 150
        assert service.most == 100


def test_threads_beside(server: obeya.TestServer, client: obeya.Client) -> None:
    """Loops in eight threads share a client, while others wait for the same service."""

    async def main(shared: obeya.AsyncClient) -> list[int | None]:
        areas = await asyncio.gather(*(shared.areas.get(n) for n in range(1, 26)))
        return [area.id for area in areas]

    shared = server.async_client()
    with ThreadPoolExecutor(16) as pool:
        loops = [pool.submit(asyncio.run, main(shared)) for _ in range(8)]
        waits = [pool.submit(lambda: [client.areas.get(n).id for n in range(1, 26)]) for _ in range(8)]
        assert [job.result() for job in loops + waits] == [list(range(1, 26))] * 16


def test_the_loop_goes_on_while_it_waits() -> None:
    async def main(url: str) -> int:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.005)
                ticks += 1

        ticking = asyncio.create_task(tick())
        with pytest.raises(obeya.APITimeoutError):
            await obeya.AsyncClient(url, token="t", timeout=0.5, max_retries=0).ping()
        ticking.cancel()
        return ticks

    with canned.silent() as service:
        assert asyncio.run(main(service.url)) > 10


@pytest.mark.parametrize("bodies", [[], ['{"value": [{"id": 1}], "@odata.nextLink": "?$skiptoken=1"}']])
def test_cancelling_frees_the_connection(bodies: list[str]) -> None:
    async def main(service: canned.Silent) -> None:
        client = obeya.AsyncClient(service.url, token="t", timeout=600)
        task = asyncio.create_task(client.areas.list().all())
        await asyncio.to_thread(service.asked.wait, 5)
        assert not service.freed.is_set()
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        # Although the client continues and the exception, with all its frames, still exists.
        assert await asyncio.to_thread(service.freed.wait, 5)
        del caught
        await client.close()

    with canned.silent(*bodies) as service:
        asyncio.run(main(service))


def test_cancelling_removes_the_file_that_was_begun(tmp_path: Path) -> None:
    async def main(service: canned.Silent) -> None:
        async with obeya.AsyncClient(service.url, token="t", timeout=600) as client:
            task = asyncio.create_task(client.areas.list().to_parquet(tmp_path / "rows.parquet"))
            await asyncio.to_thread(service.asked.wait, 5)
            assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert list(tmp_path.iterdir()) == []

    with canned.silent('{"value": [{"id": 1}], "@odata.nextLink": "?$skiptoken=1"}') as service:
        asyncio.run(main(service))


def test_a_time_limit_of_asyncio_is_one() -> None:
    async def main(service: canned.Silent) -> None:
        async with obeya.AsyncClient(service.url, token="t", timeout=600) as client:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.ping(), 0.2)
            assert await asyncio.to_thread(service.freed.wait, 5)

    with canned.silent() as service:
        asyncio.run(main(service))


def test_failures_are_the_same(server: obeya.TestServer) -> None:
    async def work(client: obeya.AsyncClient) -> None:
        with pytest.raises(obeya.NotFoundError) as caught:
            await client.areas.get(999_999)
        assert (caught.value.status_code, caught.value.code, caught.value.operation) == (404, "not_found", "getArea")
        assert caught.value.request_id
        with pytest.raises(obeya.BadRequestError) as refused:
            await client.incidents.create(
                incident_type_id=3, severity="Low", title="", incident_date="2026-03-02", categories=[32]
            )
        assert [part for part, _ in refused.value.errors] == ["title"]
        areas = client.areas.list(where="nonsense")
        with pytest.raises(obeya.BadRequestError):
            async for _ in areas:
                pass
        with pytest.raises(TypeError, match="titel"):
            await client.improvements.update(5, titel="x")  # type: ignore[call-arg]

    run(server, work)
    with pytest.raises(obeya.APIConnectionError):
        asyncio.run(obeya.AsyncClient(f"http://127.0.0.1:{canned.closed_port()}", token="t", max_retries=0).ping())


def test_a_closed_client_says_so(server: obeya.TestServer) -> None:
    async def main() -> None:
        client = server.async_client()
        async with client.with_options(max_retries=0) as other:
            await other.ping()
        await client.ping()
        await client.close()
        await client.close()
        with pytest.raises(RuntimeError, match="the client is closed"):
            await client.ping()

    asyncio.run(main())


def test_a_loop_that_ends_early_leaves_nothing_behind() -> None:
    """Its thread continues with another loop; late results of the first are dropped."""

    async def begin(url: str) -> None:
        client = obeya.AsyncClient(url, token="t", timeout=0.4, max_retries=0)
        task = asyncio.create_task(client.ping())
        await asyncio.sleep(0.1)
        assert not task.done()

    with canned.silent() as service, warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(begin(service.url))
        assert service.freed.wait(5)
        gc.collect()
        asyncio.run(asyncio.sleep(0.5))


def test_a_call_is_made_once_and_needs_a_loop(client: obeya.Client) -> None:
    call = client._core.ping()
    call.wait()
    with pytest.raises(RuntimeError, match="the call has been made already"):
        call.wait()
    with pytest.raises(RuntimeError, match="no running event loop"):
        client._core.ping().__await__()


def test_threads_that_end_with_the_interpreter() -> None:
    """A program that ends amid a call ends quietly."""
    program = """if True:
        import asyncio, obeya, sys
        async def main(url):
            asyncio.get_running_loop().create_task(obeya.AsyncClient(url, token="t", max_retries=0).ping())
            await asyncio.sleep(0.1)
        loop = asyncio.new_event_loop()
        loop.run_until_complete(main(sys.argv[1]))
        sys.exit(7)
    """
    with canned.slow(0.2) as service:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program, service.url], capture_output=True, text=True, check=False
        )
    assert done.returncode == 7, done.stderr
    assert "panicked" not in done.stderr


def test_nothing_waits_in_a_thread_of_python(server: obeya.TestServer) -> None:
    async def work(client: obeya.AsyncClient) -> int:
        before = threading.active_count()
        await asyncio.gather(*(client.ping() for _ in range(20)))
        return threading.active_count() - before

    assert run(server, work) == 0
