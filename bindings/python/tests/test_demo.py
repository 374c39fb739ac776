"""The plant of the demo in a test server."""

from __future__ import annotations

import datetime

import obeya
import pytest
from obeya import lean


def test_it_is_whole_and_ends_the_day_before(demo: obeya.TestServer) -> None:
    with demo.client() as client:
        days = [incident.incident_date for incident in client.incidents.list()]
        # 4,200 are written, and some of the last weeks lie in the trash.
        assert 4_100 < len(days) < 4_200
        assert (min(days), max(days)) == (datetime.date(2024, 3, 3), datetime.date(2026, 2, 28))
        assert client.improvements.list().count() == 640
        assert [source.title for source in client.datasources.list()][:2] == ["OEE", "Vrak / scrap"]
        # 104 weeks of 7 days of 24 hours, on 3 meters.
        assert client.datasources.values(5).count() == 104 * 7 * 24 * 3


def test_the_day_must_be_one() -> None:
    with pytest.raises(ValueError, match='today: found "soon", expected a date such as 2026-03-01'):
        obeya.TestServer.demo(today="soon")


def test_it_ends_yesterday_by_default() -> None:
    before = datetime.datetime.now(datetime.timezone.utc).date()
    with obeya.TestServer.demo() as server, server.client() as client:
        newest = client.datasources.values(5, order_by="valueDate desc").first()
        after = datetime.datetime.now(datetime.timezone.utc).date()
        assert newest is not None
        assert before <= newest.value_date.date() + datetime.timedelta(days=1) <= after


def test_the_money_of_causes_is_that_of_their_incidents(demo: obeya.TestServer) -> None:
    with demo.client() as client:
        incidents = client.incidents.list().all()
    costs = [sum(part.amount or 0 for part in one.consequences if part.unit == "NOK") for one in incidents]
    causes = [[cause.title for cause in one.causes] for one in incidents]
    chart = lean.pareto({"cost": costs, "causes": causes}, by="causes", weight="cost", unit="NOK")
    # Some have two: the money of each of these would count twice.
    assert chart.total == pytest.approx(sum(cost for cost, own in zip(costs, causes, strict=True) if own))
    assert chart.total < sum(cost * len(own) for cost, own in zip(costs, causes, strict=True)) - 3_000_000
    # From the records themselves it is the same, in equal parts or in full for each.
    equal = lean.pareto(incidents, by="causes", weight="consequences.amount", unit="NOK")
    each = lean.pareto(incidents, by="causes", weight="consequences.amount", unit="NOK", split="each")
    assert [equal.total, each.total] == pytest.approx([chart.total] * 2)
    assert sum(each.to_arrow()["amount"].to_pylist()) > chart.total + 3_000_000
