"""OpenAI's official client works at /v1/files, on the files of the account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import requests

from tests.interop.test_openai import official
from tests.support.client import Client, data
from tests.support.lazy_imports import import_lazily

if TYPE_CHECKING:
    import openai
else:
    openai = import_lazily("openai")


def test_a_file_is_uploaded_read_and_deleted(client: Client) -> None:
    files = official(client).files
    made = files.create(file=("notes.txt", b"Hello", "text/plain"), purpose="assistants")
    assert (made.object, made.bytes, made.filename, made.status) == ("file", 5, "notes.txt", "processed")
    assert files.retrieve(made.id) == made
    assert files.content(made.id).read() == b"Hello"
    assert data(client.get(f"/files/{made.id}"))["media_type"] == "text/plain"
    assert files.delete(made.id).deleted
    with pytest.raises(openai.NotFoundError, match="no such file"):
        files.retrieve(made.id)


def test_files_are_listed_page_by_page(client: Client) -> None:
    files = official(client).files
    made = [files.create(file=(f"{number}.txt", b"x"), purpose="user_data").id for number in range(5)]
    page = files.list(limit=2)
    assert ([one.id for one in page.data], page.has_more) == ([made[4], made[3]], True)
    assert [one.id for one in page] == made[::-1]
    assert [one.id for one in files.list(limit=2, order="asc")] == made
    with pytest.raises(openai.NotFoundError, match="no such file"):
        files.list(after="file_nothing")
    with pytest.raises(openai.BadRequestError, match="limit"):
        files.list(limit=0)


def test_a_form_without_a_file_is_refused(client: Client) -> None:
    headers = {"Authorization": f"Bearer {client.key}"}
    url = f"{client.server.url}/v1/files"
    forms: list[Any] = [{"purpose": (None, "user_data")}, {"purpose": (None, "x" * 5000), "file": ("a.txt", b"x")}]
    for form in forms:
        answer = requests.post(url, files=form, headers=headers, timeout=60)
        assert answer.status_code == 400
        assert answer.json()["error"]["type"] == "invalid_request_error"
    many = {f"field{number}": (None, "x") for number in range(40)}
    assert requests.post(url, files=many, headers=headers, timeout=60).status_code == 400


def test_files_belong_to_their_account(client: Client, stranger: Client) -> None:
    made = official(client).files.create(file=("notes.txt", b"Hello"), purpose="user_data").id
    files = official(stranger).files
    assert files.list().data == []
    for refused in (files.retrieve, files.content, files.delete, lambda file_id: files.list(after=file_id)):
        with pytest.raises(openai.NotFoundError):
            refused(made)
    assert official(client).files.retrieve(made).bytes == 5
