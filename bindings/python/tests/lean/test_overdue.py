"""Overdue records, by hand."""

from __future__ import annotations

import datetime

from obeya import lean

DAY = datetime.date


def record(number: int, status: str, due: datetime.date | None, who: str | None) -> dict[str, object]:
    return {"id": number, "status": status, "dueDate": due, "responsibleDisplayName": who}


RECORDS = [
    record(1, "New", DAY(2026, 3, 1), "Kari"),
    record(2, "InProgress", DAY(2026, 2, 1), "Kari"),
    record(3, "Resolved", DAY(2026, 1, 1), "Kari"),
    record(4, "InProgress", DAY(2026, 3, 10), "Kari"),
    record(5, "Planned", DAY(2026, 1, 10), None),
    record(6, "Open", None, "Ola"),
    record(7, "Implemented", DAY(2026, 1, 1), "Unni"),
    record(8, "Suggested", DAY(2026, 3, 9), "Per"),
]


def test_by_who_is_responsible() -> None:
    found = lean.overdue(RECORDS, as_of="2026-03-10")
    assert found.to_arrow().to_pylist() == [
        {"responsible": "Kari", "overdue": 2, "open": 3, "longest": 37, "keys": ["2", "1"], "days": [37, 9]},
        {"responsible": None, "overdue": 1, "open": 1, "longest": 59, "keys": ["5"], "days": [59]},
        {"responsible": "Per", "overdue": 1, "open": 1, "longest": 1, "keys": ["8"], "days": [1]},
        {"responsible": "Ola", "overdue": 0, "open": 1, "longest": None, "keys": [], "days": []},
    ]
    assert (found.overdue, found.open, found.undated) == (4, 6, 1)
    assert repr(found) == "<obeya.lean.Overdue: 4 of 6 open records are overdue on 2026-03-10, 1 have no due date>"


def test_the_due_day_itself_is_in_time() -> None:
    for day, late in (("2026-03-09", 3), ("2026-03-10", 4), ("2026-03-11", 5)):
        assert lean.overdue(RECORDS, as_of=day).overdue == late


def test_a_due_moment_is_of_its_day_in_the_time_zone() -> None:
    due = datetime.datetime(2026, 3, 9, 23, 30, tzinfo=datetime.timezone.utc)
    records = [record(1, "New", due, "Kari")]
    assert lean.overdue(records, as_of="2026-03-10").overdue == 1
    assert lean.overdue(records, as_of="2026-03-10", tz="Europe/Oslo").overdue == 0


def test_midnight_in_utc_is_that_day_in_every_time_zone() -> None:
    # As the service writes a due date.
    records = [{"id": 1, "status": "New", "dueDate": "2026-04-01T00:00:00Z", "responsibleDisplayName": None}]
    for tz in ("UTC", "America/New_York", "Pacific/Auckland"):
        assert lean.overdue(records, as_of="2026-04-01", tz=tz).overdue == 0
        assert lean.overdue(records, as_of="2026-04-03", tz=tz).to_arrow()["days"].to_pylist() == [[2]]
        assert lean.overdue(records, as_of=datetime.datetime(2026, 4, 3), tz=tz).as_of == datetime.date(2026, 4, 3)


def test_today_is_the_default() -> None:
    now = datetime.datetime.now(datetime.timezone.utc)
    records = [
        record(1, "New", now - datetime.timedelta(days=3), "Kari"),
        record(2, "New", now + datetime.timedelta(days=3), "Kari"),
    ]
    assert lean.overdue(records).overdue == 1


def test_a_due_date_that_cannot_be_is_left_out_by_name() -> None:
    texts = [{**one, "dueDate": one["dueDate"] and f"{one['dueDate']}T00:00:00Z"} for one in RECORDS]
    early = {**texts[0], "id": 9, "dueDate": "0001-01-01T00:00:00+05:00"}
    whole = lean.overdue(texts, as_of="2026-03-10")
    for due, why in (
        ("0001-01-01T00:00:00+05:00", "0000-12-31T19:00:00+00:00, outside of the years 1 to 9999"),
        ("soon", "'soon', which is no day or moment of ISO 8601"),
    ):
        found = lean.overdue([*texts, {**early, "dueDate": due}], as_of="2026-03-10")
        assert found.left_out == (f"the record 9 has the dueDate {why}",)
        assert found.to_arrow() == whole.to_arrow()
        assert repr(found) == f"{repr(whole)[:-1]}, 1 record left out>"
    # Due dates of closed records do not count, and one after the last year is in time on any day.
    assert lean.overdue([*texts, {**early, "status": "Resolved"}], as_of="2026-03-10").to_arrow() == whole.to_arrow()
    late = lean.overdue([*texts, {**early, "dueDate": "9999-12-31T23:59:59-05:00"}], as_of="2026-03-10")
    assert (late.overdue, late.open, late.undated) == (whole.overdue, whole.open + 1, whole.undated)


def test_what_is_closed_is_up_to_the_caller() -> None:
    assert lean.overdue(RECORDS, as_of="2026-03-10", closed=["Resolved", "Archived"]).overdue == 5
    # A text is one status, not a collection of its parts.
    none = lean.overdue(RECORDS, as_of="2026-03-10", closed=[]).overdue
    assert lean.overdue(RECORDS, as_of="2026-03-10", closed="Not Resolved").overdue == none > 5
    # Whether one without a status is open is not known.
    found = lean.overdue({"id": [1, 2], "status": ["New", None], "dueDate": [None, None], "responsibleDisplayName": [None, None]})
    assert (found.open, found.left_out) == (1, ("the record 2 has no status",))


def test_nothing_open_is_an_empty_frame() -> None:
    found = lean.overdue([RECORDS[2]], as_of="2026-03-10")
    assert (len(found), found.open, found.overdue) == (0, 0, 0)
    assert found.to_arrow().column_names == ["responsible", "overdue", "open", "longest", "keys", "days"]
