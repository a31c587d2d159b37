"""Builds the messages for a model from journal rows, and keeps them within its context window."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

import orjson

from retinue.models.base import FinishReason, Media, Message, ToolCall, estimate_tokens
from retinue.runs.model_answer import is_failed_call, opaque_of, usage_of, valid_arguments, was_cut
from retinue.runs.tables import JournalRow

RESULT_CHARACTERS = 16_000
"""Maximum length of a tool result in a model's context; the journal holds the whole result."""

STEP_IMAGES = 4
"""Maximum number of images that a model sees of what the tools of one step returned."""

READ_RESULT = "read_result"
"""The tool with which a model reads the rest of a long result."""

_UNFINISHED = ("started", "waiting")
"""States of the rows of tool calls that have no result."""

_SMALLEST_RESULT = 400
"""Length to which tool results are cut, if nothing else makes room."""

_MEDIA_TOKENS, _PDF_BYTES = 1600, 100
"""Assumed tokens of an image or a recording, and bytes of a PDF per token."""

_SUMMARY = "Summary of what came before, which was removed to save space:\n"
_NO_IMAGES = "(The images of this result were removed to save space.)"
_OMITTED = Message("user", "(Earlier steps of this work were removed to save space.)")


class CallState(StrEnum):
    """The state of a tool call."""

    ASKED = "asked"
    """The model requested it; it has no journal row."""
    WAITING = "waiting"
    """It waits for a person's approval."""
    STARTED = "started"
    """It was started, and may have taken effect."""
    UNKNOWN = "unknown"
    """It was interrupted, may have taken effect, and cannot be repeated safely. It will be recorded as failed."""
    DONE = "done"
    FAILED = "failed"


OVER = (CallState.DONE, CallState.FAILED)
"""States of calls that have a result."""


@dataclass(frozen=True, slots=True)
class AttachedFiles:
    """The attached files of a conversation, by id: their texts, and those that the model sees or hears as they are."""

    texts: Mapping[str, str] = field(default_factory=dict)
    media: Mapping[str, Media] = field(default_factory=dict)


@dataclass(slots=True)
class StepCall:
    """A tool call of the last model step. `seq` is its journal row, `result` its result for the model.

    `cut` is the number of output tokens at which its arguments were cut, if they were. `recorded` says that the row
    exists. `images` are the ids of the images that it returned.
    """

    call: ToolCall
    seq: int
    state: CallState = CallState.ASKED
    result: str = ""
    cut: int | None = None
    recorded: bool = False
    images: Sequence[str] = ()

    def end(self, state: CallState, result: str, images: Sequence[str] = ()) -> None:
        """Set the result."""
        self.state, self.result, self.images = state, result, images


class CutPoint(NamedTuple):
    """A place where the run's own messages can be cut: after `length` of them, and after the journal row `seq`."""

    length: int
    seq: int


