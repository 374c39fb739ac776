"""Makes the plant of one build, for the tests of upgrades: see README.md.

make.py BINARY PLANT OUT: the build, the folder of a plant in its import format, and the folder to write. PostgreSQL's
tools are in PATH, and OBEYA_TEST_POSTGRES is the address of a server (`cargo xtask postgres -- python3 make.py …`).
"""

import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

# Names that stay: a token is of the service that issued it. It is good until 2036.
BASE = "http://plant.example"
NAMES = ["--base-url", BASE, "--auth-url", BASE, "--token-lifetime", "315360000"]
SCOPES = ["public.api.read", "public.api.write"]
INCIDENT = {"incidentTypeId": 3, "severity": "Low", "title": "Ærlig talt: oil again", "text": "Below the press 🏭",
            "incidentDate": "2026-03-06", "categories": [{"id": 31}]}
# What a plant answers, as far as the build has the operation. Nothing of the trash, which time empties.
PATHS = [
    "/v2/areas?$orderby=id", "/v2/boards?$orderby=id&$expand=group", "/v2/groups?$orderby=id&$expand=users",
    "/v2/incidents/comments?$orderby=id", "/v2/incidents/comments?$search=flange", "/v2/incidents/comments?$filter=contains(text,'eal')",
    "/v2/areas?$search=assembly", "/v2/boards?$search=tier", "/v2/groups?$search=mechanics",
    "/v2/incidents?$orderby=id", "/v2/incidents?$search=oil", "/v2/incidents/types?$orderby=id", "/v2/incidents/types?$search=failure",
    "/v1/Incidents", "/v1/Incidents/1204", "/v1/Incidents/1205", "/v1/Incidents/types", "/v1/Incidents/types/3", "/v1/Improvements",
    "/v1/Improvements/317", "/v1/Datasources", "/v1/Datasources/12", "/v1/Datasources/12/values", "/v1/Boards", "/v1/Boards/7",
    "/v1/Groups",
]


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


class Service:
    """The build, serving a database."""

    def __init__(self, binary, db):
        command = [binary, "serve", "--db", db, "--listen", "127.0.0.1:0", "--log", "off", *NAMES]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().removeprefix("listening on ").strip()
        self.token = None

    def send(self, method, path, body=None, kind="application/json"):
        path = urllib.parse.quote(path, safe="/?&=$(),'")
        request = urllib.request.Request(self.url + path, method=method, data=body)
        if body is not None:
            request.add_header("Content-Type", kind)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait() == 0


def made(binary, plant, db):
    """Fills a database with records, a client, what its service writes, and the key of its tokens."""
    run(binary, "import", plant, "--db", db)
    scopes = [word for scope in SCOPES for word in ("--scope", scope)]
    client = json.loads(run(binary, "client", "add", "Før", "--db", db, "--json", *scopes))
    with Service(binary, db) as service:
        return written(service, client)


def written(service, client):
    """Writes by a service, and returns what it answers, and the credentials it was asked with."""
    grant = {"grant_type": "client_credentials", "client_id": client["client_id"], "client_secret": client["client_secret"]}
    form = urllib.parse.urlencode(grant).encode()
    token = service.send("POST", "/connect/token", form, "application/x-www-form-urlencoded")["access_token"]
    service.token = token
    incident = service.send("POST", "/v1/Incidents", json.dumps(INCIDENT).encode())
    answers = {}
    for path in [*PATHS, f"/v1/Incidents/{incident['id']}"]:
        try:
            answers[path] = service.send("GET", path)
        except urllib.error.HTTPError as error:
            print(f"{path}: {error.code}", file=sys.stderr)
    return {"client_id": client["client_id"], "client_secret": client["client_secret"], "token": token, "answers": answers}


def main(binary, plant, out):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)

    def write(name, data):
        with gzip.GzipFile(out / name, "wb", mtime=0) as file:
            file.write(data)

    def write_json(name, facts):
        write(name, json.dumps(facts, ensure_ascii=False, indent=1).encode())

    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "plant.db"
        write_json("sqlite.json.gz", made(binary, plant, f"sqlite:{file}"))
        # Some builds leave a log behind, which belongs to the database.
        for path in file.parent.iterdir():
            if path.name in ("plant.db", "plant.db-wal"):
                write(f"{path.name}.gz", path.read_bytes())
        if "  export " in run(binary, "--help"):
            exported = pathlib.Path(folder) / "export"
            run(binary, "export", str(exported), "--with-reporters", "--db", f"sqlite:{file}")
            lines = {path.name: path.read_text() for path in exported.iterdir()}
            write_json("export.json.gz", lines)

    server = os.environ["OBEYA_TEST_POSTGRES"]
    address, _, options = server.partition("?")
    name = f"obeya_upgrade_{os.getpid()}"
    db = address.rsplit("/", 1)[0] + "/" + name + (f"?{options}" if options else "")
    run("psql", server, "-c", f"CREATE DATABASE {name}")
    try:
        write_json("postgres.json.gz", made(binary, plant, db))
        dump = run("pg_dump", "--inserts", "--no-owner", "--no-privileges", db)
        # Commands of psql, which no server takes.
        lines = [line for line in dump.splitlines() if not line.startswith("\\")]
        write("plant.sql.gz", "\n".join(lines).encode())
    finally:
        run("psql", server, "-c", f"DROP DATABASE {name} WITH (FORCE)")


if __name__ == "__main__":
    main(*sys.argv[1:])
