"""The file of targets: which meters a morning meeting looks at, and what each is to reach.

```toml
[[meter]]
group = "Q"                  # S, Q, D or C: safety, quality, delivery, cost
name = "Scrap"
datasource = 2
target = 2.0
better = "lower"             # or "higher"
where = "dimension eq 'Line 3'"   # optional, as in `values`
period = "day"               # optional: day (the default), week or month
combine = "mean"             # optional: mean (the default) or sum of the values of a period
unit = "%"                   # optional
```
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from obeya._frames import require

Group = Literal["S", "Q", "D", "C"]
Better = Literal["lower", "higher"]
Period = Literal["day", "week", "month"]
Combine = Literal["mean", "sum"]

GROUPS: tuple[Group, ...] = ("S", "Q", "D", "C")
"""Safety, quality, delivery and cost, in the order of the report."""

_WORDS: dict[str, tuple[str, ...]] = {
    "group": GROUPS,
    "better": ("lower", "higher"),
    "period": ("day", "week", "month"),
    "combine": ("mean", "sum"),
}
_NEEDED = ("group", "name", "datasource", "target", "better")
_KINDS: dict[str, tuple[type, ...]] = {
    "group": (str,),
    "name": (str,),
    "datasource": (int,),
    "target": (int, float),
    "better": (str,),
    "where": (str,),
    "period": (str,),
    "combine": (str,),
    "unit": (str,),
}
_CALLED = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "a table"}


class TargetsError(ValueError):
    """A file of targets that cannot be used; the message says where and why."""


@dataclass(frozen=True)
class Target:
    """A meter, and what it is to reach."""

    group: Group
    name: str
    datasource: int
    target: float
    better: Better
    where: str | None = None
    period: Period = "day"
    combine: Combine = "mean"
    unit: str | None = None

    def met(self, value: float) -> bool:
        """Whether a value reaches the target."""
        return value <= self.target if self.better == "lower" else value >= self.target


def read(path: Path) -> tuple[Target, ...]:
    """The meters of a file of TOML, in its order.

    Raises:
        TargetsError: The file cannot be read, is no TOML, or has something else in it than meters.
    """
    toml = require_toml()
    try:
        found = toml.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise TargetsError(message) from error
    except ValueError as error:
        # Of TOML and of UTF-8.
        message = f"{path} is no TOML: {error}"
        raise TargetsError(message) from error
    others = sorted(set(found) - {"meter"})
    meters = found.get("meter")
    if others or not isinstance(meters, list) or not all(isinstance(meter, dict) for meter in meters):
        wrong = f"found {others[0]!r}" if others else "found none" if meters is None else f"found {_called(meters)} in `meter`"
        message = f"{path}: expected meters, each after a line [[meter]]; {wrong}"
        raise TargetsError(message)
    return tuple(_target(path, at, meter) for at, meter in enumerate(meters, 1))


def require_toml() -> Any:
    """The reader of TOML: that of Python since 3.11, and its predecessor before."""
    if sys.version_info >= (3, 11):
        import tomllib

        return tomllib
    require("tomli")
    return __import__("tomli")


def _target(path: Path, at: int, meter: dict[str, Any]) -> Target:
    named = f" ({meter['name']!r})" if isinstance(meter.get("name"), str) else ""

    def wrong(what: str) -> TargetsError:
        return TargetsError(f"{path}, meter {at}{named}: {what}")

    for key in meter:
        if key not in _KINDS:
            raise wrong(f"expected only {', '.join(_KINDS)}; found {key!r}")
    for key in _NEEDED:
        if key not in meter:
            raise wrong(f"expected `{key}`; found {', '.join(meter) or 'nothing'}")
    for key, value in meter.items():
        kinds = _KINDS[key]
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise wrong(f"expected {_CALLED[kinds[-1]]} in `{key}`; found {_called(value)}")
        words = _WORDS.get(key)
        if words is not None and value not in words:
            raise wrong(f"expected {', '.join(words[:-1])} or {words[-1]} in `{key}`; found {value!r}")
    if not math.isfinite(meter["target"]):
        raise wrong(f"expected a number in `target`; found {meter['target']}")
    if not meter["name"].strip():
        raise wrong("expected a name in `name`; found an empty text")
    return Target(**cast("Any", {**meter, "target": float(meter["target"])}))


def _called(value: object) -> str:
    return f"{_CALLED.get(type(value), type(value).__name__)}, {value!r}"
