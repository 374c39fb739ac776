"""Answers that do not match the interface: each is an `obeya.APIResponseError` that names the location, however it is read.

The answers are those of the real service with one thing in them changed.
"""

from __future__ import annotations

import copy
import datetime
import io
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import canned
import obeya
import plant
import pyarrow as pa
import pytest
import relay

# Reads that between them answer with every kind of record.
READS: dict[str, Callable[[obeya.Client], object]] = {
    "areas": lambda c: c.areas.list(top=2, count=True).page(),
    "area": lambda c: c.areas.get(1),
    "boards": lambda c: c.boards.list(expand="group").page(),
    "board": lambda c: c.boards.get(7, expand="group"),
    "board detail": lambda c: c.boards.detail(7),
    "boards v1": lambda c: c.boards.list_v1().page(),
    "groups": lambda c: c.groups.list(expand="parent,children,users,boards").page(),
    "groups v1": lambda c: c.groups.list_v1().page(),
    "comments": lambda c: c.comments.list(expand="parent,incident").page(),
    "comments v1": lambda c: c.comments.of_incident_v1(10).page(),
    "incidents": lambda c: c.incidents.list(where="id eq 10").page(),
    "incident": lambda c: c.incidents.get(10),
    "incidents v2": lambda c: c.incidents.list_v2(where="id eq 10", expand="area,group,type,comments").page(),
    "trash": lambda c: c.incidents.trash(where="id eq 11").page(),
    "types": lambda c: c.incidents.types().page(),
    "type": lambda c: c.incidents.type_detail(3),
    "types v2": lambda c: c.incidents.types_v2().page(),
    "improvements": lambda c: c.improvements.list().page(),
    "improvement": lambda c: c.improvements.get(5),
    "datasources": lambda c: c.datasources.list().page(),
    "datasource": lambda c: c.datasources.get(1),
    "values": lambda c: c.datasources.values(1, where="id le 2").page(),
    "table of values": lambda c: c.datasources.values(1, where="id le 2", page_size=3).to_arrow(),
}

# Of these a request may select properties, so that any may be missing.
SELECTABLE = {"areas", "area", "boards", "board", "groups", "comments", "incidents v2", "types v2"}


@pytest.fixture(scope="module")
def bodies(server: obeya.TestServer) -> dict[str, Any]:
    """The answer of the service, before it is broken."""
    found: dict[str, Any] = {}
    client_id, client_secret = server.credentials()
    with relay.before(server.base_url) as line, obeya.Client(line.url, client_id, client_secret) as client:
        for name, read in READS.items():
            if name == "table of values":
                # In JSON, as from a service that has no Arrow.
                found[name] = found["values"]
                continue
            read(client)
            found[name] = json.loads(line.exchanges[-1].body)
    return found


@pytest.fixture(scope="module")
def peer() -> Iterator[canned.Saying]:
    with canned.saying() as service:
        yield service


@pytest.fixture(scope="module")
def reader(peer: canned.Saying) -> Iterator[obeya.Client]:
    with obeya.Client(peer.url, token="t", max_retries=0) as client:
        yield client


class Leaf(NamedTuple):
    """A value in a body: its location as in an error, and how to get at it."""

    path: str
    holder: Any
    key: str | int


def leaves(node: Any, path: str = "") -> Iterator[Leaf]:
    """All values that contain no others."""
    members = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in members:
        place = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}".lstrip(".")
        if isinstance(value, (dict, list)):
            yield from leaves(value, place)
        else:
            yield Leaf(place, node, key)


def wrong(leaf: Leaf, selectable: bool) -> list[object]:
    """An invalid value in place of this one."""
    value, name = leaf.holder[leaf.key], str(leaf.key)
    if isinstance(value, bool):
        return ["true", 1]
    if isinstance(value, (int, float)):
        others: list[object] = [f"{value}", True, [value], float("nan"), float("inf")]
        if isinstance(value, int) and (name == "id" or name.endswith("Id")):
            others += [2**31, -(2**31) - 1, 10**30, value + 0.5, float(value), *([None] if name == "id" and not selectable else [])]
        return others
    if isinstance(value, str):
        others = [7, False, {"a": 1}]
        if re.match(r"\d{4}-\d\d-\d\d", value):
            others += ["", "soon", value.replace(value[5:10], "02-30"), value.replace(value[5:7], "13"), value + "x"]
        if re.match(r"\d{4}-\d\d-\d\dT", value):
            others += [value[:11] + "25" + value[13:], "1" + value]
        return others
    return []


def fails(read: Callable[[obeya.Client], object], reader: obeya.Client, path: str, because: object) -> None:
    try:
        read(reader)
    except obeya.APIResponseError as error:
        found = re.search(r"at (\S+): ", str(error))
        assert found, error
        assert found[1] == path, (str(error), because)
    else:
        pytest.fail(f"{because} was accepted at {path}")


