"""The text of `$apply`: groups of records, and the values of each group.

It puts together what the caller gives. Which names there are, and which types a method takes, is checked by the extension.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from obeya._filters import Expression, SortKey

if TYPE_CHECKING:
    from obeya._settings import Order

Value: TypeAlias = str | Expression
"""A property or an expression, as OData text or made with `obeya.F`."""

Method: TypeAlias = Literal["sum", "mean", "min", "max", "nunique"]
"""What is computed of the values of a group. The names are those of pandas; nulls are left out."""

Aggregate: TypeAlias = Literal["count"] | tuple[Value, Method]
"""`"count"`, the number of records of a group, or a value and a method: `("downtime", "sum")`."""

_METHODS = {"sum": "sum", "mean": "average", "min": "min", "max": "max", "nunique": "countdistinct"}


def compute(values: Mapping[str, Value]) -> str:
    """The transformation that names these values."""
    return f"compute({','.join(f'{_text(value)} as {name}' for name, value in values.items())})"


def group(keys: Sequence[Value], values: Mapping[str, Aggregate]) -> str:
    """The transformation that groups records by these keys, or that makes one group of all of them, and computes these values."""
    if not keys and not values:
        raise ValueError("found neither a key nor a value; expected at least one")
    items = ",".join(_aggregate(name, value) for name, value in values.items())
    aggregate = f"aggregate({items})" if items else ""
    if not keys:
        return aggregate
    paths = ",".join(_text(key) for key in keys)
    return f"groupby(({paths}){aggregate and ','}{aggregate})"


def order(keys: Order | None) -> str | None:
    """The text of an order."""
    if keys is None or isinstance(keys, str):
        return keys
    listed = [keys] if isinstance(keys, (Expression, SortKey)) else keys
    return ",".join(key if isinstance(key, str) else key._key() for key in listed)


def _aggregate(name: str, value: Aggregate) -> str:
    if value == "count":
        return f"$count as {name}"
    if not isinstance(value, tuple) or len(value) != 2:
        raise ValueError(f'{name}: found {value!r}, expected "count" or a pair such as ("downtime", "sum")')
    of, method = value
    if method not in _METHODS:
        expected = ", ".join(_METHODS)
        raise ValueError(f"{name}: found the method {method!r}, expected one of {expected}")
    return f"{_text(of)} with {_METHODS[method]} as {name}"


def _text(value: Value) -> str:
    return value if isinstance(value, str) else value._text()
