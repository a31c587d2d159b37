"""Replaces older messages by a summary that the model writes, before a context window overflows."""

from collections.abc import Sequence

import structlog

from retinue.core.errors import RetinueError
from retinue.core.runtime.clock import now
from retinue.models.base import Message, Model, ModelRequest, estimate_tokens
from retinue.runs.context_window import CutPoint, RunConversation
from retinue.runs.model_answer import ModelAnswer
from retinue.runs.run_journal import RunJournal

_log = structlog.get_logger()

SMALLEST_WINDOW = 8000
"""Models with a smaller context window, in tokens, write no summaries: their oldest messages are dropped instead."""

_LONGEST_SUMMARY = 4000
"""Maximum length of a summary, in tokens."""

_INSTRUCTIONS = (
    "You are in the middle of a longer piece of work. The messages below will be removed to save space, and your "
    "summary takes their place. Keep everything that may still be needed: facts and figures, names, ids, paths, "
    "decisions, results of tools, what is done and what is still open. Copy figures and names exactly. Do not go on "
    "with the work, and do not answer the request. Write only the summary, in at most {words} words."
)


async def compact(journal: RunJournal, thread: RunConversation, model: Model, room: int) -> None:
    """Replace the oldest messages of a thread that exceeds `room` tokens by a summary, and record it.

    Does nothing if the model cannot write one; then the oldest messages are dropped when the request is built.
    """
    cut = thread.find_cut(room)
    if cut is None or model.uses_resources or model.context_tokens < SMALLEST_WINDOW:
        return
    answer = await _summarize(journal, thread, model, room, cut)
    if answer is None:
        return
    await journal.compact(answer, cut.seq)
    thread.compact(cut.seq, answer.text)


async def _summarize(
    journal: RunJournal, thread: RunConversation, model: Model, room: int, cut: CutPoint
) -> ModelAnswer | None:
    """Return the model's summary, or None if it fails or is empty."""
    longest = min(_LONGEST_SUMMARY, room // 4)
    request = ModelRequest(
        messages=_prompt(thread, cut, longest, room),
        temperature=0.0,
        max_tokens=min(model.max_output_tokens or room, room),
        account=journal.run.account_id,
        waited_for=journal.run.attached,
    )
    answer = ModelAnswer(began=now(), model=model.name)
    try:
        async for delta in model.stream(request):
            answer.add(delta)
    except RetinueError as error:
        _log.warning("run.not_summarized", run=journal.run.id, reason=error.message)
        return None
    answer.calls, answer.opaque = [], []
    answer.text = _middle_out(answer.text.strip(), longest * 4)
    return answer if answer.text else None


def _prompt(thread: RunConversation, cut: CutPoint, longest: int, room: int) -> list[Message]:
    removed = thread.before(cut)
    system = _INSTRUCTIONS.format(words=longest // 2)
    spent = estimate_tokens(system) + estimate_tokens(thread.own[0].content) + longest
    characters = max(int((room / thread.scale - spent) * 3), 2000)
    text = f"The request: {thread.own[0].content}\n\nThe messages to summarize:\n\n{_transcript(removed, characters)}"
    return [Message("system", system), Message("user", text)]


def _transcript(messages: Sequence[Message], characters: int) -> str:
    """Write messages as text of at most so many characters. The longest ones are shortened first."""
    parts = [_part(message) for message in messages]
    longest = max(map(len, parts), default=0)
    while sum(map(len, parts)) > characters and longest > 200:
        longest //= 2
        parts = [_middle_out(part, longest) for part in parts]
    return _middle_out("\n\n".join(parts), characters)


def _part(message: Message) -> str:
    calls = "".join(f"\n[calls {call.name} with {call.arguments}]" for call in message.tool_calls)
    name = f"result of {message.tool_name}" if message.role == "tool" else message.role
    return f"{name}: {message.content}{calls}"


def _middle_out(text: str, characters: int) -> str:
    """Leave out the middle of a long text."""
    if len(text) <= characters:
        return text
    half = max(characters // 2 - 10, 1)
    return f"{text[:half]} … {text[-half:]}"
