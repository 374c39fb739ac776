"""Lead times against scipy's quantiles, and cumulative flow against a count by pandas."""

from __future__ import annotations

import datetime
import random
import re
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa
import pytest
from obeya import lean
from scipy import stats

UTC = datetime.timezone.utc
STAGES = list(lean.STAGES)
COLUMNS = list(lean.STAGES.values())


def moment(day: int, hour: int = 0) -> datetime.datetime:
    return datetime.datetime(2026, 3, 1, hour, tzinfo=UTC) + datetime.timedelta(days=day - 1)


def record(number: int, status: str, *days: int | None) -> dict[str, Any]:
    dates = [None if day is None else moment(day) for day in [*days, *[None] * (6 - len(days))]]
    return {"id": number, "status": status, **dict(zip(COLUMNS, dates))}


RECORDS = [
    record(1, "Implemented", 1, 2, 4, 8),
    record(2, "InProgress", 1, 3, 5),
    record(3, "Implemented", 2, None, None, 4),
    record(4, "Archived", 3, 4, None, None, None, 6),
    record(5, "Open", 1),
    record(6, "Suggested"),
]


def plant(size: int) -> list[dict[str, Any]]:
    """Improvements that skip stages, stop on the way and are archived."""
    source = random.Random(3)
    records = []
    for number in range(size):
        now, row = moment(1) + datetime.timedelta(hours=source.random() * 2000), {"id": number, "status": "Suggested"}
        for at, (stage, column) in enumerate(lean.STAGES.items()):
            row[column] = None
            if source.random() < 0.2 and at:
                continue
            if at and source.random() < 0.15:
                row.update(dict.fromkeys(COLUMNS[at:]))
                break
            row[column], row["status"] = now, stage
            now += datetime.timedelta(hours=source.expovariate(1 / 100))
        records.append(row)
    return records


def test_lead_times_by_hand() -> None:
    found = lean.lead_times(RECORDS, percentiles=(50, 85))
    rows = {row.pop("stage"): row for row in found.to_arrow().to_pylist()}
    assert list(rows) == [*STAGES[:-1], "Suggested to Implemented"]
    # From Suggested: 1, 2, 2 (the skipped stages have no date) and 1 day.
    assert rows["Suggested"] == {"left": 4, "staying": 0, "mean": 1.5, "p50": 1.5, "p85": 2.0}
    assert rows["Planned"] == {"left": 3, "staying": 0, "mean": 2.0, "p50": 2.0, "p85": 2.0}
    assert rows["InProgress"] == {"left": 1, "staying": 1, "mean": 4.0, "p50": 4.0, "p85": 4.0}
    assert rows["Evaluated"] == {"left": 0, "staying": 0, "mean": None, "p50": None, "p85": None}
    # 7 and 2 days; the archived one was never implemented.
    assert rows["Suggested to Implemented"]["left"] == found.finished == 2
    assert rows["Suggested to Implemented"]["staying"] == 1
    assert [found.median, found.p85] == pytest.approx([4.5, 2 + 0.85 * 5])


def test_percentiles_are_those_of_scipy() -> None:
    records = plant(400)
    wanted = (0, 5, 50, 85, 95, 99.5, 100)
    found = lean.lead_times(records, percentiles=wanted)
    for row, days in zip(found.to_arrow().to_pylist(), found.durations):
        assert len(days) == row["left"] > 20
        for percentile in wanted:
            assert row[f"p{percentile:g}"] == pytest.approx(stats.scoreatpercentile(days, percentile))
        assert row["mean"] == pytest.approx(stats.tmean(days))
    frame = pd.DataFrame(records)
    whole = (frame["implementedDate"] - frame["suggestionDate"]).dropna().dt.total_seconds() / 86400
    assert found.finished == len(whole)
    assert found.median == pytest.approx(whole.median())
    assert found.p85 == pytest.approx(whole.quantile(0.85))


def test_days_have_24_hours_whatever_the_clocks_do() -> None:
    # In Oslo 29 March 2026 has 23 hours. The last column has no zone and is thus UTC: 10:00 there is 12:00 in
    # Oslo.
    oslo = ZoneInfo("Europe/Oslo")
    frame = {
        "suggestionDate": [datetime.datetime(2026, 3, 28, 12, tzinfo=oslo)],
        "plannedDate": [datetime.datetime(2026, 3, 29, 12, tzinfo=oslo)],
        "implementedDate": [datetime.datetime(2026, 3, 30, 10)],
    }
    stages = {stage: column for stage, column in lean.STAGES.items() if column in frame}
    found = lean.lead_times(frame, stages=stages, status=None)
    assert found.durations == ((23 / 24,), (1.0,), (47 / 24,))
    assert (found.median, found.p85) == (47 / 24, 47 / 24)


