"""The text of an expression under construction: its operator precedence, to add only the necessary parentheses, and its range variables
without a name.

A variable gets its name when the body of its `any` or `all` is complete, because only then are all names in the body known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# Operator precedence by the table of OData; a higher number binds more tightly.
OR, AND, EQUALITY, RELATION, SUM, PRODUCT, UNARY, PRIMARY, ATOM = range(1, 10)


class Variable:
    """A range variable without a name, for the members of a collection."""

    __slots__ = ("hint",)

    def __init__(self, hint: str) -> None:
        self.hint = hint


class Parts(NamedTuple):
    """An expression as pieces of text, with its precedence."""

    pieces: tuple[str | Variable, ...]
    level: int = ATOM
    words: frozenset[str] = frozenset()
    """The names that an enclosing range variable must not have."""

    def __str__(self) -> str:
        return "".join(piece if isinstance(piece, str) else piece.hint for piece in self.pieces)

    def is_whole(self) -> bool:
        """Whether all its variables have names."""
        return all(isinstance(piece, str) for piece in self.pieces)


def text(literal: str) -> Parts:
    """A literal."""
    # A sign would need parentheses before `in` or behind another sign, where no literal is allowed.
    return Parts((literal,))


def path(name: str) -> Parts:
    """A path that begins at the filtered record."""
    return Parts((name,), words=frozenset({name.partition("/")[0]}))


def join(level: int, *parts: Parts | str) -> Parts:
    """The concatenation of these parts."""
    pieces: list[str | Variable] = []
    words: frozenset[str] = frozenset()
    for part in parts:
        if isinstance(part, str):
            pieces.append(part)
        else:
            pieces.extend(part.pieces)
            words |= part.words
    return Parts(tuple(pieces), level, words)


def within(part: Parts, least: int) -> Parts:
    """The operand of an operator, in parentheses if it would otherwise be parsed differently."""
    return part if part.level >= least else join(ATOM, "(", part, ")")


def binary(left: Parts, word: str, right: Parts, level: int) -> Parts:
    """A left-associative binary operator."""
    return join(level, within(left, level), f" {word} ", within(right, level + 1))


def logic(left: Parts, word: str, right: Parts, level: int) -> Parts:
    """`and` or `or`, which are associative: a chain of them needs no parentheses."""
    return join(level, within(left, level), f" {word} ", within(right, level))


def prefix(sign: str, part: Parts) -> Parts:
    """A prefix operator before a part."""
    # Two prefix operators are clearer with parentheses.
    return join(UNARY, sign, within(part, PRIMARY))


def call(name: str, arguments: Iterable[Parts]) -> Parts:
    """A function call."""
    return join(ATOM, f"{name}(", *_between(arguments), ")")


def among(left: Parts, members: list[Parts]) -> Parts:
    """`in` with a list of values."""
    # The grammar has no empty list in parentheses.
    opening, closing = ("(", ")") if members else ("[", "]")
    return join(PRIMARY, within(left, PRIMARY), f" in {opening}", *_between(members), closing)


def quantified(collection: Parts, word: str, variable: Variable, body: Parts) -> Parts:
    """`any` or `all` with a body, whose variable gets its name here."""
    name, number = variable.hint, 1
    # The name must not hide a property or another variable.
    while name in body.words:
        number += 1
        name = f"{variable.hint}{number}"
    pieces = tuple(name if piece is variable else piece for piece in body.pieces)
    named = Parts(pieces, body.level, body.words | {name})
    return join(ATOM, collection, f"/{word}({name}:", named, ")")


def _between(members: Iterable[Parts]) -> list[Parts | str]:
    parts: list[Parts | str] = []
    for member in members:
        if parts:
            parts.append(",")
        parts.append(member)
    return parts
