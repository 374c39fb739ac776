"""Datasource values: pages, records, Arrow and pandas, against the formula they were made with."""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path
from random import Random

import obeya
import pandas as pd
import plant
import pyarrow as pa
import pytest

UTC = datetime.timezone.utc
ALL = range(1, plant.VALUES + 1)


def test_a_page_by_its_number(client: obeya.Client) -> None:
    values = client.datasources.values(1, page_size=1000)
    page = values.page(3)
    assert page.count == values.count() == plant.VALUES
    assert [value.id for value in page] == list(range(2001, 2501))
    assert len(values.page(4)) == 0
    assert [len(page) for page in values.pages()] == [1000, 1000, 500]
    assert values.first() == values.page()[0]
    value = page[0]
    assert (value.value, value.dimension) == (plant.value(2001), plant.line_of_value(2001))
    assert (value.data_source_id, value.area_id) == (1, None)
    assert value.value_date == plant.value_date(2001)


def test_values_are_records_in_order(client: obeya.Client) -> None:
    values = client.datasources.values(1, page_size=700)
    assert [value.value for value in values] == [plant.value(n) for n in ALL]
    # A request can be read again.
    assert sum(1 for _ in values) == plant.VALUES


def test_days_are_included_and_moments_excluded(client: obeya.Client) -> None:
    def ids(start: datetime.date | str, end: datetime.date | str) -> list[int]:
        return [value.id for value in client.datasources.values(1, start=start, end=end)]

    assert ids(plant.value_date(10), plant.value_date(13)) == [11, 12]
    assert ids(plant.value_date(10).isoformat(), "2026-01-01T03:15:00") == [11, 12]
    # A day has 96 quarters; the first of 3 January is number 2 * 96, at midnight.
    two_days, midnights = list(range(192, 384)), ("2026-01-03T00:00:00Z", datetime.datetime(2026, 1, 5))
    assert ids(datetime.date(2026, 1, 3), "2026-01-04") == two_days
    assert ids("2026-01-03", midnights[1]) == two_days
    assert ids(midnights[0], datetime.date(2026, 1, 4)) == ids(*midnights) == two_days[1:]
    # A moment without a zone is UTC.
    assert ids(datetime.datetime(2026, 1, 1, 2, 30), datetime.datetime(2026, 1, 1, 3, 15)) == [11, 12]
    with pytest.raises(ValueError, match="expected a day the calendar has"):
        ids("2026-02-30", "2026-03-01")
    with pytest.raises(TypeError, match="found time, expected a day, a moment or text"):
        ids(datetime.time(6), "2026-03-01")  # type: ignore[arg-type]


def test_filter_and_order(client: obeya.Client) -> None:
    values = client.datasources.values(1, where="dimension eq 'Line 2' and value lt 10", order_by="value desc")
    assert [value.id for value in values] == [17, 13, 9, 5, 1]


def test_to_arrow(client: obeya.Client) -> None:
    table = client.datasources.values(1, page_size=1000).to_arrow()
    assert table.num_rows == plant.VALUES
    assert table.column_names == [
        "id", "dataSourceId", "registrationDate", "areaId", "assetId", "projectId", "value", "description",
        "dimension", "dimension2", "dimension3", "dimension4", "valueDate", "externalId",
    ]  # fmt: skip
    assert table.schema.field("areaId").type == pa.int32()
    assert table.schema.field("valueDate").type == pa.timestamp("us", tz="UTC")
    assert [field.name for field in table.schema if not field.nullable] == [
        "id", "dataSourceId", "registrationDate", "value", "valueDate",
    ]  # fmt: skip
    assert pa.types.is_dictionary(table.schema.field("dimension").type)
    assert table["value"].to_pylist() == [plant.value(n) for n in ALL]
    assert table["areaId"].to_pylist() == [plant.area_of_value(n) for n in ALL]
    assert table["valueDate"].to_pylist() == [plant.value_date(n) for n in ALL]
    assert table["dimension"].to_pylist() == [plant.line_of_value(n) for n in ALL]
    # Python has microseconds; the seventh digit is truncated.
    assert table["registrationDate"][0].as_py() == datetime.datetime(2026, 2, 1, 0, 0, 0, 123_456, tzinfo=UTC)


