"""Inputs as people have them: values alone, records in columns, nothing at all, groups and time zones."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib import pyplot
from matplotlib.patches import Rectangle
from obeya import lean

UTC = datetime.timezone.utc
VALUES = [5.0, 7, 6, 8, 5, 7]
DAYS = [datetime.date(2026, 3, day) for day in (1, 3, 4, 8, 9, 15)]
MOMENTS = [datetime.datetime(2026, 3, day, 23, 30, tzinfo=UTC) for day in (1, 3, 4, 8, 9, 15)]
WORDS = ["Good", "Bad", "Good", "Good", "Medium", "Bad"]
PRIORITIES = [*lean.QUADRANTS, "NotPrioritized", "LowEffortHighEffect"]

ALONE: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "pandas Series": pd.Series,
    "named Series": lambda values: pd.Series(values, name="other"),
    "pandas objects": lambda values: pd.Series(values, dtype=object),
    "pandas Arrow": lambda values: pd.Series(values).convert_dtypes(dtype_backend="pyarrow"),
    "polars Series": pl.Series,
    "pyarrow array": pa.array,
    "pyarrow chunks": lambda values: pa.chunked_array([values[:2], values[2:]]),
}


@pytest.mark.parametrize("kind", ALONE)
def test_values_alone_are_the_column_that_a_function_is_about(kind: str) -> None:
    make = ALONE[kind]
    pairs: list[tuple[lean.Result, lean.Result]] = [
        (lean.xmr(make(VALUES)), lean.xmr({"value": VALUES}, date=None)),
        (lean.g_chart(make(DAYS)), lean.g_chart({"incidentDate": DAYS})),
        (lean.g_chart(make([3, 1, 4, 1, 5])), lean.g_chart({"cases": [3, 1, 4, 1, 5]}, date=None, between="cases")),
        (lean.t_chart(make(MOMENTS)), lean.t_chart({"reportedDate": MOMENTS})),
        (lean.t_chart(make(VALUES), unit="h"), lean.t_chart({"h": VALUES}, date=None, between="h", unit="h")),
        (lean.pareto(make(WORDS)), lean.pareto({"incidentType": WORDS})),
        (lean.days_since(make(DAYS), as_of="2026-03-20"), lean.days_since({"incidentDate": DAYS}, as_of="2026-03-20")),
        (lean.evaluation_ratio(make(WORDS)), lean.evaluation_ratio({"evaluationStatus": WORDS})),
        (lean.pick(make(PRIORITIES)), lean.pick({"title": [None] * 6, "priorityStatus": PRIORITIES})),
    ]
    for found, wanted in pairs:
        assert found.to_arrow() == wanted.to_arrow()
        assert repr(found) == repr(wanted)
    cross = lean.safety_cross(make(DAYS), as_of="2026-03-20")
    assert [row["day"] for row in cross.to_arrow().to_pylist() if row["state"] == "incident"] == DAYS
    assert (cross.safe, cross.incidents, cross.ungraded, cross.left_out) == (14, 6, (), ())


def test_arrays_of_numpy_are_values_alone() -> None:
    assert lean.xmr(np.array(VALUES)).to_arrow() == lean.xmr(VALUES).to_arrow()
    assert lean.g_chart(np.array(["2026-03-01", "2026-03-04"] * 3, "datetime64[D]")).to_arrow()["value"].to_pylist() == [0, 0, 3, 0, 0]
    assert lean.xmr(np.array([1, 2, np.nan, 3, 4, 5, 6])).left_out == ("row 2 has no value",)


def test_a_series_has_the_dates_of_its_index() -> None:
    index = pd.to_datetime(pd.Series(MOMENTS))
    series = pd.Series(VALUES, index=pd.DatetimeIndex(index))
    for one in (series, series.iloc[::-1]):
        assert lean.xmr(one).to_arrow() == lean.xmr({"value": VALUES, "valueDate": MOMENTS}).to_arrow()
    phased = lean.xmr(series, phases=["2026-03-08"], minimum=2)
    assert [phase.points for phase in phased.phases] == [3, 3]
    times = lean.t_chart(series, unit="h")
    assert times.to_arrow()["date"].to_pylist() == MOMENTS


def test_moments_at_midnight_alone_are_days_in_every_zone() -> None:
    zone = "America/New_York"
    days = pd.Series(range(6), index=pd.date_range("2026-03-05", periods=6, tz="UTC"))
    assert [phase.points for phase in lean.xmr(days, phases=["2026-03-08"], minimum=2, tz=zone).phases] == [3, 3]
    # Not so among other moments: a day in New York begins at 5:00 UTC in winter.
    hours = pd.Series(range(96), index=pd.date_range("2026-03-06", periods=96, freq="h", tz="UTC"))
    assert [phase.points for phase in lean.xmr(hours, phases=["2026-03-08"], tz=zone).phases] == [53, 43]


def test_a_series_has_the_dates_of_any_index_of_them() -> None:
    days = [datetime.date(2026, 3, 6 - at) for at in range(6)]
    texts = [day.isoformat() for day in days]
    wanted = pd.Series(VALUES, index=pd.DatetimeIndex(texts)).sort_index()
    indexes: list[Any] = [
        pd.PeriodIndex(texts, freq="D"),
        pd.Index(days),
        pd.Index(texts),
        pd.Index(texts, dtype=object),
        pd.CategoricalIndex(texts),
        pd.DatetimeIndex(texts).astype("timestamp[ns][pyarrow]"),
    ]
    for index in indexes:
        found = lean.xmr(pd.Series(VALUES, index=index)).to_arrow()
        assert found["value"].to_pylist() == wanted.tolist()
        assert [moment.date() for moment in found["date"].to_pylist()] == [stamp.date() for stamp in wanted.index]
    months = pd.Series(VALUES, index=pd.PeriodIndex([f"2026-{6 - at:02}" for at in range(6)], freq="M"))
    assert lean.xmr(months).to_arrow()["value"].to_pylist() == VALUES[::-1]
    # A text that is no date is left out by name; texts that are no dates are in order.
    totalled = pd.Series([*VALUES, 38], index=[*texts, "total"])
    assert lean.xmr(totalled).left_out == ("row 6 has the (index) 'total', which is no day or moment of ISO 8601",)
    for other in (list("abcdef"), list(range(6)), [1.5] * 6, [True] * 6, pd.MultiIndex.from_product([[1, 2], [1, 2, 3]])):
        plain = lean.xmr(pd.Series(VALUES, index=other)).to_arrow()
        assert plain["value"].to_pylist() == VALUES
        assert "date" not in plain.column_names


def test_functions_of_several_columns_say_what_they_found() -> None:
    for compute in (lean.lead_times, lean.cumulative_flow, lean.roi, lean.overdue):
        with pytest.raises(TypeError, match="this needs several columns: expected a frame, columns or records; found a list of values"):
            compute([1, 2, 3])
        with pytest.raises(TypeError, match="found a Series of values"):
            compute(pd.Series([1, 2, 3]))


def test_objects_of_pandas_may_be_days_and_moments() -> None:
    dates = [DAYS[0], *MOMENTS[1:]]
    frame = pd.DataFrame({"value": VALUES, "valueDate": pd.Series(dates, dtype=object), "x": ["a"] * 6})
    assert lean.xmr(frame).to_arrow()["date"].to_pylist()[1:] == MOMENTS[1:]
    gaps = pd.DataFrame({"incidentDate": pd.Series([DAYS[0], pd.NaT, DAYS[3]], dtype=object)})
    assert lean.days_since(gaps, as_of="2026-03-20").left_out == ("row 1 has no incidentDate",)
    mixed = pd.DataFrame({"value": pd.Series([*VALUES, "n/a"], dtype=object), "id": range(7)})
    assert lean.xmr(mixed, date=None).left_out == ("the record 6 has the value 'n/a'",)


RECORDS = [
    {
        "id": at,
        "incidentDate": day,
        "type": {"id": kind, "title": f"Type {kind}"},
        "group": {"id": 7, "name": group} if group else None,
        "status": "New",
        "dueDate": datetime.date(2026, 3, 10),
        "evaluationStatus": "Good",
        "costOfInvestment": 1.0,
        "gainOfInvestment": 2.0,
        "consequences": [{"title": "Scrap", "amount": 10.0 * at, "unit": "NOK"}],
    }
    for at, (day, kind, group) in enumerate(zip(DAYS, (1, 2, 1, 1, 3, 2), ("Foundry", "Paint", None, "Foundry", "Paint", "Paint")))
]

EXPANDED: dict[str, Callable[[], Any]] = {
    "records": lambda: RECORDS,
    "pyarrow": lambda: pa.Table.from_pylist(RECORDS),
    "pyarrow, flat": lambda: pa.Table.from_pylist(RECORDS).flatten(),
    "polars": lambda: pl.DataFrame(RECORDS),
    # As to_pandas() of a list of the client: structs are columns with dots, lists are objects.
    "pandas, flat": lambda: pa.Table.from_pylist(RECORDS).flatten().to_pandas(date_as_object=True),
    "pandas, objects": lambda: pd.DataFrame(RECORDS),
    "json_normalize": lambda: pd.json_normalize(RECORDS),
}


@pytest.mark.parametrize("kind", EXPANDED)
def test_records_in_columns_are_found_however_they_are_held(kind: str) -> None:
    make = EXPANDED[kind]
    for by in ("type", "type.title"):
        assert lean.pareto(make(), by=by).to_arrow()["category"].to_pylist() == ["Type 1", "Type 2", "Type 3"]
    assert lean.pareto(make(), by="type.id").to_arrow()["category"].to_pylist() == ["1", "2", "3"]
    groups = ["Foundry", "Paint", None]
    for by in ("group", "group.name"):
        assert lean.days_since(make(), by=by, as_of="2026-03-20").to_arrow()["group"].to_pylist() == groups
        assert lean.evaluation_ratio(make(), by=by).to_arrow()["group"].to_pylist() == groups
        assert lean.roi(make(), by=by).to_arrow()["group"].to_pylist() == groups
        late = lean.overdue(make(), responsible=by, as_of="2026-03-20").to_arrow()
        assert dict(zip(late["responsible"].to_pylist(), late["overdue"].to_pylist())) == {"Foundry": 2, "Paint": 3, None: 1}
        assert list(lean.g_chart(make(), by=by, minimum=2).charts) == ["Paint"]
    costs = lean.pareto(make(), by="type", weight="consequences.amount")
    assert costs.to_arrow().to_pydict()["category"] == ["Type 2", "Type 1", "Type 3"]
    assert costs.to_arrow().to_pydict()["amount"] == [60, 50, 40]
    assert lean.pareto(make(), by="consequences", weight="consequences.amount", unit="NOK").total == 150


def test_one_row_for_each_entry_is_as_good_as_a_list() -> None:
    frame = pl.DataFrame(RECORDS).select("id", "consequences").explode("consequences")
    for long in (frame, pa.table(frame).flatten(), pd.json_normalize(frame.to_dicts())):
        chart = lean.pareto(long, by="consequences", weight="consequences.amount")
        assert (chart.total, chart.amount) == (150, "consequences.amount (NOK)")
        with pytest.raises(ValueError, match="are in NOK, which have no common sum: choose one .*; found 'EUR'"):
            lean.pareto(long, by="consequences", weight="consequences.amount", unit="EUR")


def test_a_path_that_leads_nowhere_says_what_there_is() -> None:
    with pytest.raises(ValueError, match="no column 'type.name'; the columns are: id, incidentDate, type, group"):
        lean.days_since(RECORDS, by="type.name", as_of="2026-03-20")
    with pytest.raises(ValueError, match="column 'type' holds id, title, which has no field 'name'"):
        lean.pareto(RECORDS, by="type.name")


NOTHING: dict[str, Callable[[], Any]] = {
    "list": list,
    "columns": dict,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "generator": lambda: iter(()),
    "rows of a frame": lambda: pa.Table.from_pylist(RECORDS).slice(0, 0).append_column(
        "severity", pa.array([], pa.string())
    ),
}


def charts_of(data: Callable[[], Any]) -> Iterator[lean.Result]:
    """Every chart of one input."""
    yield lean.xmr(data(), value="costOfInvestment", date="incidentDate")
    yield lean.g_chart(data())
    yield lean.t_chart(data(), date="incidentDate")
    yield lean.pareto(data(), by="type")
    yield lean.pareto(data(), by="consequences", weight="consequences.amount", unit="NOK")
    yield lean.safety_cross(data(), as_of="2026-03-20")
    yield lean.days_since(data(), by="group", as_of="2026-03-20")
    yield lean.lead_times(data(), stages={"Suggested": "incidentDate", "Implemented": "dueDate"})
    yield lean.cumulative_flow(data(), stages={"Suggested": "incidentDate", "Implemented": "dueDate"})
    yield lean.pick(data(), title="status", priority="evaluationStatus")
    yield lean.evaluation_ratio(data(), by="group")
    yield lean.roi(data(), by="group")
    yield lean.overdue(data(), responsible="group", as_of="2026-03-20")
    yield lean.xmr(data(), value="costOfInvestment", date="incidentDate", by="group")


@pytest.mark.parametrize("kind", NOTHING)
def test_nothing_is_an_empty_or_green_chart(kind: str) -> None:
    pyplot.switch_backend("Agg")
    charts = list(charts_of(NOTHING[kind]))
    assert len({type(chart) for chart in charts}) == 12
    for chart in charts:
        ax = chart.plot()
        figure = ax.get_figure()
        assert figure is not None
        figure.canvas.draw()
        assert ax.get_title(loc="left") == chart._title()
        assert "vega-lite" in chart.plot(backend="altair").to_dict()["$schema"]
        assert chart._repr_html_() and chart.left_out == ()
        if isinstance(chart, lean.SafetyCross):
            assert (chart.safe, chart.incidents) == (20, 0)
            boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle) and patch.get_width() > 0.5]
            assert len({box.get_facecolor() for box in boxes}) == 2, "safe and to come"
        elif not isinstance(chart, (lean.LeadTimes, lean.Overdue, lean.Pick)):
            assert len(chart) == 0
            assert [text.get_text() for text in figure.findobj(lambda artist: artist.get_gid() == "nothing")] == ["no data"]  # type: ignore[attr-defined]
        pyplot.close("all")


def test_figures_of_nothing() -> None:
    since = lean.days_since([], as_of="2026-03-20")
    assert (since.days, since.record, repr(since)) == (None, None, "<obeya.lean.DaysSince: no incident up to 2026-03-20>")
    flow = lean.cumulative_flow([])
    assert (flow.first, flow.last, flow.arrived, repr(flow)) == (None, None, 0, "<obeya.lean.CumulativeFlow: no improvements>")
    assert (lean.pareto([]).total, lean.pareto([]).vital) == (0, ())
    assert repr(lean.lead_times([])) == "<obeya.lean.LeadTimes: Suggested to Implemented: none finished>"
    assert repr(lean.overdue([], as_of="2026-03-20")).startswith("<obeya.lean.Overdue: 0 of 0 open records")
    assert (lean.roi([]).cost, lean.roi([]).roi, lean.evaluation_ratio([]).ratio) == (0, None, None)
    assert lean.xmr([], by="dimension").charts == {}
    # Where there are incidents and all come later, the question is wrong, and not the data.
    with pytest.raises(ValueError, match="no incident up to 2026-01-01 in a frame of 6 rows"):
        lean.days_since(DAYS, as_of="2026-01-01")


GROUPED: dict[str, list[Any]] = {
    "incidentDate": MOMENTS * 2,
    "reportedDate": MOMENTS * 2,
    "severity": ["Low"] * 6 + ["High"] * 6,
    "status": ["Implemented"] * 12,
    "line": ["one"] * 6 + ["two"] * 6,
}


def part(line: str | None) -> dict[str, list[Any]]:
    """The rows of one group."""
    return {name: [v for v, own in zip(column, GROUPED["line"]) if own == line] for name, column in GROUPED.items()}


STAGES = {"Suggested": "incidentDate", "Implemented": "reportedDate"}
BY: dict[str, Callable[..., Any]] = {
    "g": lean.g_chart,
    "t": lean.t_chart,
    "cross": lambda data, **more: lean.safety_cross(data, as_of="2026-03-20", tz="Europe/Oslo", **more),
    "lead": lambda data, **more: lean.lead_times(data, stages=STAGES, **more),
    "flow": lambda data, **more: lean.cumulative_flow(data, stages=STAGES, first="2026-03-01", last="2026-03-20", **more),
}


@pytest.mark.parametrize("kind", BY)
def test_each_group_has_the_chart_of_its_rows_alone(kind: str) -> None:
    pyplot.switch_backend("Agg")
    found = BY[kind](GROUPED, by="line")
    assert isinstance(found, lean.Panels) and list(found.charts) == ["one", "two"]
    for line, chart in found.charts.items():
        alone = BY[kind](part(line))
        assert (chart.to_arrow(), repr(chart)) == (alone.to_arrow(), repr(alone))
    assert found.to_arrow().column_names == ["group", *found.charts["one"].to_arrow().column_names]
    figure = found.plot().get_figure()
    assert figure is not None
    figure.canvas.draw()
    names: list[Any] = figure.findobj(lambda artist: artist.get_gid() == "group")
    assert [name.get_text() for name in names] == ["one", "two"]
    assert len(found.plot(backend="altair").to_dict()["vconcat"]) == 2
    pyplot.close("all")


def test_flows_of_groups_have_the_same_days() -> None:
    frame = {**part("one"), "line": ["early"] * 3 + ["late"] * 3}
    found = lean.cumulative_flow(frame, stages=STAGES, by="line")
    assert [(chart.first, chart.last) for chart in found.charts.values()] == [(DAYS[0], DAYS[-1])] * 2
    assert [chart.arrived for chart in found.charts.values()] == [3, 3]


def test_a_record_of_a_group_is_named_by_its_row_in_the_whole() -> None:
    frame = {**GROUPED, "incidentDate": [*MOMENTS, *MOMENTS[:-1], None]}
    found = lean.g_chart(frame, by="line", minimum=4)
    assert found.left_out == ("two: row 11 has no incidentDate",)
    assert repr(found).endswith(", 1 record left out>")


def test_phases_begin_with_days_of_the_time_zone() -> None:
    # Half past eleven in the evening of the 8th in UTC is the 9th in Oslo; in New York it is the 8th still.
    late = {"value": VALUES, "valueDate": MOMENTS}
    for tz, points in (("UTC", [4, 2]), ("Europe/Oslo", [3, 3]), ("America/New_York", [4, 2])):
        found = lean.xmr(late, phases=["2026-03-09"], tz=tz, minimum=2)
        assert [phase.points for phase in found.phases] == points
        times = lean.t_chart({"reportedDate": MOMENTS}, phases=[datetime.date(2026, 3, 9)], tz=tz, minimum=2)
        # The first event has no interval before it.
        assert times.to_arrow()["phase"].to_pylist() == ["1"] * (points[0] - 1) + ["2"] * points[1]
        counts = lean.g_chart({"incidentDate": MOMENTS}, phases=["2026-03-09"], tz=tz, minimum=2)
        assert counts.to_arrow()["phase"].to_pylist() == ["1"] * (points[0] - 1) + ["2"] * points[1]
        # A day is that day everywhere, and so is the phase that begins with it.
        days = lean.xmr({"value": VALUES, "valueDate": DAYS}, phases=["2026-03-08"], tz=tz, minimum=2)
        assert [phase.points for phase in days.phases] == [3, 3]
        # A moment is one in each time zone.
        exact = lean.xmr(late, phases=["2026-03-08T23:30:00Z"], tz=tz, minimum=2)
        assert [phase.points for phase in exact.phases] == [3, 3]
    with pytest.raises(ValueError, match="no time zone 'Oslo' is known here"):
        lean.xmr(late, tz="Oslo")
