"""The wall as a browser gets it over HTTP, while its service changes, goes away and comes back."""

from __future__ import annotations

import base64
import datetime
import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path

import obeya
import pytest
import walls
from obeya.__main__ import main
from obeya._wall._server import ListenError, address
from test_report import environment
from walls import running


@pytest.fixture(scope="module")
def wall(server: obeya.TestServer) -> Iterator[walls.Running]:
    """A wall that tests only read."""
    with running(server) as wall:
        yield wall


def new(counted: str) -> int:
    """How many incidents are new, as a page says."""
    found = re.search(r"<b>([\d,]+)</b>new incident", counted)
    assert found
    return int(found[1])


def test_a_wall_has_the_boards_of_the_report(wall: walls.Running) -> None:
    answer, body = wall.get()
    assert answer.status == 200 and answer.getheader("Content-Type") == "text/html; charset=utf-8"
    root = ET.fromstring(body)
    boards = [board.get("id") for board in root.iterfind(".//{*}main/*")]
    assert boards[0] == "board-morning" and "board-incidents" in boards
    assert root.findtext(".//{*}h1") == "Nordlys <plant>"
    at = root.findtext(".//*[@id='at']") or ""
    assert re.fullmatch(r"Figures of (\d{4}-\d\d-\d\d )?\d\d:\d\d", at)
    assert root.find(".//*[@id='away']") is None
    # Of many charts there are three on a board.
    assert all(len(charts) <= 3 for charts in root.iterfind(".//*[@class='charts']"))


def test_a_wall_loads_nothing_from_elsewhere_and_runs_its_own_script_alone(wall: walls.Running) -> None:
    _, body = wall.get()
    root = ET.fromstring(body)
    loaded = [node.get("src") or node.get("href") for node in root.iter() if node.get("src") or node.get("href")]
    assert sorted(filter(None, loaded)) == ["/wall.css", "/wall.js", "data:,"]
    assert not [node for node in root.iter() if node.get("style")]
    (script,) = root.iterfind(".//{*}script")
    assert not script.text and root.find(".//{*}style") is None
    for path, kind in (("/wall.css", "text/css; charset=utf-8"), ("/wall.js", "text/javascript; charset=utf-8")):
        answer, text = wall.get(path)
        assert (answer.status, answer.getheader("Content-Type")) == (200, kind)
        assert len(text) > 1000 and "://" not in text


@pytest.mark.parametrize("path", ["/", "/wall.css", "/wall.js", "/healthz", "/other", "/../../etc/passwd"])
def test_every_answer_is_guarded(path: str, wall: walls.Running) -> None:
    answer, _ = wall.get(path)
    policy = dict(part.strip().split(" ", 1) for part in (answer.getheader("Content-Security-Policy") or "").split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in str(policy)
    assert answer.getheader("X-Content-Type-Options") == "nosniff"
    assert answer.getheader("Referrer-Policy") == "no-referrer"
    assert answer.getheader("Server") == "obeya"
    assert answer.status == (200 if path in ("/", "/wall.css", "/wall.js", "/healthz") else 404)


def test_no_secret_and_no_address_of_the_service_is_on_a_page(server: obeya.TestServer) -> None:
    with running(server) as wall:
        wall.away.set()
        tag, _ = wall.next(wall.get()[0].getheader("ETag") or "")
        client_id, client_secret = server.credentials()
        for path in ("/", "/wall.js", "/wall.css"):
            _, body = wall.get(path)
            for secret in (client_id, client_secret, base64.b64encode(client_secret.encode()).decode(), "127.0.0.1", "Bearer"):
                assert secret not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_a_wall_is_only_read(method: str, wall: walls.Running) -> None:
    answer, _ = wall.get(method=method)
    assert (answer.status, answer.getheader("Allow")) == (405, "GET, HEAD")


def test_a_head_is_that_of_the_page(wall: walls.Running) -> None:
    answer, body = wall.get(method="HEAD")
    whole, text = wall.get()
    assert (answer.status, body) == (200, "")
    assert answer.getheader("Content-Length") == str(len(text.encode()))
    assert answer.getheader("ETag") == whole.getheader("ETag")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8090", 200),
        ("127.0.0.1", 200),
        ("[::1]:8090", 200),
        ("LOCALHOST", 200),
        # A name of another site that resolves to this machine: its pages would read the wall.
        ("evil.example", 421),
        ("127.0.0.1.evil.example:8090", 421),
        ("", 421),
    ],
)
def test_a_wall_of_this_machine_has_its_names_alone(host: str, status: int, wall: walls.Running) -> None:
    answer, body = wall.get(Host=host)
    assert answer.status == status
    assert status == 200 or "Nordlys" not in body


def test_a_page_that_the_browser_has_is_not_sent_again(wall: walls.Running) -> None:
    answer, _ = wall.get()
    tag = answer.getheader("ETag") or ""
    again, body = wall.get(If_None_Match=tag)
    # A minute may have passed, and with it the page.
    if again.getheader("ETag") == tag:
        assert (again.status, body) == (304, "")
    other, _ = wall.get(If_None_Match='"other"', Prefer="wait=25")
    assert other.status == 200