def test_durations_are_in_the_order_of_the_frame_and_quantiles_in_their_own() -> None:
    records = [record(at, "Implemented", 1, None, None, 1 + days) for at, days in enumerate((9, 1, 4, 0, 2))]
    found = lean.lead_times(records, percentiles=(25, 75))
    assert found.durations[-1] == (9, 1, 4, 0, 2)
    # Sorted 0, 1, 2, 4, 9: the second and the fourth.
    assert found.to_arrow()["p25"].to_pylist()[-1] == 1 and found.to_arrow()["p75"].to_pylist()[-1] == 4
    # The 50th and 85th are had in any case: the third, and 0.4 of the way from the fourth to the fifth.
    assert found.median == 2
    assert found.p85 == pytest.approx(4 + 0.4 * 5)


def test_stages_may_be_entered_at_one_moment() -> None:
    # Who implements without a plan sets both in one go.
    found = lean.lead_times([record(1, "Implemented", 1, 2, 2, 2)])
    assert found.to_arrow().column_names == ["stage", "left", "staying", "mean", "p50", "p85", "p95"]
    assert found.to_arrow()["mean"].to_pylist() == [1, 0, 0, None, None, 1]
    flow = lean.cumulative_flow([record(1, "Implemented", 1, 2, 2, 2)], first="2026-03-02", last="2026-03-02")
    assert flow.to_arrow()["in_stage"].to_pylist() == [0, 0, 0, 1, 0, 0]
    assert flow.to_arrow()["entered"].to_pylist() == [0, 1, 1, 1, 0, 0]


def test_other_stages_are_named() -> None:
    stages = {"Reported": "reportedDate", "Resolved": "resolvedDate"}
    frame = {"reportedDate": [moment(1), moment(2)], "resolvedDate": [moment(1, 12), None]}
    found = lean.lead_times(frame, stages=stages, start="Reported", end="Resolved", status=None)
    assert (found.finished, found.median) == (1, 0.5)
    assert found.to_arrow()["staying"].to_pylist() == [1, 1]


def test_cumulative_flow_by_hand() -> None:
    flow = lean.cumulative_flow(RECORDS)
    assert (flow.first, flow.last, flow.arrived, flow.undated) == (moment(1).date(), moment(8).date(), 4, 1)
    table = flow.to_pandas().pivot(index="day", columns="stage", values="in_stage")[STAGES]
    assert table.to_numpy().tolist() == [
        [2, 0, 0, 0, 0, 0],
        [2, 1, 0, 0, 0, 0],
        [2, 2, 0, 0, 0, 0],
        [0, 2, 1, 1, 0, 0],
        [0, 1, 2, 1, 0, 0],
        [0, 0, 2, 1, 0, 1],
        [0, 0, 2, 1, 0, 1],
        [0, 0, 1, 2, 0, 1],
    ]
    entered = flow.to_pandas().pivot(index="day", columns="stage", values="entered")[STAGES].sum().tolist()
    assert entered == [4, 3, 2, 2, 0, 1]


def test_a_part_of_the_time_begins_with_what_is_there() -> None:
    flow = lean.cumulative_flow(RECORDS, first="2026-03-04", last="2026-03-05")
    assert flow.to_arrow()["in_stage"].to_pylist() == [0, 2, 1, 1, 0, 0, 0, 1, 2, 1, 0, 0]
    assert flow.to_arrow()["entered"].to_pylist() == [0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0]


def test_cumulative_flow_is_what_pandas_counts() -> None:
    records = plant(150)
    flow = lean.cumulative_flow(records, tz="Europe/Oslo").to_pandas()
    frame = pd.DataFrame(records)
    days = {stage: frame[column].dt.tz_convert("Europe/Oslo").dt.date for stage, column in lean.STAGES.items()}
    for day in flow["day"].unique()[::7]:
        # The furthest stage that has come.
        now = pd.Series(None, index=frame.index, dtype=object)
        for stage, date in days.items():
            now[date.notna() & (date <= day)] = stage
        counts = now.value_counts()
        mine = flow[flow["day"] == day].set_index("stage")["in_stage"]
        assert {stage: int(mine[stage]) for stage in STAGES} == {stage: int(counts.get(stage, 0)) for stage in STAGES}


