"""One way to a million values, in a process of its own: `python ways.py NAME`, with where to fetch from as JSON on stdin. Prints what it
took as JSON. Imports are not counted, connecting and getting a token are."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PAGE = 10_000

Way = Callable[[str, dict[str, str], int], Any]


def _client(url: str, where: dict[str, str]) -> Any:
    import obeya

    return obeya.Client(url, where["client_id"], where["client_secret"], auth_url=where["service"])


def _values(url: str, where: dict[str, str]) -> Any:
    return _client(url, where).datasources.values(1)


def to_pandas(url: str, where: dict[str, str], rows: int) -> tuple[int, float]:
    frame = _values(url, where).to_pandas()
    return len(frame), float(frame["value"].sum())


def to_polars(url: str, where: dict[str, str], rows: int) -> tuple[int, float]:
    frame = _values(url, where).to_polars()
    return len(frame), frame["value"].sum()


def to_arrow(url: str, where: dict[str, str], rows: int) -> tuple[int, float]:
    import pyarrow.compute as pc

    table = _values(url, where).to_arrow()
    return table.num_rows, pc.sum(table["value"]).as_py()


def stream_to_duckdb(url: str, where: dict[str, str], rows: int) -> tuple[int, float]:
    import duckdb

    lazy = _values(url, where)
    count, total = duckdb.sql("SELECT count(*), sum(value) FROM lazy").fetchall()[0]
    return count, total


def to_parquet(url: str, where: dict[str, str], rows: int) -> tuple[int, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "values.parquet"
        _values(url, where).to_parquet(path)
        return rows, _sum_of(path, rows)


def _sum_of(path: Path, rows: int) -> float:
    global _after
    # Reading it again is proof and not part of the way.
    _after = (time.perf_counter(), time.process_time(), _peak())
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=["value"])
    assert table.num_rows == rows
    return float(pc.sum(table["value"]).as_py())


_after: tuple[float, float, int] | None = None


def requests_pandas(url: str, where: dict[str, str], rows: int) -> tuple[int, float]:
    import pandas as pd
    import requests

    found: list[dict[str, Any]] = []
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {where['token']}"
        for page in range(1, -(-rows // PAGE) + 1):
            answer = session.get(f"{url}/v1/Datasources/1/values", params={"page": page, "pageSize": PAGE})
            answer.raise_for_status()
            found += answer.json()["values"]
    frame = pd.DataFrame(found)
    return len(frame), float(frame["value"].sum())


def httpx_polars(url: str, where: dict[str, str], rows: int) -> tuple[int, float]:
    import httpx
    import polars as pl

    found: list[dict[str, Any]] = []
    with httpx.Client(headers={"Authorization": f"Bearer {where['token']}"}) as client:
        for page in range(1, -(-rows // PAGE) + 1):
            answer = client.get(f"{url}/v1/Datasources/1/values", params={"page": page, "pageSize": PAGE})
            answer.raise_for_status()
            found += answer.json()["values"]
    frame = pl.DataFrame(found, infer_schema_length=None)
    return len(frame), float(frame["value"].sum())


def bytes_only(url: str, where: dict[str, str], rows: int) -> tuple[int, float]:
    """The floor: the time in which a connection of Python receives the same bytes, without looking at them."""
    import http.client
    from urllib.parse import urlsplit

    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    for page in range(1, -(-rows // PAGE) + 1):
        headers = {"Authorization": f"Bearer {where['token']}", "Accept": "application/json"}
        connection.request("GET", f"/v1/Datasources/1/values?page={page}&pageSize={PAGE}", headers=headers)
        connection.getresponse().read()
    return rows, float("nan")


NEEDS = {
    "to_pandas": ["obeya", "pandas", "pyarrow"],
    "to_polars": ["obeya", "polars"],
    "to_arrow": ["obeya", "pyarrow", "pyarrow.compute"],
    "stream_to_duckdb": ["obeya", "duckdb"],
    "to_parquet": ["obeya"],
    "requests_pandas": ["requests", "pandas"],
    "httpx_polars": ["httpx", "polars"],
    "bytes_only": ["http.client"],
}


def _peak() -> int:
    """The most memory that this process had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def main() -> None:
    name = sys.argv[1]
    where: dict[str, Any] = json.load(sys.stdin)
    way: Way = globals()[name]
    for module in NEEDS[name]:
        __import__(module)
    begun, cpu = time.perf_counter(), time.process_time()
    rows, total = way(where["url"], where, where["rows"])
    ended = _after or (time.perf_counter(), time.process_time(), _peak())
    print(json.dumps({"rows": rows, "sum": total, "seconds": ended[0] - begun, "cpu": ended[1] - cpu, "peak": ended[2]}))


if __name__ == "__main__":
    main()
