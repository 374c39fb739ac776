"""Pareto charts against qcc's example and polars."""

from __future__ import annotations

import datetime
import random
from typing import Any

import polars as pl
import published
import pyarrow as pa
import pytest
from obeya import lean

DEFECTS = [name for name, count in published.QCC_DEFECTS.items() for _ in range(count)]


def test_the_example_of_qcc() -> None:
    chart = lean.pareto({"defect": DEFECTS}, by="defect")
    frame = chart.to_arrow().to_pydict()
    assert frame["category"] == ["contact num.", "price code", "supplier code", "part num.", "schedule date"]
    assert frame["amount"] == [94, 80, 66, 33, 27]
    assert [round(share * 100, 5) for share in frame["share"]] == [31.33333, 26.66667, 22, 11, 9]
    assert [round(share * 100, 5) for share in frame["cumulative"]] == [31.33333, 58, 80, 91, 100]
    assert chart.vital == ("contact num.", "price code", "supplier code")
    assert chart.total == 300


def test_weights_are_summed_as_polars_sums_them() -> None:
    source = random.Random(5)
    frame = pl.DataFrame(
        {
            "incidentType": [source.choice("abcdefgh") for _ in range(500)],
            "minutes": [source.expovariate(1 / 30) for _ in range(500)],
        }
    )
    oracle = frame.group_by("incidentType").agg(pl.sum("minutes")).sort("minutes", descending=True)
    found = lean.pareto(frame, weight="minutes").to_polars()
    assert found["category"].to_list() == oracle["incidentType"].to_list()
    assert found["amount"].to_list() == pytest.approx(oracle["minutes"].to_list())
    shares = (oracle["minutes"].cum_sum() / oracle["minutes"].sum()).to_list()
    assert found["cumulative"].to_list() == pytest.approx(shares)


def test_every_entry_of_a_list_counts() -> None:
    incidents: list[dict[str, Any]] = [
        {
            "causes": [{"id": 1, "title": "Wear"}, {"id": 2, "title": "Misuse"}],
            "consequences": [{"title": "Downtime", "amount": 90.0}],
        },
        {
            "causes": [{"id": 1, "title": "Wear"}],
            "consequences": [{"title": "Downtime", "amount": 10.0}, {"title": "Scrap", "amount": 7.0}],
        },
        {"causes": [], "consequences": []},
    ]
    causes = lean.pareto(incidents, by="causes")
    assert causes.to_arrow().to_pydict()["category"] == ["Wear", "Misuse"]
    assert causes.to_arrow().to_pydict()["amount"] == [2, 1]
    assert (causes.total, causes.empty) == (3, 1)
    assert repr(causes) == "<obeya.lean.Pareto: 2 categories, total 3 count, 2 of them are 80% or more, 1 row without>"
    missing = pa.table({"causes": pa.array([None, [], ["Wear"]], pa.list_(pa.string()))})
    assert lean.pareto(missing, by="causes").empty == 2
    assert lean.pareto({"causes": [None, "Wear"]}, by="causes").empty == 0
    assert lean.pareto(incidents, by="causes.id").to_arrow().to_pydict()["category"] == ["1", "2"]
    amounts = lean.pareto(incidents, by="consequences", weight="consequences.amount", unit="min")
    assert amounts.to_arrow().to_pydict()["amount"] == [100, 7]
    assert amounts.amount == "consequences.amount (min)"
    # A weight of the row is split among its entries: 2 hours and half of 1 hour, and the other half.
    weighted = lean.pareto([{**incident, "hours": at + 1} for at, incident in enumerate(incidents)], by="causes", weight="hours")
    assert weighted.to_arrow().to_pydict()["category"] == ["Wear", "Misuse"]
    assert weighted.to_arrow().to_pydict()["amount"] == [2.5, 0.5]
    assert lean.pareto(pl.DataFrame(incidents), by="causes").total == 3
    with pytest.raises(ValueError, match="'consequences.amount' is a field of other lists than 'causes'"):
        lean.pareto(incidents, by="causes", weight="consequences.amount")
    with pytest.raises(ValueError, match="no field 'name' in column 'causes'; it has: id, title"):
        lean.pareto(incidents, by="causes.name")


