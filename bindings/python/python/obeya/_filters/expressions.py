"""Expressions: what properties, values and operators become when Python computes with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeAlias, TypeVar

from obeya._filters import parts
from obeya._filters.literals import Literal, literal
from obeya._filters.parts import AND, ATOM, EQUALITY, OR, PRODUCT, RELATION, SUM, Parts, Variable

Operand: TypeAlias = "Expression | Literal"
"""A valid operand of an operator."""

_E = TypeVar("_E", bound="Expression")


class Expression:
    """A value that the service computes for each record: of a property, or with operators and functions.

    The operators of Python make larger expressions, and so do the methods, which are named as OData names its functions. `str()` is the
    OData text. As `==` makes a filter, expressions have no truth and no hash: compare their texts.
    """

    __slots__ = ("_parts",)

    _parts: Parts

    __hash__: ClassVar[None]  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride, reportIncompatibleVariableOverride]
    # numpy's numbers would take an expression for a list of one.
    __array_ufunc__ = None

    def __init__(self) -> None:
        message = f"a {type(self).__name__} is made from properties, as in F.severity == 'High'"
        raise TypeError(message)

    # Comparisons.

    def __eq__(self, other: Operand) -> Filter:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return _binary(Filter, self, "eq", other, EQUALITY)

    def __ne__(self, other: Operand) -> Filter:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return _binary(Filter, self, "ne", other, EQUALITY)

    def __lt__(self, other: Operand) -> Filter:
        return _binary(Filter, self, "lt", _ordered(other), RELATION)

    def __le__(self, other: Operand) -> Filter:
        return _binary(Filter, self, "le", _ordered(other), RELATION)

    def __gt__(self, other: Operand) -> Filter:
        return _binary(Filter, self, "gt", _ordered(other), RELATION)

    def __ge__(self, other: Operand) -> Filter:
        return _binary(Filter, self, "ge", _ordered(other), RELATION)

    def in_(self, values: Iterable[Operand]) -> Filter:
        """Whether the value is one of these. `None` among them is no value, and nothing is among none."""
        if isinstance(values, (str, Expression)):
            message = f"in_() takes a list of values, found {type(values).__name__}"
            raise TypeError(message)
        return _made(Filter, parts.among(self._parts, [_parts(value) for value in values]))

    def is_null(self) -> Filter:
        """Whether there is no value; the same as `== None`."""
        return self == None  # noqa: E711

    def is_not_null(self) -> Filter:
        """Whether there is a value; the same as `!= None`."""
        return self != None  # noqa: E711

    # Arithmetic.

    def __add__(self, other: Operand) -> Expression:
        return _binary(Expression, self, "add", _computable(other), SUM)

    def __radd__(self, other: Operand) -> Expression:
        return _binary(Expression, _computable(other), "add", self, SUM)

    def __sub__(self, other: Operand) -> Expression:
        return _binary(Expression, self, "sub", _computable(other), SUM)

    def __rsub__(self, other: Operand) -> Expression:
        return _binary(Expression, _computable(other), "sub", self, SUM)

    def __mul__(self, other: Operand) -> Expression:
        return _binary(Expression, self, "mul", _computable(other), PRODUCT)

    def __rmul__(self, other: Operand) -> Expression:
        return _binary(Expression, _computable(other), "mul", self, PRODUCT)

    # `div` of OData cuts the quotient of whole numbers, which `/` never does in Python and `//` does
    # otherwise.
    def __truediv__(self, other: Operand) -> Expression:
        return _binary(Expression, self, "divby", _computable(other), PRODUCT)

    def __rtruediv__(self, other: Operand) -> Expression:
        return _binary(Expression, _computable(other), "divby", self, PRODUCT)

    def __neg__(self) -> Expression:
        return _made(Expression, parts.prefix("-", self._parts))

    # Functions of text.

    def contains(self, part: Operand) -> Filter:
        """Whether the text has this part."""
        return _call(Filter, "contains", self, part)

    def startswith(self, part: Operand) -> Filter:
        """Whether the text begins so."""
        return _call(Filter, "startswith", self, part)

    def endswith(self, part: Operand) -> Filter:
        """Whether the text ends so."""
        return _call(Filter, "endswith", self, part)

    def matchespattern(self, pattern: Operand) -> Filter:
        """Whether a part of the text matches a regular expression, as ECMAScript writes them."""
        return _call(Filter, "matchespattern", self, pattern)

    def length(self) -> Expression:
        """How many characters the text has."""
        return _call(Expression, "length", self)

    def indexof(self, part: Operand) -> Expression:
        """Where the part begins, from 0 on; -1 if the text has none."""
        return _call(Expression, "indexof", self, part)

    def substring(self, start: Operand, length: Operand = None) -> Expression:
        """The text from a position on, at most so many characters of it."""
        return _call(Expression, "substring", self, start, *(() if length is None else (length,)))

    def tolower(self) -> Expression:
        """The text in small letters."""
        return _call(Expression, "tolower", self)

    def toupper(self) -> Expression:
        """The text in capital letters."""
        return _call(Expression, "toupper", self)

    def trim(self) -> Expression:
        """The text without spaces around it."""
        return _call(Expression, "trim", self)

    def concat(self, other: Operand) -> Expression:
        """The text with another behind it."""
        return _call(Expression, "concat", self, other)

    # Functions of dates, instants and durations; parts of an instant are those it has in UTC.

    def year(self) -> Expression:
        """The year of a date or instant."""
        return _call(Expression, "year", self)

    def bin(self, size: Operand, zone: str | None = None) -> Expression:
        """The start of the period that an instant falls into. `size` is a `timedelta` that divides a day, or `"hour"`, `"day"`,
        `"week"` (from Monday), `"month"`, `"quarter"` or `"year"`. Periods are those of UTC, or of the clock in a zone such as `"Europe/Oslo"`.
        """
        return _call(Expression, "bin", self, size, *(() if zone is None else (zone,)))

    def month(self) -> Expression:
        """The month of a date or instant, from 1 to 12."""
        return _call(Expression, "month", self)

    def day(self) -> Expression:
        """The day of the month of a date or instant."""
        return _call(Expression, "day", self)

    def hour(self) -> Expression:
        """The hour of an instant."""
        return _call(Expression, "hour", self)

    def minute(self) -> Expression:
        """The minute of an instant."""
        return _call(Expression, "minute", self)

    def second(self) -> Expression:
        """The second of an instant, without its fraction."""
        return _call(Expression, "second", self)

    def date(self) -> Expression:
        """The day of an instant."""
        return _call(Expression, "date", self)

    def time(self) -> Expression:
        """The time of day of an instant."""
        return _call(Expression, "time", self)

    def totalseconds(self) -> Expression:
        """A duration, such as the difference of two instants, in seconds."""
        return _call(Expression, "totalseconds", self)

    # Functions of numbers.

    def round(self) -> Expression:
        """The nearest whole number; halves go away from zero."""
        return _call(Expression, "round", self)

    def floor(self) -> Expression:
        """The whole number below."""
        return _call(Expression, "floor", self)

    def ceiling(self) -> Expression:
        """The whole number above."""
        return _call(Expression, "ceiling", self)

    # Orders.

    def asc(self) -> SortKey:
        """For `order_by`: smallest first, and no value before all others."""
        return SortKey(self, descending=False)

    def desc(self) -> SortKey:
        """For `order_by`: largest first."""
        return SortKey(self, descending=True)

    # What Python would do with an expression unasked, and each time wrongly.

    def __bool__(self) -> bool:
        message = (
            f"`{self}` is neither true nor false before a service computes it: write & for `and`, | for `or` and ~ for `not`, "
            "put comparisons in parentheses, and write a < x < b as (a < x) & (x < b)"
        )
        raise TypeError(message)

    def __setattr__(self, name: str, value: object) -> None:
        message = f"`{self}` cannot be changed: == compares"
        raise AttributeError(message)

    def __delattr__(self, name: str) -> None:
        message = f"`{self}` cannot be changed"
        raise AttributeError(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self._text(), self._parts.level, self._parts.words)

    def __copy__(self) -> Expression:
        return self

    def __deepcopy__(self, memo: object) -> Expression:
        return self

    def __str__(self) -> str:
        return str(self._parts)

    def __repr__(self) -> str:
        return str(self)

    def _text(self) -> str:
        """The text as it is sent."""
        if not self._parts.is_whole():
            message = f"`{self}` is about the member of a collection, which is known only within any() or all()"
            raise ValueError(message)
        return str(self)

    def _key(self) -> str:
        """The text in an order or a list of names."""
        return self._text()


class _Condition(Expression):
    """What may be true or false."""

    __slots__ = ()

    def __and__(self, other: Filter | Field) -> Filter:
        return _logic(self, "and", other, AND)

    def __rand__(self, other: Filter | Field) -> Filter:
        return _logic(other, "and", self, AND)

    def __or__(self, other: Filter | Field) -> Filter:
        return _logic(self, "or", other, OR)

    def __ror__(self, other: Filter | Field) -> Filter:
        return _logic(other, "or", self, OR)

    def __invert__(self) -> Filter:
        return _made(Filter, parts.prefix("not ", self._parts))

    def _where(self) -> str:
        """The text of a filter."""
        return self._text()


class Filter(_Condition):
    """A condition on records, for `where`: `&` is and, `|` is or, `~` is not."""

    __slots__ = ()


class Field(_Condition):
    """A property, or a record or records that a property leads to: `F.incident.area.name`.

    Names are those of the attributes of records. `field["..."]` takes a name of the wire as it is, also one that a method has.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Field:
        return _step(self, _wire(type(self), name))

    def __getitem__(self, name: str) -> Field:
        return _step(self, _checked(name))

    def any(self, condition: Callable[[Field], Filter | Field] | None = None) -> Filter:
        """Whether one of several records meets a condition: `F.consequences.any(lambda c: c.amount > 10)`. Without one: whether there is any."""
        if condition is None:
            return _made(Filter, parts.join(ATOM, self._parts, "/any()"))
        return _quantified(self, "any", condition)

    def all(self, condition: Callable[[Field], Filter | Field]) -> Filter:
        """Whether all of several records meet a condition. None do."""
        return _quantified(self, "all", condition)

    def count(self) -> Expression:
        """How many records there are: `F.comments.count() > 3`."""
        return _made(Expression, parts.join(ATOM, self._parts, "/$count"))

    if not TYPE_CHECKING:
        # Any name is a property, so a misspelt method is one too.
        def __call__(self, *_arguments: object, **_names: object) -> NoReturn:
            from difflib import get_close_matches

            name = str(self).rpartition("/")[2]
            known = [method for method in dir(Field) if not method.startswith("_")]
            near = get_close_matches(name, known, n=1)
            meant = f"; did you mean {near[0]}()?" if near else ""
            message = f"`{self}` is a property and cannot be called{meant}"
            raise TypeError(message)

        def __contains__(self, item: object) -> NoReturn:
            message = "`in` has no form in a filter: .contains() asks for a part of a text, .in_() whether a value is among several"
            raise TypeError(message)

        # Python would request the items 0, 1, 2 … instead.
        __iter__ = None


