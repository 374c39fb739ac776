"""Limits of XmR charts against Wheeler's and Montgomery's books, the NIST handbook, statprocon and pycontrolcharts."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd
import published
import pyarrow as pa
import pytest
from obeya import lean
from pycontrolcharts import calc_xmr
from statprocon.charts.xmr.base import Base as Statprocon

DATA: dict[str, Sequence[float]] = {
    "verifying": published.WHEELER_VERIFYING,
    "median": published.WHEELER_MEDIAN,
    "accounts": published.WHEELER_ACCOUNTS,
    "flow": published.NIST_FLOW,
    "loans": published.MONTGOMERY_LOANS,
    "viscosity": published.QCC_VISCOSITY,
}


def chart(values: Sequence[float], **arguments: Any) -> lean.XmR:
    found = lean.xmr({"value": [float(value) for value in values]}, date=None, **arguments)
    assert isinstance(found, lean.XmR)
    return found


def test_the_data_that_wheeler_gives_to_verify_software_with() -> None:
    found = chart(published.WHEELER_VERIFYING)
    assert found.centre == 4135.5
    assert round(found.range_centre, 2) == 355.93
    assert (round(found.lower, 2), round(found.upper, 2)) == (3188.72, 5082.28)
    # This book takes 3.268, which is D4 before it was computed more exactly.
    assert round(found.range_upper / 3.267 * 3.268, 2) == 1163.19
    ranges = [None, 695, 0, 375, 315, 140, 55, 200, 305, 55, 280, 115, 460, 385, 222, 1737]
    assert found.to_arrow()["range"].to_pylist() == ranges
    assert found.to_arrow()["range_beyond"].to_pylist() == [False] * 15 + [True]
    names = ["value", "phase", "centre", "lower", "upper", "rules", "range", "range_centre", "range_upper", "range_beyond"]
    assert found.to_arrow().column_names == names


STEP = [10, 11, 10, 11, 10, 9, 8, 13, 12, 11, 10, 11]
"""All ranges are 1 but one of 5. Their mean is 15 / 11 and their limit 3.267 times that, 4.455. The mean of the values is
10.5, and their limits are 2.66 * 15 / 11 = 3.627 from it: 6.87 and 14.13. No value is beyond, and no run rule hits."""


@pytest.mark.parametrize("rules", ["nelson", "western-electric", ["R1"], ["N1", lean.MOVING_RANGE]])
def test_a_moving_range_beyond_its_limit_is_a_signal(rules: str | list[str | lean.Rule]) -> None:
    found = chart(STEP, rules=rules)
    assert found.range_upper == pytest.approx(3.267 * 15 / 11)
    assert found.signals == 1
    assert [at for at, hit in enumerate(found.to_arrow()["rules"].to_pylist()) if hit] == [7]
    assert found.to_arrow()["rules"].to_pylist()[7] == ["R1"]
    assert repr(found).endswith(", 1 signal>")
    # Only the named rules apply.
    assert chart(STEP, rules=["N1", "N2"]).signals == 0
    # A step of 4 is within the limit: (10 + 4) / 11 * 3.267 is 4.158.
    assert chart([10, 11, 10, 11, 10, 9, 8, 12, 11, 10, 11, 10]).signals == 0


def test_a_value_and_its_moving_range_are_one_signal() -> None:
    found = chart(published.WHEELER_VERIFYING)
    assert found.to_arrow()["rules"].to_pylist()[-1] == ["N1", "R1"]
    assert sum(found.to_arrow()["range_beyond"].to_pylist()) == 1
    assert found.signals == sum(bool(rules) for rules in found.to_arrow()["rules"].to_pylist())


def test_the_flow_rates_of_nist() -> None:
    found = chart(published.NIST_FLOW)
    assert (round(found.centre, 2), round(found.range_centre, 4)) == (50.81, 1.8778)
    scale = 3 / 1.128 / 2.66
    assert round(found.centre + (found.upper - found.centre) * scale, 4) == 55.8041
    assert round(found.centre - (found.centre - found.lower) * scale, 4) == 45.8159


def test_a_baseline_as_in_montgomery() -> None:
    found = chart(published.MONTGOMERY_LOANS, baseline=20, rules=["N1"])
    assert (found.centre, round(found.range_centre, 2)) == (300.5, 7.79)
    assert (round(found.lower, 2), round(found.upper, 2)) == (279.78, 321.22)
    assert round(found.range_upper, 2) == 25.45
    hits = [at + 1 for at, rules in enumerate(found.to_arrow()["rules"].to_pylist()) if rules]
    assert hits == [39, 40]
    assert found.signals == 2


def test_the_median_range_as_in_wheeler() -> None:
    found = chart(published.WHEELER_MEDIAN, ranges="median")
    assert round(found.centre, 2) == 7.47
    assert found.range_centre == pytest.approx(2.1)
    assert found.lower == pytest.approx(0.87, abs=0.01)
    assert found.upper == pytest.approx(14.07, abs=0.005)
    assert round(found.range_upper, 2) == 8.12


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("ranges", ["mean", "median"])
def test_limits_are_those_of_statprocon(name: str, ranges: str) -> None:
    oracle = Statprocon(DATA[name], moving_range_uses="average" if ranges == "mean" else "median")
    found = chart(DATA[name], ranges=ranges)
    # It rounds to one decimal more than its input has.
    near = 0.006 * max(1, abs(found.upper) / 1000)
    assert found.centre == pytest.approx(float(oracle.x_central_line()[0]), abs=near)
    assert found.lower == pytest.approx(float(oracle.lower_natural_process_limit()[0]), abs=near)
    assert found.upper == pytest.approx(float(oracle.upper_natural_process_limit()[0]), abs=near)
    assert found.range_centre == pytest.approx(float(oracle.mr_central_line()[0]), abs=near)
    assert found.range_upper == pytest.approx(float(oracle.upper_range_limit()[0]), rel=0.001, abs=0.006)
    beyond = [bool(rules) for rules in chart(DATA[name], ranges=ranges, rules=["N1"]).to_arrow()["rules"].to_pylist()]
    assert beyond == oracle.rule_1_x_indices_beyond_limits()
    assert found.to_arrow()["range_beyond"].to_pylist() == oracle.rule_1_mr_indices_beyond_limits()


@pytest.mark.parametrize("name", DATA)
def test_a_floor_ends_the_lower_limit_where_statprocon_leaves_it_out(name: str) -> None:
    floor = float(min(DATA[name]))
    free, found = chart(DATA[name]), chart(DATA[name], floor=floor)
    kept = Statprocon(DATA[name], limit_floor=floor).is_lnpl_above_floor()  # type: ignore[no-untyped-call]
    assert found.lower == (free.lower if kept else floor)
    assert (found.centre, found.upper, found.range_upper) == (free.centre, free.upper, free.range_upper)
    assert found.to_arrow()["rules"] == free.to_arrow()["rules"]
    turned = chart([-value for value in DATA[name]], ceiling=-floor)
    assert (turned.upper, turned.lower) == pytest.approx((-found.lower, -found.upper))


def test_a_value_that_cannot_be_is_left_out_by_name() -> None:
    found = chart([3, 2, -1, 4, 5, 6], floor=0)
    assert (len(found), found.left_out) == (5, ("row 2 has the value -1, below the floor of 0",))
    days = [f"2026-01-0{day}" for day in range(1, 7)]
    found = lean.xmr({"value": [90, 95, 99, 101, 98, 97], "valueDate": days}, ceiling=100)
    assert (len(found), found.left_out) == (5, ("row 3 has the value 101, above the ceiling of 100",))
    with pytest.raises(ValueError, match="^no record of 2 can be used: row 0 has the value -1, below the floor of 0; and 1 more$"):
        chart([-1, -2], floor=0, minimum=2)


def test_there_is_no_range_across_a_value_that_is_left_out() -> None:
    """As pandas has it: a difference to a missing value is missing, and the mean of the others counts."""
    values = [10.0, 12, None, 30, 11, 13, None, None, 12, 14, 10]
    series = pd.Series(values)
    ranges = series.diff().abs()
    for frame in ({"value": values}, {"value": pa.array(values)}):
        found = lean.xmr(frame, date=None)
        assert found.centre == pytest.approx(series.mean())
        assert found.range_centre == pytest.approx(ranges.mean())
        assert found.upper == pytest.approx(series.mean() + 2.66 * ranges.mean())
        kept = ranges[series.notna()]
        assert found.to_arrow()["range"].to_pylist() == [None if pd.isna(value) else value for value in kept]
        assert found.left_out == ("row 2 has no value", "row 6 has no value", "row 7 has no value")
    # A value without a place leaves no gap, one with a date leaves it there.
    days: list[str | None] = [f"2026-01-{day:02}" for day in (9, 1, 2, 3, 4, 5)]
    odd = lean.xmr({"value": [None, 1, 2, 4, 7, 8], "valueDate": [None, *days[1:]]})
    assert odd.to_arrow()["range"].to_pylist() == [None, 1, 2, 3, 1]
    placed = lean.xmr({"value": [None, 1, 2, 4, 7, 8], "valueDate": ["2026-01-02T12:00:00Z", *days[1:]]})
    assert placed.to_arrow()["range"].to_pylist() == [None, 1, None, 3, 1]
    with pytest.raises(ValueError, match="no two values of the series are neighbours: between each two a value is left out"):
        lean.xmr({"value": [1.0, None] * 5}, date=None)
    with pytest.raises(ValueError, match="the mean range of the series is 0, though its values differ"):
        lean.xmr({"value": [1.0, 1, 1, None, 2, 2, 2]}, date=None)


def test_phases_are_those_of_pycontrolcharts() -> None:
    names = ["one"] * 12 + ["two"] * 12
    oracle = calc_xmr(published.WHEELER_ACCOUNTS, phase=names)
    found = lean.xmr({"value": published.WHEELER_ACCOUNTS, "year": names}, date=None, phases="year").to_pandas()
    # It takes d2 and D4 with more digits.
    for mine, theirs in (("centre", "center_line"), ("lower", "lcl"), ("upper", "ucl")):
        assert found[mine].tolist() == pytest.approx(oracle[theirs].tolist(), rel=1e-4)
    assert found["range_centre"].tolist() == pytest.approx(oracle["variation_cl"].tolist())
    assert found["range_upper"].tolist() == pytest.approx(oracle["variation_ucl"].tolist(), rel=4e-4)
    assert found["range"].isna().tolist() == oracle["variation"].isna().tolist() == [at % 12 == 0 for at in range(24)]
    assert found["phase"].tolist() == names


def test_phases_begin_at_moments_too() -> None:
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=at) for at in range(12)]
    values = [1.0, 2, 1, 2, 1, 2, 11, 13, 11, 13, 11, 13]
    found = lean.xmr({"value": values, "valueDate": days}, phases=["2026-01-07"])
    assert [(phase.name, phase.points, phase.centre) for phase in found.phases] == [("1", 6, 1.5), ("2", 6, 12.0)]
    assert (found.centre, found.range_centre) == (12.0, 2.0)
    whole = lean.xmr({"value": values, "valueDate": days}, phases=[datetime.date(2025, 1, 1)])
    assert [phase.name for phase in whole.phases] == ["2"]


def test_points_are_put_in_order_and_equal_moments_keep_theirs() -> None:
    days = ["2026-01-03", "2026-01-01", "2026-01-02", "2026-01-02", "2026-01-04", "2026-01-05"]
    found = lean.xmr({"value": [3.0, 1, 2, 2.5, 4, 5], "valueDate": days})
    assert found.to_arrow()["value"].to_pylist() == [1, 2, 2.5, 3, 4, 5]


def test_equal_values_have_limits_and_no_signals() -> None:
    # Ten times 0.1 sum to less than 1, so a mean that is computed would be beyond the limits.
    found = chart([0.1] * 20, rules="western-electric")
    assert (found.lower, found.centre, found.upper, found.range_upper) == (0.1, 0.1, 0.1, 0)
    assert found.signals == 0
    assert chart([7] * 20, rules=lean.NELSON).signals == 0


def test_a_flat_baseline_that_breaks_is_a_signal() -> None:
    # All limits of six equal values are their value: 9 is beyond them, and the steps to it and back are
    # beyond 0.
    after = chart([5] * 6 + [9, 5], baseline=6)
    assert (after.lower, after.centre, after.upper, after.range_upper) == (5, 5, 5, 0)
    assert after.to_arrow()["rules"].to_pylist() == [[]] * 6 + [["N1", "R1"], ["R1"]]
    assert (after.signals, after.to_arrow()["range_beyond"].to_pylist()) == (2, [False] * 6 + [True] * 2)
    assert chart([5] * 6 + [1, 1], baseline=6, rules="western-electric").to_arrow()["rules"].to_pylist()[6:] == [
        ["W1", "R1"],
        ["W1", "W2"],
    ]
    # A shift stays one: nine of it are a run. Fifteen and more that are equal are no sign of too little
    # noise.
    shift = chart([0] * 20 + [-2] * 9, baseline=20).to_arrow()["rules"].to_pylist()
    assert shift[:20] == [[]] * 20
    assert shift[20] == ["N1", "R1"] and "N2" in shift[28] and "N2" not in shift[27]
    # Statprocon has the same limits, and the same points beyond them.
    oracle = Statprocon([5] * 6 + [9, 5], subset_end_index=5)
    assert [bool(hit) for hit in oracle.rule_1_x_indices_beyond_limits()] == [False] * 6 + [True, False]
    assert [bool(hit) for hit in oracle.rule_1_mr_indices_beyond_limits()] == [False] * 6 + [True, True]
    times = lean.t_chart({"h": [7.0] * 6 + [8.0, 7.0]}, date=None, between="h", unit="h", baseline=6)
    assert times.to_arrow()["rules"].to_pylist() == [[]] * 6 + [["N1"], []]
    # Six events on one day, the next after four days: with a mean of 0 the limit is 0.
    both: list[Literal["sigma", "probability"]] = ["sigma", "probability"]
    for limits in both:
        days = lean.g_chart({"n": [0] * 6 + [4]}, date=None, between="n", baseline=6, limits=limits)
        assert (days.centre, days.upper, days.to_arrow()["rules"].to_pylist()[-1]) == (0, 0, ["N1"])


def test_differences_of_rounding_are_no_signals() -> None:
    # Weekly means of readings that are all 0.1: their last bits depend on how many there are.
    means = [sum([0.1] * many) / many for many in (1, 2, 3, 5, 6, 7, 9, 3, 1, 10)]
    assert len(set(means)) > 1
    for baseline in (None, 6):
        found = chart(means, baseline=baseline)
        assert (found.signals, found.lower, found.upper) == (0, 0.1, 0.1)
    assert chart([*means, 0.1001], baseline=10).signals == 1


def test_a_median_range_of_nothing_gives_no_limits() -> None:
    # Of 15 ranges 13 are 0, so all limits would be the mean, 125 / 16, and every point beyond them.
    values = [5] * 12 + [50, 5, 5, 5]
    with pytest.raises(ValueError, match="the median range of the series is 0, though its values differ: use ranges='mean'"):
        chart(values, ranges="median")
    assert chart(values).range_centre == 90 / 15
    assert chart([5] * 12, ranges="median").range_centre == 0
    # Points of the baseline count.
    found = chart(values, ranges="median", baseline=12)
    assert (found.upper, found.signals) == (5, 2)


@pytest.mark.parametrize("phases", [None, "p", ["2026-01-01"]])
def test_no_points_are_a_chart_without_any(phases: str | list[str] | None) -> None:
    frame: dict[str, list[float]] = {"value": [], "valueDate": [], "p": []}
    found = lean.xmr(frame, phases=phases)
    assert (len(found), found.phases, found.signals) == (0, (), 0)
    assert math.isnan(found.centre) and math.isnan(found.upper)
    assert repr(found) == "<obeya.lean.XmR: 0 points>"
    some = lean.xmr({"value": [1.0] * 5, "valueDate": ["2026-01-01"] * 5, "p": ["a"] * 5}, phases=phases)
    assert found.to_arrow().schema == some.to_arrow().schema


def test_what_cannot_be_charted_is_said() -> None:
    with pytest.raises(ValueError, match=r"the series has 4 points, of which at least 5 are needed"):
        chart([1, 2, 3, 4])
    assert len(chart([1, 2, 3, 4], minimum=2)) == 4
    with pytest.raises(ValueError, match="phase 'b' has 1 points"):
        lean.xmr({"value": [1, 2, 3, 4, 5, 6], "p": ["a"] * 5 + ["b"]}, date=None, phases="p")
    with pytest.raises(ValueError, match="4 points, of which at least 5 .*; left out: row 1 has no value; row 2 has no value$"):
        lean.xmr({"value": [1, None, float("nan"), 2, 3, 4]}, date=None)
    with pytest.raises(ValueError, match="2 points, .*; left out: row 1 has the value an infinite number$"):
        lean.xmr({"value": [1, float("inf"), 3]}, date=None)
    with pytest.raises(ValueError, match="no column 'valueDate'; the columns are: value"):
        lean.xmr({"value": [1, 2, 3, 4, 5]})
    with pytest.raises(ValueError, match="column 'value' holds string such as '1', not numbers"):
        lean.xmr({"value": ["1", "2", "3", "4", "5"]}, date=None)
    with pytest.raises(ValueError, match="expected 5 to 10"):
        chart(published.NIST_FLOW, baseline=11)
    with pytest.raises(ValueError, match="phases by moment need the column of dates"):
        chart(published.NIST_FLOW, phases=["2026-01-01"])
    with pytest.raises(ValueError, match="no rule 'N9'"):
        chart(published.NIST_FLOW, rules=["N9"])
    with pytest.raises(ValueError, match="at least 2"):
        chart(published.NIST_FLOW, minimum=1)
