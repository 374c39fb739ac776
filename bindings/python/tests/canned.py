"""Services that answer as no service of ours does: in threads of this process, so that they can only answer while a call of the
client has released the GIL."""

from __future__ import annotations

import http.server
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@contextmanager
def answering(status: int, body: str, headers: dict[str, str] | None = None) -> Iterator[str]:
    """Answers every GET with the same thing. Returns the base URL."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            payload = body.encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with serving(Handler) as url:
        yield url


@dataclass
class Saying:
    """A service that returns what the test sets."""

    url: str
    body: bytes = b"{}"
    content_type: str = "application/json"


@contextmanager
def saying() -> Iterator[Saying]:
    """Answers every GET with what `body` is by then."""
    service = Saying("")

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        # Written data is sent at once, and does not wait for an acknowledgement of earlier data.
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            # Once: a client that gets only a head may go on and set another.
            body = service.body
            self.send_response_only(200)
            self.send_header("Content-Type", service.content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with serving(Handler) as url:
        service.url = url
        yield service


@dataclass
class Refusing:
    """A service that refuses every request."""

    url: str
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Method and target of each request."""


@contextmanager
def refusing() -> Iterator[Refusing]:
    """Answers with 418."""
    service = Refusing("")

    class Handler(http.server.BaseHTTPRequestHandler):
        def refuse(self) -> None:
            service.requests.append((self.command, self.path))
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(418)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = refuse

        def log_message(self, format: str, *args: object) -> None:
            pass

    with serving(Handler) as url:
        service.url = url
        yield service


class Server(http.server.ThreadingHTTPServer):
    """With a backlog for all concurrent connections: a refused one would be retried a second later."""

    request_queue_size = 1024


@contextmanager
def serving(handler: type[http.server.BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serves with a thread for each connection. Returns the base URL."""
    with Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Slow:
    """A service that issues tokens at once and answers everything else late, with 503."""

    url: str
    paths: list[str] = field(default_factory=list)
    """The requests."""
    most: int = 0
    """How many requests were under way at once."""


@contextmanager
def slow(seconds: float, *, enough: int | None = None) -> Iterator[Slow]:
    """Answers so late, or as soon as `enough` requests are under way at once."""
    service = Slow("")
    ended = threading.Event()
    waiting: list[object] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path.startswith("/.well-known"):
                self.send_error(404)
                return
            service.paths.append(self.path)
            waiting.append(self)
            service.most = max(service.most, len(waiting))
            if len(waiting) == enough:
                ended.set()
            ended.wait(seconds)
            waiting.remove(self)
            # The client may not have waited.
            with suppress(OSError):
                self.send(503, "{}")

        def do_POST(self) -> None:
            service.paths.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send(200, '{"access_token": "t", "token_type": "Bearer", "expires_in": 3600}')

        def send(self, status: int, body: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with serving(Handler) as url:
        service.url = url
        try:
            yield service
        finally:
            ended.set()


@dataclass
class Silent:
    """A service that does not answer any more."""

    url: str
    asked: threading.Event = field(default_factory=threading.Event)
    """Set when there is a request that is not answered."""
    freed: threading.Event = field(default_factory=threading.Event)
    """Set when the connection with that request is closed."""
    interrupted: float = 0.0
    """When Ctrl-C was pressed, by `time.monotonic`."""


@contextmanager
def silent(*before: str, interrupts: float | None = None) -> Iterator[Silent]:
    """Answers as many GETs with these bodies, then takes a request and never answers. With `interrupts` it presses Ctrl-C so many seconds
    after it has that one.
    """
    service = Silent("")
    bodies = list(before)

    def take(connection: socket.socket) -> None:
        with connection:
            # A request without a body ends with an empty line.
            while request := connection.recv(65536):
                assert request.endswith(b"\r\n\r\n")
                if not bodies:
                    break
                payload = bodies.pop(0).encode()
                head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
                connection.sendall(head.encode() + payload)
            else:
                return
            service.asked.set()
            if interrupts is not None:
                time.sleep(interrupts)
                service.interrupted = time.monotonic()
                os.kill(os.getpid(), signal.SIGINT)
            with suppress(OSError):
                while connection.recv(4096):
                    pass
            service.freed.set()

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=take, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        service.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield service
        finally:
            # Wakes the accept: closing alone does not.
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def closed_port() -> int:
    """A port without a listener."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
