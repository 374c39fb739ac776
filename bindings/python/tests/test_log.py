"""What surrounds a call: records of Python's `logging`, without content, and headers of the caller."""

from __future__ import annotations

import asyncio
import logging

import canned
import obeya
import pytest
import relay


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, object, object, object]]:
    found = [record for record in caplog.records if record.name == "obeya"]
    return [
        (record.levelname, record.__dict__["operation"], record.__dict__["attempt"], record.__dict__["status"]) for record in found
    ]


def test_each_attempt_is_a_record(server: obeya.TestServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="obeya")
    with server.client() as client:
        client.areas.list(where="name eq 'Ingrid'").first()
        with pytest.raises(obeya.NotFoundError) as caught:
            client.incidents.get(2**31 - 1)
    assert lines(caplog) == [("DEBUG", "listAreas", 1, 200), ("DEBUG", "getIncidentV1", 1, 404)]
    record = caplog.records[-1]
    assert record.__dict__["request_id"] == caught.value.request_id
    assert f"{caught.value.request_id}" in record.getMessage()
    _, secret = server.credentials()
    for word in ("Ingrid", "Bearer", secret):
        assert word not in caplog.text


def test_what_is_tried_again_is_information(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="obeya")
    with canned.answering(503, "{}", {"Retry-After": "0", "X-Request-Id": "r-7"}) as url:
        with obeya.Client(url, token="t", max_retries=1) as client, pytest.raises(obeya.InternalServerError):
            client.areas.list().page()
    assert lines(caplog) == [("INFO", "listAreas", 1, 503), ("INFO", "listAreas", 2, 503)]
    assert caplog.records[-1].getMessage().startswith("listAreas: attempt 2, 503 after ")
    assert caplog.records[-1].getMessage().endswith(" ms, request r-7")


def test_asyncio_and_silence(server: obeya.TestServer, caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        async with server.async_client() as client:
            await client.areas.list().first()

    caplog.set_level(logging.WARNING, logger="obeya")
    asyncio.run(run())
    assert lines(caplog) == []
    caplog.set_level(logging.DEBUG, logger="obeya")
    asyncio.run(run())
    assert lines(caplog) == [("DEBUG", "listAreas", 1, 200)]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_handler_that_fails_takes_no_answer_away(server: obeya.TestServer) -> None:
    class Full(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            message = f"no space for {record.name}"
            raise OSError(message)

    async def first() -> object:
        async with server.async_client() as client:
            return await asyncio.wait_for(client.areas.list().first(), 30)

    logger, full = logging.getLogger("obeya"), Full()
    logger.addHandler(full)
    logger.setLevel(logging.DEBUG)
    try:
        with server.client() as client:
            assert client.areas.list().first() is not None
        assert asyncio.run(first()) is not None
    finally:
        logger.setLevel(logging.NOTSET)
        logger.removeHandler(full)


def test_headers_of_the_caller_are_on_every_request(server: obeya.TestServer) -> None:
    seen: list[str | None] = []
    with relay.before(server.base_url, change=lambda _target, headers: seen.append(headers.get("x-line"))) as line:
        with obeya.Client(line.url, *server.credentials()) as client:
            lined = client.with_options(headers={"X-Line": "Line 2"})
            lined.areas.list().first()
            lined.with_options(max_retries=0).incidents.list().count()
            client.areas.list().first()
            with pytest.raises(obeya.ConfigError, match="the value of X-Line has characters"):
                client.with_options(headers={"X-Line": "a\nb"})
    assert seen == ["Line 2", "Line 2", None]
