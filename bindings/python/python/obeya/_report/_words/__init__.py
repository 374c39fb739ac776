"""The words of the report: one table for each language, and how that language writes numbers and days.

Nothing else in `_report` writes a word that a reader sees, except what `obeya.lean` says of a record that it cannot use.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from obeya._report._words import de, en, nb
from obeya.lean._plot import short

_TABLES: Mapping[str, Mapping[str, str]] = {"en": en.WORDS, "nb": nb.WORDS, "de": de.WORDS}
_HARD_SPACE = "\u00a0"
_SEPARATORS = {"en": (",", "."), "nb": (_HARD_SPACE, ","), "de": (".", ",")}
"""What separates thousands, and decimals."""
_DAYS = {"en": "{0.day} {1} {0.year}", "nb": "{0.day}. {1} {0.year}", "de": "{0.day}. {1} {0.year}"}
_SHORT_DAYS = {"en": "{0.day} {1}", "nb": "{0.day}. {1}", "de": "{0.day}. {1}"}


@dataclass(frozen=True)
class Words:
    """The words of one language."""

    lang: str

    def __call__(self, text: str, /, **fields: object) -> str:
        """A text with its fields filled in. Unknown names are errors of the program."""
        return _TABLES[self.lang][text].format(**fields)

    def of(self, group: str, word: str) -> str:
        """A word of the interface, such as a status, as readers know it; a word without an entry stays as it is."""
        return _TABLES[self.lang].get(f"{group}.{word}", word)

    def count(self, text: str, number: int, /, **fields: object) -> str:
        """A text with a number, in the singular or the plural: the table has both, with `|` between them."""
        one, _, many = _TABLES[self.lang][text].partition("|")
        return (one if number == 1 else many).format(n=self.number(number), **fields)

    def number(self, value: float) -> str:
        """A number with four digits that count."""
        thousands, decimal = _SEPARATORS[self.lang]
        return short(value).translate({ord(","): thousands, ord("."): decimal})

    def percent(self, share: float) -> str:
        """A share in whole percent, with a decimal if it is small and the decimal says more."""
        scaled = share * 100
        exact = abs(scaled) < 10 and abs(scaled - round(scaled)) >= 0.05
        text = (f"{scaled:.1f}" if exact else f"{scaled:.0f}").replace(".", _SEPARATORS[self.lang][1])
        return f"{text}%" if self.lang == "en" else f"{text}{_HARD_SPACE}%"

    def day(self, day: datetime.date) -> str:
        """A day with the name of its month and the year."""
        return _DAYS[self.lang].format(day, self._months("months")[day.month - 1])

    def short_day(self, day: datetime.date) -> str:
        """A day without the year."""
        return _SHORT_DAYS[self.lang].format(day, self._months("short_months")[day.month - 1])

    def month(self, day: datetime.date) -> str:
        """A month with its year."""
        return f"{self._months('months')[day.month - 1]} {day.year}"

    def short_month(self, day: datetime.date) -> str:
        """A month with its year, for an axis."""
        return f"{self._months('short_months')[day.month - 1]} {day.year}"

    def weekday(self, day: datetime.date) -> str:
        """The name of a day of the week."""
        return self("weekdays").split()[day.weekday()]

    def _months(self, name: str) -> list[str]:
        return self(name).split()
