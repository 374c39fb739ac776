"""The input: any frame becomes an Arrow table here, and its columns become plain Python values of one known kind.

Nothing behind this module looks at a frame of the caller's library, guesses a time zone or passes a missing value on unseen.
"""

from __future__ import annotations

import datetime
import json
import math
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pyarrow as pa
import pyarrow.compute as pc

Day: TypeAlias = datetime.date | str
"""A day: a ``date``, a ``datetime`` (its day, in the time zone of the call) or ISO 8601 text such as ``2026-03-31``."""

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_DAY = 86_400_000_000
"""The microseconds of a day."""
_CYCLE = 146_097 * _DAY
"""Those of 400 years, after which the calendar repeats itself."""
_OUTSIDE = f"outside of the years {datetime.MINYEAR} to {datetime.MAXYEAR}"

_Held = TypeVar("_Held")


@dataclass(frozen=True)
class Beyond:
    """A day or moment that Arrow can represent and Python cannot: 0001-01-01T00:00:00+05:00 is of the year 0 in UTC."""

    text: str
    """It in ISO 8601, moments in UTC."""
    after: bool
    """Whether it comes after the last year; before the first one otherwise."""

    def __str__(self) -> str:
        return f"{self.text}, {_OUTSIDE}"


class ArrowStream(Protocol):
    """A frame of polars, pandas 2.2 or pyarrow, a DuckDB relation, `obeya.Values`, or a result of this package."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Frame: TypeAlias = ArrowStream | Mapping[str, Any] | Iterable[Any]
"""The data that the functions accept: a frame, columns by name, or an iterable of records (of `obeya`, or dictionaries)."""


def table(data: Frame) -> pa.Table:
    """The frame as an Arrow table, without a copy where its library allows that."""
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all()
    if hasattr(data, "__aiter__") and hasattr(data, "to_arrow"):
        message = f"an {type(data).__name__} is awaited: expected a frame, so await its to_arrow() first"
        raise TypeError(message)
    if hasattr(data, "to_arrow_batch_reader"):
        # A list of `obeya` makes the table itself, so that its exceptions keep their class.
        return cast("Any", data).to_arrow()
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return pa.table(data)
    if isinstance(data, Mapping):
        return pa.table(dict(data))
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        return _of_records(data)
    message = f"expected a frame, columns or records; found {type(data).__name__}"
    raise TypeError(message)


def column(table: pa.Table, name: str, argument: str) -> pa.ChunkedArray:
    """A column, without a dictionary, texts in one form. ``argument`` is how the caller names another one."""
    if name not in table.column_names:
        found = ", ".join(table.column_names) or "none"
        message = f"no column {name!r}; the columns are: {found}. The argument `{argument}` takes another name"
        raise ValueError(message)
    values = table.column(name)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    # By name: old pyarrow has no type of string views to compare with.
    if str(values.type) in ("large_string", "string_view"):
        values = values.cast(pa.string())
    return values


def numbers(table: pa.Table, name: str, argument: str) -> list[float | None]:
    """Numbers; null and NaN are None. Infinity is refused, as no formula here has a use for it."""
    values = column(table, name, argument)
    kind = values.type
    known = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind)
    if not known:
        message = f"column {name!r} holds {kind}, not numbers"
        raise ValueError(message)
    found = [None if value is None or math.isnan(value) else value for value in values.cast(pa.float64()).to_pylist()]
    for row, value in enumerate(found):
        if value is not None and math.isinf(value):
            message = f"column {name!r} holds an infinite number in row {row}"
            raise ValueError(message)
    return found


def words(table: pa.Table, name: str, argument: str) -> list[str | None]:
    """Texts, or whole numbers and truth values as text."""
    values = column(table, name, argument)
    kind = values.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        values = values.cast(pa.string())
    elif not pa.types.is_string(kind):
        message = f"column {name!r} holds {kind}, not text"
        raise ValueError(message)
    return list(values.to_pylist())


def instants(table: pa.Table, name: str, argument: str) -> list[datetime.datetime | None]:
    """Moments in UTC. A timestamp without a zone is UTC, a day is its midnight in UTC, as everywhere in `obeya`."""
    return _held(all_instants(table, name, argument), name)


def all_instants(table: pa.Table, name: str, argument: str) -> list[datetime.datetime | Beyond | None]:
    """The same, for callers that handle a moment that Python cannot represent."""
    values = _timestamps(column(table, name, argument), name)
    # Not to_pylist on timestamps: it wants pandas for nanoseconds, and a time zone database for names.
    micros = values.cast(pa.timestamp("us"), safe=False).cast(pa.int64()).to_pylist()
    return [None if value is None else _instant(value) for value in micros]


def days(table: pa.Table, name: str, argument: str, tz: str) -> list[datetime.date | None]:
    """Days. A column of days is taken as it is; a moment belongs to the day it has in the time zone ``tz``."""
    return _held(all_days(table, name, argument, tz), name)


def all_days(table: pa.Table, name: str, argument: str, tz: str) -> list[datetime.date | Beyond | None]:
    """The same, for callers that handle a day that Python cannot represent."""
    where = zone(tz)
    values = column(table, name, argument)
    if pa.types.is_string(values.type):
        values = _parsed(values, name)
    if pa.types.is_date(values.type):
        # Not to_pylist on days, which fails for those that Python cannot represent.
        numbered = values.cast(pa.date32()).cast(pa.int32()).to_pylist()
        return [None if number is None else _day(number) for number in numbered]
    moments = all_instants(table, name, argument)
    return [local_day(moment, where) if isinstance(moment, datetime.datetime) else moment for moment in moments]


def _instant(micros: int) -> datetime.datetime | Beyond:
    """The moment so long after the epoch."""
    try:
        return _EPOCH + datetime.timedelta(microseconds=micros)
    except OverflowError:
        cycles, rest = divmod(micros, _CYCLE)
        alike = _EPOCH + datetime.timedelta(microseconds=rest)
        return Beyond(f"{alike.year + 400 * cycles:04}{alike.isoformat()[4:]}", after=micros > 0)


def _day(number: int) -> datetime.date | Beyond:
    """The day so long after the epoch."""
    midnight = _instant(number * _DAY)
    if isinstance(midnight, Beyond):
        return Beyond(midnight.text.partition("T")[0], midnight.after)
    return midnight.date()


def _held(values: Sequence[_Held | Beyond | None], name: str) -> list[_Held | None]:
    """Rejects values that Python cannot represent, and names the row of the first one."""
    held: list[_Held | None] = []
    for row, value in enumerate(values):
        if isinstance(value, Beyond):
            message = f"column {name!r} holds {value.text} in row {row}, {_OUTSIDE}"
            raise ValueError(message)
        held.append(value)
    return held


def local_day(moment: datetime.datetime, where: datetime.tzinfo) -> datetime.date:
    """The day of a moment in a time zone; of the first and the last moments there are, that in UTC."""
    try:
        return moment.astimezone(where).date()
    except OverflowError:
        # The calendar ends with 9999-12-31, which some write for "never": there is no day after it.
        return moment.date()


def known(values: Sequence[Any], name: str, why: str) -> None:
    """Refuses missing values, with where the first of them is."""
    missing = [row for row, value in enumerate(values) if value is None]
    if missing:
        message = f"column {name!r} has {len(missing)} missing values, the first in row {missing[0]}; {why}"
        raise ValueError(message)


def record(table: pa.Table, row: int, key: str) -> str:
    """The name of a row in messages: the record by its key, if the frame has that column."""
    which = table.column(key)[row].as_py() if key in table.column_names else None
    return f"row {row}" if which is None else f"the record {which}"


def zone(tz: str) -> datetime.tzinfo:
    """A time zone by its IANA name. UTC needs no database of them."""
    if tz == "UTC":
        return datetime.timezone.utc
    try:
        return ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError) as error:
        message = f"no time zone {tz!r} is known here; expected a name such as Europe/Oslo"
        raise ValueError(message) from error


def day(value: Day | None, tz: str) -> datetime.date:
    """The day that is meant; today in the time zone ``tz`` when none is given."""
    where = zone(tz)
    if value is None:
        return datetime.datetime.now(where).date()
    if isinstance(value, str):
        try:
            return datetime.date.fromisoformat(value)
        except ValueError as error:
            message = f"expected a day such as 2026-03-31; found {value!r}"
            raise ValueError(message) from error
    if isinstance(value, datetime.datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
        return aware.astimezone(where).date()
    return value


def moment(value: Day | datetime.datetime) -> datetime.datetime:
    """The instant that is meant, by the same rules as `instants`."""
    if isinstance(value, str):
        parsed = _timestamps(pa.chunked_array([pa.array([value])]), "text")
        found = _instant(parsed.cast(pa.timestamp("us"), safe=False).cast(pa.int64())[0].as_py())
        if isinstance(found, Beyond):
            message = f"no moment such as {value!r} can be looked at: it is {found}"
            raise ValueError(message)
        return found
    if isinstance(value, datetime.datetime):
        return (value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)).astimezone(datetime.timezone.utc)
    return datetime.datetime(value.year, value.month, value.day, tzinfo=datetime.timezone.utc)


def grouped(table: pa.Table, by: str | None, argument: str = "by") -> dict[str | None, list[int]]:
    """The rows of each group, groups by name and the nameless last; one group without a name when there is nothing to group by."""
    if by is None:
        return {None: list(range(table.num_rows))} if table.num_rows else {}
    rows: dict[str | None, list[int]] = {}
    for row, name in enumerate(words(table, by, argument)):
        rows.setdefault(name, []).append(row)
    return dict(sorted(rows.items(), key=lambda item: (item[0] is None, item[0] or "")))


def grouped_by(table: pa.Table, names: Sequence[str]) -> dict[str | None, list[int]]:
    """The rows of each group by several columns. A group has the names in all of them; null is a name of none."""
    columns = [words(table, name, "by") for name in names]
    rows: dict[tuple[str | None, ...], list[int]] = {}
    for row, parts in enumerate(zip(*columns, strict=True)):
        rows.setdefault(parts, []).append(row)
    ordered = sorted(rows.items(), key=lambda item: [(part is None, part or "") for part in item[0]])
    return {
        (None if all(part is None for part in parts) else ", ".join("(none)" if part is None else part for part in parts)): own
        for parts, own in ordered
    }


def _of_records(records: Iterable[Any]) -> pa.Table:
    """Records of the client have the names of the wire in their JSON only."""
    rows: list[dict[str, Any]] = []
    for record in records:
        if isinstance(record, Mapping):
            rows.append(dict(record))
        elif hasattr(record, "to_json"):
            rows.append(json.loads(record.to_json()))
        else:
            message = f"expected records of obeya or dictionaries; found {type(record).__name__}"
            raise TypeError(message)
    # from_pylist looks at the keys of the first row alone.
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({name: pa.array([row.get(name) for row in rows]) for name in names})


def _timestamps(values: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    if pa.types.is_string(values.type):
        values = _parsed(values, name)
    kind = values.type
    if pa.types.is_date(kind) or pa.types.is_null(kind):
        return values.cast(pa.timestamp("us"))
    if pa.types.is_timestamp(kind):
        # The numbers under a zone are UTC already: only the label goes.
        return values.cast(pa.timestamp(kind.unit, "UTC")).cast(pa.timestamp(kind.unit)) if kind.tz else values
    message = f"column {name!r} holds {kind}, not days or moments"
    raise ValueError(message)


def _parsed(values: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Text as it is on the wire and in CSV: days, moments with an offset, moments without one. All of one kind."""
    # Not nanoseconds, which end in 2262: a due date of 9999-12-31 is a moment too.
    cut = pc.replace_substring_regex(values, r"(\.\d{6})\d+", r"\1")
    kinds = (pa.date32(), pa.timestamp("us", "UTC"), pa.timestamp("us"))
    for kind in kinds:
        found = _cast(cut, kind)
        if found is not None:
            return found
    # It is of the kind that the longest part from the beginning is of, and the value after that part is not.
    row = max(bisect(range(len(cut)), False, key=lambda row: _cast(cut.slice(0, row + 1), kind) is None) for kind in kinds)
    sample = f"{values[row].as_py()!r} in row {row}"
    message = f"column {name!r} holds text that is not days or moments of ISO 8601 throughout, such as {sample}"
    raise ValueError(message)


def _cast(values: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        return None


def exploded(table: pa.Table, path: str, argument: str) -> tuple[pa.ChunkedArray, pa.ChunkedArray | None]:
    """A column, or a field of each entry of a column of lists, with the row that each entry comes from.

    ``causes`` is the same as ``causes.title``. The rows are None where the column has no lists.
    """
    name, _, field = path.partition(".")
    values = column(table, name, argument).combine_chunks()
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], values.type)
    rows = None
    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        rows = pa.chunked_array([pc.list_parent_indices(values)])
        values = pc.list_flatten(values)
        field = field or "title"
    if field and pa.types.is_struct(values.type):
        if values.type.get_field_index(field) < 0:
            names = ", ".join(part.name for part in values.type)
            message = f"no field {field!r} in column {name!r}; it has: {names}"
            raise ValueError(message)
        values = pc.struct_field(values, field)
    elif field and not pa.types.is_null(values.type) and field != "title":
        message = f"column {name!r} holds {values.type}, which has no field {field!r}"
        raise ValueError(message)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    return pa.chunked_array([values]), rows
