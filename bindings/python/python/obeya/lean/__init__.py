"""Lean charts and figures over incidents, improvements and values: any frame in, a frame out that draws itself.

>>> from obeya import lean
>>> chart = lean.xmr({"value": [12, 14, 13, 12, 15, 13, 14, 29]}, date=None, unit="min")
>>> chart
<obeya.lean.XmR: 8 points, 1 phase, centre 15.25, limits 5.75 to 24.75, 1 signal>
>>> chart.to_arrow()["rules"].to_pylist()[-1]
['N1', 'R1']
>>> axes = chart.plot()  # doctest: +SKIP

The functions take a frame of pandas, polars or pyarrow, a DuckDB relation, `obeya.Values`, columns by name, or records. Where one
column is enough they also take that alone: a list, an array or a Series. The names of columns are those of the wire unless
arguments name others; a record in a column is found by its path (``group.name``) or its name (``group``), as a struct or as columns
with dots. The results are frames too (`to_pandas`, `to_polars`, `to_arrow`, and any library that reads Arrow), with named figures and
`plot()`, for which matplotlib, altair or plotly is needed. Without rows a chart says "no data", and a safety
cross is green.

It needs pyarrow and nothing else to compute: neither the client of `obeya` nor its compiled extension, so it can be imported from a
checkout that was not built, and used on data of any origin.

Moments without a zone are UTC, and days are those of UTC unless ``tz`` is given. A record that a method cannot use (no date, a word
for a number) is left out, and ``left_out`` says which and why. Where a method cannot be used at all (too few points, a column of
another kind) that is a `ValueError` that says what was found, never a guess.
"""

from obeya._frames import require

require("pyarrow")

# The modules below need pyarrow, and would fail with a less helpful message.
from obeya.lean._cumulative_flow import CumulativeFlow, cumulative_flow  # noqa: E402
from obeya.lean._days_since import DaysSince, days_since  # noqa: E402
from obeya.lean._due import Overdue, overdue  # noqa: E402
from obeya.lean._evaluation import EvaluationRatio, evaluation_ratio  # noqa: E402
from obeya.lean._lead_times import LeadTimes, lead_times  # noqa: E402
from obeya.lean._limits import Phase  # noqa: E402
from obeya.lean._panels import Panels  # noqa: E402
from obeya.lean._pareto import Pareto, pareto  # noqa: E402
from obeya.lean._pick import QUADRANTS, Pick, pick  # noqa: E402
from obeya.lean._rare import RareEvents, g_chart, t_chart  # noqa: E402
from obeya.lean._result import Result  # noqa: E402
from obeya.lean._roi import Roi, roi  # noqa: E402
from obeya.lean._rules import MOVING_RANGE, NELSON, WESTERN_ELECTRIC, Rule  # noqa: E402
from obeya.lean._safety_cross import SafetyCross, safety_cross  # noqa: E402
from obeya.lean._stages import STAGES  # noqa: E402
from obeya.lean._xmr import XmR, xmr  # noqa: E402

__all__ = [
    "MOVING_RANGE",
    "NELSON",
    "QUADRANTS",
    "STAGES",
    "WESTERN_ELECTRIC",
    "CumulativeFlow",
    "DaysSince",
    "EvaluationRatio",
    "LeadTimes",
    "Overdue",
    "Panels",
    "Pareto",
    "Phase",
    "Pick",
    "RareEvents",
    "Result",
    "Roi",
    "Rule",
    "SafetyCross",
    "XmR",
    "cumulative_flow",
    "days_since",
    "evaluation_ratio",
    "g_chart",
    "lead_times",
    "overdue",
    "pareto",
    "pick",
    "roi",
    "safety_cross",
    "t_chart",
    "xmr",
]