class Fields:
    """The properties of the records of a list: `F.severity`, `F.incident_date`, and `F["anyName"]` for a name of the wire."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Field:
        return _made(Field, parts.path(_wire(type(self), name)))

    def __getitem__(self, name: str) -> Field:
        return _made(Field, parts.path(_checked(name)))

    def __repr__(self) -> str:
        return "obeya.F"

    def __reduce__(self) -> str:
        return "F"

    if not TYPE_CHECKING:
        __iter__ = None


class SortKey:
    """A key of `order_by`, made by `asc()` and `desc()`."""

    __slots__ = ("_descending", "_expression")

    def __init__(self, expression: Expression, *, descending: bool) -> None:
        self._expression = expression
        self._descending = descending

    def __str__(self) -> str:
        return f"{self._expression}{' desc' if self._descending else ''}"

    def __repr__(self) -> str:
        return str(self)

    def _key(self) -> str:
        return f"{self._expression._text()}{' desc' if self._descending else ''}"


def _made(class_: type[_E], of: Parts) -> _E:
    made = class_.__new__(class_)
    object.__setattr__(made, "_parts", of)
    return made


def _restored(class_: type[_E], text: str, level: int, words: frozenset[str]) -> _E:
    return _made(class_, Parts((text,), level, words))


def _parts(value: object) -> Parts:
    return value._parts if isinstance(value, Expression) else parts.text(literal(value))


def _binary(class_: type[_E], left: Operand, word: str, right: Operand, level: int) -> _E:
    return _made(class_, parts.binary(_parts(left), word, _parts(right), level))


def _call(class_: type[_E], name: str, *arguments: Operand) -> _E:
    return _made(class_, parts.call(name, [_parts(argument) for argument in arguments]))


def _ordered(value: Operand) -> Operand:
    if value is None:
        message = "no value is smaller or larger than None; is_null() asks for what has no value"
        raise TypeError(message)
    return value


def _computable(value: Operand) -> Operand:
    if isinstance(value, str):
        message = "found text, which cannot be computed with; concat() puts texts together"
        raise TypeError(message)
    return value


def _logic(left: object, word: str, right: object, level: int) -> Filter:
    for side in (left, right):
        if not isinstance(side, _Condition):
            message = (
                f"found {type(side).__name__} on one side of `{word}`: put each comparison in parentheses, "
                "as in (F.a == 1) & (F.b == 2)"
            )
            raise TypeError(message)
    return _made(Filter, parts.logic(_parts(left), word, _parts(right), level))


def _quantified(collection: Field, word: str, condition: Callable[[Field], Filter | Field]) -> Filter:
    initial = str(collection).rpartition("/")[2][0].lower()
    variable = Variable(initial if initial.isalpha() else "x")
    body: object = condition(_made(Field, Parts((variable,))))
    if not isinstance(body, _Condition):
        message = f"{word}() takes a function that answers with a filter, and this one with {type(body).__name__}"
        raise TypeError(message)
    return _made(Filter, parts.quantified(collection._parts, word, variable, body._parts))


def _step(path: Field, name: str) -> Field:
    return _made(Field, parts.join(ATOM, path._parts, f"/{name}"))


_NAME = re.compile(r"[^\W\d]\w{0,127}(/[^\W\d]\w{0,127})*")

# Words that are values or operators where a property could be.
_RESERVED = frozenset({"null", "true", "false", "not", "INF", "NaN"})


def _wire(class_: type, name: str) -> str:
    """`incident_date` → `incidentDate`."""
    # Libraries probe such names to find out which protocols an object supports.
    if name.startswith("_"):
        message = f"{class_.__name__!r} object has no attribute {name!r}"
        raise AttributeError(message)
    return _checked(re.sub(r"_([a-z])", lambda found: found[1].upper(), name))


def _checked(name: object) -> str:
    if not isinstance(name, str):
        message = f"found {type(name).__name__}, expected the name of a property"
        raise TypeError(message)
    if not _NAME.fullmatch(name) or name in _RESERVED:
        message = f"found {name!r}, which is no name of a property"
        raise ValueError(message)
    return name


F = Fields()
"""The properties of the list that it is used with: `client.incidents.list(where=F.severity == "High")`."""
