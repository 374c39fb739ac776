"""A relay in front of a service: it records the answers, and lets a test break the traffic at a chosen moment.

Requests and answers are those of the real service. Only the faults of networks and proxies are made up here.
"""

from __future__ import annotations

import http.client
import http.server
import json
import socket
import struct
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import canned


@dataclass
class Exchange:
    """A request and the answer of the service."""

    number: int
    """Counts the requests that are not for tokens, from 0 on."""
    method: str
    target: str
    status: int
    headers: dict[str, str]
    body: bytes


Handler = http.server.BaseHTTPRequestHandler

Way = Callable[[Exchange, Handler], bool]
"""Called with each exchange before the answer is forwarded. Returns whether it has handled it."""

Change = Callable[[str, dict[str, str]], None]
"""Called with the target and the headers of each request before it is forwarded."""


@dataclass
class Relay:
    """A relay under way."""

    url: str
    exchanges: list[Exchange] = field(default_factory=list)
    """The traffic, except tokens."""
    tokens: int = 0
    """How many tokens were given."""


@contextmanager
def before(
    service: str,
    way: Way = lambda _exchange, _handler: False,
    change: Change = lambda _target, _headers: None,
    lifetime: int | None = None,
) -> Iterator[Relay]:
    """Forwards to the service at this address. With `lifetime`, tokens claim to expire after so many seconds."""
    relay = Relay("")
    lock = threading.Lock()
    host = urllib.parse.urlsplit(service).netloc

    class Relaying(Handler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        # Written data is sent at once, and does not wait for an acknowledgement of earlier data.
        disable_nagle_algorithm = True

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            # Not compressed, so that a body can be cut where a test wants it cut. The host is the relay: so
            # links lead to it.
            left = ("accept-encoding", "connection")
            headers = {name.lower(): value for name, value in self.headers.items() if name.lower() not in left}
            about_tokens = self.path.endswith("/connect/token") or self.path.startswith("/.well-known")
            if not about_tokens:
                change(self.path, headers)
            connection = http.client.HTTPConnection(host)
            try:
                connection.request(self.command, self.path, body or None, headers)
                answer = connection.getresponse()
                # The length of the answer is set again.
                length = ("connection", "content-length", "transfer-encoding")
                kept = {name: value for name, value in answer.getheaders() if name.lower() not in length}
                content = answer.read()
            finally:
                connection.close()
            if about_tokens:
                if self.command == "POST":
                    relay.tokens += 1
                    if lifetime is not None:
                        content = json.dumps({**json.loads(content), "expires_in": lifetime}).encode()
                send(self, answer.status, kept, content)
                return
            with lock:
                exchange = Exchange(len(relay.exchanges), self.command, self.path, answer.status, kept, content)
                relay.exchanges.append(exchange)
            if not way(exchange, self):
                send(self, answer.status, kept, content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

        def handle(self) -> None:
            # A connection that was broken on purpose, or closed by the client.
            with suppress(OSError, ValueError):
                super().handle()

        def finish(self) -> None:
            with suppress(OSError, ValueError):
                super().finish()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with canned.serving(Relaying) as url:
        relay.url = url
        yield relay


def send(handler: Handler, status: int, headers: dict[str, str], body: bytes) -> None:
    """Answers."""
    head(handler, status, headers, len(body))
    handler.wfile.write(body)


def head(handler: Handler, status: int, headers: dict[str, str], length: int) -> None:
    """The head of an answer that promises so many bytes."""
    handler.send_response_only(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(length))
    handler.end_headers()


def reset(handler: Handler) -> None:
    """Ends the connection as a crash does: unread data of the other side is lost."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.rfile.close()
    handler.wfile.close()
    handler.connection.close()
