"""Whether the rows of a frame are one series: values of several lines in one chart have limits of none of them."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from obeya.lean import _frame

_DISTINGUISHING = ("dataSourceId", "data_source_id", "dimension", "dimension2", "dimension3", "dimension4")
"""The columns of values that say which series each belongs to, by the names of the wire and of Python."""

_PLACES = ("areaId", "area_id", "assetId", "asset_id", "projectId", "project_id")
"""Columns that say it too. Mostly they repeat a dimension, and a value without an id may be of any place."""

_NAMED = 3
"""How many series a message names."""


def one(table: pa.Table, used: Collection[str]) -> None:
    """Refuses rows of several series, and names the columns that tell them apart.

    A column that is ``used`` already, as for phases, separates nothing.
    """
    apart = [name for name in _DISTINGUISHING if name in table.column_names and name not in used and _several(table, name)]
    apart += [name for name in _PLACES if name in table.column_names and name not in used and _separates(table, name, apart)]
    if not apart:
        return
    groups = list(_frame.grouped_by(table, apart))
    named = ", ".join("(none)" if group is None else group for group in groups[:_NAMED])
    more = f" and {len(groups) - _NAMED} more" if len(groups) > _NAMED else ""
    by = repr(apart[0]) if len(apart) == 1 else repr(apart)
    message = (
        f"the rows are of {len(groups)} series by {' and '.join(map(repr, apart))}: {named}{more}. Choose one, or give by={by} "
        "for a chart of each (mixed=True if they are one series)"
    )
    raise ValueError(message)


def _several(table: pa.Table, name: str) -> bool:
    return len(set(_frame.words(table, name, "by"))) > 1


def _separates(table: pa.Table, name: str, apart: Collection[str]) -> bool:
    """Whether rows that the other columns do not separate have several ids."""
    ids = _frame.words(table, name, "by")
    groups = _frame.grouped_by(table, list(apart)).values() if apart else [range(len(ids))]
    return any(len({ids[row] for row in rows} - {None}) > 1 for rows in groups)
