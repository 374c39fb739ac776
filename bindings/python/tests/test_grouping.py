"""Groups that the service makes, compared with those that pandas makes of the whole list, and what is refused before a request."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable, Iterator
from typing import Any

import obeya
import pandas as pd
import plant
import polars as pl
import pytest
from obeya import F, _grouping


@pytest.fixture(scope="module")
def busy(demo: obeya.TestServer) -> Iterator[obeya.Client]:
    with demo.client() as client:
        yield client


def test_groups_are_those_of_pandas(busy: obeya.Client) -> None:
    whole = busy.incidents.list_v2(where="severity ne 'Low'", expand="area").to_pandas()
    keys = ["area.name", "status"]
    expected = whole.groupby(keys, dropna=False, observed=True, as_index=False).agg(
        n=("id", "size"), people=("ownerUserId", "nunique"), last=("dueDate", "max"), mean=("typeId", "mean")
    )
    found = (
        busy.incidents.list_v2(where=F.severity != "Low")
        .group_by("area/name", F.status)
        .agg(
            n="count",
            people=(F.owner_user_id, "nunique"),
            last=("dueDate", "max"),
            mean=("typeId", "mean"),
        )
        .to_pandas()
    )
    assert len(found) > 20
    assert list(found.columns) == list(expected.columns)
    pd.testing.assert_frame_equal(_sorted(found, keys), _sorted(expected, keys), check_dtype=False)


def _sorted(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    return frame.astype(dict.fromkeys(keys, "string")).sort_values(keys, ignore_index=True)


def test_keys_can_be_computed(busy: obeya.Client) -> None:
    dates = busy.comments.list(select="commentDate").to_pandas()["commentDate"]
    expected = dates.groupby([dates.dt.year, dates.dt.month]).size()
    months = busy.comments.list().group_by(year=F.comment_date.year(), month="month(commentDate)").agg(n="count")
    assert {(row["year"], row["month"]): row["n"] for row in months} == expected.to_dict()
    most = busy.comments.list().group_by(year=F.comment_date.year(), month=F.comment_date.month())
    top = most.agg(n="count", order_by=[F.n.desc(), "year"], top=2).all()
    assert [row["n"] for row in top] == sorted(expected, reverse=True)[:2]
    assert most.agg(order_by="year,month", skip=1).first() == dict(zip(("year", "month"), expected.index[1], strict=True))


def test_all_groups_of_many_pages_come_in_every_form(client: obeya.Client) -> None:
    areas = client.areas.list(where="id gt 2").group_by("name").agg(n="count", least=("id", "min"))
    expected = sorted((f"Cell {n}", 1, n) for n in range(3, plant.AREAS + 1))
    assert [tuple(row.values()) for row in areas] == expected
    assert areas.count() == len(expected) == len(areas.all())
    assert len(list(areas.pages())) > 1
    assert areas.to_polars().rows() == expected
    assert areas.to_polars().schema == {"name": pl.String, "n": pl.Int64, "least": pl.Int32}
    assert areas.to_arrow(progress=True).num_rows == len(expected)
    assert str(areas) == "<obeya.Records of groups of areas>"


def test_a_row_has_types_of_python(client: obeya.Client) -> None:
    comments = client.comments.list().group_by(day=F.comment_date.date()).agg(last=(F.comment_date, "max"))
    first = comments.first()
    assert first is not None
    assert type(first["day"]) is datetime.date
    assert first["last"].date() >= first["day"] and first["last"].tzinfo is not None
    assert client.areas.list(where="id lt 0").aggregate(n="count", most=("id", "max")).all() == [{"n": 0, "most": None}]


def test_groups_can_be_awaited(server: obeya.TestServer) -> None:
    async def read() -> list[dict[str, Any]]:
        async with server.async_client() as client:
            return [row async for row in client.areas.list(where="id le 2").group_by("name").agg(n="count")]

    assert asyncio.run(read()) == [{"name": "Assembly", "n": 1}, {"name": "Foundry", "n": 1}]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda areas: areas.group_by("nmae").agg(), r"found `nmae`, which is no property of Area; did you mean `name`\?"),
        (lambda areas: areas.aggregate(name="count"), "found the name `name`, which Area has as a property"),
        (lambda areas: areas.aggregate(n=("id", "median")), "n: found the method 'median', expected one of sum, mean, min, max, nunique"),
        (lambda areas: areas.aggregate(n="cuont"), """n: found 'cuont', expected "count" or a pair"""),
        (lambda areas: areas.group_by().agg(), "found neither a key nor a value"),
        (lambda areas: areas.aggregate(n=("name", "sum")), "before `with sum`; expected a number"),
        (lambda areas: areas.group_by(F.name.length()).agg(), r"found the key `length\(name\)`; expected a name for what is computed"),
        (lambda areas: areas.aggregate(**{"n,id with sum as z": "count"}), "found the name 'n,id with sum as z', expected letters"),
        (lambda areas: areas.group_by("name", **{"x y": "id"}).agg(), "found the name 'x y', expected letters"),
        (lambda areas: areas.aggregate(n="count", order_by="m"), r"\$orderby at byte 0: found `m`, which the result does not have"),
        (lambda areas: areas.aggregate(n="count", top=-1), r"\$top"),
    ],
)
def test_a_fault_is_named_before_a_request(client: obeya.Client, ask: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask(client.areas.list())


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda areas: areas.group_by(5).agg(), "found int, expected text or an expression"),
        (lambda areas: areas.aggregate(n=(None, "sum")), "found NoneType, expected text or an expression"),
        (lambda areas: areas.aggregate(n="count", order_by=5), "found int, expected text or a name"),
    ],
)
def test_what_is_no_name_is_refused(client: obeya.Client, ask: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ask(client.areas.list())


def test_a_window_of_groups_is_counted(client: obeya.Client) -> None:
    names = client.areas.list(where="id gt 2").group_by("name")
    some = names.agg(n="count", top=plant.AREAS, skip=10)
    assert some.to_arrow(progress=True).num_rows == plant.AREAS - 2 - 10
    assert some.count() == plant.AREAS - 2
    assert names.agg(top=0).first() is None
    assert names.agg(n_of="count", order_by=[F["n_of"].desc(), F.name], top=1).first() == {"name": "Cell 10", "n_of": 1}


def test_a_list_that_is_grouped_has_a_filter_only(client: obeya.Client) -> None:
    with pytest.raises(ValueError, match="one `\\)` too many|found `\\)`"):
        client.areas.list(where="id gt 3)/compute(1 as z").aggregate(n="count")
    with pytest.raises(ValueError, match="found the option `top` of a list"):
        client.areas.list(top=5).aggregate(n="count")
    with pytest.raises(TypeError, match="found a list of v1"):
        client.boards.list_v1()._query.transformed("aggregate($count as n)", None, None, None)


def test_the_text_is_that_of_odata() -> None:
    assert _grouping.compute({"year": F.due_date.year(), "m": "month(dueDate)"}) == "compute(year(dueDate) as year,month(dueDate) as m)"
    grouped = _grouping.group(["area/name", F.status], {"n": "count", "x": (F.level + 1, "nunique")})
    assert grouped == "groupby((area/name,status),aggregate($count as n,level add 1 with countdistinct as x))"
    assert _grouping.group(["status"], {}) == "groupby((status))"
    assert _grouping.group([], {"mean": ("level", "mean")}) == "aggregate(level with average as mean)"
