"""What the report says first: since yesterday, today, and the meters with their targets. Expected counts are read off the plants below."""

from __future__ import annotations

import datetime
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import obeya
import pytest
import relay
from obeya._report import _meters, _wanted
from obeya._report._gather import Figures, gather
from obeya._report._page import page
from obeya._report._targets import Better, Combine, Period, Target
from obeya._report._text import text
from obeya._report._wanted import Unknown, Wanted

TODAY = datetime.date(2026, 3, 2)
"""A Monday."""

Plant = dict[str, list[dict[str, Any]]]

GROUPS = [
    {"id": 1, "type": "GENERAL", "name": "Plant", "level": 0},
    {"id": 2, "type": "GENERAL", "name": "Machining", "parentId": 1, "level": 1},
    {"id": 3, "type": "GENERAL", "name": "Night shift", "parentId": 2, "level": 2},
    {"id": 4, "type": "GENERAL", "name": "Stores", "parentId": 1, "level": 1},
    {"id": 5, "type": "GENERAL", "name": "Stores", "parentId": 2, "level": 2},
]
USERS = [{"id": "u1", "userName": "kari", "displayName": "Kari Vik"}]


def incident(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "id": number,
        "incidentTypeId": 1,
        "title": f"Incident {number}",
        "incidentDate": "2026-02-01",
        "reportedDate": "2026-02-01T08:00:00Z",
        "severity": "Low",
        **fields,
    }


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Callable[[Plant], obeya.TestServer]]:
    """A service with a plant of its own."""
    with ExitStack() as stack:

        def start(plant: Plant) -> obeya.TestServer:
            folder = tmp_path / "plant"
            folder.mkdir()
            everything: Plant = {"incident_types": [{"id": 1, "title": "Safety"}], "users": USERS, "groups": GROUPS, **plant}
            for resource, lines in everything.items():
                (folder / f"{resource}.jsonl").write_text("".join(map("{}\n".format, map(json.dumps, lines))), encoding="utf-8")
            server = stack.enter_context(obeya.TestServer())
            server.import_dir(folder)
            return server

        yield start


@pytest.fixture
def serve(host: Callable[[Plant], obeya.TestServer]) -> Iterator[Callable[[Plant], obeya.Client]]:
    """A client of such a service."""
    with ExitStack() as stack:
        yield lambda plant: stack.enter_context(host(plant).client())


@pytest.fixture
def report(serve: Callable[[Plant], obeya.Client]) -> Callable[..., Figures]:
    """The figures of a plant on the day."""
    return lambda plant, **wanted: gather(serve(plant), Wanted(**{"title": "Plant", "today": TODAY, **wanted}))


YESTERDAY: Plant = {
    "incidents": [
        # 1 March, 00:30 in Oslo, and 28 February in UTC.
        incident(1, reportedDate="2026-02-28T23:30:00Z", severity="High", responsibleUserId="u1"),
        incident(2, reportedDate="2026-03-01T12:00:00Z"),
        incident(3, reportedDate="2026-03-02T06:00:00Z", severity="High", followUpGroupId=2),
        # Tomorrow in Oslo.
        incident(4, reportedDate="2026-03-02T23:30:00Z", severity="High"),
        incident(5, status="Resolved", resolvedDate="2026-03-01T00:00:00Z"),
        incident(6, status="Resolved", resolvedDate="2026-02-28T22:59:00Z"),
    ],
    "improvements": [
        {"id": 1, "status": "Suggested", "title": "Idea", "suggestionDate": "2026-03-01T09:00:00Z"},
        {
            "id": 2,
            "status": "Implemented",
            "title": "Idea",
            "suggestionDate": "2026-01-01T09:00:00Z",
            "implementedDate": "2026-03-02T07:00:00Z",
        },
    ],
}


@pytest.mark.parametrize(("tz", "new", "serious", "closed"), [("UTC", 3, [4, 3], 1), ("Europe/Oslo", 3, [3, 1], 1)])
def test_what_has_happened_since_yesterday(
    tz: str, new: int, serious: list[int], closed: int, report: Callable[..., Figures]
) -> None:
    found = report(YESTERDAY, tz=tz)
    assert found.yesterday.first == datetime.date(2026, 3, 1)
    assert [item.id for item in found.yesterday.serious] == serious
    assert (found.yesterday.new, found.yesterday.closed) == (new, closed)
    assert (found.yesterday.suggested, found.yesterday.implemented) == (1, 1)


