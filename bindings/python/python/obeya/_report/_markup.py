"""Elements of the page: text is escaped here and nowhere else. What they give is well-formed as XML too, which a test checks."""

from __future__ import annotations

import html

from obeya._printable import printable


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, *content: str | Markup | None, **attributes: object) -> Markup:
    """An element. Content that is no markup is escaped; attributes that are None are left out.

    `_` stands for `-` in the name of an attribute, except at its end: `class_`, `aria_label`.
    """
    given = "".join(
        f' {_attribute(key)}="{html.escape(printable(str(value)))}"' for key, value in attributes.items() if value is not None
    )
    inner = "".join(part if isinstance(part, Markup) else html.escape(printable(part)) for part in content if part is not None)
    return Markup(f"<{name}{given}>{inner}</{name}>")


def joined(*parts: str | Markup | None) -> Markup:
    """Parts one behind the other, escaped where they are no markup."""
    return Markup("".join(part if isinstance(part, Markup) else html.escape(printable(part)) for part in parts if part is not None))


def _attribute(key: str) -> str:
    # Of SVG, which distinguishes capitals.
    if key in ("viewBox", "preserveAspectRatio"):
        return key
    return key.rstrip("_").replace("_", "-")
