"""What a call would change, in words and compared with the present: lines of a file, or fields of a record."""

import difflib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from retinue.core.errors import RetinueError
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop, ngettext
from retinue.portal.page import Page
from retinue.portal.templating import number
from retinue.runs.approvals.schemas import ApprovalView
from retinue.workspace.tool_context import Principal, ToolContext
from retinue.workspace.tree import FileTree
from retinue.workspace.typed_records import RecordKind

_MOST_CHARACTERS = 50_000
"""Longer texts are not compared: the time may grow with the square of their length."""

_MOST_LINES = 200
_RECORDS: Mapping[str, tuple[str, str, str]] = {
    "task_update": ("task", "task", gettext_noop("Change the task {name}")),
    "task_delete": ("task", "task", gettext_noop("Permanently delete the task {name}")),
    "note_update": ("note", "note", gettext_noop("Change the note {name}")),
    "note_delete": ("note", "note", gettext_noop("Permanently delete the note {name}")),
    "contact_update": ("contact", "contact", gettext_noop("Change the contact {name}")),
    "contact_delete": ("contact", "contact", gettext_noop("Permanently delete the contact {name}")),
    "calendar_update_event": ("event", "event", gettext_noop("Change the event {name}")),
    "calendar_delete_event": ("event", "event", gettext_noop("Permanently delete the event {name}")),
    "bookmark_delete": ("bookmark", "bookmark", gettext_noop("Permanently delete the bookmark {name}")),
    "checklist_delete": ("checklist", "checklist", gettext_noop("Permanently delete the checklist {name}")),
    "expense_delete": ("expense", "expense", gettext_noop("Permanently delete the expense {name}")),
    "flashcard_delete": ("flashcard", "card", gettext_noop("Permanently delete the flashcard {name}")),
    "memory_delete": ("memory", "memory", gettext_noop("Permanently delete the memory {name}")),
    "template_delete": ("template", "template", gettext_noop("Permanently delete the template {name}")),
}
"""The tools that change or delete a record: its kind, the argument that names it, and what the tool does."""

Arguments = Mapping[str, Any]
"""Arguments of a model: JSON that may have any form. See `with_change`."""


class DiffLine(NamedTuple):
    """A line of a comparison. `kind` is `added`, `removed`, `same`, or `place` for the line numbers of a part."""

    kind: str
    text: str


class FieldChange(NamedTuple):
    """A field of a record with its value now and afterwards. None stands for no value."""

    name: str
    before: object
    after: object


@dataclass(frozen=True)
class ProposedChange:
    """What a call would do. `lines` and `fields` are empty if there is nothing to compare."""

    words: str
    lines: Sequence[DiffLine] = ()
    fields: Sequence[FieldChange] = ()


class ApprovalWithChange(ApprovalView):
    """An approval with what its call would change; None if the tool's name and arguments say all that is known."""

    change: ProposedChange | None


async def with_change(page: Page, approval: ApprovalView) -> ApprovalWithChange:
    """Return an approval with its `change`."""
    arguments = approval.arguments
    change = None
    if approval.status == "pending" and isinstance(arguments, dict):
        context = await page.platform.on_behalf.context(Principal(page.caller.account_id, page.caller.scopes))
        try:
            change = await _propose(context, approval.tool, arguments)
        except (RetinueError, KeyError, TypeError, AttributeError):
            change = None  # The arguments are the model's own: they may name nothing, or have any form.
    return ApprovalWithChange(**approval.model_dump(), change=change)


async def _propose(context: ToolContext, tool: str, arguments: Arguments) -> ProposedChange | None:
    if tool in _FILE_TOOLS:
        return await _FILE_TOOLS[tool](context.tree, arguments)
    if tool in _RECORDS:
        return await _change_record(context, tool, arguments)
    if tool == "email_send_smtp":
        words = _("Send an e-mail to {recipients}: {subject}")
        return ProposedChange(words.format(recipients=", ".join(arguments["to"]), subject=arguments["subject"]))
    return None


async def _write_file(tree: FileTree, arguments: Arguments) -> ProposedChange:
    path, text, mode = arguments["path"], arguments["text"], arguments.get("mode", "overwrite")
    before = await _text_of(tree, path)
    length = len(text.encode())
    size = ngettext("{count} byte", "{count} bytes", length).format(count=number(length))
    if before is None:
        return ProposedChange(_("Create {path} with {size}").format(path=path, size=size), await _compare("", text))
    if mode == "append":
        words = _("Append {size} to {path}").format(path=path, size=size)
        return ProposedChange(words, await _compare(before, before + text))
    if mode == "create":
        return ProposedChange(_("Create {path}, which exists already: the call would fail").format(path=path))
    return ProposedChange(_("Overwrite {path} with {size}").format(path=path, size=size), await _compare(before, text))


async def _edit_file(tree: FileTree, arguments: Arguments) -> ProposedChange:
    path, old, new = arguments["path"], arguments["old"], arguments["new"]
    before = (await tree.text(path))[1]
    times = before.count(old)
    if not times or (times > 1 and not arguments.get("every")):
        words = _("Edit {path}: the call would fail, because the old text occurs {count} times")
        return ProposedChange(words.format(path=path, count=times))
    return ProposedChange(_("Edit {path}").format(path=path), await _compare(before, before.replace(old, new)))


async def _delete_file(tree: FileTree, arguments: Arguments) -> ProposedChange:
    path = arguments["path"]
    if arguments.get("folders"):
        return ProposedChange(_("Permanently delete {path} with all of its content").format(path=path))
    before = await _text_of(tree, path)
    return ProposedChange(_("Permanently delete {path}").format(path=path), await _compare(before or "", ""))


async def _move_file(_tree: FileTree, arguments: Arguments) -> ProposedChange:
    words = _("Move {path} to {target}")
    return ProposedChange(words.format(path=arguments["path"], target=arguments["target"]))


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
    entries = [DiffLine(kinds[line[0]], _place(line) if line[0] == "@" else line[1:]) for line in lines[:_MOST_LINES]]
    more = len(lines) - len(entries)
    words = ngettext("{count} more line", "{count} more lines", more).format(count=number(more))
    return [*entries, DiffLine("place", words)] if more else entries


def _place(line: str) -> str:
    """Return the place of a part: `@@ -12,4 +13,5 @@` becomes "From line 13"."""
    first = line.split("+")[1].split(" ", maxsplit=1)[0].split(",", maxsplit=1)[0]
    return _("From line {number}").format(number=first)


async def _change_record(context: ToolContext, tool: str, arguments: Arguments) -> ProposedChange:
    kind, argument, words = _RECORDS[tool]
    record = (await context.items(RecordKind(kind, "title", ())).get(arguments[argument])).body
    name = next((record[field] for field in ("title", "name", "description", "front", "text") if record.get(field)), "")
    if "delete" in tool:
        fields = [FieldChange(field, value, None) for field, value in record.items() if value not in ("", None, [])]
        return ProposedChange(_(words).format(name=name), fields=fields)
    changes = {name: value for name, value in arguments.items() if name != argument and value is not None}
    changes |= changes.pop("changes", {})
    if "append" in changes:
        changes["text"] = f"{changes.get('text', record.get('text', ''))}\n{changes.pop('append')}"
    fields = [FieldChange(field, record.get(field), value) for field, value in changes.items()]
    return ProposedChange(_(words).format(name=name), fields=fields)
