"""PICK charts by hand."""

from __future__ import annotations

import pytest
from obeya import lean

IDEAS = [
    {"title": "Shadow board", "priorityStatus": "LowEffortHighEffect", "hours": 4, "gain": 9000.0},
    {"title": "New press", "priorityStatus": "HighEffortHighEffect", "hours": 400, "gain": 90000.0},
    {"title": "Paint the door", "priorityStatus": "LowEffortLowEffect", "hours": 8, "gain": 0.0},
    {"title": "Move the wall", "priorityStatus": "HighEffortLowEffect", "hours": 40, "gain": 4999.99},
    {"title": "Something", "priorityStatus": "NotPrioritized", "hours": None, "gain": 5000.0},
    {"title": None, "priorityStatus": "LowEffortHighEffect", "hours": 39.5, "gain": 5000.0},
]


def test_the_judgement_of_people() -> None:
    chart = lean.pick(IDEAS)
    assert chart.to_arrow()["quadrant"].to_pylist() == ["Implement", "Challenge", "Possible", "Kick", None, "Implement"]
    assert chart.counts == {"Possible": 1, "Implement": 2, "Challenge": 1, "Kick": 1}
    assert chart.unplaced == 1
    assert repr(chart) == "<obeya.lean.Pick: Possible 1, Implement 2, Challenge 1, Kick 1, 1 not placed>"


def test_thresholds_are_high_already() -> None:
    chart = lean.pick(IDEAS, effort="hours", effect="gain", effort_from=40, effect_from=5000)
    assert chart.to_arrow()["quadrant"].to_pylist() == ["Implement", "Challenge", "Possible", "Kick", None, "Implement"]
    assert chart.thresholds == (40, 5000)


def test_axes_have_units() -> None:
    ideas = {"title": ["a"], "estimatedCostOfInvestmentHours": [1.0], "estimatedGainOfInvestment": [2.0]}
    chart = lean.pick(
        ideas,
        effort="estimatedCostOfInvestmentHours",
        effect="estimatedGainOfInvestment",
        effort_from=1,
        effect_from=3,
        unit="NOK",
    )
    assert chart.axes == ("estimatedCostOfInvestmentHours (hours)", "estimatedGainOfInvestment (NOK)")
    assert chart.counts["Kick"] == 1


def test_what_cannot_be_placed_is_said() -> None:
    found = lean.pick({"title": ["a", "b"], "priorityStatus": ["LowEffortLowEffect", "Urgent"]})
    why = "row 1 has the priorityStatus 'Urgent'; expected NotPrioritized or one of LowEffortLowEffect, "
    assert found.left_out[0].startswith(why) and len(found.left_out) == 1
    assert (found.to_arrow()["title"].to_pylist(), found.counts["Possible"], found.unplaced) == (["a"], 1, 0)
    with pytest.raises(ValueError, match=f"^no record of 1 can be used: {why.replace('1', '0', 1)}"):
        lean.pick({"title": ["b"], "priorityStatus": ["Urgent"]})
    numbers = [*IDEAS, {"title": "Odd", "hours": "many", "gain": 1.0}]
    odd = lean.pick(numbers, effort="hours", effect="gain", effort_from=40, effect_from=5000)
    assert (odd.left_out, len(odd), odd.unplaced) == (("row 6 has the hours 'many'",), 6, 1)
    for some in ({"effort": "hours"}, {"effort": "hours", "effect": "gain", "effort_from": 1}, {"effect_from": 1}):
        with pytest.raises(ValueError, match="numbers need all four"):
            lean.pick(IDEAS, **some)
