"""The test model: a table of its directives. It keeps no state."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.errors import Unavailable
from retinue.models.base import Delta, Message, ModelRequest, TextDelta, ToolCall, ToolOffer, Usage
from retinue.models.test_directives import MALFORMED, parse
from retinue.models.test_model import ScriptedModel
from retinue.runs.execution.structured_output import read_output

OFFERS = [ToolOffer("add", "Adds.", {"type": "object"}), ToolOffer("now", "The time.", {"type": "object"})]


async def run(*messages: Message, tools: list[ToolOffer] | None = None, max_tokens: int = 1024) -> list[Delta]:
    request = ModelRequest(messages, OFFERS if tools is None else tools, max_tokens=max_tokens)
    return [part async for part in ScriptedModel().stream(request)]


def phrase(parts: list[Delta]) -> str:
    return "".join(part.content for part in parts if isinstance(part, TextDelta))


async def test_a_plain_message_is_repeated_word_by_word() -> None:
    parts = await run(Message("system", "Be brief."), Message("user", "Hello  there,\nfriend"))
    assert phrase(parts) == "You said: Hello  there,\nfriend"
    assert parts[2] == TextDelta("Hello  ")
    assert parts[-1] == Usage(5, 5)
    assert phrase(await run(Message("user", "x" * 300))) == "You said: " + "x" * 200


async def test_tools_are_called_in_order_and_their_results_quoted() -> None:
    user = Message("user", 'Sum [[tool:add {"rows": [[1, 2], [3, 4]]}]] and [[tool:now]]')
    first = (await run(user))[0]
    assert first == ToolCall("call_1", "add", '{"rows": [[1, 2], [3, 4]]}')
    assert isinstance(first, ToolCall)
    history = [user, Message("assistant", "", (first,)), Message("tool", "10", (), "call_1", "add")]
    second = (await run(*history))[0]
    assert second == ToolCall("call_2", "now", "{}")
    assert isinstance(second, ToolCall)
    history += [Message("assistant", "", (second,)), Message("tool", "noon", (), "call_2", "now")]
    assert phrase(await run(*history)) == "add returned: 10\nnow returned: noon"


SCHEMA = {
    "type": "object",
    "properties": {
        "state": {"enum": ["continue", "end"]},
        "names": {"type": "array", "minItems": 1, "items": {"type": "string"}},
        "count": {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]},
        "any": True,
        "passed": {"type": ["boolean", "null"]},
        "left_out": {"type": "string"},
    },
    "required": ["state", "names", "count", "any", "passed"],
    "additionalProperties": False,
}


async def test_a_reply_fits_its_schema() -> None:
    request = ModelRequest([Message("user", "Hello")], [], output_schema=SCHEMA)
    text = phrase([part async for part in ScriptedModel().stream(request)])
    found = {"state": "continue", "names": ["text"], "count": 3, "any": "text", "passed": True}
    assert read_output(text, SCHEMA)[1:] == (found, [])


async def test_a_tool_that_is_not_offered_is_not_called() -> None:
    assert phrase(await run(Message("user", "[[tool:add {}]]"), tools=[])) == "The tool add is not offered to me."


async def test_malformed_arguments() -> None:
    assert (await run(Message("user", "[[bad-args:add]]")))[0] == ToolCall("call_1", "add", MALFORMED)


async def test_an_earlier_turn_does_not_count() -> None:
    call = ToolCall("call_1", "now", "{}")
    old = [Message("user", "[[tool:now]]"), Message("assistant", "", (call,)), Message("tool", "noon", (), "call_1")]
    parts = await run(*old, Message("assistant", "noon"), Message("user", "[[tool:now]]"))
    assert parts[0] == ToolCall("call_1", "now", "{}")


async def test_words_and_their_limit() -> None:
    assert phrase(await run(Message("user", "[[words:3]]"))) == "word1 word2 word3"
    assert phrase(await run(Message("user", "[[words:30]]"), max_tokens=2)).split() == ["word1", "word2"]


async def test_the_test_model_fails_when_it_is_told_to() -> None:
    with pytest.raises(Unavailable):
        await run(Message("user", "[[fail]]"))
    stream = ScriptedModel().stream(ModelRequest([Message("user", "[[words:9]] [[fail-after:2]]")]))
    assert [await anext(stream), await anext(stream)] == [TextDelta("word1 "), TextDelta("word2 ")]
    with pytest.raises(Unavailable):
        await anext(stream)


async def test_failure_after_a_tool_comes_after_the_tool() -> None:
    user = Message("user", "[[tool:now]] [[fail]]")
    call = (await run(user))[0]
    assert isinstance(call, ToolCall)
    with pytest.raises(Unavailable):
        await run(user, Message("assistant", "", (call,)), Message("tool", "noon", (), call.id, "now"))


async def test_sleep_and_pace_take_their_time() -> None:
    start = time.monotonic()
    await run(Message("user", "[[sleep:0.05]] [[pace:0.02]] [[words:3]]"))
    assert time.monotonic() - start >= 0.11


async def test_the_test_model_echoes_the_history() -> None:
    parts = await run(Message("user", "a"), Message("assistant", "b"), Message("user", "[[echo-history]]"))
    assert phrase(parts) == "3 messages: user, assistant, user"


async def test_no_message_of_the_user() -> None:
    assert phrase(await run(Message("system", "You are alone."))) == "Done."


@given(st.text(alphabet='[]:{}tolfai "-0123n', max_size=60))
def test_other_text_is_no_directive(text: str) -> None:
    script = parse(text)
    if len(script.steps) == 1 and script.steps[0] == parse("").steps[0]:
        assert script.text == text.strip()


@pytest.mark.parametrize(
    "text", ["[[tool:add {]]", "[[tool:]]", "[[words:x]]", "[[failing]]", '[[tool:add {"a":1} x]]']
)
def test_a_broken_directive_is_text(text: str) -> None:
    script = parse(text)
    assert (len(script.steps), script.text) == (1, text)
