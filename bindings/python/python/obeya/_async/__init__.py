"""`obeya.AsyncClient` and the resources that it leads to.

`obeya/_sync` is made from these files by `cargo xtask regen`: `async` and `await` are left out, and `AsyncClient` is `Client`. What the
two do not share is in `_answer.py` and `values.py` of each.
"""