def test_to_pandas_loses_nothing(client: obeya.Client) -> None:
    frame = client.datasources.values(1, page_size=1000).to_pandas()
    assert frame["areaId"].dtype == pd.Int32Dtype()
    assert [None if pd.isna(area) else area for area in frame["areaId"]] == [plant.area_of_value(n) for n in ALL]
    assert frame["value"].sum() == sum(plant.value(n) for n in ALL)
    assert isinstance(frame["dimension"].dtype, pd.CategoricalDtype)
    assert frame["dimension"].value_counts().to_dict() == dict.fromkeys(["Line 1", "Line 2", "Line 3", "Line 4"], 625)
    assert str(frame["valueDate"].dtype) == "datetime64[us, UTC]"
    assert frame["valueDate"].iloc[-1] == pd.Timestamp(plant.value_date(plant.VALUES))
    assert frame["description"].iloc[0] == "cold start"
    assert frame["description"].isna().sum() == plant.VALUES - 1


def test_a_datasource_without_values_has_its_columns_all_the_same(client: obeya.Client) -> None:
    assert client.datasources.values(2).to_arrow().schema == client.datasources.values(1, page_size=10).to_arrow().schema
    frame = client.datasources.values(2).to_pandas()
    assert len(frame) == 0
    assert frame["areaId"].dtype == pd.Int32Dtype()


def test_other_libraries_read_the_request_itself(client: obeya.Client) -> None:
    values = client.datasources.values(1, page_size=1000)
    reader = pa.RecordBatchReader.from_stream(values)
    assert [batch.num_rows for batch in reader] == [1000, 1000, 500]
    # Again: a request is not used up.
    assert pa.table(values).num_rows == plant.VALUES
    assert pa.schema(values).names == pa.table(values).schema.names


def test_a_failure_is_typed_before_anything_is_given_out(client: obeya.Client) -> None:
    for read in (lambda values: values.to_arrow(), lambda values: values.to_pandas(), list):
        with pytest.raises(obeya.BadRequestError) as caught:
            read(client.datasources.values(1, where="colour eq 'red'"))
        assert caught.value.code == "odata.unknown_property"
    # A library that drives the stream reports a failure with its own exception.
    with pytest.raises(Exception, match=r"odata\.unknown_property"):
        pa.table(client.datasources.values(1, where="colour eq 'red'"))


def test_numbers_arrive_to_the_last_bit(tmp_path: Path) -> None:
    # A reader that rounds twice is off by one bit for one number in twenty such.
    random = Random(7)
    numbers = [random.random() * 10.0 ** random.randint(-5, 8) for _ in range(1000)]
    lines = [
        {"id": n, "dataSourceId": 1, "value": number, "valueDate": "2026-01-01T00:00:00Z"}
        for n, number in enumerate(numbers, start=1)
    ]
    (tmp_path / "datasources.jsonl").write_text('{"id": 1}\n')
    (tmp_path / "datasource_values.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with obeya.TestServer() as server:
        server.import_dir(tmp_path)
        with server.client() as client:
            values = client.datasources.values(1, order_by="id")
            assert values.to_arrow()["value"].to_pylist() == numbers
            assert [value.value for value in values] == numbers


def test_repr(client: obeya.Client) -> None:
    assert repr(client.datasources.values(1)) == "<obeya.Values of datasource 1>"


def test_a_missing_library_is_named_before_anything_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    # There is no server at this address, and no request.
    values = obeya.Client("http://127.0.0.1:9", token="t", max_retries=0).datasources.values(1)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="this needs pyarrow and pandas: pip install pyarrow pandas$"):
        values.to_pandas()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="this needs pyarrow: pip install pyarrow$"):
        values.to_arrow()
