"""Every list as a table, a frame, a relation, a reader and a file, compared with the records of the same list as they were written."""

from __future__ import annotations

import asyncio
import datetime
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import duckdb
import obeya
import pandas as pd
import plant
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from obeya import _frames
from obeya._obeya import ParquetFile
from obeya._progress import Progress

LISTS: dict[str, Callable[[Any], Any]] = {
    "areas": lambda client: client.areas.list(),
    "boards": lambda client: client.boards.list(),
    "boards (v1)": lambda client: client.boards.list_v1(),
    "groups": lambda client: client.groups.list(),
    "groups (v1)": lambda client: client.groups.list_v1(),
    "comments": lambda client: client.comments.list(),
    "comments of an incident": lambda client: client.comments.of_incident(10),
    "comments of an incident (v1)": lambda client: client.comments.of_incident_v1(10),
    "incidents": lambda client: client.incidents.list(page_size=2),
    "incidents (v2)": lambda client: client.incidents.list_v2(),
    "the trash": lambda client: client.incidents.trash(),
    "incident types": lambda client: client.incidents.types(),
    "incident types (v2)": lambda client: client.incidents.types_v2(),
    "improvements": lambda client: client.improvements.list(),
    "datasources": lambda client: client.datasources.list(),
    "values": lambda client: client.datasources.values(1, page_size=1000, end=plant.value_date(2001)),
    "nothing": lambda client: client.datasources.values(2),
}
"""A list of every kind."""

LINKS = {"group", "parent", "children", "boards", "users", "area", "followUpGroup", "type", "comments", "incident"}
"""The parts of a v2 record that must be expanded."""


@pytest.fixture(scope="module")
def still_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[obeya.TestServer]:
    """A plant that no other test changes."""
    folder: Path = tmp_path_factory.mktemp("still")
    plant.write(folder)
    with obeya.TestServer() as server:
        server.import_dir(folder)
        with server.client() as client:
            incident = client.incidents.get(10)
            client.incidents.set_consequences(incident, [{"id": 34, "amount": 90.5}])
            client.incidents.set_causes(incident, [33, 36])
            client.incidents.set_custom_field(incident, 35, "Press 2")
            for n in range(4):
                client.incidents.create(
                    incident_type_id=3, severity="Low", title=f"Bolt {n}", incident_date="2026-03-02", categories=[31, 32]
                )
        yield server


@pytest.fixture(scope="module")
def still(still_server: obeya.TestServer) -> Iterator[obeya.Client]:
    with still_server.client() as client:
        yield client


def wire(record: Any, names: list[str]) -> dict[str, Any]:
    """A record as it is on the wire, with `None` for missing properties."""
    found: dict[str, Any] = json.loads(record.to_json())
    assert set(found) <= set(names) | LINKS, "a property without a column"
    return {name: plain(found.get(name)) for name in names}


def plain(value: Any) -> Any:
    """Timestamps to the microsecond, as columns have them."""
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", value):
        seconds, _, digits = value.rstrip("Z").partition(".")
        moment = datetime.datetime.fromisoformat(seconds).replace(tzinfo=datetime.timezone.utc)
        return moment.replace(microsecond=int(digits[:6].ljust(6, "0")))
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value


def rows(table: pa.Table) -> list[dict[str, Any]]:
    """The rows, with days as they are on the wire."""
    found: list[dict[str, Any]] = table.to_pylist()
    for row in found:
        for name, value in row.items():
            if type(value) is datetime.date:
                row[name] = value.isoformat()
    return found


@pytest.mark.parametrize("name", LISTS)
def test_a_table_has_every_property_of_every_record(still: obeya.Client, name: str) -> None:
    read = LISTS[name](still)
    table = read.to_arrow()
    expected = [wire(record, table.column_names) for record in read]
    assert rows(table) == expected
    assert bool(expected) is (name != "nothing")
    # The schema before anything is fetched.
    assert pa.schema(read) == table.schema


@pytest.mark.parametrize("name", LISTS)
def test_every_library_reads_the_list_itself_again_and_again(still: obeya.Client, name: str, tmp_path: Path) -> None:
    read = LISTS[name](still)
    table = read.to_arrow()
    expected = table.to_pylist()
    for _ in range(2):
        assert pa.table(read).to_pylist() == expected
        assert read.to_arrow_batch_reader().read_all().to_pylist() == expected
        assert pl.DataFrame(read).height == table.num_rows
        assert read.to_polars().to_dicts() == pl.DataFrame(table).to_dicts()
        file = tmp_path / "rows.parquet"
        assert read.to_parquet(file) == table.num_rows
        assert pq.read_table(file).to_pylist() == expected
        assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]
    relation = read.to_duckdb()
    assert relation.columns == table.column_names
    for _ in range(2):
        assert relation.count("*").fetchall() == [(table.num_rows,)]
        assert duckdb.from_arrow(read).count("*").fetchall() == [(table.num_rows,)]


