"""Conversations as the playground shows them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from retinue.chat.tables import ConversationRun
from retinue.language.translation import gettext as _
from retinue.portal.records.lists import kind_of_tool
from retinue.runs.schemas import StepView
from retinue.runs.tables import JournalRow, RunRow
from retinue.runs.tool_ends import call_files, connect_url

_EXCERPT = 400
"""Maximum characters of a call's arguments and result on the page of a conversation."""


class ShownCall(NamedTuple):
    """A tool call: what it was asked, what it returned, and its state as in the journal.

    `connect_url` is the page where a person connects the tool's server, if the call failed because nobody has.
    `files` are the ids of the files that the result names.
    """

    tool: str
    state: str
    arguments: str
    result: str
    connect_url: str | None = None
    files: Sequence[str] = ()

    @property
    def has_failed(self) -> bool:
        """Whether the call failed."""
        return self.state == "failed"


@dataclass(frozen=True)
class ShownTurn:
    """A message of one side, with the tool calls made for it. `run` is set on the last answer of a run.

    `attachments` are the files that the user sent with it.
    """

    id: int
    by_user: bool
    text: str
    at: datetime
    attachments: Sequence[str] = ()
    calls: list[ShownCall] = field(default_factory=list)
    run: Any = None

    @property
    def files(self) -> Sequence[str]:
        """The ids of the files below the message: its attachments, or the files that its tool calls made."""
        return self.attachments or list(dict.fromkeys(file_id for call in self.calls for file_id in call.files))

    @property
    def records(self) -> str | None:
        """The kind of the records that the last successful call for the message was about, if the portal lists it."""
        kinds = [kind_of_tool(call.tool) for call in self.calls if call.state == "done"]
        return next(filter(None, reversed(kinds)), None)

    @property
    def failures(self) -> int:
        """The number of calls that failed."""
        return sum(call.has_failed for call in self.calls)


def turns_of(messages: Iterable[JournalRow], runs: Mapping[int, ConversationRun]) -> list[ShownTurn]:
    """Group messages into turns. Tool calls belong to the answer that follows them in the same run."""
    turns: list[ShownTurn] = []
    of_run: dict[int, list[JournalRow]] = {}
    for message in messages:
        if not message.replaced:
            of_run.setdefault(message.run_id, []).append(message)
    for run_id, rows in of_run.items():
        turns += _turns_of_run(rows, runs.get(run_id))
    return turns


def _turns_of_run(rows: Sequence[JournalRow], run: ConversationRun | None) -> list[ShownTurn]:
    turns: list[ShownTurn] = []
    calls: list[ShownCall] = []
    for row in rows:
        if row.role == "tool":
            calls.append(call_of(row.tool_name or "", row.state, row.tool_arguments, row.content))
        elif row.role == "user":
            turns.append(ShownTurn(row.id, True, row.content, row.created_at, row.attachments or ()))
        elif row.role == "assistant" and (row.content or not row.tool_calls):
            turns.append(ShownTurn(row.id, False, row.content, row.created_at, calls=calls))
            calls = []
    last = turns[-1] if turns else None
    if last and not last.by_user and not calls and (run is None or run.ended_at):
        turns[-1] = ShownTurn(last.id, False, last.text, last.at, calls=last.calls, run=run)
    elif run is not None:
        # The run failed, was stopped or still goes on, so that no answer ends it.
        turns.append(ShownTurn(0, False, "", rows[-1].created_at, calls=calls, run=run))
    return turns


def turn_of_steps(run: RunRow, steps: Sequence[StepView], text: str) -> ShownTurn:
    """Return the unfinished answer of a run, with the text that is not in its journal yet."""
    calls = [call_of(one.tool, one.status, one.arguments, one.content) for one in steps if one.tool]
    texts = [one.content for one in steps if one.type == "model" and one.content]
    if text and text not in texts[-1:]:
        texts.append(text)
    return ShownTurn(0, False, "\n\n".join(texts), run.created_at, calls=calls, run=run)


def call_of(tool: str, state: str, arguments: object, result: str) -> ShownCall:
    """Return a call with excerpts of its arguments and result."""
    arguments_text = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode() if arguments else ""
    excerpts = arguments_text[:_EXCERPT], result[:_EXCERPT]
    return ShownCall(tool, state, *excerpts, connect_url(state, result), call_files(state, result))


def as_markdown(title: str, speaker: str, turns: Iterable[ShownTurn]) -> str:
    """Return a conversation as Markdown, with the tools and the sources of each answer."""
    parts = [f"# {title}"]
    for turn in turns:
        parts += [f"## {_('You') if turn.by_user else speaker}", turn.text]
        parts += ["\n".join(f"- `{call.tool}`{' ' + _('failed') if call.has_failed else ''}" for call in turn.calls)]
        sources = (turn.run.citations or ()) if turn.run else ()
        parts += ["\n".join(f"[{one['number']}] {one['title']}" for one in sources)]
    return "\n\n".join(part for part in parts if part) + "\n"