def test_of_many_screens_the_last_are_answered_at_once(wall: walls.Running) -> None:
    semaphore = wall.server.waiting
    taken = 0
    while semaphore.acquire(blocking=False):
        taken += 1
    try:
        assert taken == 32
        answer, _ = wall.get()
        # It would wait for 25 seconds, and the page for another minute at most.
        again, _ = wall.get(If_None_Match=answer.getheader("ETag") or "", Prefer="wait=25")
        assert again.status in (200, 304)
    finally:
        for _ in range(taken):
            semaphore.release()


def test_what_changes_in_the_service_is_soon_on_the_wall(
    server: obeya.TestServer, new_incident: Callable[..., obeya.IncidentV1]
) -> None:
    with running(server, walls.replace_day(datetime.datetime.now(datetime.timezone.utc).date())) as wall:
        answer, before = wall.get()
        tag = answer.getheader("ETag") or ""
        new_incident(title="Hot <b>chips</b> at press 9", severity="High")
        after = before
        # The page may change with the minute first.
        while new(after) == new(before):
            tag, after = wall.next(tag)
        assert new(after) == new(before) + 1
        assert "Hot &lt;b&gt;chips&lt;/b&gt; at press 9" in after


def test_when_the_service_is_away_the_last_figures_stay_with_their_time(server: obeya.TestServer) -> None:
    with running(server) as wall:
        answer, before = wall.get()
        tag = answer.getheader("ETag") or ""
        at = re.search(r'<p id="at"[^>]*>[^<]*</p>', before)
        assert at
        wall.away.set()
        after = before
        while 'id="away"' not in after:
            tag, after = wall.next(tag)
        assert re.search(r"The service has not answered since (\d{4}-\d\d-\d\d )?\d\d:\d\d\. These are the last figures\.", after)
        # All else is as it was.
        main = re.compile(r"<main>.*</main>", re.DOTALL)
        assert main.findall(after) == main.findall(before)
        assert re.search(r'<p id="at"[^>]*>Figures of ', after)
        assert len(wall.said) == 1 and wall.said[0].startswith("error: ")
        wall.away.clear()
        while 'id="away"' in after:
            tag, after = wall.next(tag)
        assert main.findall(after) == main.findall(before)
        assert wall.said[1:] == ["the service answers again"]


def test_a_wall_begins_without_its_service(server: obeya.TestServer) -> None:
    with running(server, away=True) as wall:
        answer, body = wall.get()
        assert answer.status == 503
        assert "The service does not answer. This page appears as soon as it does." in body
        assert "<h1>Nordlys &lt;plant&gt;</h1>" in body
        wall.away.clear()
        _, body = wall.next(answer.getheader("ETag") or "")
        assert 'id="board-morning"' in body and 'id="away"' not in body


def test_the_command_serves_until_it_is_interrupted(
    server: obeya.TestServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment(server, monkeypatch)
    command = [sys.executable, "-W", "error", "-m", "obeya", "wall", "--listen", "127.0.0.1:0", "--lang", "nb", "--every", "5"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", cwd=tmp_path, env={**os.environ}
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        first = process.stdout.readline()
        found = re.fullmatch(r"a wall on (http://127\.0\.0\.1:\d+): a report every 5 seconds, until it is interrupted\n", first)
        assert found, process.stderr.read()
        _, body = walls.ask(found[1])
        assert 'lang="nb"' in body and "Siden i går" in body
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr.read() == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--group", "Nobody"], "error: no group is called 'Nobody'; those there are: Mechanics, Plant\n"),
        (["--listen", "8090"], "error: expected a host and a port such as 127.0.0.1:8090; found '8090'\n"),
        (["--tz", "Oslo"], "error: no time zone 'Oslo' is known here; expected a name such as Europe/Oslo\n"),
    ],
)
def test_what_cannot_be_shown_is_said_at_once(
    arguments: list[str],
    says: str,
    server: obeya.TestServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    environment(server, monkeypatch)
    assert main(["wall", *arguments]) == 1
    assert capsys.readouterr().err == says


def test_a_port_that_is_taken_is_said(
    wall: walls.Running, server: obeya.TestServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment(server, monkeypatch)
    port = wall.server.server_port
    assert main(["wall", "--listen", f"127.0.0.1:{port}"]) == 1
    assert capsys.readouterr().err == f"error: cannot listen on 127.0.0.1 port {port}: Address already in use\n"


@pytest.mark.parametrize(
    ("text", "listen"),
    [("127.0.0.1:8090", ("127.0.0.1", 8090)), ("localhost:0", ("localhost", 0)), ("[::1]:8090", ("::1", 8090))],
)
def test_an_address_is_a_host_and_a_port(text: str, listen: tuple[str, int]) -> None:
    assert address(text) == listen


@pytest.mark.parametrize("text", ["", ":8090", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "::1:8090", "host name:80", "http://a:80"])
def test_another_address_is_refused(text: str) -> None:
    with pytest.raises(ListenError, match="expected a host and a port"):
        address(text)


@pytest.mark.parametrize("arguments", [["--every", "1"], ["--every", "soon"], ["--page", "0"], ["--every", "nan"]])
def test_times_have_bounds(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["wall", *arguments])
    assert "to 86400 seconds; found" in capsys.readouterr().err