def test_who_follows_up_is_the_responsible_person_or_else_the_group(report: Callable[..., Figures]) -> None:
    found = report(YESTERDAY, tz="Europe/Oslo")
    assert [(item.title, item.who) for item in found.yesterday.serious] == [
        ("Incident 3", "Machining"),
        ("Incident 1", "Kari Vik"),
    ]


DUE: Plant = {
    "incidents": [
        incident(1, dueDate="2026-03-02T00:00:00Z", responsibleUserId="u1"),
        incident(2, dueDate="2026-03-01T12:00:00Z"),
        # Tomorrow in Oslo, and today in UTC.
        incident(3, dueDate="2026-03-02T23:30:00Z"),
        incident(4, dueDate="2026-03-03T00:00:00Z"),
        incident(5, dueDate="2026-02-01T00:00:00Z", status="Resolved"),
        incident(6, dueDate="2026-02-01T00:00:00Z", status="Rejected"),
        incident(7),
    ],
    "improvements": [
        {"id": 1, "status": "Planned", "title": "Idea 1", "dueDate": "2026-02-20T00:00:00Z", "groupId": 3},
        {"id": 2, "status": "Implemented", "title": "Idea 2", "dueDate": "2026-02-20T00:00:00Z"},
    ],
    "boards": [{"id": 7, "name": "Board", "groupId": 3}],
    "tasks": [
        {"id": 1, "title": "Task 1", "status": "Blocked", "boardId": 7, "dueDate": "2026-02-28T15:00:00Z", "responsibleUserId": "u1"},
        {"id": 2, "title": "Task 2", "status": "Completed", "boardId": 7, "dueDate": "2026-02-28T15:00:00Z"},
    ],
}


def test_what_is_due_today_and_what_is_late(report: Callable[..., Figures]) -> None:
    found = report(DUE, tz="Europe/Oslo", link="https://plant.example/{kind}/{id}")
    assert [(item.kind, item.id) for item in found.today.due] == [("incidents", 1)]
    # What became late last comes first.
    assert [(item.kind, item.id, item.days, item.who) for item in found.today.late] == [
        ("incidents", 2, 1, None),
        ("tasks", 1, 2, "Kari Vik"),
        ("improvements", 1, 10, "Night shift"),
    ]
    said = " ".join(text(found).split())
    assert "1 due today, 3 late" in said
    assert "Incident 1 (Kari Vik), https://plant.example/incidents/1: due today" in said
    assert "Idea 1 (Night shift), https://plant.example/improvements/1: 10 days" in said
    shown = page(found)
    assert '<a href="https://plant.example/tasks/1">Task 1</a>' in shown
    assert "1 incident, 1 improvement, 1 task" in shown


def test_the_moment_of_a_due_date_is_of_a_day_of_the_zone(report: Callable[..., Figures]) -> None:
    found = report(DUE, tz="UTC")
    assert [item.id for item in found.today.due] == [1, 3]


def test_of_a_group_count_the_records_of_its_subgroups_too(report: Callable[..., Figures]) -> None:
    plant: Plant = {
        **DUE,
        "incidents": [
            incident(1, dueDate="2026-03-01T00:00:00Z", reportedByGroupId=3),
            incident(2, dueDate="2026-03-01T00:00:00Z", followUpGroupId=2, reportedByGroupId=4),
            incident(3, dueDate="2026-03-01T00:00:00Z", followUpGroupId=4, reportedByGroupId=1),
        ],
        "boards": [{"id": 7, "name": "Board", "groupId": 3}, {"id": 8, "name": "Other", "groupId": 4}],
        "tasks": [*DUE["tasks"], {"id": 3, "title": "Task 3", "boardId": 8, "dueDate": "2026-02-28T15:00:00Z", "status": "Blocked"}],
        "improvements": [*DUE["improvements"], {"id": 3, "title": "Idea 3", "status": "Planned", "groupId": 4}],
    }
    found = report(plant, group="Machining")
    assert sorted((item.kind, item.id) for item in found.today.late) == [
        ("improvements", 1),
        ("incidents", 1),
        ("incidents", 2),
        ("tasks", 1),
    ]
    assert (found.group, found.incidents, found.improvements) == ("Machining", 2, 1)
    assert "group Machining with its subgroups" in text(found)


