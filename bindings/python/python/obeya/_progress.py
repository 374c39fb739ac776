"""How far a list is: rows, rows per second and the time left, as tqdm shows them. Without tqdm, a warning and no more."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from obeya._obeya import Batch


class Progress:
    """A bar while it is entered, if it is wanted. It counts in any case."""

    def __init__(self, name: str, *, wanted: bool) -> None:
        self.rows = 0
        self.wanted = wanted
        self._name = name
        self._bar: Any = None
        if wanted:
            try:
                # In a notebook this is a widget, elsewhere a line of text.
                from tqdm.auto import tqdm
            except ImportError:
                # Named where `to_…` was called: above this and the method.
                warnings.warn("progress=True needs tqdm: pip install tqdm", stacklevel=3)
                self.wanted = False
            else:
                self._tqdm = tqdm

    def __enter__(self) -> Self:
        if self.wanted:
            self._bar = self._tqdm(desc=self._name, unit=" rows", unit_scale=True)
        return self

    def advance(self, batch: Batch) -> None:
        """Counts a batch. The first one has the total number of rows, if it is known."""
        is_first = self.rows == 0
        self.rows += batch.rows
        if self._bar is None:
            return
        if is_first:
            self._bar.total = batch.total
        if self._bar.total is not None and self.rows > self._bar.total:
            # Rows came meanwhile, or the service counts pages: better no end than a wrong one.
            self._bar.total = None
        self._bar.update(batch.rows)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