@pytest.mark.parametrize("name", READS)
def test_a_value_of_another_kind_is_refused_at_its_place(
    bodies: dict[str, Any], peer: canned.Saying, reader: obeya.Client, name: str
) -> None:
    body = bodies[name]
    peer.body = json.dumps(body).encode()
    READS[name](reader)
    tried = 0
    for leaf in leaves(body):
        right = leaf.holder[leaf.key]
        for value in wrong(leaf, name in SELECTABLE):
            leaf.holder[leaf.key] = value
            peer.body = json.dumps(body).encode()
            fails(READS[name], reader, leaf.path, value)
            tried += 1
        leaf.holder[leaf.key] = right
    assert tried >= 5


@pytest.mark.parametrize("name", READS)
def test_what_must_be_there_is_missed_and_nothing_is_there_twice(
    bodies: dict[str, Any], peer: canned.Saying, reader: obeya.Client, name: str
) -> None:
    body = copy.deepcopy(bodies[name])
    ids = [leaf for leaf in leaves(body) if leaf.key == "id"]
    assert ids
    for leaf in ids:
        around = leaf.path.rpartition(".")[0] or "."
        right = json.dumps(leaf.holder.pop("id"))
        peer.body = json.dumps(body).encode()
        if name in SELECTABLE:
            READS[name](reader)
        else:
            fails(READS[name], reader, around, "no id")
        leaf.holder["id"] = "twice"
        peer.body = json.dumps(body).replace('"id": "twice"', f'"id": {right}, "id": {right}').encode()
        fails(READS[name], reader, around, "two ids")
        leaf.holder["id"] = json.loads(right)


