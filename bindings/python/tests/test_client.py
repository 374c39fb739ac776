"""Making, closing and interrupting a client, and the service for tests."""

from __future__ import annotations

import gc
import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import canned
import obeya
import pytest

VARIABLES = ("OBEYA_BASE_URL", "OBEYA_AUTH_URL", "OBEYA_CLIENT_ID", "OBEYA_CLIENT_SECRET")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment that names nothing."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_from_env(server: obeya.TestServer, bare: pytest.MonkeyPatch) -> None:
    client_id, client_secret = server.credentials()
    bare.setenv("OBEYA_BASE_URL", server.base_url)
    bare.setenv("OBEYA_CLIENT_ID", client_id)
    bare.setenv("OBEYA_CLIENT_SECRET", client_secret)
    with obeya.Client.from_env(timeout=30) as client:
        assert client.get_area(1).name == "Foundry"


def test_from_env_names_everything_that_is_missing(bare: pytest.MonkeyPatch) -> None:
    bare.setenv("OBEYA_CLIENT_ID", "plant")
    with pytest.raises(obeya.ConfigError, match="OBEYA_BASE_URL, OBEYA_CLIENT_SECRET"):
        obeya.Client.from_env()


def test_from_env_takes_no_setting_that_the_environment_gives(server: obeya.TestServer, bare: pytest.MonkeyPatch) -> None:
    client_id, client_secret = server.credentials()
    bare.setenv("OBEYA_BASE_URL", server.base_url)
    bare.setenv("OBEYA_CLIENT_ID", client_id)
    bare.setenv("OBEYA_CLIENT_SECRET", client_secret)
    for name in ("auth_url", "token"):
        for value in ("http://127.0.0.1:9", None):
            settings: dict[str, Any] = {name: value}
            with pytest.raises(TypeError, match=rf"from_env\(\) got an unexpected keyword argument '{name}'; expected scopes"):
                obeya.Client.from_env(**settings)


def test_no_time_limit_is_too_long(server: obeya.TestServer) -> None:
    with server.client(timeout=1e19, connect_timeout=1e19) as client:
        assert client.get_area(1).name == "Foundry"