def test_of_an_area_count_its_incidents_alone(report: Callable[..., Figures]) -> None:
    plant: Plant = {
        **DUE,
        "areas": [{"id": 3, "name": "Foundry"}, {"id": 4, "name": "Hall 2"}],
        "incidents": [
            incident(1, dueDate="2026-03-01T00:00:00Z", areaId=3),
            incident(2, dueDate="2026-03-01T00:00:00Z", areaId=4),
            incident(3, dueDate="2026-03-01T00:00:00Z"),
        ],
    }
    found = report(plant, area="4")
    assert [(item.kind, item.id) for item in found.today.late] == [("incidents", 2)]
    assert (found.area, found.incidents, found.improvements) == ("Hall 2", 1, 0)
    assert "improvements, tasks and meters have no area" in " ".join(text(found).split())


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"area": "Founderie"}, "no area is called 'Founderie'; those there are: Foundry"),
        ({"group": "9"}, "no group is called '9'; those there are: Machining, Night shift, Plant, Stores, Stores"),
        ({"group": "Stores"}, "several groups are called 'Stores'; pass one of their ids: 4, 5"),
        (
            {"targets": (Target("Q", "Scrap", 99, 2, "lower"),)},
            "no datasource has the id 99, which the meter 'Scrap' names",
        ),
    ],
)
def test_what_does_not_exist_is_refused(wanted: dict[str, Any], says: str, report: Callable[..., Figures]) -> None:
    with pytest.raises(Unknown) as raised:
        report({"areas": [{"id": 3, "name": "Foundry"}]}, **wanted)
    assert str(raised.value) == says


def values(*numbers: float, first: str = "2026-02-01", hours: float = 24) -> list[dict[str, Any]]:
    """Values at equal distances."""
    start = datetime.datetime.fromisoformat(first).replace(tzinfo=datetime.timezone.utc)
    moments = [start + datetime.timedelta(hours=hours * at) for at in range(len(numbers))]
    return [
        {"id": at, "dataSourceId": 1, "value": number, "valueDate": moment.isoformat()}
        for at, (number, moment) in enumerate(zip(numbers, moments, strict=True), 1)
    ]


def metered(numbers: list[dict[str, Any]]) -> Plant:
    return {"datasources": [{"id": 1, "title": "Scrap"}], "datasource_values": numbers}


PLANT = Wanted(title="Plant", today=TODAY)


@pytest.mark.parametrize(
    ("combine", "expected", "met"),
    [("mean", [1, 3, 6], 2), ("sum", [1, 9, 18], 1)],
)
def test_a_meter_combines_the_values_of_whole_days(
    combine: Combine, expected: list[float], met: int, serve: Callable[[Plant], obeya.Client]
) -> None:
    # Three values a day from 27 February, 16:00 UTC; those of 2 March are of a day that is not over.
    numbers = values(*range(1, 11), first="2026-02-27T16:00:00", hours=8)
    target = Target("Q", "Scrap", 1, 3, "lower", combine=combine)
    found = _meters.meter(serve(metered(numbers)), target, PLANT)
    assert found.points == tuple(zip((datetime.date(2026, 2, 27), datetime.date(2026, 2, 28), datetime.date(2026, 3, 1)), expected))
    assert found.last == (datetime.date(2026, 3, 1), expected[-1])
    assert (found.met, found.trend) == (met, "unknown")


