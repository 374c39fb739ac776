"""The safety cross and the days since the last incident, by hand and against pandas."""

from __future__ import annotations

import datetime
import random

import pandas as pd
import pytest
from obeya import lean

DAY = datetime.date

INCIDENTS = [
    {"incidentDate": DAY(2026, 2, 27), "severity": "High", "group": "Foundry"},
    {"incidentDate": DAY(2026, 3, 2), "severity": "Low", "group": "Foundry"},
    {"incidentDate": DAY(2026, 3, 2), "severity": "High", "group": "Paint"},
    {"incidentDate": DAY(2026, 3, 2), "severity": "None", "group": "Paint"},
    {"incidentDate": DAY(2026, 3, 10), "severity": "None", "group": None},
    {"incidentDate": DAY(2026, 3, 20), "severity": "Medium", "group": "Foundry"},
]


def test_a_day_shows_its_worst() -> None:
    cross = lean.safety_cross(INCIDENTS, as_of="2026-03-18")
    rows = {row["day"].day: row for row in cross.to_arrow().to_pylist()}
    assert len(rows) == 31
    assert rows[2] == {"day": DAY(2026, 3, 2), "state": "incident", "severity": "High", "incidents": 3}
    assert rows[10]["severity"] == "None", "an incident of no severity is one all the same"
    assert rows[1]["state"] == rows[18]["state"] == "safe"
    # The 20th is not over, whatever the frame contains.
    assert rows[19]["state"] == rows[20]["state"] == "to come"
    assert (cross.safe, cross.incidents, cross.month) == (16, 4, DAY(2026, 3, 1))


@pytest.mark.parametrize("month", ["2026-02", "2026-02-11", DAY(2026, 2, 28)])
def test_another_month_is_named(month: str | datetime.date) -> None:
    cross = lean.safety_cross(INCIDENTS, month=month, as_of=DAY(2026, 3, 18))
    assert (len(cross), cross.safe, cross.incidents) == (28, 27, 1)
    assert cross.to_arrow()["state"].to_pylist()[26] == "incident"


def test_today_is_the_default() -> None:
    today = datetime.datetime.now(datetime.timezone.utc).date()
    cross = lean.safety_cross({"incidentDate": [today], "severity": ["Low"]})
    # Around midnight the two may be of two days.
    assert cross.month in {today.replace(day=1), (today + datetime.timedelta(days=1)).replace(day=1)}
    assert lean.days_since({"incidentDate": [today]}).days in {0, 1}


def test_moments_are_of_the_day_in_the_time_zone() -> None:
    frame = {"incidentDate": [datetime.datetime(2026, 3, 1, 23, 30)], "severity": ["Low"]}
    for tz, day in (("UTC", 1), ("Europe/Oslo", 2), ("America/New_York", 1)):
        cross = lean.safety_cross(frame, as_of="2026-03-31", tz=tz)
        assert [row["day"].day for row in cross.to_arrow().to_pylist() if row["state"] == "incident"] == [day]


def test_midnight_in_utc_is_that_day_in_every_time_zone() -> None:
    # As v2 serves the day of an incident.
    frame = {"incidentDate": ["2026-03-01T00:00:00Z", "2026-03-11T00:00:00Z"], "severity": ["Low", "High"]}
    for tz in ("UTC", "America/New_York", "Pacific/Auckland"):
        cross = lean.safety_cross(frame, as_of="2026-03-31", tz=tz)
        assert [row["day"].day for row in cross.to_arrow().to_pylist() if row["state"] == "incident"] == [1, 11]
        since = lean.days_since(frame, as_of="2026-03-31", tz=tz)
        assert (since.days, since.to_arrow()["last"].to_pylist()) == (20, [datetime.date(2026, 3, 11)])


def test_other_words_have_an_order_of_their_own() -> None:
    frame = {"incidentDate": [DAY(2026, 3, 1)] * 2, "severity": ["minor", "major"]}
    cross = lean.safety_cross(frame, as_of="2026-03-31", order=("minor", "major"))
    assert cross.to_arrow()["severity"].to_pylist()[0] == "major"
    with pytest.raises(ValueError, match="no severity is one of None, Low, Medium, High; found 'minor' .argument `order`"):
        lean.safety_cross(frame)


def test_stretches_by_hand() -> None:
    since = lean.days_since(INCIDENTS, by="group", as_of="2026-03-30")
    rows = {row["group"]: row for row in since.to_arrow().to_pylist()}
    assert list(rows) == ["Foundry", "Paint", None]
    assert rows["Foundry"] == {
        "group": "Foundry",
        "incidents": 3,
        "last": DAY(2026, 3, 20),
        "days": 10,
        "record": 18,
        "record_from": DAY(2026, 3, 2),
        "record_to": DAY(2026, 3, 20),
        "is_record": False,
    }
    assert (rows["Paint"]["days"], rows["Paint"]["record"], rows["Paint"]["is_record"]) == (28, 28, True)
    # One incident alone has no stretch to be compared with.
    assert (rows[None]["days"], rows[None]["is_record"]) == (20, False)
    assert (since.days, since.record, since.later) == (10, 28, 0)


