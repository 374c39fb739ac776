"""Updates of records: the passed fields are written, and changes of others are not undone.

The service is the real one; a relay before it changes an incident between a reading and a writing.
"""

from __future__ import annotations

import asyncio
import datetime
import itertools
import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
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


WHOLE: Any = {"severity": "Low", "incident_date": "2026-03-02", "incident_type_id": 3}
"""The other required fields of an incident."""


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
    # A field with an operation of its own is written, whatever other clients have changed.
    assert others(client.incidents.update(old, severity="Medium")) == ("Medium", *others(updated)[1:])


def test_a_field_that_others_have_changed_too_is_a_conflict_with_both_versions(
    client: obeya.Client, new_incident: New
) -> None:
    seen = new_incident(text="Oil")
    theirs = client.incidents.update(seen.id, text="Two people hurt.", title="Accident")
    with pytest.raises(obeya.UpdateConflictError, match="text; nothing was written") as caught:
        client.incidents.update(seen, text="Replaced.", due_date="2026-04-01")
    error = caught.value
    assert isinstance(error, obeya.PreconditionFailedError)
    assert (error.fields, error.seen, error.theirs, error.status_code) == (["text"], seen, theirs, 412)
    assert (error.mine.text, error.mine.title) == ("Replaced.", seen.title)
    assert error.mine.due_date == datetime.datetime(2026, 4, 1, tzinfo=UTC)
    assert client.incidents.get(seen) == theirs
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.fields, copy.theirs) == (str(error), ["text"], theirs)
    # So is a whole update of a record, even if it sets a field to what the record has.
    with pytest.raises(obeya.UpdateConflictError) as caught:
        client.incidents.update(seen, **WHOLE, title=seen.title)
    assert caught.value.fields == ["title"]
    # So is the same change by both: who adds to what was read must know of the other.
    with pytest.raises(obeya.UpdateConflictError) as caught:
        client.incidents.update(seen, text="Two people hurt.", title="Accident")
    assert caught.value.fields == ["text", "title"]
    # A record of another form cannot be compared, so it is refused instead of written over what others did.
    other_form = client.incidents.list_v2(where=f"id eq {seen.id}").first()
    with pytest.raises(TypeError, match="found IncidentV2, expected IncidentV1 or an id"):
        client.incidents.update(other_form, text="Replaced.")  # type: ignore[arg-type]
    # Whoever insists passes the other version, or any.
    assert client.incidents.update(error.theirs, text="Replaced.").text == "Replaced."
    assert client.incidents.update(seen, text="Again.", if_match="*").text == "Again."


def test_a_change_of_the_same_field_between_reading_and_writing_is_a_conflict(
    server: obeya.TestServer, client: obeya.Client, new_incident: New
) -> None:
    incident = new_incident(text="Oil")

    def change(_target: str, headers: dict[str, str]) -> None:
        if "if-match" in headers:
            client.incidents.update(incident.id, **WHOLE, title=incident.title, text="Two people hurt.")

    with through(server, change) as (slow, line):
        with pytest.raises(obeya.UpdateConflictError) as caught:
            slow.incidents.update(incident.id, text="Replaced.")
    assert (caught.value.seen.text, caught.value.theirs.text) == ("Oil", "Two people hurt.")
    id = str(incident.id)
    assert requests(line) == [("GET", id, 200), ("PUT", id, 412), ("GET", id, 200)]
    assert client.incidents.get(incident).text == "Two people hurt."


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
            client.incidents.update(incident.id, title=next(titles))

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
    later = client.incidents.update(incident.id, text="Replaced again.")
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


def test_an_improvement(server: obeya.TestServer, client: obeya.Client) -> None:
    old = client.improvements.create(title="Foot pedal", text="For the press", suggested_by_user_id="u1")
    client.improvements.update(old.id, title="Two foot pedals", status="Planned")
    updated = client.improvements.update(old, text=None)
    assert (updated.title, updated.status, updated.text) == ("Two foot pedals", "Planned", None)
    with pytest.raises(obeya.UpdateConflictError) as caught:
        client.improvements.update(old, title="Three foot pedals", due_date="2026-05-01")
    assert (caught.value.fields, caught.value.theirs) == (["title"], updated)
    # By its id it is one request, which undoes nothing: it has what is passed, and nothing else.
    with through(server) as (direct, line):
        assert direct.improvements.update(old.id, title="Three foot pedals").status == "Planned"
    assert [method for method, *_ in requests(line)] == ["PUT"]


def test_a_value_keeps_what_is_left_out(server: obeya.TestServer, client: obeya.Client, tmp_path: Path) -> None:
    (tmp_path / "datasources.jsonl").write_text(json.dumps({"id": 7001, "title": "Scrap"}) + "\n")
    server.import_dir(tmp_path)
    old = client.datasources.create_value(7001, value=2.5, value_date="2026-03-02T06:00:00", dimension="Line 1")
    client.datasources.edit_value(7001, old.id, description="Counted twice")
    new = client.datasources.edit_value(7001, old, value=3)
    assert (new.value, new.dimension, new.description, new.value_date) == (3.0, "Line 1", "Counted twice", old.value_date)
    assert client.datasources.edit_value(7001, new, dimension=None).dimension is None
    with pytest.raises(obeya.UpdateConflictError) as caught:
        client.datasources.edit_value(7001, old, value=4)
    assert (caught.value.fields, caught.value.mine.value, caught.value.theirs.value) == (["value"], 4.0, 3.0)
    with pytest.raises(obeya.NotFoundError):
        client.datasources.edit_value(7001, 2**31 - 1, value=4)


def test_a_task(server: obeya.TestServer, client: obeya.Client) -> None:
    old = client.tasks.create(title="Order a pedal", responsible_user_id="u1")
    client.tasks.update(old.id, title="Order two pedals", description="From the usual one")
    updated = client.tasks.update(old, status="Blocked")
    assert (updated.title, updated.status, updated.description) == ("Order two pedals", "Blocked", "From the usual one")
    forms: list[tuple[Any, Any]] = [(client.tasks.update, client.tasks.get), (client.tasks.patch, client.tasks.get_v2)]
    for change, get in forms:
        seen = get(old.id)
        client.tasks.patch(old.id, title=f"Order {change.__name__}")
        assert change(seen, description=None).description is None
        with pytest.raises(obeya.UpdateConflictError) as caught:
            change(seen, title="Order nothing")
        assert caught.value.fields == ["title"]
    with through(server) as (direct, line):
        direct.tasks.patch(old.id, title="x")
        direct.tasks.update(old.id, title="y")
    assert [method for method, *_ in requests(line)] == ["PATCH", "PUT"]


def test_an_update_that_is_wrong_is_refused(client: obeya.Client, new_incident: New) -> None:
    incident, wrong = new_incident(), cast("Any", client.incidents.update)
    for fields, error in (({"titel": "x"}, TypeError), ({"status": None}, TypeError), ({"severity": 5}, ValueError)):
        with pytest.raises(error, match=next(iter(fields))):
            wrong(incident, **fields)
    assert client.incidents.get(incident) == incident
    with pytest.raises(obeya.NotFoundError):
        client.incidents.update(2**31 - 1, text="x")