@pytest.mark.parametrize("name", LISTS)
def test_pandas_loses_nothing(still: obeya.Client, name: str) -> None:
    read = LISTS[name](still)
    table, frame = read.to_arrow(), read.to_pandas()
    assert list(frame.columns) == table.column_names
    for field in table.schema:
        kind, column = frame[field.name].dtype, frame[field.name]
        expected = table[field.name].to_pylist()
        if field.type == pa.int32():
            assert kind == pd.Int32Dtype()
        elif field.type == pa.bool_():
            assert kind == pd.BooleanDtype()
        elif field.type == pa.string():
            assert isinstance(kind, pd.StringDtype)
        elif pa.types.is_dictionary(field.type):
            assert isinstance(kind, pd.CategoricalDtype)
        elif pa.types.is_timestamp(field.type):
            assert str(kind) == "datetime64[us, UTC]"
        elif field.type == pa.date32():
            assert str(kind).startswith("datetime64[")
            expected = [day and pd.Timestamp(day) for day in expected]
        elif pa.types.is_list(field.type):
            assert [len(items) for items in column] == [len(items) for items in expected]
            continue
        else:
            assert field.type == pa.float64()
        assert [None if pd.isna(value) else value for value in column] == expected


@pytest.mark.parametrize("name", LISTS)
def test_asyncio_has_the_same(still_server: obeya.TestServer, still: obeya.Client, name: str, tmp_path: Path) -> None:
    expected, frame = LISTS[name](still).to_arrow(), LISTS[name](still).to_pandas()

    async def run() -> None:
        async with still_server.async_client() as client:
            found = LISTS[name](client)
            assert pa.schema(found) == expected.schema
            assert await found.to_arrow() == expected
            pd.testing.assert_frame_equal(await found.to_pandas(), frame)
            assert (await found.to_polars()).to_dicts() == pl.DataFrame(expected).to_dicts()
            assert (await found.to_duckdb()).count("*").fetchall() == [(expected.num_rows,)]
            assert await found.to_parquet(tmp_path / "rows.parquet") == expected.num_rows
            assert pq.read_table(tmp_path / "rows.parquet").to_pylist() == expected.to_pylist()
            read = await asyncio.to_thread(found.to_arrow_batch_reader().read_all)
            assert read.to_pylist() == expected.to_pylist()
            # Its rows can only be awaited, so it does not pretend that they could be had otherwise.
            assert not hasattr(found, "__arrow_c_stream__")

    asyncio.run(run())


def test_what_is_selected_and_expanded_decides_the_columns(still: obeya.Client) -> None:
    table = still.boards.list(select=["name", "id"], expand="group($select=name)").to_arrow()
    assert table.column_names == ["name", "id", "group"]
    assert table["name"].to_pylist() == ["Tavle"]
    group = table["group"][0].as_py()
    assert {name: value for name, value in group.items() if value is not None} == {"name": "Mechanics"}
    frame = still.boards.list(select="name", expand="group").to_pandas()
    assert list(frame.columns)[:3] == ["name", "group.id", "group.type"]
    assert frame["group.name"].to_list() == ["Mechanics"]
    assert frame["group.id"].dtype == pd.Int32Dtype()

    incident = still.incidents.list_v2(where="id eq 10", select="id", expand="type,comments").to_arrow()
    assert incident.column_names == ["id", "type", "comments"]
    assert incident["type"].to_pylist() == [{"id": 3, "title": "Equipment failure", "description": None}]
    assert [comment["id"] for comment in incident["comments"][0].as_py()] == [100, 101]
    # A link that is not there is nothing, and not a record of nothing.
    groups = still.groups.list(where="id eq 1", expand="parent,children").to_arrow()
    assert groups["parent"].to_pylist() == [None]
    assert [child["name"] for child in groups["children"][0].as_py()] == ["Mechanics"]


def test_the_columns_are_known_before_anything_is_fetched() -> None:
    # There is no server at this address, and no request.
    client = obeya.Client("http://127.0.0.1:9", token="t", max_retries=0)
    for read in LISTS.values():
        assert pa.schema(read(client)).names[0] == "id"
    assert pa.schema(client.areas.list(select="name")).names == ["name"]


