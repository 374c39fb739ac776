"""Pareto charts against qcc's example and polars."""

from __future__ import annotations

import datetime
import random
from typing import Any

import pandas as pd
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
    # The consequences of an incident, 90 and 17, are split among its causes: half of 90 and 17, and half of
    # 90.
    costs = lean.pareto(incidents, by="causes", weight="consequences.amount")
    assert costs.to_arrow().to_pydict()["amount"] == [62, 45]
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


def cost(*amounts: tuple[float | None, str | None]) -> list[dict[str, Any]]:
    return [{"title": f"Consequence {at}", "amount": amount, "unit": unit} for at, (amount, unit) in enumerate(amounts)]


COSTS: list[dict[str, Any]] = [
    # 1,000 NOK, of which a part is treatment; the downtime is no money.
    {
        "id": 1,
        "incidentType": "Leak",
        "areaId": 4,
        "causes": [{"title": "Wear"}, {"title": "Misuse"}],
        "categories": [{"title": "Pump"}],
        "consequences": cost((700, "NOK"), (300, "NOK"), (95, "min")),
    },
    {"id": 2, "incidentType": "Leak", "areaId": 5, "causes": [{"title": "Wear"}], "categories": [], "consequences": cost((400, "NOK"))},
    {
        "id": 3,
        "incidentType": "Fall",
        "areaId": 4,
        "causes": [{"title": "Misuse"}, {"title": "Dirt"}, {"title": "Wear"}, {"title": "Wear"}],
        "categories": [{"title": "Floor"}, {"title": "Pump"}],
        "consequences": cost((600, "NOK")),
    },
    # No cause, no cost in this unit, and neither.
    {"id": 4, "incidentType": "Fall", "areaId": 5, "causes": [], "categories": [{"title": "Floor"}], "consequences": cost((50, "NOK"))},
    {"id": 5, "incidentType": "Fall", "areaId": 5, "causes": [{"title": "Dirt"}], "categories": [], "consequences": cost((7, "min"))},
    {"id": 6, "incidentType": "Cut", "areaId": 5, "causes": [], "categories": [], "consequences": []},
]
"""The incidents with a cause cost 1,000 + 400 + 600 = 2,000 NOK; the fourth, without one, 50."""

MONEY: dict[str, Any] = {"weight": "consequences.amount", "unit": "NOK"}


def test_the_cost_of_a_record_is_split_equally_among_its_causes() -> None:
    for chart in (lean.pareto(COSTS, by="causes", **MONEY), lean.pareto(COSTS, by="causes", split="equal", **MONEY)):
        # Wear 500 + 400 + 2 of 4 parts of 600, misuse 500 + 150, dirt 150.
        assert chart.to_arrow().to_pydict()["category"] == ["Wear", "Misuse", "Dirt"]
        assert chart.to_arrow().to_pydict()["amount"] == [1200, 650, 150]
        assert chart.to_arrow().to_pydict()["cumulative"] == [0.6, 0.925, 1]
        assert (chart.total, chart.split, chart.empty, chart.uncategorised) == (2000, "equal", 3, 50)
        assert chart.amount == "consequences.amount (NOK), split evenly among causes"
        assert repr(chart) == (
            "<obeya.lean.Pareto: 3 categories, total 2,000 consequences.amount (NOK), split evenly among causes, "
            "2 of them are 80% or more, 3 rows without (50)>"
        )