IMPOSSIBLE = {
    "implemented before it was suggested": (
        record(7, "Implemented", 5, None, None, 2),
        "the record 7 is Implemented on 2026-03-02T00:00:00+00:00, before it is Suggested on 2026-03-05T00:00:00+00:00",
    ),
    "the first day of the calendar": (
        {**record(8, "Planned", 1, 2), "suggestionDate": datetime.datetime(1, 1, 1, tzinfo=UTC)},
        "the record 8 is Suggested on 0001-01-01T00:00:00+00:00, outside of the years 1900 to 2199",
    ),
    "the last year before": (
        {**record(9, "Planned", 1, 2), "suggestionDate": datetime.datetime(1899, 12, 31, 23, 59, 59, tzinfo=UTC)},
        "the record 9 is Suggested on 1899-12-31T23:59:59+00:00, outside of the years 1900 to 2199",
    ),
}


@pytest.mark.parametrize("kind", IMPOSSIBLE)
def test_a_record_with_impossible_dates_is_left_out_and_the_others_are_not(kind: str) -> None:
    wrong, why = IMPOSSIBLE[kind]
    records = [*RECORDS[:2], wrong, *RECORDS[2:]]
    times, all_of_them = lean.lead_times(records), lean.lead_times(RECORDS)
    assert times.to_arrow() == all_of_them.to_arrow()
    assert (times.left_out, all_of_them.left_out) == ((why,), ())
    assert repr(times) == f"{repr(all_of_them)[:-1]}, 1 record with impossible dates left out>"
    flow, whole = lean.cumulative_flow(records), lean.cumulative_flow(RECORDS)
    assert flow.to_arrow() == whole.to_arrow()
    assert (flow.left_out, whole.left_out, flow.undated) == ((why,), (), 1)
    assert repr(flow) == f"{repr(whole)[:-1]}, 1 record with impossible dates left out>"
    # Of no other there is anything to show: not even beside a record without a date.
    for compute in (lean.lead_times, lean.cumulative_flow):
        with pytest.raises(ValueError, match=re.escape(why)):
            compute([wrong, {**wrong, "id": 99}, RECORDS[5]])
    without_key = [{name: value for name, value in one.items() if name != "id"} for one in records]
    assert lean.lead_times(without_key).left_out[0].startswith("row 2 is ")


def test_one_record_of_many_that_cannot_be_spoils_nothing() -> None:
    records = plant(400)
    bad = record(4711, "Implemented", 300, None, None, 2)
    times, whole = lean.lead_times([*records[:200], bad, *records[201:]]), lean.lead_times(records[:200] + records[201:])
    assert times.to_arrow() == whole.to_arrow()
    assert times.left_out == (
        "the record 4711 is Implemented on 2026-03-02T00:00:00+00:00, before it is Suggested on 2026-12-25T00:00:00+00:00",
    )
    text = {**bad, "suggestionDate": "soon"}
    why = "the record 4711 has the suggestionDate 'soon', which is no day or moment of ISO 8601"
    for compute in (lean.lead_times, lean.cumulative_flow):
        found, others = compute([*records[:200], text, *records[201:]]), compute(records[:200] + records[201:])
        assert (found.to_arrow(), found.left_out) == (others.to_arrow(), (why,))


SAME_DAY: list[tuple[Any, Any, str, float | None]] = [
    # Suggested, implemented, the time zone, days; None if it cannot be.
    ("2026-03-05T14:00:00Z", "2026-03-05", "UTC", 0),
    ("2026-03-05T14:00:00Z", "2026-03-05T00:00:00Z", "UTC", 0),
    ("2026-03-05", "2026-03-05", "UTC", 0),
    ("2026-03-05", "2026-03-05T12:00:00Z", "UTC", 0.5),
    ("2026-03-05", "2026-03-07", "UTC", 2),
    ("2026-03-05T14:00:00Z", "2026-03-04", "UTC", None),
    ("2026-03-05", "2026-03-04T23:59:59Z", "UTC", None),
    ("2026-03-05T14:00:01Z", "2026-03-05T14:00:00Z", "UTC", None),
    # Two in the morning of 6 March in UTC is the evening before in New York.
    ("2026-03-06T02:00:00Z", "2026-03-05", "America/New_York", 0),
    ("2026-03-06T02:00:00Z", "2026-03-05", "UTC", None),
]


