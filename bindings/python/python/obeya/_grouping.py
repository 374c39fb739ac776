"""The text of `$apply`: groups of records, and the values of each group.

It puts together what the caller gives. Which names there are, and which types a method takes, is checked by the extension.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from obeya._filters import Expression, Field

Value: TypeAlias = str | Expression
"""A property or an expression, as OData text or made with `obeya.F`."""

Method: TypeAlias = Literal["sum", "mean", "min", "max", "nunique"]
"""What is computed of the values of a group. The names are those of pandas; nulls are left out."""

Aggregate: TypeAlias = Literal["count"] | tuple[Value, Method]
"""`"count"`, the number of records of a group, or a value and a method: `("dueDate", "max")`."""

_METHODS = {"sum": "sum", "mean": "average", "min": "min", "max": "max", "nunique": "countdistinct"}


def compute(values: Mapping[str, Value]) -> str:
    """The transformation that names these values."""
    items = ",".join(f"{_text(value)} as {_name(name)}" for name, value in values.items())
    return f"compute({items})"


def group(keys: Sequence[Value], values: Mapping[str, Aggregate]) -> str:
    """The transformation that groups records by these keys, or that makes one group of all of them, and computes these values."""
    if not keys and not values:
        raise ValueError("found neither a key nor a value; expected at least one")
    items = ",".join(_aggregate(name, value) for name, value in values.items())
    aggregate = f"aggregate({items})" if items else ""
    if not keys:
        return aggregate
    paths = ",".join(map(_path, keys))
    return f"groupby(({paths}),{aggregate})" if aggregate else f"groupby(({paths}))"


def _aggregate(name: str, value: Aggregate) -> str:
    if value == "count":
        return f"$count as {_name(name)}"
    if not isinstance(value, tuple) or len(value) != 2:
        raise ValueError(f'{name}: found {value!r}, expected "count" or a pair such as ("dueDate", "max")')
    of, method = value
    if method not in _METHODS:
        expected = ", ".join(_METHODS)
        raise ValueError(f"{name}: found the method {method!r}, expected one of {expected}")
    return f"{_text(of)} with {_METHODS[method]} as {_name(name)}"


def _path(key: Value) -> str:
    if isinstance(key, Expression) and not isinstance(key, Field):
        raise ValueError(f"found the key `{key}`; expected a name for what is computed, as in group_by(name=…)")
    return _text(key)


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Expression):
        return value._text()
    raise TypeError(f"found {type(value).__name__}, expected text or an expression made with obeya.F")


def _name(name: str) -> str:
    # Anything else would be read as more than a name.
    if not name.isidentifier():
        raise ValueError(f"found the name {name!r}, expected letters, digits and _")
    return name
