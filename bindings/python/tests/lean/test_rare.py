"""g and t charts against qicharts2's reference of Montgomery's example, scipy's geometric distribution, and statprocon."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from typing import Any

import published
import pytest
from obeya import lean
from scipy import stats
from statprocon.charts.xmr.base import Base as Statprocon

DAYS = [(after - before).days for before, after in zip(published.BENNEYAN_INFECTIONS, published.BENNEYAN_INFECTIONS[1:])]
EVENTS = {"incidentDate": published.BENNEYAN_INFECTIONS}


def valve(**arguments: Any) -> lean.RareEvents:
    frame = {"hours": published.MONTGOMERY_VALVE}
    found = lean.t_chart(frame, date=None, between="hours", unit="hours", **arguments)
    assert isinstance(found, lean.RareEvents)
    return found


def test_the_t_chart_of_montgomery_s_valve() -> None:
    chart = valve()
    assert chart.centre == pytest.approx(430.04095178975825)
    # The reference takes 3 / 1.128 where we take 2.66.
    centre, upper = (value ** (1 / 3.6) for value in (chart.centre, chart.upper))
    assert (centre + (upper - centre) * 3 / 1.128 / 2.66) ** 3.6 == pytest.approx(6937.933488166575)
    assert chart.upper == pytest.approx(6937.93, rel=1e-3)
    assert chart.lower is None
    assert chart.signals == 0


def test_a_t_chart_is_statprocon_s_xmr_chart_of_the_transformed_times() -> None:
    straight = [hours ** (1 / 3.6) for hours in published.MONTGOMERY_VALVE]
    oracle = Statprocon(straight)
    chart = valve()
    assert chart.centre ** (1 / 3.6) == pytest.approx(float(oracle.x_central_line()[0]), abs=0.001)
    assert chart.upper ** (1 / 3.6) == pytest.approx(float(oracle.upper_natural_process_limit()[0]), abs=0.003)


def test_rules_of_a_t_chart_are_those_of_the_transformed_times() -> None:
    # Regular times have a lower limit too; some come much too soon, and some too late.
    hours = [50.0, 60, 55, 65, 52, 58, 61, 54, 57, 63, 56, 59, 1, 400, 90, 95, 58, 25]
    straight = [time ** (1 / 3.6) for time in hours]
    oracle = Statprocon(straight, subset_end_index=12)
    chart = lean.t_chart({"hours": hours}, date=None, between="hours", unit="hours", baseline=12, rules="nelson")
    assert chart.lower == pytest.approx(float(oracle.lower_natural_process_limit()[0]) ** 3.6, rel=0.01)
    rules = chart.to_arrow()["rules"].to_pylist()
    beyond = [at for at, ids in enumerate(rules) if "N1" in ids]
    assert beyond == [at for at, hit in enumerate(oracle.rule_1_x_indices_beyond_limits()) if hit] == [12, 13, 14, 15, 17]
    as_xmr = lean.xmr({"y": straight}, value="y", date=None, baseline=12, rules=lean.NELSON)
    assert rules == as_xmr.to_arrow()["rules"].to_pylist()
    even = lean.t_chart({"hours": [7.0] * 20}, date=None, between="hours", unit="hours", rules="nelson")
    assert (even.lower, even.centre, even.upper) == pytest.approx((7, 7, 7))
    assert even.signals == 0


def test_the_g_chart_of_benneyan_s_infections() -> None:
    assert DAYS[:6] == [0, 0, 2, 1, 13, 2], "as SAS lists them"
    chart = lean.g_chart(EVENTS)
    assert chart.to_arrow()["value"].to_pylist() == DAYS
    mean = sum(DAYS) / len(DAYS)
    assert chart.centre == pytest.approx(mean)
    # Three standard deviations of the geometric distribution that begins at 0.
    deviation = stats.geom(1 / (1 + mean), loc=-1).std()
    assert chart.upper == pytest.approx(mean + 3 * deviation)
    assert chart.lower is None
    assert mean - 3 * deviation < 0
    beyond = [days for days, rules in zip(DAYS, chart.to_arrow()["rules"].to_pylist()) if "N1" in rules]
    assert beyond == [13, 16]


@pytest.mark.parametrize("mean", [0.4, 2.3, 40.0, 900.0, 5000.0])
def test_probability_limits_are_the_quantiles_of_scipy(mean: float) -> None:
    # Two values with the mean that is wanted, in tenths.
    counts = [round(mean * 10)] + [0] * 9
    chart = lean.g_chart({"cases": counts}, date=None, between="cases", limits="probability")
    assert chart.centre == pytest.approx(mean)
    distribution = stats.geom(1 / (1 + mean), loc=-1)
    assert chart.upper == distribution.ppf(1 - 0.00135)
    assert (chart.lower or 0) == distribution.ppf(0.00135)
    assert (chart.lower is None) == (mean < 700)


def test_a_count_on_a_limit_is_within() -> None:
    counts = [3000, 0, 2000, 1000, 1500, 900, 800, 2500, 1100, 1200]
    chart = lean.g_chart({"cases": counts}, date=None, between="cases", limits="probability")
    assert chart.lower is not None
    edges = [int(chart.upper), int(chart.upper) + 1, int(chart.lower), int(chart.lower) - 1]
    again = lean.g_chart({"cases": [*counts, *edges]}, date=None, between="cases", limits="probability", baseline=10)
    assert (again.lower, again.upper) == (chart.lower, chart.upper)
    beyond = [bool(rules) for rules in again.to_arrow()["rules"].to_pylist()]
    assert beyond == [False, True, *[False] * 8, False, True, False, True]


def test_a_chart_names_its_unit_and_has_dates_if_there_are_any() -> None:
    assert lean.g_chart(EVENTS).unit == "days"
    cases = lean.g_chart({"cases": [1, 2, 3, 4, 5]}, date=None, between="cases")
    assert cases.unit == "cases"
    assert lean.g_chart({"cases": [1, 2, 3, 4, 5]}, date=None, between="cases", unit="patients").unit == "patients"
    names = ["date", "value", "phase", "centre", "median", "lower", "upper", "rules"]
    assert lean.g_chart(EVENTS).to_arrow().column_names == names
    assert cases.to_arrow().column_names == valve().to_arrow().column_names == names[1:]


def test_runs_in_a_g_chart_are_about_the_median() -> None:
    # Of a skewed series most points are below the mean; below the median there are eight in a row at the end.
    counts = [9, 2, 8, 1, 30, 3, 60, 2, 9, 8, 40, 3, 9, 1, 8, 2, 1, 1, 0, 2, 1, 0, 1, 1]
    chart = lean.g_chart({"cases": counts}, date=None, between="cases")
    rules = chart.to_arrow()["rules"].to_pylist()
    assert chart.median == 2
    assert [at for at, ids in enumerate(rules) if "W4" in ids] == []
    worse = lean.g_chart({"cases": [*counts, 1, 0, 1, 0, 1]}, date=None, between="cases", baseline=24)
    hits = [at for at, ids in enumerate(worse.to_arrow()["rules"].to_pylist()) if "W4" in ids]
    # The 2 in position 19 lies on the median and ends a run: eight follow from 20 on.
    assert hits == [27, 28]


def test_moments_belong_to_the_day_of_the_time_zone() -> None:
    late = datetime.datetime(2026, 3, 1, 23, 30, tzinfo=datetime.timezone.utc)
    moments = [late + datetime.timedelta(days=3 * at, hours=at % 2) for at in range(8)]
    utc = lean.g_chart({"incidentDate": moments}).to_arrow()["value"].to_pylist()
    oslo = lean.g_chart({"incidentDate": moments}, tz="Europe/Oslo").to_arrow()["value"].to_pylist()
    assert utc == [4, 2, 4, 2, 4, 2, 4]
    assert oslo == [3] * 7


def test_times_between_moments_are_exact() -> None:
    start = datetime.datetime(2026, 3, 1, tzinfo=datetime.timezone.utc)
    hours = [1.5, 30, 2, 12.25, 7, 50]
    moments = [start]
    for gap in hours:
        moments.append(moments[-1] + datetime.timedelta(hours=gap))
    chart = lean.t_chart({"reportedDate": moments[::-1]}, unit="hours")
    assert chart.to_arrow()["value"].to_pylist() == hours
    assert chart.to_arrow()["date"].to_pylist() == moments[1:]
    days = lean.t_chart({"reportedDate": moments}).to_arrow()["value"].to_pylist()
    assert days == pytest.approx([gap / 24 for gap in hours])


def test_phases_have_limits_of_their_own() -> None:
    counts = [1, 2, 1, 2, 3, 20, 30, 20, 30, 40]
    chart = lean.g_chart({"n": counts, "p": ["a"] * 5 + ["b"] * 5}, date=None, between="n", phases="p")
    assert chart.to_arrow()["centre"].to_pylist() == [1.8] * 5 + [28.0] * 5
    assert chart.upper == pytest.approx(28 + 3 * math.sqrt(28 * 29))
    # An interval is of the phase in which it ends.
    days = [datetime.date(2026, 1, 1 + 2 * at) for at in range(12)]
    found = lean.g_chart({"incidentDate": days, "p": [None] * 6 + ["b"] * 6}, phases="p").to_arrow()
    assert found["phase"].to_pylist() == [""] * 5 + ["b"] * 6
    assert found["date"].to_pylist()[5].date() == days[6]


@pytest.mark.parametrize("compute", [lean.g_chart, lean.t_chart])
def test_no_events_are_a_chart_without_intervals(compute: Callable[..., lean.RareEvents]) -> None:
    for found in (compute({"n": []}, date=None, between="n"), compute({"day": []}, date="day")):
        assert (len(found), found.signals, found.lower) == (0, 0, None)
        assert math.isnan(found.centre) and math.isnan(found.upper)
        assert ": 0 intervals in " in repr(found)
    with pytest.raises(ValueError, match="^an interval needs two events; the frame has 1$"):
        compute({"day": ["2026-03-01"]}, date="day")


def test_an_event_that_cannot_be_used_is_left_out_by_name() -> None:
    events = [*published.BENNEYAN_INFECTIONS, None]
    chart = lean.g_chart({"incidentDate": events})
    assert chart.to_arrow() == lean.g_chart(EVENTS).to_arrow()
    assert chart.left_out == ("row 29 has no incidentDate",)
    assert repr(chart).endswith(", 1 record left out>")
    counted = lean.g_chart({"n": [3, 1, 1.5, -1, 2, 3, 4]}, date=None, between="n")
    assert counted.to_arrow()["value"].to_pylist() == [3, 1, 2, 3, 4]
    assert [why[:5] for why in counted.left_out] == ["row 2", "row 3"]
    # Records with a day only: the second of a day has no time before it, the next has that since the first.
    days = [datetime.date(2026, 3, day) for day in (1, 3, 3, 8, 9, 12, 20)]
    times = lean.t_chart({"reportedDate": days})
    assert times.to_arrow()["value"].to_pylist() == [2, 5, 1, 3, 8]
    assert times.left_out == ("row 2 is at 2026-03-03T00:00:00+00:00, as the event before: no time is between them",)
    hours = lean.t_chart({"h": [1.0, 2, 0, 3, 4, 5]}, date=None, between="h", unit="h")
    assert (len(hours), hours.left_out) == (5, ("row 2 has the h 0, which is not above zero",))


def test_what_cannot_be_charted_is_said() -> None:
    moment = datetime.datetime(2026, 3, 1)
    with pytest.raises(ValueError, match=r"^an interval needs two events; the frame has 1 that can be used; left out: row 1 is at 2026"):
        lean.t_chart({"reportedDate": [moment] * 7})
    with pytest.raises(ValueError, match="all events of the series are 0 apart"):
        lean.g_chart({"incidentDate": [moment.date()] * 7})
    with pytest.raises(ValueError, match="the series has 4 points, of which at least 5"):
        lean.g_chart({"incidentDate": published.BENNEYAN_INFECTIONS[:5]})
    with pytest.raises(ValueError, match="the series has 4 points, of which at least 5"):
        lean.t_chart({"hours": [1, 2, 3, 4]}, date=None, between="hours", unit="hours")
    with pytest.raises(ValueError, match="a moving range needs 2 values: expected a minimum of at least 2, found 1"):
        lean.t_chart({"hours": [1]}, date=None, between="hours", unit="hours", minimum=1)
    with pytest.raises(ValueError, match="an interval needs two events; the frame has 1"):
        lean.g_chart({"incidentDate": published.BENNEYAN_INFECTIONS[:1]})
    with pytest.raises(ValueError, match="4 points, .* left out: row 1 has the n 1.5, which is no whole number from 0$"):
        lean.g_chart({"n": [1, 1.5, 2, 3, 4]}, date=None, between="n")
    with pytest.raises(ValueError, match="the rules N5, N7 count in sigma"):
        lean.g_chart(EVENTS, rules=["N1", "N5", "N7"])
    with pytest.raises(ValueError, match="expected the unit days or hours; found 'weeks'"):
        lean.t_chart({"reportedDate": [moment]}, unit="weeks")
    with pytest.raises(ValueError, match="no time zone 'Oslo'"):
        lean.g_chart(EVENTS, tz="Oslo")
