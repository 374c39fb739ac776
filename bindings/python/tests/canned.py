"""Services that answer as no service of ours does: in threads of this process, so that they can only answer while a call of the
client has released the GIL."""

from __future__ import annotations

import http.server
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def answering(status: int, body: str, headers: dict[str, str] | None = None) -> Iterator[str]:
    """Answers every GET with the same thing. Gives the base URL."""

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

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def silent(*, interrupts: bool = False) -> Iterator[str]:
    """Takes a request and never answers. Gives the base URL. With `interrupts` it presses Ctrl-C when it has the request."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def take() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1)
                if interrupts:
                    os.kill(os.getpid(), signal.SIGINT)
                while connection.recv(4096):
                    pass

        thread = threading.Thread(target=take)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            thread.join()


def closed_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
