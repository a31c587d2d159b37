"""Another user's workspace is never visible or changed."""

from typing import Any

import pytest

from tests.support.client import Client
from tests.workspace.support import call, decline, finish

KEPT: list[tuple[str, dict[str, Any]]] = [
    ("file_write", {"path": "/mine/secret.txt", "text": "zanzibar"}),
    ("note_create", {"title": "My secret", "text": "zanzibar"}),
    ("task_create", {"title": "My secret", "due": "2001-01-01", "tags": ["zanzibar"]}),
    ("kv_set", {"key": "secret", "value": "zanzibar"}),
    ("memory_store", {"text": "zanzibar is the secret"}),
]
BY_NAME: list[tuple[str, dict[str, Any]]] = [
    ("file_read", {"path": "/mine/secret.txt"}),
    ("file_info", {"path": "/mine/secret.txt"}),
    ("file_edit", {"path": "/mine/secret.txt", "old": "zanzibar", "new": "x"}),
    ("file_move", {"path": "/mine", "target": "/theirs"}),
    ("file_copy", {"path": "/mine/secret.txt", "target": "/theirs.txt"}),
    ("file_delete", {"path": "/mine", "folders": True}),
    ("note_read", {"note": "my-secret"}),
    ("note_update", {"note": "my-secret", "text": "x"}),
    ("note_delete", {"note": "My secret"}),
    ("task_update", {"task": "my-secret", "status": "done"}),
    ("task_delete", {"task": "my-secret"}),
    ("kv_delete", {"key": "secret"}),
    ("memory_delete", {"memory": "zanzibar-is-the-secret"}),
]
SEARCHES: list[tuple[str, dict[str, Any]]] = [
    ("file_list", {"folder": "/mine"}),
    ("folder_show_tree", {}),
    ("file_search", {"query": "zanzibar"}),
    ("file_search", {"query": "secret", "where": "names"}),
    ("note_search", {"query": "zanzibar"}),
    ("note_search", {}),
    ("task_list", {"status": "all"}),
    ("task_show_overview", {}),
    ("kv_get", {"key": "secret"}),
    ("kv_list", {}),
    ("memory_search", {"query": "zanzibar secret"}),
    ("memory_list", {}),
]


@pytest.fixture
def owner(client: Client) -> Client:
    """A client with records of every kind."""
    for tool, args in KEPT:
        finish(client, tool, **args)
    return client


def test_another_user_reaches_nothing_by_its_name(owner: Client, stranger: Client) -> None:
    for tool, args in BY_NAME:
        decline(stranger, tool, "There is no", **args)
    assert finish(owner, "file_read", path="/mine/secret.txt")["text"] == "zanzibar"


def test_another_user_finds_nothing(owner: Client, stranger: Client) -> None:
    for tool, args in SEARCHES:
        assert_found_by_one_alone(owner, stranger, tool, args)


def test_the_sandbox_has_a_workspace_of_its_own(owner: Client, sandbox: Client) -> None:
    for tool, args in SEARCHES:
        assert_found_by_one_alone(owner, sandbox, tool, args)


def assert_found_by_one_alone(owner: Client, other: Client, tool: str, args: dict[str, Any]) -> None:
    """Check that a search returns records to their owner and not to another user."""
    found = str(finish(owner, tool, **args)).casefold()
    assert "zanzibar" in found or "secret" in found, tool
    response = call(other, tool, **args)
    assert response.status_code in (200, 400), tool
    result = str(response.json().get("data", {}).get("result")).casefold()
    assert [told for told in ("zanzibar", "secret.txt", "my secret") if told in result] == [], tool


def test_a_file_of_another_user_is_not_imported_by_its_id(owner: Client, stranger: Client) -> None:
    file_id = finish(owner, "file_info", path="/mine/secret.txt")["file"]
    decline(stranger, "file_import", "you have no file", file=file_id, path="/stolen.txt")


def test_the_same_names_serve_two_users(owner: Client, stranger: Client) -> None:
    finish(stranger, "file_write", path="/mine/secret.txt", text="other")
    finish(stranger, "kv_set", key="secret", value="other")
    assert finish(owner, "file_read", path="/mine/secret.txt")["text"] == "zanzibar"
    assert finish(owner, "kv_get", key="secret")["value"] == "zanzibar"
