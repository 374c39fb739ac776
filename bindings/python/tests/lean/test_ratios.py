"""Evaluation ratios against scipy and Newcombe's table, return on investment by hand."""

from __future__ import annotations

import published
import pytest
from obeya import lean
from scipy import stats


def evaluated(good: int, of: int, missing: int = 0) -> dict[str, list[str | None]]:
    words: list[str | None] = ["Good"] * good
    words += ["Medium", "Bad"] * of
    return {"evaluationStatus": words[:of] + [None] * missing}


@pytest.mark.parametrize(("good", "of", "lower", "upper"), published.NEWCOMBE)
def test_intervals_are_those_of_newcombe(good: int, of: int, lower: float, upper: float) -> None:
    found = lean.evaluation_ratio(evaluated(good, of))
    assert found.lower is not None and found.upper is not None
    assert (round(found.lower, 4), round(found.upper, 4)) == (lower, upper)
    assert found.ratio == good / of


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.999])
@pytest.mark.parametrize(("good", "of"), [(0, 1), (1, 1), (1, 2), (3, 7), (0, 40), (40, 40), (399, 1000)])
def test_intervals_are_those_of_scipy(good: int, of: int, confidence: float) -> None:
    found = lean.evaluation_ratio(evaluated(good, of, missing=3), confidence=confidence)
    oracle = stats.binomtest(good, of).proportion_ci(confidence, method="wilson")
    assert [found.lower, found.upper] == pytest.approx([oracle.low, oracle.high], abs=1e-15)
    assert (found.good, found.evaluated) == (good, of)
    assert found.to_arrow()["unevaluated"].to_pylist() == [3]


def test_groups_have_intervals_of_their_own() -> None:
    frame = {"evaluationStatus": ["Good", "Bad", None, "Good", None], "category": ["b", "b", "b", "a", None]}
    found = lean.evaluation_ratio(frame, by="category")
    rows = found.to_arrow().to_pylist()
    assert [(row["group"], row["good"], row["evaluated"], row["ratio"]) for row in rows] == [
        ("a", 1, 1, 1.0),
        ("b", 1, 2, 0.5),
        (None, 0, 0, None),
    ]
    assert (rows[2]["lower"], rows[2]["upper"]) == (None, None)
    assert found.ratio == 2 / 3


def test_the_words_of_v2_count_too() -> None:
    assert lean.evaluation_ratio({"evaluationStatus": ["Smile", "Meh", "Frown"]}).good == 1
    assert lean.evaluation_ratio({"evaluationStatus": ["Medium", "Good"]}, good=["Good", "Medium"]).ratio == 1
    found = lean.evaluation_ratio({"evaluationStatus": ["Good", "Great", "Bad"], "id": [4, 5, 6]})
    assert (found.good, found.evaluated) == (1, 2)
    expected = "expected one of Good, Medium, Bad, Smile, Meh, Frown (argument `words`)"
    assert found.left_out == (f"the record 5 has the evaluationStatus 'Great'; {expected}",)
    with pytest.raises(ValueError, match="^no record of 1 can be used: row 0 has the evaluationStatus 'Great'; expected one of Good"):
        lean.evaluation_ratio({"evaluationStatus": ["Great"]})
    with pytest.raises(ValueError, match="'good' counts as good and is none of the words there may be: Good, Medium"):
        lean.evaluation_ratio({"evaluationStatus": ["Good"]}, good=["Smile", "good"])
    for confidence in (0, 1, 95):
        with pytest.raises(ValueError, match=f"confidence between 0 and 1; found {confidence}$"):
            lean.evaluation_ratio({"evaluationStatus": ["Good"]}, confidence=confidence)


def test_nothing_evaluated_has_no_ratio() -> None:
    found = lean.evaluation_ratio({"evaluationStatus": [None, None]})
    assert (found.ratio, found.lower, found.upper) == (None, None, None)
    assert repr(found) == "<obeya.lean.EvaluationRatio: nothing evaluated>"


INVESTMENTS = {
    "costOfInvestment": [1000.0, 500, None, 0, 200],
    "gainOfInvestment": [3000.0, 250, 900, 100, None],
    "costOfInvestmentHours": [10.0, None, 4, None, None],
    "gainOfInvestmentHours": [0.0, 5, None, None, 2],
    "category": ["a", "a", "a", "b", "b"],
}


def test_the_return_is_that_of_the_sums() -> None:
    found = lean.roi(INVESTMENTS, by="category")
    rows = found.to_arrow().to_pylist()
    assert rows[0] == {"group": "a", "counted": 2, "incomplete": 1, "cost": 1500, "gain": 3250, "net": 1750, "roi": 1750 / 1500}
    # Nothing was spent on what counts: there is a gain and no ratio.
    assert rows[1] == {"group": "b", "counted": 1, "incomplete": 1, "cost": 0, "gain": 100, "net": 100, "roi": None}
    assert (found.cost, found.gain, found.net, found.roi, found.incomplete) == (1500, 3350, 1850, 1850 / 1500, 2)


def test_hours_count_at_their_rate() -> None:
    found = lean.roi(INVESTMENTS, hour_rate=100)
    # Costs 2000, 500, 400, 0, 200; gains 3000, 750, 900, 100, 200.
    assert (found.cost, found.gain, found.roi, found.incomplete) == (3100, 4950, 1850 / 3100, 0)
    assert lean.roi(INVESTMENTS, hour_rate=0).cost == 1700


def test_estimates_are_other_columns() -> None:
    frame = {"estimatedCostOfInvestment": [100], "estimatedGainOfInvestment": [50]}
    found = lean.roi(frame, cost="estimatedCostOfInvestment", gain="estimatedGainOfInvestment")
    assert found.roi == -0.5


def test_what_cannot_be_computed_is_said() -> None:
    found = lean.roi({"costOfInvestment": [1, -5], "gainOfInvestment": [3, 1]})
    assert (found.cost, found.gain, found.incomplete, found.left_out) == (1, 3, 0, ("row 1 has a negative cost, -5",))
    named = lean.roi({"id": [70, 71], "costOfInvestment": [1, "?"], "gainOfInvestment": [1, 1]})
    assert (named.cost, named.left_out) == (1, ("the record 71 has the costOfInvestment '?'",))
    with pytest.raises(ValueError, match="^no record of 1 can be used: row 0 has a negative cost, -5$"):
        lean.roi({"costOfInvestment": [-5], "gainOfInvestment": [1]})
    with pytest.raises(ValueError, match="rate per hour that is not negative"):
        lean.roi(INVESTMENTS, hour_rate=-1)
    with pytest.raises(ValueError, match="no column 'gainOfInvestment'"):
        lean.roi({"costOfInvestment": [1]})