Reading = Callable[[Any, Path], object]

TO: dict[str, Reading] = {
    "to_arrow": lambda read, _: read.to_arrow(),
    "to_pandas": lambda read, _: read.to_pandas(),
    "to_polars": lambda read, _: read.to_polars(),
    "to_duckdb": lambda read, _: read.to_duckdb(),
    "to_arrow_batch_reader": lambda read, _: read.to_arrow_batch_reader().read_all(),
    "to_parquet": lambda read, folder: read.to_parquet(folder / "rows.parquet"),
}


@pytest.mark.parametrize("to", TO)
def test_a_failure_keeps_its_class(still: obeya.Client, to: str, tmp_path: Path) -> None:
    for read in (still.areas.list(where="colour eq 'red'"), still.datasources.values(1, where="colour eq 'red'")):
        with pytest.raises(obeya.BadRequestError) as caught:
            TO[to](read, tmp_path)
        assert caught.value.code == "odata.unknown_property"
        assert list(tmp_path.iterdir()) == []


def test_a_failure_under_another_library_says_what_it_is(still: obeya.Client) -> None:
    for read in (still.areas.list(where="colour eq 'red'"), still.datasources.values(1, where="colour eq 'red'")):
        for library in (pa.table, pl.DataFrame, lambda read: duckdb.from_arrow(read).fetchall()):
            # The class is the library's: polars 1.32 panics with the text, and a panic is no Exception.
            with pytest.raises(BaseException, match=r"odata\.unknown_property"):
                library(read)


NEEDS = {
    "to_arrow": ["pyarrow"],
    "to_pandas": ["pyarrow", "pandas"],
    "to_polars": ["polars"],
    "to_duckdb": ["pyarrow", "duckdb"],
    "to_arrow_batch_reader": ["pyarrow"],
}


@pytest.mark.parametrize("to", NEEDS)
def test_a_missing_library_is_named_before_anything_is_fetched(
    to: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # There is no server at this address, and no request.
    areas = obeya.Client("http://127.0.0.1:9", token="t", max_retries=0).areas.list()
    monkeypatch.setitem(sys.modules, NEEDS[to][-1], None)
    with pytest.raises(ImportError, match=f"this needs {' and '.join(NEEDS[to])}: pip install {' '.join(NEEDS[to])}$"):
        TO[to](areas, tmp_path)


@pytest.mark.parametrize("version", ["1.3.0", "1.9.0", "1.10.0", "1.31.0", "0.20.31"])
def test_polars_that_loses_or_changes_values_is_refused(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # There is no server at this address, and no request.
    areas = obeya.Client("http://127.0.0.1:9", token="t", max_retries=0).areas.list()
    monkeypatch.setattr(pl, "__version__", version)
    with pytest.raises(ImportError, match=f"^polars {re.escape(version)} loses rows or returns wrong values: pip install 'polars>=1.32'$"):
        areas.to_polars()
    for version in ("1.32.0", "1.32.0rc1", "2.0.0-beta.1"):
        monkeypatch.setattr(pl, "__version__", version)
        with pytest.raises(obeya.APIConnectionError):
            areas.to_polars()


def test_rows_that_a_library_loses_are_missed(still: obeya.Client) -> None:
    # What is made of 1,203 areas is whole, and lacks one of 1,204.
    areas = still.areas.list()
    rows, fetched = areas._rows(Progress("areas", wanted=False))
    assert fetched == plant.AREAS
    makers: dict[str, Callable[[int], Any]] = {
        "pyarrow": lambda fetched: _frames.table(rows, fetched),
        "polars": lambda fetched: _frames.polars_frame(rows, fetched),
    }
    for library, make in makers.items():
        assert len(make(fetched)) == plant.AREAS
        says = f"^{library} .* made 1,203 rows of the 1,204 that were fetched, so nothing is returned"
        with pytest.raises(obeya.RowCountError, match=says) as caught:
            make(fetched + 1)
        assert (caught.value.found, caught.value.expected) == (1203, 1204)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy), copy.found) == (obeya.RowCountError, str(caught.value), 1203)


