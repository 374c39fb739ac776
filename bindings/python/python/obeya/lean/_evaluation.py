"""How often an improvement was judged good, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from obeya.lean import _frame, _input, _plot, _plotly
from obeya.lean._result import Result
from obeya.lean._rows import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_JUDGEMENTS = ("Good", "Medium", "Bad", "Smile", "Meh", "Frown")
"""The values of v1, and those of v2."""

_AXIS = "good among the evaluated (%)"


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationRatio(Result):
    """The share of good evaluations, a row for each group. Its columns: ``group``, ``good``, ``evaluated``, ``unevaluated``,
    ``ratio``, ``lower`` and ``upper`` (null where nothing is evaluated).
    """

    good: int
    """How many were judged good."""
    evaluated: int
    """How many were judged at all."""
    ratio: float | None
    """Of all groups together; None where nothing is evaluated."""
    lower: float | None
    """Where the interval about ``ratio`` begins; None where nothing is evaluated."""
    upper: float | None
    """Where it ends."""
    confidence: float
    """How sure the interval is, such as 0.95."""

    def _says(self) -> str:
        if self.ratio is None or self.lower is None or self.upper is None:
            return "nothing evaluated"
        sure = f"{_plot.percent(self.confidence)} interval {_plot.percent(self.lower)} to {_plot.percent(self.upper)}"
        return f"{self.good} of {self.evaluated} good, {_plot.percent(self.ratio)}, {sure}"

    def _title(self) -> str:
        return f"Share of good evaluations, with {_plot.percent(self.confidence)} interval"

    def _figure(self) -> tuple[float, float]:
        return self._size[0], _plot.tall(len(self))

    def _draw(self, ax: Axes, title: str) -> None:
        rows = self._rows()
        _plot.frame(ax, title, x=_AXIS, grid="x")
        _plot.categories(ax, [row["group"] for row in rows], "all" if len(rows) == 1 else "(none)")
        ax.set_xlim(0, 100)
        for at, row in enumerate(rows):
            if row["ratio"] is not None:
                ax.plot([row["lower"] * 100, row["upper"] * 100], [at, at], color=_plot.BLUE, linewidth=2, gid="interval")
                ax.plot([row["ratio"] * 100], [at], "o", color=_plot.BLUE, markersize=8, clip_on=False, gid="ratio")
            ax.annotate(
                _counts(row),
                (1, at),
                (4, 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                va="center",
                fontsize=_plot.SMALL,
            )

    def _chart(self, alt: Any, title: Any) -> Any:
        rows = [{**row, "group": _plot.called(row["group"], len(self))} for row in self._rows()]
        axis = {"title": "good among the evaluated", "axis": alt.Axis(format="%"), "scale": alt.Scale(domain=[0, 1])}
        base = alt.Chart(_plot.data(alt, rows), title=title, width=480).encode(y=alt.Y("group:N", sort=None, title=None))
        return alt.layer(
            base.mark_rule(color=_plot.BLUE, strokeWidth=2).encode(x=alt.X("lower:Q", **axis), x2="upper:Q"),
            base.mark_point(color=_plot.BLUE, filled=True, size=90).encode(
                x=alt.X("ratio:Q", **axis), tooltip=["group:N", "good:Q", "evaluated:Q"]
            ),
        )

    def _subplots(self) -> list[_plotly.Subplot]:
        rows = self._rows()
        names = [_plot.called(row["group"], len(rows)) for row in rows]
        part = _plotly.named_rows(names, _AXIS, 40, range=[-4, 104], tickvals=[0, 25, 50, 75, 100])
        counts = [_counts(row) for row in rows]
        part.margin = max(map(len, counts)) * _plotly.LETTER + 20
        ends: list[float | None] = []
        places: list[int | None] = []
        said = []
        judged = [(at, row) for at, row in enumerate(rows) if row["ratio"] is not None]
        for at, row in judged:
            lower, ratio, upper = (row[key] * 100 for key in ("lower", "ratio", "upper"))
            ends, places = [*ends, lower, upper, None], [*places, at, at, None]
            interval = f"{_plot.percent(lower / 100)} to {_plot.percent(upper / 100)}"
            said.append(_plotly.text(f"{names[at]}\n{counts[at]} good, {_plot.percent(ratio / 100)}\n{interval}"))
        marker = {"color": _plot.BLUE, "size": 12}
        part.traces += [
            _plotly.stroke("interval", ends, places, _plot.BLUE, 2.5),
            _plotly.marks("ratio", [row["ratio"] * 100 for _, row in judged], [at for at, _ in judged], said, marker=marker),
            _plotly.words("counts", [104] * len(rows), range(len(rows)), counts),
        ]
        return [part]


def _counts(row: dict[str, Any]) -> str:
    """How many are good of how many, beside the interval."""
    return f"{row['good']} of {row['evaluated']}"


def evaluation_ratio(
    data: _input.Frame,
    *,
    evaluation: str = "evaluationStatus",
    by: str | None = None,
    good: Sequence[str] = ("Good", "Smile"),
    words: Sequence[str] = _JUDGEMENTS,
    confidence: float = 0.95,
    key: str = "id",
) -> EvaluationRatio:
    """The share of good ones among evaluated improvements or incidents, with a confidence interval.

    Of n evaluated x are good; with p = x / n and the normal quantile z of the confidence, Wilson's score interval is
    (p + z²/2n ± z √(p (1 - p)/n + z²/4n²)) / (1 + z²/n), without continuity correction. It stays within 0 and 1 and is honest for
    few cases, where p ± z √(p (1 - p)/n) is not.

    Sources: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", Journal of the American
    Statistical Association 22(158), 1927, 209-212; R. G. Newcombe, "Two-Sided Confidence Intervals for the Single Proportion",
    Statistics in Medicine 17, 1998, 857-872 (method 3).

    Args:
        evaluation: The column of evaluations; null is not evaluated and does not count.
        by: A column of groups.
        good: The values that count as good, among ``words``.
        words: All valid values. A record with another one is left out.
        confidence: Between 0 and 1.
        key: The column that names a record in `left_out`.

    Words alone, in a list, an array or a Series, are the evaluations. Without rows the chart has no groups.

    Raises:
        ValueError: A column is missing or of the wrong kind, no record can be used, or the confidence is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        message = f"expected a confidence between 0 and 1; found {confidence}"
        raise ValueError(message)
    unknown = [word for word in good if word not in words]
    if unknown:
        message = f"{unknown[0]!r} counts as good and is none of the words there may be: {', '.join(words)} (argument `words`)"
        raise ValueError(message)
    table = _input.table(data, evaluation)
    judged = _frame.words(table, evaluation, "evaluation")
    used = Rows(table, key)
    expected = f"expected one of {', '.join(words)} (argument `words`)"
    used.refuse(judged, lambda word: None if word in words else f"has the {evaluation} {word!r}; {expected}")
    usable = set(used.usable)
    rows: list[dict[str, Any]] = []
    for group, places in _frame.grouped(table, by).items():
        own = [judged[place] for place in places if place in usable]
        evaluated = sum(word is not None for word in own)
        liked = sum(word in good for word in own)
        lower, upper = wilson(liked, evaluated, confidence)
        rows.append(
            {
                "group": group,
                "good": liked,
                "evaluated": evaluated,
                "unevaluated": len(own) - evaluated,
                "ratio": liked / evaluated if evaluated else None,
                "lower": lower,
                "upper": upper,
            }
        )
    count, share = pa.int64(), pa.float64()
    names = ("group", "good", "evaluated", "unevaluated", "ratio", "lower", "upper")
    kinds = (pa.string(), count, count, count, share, share, share)
    total_good, total = sum(row["good"] for row in rows), sum(row["evaluated"] for row in rows)
    lower, upper = wilson(total_good, total, confidence)
    return EvaluationRatio(
        table=pa.Table.from_pylist(rows, schema=pa.schema(list(zip(names, kinds, strict=True)))),
        good=total_good,
        evaluated=total,
        ratio=total_good / total if total else None,
        lower=lower,
        upper=upper,
        confidence=confidence,
        left_out=used.left_out,
    )


def wilson(good: int, of: int, confidence: float) -> tuple[float, float] | tuple[None, None]:
    """Wilson's score interval; none without a case."""
    if of == 0:
        return None, None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    p, z2 = good / of, z * z
    middle, half = p + z2 / (2 * of), z * sqrt(p * (1 - p) / of + z2 / (4 * of * of))
    # At the ends the root and the sum before it are equal except for their last bit.
    lower = 0.0 if good == 0 else (middle - half) / (1 + z2 / of)
    upper = 1.0 if good == of else (middle + half) / (1 + z2 / of)
    return lower, upper
