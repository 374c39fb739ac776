"""The writing operations, and what their keyword arguments take."""

from __future__ import annotations

import datetime
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import obeya
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import relay
from obeya.types import DatasourceValueInput

UTC = datetime.timezone.utc
New = Callable[..., obeya.IncidentV1]


def test_create_incident(client: obeya.Client) -> None:
    incident = client.incidents.create(
        incident_type_id=3,
        severity="High",
        title="Housing cracked",
        text="Found at the start of the early shift.",
        incident_date=datetime.date(2026, 3, 2),
        due_date=datetime.datetime(2026, 3, 9, 14, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
        categories=[{"id": 32}],
        causes=[33],
        consequences=[{"id": 34, "amount": 12.5}],
        custom_fields=[{"id": 35, "value": "M-7"}],
        area_id=None,
    )
    assert incident.id > 11
    assert (incident.status, incident.severity) == ("New", "High")
    assert incident.incident_type == "Equipment failure"
    assert incident.incident_date == datetime.date(2026, 3, 2)
    assert incident.due_date == datetime.datetime(2026, 3, 9, 12, tzinfo=UTC)
    assert [category.title for category in incident.categories] == ["Leak"]
    assert [cause.title for cause in incident.causes] == ["Wear"]
    (consequence,) = incident.consequences
    assert (consequence.amount, consequence.unit) == (12.5, "min")
    (field,) = incident.custom_fields
    assert (field.label, field.value) == ("Machine", "M-7")
    assert incident.area_id is None


def test_parts_of_an_incident_type_can_be_passed_on(client: obeya.Client, new_incident: New) -> None:
    kind = client.incidents.type_detail(3)
    incident = new_incident(categories=kind.categories, causes=kind.causes, consequences=kind.consequences)
    assert [category.id for category in incident.categories] == [31]
    assert [cause.id for cause in incident.causes] == [33, 36]
    assert [consequence.id for consequence in incident.consequences] == [34]
    again = client.incidents.set_consequences(incident.id, incident.consequences)
    assert again.consequences == incident.consequences


def test_update_leaves_what_is_not_passed_and_empties_what_is_none(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident(text="Oil on the floor", external_id="c100", area_id=2)
    updated = client.incidents.update(
        incident.id,
        incident_type_id=3,
        severity="Medium",
        title="Housing broken",
        incident_date="2026-03-03",
        text=None,
    )
    assert (updated.title, updated.severity, updated.incident_date) == ("Housing broken", "Medium", datetime.date(2026, 3, 3))
    assert updated.text is None
    assert (updated.external_id, updated.area_id) == ("c100", 2)


def test_update_takes_what_it_needs_from_a_record(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident(severity="High")
    updated = client.incidents.update(incident, status="Resolved", evaluation_status="Good")
    assert (updated.id, updated.status, updated.evaluation_status) == (incident.id, "Resolved", "Good")
    assert (updated.title, updated.severity) == (incident.title, "High")
    assert updated.resolved_date is not None
    assert updated.resolved_date.tzinfo is not None


def test_what_is_passed_goes_before_the_record_under_either_name(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident()
    spelled: dict[str, Any] = {"incidentDate": "2026-04-05"}
    assert client.incidents.update(incident, **spelled).incident_date == datetime.date(2026, 4, 5)


def test_one_property_under_two_names_is_refused(client: obeya.Client, new_incident: New) -> None:
    with pytest.raises(TypeError, match="multiple values for argument 'area_id': it is also called 'areaId'"):
        new_incident(area_id=1, areaId=2)
    spelled: dict[str, Any] = {"external_id": None, "externalId": "c7"}
    with pytest.raises(TypeError, match="multiple values for argument 'external_id'"):
        client.improvements.update(5, **spelled)


def test_set_incident_consequences(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident(consequences=[34])
    updated = client.incidents.set_consequences(incident.id, [{"id": 34, "amount": 90}])
    assert [(consequence.id, consequence.amount) for consequence in updated.consequences] == [(34, 90.0)]
    assert client.incidents.set_consequences(incident.id, []).consequences == ()


def test_set_incident_causes(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident(causes=[33])
    updated = client.incidents.set_causes(incident.id, [36, {"id": 33}])
    assert {cause.title for cause in updated.causes} == {"Wear", "Misuse"}


def test_set_incident_external_id(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident()
    assert client.incidents.set_external_id(incident.id, "SAP/«42»").external_id == "SAP/«42»"
    assert client.incidents.set_external_id(incident.id, None).external_id is None


def test_update_improvement(client: obeya.Client) -> None:
    improvement = client.improvements.update(5, status="Implemented", cost_of_investment=300, text=None)
    assert improvement.status == "Implemented"
    assert improvement.cost_of_investment == 300.0
    assert improvement.text is None
    assert (improvement.title, improvement.external_id) == ("Shadow board", "I-5")
    assert improvement.estimated_gain_of_investment == 1200.5
    assert client.improvements.update(improvement, title="Shadow wall").title == "Shadow wall"


def test_an_unknown_argument_is_named(new_incident: New) -> None:
    with pytest.raises(TypeError, match=r"incidents\.create\(\) got an unexpected argument 'titel'.*title"):
        new_incident(titel="x")
    with pytest.raises(TypeError, match=r"categories\[0\] got an unexpected argument 'name'"):
        new_incident(categories=[{"id": 32, "name": "x"}])


def test_none_is_refused_where_nothing_can_be_emptied(client: obeya.Client) -> None:
    with pytest.raises(TypeError, match="status cannot be None"):
        client.improvements.update(5, status=None)  # type: ignore[arg-type]


def test_a_value_of_another_type_is_named(new_incident: New) -> None:
    with pytest.raises(ValueError, match=r"title: invalid type: integer `5`, expected a string"):
        new_incident(title=5)
    with pytest.raises(ValueError, match=r"incident_date: expected a day the calendar has"):
        new_incident(incident_date="2026-02-30")
    with pytest.raises(ValueError, match=r"area_id: invalid value: integer `2147483648`, expected i32"):
        new_incident(area_id=2**31)
    with pytest.raises(TypeError, match=r"text: object cannot be sent"):
        new_incident(text=object())
    with pytest.raises(TypeError, match=r"causes\[0\]: found str, expected a dictionary, a record or an id"):
        new_incident(causes=["33"])
    with pytest.raises(TypeError, match=r"causes\[0\]: found bool"):
        new_incident(causes=[True])


def test_numbers_that_json_has_not_are_refused(client: obeya.Client) -> None:
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="cost_of_investment"):
            client.improvements.update(5, cost_of_investment=number)


def test_numbers_of_numpy_are_numbers(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident(area_id=np.int64(2), causes=[np.int32(33)])
    assert incident.area_id == 2
    assert [cause.id for cause in incident.causes] == [33]
    # Unlike numpy's float64, this is no float to a type checker.
    half: Any = np.float32(0.5)
    assert client.improvements.update(5, gain_of_investment=half).gain_of_investment == 0.5


def test_what_contains_itself_or_has_no_end_is_refused(new_incident: New) -> None:
    endless: list[Any] = []
    endless.append(endless)
    within: dict[str, Any] = {}
    within["x"] = within
    for value in (endless, within):
        with pytest.raises(ValueError, match="text.*nested more than 64 levels deep"):
            new_incident(text=value)
    group: dict[str, Any] = {"id": 1}
    group["parent"] = group
    with pytest.raises(ValueError, match="parent: nested more than 64 levels deep"):
        obeya.GroupV2.from_dict(group)
    with pytest.raises(TypeError, match="causes: found count, expected a list"):
        new_incident(causes=itertools.count())
    with pytest.raises(TypeError, match="text: count cannot be sent"):
        new_incident(text=itertools.count())


def test_text_that_no_encoding_has_is_refused(client: obeya.Client, new_incident: New) -> None:
    with pytest.raises(ValueError, match="text: .*surrogates not allowed"):
        new_incident(text="\udc80")
    for option in ("where", "search", "select", "order_by"):
        options: dict[str, Any] = {option: "\udc80"}
        with pytest.raises(ValueError, match=f"argument '{option}': .*surrogates not allowed"):
            client.areas.list(**options)
    with pytest.raises(ValueError, match="surrogates not allowed"):
        client.areas.get(1, select="\udc80")
    with pytest.raises(ValueError, match="argument 'user_agent': .*surrogates not allowed"):
        obeya.Client("http://localhost", token="t", user_agent="\udc80")


def test_set_status_severity_and_responsible(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident()
    assert client.incidents.set_status(incident, "InProgress").status == "InProgress"
    assert client.incidents.set_severity(incident.id, "High").severity == "High"
    changed = client.incidents.set_responsible(incident, 2, "u1")
    assert (changed.follow_up_group_id, changed.responsible_user_id) == (2, "u1")
    with pytest.raises(obeya.BadRequestError, match="status"):
        client.incidents.set_status(incident, "Closed")  # type: ignore[arg-type]


def test_set_categories_and_a_custom_field(client: obeya.Client, new_incident: New) -> None:
    kind = client.incidents.type_detail(3)
    incident = client.incidents.set_categories(new_incident(), kind.categories)
    assert [category.id for category in incident.categories] == [31]
    incident = client.incidents.set_custom_field(incident, 35, "M-8")
    (field,) = incident.custom_fields
    assert client.incidents.set_custom_field(incident, field, "M-9").custom_fields[0].value == "M-9"


def test_delete_and_restore_an_incident(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident(title="Entered by mistake")
    client.incidents.delete(incident)
    with pytest.raises(obeya.NotFoundError):
        client.incidents.get(incident)
    (trashed,) = client.incidents.trash(where="title eq 'Entered by mistake'")
    assert client.incidents.restore(trashed).id == incident.id
    assert client.incidents.get(incident.id).title == "Entered by mistake"


def test_create_and_delete_an_improvement(client: obeya.Client) -> None:
    improvement = client.improvements.create(
        title="Foot pedal", suggested_by_user_id="u1", priority_status="LowEffortHighEffect"
    )
    assert client.improvements.get(improvement).suggested_by_user_id == "u1"
    client.improvements.delete(improvement)
    with pytest.raises(obeya.NotFoundError):
        client.improvements.get(improvement.id)


@pytest.fixture
def scrap(server: obeya.TestServer, tmp_path: Path) -> int:
    """A datasource of the test's own."""
    datasource = next(NUMBERS)
    (tmp_path / "datasources.jsonl").write_text(json.dumps({"id": datasource, "title": "Scrap"}) + "\n")
    server.import_dir(tmp_path)
    return datasource


NUMBERS = itertools.count(1000)


def test_a_value(client: obeya.Client, scrap: int) -> None:
    value = client.datasources.create_value(scrap, value=2.5, value_date="2026-03-02T06:00:00", dimension="Line 1")
    assert (value.value, value.dimension, value.value_date) == (2.5, "Line 1", datetime.datetime(2026, 3, 2, 6, tzinfo=UTC))
    # Missing fields are then empty.
    value = client.datasources.update_value(scrap, value, value=3, value_date=value.value_date)
    assert (value.value, value.dimension) == (3.0, None)
    client.datasources.delete_value(scrap, value)
    assert client.datasources.values(scrap).count() == 0


def test_many_values(client: obeya.Client, scrap: int) -> None:
    days = [datetime.datetime(2026, 3, day, tzinfo=UTC) for day in range(1, 11)]
    inputs: list[DatasourceValueInput] = [{"value": day.day, "value_date": day} for day in days]
    assert client.datasources.create_values(scrap, inputs) == 10
    values = client.datasources.values(scrap)
    assert [value.value for value in values] == list(range(1, 11))
    assert client.datasources.delete_values(scrap, [value if value.value == 1 else value.id for value in values][:2]) == 2
    # The values of one datasource are a way to say those of another.
    replaced = client.datasources.replace_values(scrap, values.all()[:1], start="2026-03-01", end=datetime.date(2026, 3, 9))
    assert replaced == 1
    # Both ends are of the period.
    assert [value.value for value in values] == [3, 10]
    noon: list[DatasourceValueInput] = [{"value": 9, "value_date": "2026-03-09T12:00:00"}]
    assert client.datasources.replace_values(scrap, noon, start="2026-03-09", end="2026-03-09") == 1
    assert [value.value for value in values] == [3, 9, 10]


FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas, indexed": lambda columns: pd.DataFrame(columns).set_index("valueDate"),
    "pandas, own index": lambda columns: pd.DataFrame(columns, index=[str(at) for at in range(len(columns["value"]))]),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "reader": lambda columns: pa.table(columns).to_reader(max_chunksize=7),
}
"""Frames of every library."""


@pytest.mark.parametrize("kind", FRAMES)
def test_values_of_a_frame(client: obeya.Client, scrap: int, kind: str) -> None:
    days = [datetime.datetime(2026, 3, day, 6, 30, 0, 250_000, tzinfo=UTC) for day in range(1, 31)]
    columns: dict[str, list[Any]] = {"valueDate": days, "value": list(range(30)), "dimension": [None if day % 3 else "Line 1" for day in range(30)]}
    assert client.datasources.create_values(scrap, FRAMES[kind](columns)) == 30
    values = client.datasources.values(scrap).all()
    assert [value.value_date for value in values] == days
    assert [value.value for value in values] == list(range(30))
    assert [value.dimension for value in values] == columns["dimension"]
    # So are those that were read from a datasource, whose own columns cannot be written.
    read = client.datasources.values(scrap)
    frames: list[Any] = [read.to_arrow().slice(0, 5), read.to_pandas().head(5), read.to_polars().head(5)]
    for frame in frames:
        assert client.datasources.create_values(scrap, frame) == 5
    assert client.datasources.values(scrap).count() == 45
    with pytest.raises(TypeError, match=r"values\[0\] got an unexpected argument 'datum'"):
        client.datasources.create_values(scrap, FRAMES[kind]({**columns, "datum": days}))


def test_more_values_than_a_request_takes_are_sent_in_batches_with_keys(
    server: obeya.TestServer, scrap: int
) -> None:
    start = datetime.datetime(2026, 3, 1, tzinfo=UTC)
    rows: list[Any] = [{"value": n, "value_date": start + datetime.timedelta(minutes=n)} for n in range(20_001)]
    keys: list[str] = []
    refused = iter([False, True])

    def change(_target: str, headers: dict[str, str]) -> None:
        if "idempotency-key" in headers:
            keys.append(headers["idempotency-key"])
            if next(refused, False):
                headers["content-type"] = "text/plain"

    with relay.before(server.base_url, change=change) as line, obeya.Client(line.url, *server.credentials()) as client:
        with pytest.raises(obeya.APIStatusError, match="415"):
            client.datasources.create_values(scrap, rows, idempotency_key=f"load-{scrap}")
        assert client.datasources.values(scrap).count() == 10_000
        # Again, as a frame: what is in is not added twice.
        assert client.datasources.create_values(scrap, pl.DataFrame(rows), idempotency_key=f"load-{scrap}") == 20_001
        found = client.datasources.values(scrap)
        assert found.to_polars()["value"].to_list() == list(range(20_001))
    key = f'"load-{scrap}'
    assert keys == [f'{key}"', f'{key}.2"', f'{key}"', f'{key}.2"', f'{key}.3"']


def test_a_frame_of_pandas_is_stored_as_it_shows(client: obeya.Client, scrap: int) -> None:
    # Objects that Arrow would cut to days, and integers that pandas makes floats because one is missing.
    days: list[Any] = [datetime.date(2026, 3, 1), pd.NaT, datetime.datetime(2026, 3, 1, 7, 30)]
    frame = pd.DataFrame({"valueDate": days, "value": [1.0, 2.0, 3.0], "areaId": [1, None, None]})
    assert frame["areaId"].dtype == "float64"
    with pytest.raises(TypeError, match=r"values\[1\]: value_date cannot be None"):
        client.datasources.create_values(scrap, frame)
    assert client.datasources.create_values(scrap, frame.drop(index=1)) == 2
    stored = client.datasources.values(scrap).all()
    assert [value.value_date.isoformat() for value in stored] == ["2026-03-01T00:00:00+00:00", "2026-03-01T07:30:00+00:00"]
    assert [value.area_id for value in stored] == [1, None]
    with pytest.raises(ValueError, match=r"values\[0\]: .*area_id: invalid type: floating point"):
        client.datasources.create_values(scrap, pd.DataFrame({"valueDate": days[:1], "value": [1], "areaId": [1.5]}))
    # So does an index; a text beside them is none of both.
    indexed = pd.DataFrame({"value": [4.0, 5.0]}, index=pd.Index([days[0], days[2]], name="valueDate"))
    assert client.datasources.create_values(scrap, indexed) == 2
    stored = client.datasources.values(scrap, where="value gt 3").all()
    assert [value.value_date.isoformat() for value in stored] == ["2026-03-01T00:00:00+00:00", "2026-03-01T07:30:00+00:00"]
    texts = pd.DataFrame({"valueDate": [*days[::2], "2026-03-02"], "value": [6.0, 7.0, 8.0]})
    assert client.datasources.create_values(scrap, texts) == 3
    assert client.datasources.edit_value(scrap, np.int64(stored[0].id), value=9).value == 9  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="values: found Series, expected a list or a frame"):
        client.datasources.create_values(scrap, pd.Series([1, 2]))  # type: ignore[arg-type]


def test_an_error_names_the_row_of_the_whole_list(client: obeya.Client, scrap: int) -> None:
    rows: list[Any] = [{"value": n, "value_date": "2026-03-01"} for n in range(10_003)]
    rows[10_002]["value"] = float("inf")
    with pytest.raises(ValueError, match=r"^values\[10002\]: value: inf is no number that can be sent$"):
        client.datasources.create_values(scrap, rows)
    assert client.datasources.values(scrap).count() == 10_000


def test_nothing_is_no_value(client: obeya.Client, scrap: int) -> None:
    nothings: list[Any] = [[], pl.DataFrame(), pa.table({"value": [], "valueDate": []})]
    for nothing in nothings:
        assert client.datasources.create_values(scrap, nothing) == 0
    for other in ("text", 5, {"value": 1}):
        wrong: Any = other
        with pytest.raises(TypeError, match="values: found .*, expected a list"):
            client.datasources.create_values(scrap, wrong)


def test_a_key_lets_a_write_be_sent_twice(client: obeya.Client, scrap: int) -> None:
    for _ in range(2):
        value = client.datasources.create_value(
            scrap, idempotency_key=f"scrap-{scrap}", value=1, value_date="2026-03-02T00:00:00Z"
        )
    assert [each.id for each in client.datasources.values(scrap)] == [value.id]
    with pytest.raises(obeya.UnprocessableEntityError) as caught:
        client.datasources.create_value(scrap, idempotency_key=f"scrap-{scrap}", value=2, value_date="2026-03-02T00:00:00Z")
    assert caught.value.code == "idempotency.mismatch"


def test_a_tag_keeps_a_change_of_somebody_else(client: obeya.Client, new_incident: New) -> None:
    id = new_incident().id
    found = client.tagged(lambda client: client.incidents.get(id))
    assert found.tag is not None
    assert repr(found) == f"Tagged({found.value!r}, {found.tag!r})"
    changed = client.tagged(lambda client: client.incidents.set_severity(id, "High", if_match=found.tag))
    assert changed.value.severity == "High"
    assert changed.tag not in {None, found.tag}
    for write in (
        lambda: client.incidents.update(found.value, title="Late", if_match=found.tag),
        lambda: client.incidents.set_causes(id, [], if_match=found.tag),
        lambda: client.incidents.delete(id, if_match=found.tag),
    ):
        with pytest.raises(obeya.PreconditionFailedError) as caught:
            write()
        assert caught.value.status_code == 412
    client.incidents.delete(id, if_match=changed.tag)
    # The tag is that of an answer, with any limits of its call.
    patient = client.tagged(lambda client: client.with_options(timeout=300).incidents.type_detail(3))
    assert patient.tag is not None
    # A list is no one record.
    assert client.tagged(lambda client: client.incidents.types().all()).tag is None
