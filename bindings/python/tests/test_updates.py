"""Updates of incidents: the passed fields are written, and changes of others are not undone.

The service is the real one; a relay before it changes an incident between a reading and a writing.
"""

from __future__ import annotations

import asyncio
import datetime
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import obeya
import pytest
import relay
from obeya.types import IncidentSeverity, IncidentUpdate

UTC = datetime.timezone.utc
New = Callable[..., obeya.IncidentV1]


@contextmanager
def through(
    server: obeya.TestServer, change: relay.Change = lambda _target, _headers: None
) -> Iterator[tuple[obeya.Client, relay.Relay]]:
    """A client whose requests go through a relay."""
    with relay.before(server.base_url, change=change) as line, obeya.Client(line.url, *server.credentials()) as client:
        yield client, line


def requests(line: relay.Relay) -> list[tuple[str, str, int]]:
    """What went through: the method, the end of the target, and the status."""
    return [(one.method, one.target.rpartition("/")[2], one.status) for one in line.exchanges]


OTHERS: IncidentUpdate = {"severity": "High", "title": "Housing and cover cracked", "incident_date": "2026-02-28", "incident_type_id": 3}
"""A change of an incident by another client. The service requires the field in every update, which must not undo the change."""


def others(incident: obeya.IncidentV1) -> tuple[str, str, str]:
    return incident.severity, incident.title, incident.incident_date.isoformat()


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "Resolved"},
        {"external_id": "c7"},
        {"externalId": "c7"},
        {"external_id": None},
        {"text": "Replaced."},
        {"status": "InProgress", "text": None, "due_date": datetime.datetime(2026, 4, 1, tzinfo=UTC)},
    ],
    ids=str,
)
@pytest.mark.parametrize("by_id", [False, True])
def test_update_of_an_old_record_keeps_what_others_have_changed(
    client: obeya.Client, new_incident: New, fields: dict[str, Any], by_id: bool
) -> None:
    old = new_incident(severity="Low", title="Housing cracked", incident_date="2026-03-02", text="Oil", external_id="c1")
    client.incidents.update(old.id, **OTHERS)
    updated = client.incidents.update(old.id if by_id else old, **fields)
    assert updated == client.incidents.get(old)
    assert others(updated) == ("High", "Housing and cover cracked", "2026-02-28")
    for name, value in fields.items():
        assert getattr(updated, {"externalId": "external_id"}.get(name, name)) == value
    # Passed fields are written, whatever other clients have changed.
    assert others(client.incidents.update(old, severity="Medium")) == ("Medium", *others(updated)[1:])
    assert others(client.incidents.update(old, title=old.title)) == ("Medium", "Housing cracked", "2026-02-28")


def test_a_change_between_reading_and_writing_is_kept_too(server: obeya.TestServer, client: obeya.Client, new_incident: New) -> None:
    incident = new_incident(severity="Low")
    changes: Iterator[IncidentSeverity] = iter(["Medium", "High"])

    def change(_target: str, headers: dict[str, str]) -> None:
        if "if-match" in headers and (severity := next(changes, None)):
            client.incidents.set_severity(incident, severity)

    with through(server, change) as (slow, line):
        updated = slow.incidents.update(incident, text="Replaced.")
    assert (updated.severity, updated.text) == ("High", "Replaced.")
    id = str(incident.id)
    assert requests(line) == [("GET", id, 200), ("PUT", id, 412)] * 2 + [("GET", id, 200), ("PUT", id, 200)]


def test_an_incident_that_never_rests_is_given_up(server: obeya.TestServer, client: obeya.Client, new_incident: New) -> None:
    incident, titles = new_incident(), map("Title {}".format, itertools.count())

    def change(_target: str, headers: dict[str, str]) -> None:
        if "if-match" in headers:
            client.incidents.update(incident, title=next(titles))

    with through(server, change) as (slow, line):
        with pytest.raises(obeya.PreconditionFailedError):
            slow.incidents.update(incident, text="Replaced.")
    id = str(incident.id)
    assert requests(line) == [("GET", id, 200), ("PUT", id, 412)] * 5
    assert client.incidents.get(incident).text == incident.text


def test_with_a_condition_of_the_caller_s_nothing_is_tried_again(
    server: obeya.TestServer, client: obeya.Client, new_incident: New
) -> None:
    old = new_incident()
    tag = client.tagged(lambda client: client.incidents.get(old)).tag
    with through(server) as (slow, line):
        changed = slow.tagged(lambda slow: slow.incidents.update(old, text="Replaced.", if_match=tag))
        assert changed.value.text == "Replaced."
        with pytest.raises(obeya.PreconditionFailedError):
            slow.incidents.update(old, text="Again.", if_match=tag)
        # The tag that is left is that of the write.
        assert slow.incidents.update(old, text="Again.", if_match=changed.tag).text == "Again."
        # Any state is accepted, but not one that was never read.
        assert slow.incidents.update(old, text="Once more.", if_match="*").text == "Once more."
    id = str(old.id)
    read = ("GET", id, 200)
    assert requests(line) == [read, ("PUT", id, 200), read, ("PUT", id, 412), read, ("PUT", id, 200), read, ("PUT", id, 200)]


def test_a_single_change_and_a_whole_update_are_sent_without_reading(
    server: obeya.TestServer, new_incident: New
) -> None:
    incident = new_incident()
    with through(server) as (client, line):
        client.incidents.update(incident, status="InProgress")
        client.incidents.update(incident, severity="High")
        client.incidents.update(incident, external_id="c9")
        client.incidents.update(incident.id, **OTHERS)
    assert requests(line) == [("PUT", end, 200) for end in ("status", "severity", "externalId", str(incident.id))]


def test_an_update_under_a_key_is_carried_out_once(server: obeya.TestServer, client: obeya.Client, new_incident: New) -> None:
    incident = new_incident()
    client.incidents.update(incident, text="Replaced.", idempotency_key=f"text-{incident.id}")
    later = client.incidents.update(incident, text="Replaced again.")
    # A repeat changes nothing, and is answered with the incident as it is by then.
    assert client.incidents.update(incident, text="Replaced.", idempotency_key=f"text-{incident.id}") == later
    assert client.incidents.get(incident).text == "Replaced again."


def test_asyncio_keeps_what_others_have_changed(server: obeya.TestServer, client: obeya.Client, new_incident: New) -> None:
    old = new_incident(severity="Low")
    client.incidents.update(old.id, **OTHERS)

    async def run() -> obeya.IncidentV1:
        async with server.async_client() as client:
            return await client.incidents.update(old, text="Replaced.")

    assert others(asyncio.run(run())) == ("High", "Housing and cover cracked", "2026-02-28")


def test_update_of_an_old_improvement_sends_what_is_passed(client: obeya.Client) -> None:
    old = client.improvements.create(title="Foot pedal", text="For the press", suggested_by_user_id="u1")
    client.improvements.update(old.id, title="Two foot pedals", status="Planned")
    updated = client.improvements.update(old, text=None)
    assert (updated.title, updated.status, updated.text) == ("Two foot pedals", "Planned", None)


def test_an_update_that_is_wrong_is_refused(client: obeya.Client, new_incident: New) -> None:
    incident, wrong = new_incident(), cast("Any", client.incidents.update)
    for fields, error in (({"titel": "x"}, TypeError), ({"status": None}, TypeError), ({"severity": 5}, ValueError)):
        with pytest.raises(error, match=next(iter(fields))):
            wrong(incident, **fields)
    assert client.incidents.get(incident) == incident
    with pytest.raises(obeya.NotFoundError):
        client.incidents.update(2**31 - 1, text="x")
