"""A relay before a service: it notes what is answered, and lets a test break what goes through at a moment of its choice.

Requests and answers are those of the real service. Only what a network or a proxy does to them is made up here.
"""

from __future__ import annotations

import http.client
import http.server
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import canned


@dataclass
class Exchange:
    """A request and what the service answered."""

    number: int
    """Counts the requests that are not for tokens, from 0 on."""
    method: str
    target: str
    status: int
    headers: dict[str, str]
    body: bytes


Way = Callable[[Exchange, http.server.BaseHTTPRequestHandler], bool]
"""Called with each exchange before the answer goes on. Answers whether it was dealt with."""


@dataclass
class Relay:
    """A relay under way."""

    url: str
    exchanges: list[Exchange] = field(default_factory=list)
    """What went through, but for tokens."""
    tokens: int = 0
    """How many tokens were given."""


@contextmanager
def before(service: str, way: Way = lambda _exchange, _handler: False) -> Iterator[Relay]:
    """Stands before the service at this address."""
    relay = Relay("")
    lock = threading.Lock()
    host = urllib.parse.urlsplit(service).netloc

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            connection = http.client.HTTPConnection(host)
            try:
                # Not compressed, so that a body can be cut where a test wants it cut.
                left = ("accept-encoding", "connection", "host")
                headers = {name: value for name, value in self.headers.items() if name.lower() not in left}
                connection.request(self.command, self.path, body or None, headers)
                answer = connection.getresponse()
                kept = {name: value for name, value in answer.getheaders() if name.lower() not in ("connection", "content-length")}
                content = answer.read()
            finally:
                connection.close()
            with lock:
                if self.path.endswith("/connect/token") or self.path.startswith("/.well-known"):
                    relay.tokens += self.command == "POST"
                    exchange = None
                else:
                    exchange = Exchange(len(relay.exchanges), self.command, self.path, answer.status, kept, content)
                    relay.exchanges.append(exchange)
            if exchange is None or not way(exchange, self):
                send(self, answer.status, kept, content)

        do_GET = do_POST = do_PUT = do_DELETE = pass_on

        def log_message(self, format: str, *args: object) -> None:
            pass

    with canned.serving(Handler) as url:
        relay.url = url
        yield relay


def send(handler: http.server.BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
    """Answers."""
    handler.send_response_only(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
