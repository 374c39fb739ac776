"""Files attached to incidents and tasks."""

from __future__ import annotations

import asyncio
import hashlib

import obeya
import pytest

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\0"


def test_a_file_goes_up_and_comes_back(client: obeya.Client) -> None:
    for calls, record in ((client.incidents, 10), (client.tasks, 1)):
        made = calls.add_attachment(record, "Sprekk å.png", PNG)
        assert made.file_name == "Sprekk å.png"
        assert made.e_tag == hashlib.sha256(PNG).hexdigest()
        assert made.file_size_in_bytes == len(PNG)
        assert made.id is not None
        assert calls.attachment_content(record, made.id) == PNG
        again = calls.get_v2(record, expand="attachments")
        assert again.attachments == (made,)
        calls.delete_attachment(record, made.id)
        with pytest.raises(obeya.NotFoundError):
            calls.attachment_content(record, made.id)


def test_a_key_attaches_a_file_once(client: obeya.Client) -> None:
    first, again = (
        client.tasks.add_attachment(1, "note.txt", b"Worn", idempotency_key="attachments-once") for _ in range(2)
    )
    assert first == again
    assert first.id is not None
    client.tasks.delete_attachment(1, first.id)


def test_a_file_of_another_type_is_refused(client: obeya.Client) -> None:
    with pytest.raises(obeya.BadRequestError, match="found text in UTF-8") as caught:
        client.incidents.add_attachment(10, "crack.png", b"no picture")
    assert caught.value.code == "body.invalid"


def test_it_can_be_awaited(server: obeya.TestServer) -> None:
    async def attach() -> bytes:
        async with server.async_client() as asynchronous:
            made = await asynchronous.tasks.add_attachment(1, "note.txt", b"Worn")
            assert made.id is not None
            content = await asynchronous.tasks.attachment_content(1, made.id)
            await asynchronous.tasks.delete_attachment(1, made.id)
            return content

    assert asyncio.run(attach()) == b"Worn"
