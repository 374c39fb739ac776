"""`obeya.Client` and what it leads to. Made from `obeya/_async`, but for `_answer.py` and `values.py`."""