@pytest.mark.parametrize("name", READS)
def test_a_document_that_is_none_is_refused(
    bodies: dict[str, Any], peer: canned.Saying, reader: obeya.Client, name: str
) -> None:
    text = json.dumps(bodies[name], ensure_ascii=False).encode()
    broken = [b"", b"null", b"[1]", b"5", b'"text"', b"<html>", b"\xef\xbb\xbf" + text, text + b"x", text + text, text + b"\0", b"[" + text]
    # Where it is cut decides which place is named; that it is an error is what counts.
    broken += [text[:end] for end in range(1, len(text), max(1, len(text) // 300))]
    broken.append(text.replace(b"{", b"{,", 1))
    broken.append(re.sub(rb'": "', b'": "\x01', text, count=1))
    broken.append(re.sub(rb'": "', b'": "\xff', text, count=1))
    broken.append(re.sub(rb'": "', rb'": "\\ud800', text, count=1))
    for body in broken:
        peer.body = body
        # A record that has no texts has none to spoil.
        if body == text:
            continue
        with pytest.raises(obeya.APIResponseError):
            READS[name](reader)


def test_every_value_after_a_bad_one_is_kept_back(peer: canned.Saying, reader: obeya.Client, bodies: dict[str, Any]) -> None:
    """Pages are taken whole or not at all, and the iteration ends where it failed."""
    body = copy.deepcopy(bodies["values"])
    body["values"][1]["value"] = "7"
    peer.body = json.dumps(body).encode()
    values = iter(reader.datasources.values(1))
    with pytest.raises(obeya.APIResponseError, match=re.escape("at values[1].value: invalid type: string, expected f64")):
        next(values)
    assert list(values) == []


def test_an_error_does_not_repeat_the_answer(peer: canned.Saying, reader: obeya.Client, bodies: dict[str, Any]) -> None:
    body = copy.deepcopy(bodies["incident"])
    body["numberOfComments"] = "Kari Vik was here"
    peer.body = json.dumps(body).encode()
    with pytest.raises(obeya.APIResponseError) as caught:
        reader.incidents.get(10)
    assert "Kari" not in str(caught.value)
    assert caught.value.operation == "getIncidentV1"


# Values as Arrow.

NUMBERS = range(1, 6)


def table() -> pa.Table:
    """Five values of the plant as pyarrow writes them."""
    words = pa.dictionary(pa.int32(), pa.string())
    moment = pa.timestamp("us", "UTC")
    none = [None] * len(NUMBERS)
    columns: dict[str, tuple[pa.DataType, list[Any]]] = {
        "id": (pa.int32(), list(NUMBERS)),
        "dataSourceId": (pa.int32(), [1] * len(NUMBERS)),
        "registrationDate": (moment, [datetime.datetime(2026, 2, 1, tzinfo=datetime.timezone.utc)] * len(NUMBERS)),
        "areaId": (pa.int32(), [plant.area_of_value(n) for n in NUMBERS]),
        "assetId": (pa.int32(), none),
        "projectId": (pa.int32(), none),
        "value": (pa.float64(), [plant.value(n) for n in NUMBERS]),
        "description": (pa.string(), none),
        "dimension": (words, [plant.line_of_value(n) for n in NUMBERS]),
        "dimension2": (words, none),
        "dimension3": (words, none),
        "dimension4": (words, none),
        "valueDate": (moment, [plant.value_date(n) for n in NUMBERS]),
        "externalId": (pa.string(), none),
    }
    required = {"id", "dataSourceId", "registrationDate", "value", "valueDate"}
    schema = pa.schema([pa.field(name, type, nullable=name not in required) for name, (type, _) in columns.items()])
    arrays = [pa.array(values, type) for type, values in columns.values()]
    return pa.Table.from_arrays(arrays, schema=schema)


def stream(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


@pytest.fixture
def arrow_peer(peer: canned.Saying) -> Iterator[canned.Saying]:
    peer.content_type = "application/vnd.apache.arrow.stream"
    yield peer
    peer.content_type = "application/json"


def test_a_stream_that_fits_is_taken(arrow_peer: canned.Saying, reader: obeya.Client) -> None:
    arrow_peer.body = stream(table())
    assert reader.datasources.values(1).to_arrow().to_pylist() == table().to_pylist()


def replaced(name: str, array: pa.Array) -> pa.Table:
    whole = table()
    return whole.set_column(whole.schema.get_field_index(name), name, array)


WRONG_COLUMNS: list[tuple[str, pa.Array]] = [
    ("id", pa.array([1, 2, 3, 4, 2**31], pa.int64())),
    ("id", pa.array(["1", "2", "3", "4", "5"])),
    ("id", pa.array([1.0, 2.0, 3.0, 4.0, 5.0])),
    ("areaId", pa.array([1, 2, 3, 4, 5], pa.uint32())),
    ("value", pa.array(["7"] * 5)),
    ("value", pa.array([1, 2, 3, 4, 5], pa.int64())),
    ("value", pa.array([1, 2, 3, 4, 5], pa.float32())),
    ("dimension", pa.array(["a"] * 5)),
    ("dimension", pa.array([1] * 5).dictionary_encode()),
    ("valueDate", pa.array([0] * 5, pa.timestamp("us"))),
    ("valueDate", pa.array([0] * 5, pa.timestamp("ns", "UTC"))),
    ("valueDate", pa.array(["2026-01-01T00:00:00Z"] * 5)),
    ("description", pa.array([b"a"] * 5)),
]


@pytest.mark.parametrize(("name", "array"), WRONG_COLUMNS, ids=[f"{name} {array.type}" for name, array in WRONG_COLUMNS])
def test_a_column_of_another_type_is_refused_by_name(
    arrow_peer: canned.Saying, reader: obeya.Client, name: str, array: pa.Array
) -> None:
    arrow_peer.body = stream(replaced(name, array))
    with pytest.raises(obeya.APIResponseError, match=f"at {name}: "):
        reader.datasources.values(1).to_arrow()


@pytest.mark.parametrize("name", table().schema.names)
def test_a_column_that_is_missing_is_named(arrow_peer: canned.Saying, reader: obeya.Client, name: str) -> None:
    arrow_peer.body = stream(table().drop_columns([name]))
    with pytest.raises(obeya.APIResponseError, match=f"missing field `{name}`"):
        reader.datasources.values(1).to_arrow()


@pytest.mark.parametrize("name", ["id", "dataSourceId", "registrationDate", "value", "valueDate"])
def test_a_gap_where_none_may_be_is_refused(arrow_peer: canned.Saying, reader: obeya.Client, name: str) -> None:
    column = table()[name].to_pylist()
    arrow_peer.body = stream(replaced(name, pa.array([*column[:2], None, *column[3:]], table().schema.field(name).type)))
    with pytest.raises(obeya.APIResponseError, match=name):
        reader.datasources.values(1).to_arrow()


def test_a_stream_that_is_cut_or_goes_on_is_refused(arrow_peer: canned.Saying, reader: obeya.Client) -> None:
    whole = stream(table())
    for body in [*(whole[:end] for end in range(0, len(whole), 7)), whole + b"x", whole + whole, b"{}", b"ARROW1\0\0" + whole]:
        arrow_peer.body = body
        with pytest.raises(obeya.APIResponseError):
            reader.datasources.values(1).to_arrow()


def test_any_byte_may_be_wrong(arrow_peer: canned.Saying, reader: obeya.Client) -> None:
    """A flipped byte is an error or another value of the same type, and never the end of the process."""
    whole = stream(table())
    refused = 0
    for place in range(0, len(whole), 3):
        arrow_peer.body = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        try:
            found = reader.datasources.values(1).to_arrow()
        except obeya.APIResponseError:
            refused += 1
        else:
            assert found.schema.names == table().schema.names
            found.validate(full=True)
    assert refused > 100
