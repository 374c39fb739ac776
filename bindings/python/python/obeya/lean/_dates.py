"""Days and moments: columns of them, those of arguments, and time zones.

Nothing behind this module guesses a time zone or passes on a date that Python cannot represent.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pyarrow as pa
import pyarrow.compute as pc

from obeya.lean import _frame

Day: TypeAlias = datetime.date | str
"""A day: a ``date``, a ``datetime`` (its day, in the time zone of the call) or ISO 8601 text such as ``2026-03-31``."""

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_DAY = 86_400_000_000
"""The microseconds of a day."""
_CYCLE = 146_097 * _DAY
"""Those of 400 years, after which the calendar repeats itself."""
_OUTSIDE = f"outside of the years {datetime.MINYEAR} to {datetime.MAXYEAR}"
_KINDS = (pa.date32(), pa.timestamp("us", "UTC"), pa.timestamp("us"))
"""What text may be: days, moments with an offset, moments without one."""


@dataclass(frozen=True)
class Beyond(_frame.Unusable):
    """A day or moment that Arrow can represent and Python cannot: 0001-01-01T00:00:00+05:00 is of the year 0 in UTC."""

    after: bool
    """Whether it comes after the last year; before the first one otherwise."""

    def __str__(self) -> str:
        return f"{self.text}, {_OUTSIDE}"


class Unread(_frame.Unusable):
    """A text that is no date."""

    def __str__(self) -> str:
        return f"{self.text!r}, which is no day or moment of ISO 8601"


class Stamp(NamedTuple):
    """A day or a moment of a column."""

    moment: datetime.datetime
    """In UTC. A timestamp without a zone is UTC, a day is its midnight in UTC, as everywhere in `obeya`."""
    day: datetime.date | None
    """The day, if the value is one and has no time."""

    @property
    def whole(self) -> bool:
        """Whether only the day is known: a day as such, or the first moment of one in UTC, as systems store a day."""
        return self.day is not None or self.moment.time() == datetime.time()

    def local(self, where: datetime.tzinfo) -> datetime.date:
        """Its day in a time zone. Where only the day is known, that is the same in each."""
        return self.moment.date() if self.whole else local_day(self.moment, where)

    def clock(self, where: datetime.tzinfo) -> datetime.datetime:
        """What calendar and clock show in a time zone, without the zone. A day is its first moment in each."""
        if self.day is not None:
            return datetime.datetime.combine(self.day, datetime.time())
        try:
            return self.moment.astimezone(where).replace(tzinfo=None)
        except OverflowError:
            return self.moment.replace(tzinfo=None)


Found: TypeAlias = Stamp | _frame.Unusable | None
"""A value of a column of dates."""


def stamps(table: pa.Table, name: str, argument: str) -> list[Found]:
    """Days and moments, also in one column: as such, or as texts of ISO 8601."""
    values = _frame.column(table, name, argument)
    kind = values.type
    if pa.types.is_null(kind):
        return [None] * len(values)
    if pa.types.is_string(kind):
        return _of_texts(values)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return _of_dates(values)
    message = f"column {name!r} holds {_frame.what(values)}, not days or moments"
    raise ValueError(message)


def local_day(moment: datetime.datetime, where: datetime.tzinfo) -> datetime.date:
    """The day of a moment in a time zone; of the first and the last moments there are, that in UTC."""
    try:
        return moment.astimezone(where).date()
    except OverflowError:
        # The calendar ends with 9999-12-31, which some write for "never": there is no day after it.
        return moment.date()


def zone(tz: str) -> datetime.tzinfo:
    """A time zone by its IANA name. UTC needs no database of them."""
    if tz == "UTC":
        return datetime.timezone.utc
    if not isinstance(tz, str):
        message = f"expected the name of a time zone, such as Europe/Oslo; found {tz!r}"
        raise ValueError(message)  # noqa: TRY004
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
        return given(value).local(where)
    if not isinstance(value, datetime.date):
        message = f"expected a day such as 2026-03-31; found {value!r}"
        raise ValueError(message)  # noqa: TRY004
    return value


def given(value: Day | datetime.datetime) -> Stamp:
    """The day or moment that is meant, by the same rules as `stamps`."""
    if isinstance(value, str):
        (found,) = _of_texts(pa.chunked_array([pa.array([value])]))
        if isinstance(found, Stamp):
            return found
        message = f"no moment such as {value!r} can be looked at: it is {found}"
        raise ValueError(message)
    if isinstance(value, datetime.datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
        return Stamp(aware.astimezone(datetime.timezone.utc), None)
    return Stamp(midnight(value), value)


def midnight(day: datetime.date) -> datetime.datetime:
    """The first moment of a day in UTC, which stands for the day."""
    return datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.timezone.utc)


def _of_texts(values: pa.ChunkedArray) -> list[Found]:
    """Text as it is on the wire and in CSV. A column of one kind is read at once, any other text by text."""
    # Not nanoseconds, which end in 2262: a due date of 9999-12-31 is a moment too.
    cut = pc.replace_substring_regex(values, r"(\.\d{6})\d+", r"\1")
    for kind in _KINDS:
        found = _cast(cut, kind)
        if found is not None:
            return _of_dates(found)
    # An empty text is a cell of a CSV without a date.
    known = {text: _of_text(text) if text and text.strip() else None for text in pc.unique(cut).to_pylist()}
    return [known[text] for text in cut.to_pylist()]


def _of_text(text: str) -> Found:
    alone = pa.chunked_array([pa.array([text])])
    for kind in _KINDS:
        found = _cast(alone, kind)
        if found is not None:
            return _of_dates(found)[0]
    return Unread(text)


def _cast(values: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        return None


def _of_dates(values: pa.ChunkedArray) -> list[Found]:
    kind = values.type
    if pa.types.is_date(kind):
        # Not to_pylist on days, which fails for those that Python cannot represent.
        numbers = values.cast(pa.date32()).cast(pa.int32()).to_pylist()
        return [None if number is None else _whole_day(number) for number in numbers]
    if kind.tz:
        # The numbers under a zone are UTC already: only the label goes.
        values = values.cast(pa.timestamp(kind.unit, "UTC")).cast(pa.timestamp(kind.unit))
    # Not to_pylist on timestamps: it wants pandas for nanoseconds, and a time zone database for names.
    micros = values.cast(pa.timestamp("us"), safe=False).cast(pa.int64()).to_pylist()
    return [None if value is None else _instant(value) for value in micros]


def _instant(micros: int) -> Stamp | Beyond:
    """The moment so long after the epoch."""
    try:
        return Stamp(_EPOCH + datetime.timedelta(microseconds=micros), None)
    except OverflowError:
        cycles, rest = divmod(micros, _CYCLE)
        alike = _EPOCH + datetime.timedelta(microseconds=rest)
        return Beyond(f"{alike.year + 400 * cycles:04}{alike.isoformat()[4:]}", after=micros > 0)


def _whole_day(number: int) -> Stamp | Beyond:
    """The day so long after the epoch."""
    midnight = _instant(number * _DAY)
    if isinstance(midnight, Beyond):
        return Beyond(midnight.text.partition("T")[0], midnight.after)
    return Stamp(midnight.moment, midnight.moment.date())