def test_a_server_serves_several_threads_at_once(tmp_path: Path) -> None:
    folders = [tmp_path / str(n) for n in range(4)]
    for n, folder in enumerate(folders):
        folder.mkdir()
        lines = (f'{{"id": {n * 1000 + line}, "name": "Cell"}}\n' for line in range(1, 1000))
        (folder / "areas.jsonl").write_text("".join(lines))
    with obeya.TestServer() as server, ThreadPoolExecutor(8) as pool:
        imports = [pool.submit(server.import_dir, folder) for folder in folders]
        clients = [pool.submit(server.credentials) for _ in range(4)]
        assert [job.result() for job in imports] == [{"areas.jsonl": 999}] * 4
        assert len({job.result() for job in clients}) == 4


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(obeya.ConfigError, match="base_url"):
        obeya.Client("not a url", "id", "secret")
    with pytest.raises(obeya.ConfigError, match="client_id is not set"):
        obeya.Client("http://localhost")
    with pytest.raises(ValueError, match="argument 'timeout'"):
        obeya.Client("http://localhost", "id", "secret", timeout=-1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'retries'"):
        obeya.Client("http://localhost", "id", "secret", retries=3)  # type: ignore[call-arg]


def test_scopes_may_be_narrowed(server: obeya.TestServer) -> None:
    client_id, client_secret = server.credentials()
    with obeya.Client(server.base_url, client_id, client_secret, scopes=["public.api.read"]) as client:
        assert client.get_area(1).id == 1
        with pytest.raises(obeya.PermissionDeniedError):
            client.set_incident_external_id(10, "x")


def test_a_closed_client_says_so(server: obeya.TestServer) -> None:
    with server.client() as client:
        assert repr(client).startswith("<obeya.Client http://127.0.0.1:")
    client.close()
    with pytest.raises(RuntimeError, match="the client is closed"):
        client.list_areas()


def test_many_threads_share_a_client(client: obeya.Client) -> None:
    seen: list[int | None] = []

    def read(area: int) -> None:
        seen.append(client.get_area(area).id)

    threads = [threading.Thread(target=read, args=(area,)) for area in range(1, 21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(area for area in seen if area) == list(range(1, 21))


def test_ctrl_c_ends_a_call() -> None:
    with canned.silent(interrupts=True) as url, obeya.Client(url, token="t", timeout=600) as client:
        with pytest.raises(KeyboardInterrupt):
            client.list_areas()


def test_ctrl_c_ends_a_download() -> None:
    with canned.silent(interrupts=True) as url, obeya.Client(url, token="t", timeout=600) as client:
        with pytest.raises(KeyboardInterrupt):
            client.values(1).to_arrow()


def test_a_forked_child_is_told_and_can_begin_anew(server: obeya.TestServer, tmp_path: Path) -> None:
    (tmp_path / "areas.jsonl").write_text('{"id": 1, "name": "Foundry"}\n')
    short_lived = obeya.TestServer()
    client_id, client_secret = server.credentials()
    client = obeya.Client(server.base_url, client_id, client_secret, timeout=5, max_retries=0)
    records = client.iter_areas()
    assert next(records).id == 1
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns of what is tested here.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        said = []
        for call in (client.list_areas, lambda: next(records), server.credentials):
            try:
                call()
            except Exception as error:
                said.append(str(error))
        own = obeya.Client(server.base_url, client_id, client_secret)
        said.append(f"area {own.get_area(2).id}")
        # What the child lets go of is still the parent's.
        short_lived.close()
        del call, client, records, short_lived
        gc.collect()
        os.write(writer, "\n".join(said).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        first, second, third, last = pipe.read().split("\n")
    os.waitpid(child, 0)
    assert first.startswith("this client was made before the process forked")
    assert second.startswith("this iterator was made before the process forked")
    assert third.startswith("this server was made before the process forked")
    assert last == "area 2"
    # The parent goes on, with the connection and the database that it has.
    assert client.get_area(3).id == 3
    assert next(records).id == 2
    assert short_lived.import_dir(tmp_path) == {"areas.jsonl": 1}
    short_lived.close()


def test_a_server_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "areas.jsonl").write_text('{"id": 1, "name": "Foundry"}\n{"id": 2, "name": "Assembly"}\n')
    server = obeya.TestServer()
    assert server.import_dir(tmp_path) == {"areas.jsonl": 2}
    with pytest.raises(ValueError, match=r"areas\.jsonl, line 1"):
        server.import_dir(str(tmp_path))
    assert server.import_dir(tmp_path, on_conflict="replace") == {"areas.jsonl": 2}
    assert server.import_dir(tmp_path, on_conflict="skip") == {"areas.jsonl": 0}
    with server.client() as client:
        assert [area.name for area in client.list_areas()] == ["Foundry", "Assembly"]
    server.close()
    server.close()
    with pytest.raises(RuntimeError, match="the server is closed"):
        server.client()


def test_a_server_refuses_scopes_that_do_not_exist(server: obeya.TestServer) -> None:
    with pytest.raises(ValueError, match=r"Data\.Write"):
        server.client(scopes=["Data.Write"])


def test_a_server_gives_its_clients_their_tokens(server: obeya.TestServer) -> None:
    for name in ("auth_url", "token"):
        settings: dict[str, Any] = {name: "x"}
        with pytest.raises(TypeError, match=rf"client\(\) got an unexpected keyword argument '{name}'"):
            server.client(**settings)


def test_a_server_is_gone_after_its_block() -> None:
    with obeya.TestServer() as server:
        url = server.base_url
    with pytest.raises(obeya.APIConnectionError):
        obeya.Client(url, token="t", max_retries=0).list_areas()