def test_a_weight_of_the_row_counts_once_however_many_entries_it_has() -> None:
    # 600 and 100 NOK with one cause, 900 with three: 600 + 300, 300, 300 + 100. 40 have no cause.
    costs = {"cost": [600, 900, 100, 40], "causes": [["Wear"], ["Wear", "Misuse", "Dirt"], ["Dirt"], []]}
    chart = lean.pareto(costs, by="causes", weight="cost", unit="NOK")
    assert chart.to_arrow().to_pydict()["category"] == ["Wear", "Dirt", "Misuse"]
    assert chart.to_arrow().to_pydict()["amount"] == [900, 400, 300]
    assert (chart.total, chart.empty) == (600 + 900 + 100, 1)
    assert chart.amount == "cost (NOK), split evenly among causes"
    assert chart.plot().get_ylabel() == chart.amount
    # Counted, an incident is one of each.
    assert lean.pareto(costs, by="causes").to_arrow().to_pydict()["amount"] == [2, 2, 1]
    # Without anything to split, no message is expected.
    single = {"cost": [600, 900], "causes": [["Wear"], ["Dirt"]]}
    assert lean.pareto(single, by="causes", weight="cost", unit="NOK").amount == "cost (NOK)"


CONSEQUENCES = [
    {"title": "Downtime", "amount": 90.0, "unit": "min"},
    {"title": "Repair", "amount": 7000.0, "unit": "NOK"},
    {"title": "Scrap", "amount": 3000.0, "unit": "NOK"},
    {"title": "Downtime", "amount": 10.0, "unit": "min"},
    {"title": "Repair", "amount": 500.0, "unit": "NOK"},
]


@pytest.mark.parametrize("lists", [True, False])
def test_amounts_of_different_units_are_not_summed(lists: bool) -> None:
    data: Any = [{"consequences": CONSEQUENCES[:3]}, {"consequences": CONSEQUENCES[3:]}] if lists else CONSEQUENCES
    by, weight = ("consequences", "consequences.amount") if lists else ("title", "amount")
    says = f"the amounts of '{weight}' are in NOK, min, which have no common sum: choose one .argument `unit`.$"
    for category in (by, "consequences.unit" if lists else "unit"):
        with pytest.raises(ValueError, match=says):
            lean.pareto(data, by=category, weight=weight)
    with pytest.raises(ValueError, match=f"{says[:-1]}; found 'EUR'$"):
        lean.pareto(data, by=by, weight=weight, unit="EUR")
    money = lean.pareto(data, by=by, weight=weight, unit="NOK")
    assert money.to_arrow().to_pydict()["category"] == ["Repair", "Scrap"]
    assert money.to_arrow().to_pydict()["amount"] == [7500, 3000]
    assert (money.total, money.amount) == (10500, f"{weight} (NOK)")
    time = lean.pareto(data, by=by, weight=weight, unit="min")
    assert (time.to_arrow().to_pydict()["amount"], time.empty) == ([100], 0)


def test_the_only_unit_names_itself_and_no_unit_is_one_too() -> None:
    money = [one for one in CONSEQUENCES if one["unit"] == "NOK"]
    assert lean.pareto(money, by="title", weight="amount").amount == "amount (NOK)"
    # A row whose consequences are all of another unit has none of this one.
    rows = [{"consequences": money}, {"consequences": CONSEQUENCES[:1]}]
    assert lean.pareto(rows, by="consequences", weight="consequences.amount", unit="NOK").empty == 1
    nameless = [*money, {"title": "Repair", "amount": 1.0, "unit": None}]
    with pytest.raises(ValueError, match="the amounts of 'amount' are in NOK, no unit, which"):
        lean.pareto(nameless, by="title", weight="amount")
    assert lean.pareto(nameless, by="title", weight="amount", unit="NOK").total == 10500
    assert lean.pareto([{**one, "unit": None} for one in money], by="title", weight="amount", unit="kr").amount == "amount (kr)"
    # Elsewhere a column of that name may be anything, such as a part of the organisation.
    assert lean.pareto([{**one, "hours": 1} for one in CONSEQUENCES], by="unit", weight="hours").total == 5


def test_ties_are_by_name_and_the_nameless_come_after_them() -> None:
    chart = lean.pareto({"incidentType": ["b", None, "a", "c", "c"]})
    assert chart.to_arrow().to_pydict()["category"] == ["c", "a", "b", None]
    assert chart.vital == ("c", "a", "b")


def test_the_rest_is_one_category_at_the_end() -> None:
    chart = lean.pareto({"defect": [*DEFECTS, *["x", "y", "z"] * 9]}, by="defect", top=4)
    assert chart.to_arrow().to_pydict()["category"] == ["contact num.", "price code", "supplier code", "part num.", "(other)"]
    assert chart.to_arrow().to_pydict()["amount"][-1] == 54
    assert chart.to_arrow().to_pydict()["cumulative"][-1] == 1
    few = lean.pareto({"defect": DEFECTS}, by="defect", top=1).to_arrow().to_pydict()
    assert few["amount"] == [94, 206]
    assert "(other)" not in lean.pareto({"defect": DEFECTS}, by="defect", top=5).to_arrow().to_pydict()["category"]