def test_a_file_without_all_rows_is_not_kept(still: obeya.Client, tmp_path: Path) -> None:
    query = still.areas.list()._query
    batch = query.batches(False).next().wait()
    assert batch is not None and batch.rows == 1000
    with ParquetFile(query, tmp_path / "rows.parquet", "zstd", 300) as file:
        file.write(batch).wait()
        says = "^the Parquet file has 1000 rows of the 1203 that were fetched, so it is not kept$"
        with pytest.raises(obeya.RowCountError, match=says) as caught:
            file.finish(plant.AREAS).wait()
    assert (caught.value.found, caught.value.expected) == (1000, 1203)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_whole_or_as_it_was(still: obeya.Client, tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    file.write_text("before")
    with pytest.raises(obeya.BadRequestError):
        still.areas.list(where="colour eq 'red'").to_parquet(file)
    with pytest.raises(ValueError, match="^compression is 'zstd', 'snappy' or 'none', not \"nonsense\"$"):
        still.areas.list().to_parquet(file, compression="nonsense")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    for size in (0, -1):
        with pytest.raises(ValueError, match=f"^row_group_size is 1 or more, not {size}$"):
            still.areas.list().to_parquet(file, row_group_size=size)
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]
    assert file.read_text() == "before"
    with pytest.raises(FileNotFoundError):
        still.areas.list().to_parquet(tmp_path / "nowhere" / "rows.parquet")
    # There is no server at this address, and no request.
    nobody = obeya.Client("http://127.0.0.1:9", token="t", max_retries=0)
    for folder in (tmp_path, "/", ".."):
        with pytest.raises(IsADirectoryError, match="is a folder, not a file"):
            nobody.areas.list().to_parquet(folder)


@pytest.mark.parametrize(("compression", "codec"), [("zstd", "ZSTD"), ("snappy", "SNAPPY"), ("none", "UNCOMPRESSED")])
def test_a_file_is_compressed_as_asked_and_its_owners_alone_unless_it_replaces_another(
    still: obeya.Client, tmp_path: Path, compression: Literal["zstd", "snappy", "none"], codec: str
) -> None:
    file = tmp_path / "rows.parquet"
    assert still.areas.list().to_parquet(str(file), compression=compression) == plant.AREAS
    assert pq.read_table(file)["name"].to_pylist()[:2] == ["Foundry", "Assembly"]
    assert pq.ParquetFile(file).metadata.row_group(0).column(0).compression == codec
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
        # A mode that the user has changed persists.
        file.chmod(0o644)
        still.areas.list().to_parquet(file, compression=compression)
        assert file.stat().st_mode & 0o777 == 0o644