@pytest.mark.parametrize(("suggested", "implemented", "tz", "days"), SAME_DAY)
def test_a_day_without_a_time_is_in_any_order_with_the_rest_of_it(
    suggested: str, implemented: str, tz: str, days: float | None
) -> None:
    columns = {"suggestionDate": "Suggested", "implementedDate": "Implemented"}
    stages = {stage: column for column, stage in columns.items()}
    both = {"id": 1, "suggestionDate": suggested, "implementedDate": implemented}
    beside = {"id": 2, "suggestionDate": "2026-03-01T00:00:00Z", "implementedDate": "2026-03-01T00:00:00Z"}
    found = lean.lead_times([both, beside], stages=stages, status=None, tz=tz)
    assert found.durations[-1] == ((0,) if days is None else (days, 0))
    assert len(found.left_out) == (days is None)
    flow = lean.cumulative_flow([both, beside], stages=stages, status=None, tz=tz)
    assert flow.arrived == (1 if days is None else 2)
    if tz != "UTC":
        # A day is that day in each time zone, and no part of the one before.
        entered = [row["day"] for row in flow.to_arrow().to_pylist() if row["entered"] and row["day"].day > 1]
        assert entered == [datetime.date(2026, 3, 5)] * 2


def test_a_day_between_two_moments_does_not_hide_their_order() -> None:
    # Each is in order with the day alone, and the two are not with each other.
    one = {"id": 1, "a": "2026-03-05T10:00:00Z", "b": "2026-03-05", "c": "2026-03-05T08:00:00Z"}
    stages = {"A": "a", "B": "b", "C": "c"}
    found = lean.lead_times([one, {**one, "id": 2, "c": "2026-03-05T10:30:00Z"}], stages=stages, start="A", end="C", status=None)
    assert found.left_out == ("the record 1 is C on 2026-03-05T08:00:00+00:00, before it is A on 2026-03-05T10:00:00+00:00",)
    assert found.durations[-1] == (0.5 / 24,)


def test_a_date_that_never_comes_is_no_lead_time() -> None:
    never = {**record(7, "Implemented", 1, 2, 3), "implementedDate": datetime.datetime(9999, 12, 31, tzinfo=UTC)}
    times = lean.lead_times([*RECORDS, never])
    assert times.to_arrow() == lean.lead_times(RECORDS).to_arrow()
    assert times.left_out == ("the record 7 is Implemented on 9999-12-31T00:00:00+00:00, outside of the years 1900 to 2199",)
    # On each day until then it is in progress.
    flow = lean.cumulative_flow([*RECORDS, never], last="2026-03-08")
    assert flow.left_out == ()
    assert flow.to_arrow()["in_stage"].to_pylist()[-6:] == [0, 0, 2, 2, 0, 1]
    for year, left_out in ((2199, 0), (2200, 1)):
        late = {**never, "implementedDate": datetime.datetime(year, 12, 31, tzinfo=UTC)}
        assert len(lean.lead_times([*RECORDS, late]).left_out) == left_out


@pytest.mark.parametrize("known", [True, False])
def test_a_moment_before_the_first_year_is_impossible(known: bool) -> None:
    # In the time zone where it was written it is the first day of the calendar, in UTC that before.
    texts = [
        {name: one.isoformat() if isinstance(one, datetime.datetime) else one for name, one in row.items()}
        for row in RECORDS
    ]
    early = {**texts[1], "id": 8, "suggestionDate": "0001-01-01T00:00:00+05:00"}
    records = [*texts[:2], early, *texts[2:]] if known else [early]
    why = "the record 8 is Suggested on 0000-12-31T19:00:00+00:00, outside of the years 1900 to 2199"
    for compute in (lean.lead_times, lean.cumulative_flow):
        if known:
            found, others = compute(records), compute(texts)
            assert found.left_out == (why,)
            assert found.to_arrow() == others.to_arrow()
        else:
            with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
                compute(records)


def test_a_moment_after_the_last_year_never_comes() -> None:
    micros = pa.array([None, 253402318799000000], pa.int64()).cast(pa.timestamp("us", "UTC"))
    dates = {column: [moment(1), moment(1)] if column == "suggestionDate" else [None, None] for column in COLUMNS}
    frame = {"id": [1, 2], "status": ["Suggested"] * 2, **dates, "archivedDate": micros}
    flow = lean.cumulative_flow(frame)
    assert (flow.last, flow.arrived, flow.left_out) == (moment(1).date(), 2, ())
    why = "the record 2 is Archived on 10000-01-01T04:59:59+00:00, outside of the years 1900 to 2199"
    assert lean.lead_times(frame).left_out == (why,)


def never(*, year: int = 9999) -> dict[str, Any]:
    """Suggested and planned; the last stage has the date that systems write where there is none."""
    return {**record(7, "Planned", 1, 2), "archivedDate": datetime.datetime(year, 12, 31, tzinfo=UTC)}


