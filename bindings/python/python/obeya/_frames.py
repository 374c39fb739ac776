"""From Arrow batches to tables and data frames. The only place that needs pyarrow and pandas, which are optional."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def require_pyarrow() -> None:
    """Fails with what to install."""
    _require("pyarrow")


def require_pandas() -> None:
    """Fails with what to install."""
    _require("pyarrow", "pandas")


def table(batches: Any) -> pa.Table:
    """The batches as one table, whose categorical columns share their words across batches."""
    import pyarrow as pa

    return pa.table(batches).unify_dictionaries()


def frame(table: pa.Table) -> pd.DataFrame:
    """The table as a frame that loses nothing.

    By default integers with gaps would become floats, and text with gaps would become objects.
    """
    import pandas as pd
    import pyarrow as pa

    types = {
        pa.int32(): pd.Int32Dtype(),
        pa.string(): pd.StringDtype("pyarrow"),
    }
    frame: pd.DataFrame = table.to_pandas(types_mapper=types.get)
    return frame


def _require(*modules: str) -> None:
    for module in modules:
        try:
            import_module(module)
        except ImportError as error:
            # Not an extra of ours: pip would look for this package in the public index, where its name is not ours.
            message = f"this needs {' and '.join(modules)}: pip install {' '.join(modules)}"
            raise ImportError(message, name=module) from error
