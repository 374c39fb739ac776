"""Answers browsers with the page of a wall. It reads nothing from a request but its path and three headers, and writes nothing."""

from __future__ import annotations

import http.server
import re
import socket
import threading
from typing import Any, cast

from obeya._wall._builder import Builder
from obeya._wall._pages import SCRIPT, STYLE_OF_WALL

_LOOPBACK = ("127.0.0.1", "localhost", "::1")

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}

_LONGEST_WAIT = 25.0
"""Seconds for which a request may wait for another page: less than proxies allow."""

_WAITING = 32
"""How many requests may wait at once. The others are answered at once."""

_SILENCE = 30.0
"""Seconds after which a connection without a request is closed."""


class ListenError(ValueError):
    """An address that cannot be listened on."""


def address(text: str) -> tuple[str, int]:
    """Host and port of `127.0.0.1:8090`, `localhost:8090` or `[::1]:8090`.

    Raises:
        ListenError: It is no such address.
    """
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/\[\]]+)):(\d{1,5})", text)
    if found is None or int(found[3]) > 65535:
        message = f"expected a host and a port such as 127.0.0.1:8090; found {text!r}"
        raise ListenError(message)
    return found[1] or found[2], int(found[3])


class Wall(http.server.ThreadingHTTPServer):
    """The server of a wall, listening."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, listen: tuple[str, int], builder: Builder) -> None:
        self.builder = builder
        self.waiting = threading.Semaphore(_WAITING)
        host, port = listen
        self.host = host
        try:
            self.address_family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            super().__init__(listen, _Handler)
        except OSError as error:
            message = f"cannot listen on {host} port {port}: {error.strerror or error}"
            raise ListenError(message) from error

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.server_port}"

    @property
    def local(self) -> bool:
        """Whether only this machine reaches it."""
        return self.host in _LOOPBACK

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no error."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _SILENCE
    # What is written is sent with the head.
    wbufsize = -1

    def do_GET(self) -> None:
        if not self._known():
            self._plain(421, "this wall is reached by its own name only\n")
            return
        path = self.path.partition("?")[0]
        if path == "/":
            self._page()
        elif path == "/wall.css":
            self._send(200, "text/css; charset=utf-8", STYLE_OF_WALL.encode())
        elif path == "/wall.js":
            self._send(200, "text/javascript; charset=utf-8", SCRIPT.encode())
        elif path == "/healthz":
            self._plain(200, "ok\n")
        else:
            self._plain(404, "a wall has one page: /\n")

    do_HEAD = do_GET

    def _refuse(self) -> None:
        # A body that may follow is not read.
        self.close_connection = True
        self._send(405, "text/plain; charset=utf-8", b"a wall is only read\n", {"Allow": "GET, HEAD", "Connection": "close"})

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _refuse

    @property
    def wall(self) -> Wall:
        """The server."""
        return cast("Wall", self.server)

    def _known(self) -> bool:
        """Whether a wall of this machine alone is addressed as such: a page of another site could resolve its own name to it."""
        if not self.wall.local:
            return True
        host = re.sub(r":\d+$", "", self.headers.get("Host", "")).strip("[]").lower()
        return host in _LOOPBACK

    def _page(self) -> None:
        builder = self.wall.builder
        tag = self.headers.get("If-None-Match", "").strip().removeprefix("W/").strip('"')
        wait = re.search(r"\bwait=(\d{1,4})\b", self.headers.get("Prefer", ""))
        shown = builder.shown
        if wait and tag == shown.tag and self.wall.waiting.acquire(blocking=False):
            try:
                shown = builder.wait(tag, min(float(wait[1]), _LONGEST_WAIT))
            finally:
                self.wall.waiting.release()
        same = tag == shown.tag
        # Also without figures it is a page that a browser shows, and that shows them as soon as it
        # has any.
        status = 304 if same else 200 if shown.ready else 503
        self._send(status, "text/html; charset=utf-8", b"" if same else shown.body, {"ETag": f'"{shown.tag}"'})

    def _plain(self, status: int, text: str) -> None:
        self._send(status, "text/plain; charset=utf-8", text.encode())

    def _send(self, status: int, kind: str, body: bytes, more: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, **(more or {})}.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status != 304:
            self.wfile.write(body)

    def version_string(self) -> str:
        """The name of the server, without versions."""
        return "obeya"

    def log_message(self, format: str, *_arguments: Any) -> None:
        """Says nothing: a screen asks day and night."""