def test_a_meter_has_days_of_the_time_zone(serve: Callable[[Plant], obeya.Client]) -> None:
    # 1 March, 23:30 UTC, is 2 March in Oslo, which is not over. Midnight UTC stands for its day.
    numbers = [*values(5, first="2026-03-01T23:30:00"), {**values(7, first="2026-03-01")[0], "id": 2}]
    client, target = serve(metered(numbers)), Target("Q", "Scrap", 1, 3, "lower")
    day = datetime.date(2026, 3, 1)
    assert _meters.meter(client, target, Wanted(title="Plant", today=TODAY, tz="Europe/Oslo")).points == ((day, 7),)
    assert _meters.meter(client, target, PLANT).points == ((day, 6),)
    # In New York midnight UTC is the evening before, and yet it stands for its day.
    assert _meters.meter(client, target, Wanted(title="Plant", today=TODAY, tz="America/New_York")).points == ((day, 6),)


@pytest.mark.parametrize(
    ("period", "first", "count"),
    [
        # The last 30 whole days, 26 weeks (from a Monday) and 24 months before Monday, 2 March 2026.
        ("day", datetime.date(2026, 1, 31), 30),
        ("week", datetime.date(2025, 9, 1), 26),
        ("month", datetime.date(2024, 3, 1), 24),
    ],
)
def test_a_meter_looks_at_whole_periods(
    period: Period, first: datetime.date, count: int, serve: Callable[[Plant], obeya.Client]
) -> None:
    numbers = values(*[1] * 1200, first="2022-12-01")
    target = Target("S", "Walks", 1, 3, "higher", period=period, combine="sum")
    found = _meters.meter(serve(metered(numbers)), target, PLANT)
    assert (found.points[0][0], len(found.points)) == (first, count)
    assert found.points[-1][1] == {"day": 1, "week": 7, "month": 28}[period]


def test_a_meter_takes_the_values_of_its_condition(serve: Callable[[Plant], obeya.Client]) -> None:
    numbers = values(4, 6, first="2026-03-01", hours=1)
    numbers[1]["dimension"] = "Line 2"
    target = Target("Q", "Scrap", 1, 3, "lower", where="dimension eq 'Line 2'")
    assert [value for _, value in _meters.meter(serve(metered(numbers)), target, PLANT).points] == [6]


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("dimensoin eq 1", "$filter at byte 0: found `dimensoin`, which is no property"),
        ("value gt 1) or (value lt 1", "$filter at byte 10: "),
    ],
)
def test_a_wrong_condition_of_a_meter_is_named(where: str, says: str, serve: Callable[[Plant], obeya.Client]) -> None:
    target = Target("Q", "Scrap", 1, 3, "lower", where=where)
    with pytest.raises(obeya.BadRequestError) as raised:
        _meters.meter(serve(metered(values(4))), target, PLANT)
    assert raised.value.problem is not None and raised.value.problem.detail is not None
    assert raised.value.problem.detail.startswith(says)


@pytest.mark.parametrize(("tz", "requests"), [("Europe/Oslo", 1), ("America/New_York", 2)])
def test_a_meter_reads_groups_and_no_values(tz: str, requests: int, host: Callable[[Plant], obeya.TestServer]) -> None:
    # Minutes of 1 March UTC, which is not wholly over in New York.
    server = host(metered(values(*range(1, 1441), first="2026-03-01", hours=1 / 60)))
    target = Target("Q", "Scrap", 1, 3, "lower")
    with relay.before(server.base_url) as line, obeya.Client(line.url, *server.credentials()) as client:
        found = _meters.meter(client, target, Wanted(title="Plant", today=TODAY, tz=tz)).points
    assert [exchange.target.count("apply=") for exchange in line.exchanges] == [1] * requests
    expected = {
        # 23:00 UTC on is 2 March in Oslo.
        "Europe/Oslo": ((datetime.date(2026, 3, 1), sum(range(1, 1381)) / 1380),),
        # The first five hours are of 28 February in New York, but for midnight UTC.
        "America/New_York": (
            (datetime.date(2026, 2, 28), sum(range(2, 301)) / 299),
            (datetime.date(2026, 3, 1), (1 + sum(range(301, 1441))) / 1141),
        ),
    }
    assert found == expected[tz]


def points(*numbers: float) -> list[tuple[datetime.date, float]]:
    return [(TODAY - datetime.timedelta(days=len(numbers) - at), number) for at, number in enumerate(numbers)]


