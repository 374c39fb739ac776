"""The report of `python -m obeya`: the state of a plant's data today, as text for a terminal and as a page.

It reads with `obeya.Client` and computes with `obeya.lean`, as any user's script would, and knows nothing else of the service.
`_read` reads, `_gather`, `_morning`, `_meters` and `_process` compute figures without words, `_words` has the words of each language, and
`_text` and `_page` show. Only `_draw` draws.
"""
