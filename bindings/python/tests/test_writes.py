"""The writing operations, and what their keyword arguments take."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable
from typing import Any

import obeya
import pytest

UTC = datetime.timezone.utc
New = Callable[..., obeya.Incident]


def test_create_incident(client: obeya.Client) -> None:
    incident = client.create_incident(
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
    kind = client.get_incident_type(3)
    incident = new_incident(categories=kind.categories, causes=kind.causes, consequences=kind.consequences)
    assert [category.id for category in incident.categories] == [31]
    assert [cause.id for cause in incident.causes] == [33, 36]
    assert [consequence.id for consequence in incident.consequences] == [34]
    again = client.set_incident_consequences(incident.id, incident.consequences)
    assert again.consequences == incident.consequences


def test_update_leaves_what_is_not_passed_and_empties_what_is_none(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident(text="Oil on the floor", external_id="c100", area_id=2)
    updated = client.update_incident(
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
    updated = client.update_incident(incident, status="Resolved", evaluation_status="Good")
    assert (updated.id, updated.status, updated.evaluation_status) == (incident.id, "Resolved", "Good")
    assert (updated.title, updated.severity) == (incident.title, "High")
    assert updated.resolved_date is not None
    assert updated.resolved_date.tzinfo is not None


def test_what_is_passed_goes_before_the_record_under_either_name(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident()
    spelled: dict[str, Any] = {"incidentDate": "2026-04-05"}
    assert client.update_incident(incident, **spelled).incident_date == datetime.date(2026, 4, 5)


def test_one_property_under_two_names_is_refused(client: obeya.Client, new_incident: New) -> None:
    with pytest.raises(TypeError, match="multiple values for argument 'area_id': it is also called 'areaId'"):
        new_incident(area_id=1, areaId=2)
    spelled: dict[str, Any] = {"external_id": None, "externalId": "c7"}
    with pytest.raises(TypeError, match="multiple values for argument 'external_id'"):
        client.update_improvement(5, **spelled)


def test_an_update_without_a_record_names_what_is_missing(client: obeya.Client) -> None:
    missing = "missing required argument.*'incident_type_id', 'severity', 'incident_date'"
    with pytest.raises(TypeError, match=missing):
        client.update_incident(10, title="Shorter")  # type: ignore[call-overload]


def test_set_incident_consequences(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident(consequences=[34])
    updated = client.set_incident_consequences(incident.id, [{"id": 34, "amount": 90}])
    assert [(consequence.id, consequence.amount) for consequence in updated.consequences] == [(34, 90.0)]
    assert client.set_incident_consequences(incident.id, []).consequences == ()


def test_set_incident_causes(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident(causes=[33])
    updated = client.set_incident_causes(incident.id, [36, {"id": 33}])
    assert {cause.title for cause in updated.causes} == {"Wear", "Misuse"}


def test_set_incident_external_id(client: obeya.Client, new_incident: New) -> None:
    incident = new_incident()
    assert client.set_incident_external_id(incident.id, "SAP/«42»").external_id == "SAP/«42»"
    assert client.set_incident_external_id(incident.id, None).external_id is None


def test_update_improvement(client: obeya.Client) -> None:
    improvement = client.update_improvement(5, status="Implemented", cost_of_investment=300, text=None)
    assert improvement.status == "Implemented"
    assert improvement.cost_of_investment == 300.0
    assert improvement.text is None
    assert (improvement.title, improvement.external_id) == ("Shadow board", "I-5")
    assert improvement.estimated_gain_of_investment == 1200.5
    assert client.update_improvement(improvement, title="Shadow wall").title == "Shadow wall"


def test_an_unknown_argument_is_named(new_incident: New) -> None:
    with pytest.raises(TypeError, match=r"create_incident\(\) got an unexpected argument 'titel'.*title"):
        new_incident(titel="x")
    with pytest.raises(TypeError, match=r"categories\[0\] got an unexpected argument 'name'"):
        new_incident(categories=[{"id": 32, "name": "x"}])


def test_none_is_refused_where_nothing_can_be_emptied(client: obeya.Client) -> None:
    with pytest.raises(TypeError, match="status cannot be None"):
        client.update_improvement(5, status=None)  # type: ignore[arg-type]


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
            client.update_improvement(5, cost_of_investment=number)


def test_numbers_of_numpy_are_numbers(client: obeya.Client, new_incident: New) -> None:
    numpy = pytest.importorskip("numpy")
    incident = new_incident(area_id=numpy.int64(2), causes=[numpy.int32(33)])
    assert incident.area_id == 2
    assert [cause.id for cause in incident.causes] == [33]
    assert client.update_improvement(5, gain_of_investment=numpy.float32(0.5)).gain_of_investment == 0.5


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
        obeya.Group.from_dict(group)
    with pytest.raises(TypeError, match="causes: found count, expected a list"):
        new_incident(causes=itertools.count())
    with pytest.raises(TypeError, match="text: count cannot be sent"):
        new_incident(text=itertools.count())


def test_text_that_no_encoding_has_is_refused(client: obeya.Client, new_incident: New) -> None:
    with pytest.raises(ValueError, match="text: .*surrogates not allowed"):
        new_incident(text="\udc80")
    for option in ("filter", "search", "select", "orderby"):
        options: dict[str, Any] = {option: "\udc80"}
        with pytest.raises(ValueError, match=f"argument '{option}': .*surrogates not allowed"):
            client.list_areas(**options)
    with pytest.raises(ValueError, match="surrogates not allowed"):
        client.get_area(1, select="\udc80")
    with pytest.raises(ValueError, match="argument 'user_agent': .*surrogates not allowed"):
        obeya.Client("http://localhost", token="t", user_agent="\udc80")