def test_a_file_needs_no_other_library(
    still: obeya.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = still.areas.list().to_arrow()
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as without:
        for name in ("pyarrow", "pandas", "polars", "duckdb"):
            without.setitem(sys.modules, name, None)
        assert still.areas.list().to_parquet("rows.parquet") == plant.AREAS
    assert pq.read_table("rows.parquet") == expected


def test_a_file_has_words_for_what_comes_again_only(still: obeya.Client, tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    still.datasources.values(1).to_parquet(file)
    group = pq.ParquetFile(file).metadata.row_group(0)
    chunks = [group.column(index) for index in range(group.num_columns)]
    assert [chunk.path_in_schema for chunk in chunks if not chunk.has_dictionary_page] == ["id", "registrationDate", "valueDate"]


def test_a_file_stays_where_it_was_begun(still: obeya.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, other = tmp_path / "begun", tmp_path / "other"
    begun.mkdir()
    other.mkdir()
    areas = still.areas.list()
    monkeypatch.chdir(begun)
    file = ParquetFile(areas._query, "rows.parquet", "zstd", 1000)
    monkeypatch.chdir(other)
    with file:
        file.finish().wait()
    assert pq.read_schema(begun / "rows.parquet") == pa.schema(areas)
    assert list(other.iterdir()) == []


def test_a_file_is_finished_once(still: obeya.Client, tmp_path: Path) -> None:
    query = still.areas.list()._query
    batch = query.batches(False).next().wait()
    assert batch is not None
    with ParquetFile(query, tmp_path / "rows.parquet", "zstd", 1000) as file:
        # A write is answered before its rows are written, so it takes several for one that waits.
        for _ in range(3):
            file.write(batch).wait()
        file.finish().wait()
        for late in (file.write(batch), file.finish()):
            with pytest.raises(ValueError, match="the file is ended"):
                late.wait()
    assert pq.read_table(tmp_path / "rows.parquet")["id"].to_pylist() == 3 * pa.table(batch)["id"].to_pylist()
    with ParquetFile(query, tmp_path / "other.parquet", "zstd", 1000) as file:
        file.write(batch).wait()
        assert len(list(tmp_path.iterdir())) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


FULL_DISK = """
import resource, sys
import obeya

client = obeya.Client(sys.argv[1], sys.argv[2], sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    client.datasources.values(1).to_parquet(sys.argv[4])
except OSError as error:
    print(type(error).__name__, error)
"""


def test_a_file_that_cannot_be_written_is_an_error_of_the_system(
    still_server: obeya.TestServer, tmp_path: Path
) -> None:
    file = tmp_path / "rows.parquet"
    file.write_text("before")
    script = [sys.executable, "-c", FULL_DISK, still_server.base_url, *still_server.credentials(), str(file)]
    found = subprocess.run(script, check=True, capture_output=True, text=True)
    assert found.stdout.startswith("OSError File too large (os error 27)")
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]
    assert file.read_text() == "before"


def test_a_file_has_row_groups_of_many_pages(still: obeya.Client, tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    assert still.datasources.values(1, page_size=400).to_parquet(file, row_group_size=1000) == plant.VALUES
    written = pq.ParquetFile(file).metadata
    assert [written.row_group(n).num_rows for n in range(written.num_row_groups)] == [1000, 1000, 500]
    assert pq.read_table(file)["dimension"].to_pylist() == [plant.line_of_value(n) for n in range(1, plant.VALUES + 1)]


def test_a_reader_fetches_while_it_is_read(still: obeya.Client) -> None:
    reader = still.datasources.values(1, page_size=1000).to_arrow_batch_reader()
    assert reader.schema.names[0] == "id"
    assert [batch.num_rows for batch in reader] == [1000, 1000, 500]
    assert list(reader) == []
    # A reader that is not read to its end costs nothing.
    assert still.areas.list().to_arrow_batch_reader().read_next_batch().num_rows == 1000


class Bars:
    """The calls of every progress bar, oldest first."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import tqdm.auto

        self.made: list[dict[str, Any]] = []
        made = self.made

        class Bar(tqdm.auto.tqdm):  # type: ignore[misc]
            def __init__(self, **settings: Any) -> None:
                super().__init__(**settings)
                self.calls: dict[str, Any] = {"totals": []}
                made.append(self.calls)

            def update(self, n: float | None = 1) -> Any:
                self.calls["totals"].append(self.total)
                return super().update(n)

            # Called by the finalizer too, while a later bar may be the newest.
            def close(self) -> None:
                self.calls["n"] = self.n
                self.calls["text"] = str(self)
                super().close()

        monkeypatch.setattr("tqdm.auto.tqdm", Bar)


@pytest.mark.parametrize("to", TO)
def test_progress_shows_rows_and_how_many_there_will_be(
    still: obeya.Client, to: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bars = Bars(monkeypatch)
    options = {"progress": True}
    shown: list[Any] = [
        (still.datasources.values(1, page_size=1000), [2500] * 3, 2500),
        (still.datasources.values(1, page_size=1000, top=1500), [1500] * 2, 1500),
        (still.datasources.values(1, top=5000), [2500], 2500),
        (still.areas.list(), [plant.AREAS] * 2, plant.AREAS),
        (still.areas.list(top=1100, skip=3), [1100, 1100], 1100),
        (still.areas.list(skip=1200), [3], 3),
        (still.incidents.list(page_size=2), [5, 5, 5], 5),
        (still.incidents.types(), [1], 1),
    ]
    for read, totals, rows in shown:
        if to == "to_parquet":
            read.to_parquet(tmp_path / "rows.parquet", **options)
        elif to == "to_arrow_batch_reader":
            read.to_arrow_batch_reader(**options).read_all()
        else:
            getattr(read, to)(**options)
        bar = bars.made.pop()
        assert bars.made == []
        assert (bar["totals"], bar["n"]) == (totals, rows)
        # tqdm shows the second where a row takes longer than a second.
        assert "rows/s" in bar["text"] or "s/rows" in bar["text"]
    assert "areas" in capsys.readouterr().err


def test_progress_without_tqdm_is_a_warning(still: obeya.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.warns(UserWarning, match="progress=True needs tqdm: pip install tqdm") as caught:
        assert still.areas.list().to_arrow(progress=True).num_rows == plant.AREAS
    # The warning names the line of the caller.
    assert [warning.filename for warning in caught] == [__file__]


def test_a_total_that_proves_wrong_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    bars = Bars(monkeypatch)

    class Counted:
        rows, total = 700, 1000

    with Progress("areas", wanted=True) as bar:
        for _ in range(2):
            bar.advance(Counted())  # type: ignore[arg-type]
    assert bars.made[0]["totals"] == [1000, None]
    assert bar.rows == 1400
