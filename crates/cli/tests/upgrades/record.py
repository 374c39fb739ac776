"""Records what the clients of one build send, and what their service answers: see README.md.

record.py BINARY PACKAGE FOLDER: the command line of the build, a folder with its Python package, and the folder of its
plant, where `clients.json.gz` is written. The clients run against the service of their own build, on a copy of the plant.
"""

import contextlib
import datetime
import gzip
import http.client
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading

# The address of the service, as its clients know it: next links and the tokens of the recording have it.
PORT = 18089
BASE = f"http://127.0.0.1:{PORT}"
# What the clients of these builds send for the service to read, and what they read of its answers.
SENT = ["accept", "authorization", "content-type", "idempotency-key", "if-match", "if-none-match", "prefer"]
READ = ["content-type", "etag", "location", "retry-after"]
PULLS = ["areas", "boards", "comments", "groups", "improvements", "incidents", "values 12"]


class Recorder(http.server.ThreadingHTTPServer):
    """A proxy that records each exchange, one at a time."""

    def __init__(self, service):
        super().__init__(("127.0.0.1", PORT), Handler)
        self.service, self.lock, self.client, self.exchanges = service, threading.Lock(), "", []


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def exchange(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        with self.server.lock:
            onward = http.client.HTTPConnection("127.0.0.1", self.server.service)
            onward.request(self.command, self.path, body or None, dict(self.headers))
            answer = onward.getresponse()
            data = answer.read()
            self.server.exchanges.append({
                "client": self.server.client,
                "method": self.command,
                "path": self.path,
                "headers": {name: self.headers[name] for name in SENT if name in self.headers},
                "body": body.decode(),
                "status": answer.status,
                "answer_headers": {name: answer.headers[name] for name in READ if name in answer.headers},
                "answer": as_text(answer.headers, data),
            })
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = exchange

    def log_message(self, *_):
        pass


def as_text(headers, data):
    """A body as it is kept: in hexadecimal digits if it is no text."""
    return data.hex() if "arrow" in headers.get("content-type", "") else data.decode()


def expect(error, call):
    """A call that the service refuses."""
    try:
        call()
    except error:
        return
    raise AssertionError(f"no {error.__name__}")


def flat(obeya, client):
    """What programs do with a package whose operations are methods of its client."""
    lists = ["areas", "boards", "groups", "incident_comments"]
    for name in lists:
        getattr(client, f"list_{name}")(count=True, top=1)
        list(getattr(client, f"iter_{name}")(orderby="id desc"))
        list(getattr(client, f"iter_{name}")(top=1))
    client.list_areas(filter="startswith(name,'Ass')", select=["id", "name"], orderby="name desc", skip=0)
    client.list_areas(search="assembly")
    list(client.iter_incident_comments(expand="incident", search="flange OR clamp"))
    client.list_groups(expand=["parent", "children", "boards", "users"])
    client.get_area(2, select="name")
    client.get_board(7, expand="group")
    client.get_board_detail(7)
    client.get_group(4, expand="users")
    client.get_incident_comment(8802, expand=["parent", "incident"])
    list(client.iter_comments_of_incident(1204, orderby="commentDate"))
    client.list_trashed_incidents()
    kind = client.get_incident_type(3, language="nb")
    list(client.values(12))
    list(client.values(12, from_="2026-03-01", to="2026-04-01", filter="dimension eq 'early'", page_size=1, prefetch=2))
    client.list_datasource_values(12, page=2, page_size=1, orderby="value desc")

    incident = client.create_incident(
        incident_type_id=kind.id, severity="High", title="Ærlig talt: cracked 🏭", incident_date="2026-03-02",
        categories=[31], causes=[41])
    incident = client.set_incident_consequences(incident.id, [{"id": 52, "amount": 90}])
    incident = client.set_incident_causes(incident.id, [41])
    incident = client.set_incident_external_id(incident.id, "erp-1")
    incident = client.update_incident(incident, text="A new one.")
    incident = client.update_incident(incident, status="Resolved", text="Replaced.", external_id=None)
    client.update_improvement(317, text="As planned.", cost_of_investment=None)

    expect(obeya.NotFoundError, lambda: client.get_area(999))
    expect(obeya.NotFoundError, lambda: client.update_incident(
        999, incident_type_id=3, severity="Low", title="x", incident_date="2026-03-02"))
    expect(obeya.BadRequestError, lambda: client.list_areas(filter="nonsense eq 1"))
    expect(obeya.APIStatusError, lambda: client.create_incident(
        incident_type_id=999, severity="Low", title="x", incident_date="2026-03-02", categories=[31]))
    expect(obeya.APIStatusError, lambda: client.create_incident(
        incident_type_id=3, severity="Low", title="", incident_date="2026-03-02", categories=[31]))
    expect(obeya.ConflictError, lambda: client.update_incident(incident, status="Rejected"))


def resources(obeya, client):
    """What programs do with a package whose operations are methods of resources."""
    from obeya import F

    for each in (client.areas, client.boards, client.groups, client.comments, client.incidents, client.improvements,
                 client.datasources, client.incidents.types(), client.incidents.trash()):
        records = each.list() if hasattr(each, "list") else each
        records.all()
        records.first()
    for each in (client.areas, client.boards, client.groups, client.comments):
        each.list(top=1, order_by="id desc").page()
        each.list().count()
    for each in (client.boards, client.groups):
        each.list_v1().all()
    client.incidents.list_v2(where=F.severity.in_(["High", "Medium"]) & ~F.title.contains("test")).all()
    client.incidents.list_v2(where=F.title.tolower().startswith("h"), order_by=[F.dueDate.desc(), F.id], top=1).all()
    client.groups.list(where=F.users.any(lambda one: one.userName == "tomas.berg")).count()
    client.incidents.list(type=3, modified_start="2026-01-01T00:00:00Z", page_size=1).all()
    client.incidents.types_v2(search="failure").all()
    client.areas.list(where="startswith(name,'Ass')", select=["id", "name"]).all()
    client.comments.list(search="flange OR clamp", expand="incident").all()
    client.comments.of_incident(1204, order_by="commentDate").all()
    client.comments.of_incident_v1(1204).all()
    client.groups.list(expand=["parent", "children", "boards", "users"]).all()
    client.areas.get(2, select="name")
    client.boards.get(7, expand="group")
    client.boards.detail(7)
    client.groups.get(4, expand="users")
    client.comments.get(8802, expand=["parent", "incident"])
    client.incidents.get(1204)
    client.incidents.get_v2(1204, select=["id", "title"])
    client.incidents.type_v2(3)
    client.improvements.get(317)
    client.improvements.list(where="priorityStatus eq 'NotPrioritized'", order_by="dueDate desc").page(1)
    client.datasources.get(12)
    values = client.datasources.values(12, start="2026-03-01", end="2026-04-01", order_by="value desc", page_size=1)
    values.all()
    client.datasources.values(12, where=F.dimension == "early").count()
    with tempfile.TemporaryDirectory() as folder:
        client.datasources.values(12).to_parquet(f"{folder}/values.parquet")
        client.incidents.list().to_parquet(f"{folder}/incidents.parquet")
        client.comments.list(expand="incident").to_parquet(f"{folder}/comments.parquet")

    kind = client.incidents.type_detail(3, language="nb")
    fields = dict(incident_type_id=kind.id, severity="High", title="Ærlig talt: cracked 🏭", incident_date="2026-03-02",
                  categories=[31], causes=[41], idempotency_key="shift-417")
    incident = client.incidents.create(**fields)
    client.incidents.create(**fields)
    client.incidents.set_consequences(incident, [{"id": 52, "amount": 90}])
    client.incidents.set_causes(incident, [41])
    client.incidents.set_categories(incident, [32])
    client.incidents.set_responsible(incident, 4, "u-104")
    client.incidents.set_custom_field(incident, 61, "M-1")
    client.incidents.set_external_id(incident, "erp-1")
    client.incidents.set_status(incident, "InProgress")
    found = client.tagged(lambda tagged: tagged.incidents.get(incident))
    client.incidents.set_severity(found.value, "Low", if_match=found.tag)
    expect(obeya.PreconditionFailedError, lambda: client.incidents.set_severity(found.value, "High", if_match=found.tag))
    client.incidents.update(incident, status="Resolved", text="Replaced.", external_id=None)
    client.incidents.delete(incident)
    expect(obeya.NotFoundError, lambda: client.incidents.get(incident))
    client.incidents.trash().all()
    client.incidents.restore(incident)
    improvement = client.improvements.create(title="A third clamp", suggested_by_user_id="u-117", group_id=4, text="As the second.")
    client.improvements.update(improvement, text="As planned.", cost_of_investment=None)
    client.improvements.delete(improvement)
    inputs = [{"value_date": f"2026-04-0{day}T00:00:00Z", "value": day, "dimension": "early"} for day in (1, 2, 3)]
    client.datasources.create_values(12, inputs)
    client.datasources.replace_values(12, inputs[:2], start="2026-03-31", end="2026-05-01")
    value = client.datasources.create_value(12, value_date="2026-05-01T00:00:00Z", value=1.5, dimension="late")
    client.datasources.update_value(12, value, value_date="2026-05-01T00:00:00Z", value=2.5, dimension="late")
    client.datasources.values(12).all()
    client.datasources.delete_value(12, value)
    client.datasources.delete_values(12, [one.id for one in client.datasources.values(12, start="2026-03-31")])

    expect(obeya.NotFoundError, lambda: client.areas.get(999))
    expect(obeya.BadRequestError, lambda: client.areas.list(where="nonsense eq 1").all())
    expect(obeya.APIStatusError, lambda: client.incidents.create(**fields | {"severity": "Low"}))
    fields.pop("idempotency_key")
    expect(obeya.APIStatusError, lambda: client.incidents.create(**fields | {"incident_type_id": 999}))
    expect(obeya.APIStatusError, lambda: client.incidents.create(**fields | {"title": ""}))
    expect(obeya.APIStatusError, lambda: client.datasources.create_value(12, value_date="2026-05-01T00:00:00Z", value=1, area_id=999))
    expect(obeya.ConflictError, lambda: client.incidents.set_status(incident, "Rejected"))


def program(package):
    """Runs as a process of its own, with the package of the build."""
    sys.path.insert(0, package)
    import obeya

    with obeya.Client.from_env() as client:
        (resources if hasattr(obeya, "F") else flat)(obeya, client)
    # Refused: a secret that is wrong.
    with obeya.Client(BASE, os.environ["OBEYA_CLIENT_ID"], "wrong") as client:
        expect(obeya.APIStatusError, lambda: list_areas(client))


def list_areas(client):
    return client.areas.list().all() if hasattr(client, "areas") else client.list_areas()


@contextlib.contextmanager
def serving(binary, db):
    command = [binary, "serve", "--db", db, "--listen", "127.0.0.1:0", "--log", "off", "--base-url", BASE, "--auth-url", BASE]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield int(process.stdout.readline().rsplit(":", 1)[1])
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0


def commands(binary, folder):
    """What the command line reads: each list in each format, and copies that follow."""
    if "  pull " not in subprocess.run([binary, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout:
        return []
    pulls = [[*f"pull {what}".split(), "-o", f"{folder}/{what}.{ending}"] for what in PULLS for ending in ("csv", "ndjson", "parquet")]
    some = ["pull", "values", "12", "--where", "dimension eq 'early'", "--order-by", "value desc"]
    return [*pulls, some, ["sync", "--to", f"{folder}/copy"], ["sync", "--to", f"sqlite:{folder}/copy.db"]]


def main(binary, package, out):
    out = pathlib.Path(out)
    facts = json.loads(gzip.decompress((out / "sqlite.json.gz").read_bytes()))
    environment = os.environ | {
        "OBEYA_BASE_URL": BASE, "OBEYA_CLIENT_ID": facts["client_id"], "OBEYA_CLIENT_SECRET": facts["client_secret"]}
    started = datetime.datetime.now(datetime.timezone.utc).isoformat()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("plant.db", "plant.db-wal"):
            if (out / f"{name}.gz").exists():
                pathlib.Path(folder, name).write_bytes(gzip.decompress((out / f"{name}.gz").read_bytes()))
        with serving(binary, f"sqlite:{folder}/plant.db") as service, Recorder(service) as recorder:
            threading.Thread(target=recorder.serve_forever, daemon=True).start()

            def recorded(*command):
                recorder.client = " ".join(pathlib.Path(word).name if "/" in word else word for word in command)
                subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)

            for arguments in commands(binary, folder):
                recorded(binary, *arguments)
            recorded(sys.executable, __file__, package)
            # Copies that follow what the program changed.
            for arguments in commands(binary, folder)[-2:]:
                recorded(binary, *arguments)
            recorder.shutdown()
    conversation = {"base": BASE, "started": started, "exchanges": recorder.exchanges}
    with gzip.GzipFile(out / "clients.json.gz", "wb", mtime=0) as file:
        file.write(json.dumps(conversation, ensure_ascii=False, indent=1).encode())


if __name__ == "__main__":
    program(sys.argv[1]) if len(sys.argv) == 2 else main(*sys.argv[1:])
