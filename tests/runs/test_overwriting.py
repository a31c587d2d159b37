"""Agents with `approval: required` ask before a call that deletes or overwrites data, and only then."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from retinue.tools.catalogue.catalogue import Catalogue
from tests.runs.test_approvals import decide, end, pending
from tests.runs.test_runs import create, start
from tests.support.client import Client, data

FILE = "/keep.txt"
OVERWRITING = [
    ("file_write", {"path": FILE, "text": "gone"}),
    ("file_write", {"path": FILE, "text": "gone", "mode": "overwrite"}),
    ("file_edit", {"path": FILE, "old": "kept", "new": "gone"}),
    ("file_copy", {"path": "/other.txt", "target": FILE, "overwrite": True}),
    ("file_delete", {"path": FILE}),
    ("kv_set", {"key": "kept", "value": "gone"}),
    ("kv_compare_swap", {"key": "kept", "expected": "kept", "value": "gone"}),
    ("note_update", {"note": "kept", "text": "gone"}),
    ("task_update", {"task": "kept", "title": "gone"}),
    ("contact_update", {"contact": "kept", "changes": {"notes": ""}}),
    ("table_store_update", {"table": "kept", "values": {"a": None}, "where": []}),
    ("queue_pop", {"queue": "kept"}),
    ("workspace_export_all", {"path": FILE}),
]
ADDING = [
    ("file_write", {"path": FILE, "text": " more", "mode": "append"}),
    ("file_write", {"path": "/new.txt", "text": "new", "mode": "create"}),
    ("file_copy", {"path": FILE, "target": "/copy.txt"}),
    ("kv_set", {"key": "new", "value": 1, "only_new": True}),
    ("kv_increment", {"key": "count"}),
    ("note_update", {"note": "kept", "append": "more"}),
    ("queue_pop", {"queue": "kept", "hide_for_s": 60}),
]
ONLY_ADD = {
    "bookmark_save", "calendar_create_event", "checklist_add_steps", "checklist_create", "checklist_tick",
    "contact_create", "expense_log",
    "file_move", "flashcard_add", "flashcard_grade", "git_commit_changes", "git_init_repository",
    "knowledge_add_document", "kv_increment", "memory_store", "note_create", "queue_push", "table_store_create",
    "table_store_insert", "task_create", "template_save", "time_entry_log", "time_entry_start",
}  # fmt: skip
"""Tools that change the account's data without losing any."""


@pytest.fixture
def keeper(sandbox: Client) -> Client:
    """A client whose account has data of each kind."""
    for tool, args in (
        ("file_write", {"path": FILE, "text": "kept"}),
        ("file_write", {"path": "/other.txt", "text": "other"}),
        ("kv_set", {"key": "kept", "value": "kept"}),
        ("note_create", {"title": "kept", "text": "kept"}),
        ("queue_push", {"queue": "kept", "value": 1}),
    ):
        data(sandbox.post(f"/tools/{tool}/execute", {"args": args}))
    return sandbox


def ask(client: Client, tool: str, args: Mapping[str, Any]) -> str:
    """Let an agent that requires approval call a tool. Returns the run's path."""
    path = create(client, skills=[tool], approval="required")
    return start(client, path, f"[[tool:{tool} {json.dumps(args)}]]")


def keep(client: Client) -> str:
    """Return the content of the file."""
    text: str = data(client.post("/tools/file_read/execute", {"args": {"path": FILE}}))["result"]["text"]
    return text


@pytest.mark.parametrize(("tool", "args"), OVERWRITING, ids=str)
def test_a_call_that_overwrites_waits_for_approval(keeper: Client, tool: str, args: dict[str, Any]) -> None:
    run = ask(keeper, tool, args)
    approval = pending(keeper, run)
    assert (approval["tool"], approval["arguments"]) == (tool, args)
    assert keep(keeper) == "kept"
    decide(keeper, approval, "deny")
    assert end(keeper, run)["tools_used"] == []
    assert keep(keeper) == "kept"


@pytest.mark.parametrize(("tool", "args"), ADDING, ids=str)
def test_a_call_that_only_adds_needs_no_approval(keeper: Client, tool: str, args: dict[str, Any]) -> None:
    assert end(keeper, ask(keeper, tool, args))["tools_used"] == [tool]
    assert keep(keeper).startswith("kept")


def test_every_tool_that_changes_stored_data_loses_nothing_or_asks() -> None:
    changing = [tool for tool in Catalogue.load() if tool.inside and not tool.read_only and not tool.open_world]
    assert {tool.name for tool in changing if not tool.destructive} == ONLY_ADD


def test_an_argument_that_is_left_out_has_its_default() -> None:
    tool = Catalogue.load().get("file_write")
    assert tool.destroys({"mode": None}), "null means the default, which overwrites"
    assert not tool.destroys({"mode": "append"})
    assert Catalogue.load().get("file_delete").destroys({})
