"""The subject of a report."""

from __future__ import annotations

import datetime
from dataclasses import dataclass


@dataclass(frozen=True)
class Wanted:
    """The subject of the report."""

    title: str
    today: datetime.date
    """The day of the report. What happened on it or later is left out of what counts whole days."""
    safety: str | None = None
    """The type of incident that is about people's safety; all types without it."""
    datasource: int | None = None
    """The datasource to look at; the first without it."""
    name: str | None = None
    """What its values are called; its title without it."""
    where: str | None = None
    """Which of its values count, as an OData expression."""
    phases: tuple[datetime.date, ...] = ()
    """The days on which something about the process was changed on purpose."""
    unit: str | None = None
    """The unit of the values."""
    currency: str = "currency"
    """What money is counted in."""
