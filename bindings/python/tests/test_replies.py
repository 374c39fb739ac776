"""`with_reply`: what the service sent, as a relay before it saw it, beside the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import canned
import obeya
import plant
import pyarrow as pa
import pytest
import relay

CALLS: dict[str, Callable[[obeya.Client], Any]] = {
    "a record": lambda client: client.incidents.get(10),
    "a record of v2": lambda client: client.areas.get(7, select="name"),
    "a page with links": lambda client: client.areas.list(top=2).page(),
    "a page with a number": lambda client: client.incidents.list().page(),
    "a whole list": lambda client: client.groups.list_v1().all(),
    "the first of a list": lambda client: client.datasources.values(1).first(),
    "a count": lambda client: client.improvements.list().count(),
    "a plain operation": lambda client: client.ping(),
    "a record that is created": lambda client: client.incidents.create(
        incident_type_id=3, severity="Low", title="Replied", incident_date="2026-03-02", categories=[32]
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_reply_is_what_the_service_sent(server: obeya.TestServer, name: str) -> None:
    with relay.before(server.base_url) as line, obeya.Client(line.url, *server.credentials()) as client:
        reply = client.with_reply(CALLS[name])
        (sent,) = line.exchanges
        assert (reply.status_code, reply.body) == (sent.status, sent.body)
        assert reply.status_code in {200, 201}
        expected = {key.lower(): value for key, value in sent.headers.items()}
        assert expected.items() <= dict(reply.headers).items()
        assert reply.request_id == expected["x-request-id"]
        assert reply.tag == expected.get("etag")
        if name not in {"a record that is created", "a plain operation"}:
            # The answer is that of the call alone.
            assert repr(reply.value) == repr(CALLS[name](client))


def test_a_record_and_its_bytes_are_the_same(client: obeya.Client) -> None:
    reply = client.with_reply(lambda client: client.incidents.get(10))
    assert reply.value == client.incidents.get(10)
    assert json.loads(reply.body) == json.loads(reply.value.to_json())
    assert reply.tag == client.tagged(lambda client: client.incidents.get(10)).tag
    assert reply.tag is not None
    match reply:
        case obeya.Reply(obeya.IncidentV1(id=number), status):
            assert (number, status) == (10, 200)


def test_an_answer_without_a_body(client: obeya.Client, new_incident: Callable[..., obeya.IncidentV1]) -> None:
    incident = new_incident()
    reply = client.with_reply(lambda client: client.incidents.delete(incident))
    assert (reply.value, reply.status_code, reply.body) == (None, 200, b"")


def test_of_several_requests_the_last_counts(server: obeya.TestServer) -> None:
    with relay.before(server.base_url) as line, obeya.Client(line.url, *server.credentials()) as client:
        for read in (
            lambda client: client.areas.list().all(),
            lambda client: client.datasources.values(1, page_size=1000, prefetch=1).all(),
        ):
            reply = client.with_reply(read)
            assert len(line.exchanges) > 1
            assert reply.body == line.exchanges[-1].body
            line.exchanges.clear()
        table = client.with_reply(lambda client: client.datasources.values(1).to_arrow())
        assert table.value.num_rows == plant.VALUES
        assert table.headers["content-type"] == "application/vnd.apache.arrow.stream"
        assert pa.ipc.open_stream(table.body).read_all().num_rows == plant.VALUES
        # Clients that are made of it are recorded too, and what is recorded inside does not hide it.
        outer = client.with_reply(lambda client: client.with_options(timeout=9).tagged(lambda own: own.areas.get(7)))
        assert json.loads(outer.body)["id"] == outer.value.value.id == 7
        assert outer.tag == outer.value.tag


def test_headers_have_names_in_any_case_and_may_come_twice() -> None:
    headers = {"X-Request-Id": "r-1", "RateLimit": '"day";r=9', "Warning": "a", "warning": "b", "Odd": "\u00e5"}
    with canned.answering(200, "{}", headers) as url, obeya.Client(url, token="t") as client:
        reply = client.with_reply(lambda client: client.areas.get(1))
        assert reply.headers["rateLIMIT"] == '"day";r=9'
        assert reply.headers["Warning"] == "a, b"
        assert reply.headers.get_all("WARNING") == ["a", "b"]
        assert reply.headers["odd"] == "\u00e5"
        assert reply.request_id == "r-1"
        assert (reply.headers.get("retry-after"), reply.headers.get_all("retry-after"), reply.tag) == (None, [], None)
        with pytest.raises(KeyError):
            reply.headers["retry-after"]


def test_nothing_confidential_is_shown() -> None:
    with canned.answering(200, "{}", {"Set-Cookie": "session=hunter2"}) as url, obeya.Client(url, token="t") as client:
        reply = client.with_reply(lambda client: client.areas.get(1))
        assert reply.headers["set-cookie"] == "session=hunter2"
        assert repr(reply) == f"Reply({reply.value!r}, 200)"
        assert "set-cookie" in repr(reply.headers)
        assert "hunter2" not in repr(reply.headers) + repr(reply)


def test_a_failure_is_its_error_and_a_call_without_a_request_has_no_reply(client: obeya.Client) -> None:
    with pytest.raises(obeya.NotFoundError) as failed:
        client.with_reply(lambda client: client.incidents.get(999_999))
    assert failed.value.request_id
    with pytest.raises(ValueError, match="found a call that sends no request, expected one that does"):
        client.with_reply(lambda client: client.areas.list())


def test_asyncio_has_it_too(server: obeya.TestServer) -> None:
    async def read() -> obeya.Reply[obeya.IncidentV1]:
        async with server.async_client() as client:
            return await client.with_reply(lambda client: client.incidents.get(10))

    reply = asyncio.run(read())
    assert (reply.value.id, reply.status_code) == (10, 200)
