"""What a call would change, in words and compared with the present: lines of a file, or fields of a record."""

import difflib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from retinue.core.errors import RetinueError
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.portal.page import Page
from retinue.workspace.tool_context import Principal, ToolContext
from retinue.workspace.tree import FileTree
from retinue.workspace.typed_records import RecordKind

_MOST_CHARACTERS = 50_000
"""Longer texts are not compared: the time may grow with the square of their length."""

_MOST_LINES = 200
_RECORDS: Mapping[str, tuple[str, str]] = {
    "task_update": ("task", "task"),
    "task_delete": ("task", "task"),
    "note_update": ("note", "note"),
    "note_delete": ("note", "note"),
    "contact_update": ("contact", "contact"),
    "contact_delete": ("contact", "contact"),
    "calendar_update_event": ("event", "event"),
    "calendar_delete_event": ("event", "event"),
    "bookmark_delete": ("bookmark", "bookmark"),
    "checklist_delete": ("checklist", "checklist"),
    "expense_delete": ("expense", "expense"),
    "flashcard_delete": ("flashcard", "card"),
    "memory_delete": ("memory", "memory"),
    "template_delete": ("template", "template"),
}
"""The tools that change or delete a record: its kind, and the argument that names it."""

Arguments = Mapping[str, Any]


class DiffLine(NamedTuple):
    """A line of a comparison. `kind` is `added`, `removed`, `same`, or `place` for the line numbers of a part."""

    kind: str
    text: str


class FieldChange(NamedTuple):
    """A field of a record with its value now and afterwards. None stands for no value."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True)
class ProposedChange:
    """What a call would do. `lines` and `fields` are empty if there is nothing to compare."""

    words: str
    lines: Sequence[DiffLine] = ()
    fields: Sequence[FieldChange] = ()


async def with_change(page: Page, approval: dict[str, Any]) -> dict[str, Any]:
    """Return an approval with its `change`; None if the tool's name and arguments say all that is known."""
    arguments = approval["arguments"]
    change = None
    if approval["status"] == "pending" and isinstance(arguments, dict):
        context = await page.platform.on_behalf.context(Principal(page.caller.account_id, page.caller.scopes))
        try:
            change = await _propose(context, approval["tool"], arguments)
        except (RetinueError, KeyError, TypeError, AttributeError):
            change = None  # The arguments are the model's own: they may name nothing, or have any form.
    return {**approval, "change": change}


async def _propose(context: ToolContext, tool: str, arguments: Arguments) -> ProposedChange | None:
    if tool in _FILE_TOOLS:
        return await _FILE_TOOLS[tool](context.tree, arguments)
    if tool in _RECORDS:
        return await _change_record(context, tool, arguments)
    if tool == "email_send_smtp":
        return ProposedChange(f"Send an e-mail to {', '.join(arguments['to'])}: {arguments['subject']}")
    return None


async def _write_file(tree: FileTree, arguments: Arguments) -> ProposedChange:
    path, text, mode = arguments["path"], arguments["text"], arguments.get("mode", "overwrite")
    before = await _text_of(tree, path)
    size = f"{len(text.encode()):,} bytes"
    if before is None:
        return ProposedChange(f"Create {path} with {size}", await _compare("", text))
    if mode == "append":
        return ProposedChange(f"Append {size} to {path}", await _compare(before, before + text))
    if mode == "create":
        return ProposedChange(f"Create {path}, which exists already: the call would fail")
    return ProposedChange(f"Overwrite {path} with {size}", await _compare(before, text))


async def _edit_file(tree: FileTree, arguments: Arguments) -> ProposedChange:
    path, old, new = arguments["path"], arguments["old"], arguments["new"]
    _, before = await tree.text(path)
    times = before.count(old)
    if not times or (times > 1 and not arguments.get("every")):
        return ProposedChange(f"Edit {path}: the call would fail, because the old text occurs {times} times")
    return ProposedChange(f"Edit {path}", await _compare(before, before.replace(old, new)))


async def _delete_file(tree: FileTree, arguments: Arguments) -> ProposedChange:
    path = arguments["path"]
    if arguments.get("folders"):
        return ProposedChange(f"Permanently delete {path} with all of its content")
    before = await _text_of(tree, path)
    return ProposedChange(f"Permanently delete {path}", await _compare(before or "", ""))


async def _move_file(_: FileTree, arguments: Arguments) -> ProposedChange:
    return ProposedChange(f"Move {arguments['path']} to {arguments['target']}")


_FILE_TOOLS: Mapping[str, Callable[[FileTree, Arguments], Awaitable[ProposedChange]]] = {
    "file_write": _write_file,
    "file_edit": _edit_file,
    "file_delete": _delete_file,
    "file_move": _move_file,
}


async def _text_of(tree: FileTree, path: str) -> str | None:
    """Return the text of a file, or None if there is no such text."""
    try:
        return (await tree.text(path))[1]
    except RetinueError:
        return None


async def _compare(before: str, after: str) -> list[DiffLine]:
    if len(before) + len(after) > _MOST_CHARACTERS:
        return []
    return await run_on_compute_thread(_diff, before, after)


def _diff(before: str, after: str) -> list[DiffLine]:
    kinds = {"+": "added", "-": "removed", " ": "same", "@": "place"}
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=2, lineterm=""))[2:]
    shown = [DiffLine(kinds[line[0]], _place(line) if line[0] == "@" else line[1:]) for line in lines[:_MOST_LINES]]
    more = len(lines) - len(shown)
    return [*shown, DiffLine("place", f"{more:,} more lines")] if more else shown


def _place(line: str) -> str:
    """Return the place of a part: `@@ -12,4 +13,5 @@` becomes "From line 13"."""
    return f"From line {line.split('+')[1].split(' ', maxsplit=1)[0].split(',', maxsplit=1)[0]}"


async def _change_record(context: ToolContext, tool: str, arguments: Arguments) -> ProposedChange:
    kind, argument = _RECORDS[tool]
    record = (await context.items(RecordKind(kind, "title", ())).get(arguments[argument])).body
    name = next((record[field] for field in ("title", "name", "description", "front", "text") if record.get(field)), "")
    if "delete" in tool:
        fields = [FieldChange(field, value, None) for field, value in record.items() if value not in ("", None, [])]
        return ProposedChange(f"Permanently delete the {kind} {name}", fields=fields)
    changes = {name: value for name, value in arguments.items() if name != argument and value is not None}
    changes |= changes.pop("changes", {})
    if "append" in changes:
        changes["text"] = f"{changes.get('text', record.get('text', ''))}\n{changes.pop('append')}"
    fields = [FieldChange(field, record.get(field), value) for field, value in changes.items()]
    return ProposedChange(f"Change the {kind} {name}", fields=fields)
