"""Examples that a type checker must accept and refuse. It is checked, never run: see test_package.py."""

from __future__ import annotations

import datetime
from typing import Any

import duckdb
import obeya
import pandas as pd
import polars as pl
from obeya import F
from obeya.types import IncidentCreate, IncidentStatus
from typing_extensions import assert_type


def read(client: obeya.Client) -> None:
    areas = client.areas.list(where="id gt 1", select=["id", "name"], count=True)
    assert_type(areas, obeya.GroupableRecords[obeya.Area])
    page = areas.page()
    assert_type(page, obeya.Page[obeya.Area])
    assert_type(page[0], obeya.Area)
    assert_type(page[:2], tuple[obeya.Area, ...])
    assert_type(page.count, int | None)
    assert_type(areas.first(), obeya.Area | None)
    assert_type(areas.count(), int)
    assert_type(areas.all(), list[obeya.Area])
    groups = areas.group_by("name", F.description, size=F.name.length()).agg(n="count", last=(F.id, "max"), order_by="n desc")
    assert_type(groups.to_pandas(), pd.DataFrame)
    for group in groups:
        assert_type(group, dict[str, Any])
    for area in areas:
        assert_type(area.name, str | None)
    assert_type(client.incidents.list().page(2), obeya.Page[obeya.IncidentV1])
    assert_type(client.incidents.trash().first(), obeya.TrashedIncident | None)
    for value in client.datasources.values(5, start=datetime.date(2026, 1, 1)):
        assert_type(value.value_date, datetime.datetime)
        assert_type(value.area_id, int | None)
    found = client.tagged(lambda client: client.incidents.get(7))
    assert_type(found, obeya.Tagged[obeya.IncidentV1])
    reply = client.with_reply(lambda client: client.incidents.get(7))
    assert_type(reply, obeya.Reply[obeya.IncidentV1])
    assert_type((reply.value, reply.status_code, reply.body), tuple[obeya.IncidentV1, int, bytes])
    assert_type((reply.headers["RateLimit"], reply.request_id), tuple[str, str | None])
    assert_type(client.with_reply(lambda client: client.datasources.values(5, top=10).all()).value, list[obeya.DatasourceValue])
    client.with_reply(client.ping())  # type: ignore[arg-type]
    assert_type(client.with_options(timeout=None, max_retries=0), obeya.Client)
    assert_type(client.incidents.list().to_pandas(progress=True), pd.DataFrame)
    assert_type(client.incidents.list(), obeya.IncidentRecords)
    assert_type(client.incidents.list().tidy().to_pandas().causes, pd.DataFrame)
    assert_type(client.incidents.list().to_polars(wide=True), pl.DataFrame)
    assert_type(areas.to_polars(), pl.DataFrame)
    assert_type(areas.to_duckdb(), duckdb.DuckDBPyRelation)
    assert_type(client.datasources.values(5).to_parquet("values.parquet"), int)
    assert_type(pl.DataFrame(areas), pl.DataFrame)
    client.areas.list(filtr="id gt 1")  # type: ignore[call-arg]
    client.areas.list().page(2)  # type: ignore[call-arg]
    client.areas.get("1")  # type: ignore[arg-type]
    client.boards.get(page[0])  # type: ignore[arg-type]


def choose(client: obeya.Client) -> None:
    new = F.status == "New"
    assert_type(new, obeya.Filter)
    assert_type(F.incident.area.name, obeya.Field)
    assert_type(new & ~F.is_anonymous | F.due_date.is_null(), obeya.Filter)
    assert_type(datetime.date(2026, 1, 1) < F.incident_date, obeya.Filter)
    assert_type((F.cost_of_investment + 1).round(), obeya.Expression)
    assert_type(F.consequences.any(lambda c: c.amount > 10), obeya.Filter)
    client.incidents.list(where=new, order_by=[F.due_date.desc(), F.title, "id"])
    client.areas.list(where=F.is_member, order_by=F.name.length(), select=[F.id, "name"], expand=F.group)
    client.incidents.list(where=F.title.tolower())  # type: ignore[arg-type]
    client.areas.list(select=F.name.desc())  # type: ignore[arg-type]
    new & (F.id + 1)  # type: ignore[operator]
    F.status.in_("New", "Resolved")  # type: ignore[call-arg]


async def read_side_by_side(client: obeya.AsyncClient) -> None:
    areas = client.areas.list()
    assert_type(areas, obeya.AsyncGroupableRecords[obeya.Area])
    assert_type(await areas.page(), obeya.Page[obeya.Area])
    async for area in areas:
        assert_type(area, obeya.Area)
    assert_type(await client.incidents.get(7), obeya.IncidentV1)
    assert_type(await areas.to_pandas(), pd.DataFrame)
    found = await client.tagged(lambda client: client.incidents.get(7))
    assert_type(found, obeya.Tagged[obeya.IncidentV1])
    reply = await client.with_reply(lambda client: client.incidents.get(7))
    assert_type(reply, obeya.Reply[obeya.IncidentV1])
    for area in areas:  # type: ignore[attr-defined]
        pass


def write(client: obeya.Client, status: IncidentStatus) -> obeya.IncidentV1:
    fields: IncidentCreate = {
        "incident_type_id": 3,
        "severity": "High",
        "title": "Housing cracked",
        "incident_date": "2026-03-02",
        "categories": [32, {"id": 31}],
    }
    incident = client.incidents.create(**fields, idempotency_key="order-7")
    assert_type(incident.categories, tuple[obeya.CategoryReference, ...])
    client.incidents.create(title="x")  # type: ignore[call-arg]
    client.incidents.update(incident, status="Closed")  # type: ignore[arg-type]
    client.incidents.update(7, status="Resolved")
    client.incidents.update(7, titel="x")  # type: ignore[call-arg]
    client.incidents.set_status(7, "Closed")  # type: ignore[arg-type]
    client.improvements.update(5, due_date=None, status=None)  # type: ignore[arg-type]
    client.datasources.create_values(5, [{"value": 1, "value_date": "2026-03-02T06:00:00Z"}])
    return client.incidents.update(incident, status=status, text=None, due_date=datetime.datetime(2026, 3, 9))


def fail(client: obeya.Client) -> str | None:
    try:
        client.boards.detail(7)
    except obeya.NotFoundError as error:
        assert_type(error.status_code, int)
        assert_type(error.errors, list[tuple[str, str]])
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
