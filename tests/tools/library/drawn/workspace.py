"""Tools for the workspace: what was put there comes back, and what was deleted does not."""

from retinue.sdk import Example
from retinue.tools.authoring.declare import ExampleCall

_COLUMNS = [{"name": "item", "type": "text", "required": True}, {"name": "n", "type": "number", "required": False}]
_ROWS = [{"item": "a", "n": 3}, {"item": "b", "n": 1}, {"item": "c"}]


def _table(name: str) -> list[ExampleCall]:
    return [
        ExampleCall("table_store_create", {"table": name, "columns": _COLUMNS}),
        ExampleCall("table_store_insert", {"table": name, "rows": _ROWS}),
    ]


CALLS = [
    (
        "calendar_show_agenda",
        Example(
            {"day": "2094-03-01", "zone": "Europe/Vienna"},
            {
                "events": [{"title": "Late", "start": "2094-03-01T00:30:00+01:00", "end": "2094-03-01T01:30:00+01:00"}],
                "total": 1,
            },
            source="23:30 UTC is 00:30 of the next day in Vienna",
            before=[
                ExampleCall("calendar_create_event", {"title": "Late", "start": "2094-02-28T23:30", "minutes": 60}),
                ExampleCall("calendar_create_event", {"title": "Later", "start": "2094-03-01T23:30", "minutes": 60}),
            ],
        ),
    ),
    (
        "checklist_delete",
        Example(
            {"checklist": "Drawn list"},
            {"deleted": True},
            source="it was made before",
            before=[ExampleCall("checklist_create", {"title": "Drawn list", "steps": ["a", "b"]})],
        ),
    ),
    (
        "expense_log",
        Example(
            {"description": "Train", "amount": "1234.5", "currency": "JPY", "date": "2085-02-28"},
            {"currency": "JPY", "category": "other", "date": "2085-02-28"},
            source="what was given",
        ),
    ),
    (
        "file_copy",
        Example(
            {"path": "/drawn/a.txt", "target": "/drawn/deep/b.txt"},
            {"path": "/drawn/deep/b.txt", "size_bytes": len("grün\n".encode())},
            source="len of the encoded text",
            before=[ExampleCall("file_write", {"path": "/drawn/a.txt", "text": "grün\n"})],
            then=[ExampleCall("file_read", {"path": "/drawn/deep/b.txt"}, {"text": "grün\n"})],
        ),
    ),
    (
        "flashcard_delete",
        Example(
            {"card": "What is 2 + 2?"},
            {"deleted": True},
            source="it was made before",
            before=[ExampleCall("flashcard_add", {"deck": "Drawn", "front": "What is 2 + 2?", "back": "4"})],
        ),
    ),
    (
        "kv_delete",
        Example(
            {"key": "drawn", "namespace": "one"},
            {"deleted": True},
            source="the same key in another namespace stays",
            before=[
                ExampleCall("kv_set", {"key": "drawn", "value": 1, "namespace": "one"}),
                ExampleCall("kv_set", {"key": "drawn", "value": 2, "namespace": "two"}),
            ],
            then=[
                ExampleCall("kv_get", {"key": "drawn", "namespace": "one"}, {"found": False}),
                ExampleCall("kv_get", {"key": "drawn", "namespace": "two"}, {"found": True, "value": 2}),
            ],
        ),
    ),
    (
        "note_update",
        Example(
            {"note": "Drawn note", "text": "new", "tags": ["x"]},
            {"title": "Drawn note", "text": "new", "tags": ["x"]},
            source="what was given",
            before=[ExampleCall("note_create", {"title": "Drawn note", "text": "old", "tags": ["y"]})],
        ),
    ),
    (
        "queue_clear",
        Example(
            {"queue": "drawn"},
            {"items": 3},
            source="three were pushed",
            before=[ExampleCall("queue_push", {"queue": "drawn", "value": value}) for value in (1, "two", None)],
        ),
    ),
    ("table_store_drop", Example({"table": "drawn"}, {"rows": 3}, source="as inserted", before=_table("drawn"))),
    (
        "table_store_query",
        Example(
            {
                "table": "drawn-2",
                "where": [
                    {"column": "n", "operator": ">=", "value": 1},
                    {"column": "item", "operator": "!=", "value": "z"},
                ],
                "sort_by": "n",
            },
            {"rows": [{"item": "b", "n": 1}, {"item": "a", "n": 3}], "total": 2},
            source="sorted by hand",
            before=_table("drawn-2"),
        ),
    ),
    (
        "table_store_query",
        Example(
            {"table": "drawn-3", "where": [{"column": "n", "operator": "empty"}]},
            {"rows": [{"item": "c"}], "total": 1},
            source="one row has no number",
            before=_table("drawn-3"),
        ),
    ),
    (
        "task_create",
        Example(
            {"title": "Äpfel kaufen", "due": "2096-02-29"},
            {"title": "Äpfel kaufen", "status": "todo", "priority": "normal", "due": "2096-02-29", "tags": []},
            source="the defaults of the schema; 2096 is a leap year",
        ),
    ),
    (
        "knowledge_list",
        Example(
            {"limit": 1, "skip": 1},
            {"documents": [{"title": "Drawn first", "characters": 4}]},
            source="the newest but one",
            before=[
                ExampleCall("knowledge_add_document", {"title": "Drawn first", "text": "Four"}),
                ExampleCall("knowledge_add_document", {"title": "Drawn second", "text": "Five."}),
            ],
        ),
    ),
    (
        "git_blame_file",
        Example(
            {"folder": "/drawn-blame", "path": "a.txt", "first_line": 2},
            {"lines": [{"line": 2, "summary": "Second", "text": "TWO"}, {"line": 3, "summary": "First", "text": "3"}]},
            source="only the second line was changed",
            before=[
                ExampleCall("git_init_repository", {"folder": "/drawn-blame"}),
                ExampleCall("file_write", {"path": "/drawn-blame/a.txt", "text": "1\n2\n3\n"}),
                ExampleCall("git_commit_changes", {"folder": "/drawn-blame", "message": "First"}),
                ExampleCall("file_write", {"path": "/drawn-blame/a.txt", "text": "1\nTWO\n3\n"}),
                ExampleCall("git_commit_changes", {"folder": "/drawn-blame", "message": "Second"}),
            ],
        ),
    ),
]