@dataclass(slots=True)
class RunConversation:
    """A run's conversation: the earlier history, and the run's own messages, beginning with its request.

    `cuts` are the ends of the run's steps. `limit` is the maximum length of a tool result. `scale` is the ratio of the
    provider's token counts to our estimates, if it is larger than 1. `shortened` is True if the model can read the rest
    of a long result. `rejections` counts the model's unusable answers in a row, and `truncations` the steps in a row
    whose calls were cut off. `is_long` says that the history must become a summary now, because a later run would not
    read all of its messages. `sees_images` says that the model takes images, and `images` holds those that the tools of
    the run returned, until their step has ended.
    """

    system: str
    history: list[Message]
    own: list[Message]
    calls: list[StepCall] = field(default_factory=list)
    steps: int = 0
    cuts: list[CutPoint] = field(default_factory=list)
    run_id: int = 0
    limit: int = RESULT_CHARACTERS
    scale: float = 1.0
    shortened: bool = False
    rejections: int = 0
    truncations: int = 0
    is_long: bool = False
    sees_images: bool = False
    images: AttachedFiles = field(default_factory=AttachedFiles)

    @property
    def open_calls(self) -> list[StepCall]:
        """The calls of the last step that have no result."""
        return [item for item in self.calls if item.state not in OVER]

    @property
    def last_text(self) -> str:
        """The text of the last model step."""
        return next((one.content for one in reversed(self.own) if one.role == "assistant"), "")

    def add_step(self, seq: int, message: Message, finish: FinishReason | None = None, output_tokens: int = 0) -> None:
        """Add a model step: its message, with the arguments as the model wrote them. `seq` is its journal row."""
        sent = tuple(replace(call, arguments=valid_arguments(call.arguments)) for call in message.tool_calls)
        self.own.append(replace(message, tool_calls=sent))
        self.calls = [StepCall(call, seq + 1 + place) for place, call in enumerate(message.tool_calls)]
        for item in self.calls:
            item.cut = output_tokens if was_cut(item.call, finish) else None
        truncated = any(item.cut is not None for item in self.calls)
        self.truncations = self.truncations + 1 if truncated else 0
        self.rejections = 0
        self.steps += bool(sent)
        if not sent:
            self.cuts.append(CutPoint(len(self.own), seq))

    def end_step(self) -> None:
        """Add the results of the last step's calls, in the model's order, once all have one."""
        if not self.calls or self.open_calls:
            return
        left = STEP_IMAGES
        for item in self.calls:
            content, shortened = shorten(item.result, self.limit, f"{self.run_id}-{item.seq}")
            self.shortened = self.shortened or shortened
            message = Message("tool", content, tool_call_id=item.call.id, tool_name=item.call.name)
            self.own.append(with_images(message, item.images, self.images, left))
            left -= len(self.own[-1].media)
        self.cuts.append(CutPoint(len(self.own), self.calls[-1].seq))
        self.calls = []

    def reject(self, text: str, errors: Sequence[str]) -> None:
        """Note an unusable answer. A text that does not fit goes back to the model with the errors."""
        self.rejections += 1
        if errors:
            problem = "Your reply does not fit the required JSON schema: " + "; ".join(errors)
            self.own += [
                Message("assistant", text),
                Message("user", f"{problem}. Reply again with the corrected JSON alone."),
            ]

    def trim_images(self, most: int) -> None:
        """Take the oldest images of tool results away, so that the rest have at most so many bytes."""
        for messages in (self.own, self.history):
            for place, message in reversed(list(enumerate(messages))):
                if message.role == "tool" and message.media:
                    most -= sum(len(one.data) for one in message.media)
                    if most < 0:
                        messages[place] = replace(message, content=f"{message.content}\n{_NO_IMAGES}", media=())

    def size(self) -> int:
        """Estimate the tokens of all messages."""
        return round(self.scale * self._raw_size([Message("system", self.system), *self.history, *self.own]))

    def fit_into(self, tokens: int) -> list[Message]:
        """Return the system message, the newest history that fits into `tokens`, and the run's own messages.

        History is dropped oldest first, in whole exchanges, so that no tool result is left without its call. If the
        run's own messages do not fit, its oldest steps are dropped; at last the tool results are cut.
        """
        left = int(tokens / self.scale) - estimate_tokens(self.system)
        own = self._own_within(left)
        left -= self._raw_size(own)
        kept_exchanges: list[list[Message]] = []
        for exchange in reversed(_exchanges(self.history)):
            left -= self._raw_size(exchange)
            if left < 0:
                break
            kept_exchanges.append(exchange)
        recalled = [message for exchange in reversed(kept_exchanges) for message in exchange]
        system = [Message("system", self.system)] if self.system else []
        return [*system, *recalled, *own]

    def _own_within(self, left: int) -> list[Message]:
        size = self._raw_size(self.own)
        own, start = self.own, 1
        for cut in self.cuts[:-1]:
            if size <= left:
                break
            size -= self._raw_size(self.own[start : cut.length])
            own, start = [self.own[0], _OMITTED, *self.own[cut.length :]], cut.length
        limit = self.limit
        while limit > _SMALLEST_RESULT and self._raw_size(own) > left:
            limit //= 2
            own = [replace(one, content=cut_result(one.content, limit)) if one.role == "tool" else one for one in own]
        return own

    def find_cut(self, tokens: int) -> CutPoint | None:
        """Return where to cut, so that what follows takes at most half of `tokens`; None if nothing can be cut."""
        possible = [*([CutPoint(1, 0)] if self.history else []), *self.cuts[:-1]]
        size = self._raw_size([Message("system", self.system), *self.own])
        for cut in possible:
            kept_after = size - self._raw_size(self.own[1 : cut.length])
            if kept_after * self.scale <= tokens / 2:
                return cut
        return possible[-1] if possible else None

    def before(self, cut: CutPoint) -> list[Message]:
        """Return the messages that a summary at `cut` replaces."""
        return [*self.history, *self.own[1 : cut.length]]

    def compact(self, upto: int, summary: str) -> None:
        """Replace everything up to the journal row `upto` but the run's request by a summary."""
        summary_message = Message("user", _SUMMARY + summary)
        if upto == 0:
            self.history = [summary_message]
            return
        cut = next((one for one in self.cuts if one.seq == upto), None)
        if cut is None:
            return
        self.history = []
        self.own[1 : cut.length] = [summary_message]
        moved = cut.length - 2
        self.cuts = [CutPoint(one.length - moved, one.seq) for one in self.cuts if one.seq > upto]

    @staticmethod
    def _raw_size(messages: Sequence[Message]) -> int:
        return sum(map(size_of, messages))


