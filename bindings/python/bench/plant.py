"""A service with a million values, in a child process; and the same answers once more, recorded and sent as fast as a
socket accepts them, so that the clients are compared and not the service."""

from __future__ import annotations

import json
import socket
import sys
import tempfile
import threading
import urllib.parse
import urllib.request
from pathlib import Path

import obeya

PAGE = 10_000
"""Values of a page, the most there can be."""
ARROW = "application/vnd.apache.arrow.stream"
FRAMING = ("connection", "content-length", "transfer-encoding")
"""Headers of the transport, which do not describe the answer."""


def fill(folder: Path, rows: int) -> None:
    """A value a minute, of three shifts on twelve machines, in the import format."""
    (folder / "datasources.jsonl").write_text('{"id": 1, "title": "OEE"}\n')
    begin = 1_600_000_000
    day = 86_400
    with (folder / "datasource_values.csv").open("w") as out:
        out.write("id,dataSourceId,value,valueDate,registrationDate,areaId,dimension,dimension2,dimension3\n")
        for row in range(rows):
            at = begin + 60 * row
            days, seconds = divmod(at, day)
            date = _date(days)
            clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
            shift = ("early", "late", "night")[row % 3]
            line = f"Line {row % 40}" if row % 40 < 30 else ""
            value = row * 7919 % 100_000 / 1000
            out.write(f"{row + 1},1,{value},{date}T{clock}Z,{date}T{clock}.0312345Z,{row % 9 + 1},{shift},Press {row % 12},{line}\n")


def _date(days: int) -> str:
    import datetime

    return (datetime.date(1970, 1, 1) + datetime.timedelta(days)).isoformat()


class Recorded:
    """The pages of the service, JSON and Arrow, as bytes in memory."""

    def __init__(self, base_url: str, token: str, pages: int) -> None:
        self._answers: dict[tuple[str, int], bytes] = {}
        for kind in ("application/json", ARROW):
            for page in range(1, pages + 1):
                url = f"{base_url}/v1/Datasources/1/values?page={page}&pageSize={PAGE}"
                request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}", "Accept": kind})
                with urllib.request.urlopen(request) as answer:
                    body = answer.read()
                    headers = [(name, value) for name, value in answer.headers.items() if name.lower() not in FRAMING]
                headers.append(("content-length", str(len(body))))
                head = "".join(f"{name}: {value}\r\n" for name, value in headers)
                self._answers[kind, page] = f"HTTP/1.1 200 OK\r\n{head}\r\n".encode() + body

    def listen(self, *, arrow: bool) -> str:
        """Answers on a free port, from now on. Returns the base URL."""
        listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, args=(listener, arrow), daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    def _accept(self, listener: socket.socket, arrow: bool) -> None:
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(connection, arrow), daemon=True).start()

    def _serve(self, connection: socket.socket, arrow: bool) -> None:
        with connection, connection.makefile("rb") as requests:
            while first := requests.readline():
                accept = b""
                while (line := requests.readline()) not in (b"\r\n", b""):
                    name, _, value = line.partition(b":")
                    if name.lower() == b"accept":
                        accept = value
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(first.split()[1].decode()).query)
                kind = ARROW if arrow and ARROW.encode() in accept else "application/json"
                connection.sendall(self._answers[kind, int(query.get("page", ["1"])[0])])


def main() -> None:
    rows = int(sys.argv[1])
    server = obeya.TestServer()
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder), rows)
        server.import_dir(folder)
    client_id, secret = server.credentials()
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret, "scope": "public.api.read"}
    with urllib.request.urlopen(f"{server.base_url}/connect/token", urllib.parse.urlencode(form).encode()) as answer:
        token = json.load(answer)["access_token"]
    recorded = Recorded(server.base_url, token, -(-rows // PAGE))
    where = {
        "service": server.base_url,
        "recorded_json": recorded.listen(arrow=False),
        "recorded_arrow": recorded.listen(arrow=True),
        "client_id": client_id,
        "client_secret": secret,
        "token": token,
    }
    print(json.dumps(where), flush=True)
    # Until the client is done.
    sys.stdin.read()


if __name__ == "__main__":
    main()