def test_the_cost_of_a_record_may_count_in_full_for_each_of_its_causes() -> None:
    chart = lean.pareto(COSTS, by="causes", split="each", **MONEY)
    # All with wear: 2,000. With misuse: 1,000 + 600. With dirt: 600. Together they cost no more than 2,000.
    assert chart.to_arrow().to_pydict() == {
        "category": ["Wear", "Misuse", "Dirt"],
        "amount": [2000, 1600, 600],
        "share": [1, 0.8, 0.3],
        "cumulative": [1, 1, 1],
    }
    assert (chart.total, chart.vital, chart.split) == (2000, ("Wear",), "each")
    assert chart.amount == "consequences.amount (NOK), in full for each of its causes"
    # Those that are folded up together have 1,600, and not 2,200: the third incident has both.
    folded = lean.pareto(COSTS, by="causes", split="each", top=1, **MONEY)
    assert folded.to_arrow().to_pydict()["amount"] == [2000, 1600]
    some = lean.pareto(COSTS[2:], by="causes", split="each", **MONEY)
    assert (some.total, some.to_arrow().to_pydict()["amount"]) == (600, [600] * 3)


def test_splits_are_what_pandas_sums() -> None:
    source = random.Random(19)
    incidents = [
        {
            "id": at,
            "causes": [{"title": cause} for cause in source.sample("abcdefg", source.randint(1, 4))],
            "consequences": cost(*((source.randrange(1, 9000), source.choice(["NOK", "min"])) for _ in range(source.randint(0, 4)))),
        }
        for at in range(300)
    ]
    frame = pd.json_normalize(incidents, "consequences", "id").query("unit == 'NOK'").groupby("id")["amount"].sum()
    causes = pd.json_normalize(incidents, "causes", "id").set_index("id").join(frame.rename("cost"), how="inner")
    whole = float(frame.sum())
    parts = causes["cost"] / causes.groupby(level=0)["cost"].transform("size")
    equal, each = lean.pareto(incidents, by="causes", **MONEY), lean.pareto(incidents, by="causes", split="each", **MONEY)
    for chart, column in ((equal, parts), (each, causes["cost"])):
        oracle = column.groupby(causes["title"]).sum().sort_values(ascending=False)
        found = chart.to_pandas().set_index("category")
        assert found["amount"].to_dict() == pytest.approx(oracle.to_dict())
        assert found["share"].to_dict() == pytest.approx((oracle / whole).to_dict())
        assert chart.total == pytest.approx(whole)
    assert each.to_arrow()["amount"].to_pylist() > equal.to_arrow()["amount"].to_pylist()
    # Records that have the largest cause, one of the two largest, and so on.
    order = each.to_arrow()["category"].to_pylist()
    for at, share in enumerate(each.to_arrow()["cumulative"].to_pylist()):
        covered = causes[causes["title"].isin(order[: at + 1])]
        assert share == pytest.approx(covered[~covered.index.duplicated()]["cost"].sum() / whole)


def test_costs_by_categories_areas_and_types() -> None:
    categories = lean.pareto(COSTS, by="categories", **MONEY)
    # Pump 1,000 and half of 600, floor the other half and 50.
    assert categories.to_arrow().to_pydict()["category"] == ["Pump", "Floor"]
    assert categories.to_arrow().to_pydict()["amount"] == [1300, 350]
    assert (categories.total, categories.uncategorised) == (1650, 400)
    areas = lean.pareto(COSTS, by="areaId", **MONEY)
    assert areas.to_arrow().to_pydict()["category"] == ["4", "5"]
    assert areas.to_arrow().to_pydict()["amount"] == [1600, 450]
    assert (areas.total, areas.split, areas.amount, areas.empty) == (2050, None, "consequences.amount (NOK)", 2)
    types = lean.pareto(COSTS, **MONEY)
    assert types.to_arrow().to_pydict()["amount"] == [1400, 650]
    assert lean.pareto(COSTS, weight="consequences.amount", unit="min").total == 102


def test_records_are_counted_once_if_a_split_is_wanted() -> None:
    # Four incidents have causes: 2, 1, 4 and 1 of them.
    assert lean.pareto(COSTS, by="causes").total == 8
    equal = lean.pareto(COSTS, by="causes", split="equal")
    assert (equal.total, equal.amount) == (4, "count, split evenly among causes")
    assert equal.to_arrow().to_pydict()["amount"] == [0.5 + 1 + 0.5, 0.25 + 1, 0.5 + 0.25]
    each = lean.pareto(COSTS, by="causes", split="each", unit="incidents")
    assert (each.total, each.amount) == (4, "incidents, in full for each of its causes")
    # An incident with wear twice is one.
    assert each.to_arrow().to_pydict()["category"] == ["Wear", "Dirt", "Misuse"]
    assert each.to_arrow().to_pydict()["amount"] == [3, 2, 2]


