"""The subject of a report."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

from obeya._report._targets import Target

LANGUAGES = ("en", "nb", "de")
"""English, Norwegian (bokmål) and German: the tables of `obeya._report._words`."""

_KINDS = ("incidents", "improvements", "tasks")


class Unknown(Exception):
    """Something that the report was asked for does not exist; the message lists what exists."""


@dataclass(frozen=True)
class Wanted:
    """The subject of the report."""

    title: str
    today: datetime.date
    """The day of the report. What happened on it or later is left out of what counts whole days."""
    safety: str | None = None
    """The type of incident that is about people's safety; all types without it."""
    area: str | None = None
    """The name or id of the area whose incidents count; all areas without it."""
    group: str | None = None
    """The name or id of the group whose records count, with those of its subgroups; all groups without it."""
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
    targets: tuple[Target, ...] = ()
    """The meters that have a target."""
    tz: str = "UTC"
    """The time zone of days, by its IANA name."""
    lang: str = "en"
    """The language of the report, one of `LANGUAGES`."""
    link: str | None = None
    """The address of a record for a browser, with `{kind}` and `{id}` in it; without it nothing is linked."""

    @property
    def yesterday(self) -> datetime.date:
        """The last day that is over."""
        return self.today - datetime.timedelta(days=1)

    def address(self, kind: str, number: int) -> str | None:
        """Where a browser finds a record."""
        if self.link is None:
            return None
        return self.link.replace("{kind}", kind).replace("{id}", str(number))


def link(template: str) -> str:
    """A template of addresses, checked.

    Raises:
        ValueError: It is no http or https address, or has no `{id}`, or has another field.
    """
    fields = re.findall(r"\{[^}]*\}?", template)
    if not re.match(r"https?://[^\s/{}]+(/\S*)?$", template) or "{id}" not in fields or set(fields) - {"{id}", "{kind}"}:
        message = (
            "expected an http or https address with {id}, such as https://plant.example/{kind}/{id}, where {kind} is "
            f"{', '.join(_KINDS[:-1])} or {_KINDS[-1]}; found {template!r}"
        )
        raise ValueError(message)
    return template