def read_history(
    rows: Sequence[JournalRow],
    attached: AttachedFiles,
    limit: int = RESULT_CHARACTERS,
    summary: JournalRow | None = None,
    images: AttachedFiles | None = None,
) -> list[Message]:
    """Return the messages of earlier runs with their attached files, without tool calls that have no result.

    `images` are those that tools returned. `summary` is a compaction row: it replaces the rows before the place that it
    names.
    """
    answered = {(row.run_id, row.seq) for row in rows if row.role == "tool" and row.state not in _UNFINISHED}
    messages: list[Message] = []
    called: set[tuple[int, int]] = set()
    left = STEP_IMAGES
    start = (summary.run_id, (summary.details or {})["upto"]) if summary else (0, 0)
    if summary and start[1] == 0:
        messages.append(Message("user", _SUMMARY + summary.content))
    for row in rows:
        if summary and not _follows(row, start):
            continue
        places = [(row.run_id, row.seq + place) for place, _ in enumerate(row.tool_calls or (), start=1)]
        calls = [call for call, place in zip(calls_of(row), places, strict=True) if place in answered]
        if row.role == "tool":
            if (row.run_id, row.seq) in called and (row.run_id, row.seq) in answered:
                content, _ = shorten(row.content, limit, f"{row.run_id}-{row.seq}")
                message = Message("tool", content, (), row.tool_call_id, row.tool_name)
                messages.append(with_images(message, images_of(row), images or AttachedFiles(), left))
                left -= len(messages[-1].media)
        elif row.content or calls:
            left = STEP_IMAGES
            called.update(places)
            message = _step_message(row, calls) if row.role == "assistant" else Message("user", row.content)
            messages.append(with_attachments(message, row.attachments or (), attached))
        if summary and start[1] and (row.run_id, row.seq) == (start[0], 0):
            messages.append(Message("user", _SUMMARY + summary.content))
    return messages


def _follows(row: JournalRow, start: tuple[int, int]) -> bool:
    """Return whether a row stays beside the summary that replaces the rows up to `start`: the later ones and the
    request.
    """
    return (row.run_id, row.seq) > start or (row.run_id, row.seq) == (start[0], 0)


def resume(thread: RunConversation, rows: Sequence[JournalRow]) -> None:
    """Replay the run's journal rows into the thread."""
    for row in rows:
        if row.role == "assistant" and row.tool_calls == []:
            if not is_failed_call(row.details):
                thread.reject(row.content, (row.details or {}).get("errors", ()))
        elif row.role == "assistant":
            details = row.details or {}
            tokens = usage_of(details.get("usage")).completion_tokens
            thread.add_step(row.seq, _step_message(row, raw_calls_of(row)), details.get("finish_reason"), tokens)
        elif row.role == "tool":
            _resume_call(thread, row)
            thread.end_step()
        elif row.role == "compaction":
            thread.compact((row.details or {})["upto"], row.content)
        elif row.role == "user" and row.seq > 0:
            thread.own.append(Message("user", row.content))


def _resume_call(thread: RunConversation, row: JournalRow) -> None:
    for item in thread.calls:
        if item.call.id == row.tool_call_id:
            item.seq, item.recorded = row.seq, True
            item.end(CallState(row.state), row.content, images_of(row))
            item.call = replace(item.call, arguments=row.tool_arguments or "")