@pytest.mark.parametrize(
    ("numbers", "better", "trend"),
    [
        # Mean 10, moving ranges of 1 or 2 on average, and then a leap far beyond 2.66 of them.
        ((10, 11, 10, 9, 10, 11, 10, 9, 10, 11, 10, 30), "lower", "worse"),
        ((10, 11, 10, 9, 10, 11, 10, 9, 10, 11, 10, 30), "higher", "better"),
        ((10, 11, 10, 9, 10, 11, 10, 9, 10, 11, 10, 12), "lower", "steady"),
        # Ten below and ten above the mean of 5, each a run of nine or more.
        ((4, 4.2) * 5 + (6, 6.2) * 5, "lower", "worse"),
        ((10, 11, 10, 9, 10, 11, 10), "lower", "unknown"),
    ],
)
def test_only_a_signal_is_a_trend(numbers: tuple[float, ...], better: Better, trend: str) -> None:
    assert _meters.trend(points(*numbers), Target("Q", "Scrap", 1, 10, better)) == trend


def test_meters_are_in_the_order_of_safety_quality_delivery_and_cost(report: Callable[..., Figures]) -> None:
    targets = (
        Target("C", "Hours", 1, 3, "lower", unit="h"),
        Target("S", "Walks", 1, 3, "higher"),
        Target("D", "Nothing yet", 2, 3, "higher"),
    )
    plant = metered(values(2.5, first="2026-03-01"))
    plant["datasources"].append({"id": 2, "title": "Empty"})
    found = report(plant, targets=targets)
    root = ET.fromstring(page(found))
    rows = [["".join(cell.itertext()) for cell in row] for row in root.findall(".//*[@id='targets-table']//{*}tr")]
    assert [row[:4] for row in rows[1:]] == [
        ["Safety"],
        ["Walks", "2.5 1 Mar", "at least 3", "✗ off target"],
        ["Delivery"],
        ["Nothing yet", "", "at least 3", "no values"],
        ["Cost"],
        ["Hours", "2.5\u00a0h 1 Mar", "at most 3\u00a0h", "✓ on target"],
    ]
    said = " ".join(text(found).replace("\u00a0", " ").split())
    assert "Cost: Hours: 2.5 h (1 Mar), target at most 3 h: on target. 1 of 1 met; too few values." in said
    assert "Delivery: Nothing yet: no values" in said


@pytest.mark.parametrize(
    ("template", "address"),
    [
        ("https://plant.example/{kind}/{id}", "https://plant.example/tasks/7"),
        ("http://127.0.0.1:8080/?show={id}&of={kind}", "http://127.0.0.1:8080/?show=7&of=tasks"),
        ("https://plant.example/{id}", "https://plant.example/7"),
    ],
)
def test_a_template_of_addresses_is_filled_in(template: str, address: str) -> None:
    wanted = Wanted(title="Plant", today=TODAY, link=_wanted.link(template))
    assert wanted.address("tasks", 7) == address


@pytest.mark.parametrize(
    "template",
    [
        "plant.example/{id}",
        "javascript:alert({id})",
        "https://plant.example/",
        "https://plant.example/{number}/{id}",
        "https://{id}",
        "https://plant.example/{id}/{",
        "https://plant.example/{id} x",
    ],
)
def test_another_template_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match="expected an http or https address with {id}"):
        _wanted.link(template)


@pytest.mark.parametrize(
    ("status", "says"), [(403, "Tasks: the client may not read them"), (404, "Tasks: the service has none")]
)
def test_a_report_without_tasks_says_why(
    status: int, says: str, host: Callable[[Plant], obeya.TestServer]
) -> None:
    def refuse(exchange: relay.Exchange, handler: relay.Handler) -> bool:
        if not exchange.target.startswith("/v2/tasks"):
            return False
        handler.send_response(status)
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return True

    server = host(DUE)
    with relay.before(server.base_url, refuse) as line, obeya.Client(line.url, *server.credentials()) as client:
        found = gather(client, PLANT)
    assert says in text(found)
    assert {item.kind for item in found.today.late} == {"incidents", "improvements"}
