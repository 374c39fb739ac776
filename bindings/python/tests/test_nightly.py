"""The example of a nightly job: its exit code and its report, by a calculation of the limits of its own."""

from __future__ import annotations

import datetime
import importlib.util
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import obeya
import pytest

FILE = Path(__file__).parents[3] / "examples" / "nightly" / "nightly.py"
DAY = datetime.date(2026, 3, 10)
SOURCE = 13


@pytest.fixture(scope="module")
def nightly() -> ModuleType:
    specification = importlib.util.spec_from_file_location("nightly", FILE)
    assert specification and specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[obeya.TestServer]:
    """A plant whose datasource 13 has no values, and the environment of a job."""
    with obeya.TestServer() as server:
        server.import_dir(FILE.parents[2] / "spec" / "plant")
        client_id, secret = server.credentials(["Data.Read"])
        monkeypatch.setenv("OBEYA_BASE_URL", server.base_url)
        monkeypatch.setenv("OBEYA_CLIENT_ID", client_id)
        monkeypatch.setenv("OBEYA_CLIENT_SECRET", secret)
        monkeypatch.delenv("OBEYA_AUTH_URL", raising=False)
        yield server


def measure(server: obeya.TestServer, values: dict[datetime.date, float]) -> None:
    """A value at noon of each day."""
    with server.client() as client:
        client.datasources.create_values(SOURCE, [{"value": value, "value_date": f"{day}T12:00:00Z"} for day, value in values.items()])


def past() -> dict[datetime.date, float]:
    """Thirty days of a process without any pattern, before the day: the first digits of pi."""
    digits = "314159265358979323846264338327"
    return {DAY - datetime.timedelta(days=30 - at): 20 + int(digit) for at, digit in enumerate(digits)}


def limits() -> tuple[float, float, float]:
    """Mean and natural process limits of the past: the mean ± 2.66 times the mean moving range."""
    values = list(past().values())
    moving = statistics.fmean(abs(one - other) for one, other in zip(values[1:], values, strict=False))
    mean = statistics.fmean(values)
    return mean, mean - 2.66 * moving, mean + 2.66 * moving


def run(nightly: ModuleType, report: Path, *more: str) -> int:
    code: int = nightly.main(["--datasource", str(SOURCE), "--day", str(DAY), "--out", str(report), "--unit", "°C", *more])
    return code


def test_a_day_like_the_others_is_no_signal(nightly: ModuleType, service: obeya.TestServer, tmp_path: Path) -> None:
    measure(service, {**past(), DAY: 24})
    report = tmp_path / "report.md"
    assert run(nightly, report) == 0
    mean, lower, upper = limits()
    text = report.read_text(encoding="utf-8")
    assert "No signal: nothing but noise." in text
    assert f"mean {mean:.2f} °C, natural process limits {lower:.2f} to {upper:.2f} °C" in text
    assert "| 12:00 | 24 °C |  |" in text
    assert list(tmp_path.iterdir()) == [report]


def test_a_value_beyond_the_limits_of_the_past_is_a_signal(nightly: ModuleType, service: obeya.TestServer, tmp_path: Path) -> None:
    mean, lower, upper = limits()
    measure(service, {**past(), DAY: upper + 0.1})
    report = tmp_path / "report.md"
    report.write_text("an older one", encoding="utf-8")
    assert run(nightly, report) == 1
    text = report.read_text(encoding="utf-8")
    # The day itself does not widen the limits.
    assert f"mean {mean:.2f} °C, natural process limits {lower:.2f} to {upper:.2f} °C" in text
    assert "**1 signal: look for a cause.**" in text
    assert "| N1" in text


def test_without_an_answer_the_report_stays_as_it_is(
    nightly: ModuleType, service: obeya.TestServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.md"
    report.write_text("an older one", encoding="utf-8")
    measure(service, past())
    assert run(nightly, report) == 2
    assert "found no value of that day, expected one at least (30 of the 90 days before)" in capsys.readouterr().err
    assert run(nightly, report, "--where", "dimensoin eq 'x'") == 2
    assert "dimensoin" in capsys.readouterr().err
    # Port 9 of this machine: nobody listens there.
    monkeypatch.setenv("OBEYA_BASE_URL", "http://127.0.0.1:9")
    assert run(nightly, report) == 2
    assert report.read_text(encoding="utf-8") == "an older one"


def test_it_is_a_program(service: obeya.TestServer, tmp_path: Path) -> None:
    measure(service, {**past(), DAY: 24})
    report = tmp_path / "report.md"
    arguments = ["--datasource", str(SOURCE), "--day", str(DAY), "--out", str(report)]
    done = subprocess.run([sys.executable, str(FILE), *arguments], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert report.exists()
