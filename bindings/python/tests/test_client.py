"""Making, closing and interrupting a client, and the service for tests."""

from __future__ import annotations

import datetime
import threading
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
        assert client.areas.get(1).name == "Foundry"


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
            with pytest.raises(TypeError, match=rf"from_env\(\) got an unexpected keyword argument '{name}'"):
                obeya.Client.from_env(**settings)


def test_no_time_limit_is_too_long(server: obeya.TestServer) -> None:
    with server.client(timeout=1e19, connect_timeout=1e19) as client:
        assert client.areas.get(1).name == "Foundry"


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
        assert client.areas.get(1).id == 1
        with pytest.raises(obeya.PermissionDeniedError):
            client.incidents.set_external_id(10, "x")


def test_a_closed_client_says_so(server: obeya.TestServer) -> None:
    with server.client() as client:
        assert repr(client).startswith("<obeya.Client http://127.0.0.1:")
    client.close()
    for call in (client.areas.list, client.ping, lambda: client.areas.get(1)):
        with pytest.raises(RuntimeError, match="the client is closed"):
            call()


def test_other_options_share_the_token_and_the_connections() -> None:
    with canned.slow(1) as service, obeya.Client(service.url, "id", "secret", timeout=0.1, max_retries=0) as client:
        client.with_options(timeout=30).authenticate()
        with pytest.raises(obeya.APITimeoutError):
            client.ping()
        with client.with_options(timeout=30) as patient, client.with_options(timeout=None) as endless:
            # Arguments that are left out do not change.
            for other in (patient, endless.with_options(max_retries=0)):
                with pytest.raises(obeya.InternalServerError):
                    other.ping()
        with pytest.raises(obeya.APITimeoutError):
            client.ping()
    assert service.paths == ["/connect/token"] + ["/v2/ping"] * 4


def test_retries_can_be_set_for_some_calls() -> None:
    with canned.slow(0) as service, obeya.Client(service.url, token="t", max_retries=0) as client:
        for retries in (0, 2):
            with pytest.raises(obeya.InternalServerError):
                client.with_options(max_retries=retries).ping()
        with pytest.raises(obeya.InternalServerError):
            client.ping()
        with pytest.raises(OverflowError):
            client.with_options(max_retries=-1)
        with pytest.raises(ValueError, match="expected a number of seconds"):
            client.with_options(timeout=-1)
    assert service.paths == ["/v2/ping"] * (1 + 3 + 1)


def test_closing_one_of_two_leaves_the_other(server: obeya.TestServer) -> None:
    with server.client() as client:
        with client.with_options(max_retries=0) as other:
            assert other.areas.get(1).id == 1
        with pytest.raises(RuntimeError, match="the client is closed"):
            other.areas.get(1)
        assert client.areas.get(1).id == 1


def test_ping_says_what_time_it_is(client: obeya.Client) -> None:
    now = client.ping()
    assert abs((now - datetime.datetime.now(datetime.timezone.utc)).total_seconds()) < 60


def test_authenticate_says_what_the_token_is_good_for(server: obeya.TestServer) -> None:
    with server.client(scopes=["Data.Read"]) as client:
        access = client.authenticate()
        assert access is not None
        assert access.scopes == ("Data.Read",)
        assert access.expires_in == 86400.0
    assert obeya.Client(server.base_url, token="t").authenticate() is None


def test_many_threads_share_a_client(client: obeya.Client) -> None:
    seen: list[int | None] = []

    def read(area: int) -> None:
        seen.append(client.areas.get(area).id)

    threads = [threading.Thread(target=read, args=(area,)) for area in range(1, 21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(area for area in seen if area) == list(range(1, 21))


def test_a_server_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "areas.jsonl").write_text('{"id": 1, "name": "Foundry"}\n{"id": 2, "name": "Assembly"}\n')
    server = obeya.TestServer()
    assert server.import_dir(tmp_path) == {"areas.jsonl": 2}
    with pytest.raises(ValueError, match=r"areas\.jsonl, line 1"):
        server.import_dir(str(tmp_path))
    assert server.import_dir(tmp_path, on_conflict="replace") == {"areas.jsonl": 2}
    assert server.import_dir(tmp_path, on_conflict="skip") == {"areas.jsonl": 0}
    with server.client() as client:
        assert [area.name for area in client.areas.list()] == ["Foundry", "Assembly"]
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
        obeya.Client(url, token="t", max_retries=0).areas.list().page()
