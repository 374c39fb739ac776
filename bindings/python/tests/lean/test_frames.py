"""What goes in and what comes out: every kind of frame, days and moments as they are found, and results as frames."""

from __future__ import annotations

import dataclasses
import datetime
import io
import re
import doctest
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from obeya import lean
from obeya.lean import _input

UTC = datetime.timezone.utc
START = datetime.datetime(2026, 3, 1, 6, 30, tzinfo=UTC)
MOMENTS = [START + datetime.timedelta(days=at) for at in range(6)]
VALUES = [5.0, 7, 6, 8, 5, 7]
COLUMNS: dict[str, list[Any]] = {"value": VALUES, "valueDate": MOMENTS}


def renamed(table: pa.Table, **names: str) -> pa.Table:
    """pyarrow takes a dictionary of names since version 17."""
    return table.rename_columns([names.get(name, name) for name in table.column_names])


class Stream:
    """Any library's frame, of which only the protocol is known."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return pa.table(COLUMNS).__arrow_c_stream__(requested_schema)


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas, Arrow": lambda: pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, own index": lambda: pd.DataFrame(COLUMNS, index=list("abcdef")),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "pyarrow": lambda: pa.table(COLUMNS),
    "batch": lambda: pa.RecordBatch.from_pydict(COLUMNS),
    "reader": lambda: pa.table(COLUMNS).to_reader(max_chunksize=2),
    "stream": Stream,
    "columns": lambda: COLUMNS,
    "dictionaries": lambda: [{"value": value, "valueDate": moment} for value, moment in zip(VALUES, MOMENTS)],
    "generator": lambda: ({"value": value, "valueDate": moment} for value, moment in zip(VALUES, MOMENTS)),
    "a result": lambda: renamed(pa.table(lean.xmr(COLUMNS)), date="valueDate"),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_any_frame_is_taken(kind: str) -> None:
    chart = lean.xmr(FRAMES[kind]())
    assert chart.to_arrow()["value"].to_pylist() == VALUES
    assert chart.to_arrow()["date"].to_pylist() == MOMENTS


def test_a_frame_of_polars_has_no_type_that_old_pyarrow_does_not_know() -> None:
    # String views came with pyarrow 16; the package accepts 15.
    frame = pl.DataFrame({"text": ["a"], "list": [["b"]], "record": [{"c": "d"}]})
    found = _input.table(frame)
    assert found.to_pylist() == frame.to_dicts()
    assert "view" not in str(found.schema)


@pytest.mark.parametrize(
    "column",
    [
        pa.array(MOMENTS, pa.timestamp("ns", "UTC")),
        pa.array(MOMENTS, pa.timestamp("s", "Europe/Oslo")),
        pa.array([moment.replace(tzinfo=None) for moment in MOMENTS], pa.timestamp("ms")),
        pa.array([moment.isoformat() for moment in MOMENTS]),
        # As on the wire: seven digits, of which Python has six.
        pa.array([moment.strftime("%Y-%m-%dT%H:%M:%S.0000009Z") for moment in MOMENTS]),
        pa.array([moment.strftime("%Y-%m-%d %H:%M:%S") for moment in MOMENTS]),
        pa.array([moment.isoformat() for moment in MOMENTS]).dictionary_encode(),
        pa.array([moment.isoformat() for moment in MOMENTS], pa.large_string()),
        # pyarrow has them since version 16.
        *([pa.array([moment.isoformat() for moment in MOMENTS], pa.string_view())] if hasattr(pa, "string_view") else []),
    ],
    ids=lambda column: str(column.type),
)
def test_moments_are_understood_however_they_are_held(column: pa.Array) -> None:
    assert lean.xmr({"value": VALUES, "valueDate": column}).to_arrow()["date"].to_pylist() == MOMENTS


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64(), pa.string()])
def test_days_are_days_in_every_time_zone(kind: pa.DataType) -> None:
    days = pa.array([moment.date() for moment in MOMENTS], pa.date32()).cast(kind)
    chart = lean.g_chart({"incidentDate": days}, tz="Pacific/Auckland")
    assert chart.to_arrow()["value"].to_pylist() == [1] * 5


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64(), pa.float32(), pa.decimal128(5, 2)])
def test_numbers_are_numbers(kind: pa.DataType) -> None:
    values = pa.array([Decimal(int(value)) for value in VALUES], pa.decimal128(5, 2)).cast(kind)
    assert lean.xmr({"value": values}, date=None).centre == pytest.approx(sum(VALUES) / 6)


def test_moments_reach_from_the_first_day_to_the_last() -> None:
    # 9999-12-31 stands for "never", and nanoseconds end in 2262. Seven digits, as on the wire.
    ends = ["0001-01-01T00:00:00.1234567Z", None, "9999-12-31T23:59:59.9999999Z"]
    records = [
        {"id": at, "status": "New", "dueDate": due, "responsibleDisplayName": None} for at, due in enumerate(ends)
    ]
    # From 0001-01-01 there are 739675 days to the 1 March 2026: its ordinal number is 739676.
    assert lean.overdue(records, as_of="2026-03-01").to_arrow()["days"].to_pylist() == [[739675]]
    for tz in ("Europe/Oslo", "America/New_York"):
        # The day before the first and the day after the last are none.
        assert lean.overdue(records, as_of="2026-03-01", tz=tz).to_arrow()["days"].to_pylist() == [[739675]]
    dated = {"status": ["Suggested"], **dict.fromkeys(lean.STAGES.values(), [None]), "suggestionDate": [ends[2]]}
    assert lean.cumulative_flow(dated, first="2026-03-01", last="2026-03-01", tz="Europe/Oslo").arrived == 0
    digits = {"value": VALUES, "valueDate": [f"2026-03-01T06:30:00.{at}23456789" for at in range(6)]}
    assert lean.xmr(digits).to_arrow()["date"].to_pylist()[5] == datetime.datetime(2026, 3, 1, 6, 30, 0, 523456, UTC)


BEYOND = {
    "0000-12-31T19:00:00Z": "0000-12-31T19:00:00+00:00",
    "0001-01-01T00:00:00.5+05:00": "0000-12-31T19:00:00.500000+00:00",
    "0000-02-29T00:00:00Z": "0000-02-29T00:00:00+00:00",
    "9999-12-31T23:59:59-05:00": "10000-01-01T04:59:59+00:00",
}
"""Instants that Python has no datetime for, and how messages write them."""


@pytest.mark.parametrize("text", BEYOND)
def test_a_moment_that_python_does_not_hold_is_left_out_by_name(text: str) -> None:
    why = f"row 4 has the valueDate {BEYOND[text]}, outside of the years 1 to 9999"
    dates = ["2026-03-01T00:00:00Z"] * 4 + [text, None]
    held = pa.array(dates).cast(pa.timestamp("us", "UTC"))
    for column in (dates, held):
        found = lean.xmr({"value": VALUES, "valueDate": column}, minimum=4)
        assert found.left_out == (why, "row 5 has no valueDate")
        assert found.to_arrow()["value"].to_pylist() == VALUES[:4]
        with pytest.raises(ValueError, match=f"^the series has 4 points, of which at least 5 are .*; left out: {re.escape(why)}; row 5"):
            lean.xmr({"value": VALUES, "valueDate": column})
        # In a time zone it could be a day again, but the day of one moment is that of all calls.
        days = lean.days_since({"incidentDate": column}, as_of="2026-03-02", tz="Asia/Karachi")
        assert days.left_out == (why.replace("valueDate", "incidentDate"), "row 5 has no incidentDate")
        assert days.days == 1


def test_a_day_that_python_does_not_hold_is_left_out_by_name() -> None:
    why = "row 1 has the incidentDate 0000-12-31, outside of the years 1 to 9999"
    found = lean.days_since({"incidentDate": ["2026-03-01", "0000-12-31"]}, as_of="2026-03-05")
    assert (found.days, found.left_out) == (4, (why,))
    days = pa.array([0, 2932897], pa.int32()).cast(pa.date32())
    assert lean.days_since({"incidentDate": days}).left_out == (why.replace("0000-12-31", "10000-01-01"),)


@pytest.mark.parametrize(
    "dates",
    [
        ["2026-03-01T00:00:00Z", None, "2026-03-02T00:00:00Z", "02.03.2026", "2026-03-03T00:00:00Z", "soon"],
        ["2026-03-01", "", "2026-03-02", "02.03.2026", "2026-03-03", "soon"],
        ["2026-03-01 06:00", " ", "2026-03-02 06:00", "02.03.2026", "2026-03-03 06:00", "soon"],
        # Days, moments with an offset and moments without one, in one column.
        ["2026-03-01", None, "2026-03-02 06:00", "02.03.2026", "2026-03-03T06:00:00+01:00", "soon"],
    ],
)
def test_a_text_that_is_no_moment_is_left_out_by_name(dates: list[str | None]) -> None:
    found = lean.xmr({"value": VALUES, "valueDate": dates, "id": [*range(10, 16)]}, minimum=3)
    assert found.to_arrow()["value"].to_pylist() == [VALUES[0], VALUES[2], VALUES[4]]
    assert [date.day for date in found.to_arrow()["date"].to_pylist()] == [1, 2, 3]
    no_date = "which is no day or moment of ISO 8601"
    assert found.left_out == (
        "the record 11 has no valueDate",
        f"the record 13 has the valueDate '02.03.2026', {no_date}",
        f"the record 15 has the valueDate 'soon', {no_date}",
    )


@pytest.mark.parametrize("first", [datetime.date(2026, 3, 1), "2026-03-01"])
def test_records_with_days_and_with_moments_are_of_one_frame(first: datetime.date | str) -> None:
    # A day first: the times of the others must not be cut off.
    dates = [first, *MOMENTS[1:]]
    for frame in ({"value": VALUES, "valueDate": dates}, [{"value": v, "valueDate": d} for v, d in zip(VALUES, dates)]):
        found = lean.xmr(frame)
        assert found.to_arrow()["date"].to_pylist() == [datetime.datetime(2026, 3, 1, tzinfo=UTC), *MOMENTS[1:]]
        assert found.left_out == ()
    assert lean.days_since({"incidentDate": [*dates, None]}, as_of="2026-03-10").left_out == ("row 6 has no incidentDate",)


def test_a_word_among_numbers_is_left_out_by_name() -> None:
    values = [5, 7.5, "n/a", 6, None, float("inf"), 7, 8]
    for frame in ({"value": values, "id": [*"abcdefgh"]}, [{"value": v, "id": k} for v, k in zip(values, "abcdefgh")]):
        found = lean.xmr(frame, date=None)
        assert found.to_arrow()["value"].to_pylist() == [5, 7.5, 6, 7, 8]
        assert found.left_out == (
            "the record c has the value 'n/a'",
            "the record e has no value",
            "the record f has the value an infinite number",
        )
    # Ids of two kinds are texts, whole numbers as such.
    late = {"id": [7, "A-8"], "status": ["New"] * 2, "dueDate": ["2026-03-01"] * 2, "who": ["Kari"] * 2}
    assert lean.overdue(late, responsible="who", as_of="2026-03-02").to_arrow()["keys"].to_pylist() == [["7", "A-8"]]


def test_what_is_no_frame_or_no_date_is_said() -> None:
    with pytest.raises(TypeError, match="expected a frame, columns, records or values; found int"):
        lean.xmr(7)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="expected records of obeya, dictionaries or values alone; found int in row 1"):
        lean.xmr([{"value": 1}, 7])
    with pytest.raises(TypeError, match="expected a frame, columns, records or values; found str"):
        lean.xmr("7")
    message = "^no record of 6 can be used: row 0 has the valueDate '1.3.2026', which is no day or moment of ISO 8601; and 5 more$"
    with pytest.raises(ValueError, match=message):
        lean.xmr({"value": VALUES, "valueDate": ["1.3.2026"] * 6})
    with pytest.raises(ValueError, match="column 'valueDate' holds int64 such as 1, not days or moments"):
        lean.xmr({"value": VALUES, "valueDate": [1] * 6})
    with pytest.raises(ValueError, match="no column 'value'; the columns are: valueDate. The argument `value` takes another name"):
        lean.xmr({"valueDate": []})


@pytest.fixture
def chart() -> lean.XmR:
    return lean.xmr({**COLUMNS, "p": ["a"] * 6}, phases="p")


def test_a_result_is_a_frame_for_every_library(chart: lean.XmR) -> None:
    names = ["date", "value", "phase", "centre", "lower", "upper", "rules", "range", "range_centre", "range_upper", "range_beyond"]
    assert chart.to_arrow().column_names == names
    assert chart.to_pandas()["date"].tolist() == MOMENTS
    assert chart.to_polars()["value"].to_list() == VALUES
    # It is not used up.
    for _ in range(2):
        assert pl.DataFrame(chart)["value"].to_list() == VALUES
        assert pa.table(chart) == chart.table
    assert len(chart) == 6


def test_integers_and_texts_with_gaps_stay_such_for_pandas() -> None:
    records = [
        {"id": 1, "status": "New", "dueDate": "2026-03-01", "responsibleDisplayName": "Kari"},
        {"id": 2, "status": "New", "dueDate": None, "responsibleDisplayName": None},
    ]
    frame = lean.overdue(records, as_of="2026-03-10").to_pandas()
    assert frame["longest"].dtype == frame["open"].dtype == pd.Int64Dtype()
    assert frame["longest"].tolist() == [9, pd.NA]
    assert frame["responsible"].dtype == pd.StringDtype("pyarrow")


def test_a_result_says_its_figures_in_a_line_and_in_a_notebook(chart: lean.XmR) -> None:
    says = "6 points, 1 phase, centre 6.333, limits 1.013 to 11.65, 0 signals"
    assert repr(chart) == f"<obeya.lean.XmR: {says}>"
    html = chart._repr_html_()
    assert f"<b>XmR chart of value</b>: {says}" in html
    assert html.count("<tr>") == 7
    many = lean.pareto({"incidentType": [f"<{number:02}>" for number in range(30)]})._repr_html_()
    assert many.count("<tr>") == 21
    assert "<td>&lt;00&gt;</td><td>1</td><td>0.03333</td>" in many
    assert "and 10 rows more" in many


def test_a_result_does_not_change(chart: lean.XmR) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        chart.centre = 1  # type: ignore[misc]


def test_every_function_is_explained_with_its_errors_and_source() -> None:
    functions = [getattr(lean, name) for name in lean.__all__ if name.islower()]
    assert len(functions) == 12
    for function in functions:
        assert "Raises:" in function.__doc__, function
        assert "Args:" in function.__doc__, function
    cited = [function for function in functions if "Source" in function.__doc__]
    # A calendar and a list of dates have no formula.
    assert {function.__name__ for function in functions} - {function.__name__ for function in cited} == {
        "safety_cross",
        "days_since",
        "overdue",
    }


def test_the_example_of_the_package_is_true() -> None:
    found = doctest.testmod(lean)
    # Python 3.13 counts those that are passed over, and says how many.
    assert (found.failed, found.attempted - getattr(found, "skipped", 0)) == (0, 4)


EMPTY_CELLS = "value,valueDate,dimension,dimension2,areaId\n" + "".join(
    f"{value},2026-03-{at + 1:02},Line 1,,\n" for at, value in enumerate([5, 7, 6, 8, 5, 7])
)
"""Values with two columns that are empty throughout, which pandas reads as NaN and polars as texts."""


@pytest.mark.parametrize("read", [pd.read_csv, pl.read_csv], ids=["pandas", "polars"])
def test_a_column_without_a_value_is_of_any_kind(read: Callable[[Any], Any]) -> None:
    def frame(text: str) -> Any:
        return read(io.BytesIO(text.encode()))

    chart = lean.xmr(frame(EMPTY_CELLS))
    # By hand: the mean is 38/6; the ranges 2, 1, 2, 3, 2 have the mean 2.
    assert (chart.centre, chart.upper) == pytest.approx((38 / 6, 38 / 6 + 2.66 * 2))
    for column in ("dimension2", "areaId"):
        assert list(lean.xmr(frame(EMPTY_CELLS), by=column).charts) == [None]
    dated = "id,status,suggestionDate,plannedDate,inProgressDate,implementedDate,evaluatedDate,archivedDate\n"
    dated += "1,Implemented,2026-03-01,,,2026-03-05,,\n2,Implemented,2026-03-02,,,2026-03-10,,\n"
    # 4 and 8 days.
    assert lean.lead_times(frame(dated)).median == 6
    assert lean.cumulative_flow(frame(dated)).arrived == 2
    late = "id,status,dueDate,responsibleDisplayName\n1,New,2026-03-01,\n2,New,2026-03-02,\n"
    assert lean.overdue(frame(late), as_of="2026-03-10").to_arrow()["days"].to_pylist() == [[9, 8]]
    undue = "id,status,dueDate,responsibleDisplayName\n1,New,,Kari\n"
    assert lean.overdue(frame(undue), as_of="2026-03-10").undated == 1
    incidents = "id,incidentDate,severity,group,causes\n1,2026-03-01,,,\n2,2026-03-04,,,\n"
    assert lean.days_since(frame(incidents), by="group", as_of="2026-03-10").days == 6
    assert lean.safety_cross(frame(incidents), as_of="2026-03-31").safe == 29
    assert lean.pareto(frame(incidents), by="group").vital == (None,)
    assert lean.pareto(frame(incidents), by="causes").vital == (None,)
    assert lean.pareto(frame(incidents), by="causes.title").vital == (None,)
    judged = "id,evaluationStatus,category,costOfInvestment,gainOfInvestment\n1,,,1,3\n2,,,,\n"
    assert lean.evaluation_ratio(frame(judged), by="category").to_arrow()["unevaluated"].to_pylist() == [2]
    assert lean.roi(frame(judged), by="category").roi == 2


@pytest.mark.parametrize("kind", ["float64", "object", "str"])
def test_an_empty_frame_of_pandas_is_one_of_any_kind(kind: str) -> None:
    frame = pd.DataFrame({"value": [], "valueDate": [], "incidentType": [], "incidentDate": []}, dtype=kind)
    assert len(lean.xmr(frame)) == len(lean.pareto(frame)) == len(lean.days_since(frame)) == 0
    assert lean.safety_cross(frame, severity=None, as_of="2026-03-31").safe == 31


def test_ids_that_pandas_holds_as_floats_are_integers() -> None:
    values = [5.0, 7, 6, 8, 5, 7]
    frame = pd.DataFrame({"value": values * 2, "areaId": [7] * 6 + [None] * 6, "id": [*range(11), None]})
    assert frame["areaId"].dtype == frame["id"].dtype == "float64"
    found = lean.xmr(frame, date=None, by="areaId")
    assert list(found.charts) == ["7", None]
    assert [phase.name for phase in lean.xmr(frame, date=None, phases="areaId").phases] == ["7", ""]
    frame.loc[[3, 11], "value"] = None
    assert lean.xmr(frame, date=None, by="areaId").left_out == ("7: the record 3 has no value", "(none): row 11 has no value")
    with pytest.raises(ValueError, match="column 'share' holds double such as 0.5, not text"):
        lean.pareto(pd.DataFrame({"share": [0.5, 1]}), by="share")
    with pytest.raises(ValueError, match="column 'when' holds timestamp.*, not text"):
        lean.pareto(pd.DataFrame({"when": pd.to_datetime(["2026-03-01"])}), by="when")


@pytest.mark.parametrize(
    ("function", "arguments", "said"),
    [
        (lean.xmr, {"value": 0}, "expected the name of a column; found 0"),
        (lean.xmr, {"by": 0}, "expected the name of a column in `by`; found 0"),
        (lean.xmr, {"phases": 0}, "expected a column of phases, or their first moments; found 0"),
        (lean.pareto, {"by": 0}, "expected the name of a column; found 0"),
        (lean.xmr, {"tz": None}, "expected the name of a time zone, such as Europe/Oslo; found None"),
        (lean.xmr, {"baseline": 5.0}, "a baseline is a number of points: expected a whole number, found 5.0"),
        (lean.days_since, {"as_of": 20260320}, "expected a day such as 2026-03-31; found 20260320"),
        (lean.safety_cross, {"month": 202603}, "expected a month such as 2026-03; found 202603"),
    ],
)
def test_an_argument_of_another_kind_is_refused(function: Callable[..., Any], arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        function(VALUES if function is lean.xmr else MOMENTS, **arguments)
    with pytest.raises(ValueError, match=r"^expected the name of a column in `date`; found 0$"):
        lean.xmr(pa.table(COLUMNS), date=0)  # type: ignore[call-overload]


def test_no_value_of_pandas_and_infinite_decimals_are_left_out_by_name() -> None:
    assert lean.xmr([1, 2, pd.NA, 3, 4, 5]).left_out == ("row 2 has no value",)
    assert lean.xmr({"value": [1, 2, pd.NA, 3, 4, 5]}, date=None).left_out == ("row 2 has no value",)
    decimals = [*map(Decimal, range(5)), Decimal("Infinity"), Decimal("NaN")]
    assert lean.xmr(decimals).left_out == ("row 5 has the value an infinite number", "row 6 has no value")
