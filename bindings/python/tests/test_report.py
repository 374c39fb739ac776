"""`python -m obeya`: its text and its page, compared with figures that are counted here with plain loops."""

from __future__ import annotations

import datetime
import os
import re
import statistics
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import obeya
import pytest
from obeya.__main__ import main

TODAY = datetime.date(2026, 3, 1)
YEAR = datetime.timedelta(weeks=52)
SVG = "{http://www.w3.org/2000/svg}"
CHARTS = [
    "cross",
    "since",
    "between",
    "types",
    "overdue-incidents",
    "causes",
    "process",
    "overdue-improvements",
    "flow",
    "times",
    "pick",
    "evaluations",
    "roi",
]
METERS = [
    "Safety walks",
    "Absence",
    "Scrap of line 3",
    "Delivery precision",
    "Good parts of line 3",
    "OEE of line 3",
    "Electricity of machining",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def printed(folder: Path) -> str:
    """The output of the demo. It writes `report.html` in its working directory."""
    done = run("demo", "--today", "2026-03-01", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def page(folder: Path, printed: str) -> ET.Element:
    assert "Charts: report.html (" in printed
    # The parser for XML takes well-formed pages only.
    return ET.fromstring((folder / "report.html").read_text(encoding="utf-8"))


@pytest.fixture
def own(server: obeya.TestServer, monkeypatch: pytest.MonkeyPatch) -> obeya.TestServer:
    return environment(server, monkeypatch)


def environment(server: obeya.TestServer, monkeypatch: pytest.MonkeyPatch) -> obeya.TestServer:
    client_id, client_secret = server.credentials()
    monkeypatch.setenv("OBEYA_BASE_URL", server.base_url)
    monkeypatch.setenv("OBEYA_CLIENT_ID", client_id)
    monkeypatch.setenv("OBEYA_CLIENT_SECRET", client_secret)
    monkeypatch.delenv("OBEYA_AUTH_URL", raising=False)
    return server


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "obeya", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )


def table(page: ET.Element, chart: str) -> list[list[str]]:
    """The cells below a chart, its heading first."""
    rows = page.findall(f".//*[@id='{chart}']//{{*}}tr")
    return [["".join(cell.itertext()) for cell in row] for row in rows]


def test_the_text_says_what_can_be_counted(printed: str, demo: obeya.TestServer) -> None:
    with demo.client() as client:
        incidents = client.incidents.list().all()
        improvements = client.improvements.list().all()
    lines = printed.splitlines()
    assert lines[0] == "Fjordvik Gear, 2026-03-01"
    assert max(map(len, lines)) <= 80 and 50 <= len(lines) <= 80
    text = " ".join(printed.split())

    serious = [one for one in incidents if one.incident_type == "Health and safety" and one.severity == "High"]
    assert f"{(TODAY - max(one.incident_date for one in serious)).days} days since the last one" in text
    still = [one for one in incidents if one.status not in ("Resolved", "Rejected")]
    late = [one for one in still if one.due_date is not None and one.due_date.date() < TODAY]
    assert f"{len(still)} open, {len(late)} of them overdue" in text
    recent = Counter(one.incident_type for one in incidents if TODAY - YEAR <= one.incident_date < TODAY)
    assert f"{sum(recent.values()):,} incidents in 52 weeks" in text
    for kind, count in recent.items():
        assert re.search(rf"{kind} +{count} ", text), kind
    ways = [
        (one.implemented_date - one.suggestion_date) / datetime.timedelta(days=1)
        for one in improvements
        if one.implemented_date is not None and one.suggestion_date is not None
    ]
    assert f"half take at most {statistics.median(ways):.0f} days" in text
    judged = Counter(one.evaluation_status for one in improvements if one.evaluation_status)
    assert f"{judged['Good']} of {judged.total()} judged good" in text
    money = [
        (one.cost_of_investment, one.gain_of_investment)
        for one in improvements
        if one.cost_of_investment is not None and one.gain_of_investment is not None
    ]
    cost, gain = sum(cost for cost, _ in money), sum(gain for _, gain in money)
    assert f"return on investment {(gain - cost) / cost:.0%}" in text


def test_the_weeks_of_the_process_are_those_of_its_values(page: ET.Element, printed: str, demo: obeya.TestServer) -> None:
    weeks: dict[datetime.date, list[float]] = {}
    with demo.client() as client:
        for value in client.datasources.values(1, where="dimension eq 'Line 3'"):
            assert value.value is not None
            day = value.value_date.date()
            weeks.setdefault(day - datetime.timedelta(days=day.weekday()), []).append(value.value)
    rows = table(page, "process")[1:]
    # 1 March 2026 is a Sunday, so the last whole week is the one before.
    mondays = [datetime.date(2026, 2, 16) - datetime.timedelta(weeks=back) for back in range(51, -1, -1)]
    assert [row[0] for row in rows] == [f"{monday.day} {monday:%B %Y}" for monday in mondays]
    means = {monday: statistics.fmean(weeks[monday]) for monday in mondays}
    for row, mean in zip(rows, means.values(), strict=True):
        assert float(row[1]) == pytest.approx(mean, rel=1e-3)
    # On day 480 of 728, Thursday 26 June 2025, line 3 got its quick changeover: the next whole week begins
    # another phase.
    before = [mean for day, mean in means.items() if day < datetime.date(2025, 6, 30)]
    after = [mean for day, mean in means.items() if day >= datetime.date(2025, 6, 30)]
    gained = statistics.fmean(after) - statistics.fmean(before)
    assert f"Since the change on 26 June 2025 the mean is {gained:.4g} percentage points higher." in " ".join(printed.split())


def test_every_chart_has_words_and_its_figures(page: ET.Element) -> None:
    figures = page.findall(".//{*}figure")
    assert [figure.get("id") for figure in figures] == CHARTS
    for figure in figures:
        name = figure.get("id") or ""
        assert all(figure.findtext(f"{{*}}figcaption/{{*}}{tag}") for tag in ("h3", "p"))
        if name == "pick":
            continue
        rows = table(page, name)
        assert len(rows) > 1 and len({len(row) for row in rows}) == 1, name
    types = table(page, "types")
    assert types[0] == ["Type", "", "Incidents", "Share", "Sum"]
    assert types[-1][-1] == "100%"


def test_every_drawing_has_a_text_alternative_or_its_numbers_beside_it(page: ET.Element) -> None:
    drawings = page.findall(f".//{SVG}svg")
    assert len(drawings) > 40
    described = 0
    for svg in drawings:
        # Text in a drawing would be stretched with it.
        assert not list(svg.iter(f"{SVG}text"))
        if svg.get("aria-hidden") == "true":
            continue
        described += 1
        title, desc = svg.find(f"{SVG}title"), svg.find(f"{SVG}desc")
        assert title is not None and desc is not None and title.text and desc.text
        assert svg.get("role") == "img"
        assert svg.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
        assert len(svg.findall(f"{SVG}path")) > 1
    assert described == len(("between", "process", "flow")) + len(METERS)


def test_the_meters_of_the_demo_are_those_of_its_values(page: ET.Element, printed: str, demo: obeya.TestServer) -> None:
    rows = table(page, "targets-table")
    assert [row[0] for row in rows if len(row) > 1] == ["Meter", *METERS]
    assert [row[0] for row in rows if len(row) == 1] == ["Safety", "Quality", "Delivery", "Cost"]
    with demo.client() as client:
        # The whole day before that of the report.
        scrap = [
            value.value
            for value in client.datasources.values(2, where="dimension eq 'Line 3'")
            if value.value is not None and value.value_date.date() == TODAY - datetime.timedelta(days=1)
        ]
    (shown,) = [row for row in rows if row[0] == "Scrap of line 3"]
    mean = statistics.fmean(scrap)
    assert shown[1] == f"{mean:.4g}\u00a0% 28 Feb" and shown[2] == "at most 1.5\u00a0%"
    assert shown[3] == ("✓ on target" if mean <= 1.5 else "✗ off target")
    assert "Quality: Scrap of line 3: " in printed


def test_the_page_needs_nothing_else(folder: Path, page: ET.Element) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert re.findall(r"\w+://[^\"' ]*", re.sub(r' xmlns="[^"]*"', "", text)) == []
    assert not re.search(r"@import|<script|<link|<img|<iframe|<object|javascript:|data:", text)
    ids = [node.get("id") for node in page.iter() if node.get("id")]
    assert len(ids) == len(set(ids))
    assert "url(" not in text and not [node for node in page.iter() if node.get("href")]
    labels = [name for node in page.iter() for name in (node.get("aria-labelledby") or "").split()]
    assert labels and set(labels) <= set(ids)
    # A policy of the wall allows the style sheet, and no style beside it.
    assert len(page.findall(".//{*}style")) == 1 and " style=" not in text
    assert len(text) < 200_000


def test_a_report_is_replaced_and_nothing_else_is(folder: Path, page: ET.Element, own: obeya.TestServer, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    report.write_text("<p>Mine</p>", encoding="utf-8")
    assert main(["report", "-o", str(report)]) == 1
    assert report.read_text(encoding="utf-8") == "<p>Mine</p>"
    assert main(["report", "-o", str(report), "--force"]) == 0
    first = report.read_text(encoding="utf-8")
    assert first.startswith("<!DOCTYPE html>")
    assert main(["report", "-o", str(report), "--title", "A & B < C"]) == 0
    root = ET.fromstring(report.read_text(encoding="utf-8"))
    assert root.findtext(".//{*}title", "").startswith("A & B < C, ")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_report_of_ones_own_data(own: obeya.TestServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with own.client() as client:
        incidents, improvements = client.incidents.list().count(), client.improvements.list().count()
    assert main(["report", "-o", str(tmp_path / "own.html"), "--today", "2026-04-01", "--title", "Plant 7"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Plant 7, 2026-04-01\n")
    assert f"\n{incidents:,} incident" in out and f" and {improvements:,} improvement" in out


def test_an_empty_service_has_an_empty_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with obeya.TestServer() as server:
        environment(server, monkeypatch)
        assert main(["report", "-o", str(tmp_path / "empty.html")]) == 0
    assert "0 incidents and 0 improvements" in capsys.readouterr().out
    root = ET.fromstring((tmp_path / "empty.html").read_text(encoding="utf-8"))
    assert root.findall(".//{*}figure") == []


def test_what_to_install_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["demo", "-o", str(tmp_path / "report.html")]) == 1
    assert capsys.readouterr().err == "error: the report needs pyarrow: pip install pyarrow\n"


def test_the_report_needs_no_matplotlib(
    own: obeya.TestServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.chdir(tmp_path)
    assert main(["report", "--no-html"]) == 0
    assert capsys.readouterr().out.startswith("Lean report, ")
    assert list(tmp_path.iterdir()) == []
    assert main(["report"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_what_cannot_be_done_is_said_in_a_line(
    own: obeya.TestServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "-o", str(tmp_path / "no" / "report.html")]) == 1
    assert capsys.readouterr().err == f"error: there is no folder {tmp_path / 'no'}\n"
    assert main(["report", "--no-html", "--datasource", "4711"]) == 1
    assert "not" in capsys.readouterr().err.lower()
    monkeypatch.delenv("OBEYA_BASE_URL")
    assert main(["report", "--no-html"]) == 1
    assert "OBEYA_BASE_URL" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["guess"], ["demo", "--today", "soon"], ["demo", "--title", "X"]])
def test_a_command_that_is_not_understood_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: python -m obeya" in capsys.readouterr().err


def test_a_reader_that_goes_away_has_seen_enough(own: obeya.TestServer, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "obeya", "report", "--no-html"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_help_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, words in (
        ([], ["demo", "report", "pip install pyarrow"]),
        (["report"], ["--datasource", "OBEYA_BASE_URL", "--force", "--area", "--group", "--tz", "--lang", "--targets", "--link"]),
    ):
        with pytest.raises(SystemExit) as ended:
            main([*arguments, "--help"])
        assert ended.value.code == 0
        out = capsys.readouterr().out
        assert all(word in out for word in words), out
        # In the public index this name is not ours.
        assert "install 'obeya" not in out and "install obeya" not in out
