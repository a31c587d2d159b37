"""Calls a model once, and publishes its text while it streams."""

import asyncio
from contextlib import aclosing

from retinue.core.runtime.clock import now
from retinue.models.base import Model, ModelRequest, ReasoningDelta, TextDelta, Usage
from retinue.runs.context_window import size_of
from retinue.runs.execution.tool_calls import Say
from retinue.runs.model_answer import ModelAnswer
from retinue.runs.run_journal import RunJournal

CALLS_AT_ONCE = 16
"""Maximum number of tool calls of one step; more are dropped."""

_KEEP_S = 1.0
"""Interval between saves of a streamed run's unfinished reply."""

_RELIABLE_TOKENS = 2000
"""Smallest prompt from which the ratio of real to estimated tokens is read."""
_MOST_SCALE = 4.0


async def call_model(journal: RunJournal, model: Model, request: ModelRequest, say: Say) -> ModelAnswer:
    """Make one model call. A reply that must fit a schema is not published before it is complete."""
    answer = ModelAnswer(began=now(), model=model.name)
    options = journal.run.options
    clock = asyncio.get_running_loop().time
    saved_at = clock()
    journal.begin_reply(answer)
    async with aclosing(model.stream(request)) as deltas:
        async for delta in deltas:
            answer.add(delta)
            if isinstance(delta, TextDelta) and options.output_schema is None:
                content = delta.content.replace("\x00", "")
                journal.add_text(content)
                say({"type": "text", "content": content})
                if journal.run.attached and clock() - saved_at > _KEEP_S:
                    await journal.keep()
                    saved_at = clock()
            elif isinstance(delta, ReasoningDelta) and options.shows_reasoning:
                say({"type": "reasoning", "content": delta.content.replace("\x00", "")})
    journal.call_ended()
    del answer.calls[CALLS_AT_ONCE:]
    return answer


def measured_scale(request: ModelRequest, usage: Usage) -> float:
    """Return the ratio of the provider's token count of a prompt to our estimate; 1 if the prompt is short."""
    if usage.prompt_tokens < _RELIABLE_TOKENS:
        return 1.0
    estimate = sum(map(size_of, request.messages))
    estimate += sum(len(tool.description) // 4 + 80 for tool in request.tools)
    return min(max(1.0, usage.prompt_tokens / max(estimate, 1)), _MOST_SCALE)
