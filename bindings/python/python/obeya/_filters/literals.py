"""Values of Python as OData literals. Whatever a value contains, the text is exactly one literal."""

from __future__ import annotations

import datetime
import decimal
import enum
import numbers
import operator
import uuid

Literal = (
    str
    | bool
    | int
    | float
    | decimal.Decimal
    | datetime.date
    | datetime.time
    | datetime.timedelta
    | uuid.UUID
    | enum.Enum
    | None
)
"""A value that a property can be compared with: a `datetime` without a zone is UTC."""


def literal(value: object) -> str:
    """The value as OData text.

    Raises `TypeError` for types that OData has no literal for, and `ValueError` for values of a right type that equal nothing.
    """
    if isinstance(value, enum.Enum):
        return literal(value.value)
    if value is None:
        return "null"
    if isinstance(value, str):
        return _quoted(value)
    # Before numbers, which truth values are in Python.
    if isinstance(value, bool) or _is_numpy_bool(value):
        return "true" if value else "false"
    if isinstance(value, datetime.timedelta):
        return f"duration'{_duration(value)}'"
    # Before days, which instants are in Python.
    if isinstance(value, datetime.datetime):
        return _instant(value)
    if isinstance(value, datetime.date):
        return datetime.date.isoformat(value)
    if isinstance(value, datetime.time):
        if value.tzinfo is not None:
            message = "found a time of day with a zone, which is none without its day"
            raise ValueError(message)
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    return _number(value)


def _quoted(text: str) -> str:
    # A class derived from str may print another text than its own.
    return "'" + str.replace(text, "'", "''") + "'"


def _number(value: object) -> str:
    if isinstance(value, decimal.Decimal):
        if value.is_nan():
            raise ValueError(_NAN)
        return _infinite(value > 0) if value.is_infinite() else str(value)
    # numpy registers its own numbers with these classes, and prints them as `np.float64(0.5)`.
    if isinstance(value, numbers.Integral):
        return int.__repr__(operator.index(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        if number != number:
            raise ValueError(_NAN)
        return _infinite(number > 0) if number in (float("inf"), -float("inf")) else float.__repr__(number)
    hint = "; in_() asks whether a value is among several" if isinstance(value, (list, tuple, set, frozenset, range)) else ""
    message = f"found {type(value).__name__}, which has no form in a filter{hint}"
    raise TypeError(message)


_NAN = "found NaN, which equals nothing; is_null() asks for what has no value"


def _infinite(positive: bool) -> str:
    return "INF" if positive else "-INF"


def _instant(moment: datetime.datetime) -> str:
    # pandas' missing moment.
    if moment != moment:
        message = "found a moment that is none; is_null() asks for what has no value"
        raise ValueError(message)
    if moment.tzinfo is None:
        return moment.isoformat() + "Z"
    try:
        # Offsets of seconds, which zones had before 1900, have no form in OData.
        return moment.astimezone(datetime.timezone.utc).isoformat().removesuffix("+00:00") + "Z"
    except OverflowError:
        message = f"found {moment.isoformat()}, which has no date in UTC"
        raise ValueError(message) from None


def _duration(span: datetime.timedelta) -> str:
    sign = "-" if span < datetime.timedelta(0) else ""
    span = abs(span)
    microseconds = f".{span.microseconds:06}" if span.microseconds else ""
    return f"{sign}P{span.days}DT{span.seconds}{microseconds}S"


def _is_numpy_bool(value: object) -> bool:
    kind = type(value)
    return kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_")