def test_a_flow_ends_with_the_last_date_that_comes() -> None:
    flow = lean.cumulative_flow([*RECORDS, never()])
    assert (flow.first, flow.last, len(flow)) == (moment(1).date(), moment(8).date(), 8 * 6)
    assert flow.to_arrow()["in_stage"].to_pylist()[-6:] == [0, 1, 1, 2, 0, 1]
    assert (flow.arrived, flow.undated, flow.left_out) == (5, 1, ())
    # Not even on the last day of all does it come.
    days = datetime.date(9999, 12, 30), datetime.date.max
    flow = lean.cumulative_flow([*RECORDS, never()], first=days[0], last=days[1])
    assert flow.to_arrow()["entered"].to_pylist() == [0] * 12
    # A date of 2199 is one. It comes when the caller says how far to look.
    flow = lean.cumulative_flow([*RECORDS, never(year=2199)], first="2199-12-30", last="2199-12-31")
    assert flow.to_arrow()["entered"].to_pylist() == [0] * 11 + [1]


def test_a_flow_of_nothing_but_never_needs_days() -> None:
    alone = {**never(), "suggestionDate": None, "plannedDate": None}
    message = "^none of the 1 records has a date up to the year 2199; name the days to show: `first` and `last`$"
    partial: list[dict[str, Any]] = [{}, {"first": "2026-03-01"}, {"last": "2026-03-01"}]
    for days in partial:
        with pytest.raises(ValueError, match=message):
            lean.cumulative_flow([alone], **days)
    flow = lean.cumulative_flow([alone], first="2026-03-01", last="2026-03-02")
    assert (flow.to_arrow()["in_stage"].to_pylist(), flow.arrived) == ([0] * 12, 0)


def test_a_flow_of_more_than_a_hundred_years_is_asked_for() -> None:
    # From 2026-03-01, 36525 days end with 2126-03-01, as 2100 is no leap year.
    longest = [{**record(1, "Planned", 1), "plannedDate": datetime.datetime(2126, 3, 1, tzinfo=UTC)}]
    assert len(lean.cumulative_flow(longest)) == 36525 * 6
    longer = [{**record(1, "Planned", 1), "plannedDate": datetime.datetime(2126, 3, 2, tzinfo=UTC)}]
    message = "^the days from 2026-03-01 to 2126-03-02 are more than 100 years; name those to show: `first` and `last`$"
    partial: list[dict[str, Any]] = [{}, {"first": "2026-03-01"}, {"last": "2126-03-02"}]
    for days in partial:
        with pytest.raises(ValueError, match=message):
            lean.cumulative_flow(longer, **days)
    assert lean.cumulative_flow(longer, first="2026-03-01", last="2126-03-02").last == datetime.date(2126, 3, 2)


def test_what_cannot_be_shown_is_said() -> None:
    backwards = [record(7, "Planned", 5, 2)]
    message = r"the record 7 is Planned on 2026-03-02T00:00:00\+00:00, before it is Suggested on 2026-03-05"
    with pytest.raises(ValueError, match=message):
        lean.lead_times(backwards)
    with pytest.raises(ValueError, match=message):
        lean.cumulative_flow(backwards)
    with pytest.raises(ValueError, match="none of the 1 records has a date in any of the columns suggestionDate"):
        lean.cumulative_flow([RECORDS[5]])
    with pytest.raises(ValueError, match="the last day, 2026-03-01, is before the first, 2026-03-04"):
        lean.cumulative_flow(RECORDS, first="2026-03-04", last="2026-03-01")
    with pytest.raises(ValueError, match="^no stage 'Done'; the stages are Suggested"):
        lean.lead_times(RECORDS, end="Done")
    for start, end in (("Implemented", "Suggested"), ("Planned", "Planned")):
        with pytest.raises(ValueError, match=f"^the way from {start} to {end} goes back; the stages are, in their order, S"):
            lean.lead_times(RECORDS, start=start, end=end)
    for percentile in (-0.5, 100.5):
        with pytest.raises(ValueError, match=f"^expected percentiles from 0 to 100; found {percentile}$"):
            lean.lead_times(RECORDS, percentiles=[50, percentile])
    with pytest.raises(ValueError, match="no column 'plannedDate'.* The argument `stages` takes another name$"):
        lean.lead_times({"suggestionDate": [moment(1)], "status": ["Suggested"]})
    with pytest.raises(ValueError, match="no column 'status'.* The argument `status` takes another name$"):
        lean.lead_times(dict.fromkeys(COLUMNS, [moment(1)]))
    nothing = lean.lead_times([RECORDS[1]])
    assert (nothing.median, nothing.p85, nothing.finished) == (None, None, 0)
    assert repr(nothing) == "<obeya.lean.LeadTimes: Suggested to Implemented: none finished>"
