"""A nightly job: was the day of a measured process as its past is? The answer is a report in Markdown and an exit code.

    python nightly.py --datasource 1 --where "dimension eq 'Line 2' and dimension2 eq 'Day'" --out report.md

It reads the values of the day and of the days before, computes the natural process limits of the days before (an XmR chart), and looks for
signals on the day. OBEYA_BASE_URL, OBEYA_CLIENT_ID and OBEYA_CLIENT_SECRET say where the service is; the client needs the scope `Data.Read`.

Exit codes: 0 no signal, 1 a signal, 2 there is no answer (no service, no such datasource, no or too few values). A report that is there stays
as it is if there is no answer.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import obeya
from obeya import lean

STABLE, SIGNAL, NO_ANSWER = 0, 1, 2


def main(arguments: list[str] | None = None) -> int:
    wanted = options(arguments)
    try:
        with obeya.Client.from_env() as client:
            chart = control_chart(client, wanted)
        write(wanted.out, report(chart, wanted))
    except (obeya.APIError, obeya.ConfigError, OSError, ValueError) as error:
        print(f"no answer for {wanted.day}: {error}", file=sys.stderr)
        return NO_ANSWER
    return SIGNAL if signals(chart, wanted.day) else STABLE


def options(arguments: list[str] | None) -> argparse.Namespace:
    """The options. The day is one of UTC, as are all dates here."""
    yesterday = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=1)
    parser = argparse.ArgumentParser(description="Was the day of a measured process as its past is?")
    parser.add_argument("--datasource", type=int, required=True, metavar="ID")
    parser.add_argument("--where", metavar="FILTER", help="an OData filter that leaves the values of one process")
    parser.add_argument("--day", type=datetime.date.fromisoformat, default=yesterday, metavar="DATE", help="default: yesterday")
    parser.add_argument("--history", type=int, default=90, metavar="DAYS", help="how many days before it make its limits (default: 90)")
    parser.add_argument("--unit", default="", help="the unit of the values")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the report; an older one is replaced")
    return parser.parse_args(arguments)


def control_chart(client: obeya.Client, wanted: argparse.Namespace) -> lean.XmR:
    """The chart of the day after its past. The day does not move its own limits."""
    start = wanted.day - datetime.timedelta(days=wanted.history)
    table = client.datasources.values(wanted.datasource, start=start, end=wanted.day, where=wanted.where).to_arrow()
    before = sum(moment.date() < wanted.day for moment in table["valueDate"].to_pylist())
    if before == table.num_rows:
        raise ValueError(f"found no value of that day, expected one at least ({before} of the {wanted.history} days before)")
    return lean.xmr(table, baseline=before, unit=wanted.unit or None)


def signals(chart: lean.XmR, day: datetime.date) -> list[dict[str, Any]]:
    """The points of the day that a rule hits."""
    return [row for row in of_day(chart, day) if row["rules"]]


def of_day(chart: lean.XmR, day: datetime.date) -> list[dict[str, Any]]:
    """The points of the day."""
    return [row for row in chart.to_arrow().to_pylist() if row["date"].date() == day]


def report(chart: lean.XmR, wanted: argparse.Namespace) -> str:
    """The report, in Markdown."""
    unit = f" {wanted.unit}" if wanted.unit else ""
    found = signals(chart, wanted.day)
    verdict = f"**{len(found)} signal{'s' if len(found) > 1 else ''}: look for a cause.**" if found else "No signal: nothing but noise."
    lines = [
        f"# Datasource {wanted.datasource}, {wanted.day}",
        "",
        verdict,
        "",
        f"The {wanted.history} days before: mean {chart.centre:.2f}{unit}, natural process limits {chart.lower:.2f} to "
        f"{chart.upper:.2f}{unit}.",
        "",
        "| time (UTC) | value | rules |",
        "|---|---|---|",
    ]
    lines += [f"| {row['date']:%H:%M} | {row['value']:g}{unit} | {', '.join(row['rules'])} |" for row in of_day(chart, wanted.day)]
    return "\n".join(lines) + "\n"


def write(file: Path, text: str) -> None:
    """Replaces a file as a whole: who reads it meanwhile sees the old one or the new one."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, prefix=file.name, delete=False) as written:
        written.write(text)
    try:
        os.replace(written.name, file)
    except OSError:
        os.unlink(written.name)
        raise


if __name__ == "__main__":
    sys.exit(main())
