"""What the package costs, beside what analysts would write without it, in the same run: `cargo xtask bench python` builds a release wheel,
installs it with the peers and calls this. Medians of several rounds, in which the ways take turns; ratios, because machines differ.

A goal that is missed is marked. The goals are those of the project's plan."""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MB = 1_000_000

# Name, address, at least so many times faster than which other row, and at most so many MB.
ROWS: list[tuple[str, str, list[tuple[float, str]], float | None]] = [
    ("bytes_only", "recorded_json", [], None),
    ("requests_pandas", "recorded_json", [], None),
    ("httpx_polars", "recorded_json", [], None),
    ("to_pandas", "recorded_json", [(8, "requests_pandas recorded_json")], 350),
    ("to_polars", "recorded_json", [(6, "httpx_polars recorded_json")], 250),
    ("to_arrow", "recorded_json", [], 250),
    ("stream_to_duckdb", "recorded_json", [], 120),
    ("to_parquet", "recorded_json", [], 120),
    ("to_pandas", "recorded_arrow", [(3, "to_pandas recorded_json")], 350),
    ("to_polars", "recorded_arrow", [(3, "to_polars recorded_json")], 250),
    ("to_arrow", "recorded_arrow", [(3, "to_arrow recorded_json")], 250),
    ("stream_to_duckdb", "recorded_arrow", [], 120),
    ("to_parquet", "recorded_arrow", [], 120),
    ("requests_pandas", "service", [], None),
    ("httpx_polars", "service", [], None),
    ("to_pandas", "service", [(8, "requests_pandas service")], 350),
    ("to_polars", "service", [(6, "httpx_polars service")], 250),
]


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--calls", help="the program that makes small calls with the Rust SDK")
    arguments.add_argument("--wheel", type=Path, help="the wheel that is installed")
    given = arguments.parse_args()

    plant = subprocess.Popen([sys.executable, HERE / "plant.py", str(given.rows)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert plant.stdin is not None
    assert plant.stdout is not None
    try:
        where = json.loads(plant.stdout.readline())
        values(where, given.rows, given.rounds)
        small_calls(where, given.calls, given.rounds)
    finally:
        plant.stdin.close()
        plant.wait()
    imports(given.rounds)
    if given.wheel:
        size = given.wheel.stat().st_size / MB
        print(f"{'wheel, MB':<44} {size:>8.1f} {verdict(size <= 20, '≤ 20')}")


def values(where: dict[str, Any], rows: int, rounds: int) -> None:
    """The table of the ways to a frame."""
    found: dict[str, list[dict[str, Any]]] = {}
    for number in range(rounds + 1):
        for name, address, _, _ in ROWS:
            taken = way(name, {**where, "url": where[address], "rows": rows})
            # The first round fills the caches of the service and the disk.
            if number:
                found.setdefault(f"{name} {address}", []).append(taken)
    sums = {round(taken["sum"], 3) for each in found.values() for taken in each if not math.isnan(taken["sum"])}
    counts = {taken["rows"] for each in found.values() for taken in each}
    assert counts == {rows}, f"expected {rows} rows everywhere, found {counts}"
    assert len(sums) == 1, f"the ways disagree: {sums}"

    print(f"{f'{rows:,} values':<44} {'s':>8} {'CPU s':>8} {'peak MB':>8}")
    for name, address, faster, most in ROWS:
        key = f"{name} {address}"
        seconds, peak = median(found[key], "seconds"), median(found[key], "peak") / MB
        verdicts = [
            verdict((ratio := median(found[other], "seconds") / seconds) >= least, f"{ratio:.1f} × {other} (≥ {least:g})")
            for least, other in faster
        ]
        if most:
            verdicts.append(verdict(peak <= most, f"≤ {most:g} MB"))
        print(f"{key:<44} {seconds:>8.2f} {median(found[key], 'cpu'):>8.2f} {peak:>8.0f}   {', '.join(verdicts)}")


def way(name: str, where: dict[str, Any]) -> dict[str, Any]:
    done = subprocess.run([sys.executable, HERE / "ways.py", name], input=json.dumps(where), stdout=subprocess.PIPE, text=True, check=True)
    taken: dict[str, Any] = json.loads(done.stdout)
    return taken


def small_calls(where: dict[str, Any], program: str | None, rounds: int) -> None:
    """A call that answers little, from Python and from Rust."""
    import obeya

    calls = 2_000
    settings = [where["service"], where["client_id"], where["client_secret"], str(calls)]
    python, rust = [], []
    with obeya.Client(where["service"], where["client_id"], where["client_secret"]) as client:
        client.datasources.get(1)
        for _ in range(rounds):
            begun = time.perf_counter()
            for _ in range(calls):
                client.datasources.get(1)
            python.append((time.perf_counter() - begun) / calls * 1e6)
            if program:
                done = subprocess.run([program, *settings], stdout=subprocess.PIPE, text=True, check=True)
                rust.append(float(done.stdout))
    took = statistics.median(python)
    print(f"{'a small call, µs':<44} {took:>8.0f}")
    if rust:
        over = took - statistics.median(rust)
        print(f"{'  over the same in Rust, µs':<44} {over:>8.0f} {verdict(over <= 50, '≤ 50')}")


def imports(rounds: int) -> None:
    """What `import obeya` takes beyond the start of the interpreter."""
    taken: dict[str, list[float]] = {"pass": [], "import obeya": []}
    for _ in range(4 * rounds):
        for code, each in taken.items():
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            each.append((time.perf_counter() - begun) * 1e3)
    over = statistics.median(taken["import obeya"]) - statistics.median(taken["pass"])
    print(f"{'import obeya, ms':<44} {over:>8.0f} {verdict(over <= 50, '≤ 50')}")


def median(taken: list[dict[str, Any]], what: str) -> float:
    return float(statistics.median(each[what] for each in taken))


def verdict(reached: bool, text: str) -> str:
    return text if reached else f"{text} MISSED"


if __name__ == "__main__":
    main()
