"""The report of `python -m obeya`: the state of a plant's data today, as text for a terminal and as a page with charts.

It reads with `obeya.Client` and computes with `obeya.lean`, as any user's script would, and knows nothing else of the service.
`_gather` and `_process` read and compute, `_text` and `_page` show; only `_svg` draws.
"""