def test_what_is_folded_does_not_change_who_the_vital_few_are() -> None:
    # Of 20 equal ones it takes 16 to reach 80 percent, and those that are shown are no more vital than
    # before.
    chart = lean.pareto({"incidentType": [f"{number:02}" for number in range(20)]}, top=3)
    assert chart.to_arrow()["category"].to_pylist() == ["00", "01", "02", "(other)"]
    assert chart.to_arrow()["cumulative"].to_pylist() == [0.05, 0.1, 0.15, 1.0]
    assert chart.vital == tuple(f"{number:02}" for number in range(16))
    assert (chart.categories, chart.folded) == (20, 17)
    assert repr(chart) == "<obeya.lean.Pareto: 20 categories, total 20 count, 16 of them are 80% or more>"
    whole = lean.pareto({"defect": DEFECTS}, by="defect")
    assert (whole.categories, whole.folded) == (5, 0)
    one = lean.pareto({"defect": DEFECTS}, by="defect", top=4)
    assert (one.categories, one.folded, len(one)) == (5, 1, 5)
    assert one.vital == whole.vital


def test_the_amounts_are_named() -> None:
    frame = {"incidentType": ["a", "b"], "tonnes": [0.25, 0.5]}
    assert lean.pareto(frame).amount == "count"
    assert lean.pareto(frame, unit="incidents").amount == "incidents"
    assert lean.pareto(frame, weight="tonnes").amount == "tonnes"
    assert lean.pareto(frame, weight="tonnes", unit="t").amount == "tonnes (t)"
    assert lean.pareto(frame, weight="tonnes").total == 0.75


def test_the_threshold_is_reached_and_not_passed() -> None:
    tenths = {"incidentType": list("abcdefghij")}
    # Ten tenths: 0.1 eight times is 0.7999999999999999.
    assert len(lean.pareto(tenths).vital) == 8
    assert len(lean.pareto(tenths, threshold=0.81).vital) == 9
    assert len(lean.pareto(tenths, threshold=1).vital) == 10


def test_an_amount_that_cannot_be_used_is_left_out_by_name() -> None:
    costs = {"incidentType": [*"aabbc"], "cost": [10.0, None, -3, 5, float("inf")], "id": [*range(5)]}
    chart = lean.pareto(costs, weight="cost")
    assert chart.to_arrow().to_pydict()["amount"] == [10, 5]
    assert chart.total == 15
    assert chart.left_out == (
        "the record 1 has no cost",
        "the record 2 has a negative cost, -3",
        "the record 4 has the cost an infinite number",
    )
    # Of a record whose consequences are not all known the others count.
    parts = [{"title": "Scrap", "amount": 7.0}, {"title": "Downtime", "amount": None}]
    incidents = [{"id": 8, "consequences": parts}, {"id": 9, "consequences": parts[:1]}]
    chart = lean.pareto(incidents, by="consequences", weight="consequences.amount")
    assert (chart.total, chart.left_out) == (14, ("the record 8 has no consequences.amount",))


def test_what_cannot_be_charted_is_said() -> None:
    with pytest.raises(ValueError, match="the total of rows is 0"):
        lean.pareto({"incidentType": []})
    with pytest.raises(ValueError, match="^no amount of 'w' can be used: row 0 has a negative w, -1$"):
        lean.pareto({"incidentType": ["a"], "w": [-1]}, weight="w")
    with pytest.raises(ValueError, match="^no amount of 'w' can be used: row 0 has no w$"):
        lean.pareto({"incidentType": ["a"], "w": pl.Series([None], dtype=pl.Int64)}, weight="w")
    with pytest.raises(ValueError, match="holds date32.* such as datetime.date.2026, 1, 1., not text"):
        lean.pareto({"incidentType": [datetime.date(2026, 1, 1)]})
    for threshold in (0, 1.1):
        with pytest.raises(ValueError, match=f"threshold above 0 and at most 1; found {threshold}"):
            lean.pareto({"incidentType": ["a"]}, threshold=threshold)
    with pytest.raises(ValueError, match="at least 1 category"):
        lean.pareto({"incidentType": ["a", "b"]}, top=0)