def with_attachments(
    message: Message, attachments: Sequence[str], attached: AttachedFiles, *, verbatim: bool = False
) -> Message:
    """Add the attached files to the message. With `verbatim`, files that the model sees or hears are not named."""
    if not attachments:
        return message
    media = tuple(attached.media[file_id] for file_id in attachments if file_id in attached.media)
    texts = (
        f'[Attached file "{attached.media[file_id].name}" (id {file_id})]'
        if file_id in attached.media
        else attached.texts[file_id]
        for file_id in attachments
        if not (verbatim and file_id in attached.media)
    )
    return replace(message, content="\n\n".join([message.content, *texts]), media=media)


def images_of(row: JournalRow) -> Sequence[str]:
    """Return the ids of the images that a tool's row names."""
    return (row.details or {}).get("images", ())


def with_images(message: Message, ids: Sequence[str], images: AttachedFiles, most: int) -> Message:
    """Add up to `most` images to a tool's result, and say of the others that the model cannot see them."""
    known = [file_id for file_id in ids if file_id in images.texts]
    seen = [file_id for file_id in known if file_id in images.media][:most]
    unseen = [images.texts[file_id] for file_id in known if file_id not in seen]
    media = tuple(images.media[file_id] for file_id in seen)
    return replace(message, content="\n".join([message.content, *unseen]), media=media)


def calls_of(row: JournalRow) -> list[ToolCall]:
    """Return the tool calls in an assistant's row, with arguments that may go back to a provider."""
    return [replace(call, arguments=valid_arguments(call.arguments)) for call in raw_calls_of(row)]


def raw_calls_of(row: JournalRow) -> list[ToolCall]:
    """Return the tool calls in an assistant's row, with the arguments as the model wrote them."""
    return [
        ToolCall(call["id"], call["name"], call["arguments"], call.get("offered", True))
        for call in row.tool_calls or ()
    ]


def _step_message(row: JournalRow, calls: Sequence[ToolCall]) -> Message:
    """Return the message of a model step. What a provider wants back goes with the whole step only."""
    is_complete = len(calls) == len(row.tool_calls or ())
    return Message("assistant", row.content, tuple(calls), opaque=opaque_of(row.details) if is_complete else ())


def _exchanges(messages: Sequence[Message]) -> list[list[Message]]:
    """Split at the user's messages: each part is one user message and everything up to the next."""
    parts: list[list[Message]] = []
    for message in messages:
        if message.role == "user" or not parts:
            parts.append([])
        parts[-1].append(message)
    if parts and parts[0][0].role != "user":
        del parts[0]
    return parts


def size_of(message: Message) -> int:
    """Estimate the tokens of a message."""
    calls = sum(estimate_tokens(call.arguments) + 8 for call in message.tool_calls)
    opaque = sum(len(orjson.dumps(one.value)) // 4 for one in message.opaque)
    media = sum(max(_MEDIA_TOKENS, len(one.data) // _PDF_BYTES if one.kind == "pdf" else 0) for one in message.media)
    return estimate_tokens(message.content) + calls + opaque + media


def shorten(content: str, limit: int, handle: str) -> tuple[str, bool]:
    """Return a tool result for the model, and whether it was shortened to its beginning and its end."""
    if len(content) <= limit:
        return content, False
    head, tail = limit // 2, limit // 4
    note = (
        f"\n… {len(content) - head - tail:,} of {len(content):,} characters are left out. To read on, call "
        f'{READ_RESULT} with {{"call": "{handle}", "offset": {head}}}. …\n'
    )
    return f"{content[:head]}{note}{content[-tail:]}", True


def cut_result(content: str, limit: int) -> str:
    """Return a tool result that is at most about `limit` characters long."""
    if len(content) <= limit:
        return content
    return f"{content[: limit // 2]}\n… (shortened) …\n{content[-(limit // 4) :]}"


def parsed_arguments(arguments: str | None) -> object:
    """Parse a model's arguments as JSON. Invalid JSON is returned as text."""
    try:
        parsed: object = orjson.loads(arguments) if arguments else None
    except orjson.JSONDecodeError:
        return arguments
    return parsed