def test_costs_in_several_units_are_refused() -> None:
    for by in ("causes", "areaId"):
        with pytest.raises(ValueError, match="the amounts of 'consequences.amount' are in NOK, min, which have no common sum"):
            lean.pareto(COSTS, by=by, weight="consequences.amount")
    with pytest.raises(ValueError, match="each of 'consequences' has a consequences.amount of its own: there is nothing to split"):
        lean.pareto(COSTS, by="consequences", split="each", **MONEY)
    with pytest.raises(ValueError, match="expected split to be equal or each; found 'half'"):
        lean.pareto(COSTS, by="causes", split="half", **MONEY)  # type: ignore[arg-type]
    # A cost that is not known is named, the others of its record count.
    unknown = {**COSTS[0], "id": 9, "consequences": cost((10, "NOK"), (None, "NOK"), (None, "min"))}
    chart = lean.pareto([*COSTS, unknown], by="causes", **MONEY)
    assert (chart.total, chart.left_out) == (2010, ("the record 9 has no consequences.amount",))


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
    with pytest.raises(ValueError, match="the total of w is 0"):
        lean.pareto({"incidentType": ["a"], "w": [0]}, weight="w")
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


def test_lists_that_a_csv_holds_as_text_are_refused() -> None:
    cells = ["[]", '[{"id":41,"title":"Worn fixture"},{"id":42,"title":"Setting"}]', None]
    said = r"""^column 'causes' holds lists as text, as a CSV does, such as '\[\{"id":41.*…'\. The argument `by` needs the lists: """
    for by in ("causes", "causes.title"):
        with pytest.raises(ValueError, match=said + "read them from Parquet or JSON Lines$"):
            lean.pareto({"causes": cells}, by=by)
    # As pandas writes lists of records, and of nothing but empty ones.
    for other in (["[{'id': 41, 'title': 'Worn fixture'}]"], ["[]", "[]"]):
        with pytest.raises(ValueError, match="holds lists as text"):
            lean.pareto({"causes": other}, by="causes")
    with pytest.raises(ValueError, match="'consequences' holds lists as text.*The argument `weight` needs"):
        lean.pareto({"a": ["b"], "consequences": ['[{"id":1,"amount":2.0}]']}, by="a", weight="consequences.amount")
    assert lean.pareto({"a": ["[b]", "[1]", "[]", "c"]}, by="a").total == 4
    assert lean.pareto({"a": ["[b]", "[]"]}, by="a").total == 2


def test_a_column_of_categories_is_called_as_the_caller_does() -> None:
    with pytest.raises(ValueError, match="^column 'share' holds double such as 0.5, not text$"):
        lean.pareto({"share": [0.5, 1]}, by="share")
    with pytest.raises(ValueError, match=r"^column 'causes.share' holds double such as 0.5, not text$"):
        lean.pareto({"causes": [[{"share": 0.5}]]}, by="causes.share")


def test_a_unit_is_found_wherever_it_stands_among_the_fields() -> None:
    lists = [{"consequences": [{"unit": "min", "amount": 90.0}, {"unit": "NOK", "amount": 7000.0}], "causes": [{"title": "Wear"}]}]
    with pytest.raises(ValueError, match="are in NOK, min, which have no common sum"):
        lean.pareto(lists, by="causes", weight="consequences.amount")


def test_a_column_of_not_a_number_alone_has_every_field() -> None:
    """A column of records that were read as empty cells says nothing of the fields of a record."""
    table = pa.table({"area": [float("nan")] * 3})
    assert lean.pareto(table, by="area.name").to_arrow()["amount"].to_pylist() == [3]
