"""Run rules against pyqicharts (all of Nelson's), pycontrolcharts and statprocon, on published and on random series."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Sequence

import published
import pytest
from obeya import lean
from obeya.lean import _rules
from pycontrolcharts import CustomLimits, RunTestConfig, run_tests_with_custom_limits
from pyqicharts.nelson import nelson_rule_signals
from statprocon.charts.xmr.base import Base as Statprocon

PUBLISHED: list[Sequence[float]] = [
    published.WHEELER_VERIFYING,
    published.WHEELER_MEDIAN,
    published.WHEELER_ACCOUNTS,
    published.NIST_FLOW,
    published.MONTGOMERY_LOANS,
    published.QCC_VISCOSITY,
]


def shaken(seed: int) -> list[float]:
    """A series that wanders, swings, rests and jumps, so that every rule has something to find."""
    source = random.Random(seed)
    series: list[float] = []
    level = 0.0
    while len(series) < 120:
        kind = source.choice(["walk", "swing", "rest", "noise", "drift"])
        for at in range(source.randint(6, 20)):
            level = {"walk": level * 0.9 + source.gauss(0, 0.8), "drift": level * 0.5 + 0.4}.get(kind, 0.0)
            step = {"swing": 1.6 * (-1) ** at, "rest": source.gauss(0, 0.3), "drift": 0.1 * at}.get(kind, source.gauss(0, 1.2))
            # No point on the edge of a zone: there the others draw the line differently.
            series.append(round(level + step, 2) + 0.001)
    return series


def found(values: list[float], centre: float, sigma: float, rule: str) -> list[int]:
    hits = _rules.hits(values, centre, sigma, _rules.chosen([rule]))
    return [at for at, ids in enumerate(hits) if ids]


@functools.cache
def series() -> list[tuple[list[float], float, float]]:
    """Values with a centre line and a sigma."""
    charts = [lean.xmr({"value": [float(value) for value in values]}, date=None) for values in PUBLISHED]
    limits = [(chart.centre, (chart.upper - chart.centre) / 3) for chart in charts]
    given = [([float(v) for v in values], *limit) for values, limit in zip(PUBLISHED, limits, strict=True)]
    return [*given, *((shaken(seed), 0.0, 1.0) for seed in range(60))]


@functools.cache
def completed_windows() -> list[dict[str, list[int]]]:
    """For each series where pyqicharts sees the windows of each rule end."""
    ends: list[dict[str, list[int]]] = []
    for values, centre, sigma in series():
        signals = nelson_rule_signals(values, centre, sigma)
        ends.append({rule: sorted({end - 1 for end in part["end_point"]}) for rule, part in signals.groupby("rule_id")})
    return ends


@pytest.mark.parametrize("number", range(1, 9))
def test_nelson_s_rules_hit_where_pyqicharts_completes_its_windows(number: int) -> None:
    rule, windows = f"N{number}", {"N5": (3, 2), "N6": (5, 1)}
    hits = 0
    for (values, centre, sigma), completed in zip(series(), completed_windows(), strict=True):
        theirs = completed.get(rule, [])
        mine = found(values, centre, sigma, rule)
        if rule in windows:
            # Its windows may end with a point that is not in the zone itself, and it needs a window in full
            # at the beginning.
            length, zone = windows[rule]
            theirs = [at for at in theirs if abs(values[at] - centre) > zone * sigma and _side(values, at, centre, sigma, rule)]
            mine = [at for at in mine if at >= length - 1]
        assert mine == theirs
        hits += len(mine)
    assert hits > 20, "the series must have something to find"


def _side(values: list[float], at: int, centre: float, sigma: float, rule: str) -> bool:
    """Whether the zone that the point is in is the one that has enough."""
    length, needed, zone = {"N5": (3, 2, 2), "N6": (5, 4, 1)}[rule]
    sign = math.copysign(1, values[at] - centre)
    window = values[at - length + 1 : at + 1]
    return sum(sign * (value - centre) > zone * sigma for value in window) >= needed


@pytest.mark.parametrize(("rule", "types", "length"), [("N1", {1, 2}, 1), ("N2", {3, 4}, 9), ("W4", {3, 4}, 8)])
def test_runs_are_those_of_pycontrolcharts(rule: str, types: set[int], length: int) -> None:
    hits = 0
    for values, centre, sigma in series():
        limits = CustomLimits(center_line=centre, ucl=centre + 3 * sigma, lcl=centre - 3 * sigma)
        config = RunTestConfig(test1=rule == "N1", test2=rule in {"N2", "W4"}, test3=False, test2_n=length)
        marked = run_tests_with_custom_limits(values, limits=limits, run_tests=config)["violations"]
        # It marks all points of a run; ours are those from which on the run is long enough.
        theirs: set[int] = set()
        for kind in types:
            where = [any(mark["type"] == kind for mark in marks) for marks in marked]
            theirs |= {at for at in range(length - 1, len(values)) if all(where[at - length + 1 : at + 1])}
        assert set(found(values, centre, sigma, rule)) == theirs
        hits += len(theirs)
    assert hits > 20


def test_eight_on_a_side_as_statprocon_has_it() -> None:
    # Wheeler, Making Sense of Data, table 8.1: percentage of seniors who smoke daily.
    values = [21.3, 20.2, 20.9, 21.0, 18.8, 19.6, 18.7, 18.6, 18.1, 18.9, 19.2, 18.2, 17.3, 19.0]
    run = [at for at, hit in enumerate(Statprocon(values).rule_2_runs_about_central_line()) if hit]
    assert run == list(range(6, 14))
    chart = lean.xmr({"value": values}, date=None, rules=["W4"])
    assert [at for at, ids in enumerate(chart.to_arrow()["rules"].to_pylist()) if ids] == [13]


@pytest.mark.parametrize(
    ("rule", "values", "hits"),
    [
        ("N1", [0, 3, 3.01, -3, -3.01], [2, 4]),
        ("N2", [1] * 8 + [0] + [-1] * 10, [17, 18]),
        ("N3", [0, 1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1], [5, 6, 12]),
        ("N4", [0, 1] * 7 + [0, 0], [13, 14]),
        ("N5", [2.1, 2.1, 0, 2.1, 0, 0, -2.1, 2.1, -2.1], [1, 3, 8]),
        ("N6", [1.1, 1.1, 1.1, 1.1, 0, 1.1, -1.1, 1.1], [3, 5]),
        ("N5", [2, 2, 2, -2, -2, -2], []),
        ("N6", [1] * 6 + [-1] * 6, []),
        ("N8", [1, -1.1] * 8, []),
        ("N8", [1.1, -1] * 8, []),
        ("N7", [2] + [0.5] * 15 + [-1, 1.1], [15, 16]),
        ("N8", [2, -2] * 3 + [2, 2, 0] + [2] * 8, [7]),
        ("W4", [1] * 7 + [0] + [1] * 8, [15]),
    ],
)
def test_each_rule_by_hand(rule: str, values: list[float], hits: list[int]) -> None:
    assert found(values, 0, 1, rule) == hits


@pytest.mark.parametrize(("western", "nelson"), [("W1", "N1"), ("W2", "N5"), ("W3", "N6")])
def test_both_sets_share_three_rules(western: str, nelson: str) -> None:
    for values, centre, sigma in series():
        assert found(values, centre, sigma, western) == found(values, centre, sigma, nelson)


def test_a_pattern_does_not_reach_across_phases() -> None:
    names = ["a"] * 10 + ["b"] * 10
    level = [1.0, 3] * 5 + [5.0] * 5 + [9.0] * 5
    joined = lean.xmr({"value": level, "p": names}, date=None, rules=["W4"])
    split = lean.xmr({"value": level, "p": names}, date=None, rules=["W4"], phases="p")
    assert (joined.signals, split.signals) == (6, 0)


def test_rules_are_named() -> None:
    assert [rule.id for rule in lean.NELSON] == [f"N{number}" for number in range(1, 9)]
    assert [rule.id for rule in lean.WESTERN_ELECTRIC] == ["W1", "W2", "W3", "W4"]
    assert all(rule.name and rule.says for rule in (*lean.NELSON, *lean.WESTERN_ELECTRIC))
    assert _rules.chosen("western-electric") == lean.WESTERN_ELECTRIC
    assert lean.MOVING_RANGE.id == "R1" and lean.MOVING_RANGE.name
    # Only a chart of moving ranges has it.
    for rule in ("R1", lean.MOVING_RANGE):
        with pytest.raises(ValueError, match="no rule 'R1'; expected nelson, western-electric, or ids among N1, N2"):
            lean.t_chart({"hours": [1.0, 2, 3, 4, 5]}, date=None, between="hours", rules=[rule])
    assert _rules.chosen([lean.NELSON[2], "W4"]) == (lean.NELSON[2], lean.WESTERN_ELECTRIC[3])
