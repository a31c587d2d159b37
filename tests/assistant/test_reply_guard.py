"""A small model's reply to an agent's message has no copy of its prompt, and nothing that it made up."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.base import Message, ModelRequest, TextDelta
from retinue_assistant.reply_guard import ReplyGuard, without_disclaimer

INSTRUCTIONS = (
    "You sort messages. For each message give its category, its urgency with one reason, and the product area. "
    'Say "Thank you very much for your kind and patient message to us". Ask desk@example.com for help.'
)


def reply(*fragments: str, question: str = "I was charged twice for October.", instructions: str = INSTRUCTIONS) -> str:
    request = ModelRequest([Message("system", instructions), Message("user", question)])
    guard = ReplyGuard(request, question, instructions, ["note_create", "task_list", "weather"])
    return "".join([*map(guard.take, fragments), guard.take_rest()])


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("It is about billing. It is urgent.", "It is about billing. It is urgent."),
        ('The message: "I was charged twice." It is about billing.', ""),
        ("The message is correct. Nothing else.", ""),
        ("The task:\nSort it.", ""),
        ("Billing. Note_create, titled with October.", "Billing. "),
        ("Look at your task list. Weather is fine.", "Look at your task list. Weather is fine."),
        ("Fine. Give its category, its urgency with one reason, and the rest. More.", "Fine. "),
        ("Thank you very much for your kind and patient message to us.", None),
        ("Order number: 1234567890. It is about billing.", "It is about billing."),
        ("Call +1 555 010 9999 now. Bye.", "Bye."),
        ("About 60,431,283 people. In 2026.", "About 60,431,283 people. In 2026."),
        ("Write to desk@example.com. Or see https://help.example/x. Bye.", "Write to desk@example.com. Bye."),
    ],
)
def test_a_reply_has_no_prompt_and_no_invented_values(written: str, said: str | None) -> None:
    assert reply(written) == (written if said is None else said)
    assert reply(*written) == (written if said is None else said)


def test_an_agent_may_speak_of_a_message_that_it_was_given() -> None:
    assert reply("The message is about billing.", question="Sort this message: charged twice") != ""


def test_an_agent_may_repeat_its_own_role() -> None:
    role = "You are Nora, the assistant of the library of the old town of Riverside. Answer briefly."
    said = "I am Nora, the assistant of the library of the old town of Riverside."
    assert reply(said, instructions=role) == said


def test_a_number_of_the_message_may_be_repeated() -> None:
    assert reply("Order 4711 00815 is late.", question="Where is order 4711-00815?") == "Order 4711 00815 is late."


def test_a_reply_keeps_to_the_length_of_the_instructions() -> None:
    assert reply("One. Two. Three.", instructions="Answer in one short sentence.") == "One."


@given(st.lists(st.text('abc. \n!?"', max_size=8), max_size=12))
def test_other_texts_pass_whole_in_any_fragments(fragments: list[str]) -> None:
    assert reply(*fragments) == "".join(fragments)


@pytest.mark.parametrize(
    ("fragments", "reply"),
    [
        (["As", " an AI language", " model, I do not have access to your data. Here is advice:"], "Ask another."),
        (["Sorry, but I can't assist with that."], "Ask another."),
        (["As an architect", " I would build it of brick, and with two floors."], None),
        (["Yes."], None),
        ([], None),
    ],
)
async def test_a_disclaimer_is_replaced(fragments: list[str], reply: str | None) -> None:
    async def stream() -> AsyncIterator[TextDelta]:
        for fragment in fragments:
            yield TextDelta(fragment)

    deltas = [one async for one in without_disclaimer(stream(), "Ask another.")]
    assert "".join(one.content for one in deltas if isinstance(one, TextDelta)) == (reply or "".join(fragments))
