"""Filters and orders written in Python: `F.severity == "High"` is the OData text `severity eq 'High'`.

`literals.py` writes values, `expressions.py` has the classes. Nothing here knows which properties there are, nor of what type: the
service does, and names what it refuses. Words of enumerations are checked where a list takes the filter, in the extension.
"""

from obeya._filters.expressions import Expression, F, Field, Filter, SortKey

__all__ = ["Expression", "F", "Field", "Filter", "SortKey"]
