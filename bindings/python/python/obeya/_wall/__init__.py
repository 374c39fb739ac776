"""The wall of `python -m obeya wall`: the report on a screen in the room, made again and again.

`_builder` makes the report in the background and keeps the last good one, `_pages` shows it board by board, and `_server` answers
browsers. Nothing here writes to the service, and no page has more in it than the report.
"""
