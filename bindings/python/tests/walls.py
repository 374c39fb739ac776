"""A wall of the tests: over a real service, behind a relay that takes the service away and brings it back."""

from __future__ import annotations

import datetime
import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

import obeya
import relay
from obeya._report._gather import gather
from obeya._report._wanted import Wanted
from obeya._wall._builder import Builder
from obeya._wall._pages import page
from obeya._wall._server import Wall

DAY = datetime.date(2026, 3, 1)
PLANT = Wanted(title="Nordlys <plant>", today=DAY)


def replace_day(today: datetime.date) -> Wanted:
    """The plant on another day."""
    return replace(PLANT, today=today)


def ask(url: str, path: str = "/", method: str = "GET", **headers: str) -> tuple[http.client.HTTPResponse, str]:
    """Asks for a path, and returns the answer and its body. `_` stands for `-` in the name of a header."""
    parts = urlsplit(url)
    assert parts.hostname
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer, answer.read().decode()
    finally:
        connection.close()


@dataclass
class Running:
    """A wall under way."""

    url: str
    away: threading.Event
    """While it is set the service closes every connection."""
    server: Wall
    said: list[str] = field(default_factory=list)
    """What was said on standard error."""

    def get(self, path: str = "/", method: str = "GET", **headers: str) -> tuple[http.client.HTTPResponse, str]:
        """Asks this wall."""
        return ask(self.url, path, method, **headers)

    def next(self, tag: str) -> tuple[str, str]:
        """Waits for another page than that of the tag; its tag and the page."""
        while True:
            answer, body = self.get("/", If_None_Match=tag, Prefer="wait=25")
            found = answer.getheader("ETag") or ""
            if answer.status != 304:
                assert found != tag
                return found, body


@contextmanager
def running(service: obeya.TestServer, wanted: Wanted = PLANT, *, seconds: float = 20, away: bool = False) -> Iterator[Running]:
    """A wall that makes its report again and again, and shows each board for so many seconds. With `away` the service is away at first."""
    gone = threading.Event()
    if away:
        gone.set()

    def close(_exchange: relay.Exchange, handler: relay.Handler) -> bool:
        if gone.is_set():
            handler.close_connection = True
        return gone.is_set()

    said: list[str] = []
    with relay.before(service.base_url, close) as line:
        with obeya.Client(line.url, *service.credentials(), max_retries=0) as client:
            builder = Builder(lambda: gather(client, wanted), lambda state: page(state, wanted, seconds), 0.05, said.append)
            builder.renew()
            with Wall(("127.0.0.1", 0), builder) as wall:
                thread = threading.Thread(target=wall.serve_forever, kwargs={"poll_interval": 0.01})
                thread.start()
                builder.start()
                try:
                    yield Running(wall.url, gone, wall, said)
                finally:
                    builder.stop()
                    # A report that is being made would go on reading during the next test.
                    builder._thread.join()
                    wall.shutdown()
                    thread.join()