def test_an_equal_stretch_is_no_record() -> None:
    frame = {"incidentDate": [DAY(2026, 3, 1), DAY(2026, 3, 6)]}
    assert lean.days_since(frame, as_of="2026-03-11").to_arrow()["is_record"].to_pylist() == [False]
    assert lean.days_since(frame, as_of="2026-03-12").to_arrow()["is_record"].to_pylist() == [True]


def test_days_on_which_much_happened_are_no_record() -> None:
    # Stretches of no days, all equal.
    for incidents in (2, 3):
        row = lean.days_since({"incidentDate": [DAY(2026, 3, 1)] * incidents}, as_of="2026-03-01").to_arrow().to_pylist()[0]
        assert (row["days"], row["record"], row["is_record"]) == (0, 0, False)


def test_what_comes_after_the_day_is_left_out_and_counted() -> None:
    since = lean.days_since(INCIDENTS, as_of="2026-03-09")
    assert (since.days, since.later) == (7, 2)
    # What happened on the day itself is known on it.
    since = lean.days_since(INCIDENTS, as_of="2026-03-10")
    assert (since.days, since.later) == (0, 1)
    assert lean.safety_cross(INCIDENTS, as_of="2026-03-10").incidents == 4
    assert lean.safety_cross(INCIDENTS, as_of="2026-03-09").incidents == 3


def test_stretches_are_those_of_pandas() -> None:
    source = random.Random(11)
    days = [DAY(2025, 1, 1) + datetime.timedelta(days=source.randrange(400)) for _ in range(300)]
    frame = pd.DataFrame({"incidentDate": days, "group": [source.choice("ABCDE") for _ in days]})
    until = pd.Timestamp("2026-03-01")
    found = lean.days_since(frame, by="group", as_of="2026-03-01").to_pandas().set_index("group")
    dates = frame.assign(incidentDate=pd.to_datetime(frame["incidentDate"])).sort_values("incidentDate")
    for group, part in dates.groupby("group"):
        row = found.loc[group]
        present = (until - part["incidentDate"].max()).days
        assert row["days"] == present
        assert row["record"] == max(pd.Timedelta(part["incidentDate"].diff().max()).days, present)
        assert row["incidents"] == len(part)


def test_what_cannot_be_counted_is_said() -> None:
    with pytest.raises(ValueError, match="no incident up to 2026-01-01 in a frame of 6 rows"):
        lean.days_since(INCIDENTS, as_of="2026-01-01")
    found = lean.days_since({"incidentDate": [None, DAY(2026, 1, 1)], "id": [7, 8]}, as_of="2026-01-03")
    assert (found.days, found.later, found.left_out) == (2, 0, ("the record 7 has no incidentDate",))
    assert repr(found).endswith(", 1 record left out>")
    with pytest.raises(ValueError, match="^no record of 1 can be used: row 0 has no incidentDate$"):
        lean.days_since({"incidentDate": [None]})
    with pytest.raises(ValueError, match="expected a month such as 2026-03; found 'March'"):
        lean.safety_cross(INCIDENTS, month="March")
    with pytest.raises(ValueError, match="expected a day such as 2026-03-31; found 'today'"):
        lean.days_since(INCIDENTS, as_of="today")


def test_an_incident_of_unknown_severity_makes_no_day_safe() -> None:
    frame = {
        "id": [1, 2, 3, 4, 5, 6],
        "incidentDate": [DAY(2026, 3, 1), DAY(2026, 3, 1), DAY(2026, 3, 4), DAY(2026, 3, 5), None, DAY(2026, 3, 30)],
        "severity": ["Low", None, "Urgent", None, "High", "Urgent"],
    }
    cross = lean.safety_cross(frame, as_of="2026-03-20")
    rows = {row["day"].day: row for row in cross.to_arrow().to_pylist()}
    assert [(day, row["severity"], row["incidents"]) for day, row in rows.items() if row["state"] == "incident"] == [
        (1, "Low", 2),
        (4, None, 1),
        (5, None, 1),
    ]
    assert (cross.safe, cross.incidents) == (17, 4)
    expected = "expected one of None, Low, Medium, High"
    assert cross.ungraded == (
        f"the record 2 has no severity; {expected}",
        f"the record 3 has the severity 'Urgent'; {expected}",
        f"the record 4 has no severity; {expected}",
    )
    assert cross.left_out == ("the record 5 has no incidentDate",)
    assert repr(cross) == (
        "<obeya.lean.SafetyCross: 2026-03, 17 safe days, 4 incidents, 3 of unknown severity, 1 record left out>"
    )
    # It is one even where it is alone.
    assert lean.safety_cross({"incidentDate": [DAY(2026, 3, 1)], "severity": [None]}, as_of="2026-03-20").safe == 19
