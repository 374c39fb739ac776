"""What a type checker must accept and refuse. It is checked, never run: see test_package.py."""

from __future__ import annotations

import datetime

import obeya
from obeya.types import IncidentCreate, IncidentStatus
from typing_extensions import assert_type


def read(client: obeya.Client) -> None:
    page = client.list_areas(filter="id gt 1", select=["id", "name"], count=True)
    assert_type(page, obeya.Page[obeya.Area])
    assert_type(page[0], obeya.Area)
    assert_type(page[:2], tuple[obeya.Area, ...])
    assert_type(page.count, int | None)
    for area in client.iter_areas():
        assert_type(area.name, str | None)
    for value in client.values(5, from_=datetime.date(2026, 1, 1)):
        assert_type(value.value_date, datetime.datetime)
        assert_type(value.area_id, int | None)
    client.list_areas(filtr="id gt 1")  # type: ignore[call-arg]
    client.get_area("1")  # type: ignore[arg-type]


def write(client: obeya.Client, status: IncidentStatus) -> obeya.Incident:
    fields: IncidentCreate = {
        "incident_type_id": 3,
        "severity": "High",
        "title": "Housing cracked",
        "incident_date": "2026-03-02",
        "categories": [32, {"id": 31}],
    }
    incident = client.create_incident(**fields)
    assert_type(incident.categories, tuple[obeya.CategoryReference, ...])
    client.create_incident(title="x")  # type: ignore[call-arg]
    client.update_incident(incident, status="Closed")  # type: ignore[call-overload]
    client.update_incident(7, status="Resolved")  # type: ignore[call-overload]
    client.update_improvement(5, due_date=None, status=None)  # type: ignore[arg-type]
    return client.update_incident(incident, status=status, text=None, due_date=datetime.datetime(2026, 3, 9))


def fail(client: obeya.Client) -> str | None:
    try:
        client.get_board_detail(7)
    except obeya.NotFoundError as error:
        assert_type(error.status_code, int)
        return error.code
    except obeya.APIStatusError as error:
        return error.problem.detail if error.problem else None
    return None


def match(record: obeya.Area | obeya.Board) -> int | None:
    match record:
        case obeya.Area(id, name=_):
            return id
        case obeya.Board(id=id):
            return id
