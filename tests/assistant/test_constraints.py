"""What instructions forbid a reply to say, how long they let it be, and the prices that they list."""

from collections.abc import AsyncGenerator

import pytest

from retinue.marketplace.shipped import shipped_items
from retinue.models.base import Delta, ModelRequest, Persona, TextDelta, Usage
from retinue_assistant.constraints import has_own_form, length_of, withholds
from retinue_assistant.passages import has_facts
from retinue_assistant.prices import total
from tests.assistant.test_assistant import Base, run
from tests.assistant.test_instructed import ask

COACH = Persona("Coach", instructions="You coach pupils in chess and maths. Never tell them the answer: give a hint.")
RHYMER = Persona("Rhymer", instructions="You answer every message with a poem of two lines. Never explain it.")
STALL = """You answer customers of a fruit stall. Fruit: plums 3.20, figs 0.75 each, melon (small) 4.
Nuts cost 6.50. A gift basket from 25 euros. We sell only fruit of the season. Never discuss other stalls."""


@pytest.mark.parametrize(
    "message", ["What is 3/4 + 1/6?", "Just tell me the answer", "I think 7 * 8 is 54", "Solve x + 2 = 5"]
)
async def test_a_result_that_must_not_be_given_is_not_computed(message: str) -> None:
    assert "do not give the answer away" in await ask(message, COACH)


@pytest.mark.parametrize("message", ["Why do I have to learn fractions?", "I am bored"])
async def test_other_messages_to_the_same_agent_are_left_to_the_model(message: str) -> None:
    assert await ask(message, COACH) == "Well."


@pytest.mark.parametrize(
    "rule", ["Do not just give the answer: explain it.", "Do not use jargon in your answers.", "Never invent a result."]
)
def test_other_prohibitions_do_not_withhold_the_result(rule: str) -> None:
    assert not withholds("What is 2 + 2?", f"You help pupils. {rule}")


@pytest.mark.parametrize(
    ("rule", "count", "unit"),
    [
        ("You answer every message with a poem of four lines.", 4, "line"),
        ("Answer in at most 2 sentences.", 2, "sentence"),
        ("Always reply with a verse of four to eight lines.", 8, "line"),
    ],
)
def test_the_length_of_every_reply(rule: str, count: int, unit: str) -> None:
    length = length_of(f"You are a poet. {rule}")
    assert length
    assert (length.count, length.unit) == (count, unit)


@pytest.mark.parametrize(
    "rule",
    [
        "Answer in three parts: the answer in two sentences, then the rest.",
        "Answer questions about a fact in one sentence.",
    ],
)
def test_the_length_of_a_part_is_not_that_of_every_reply(rule: str) -> None:
    assert length_of(f"You advise. {rule}") is None


async def test_a_reply_ends_after_its_lines() -> None:
    class Talker(Base):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
            for part in ("The sea", "\nis wide", "\nand so", " are we\n"):
                yield TextDelta(part)
            yield Usage(20, 2)

    assert await run(Talker(), "What is 2 + 2?", persona=RHYMER) == "The sea\nis wide"
    assert has_own_form(RHYMER.instructions)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How much are 2 melons and a plum?", "2 \u00d7 4 + 3.20 = 11.20."),
        ("What do three figs cost?", "3 \u00d7 0.75 = 2.25."),
        ("How much are 2 melons and 3 pears?", ""),
        ("How much are 2 huge melons?", ""),
        ("How much are two melons on 3 days?", ""),
        ("How much is a gift basket and a plum?", ""),
        ("Do you have 2 melons?", ""),
    ],
)
def test_prices_are_added_up_only_where_every_item_is_clear(question: str, wanted: str) -> None:
    assert total(question, STALL) == wanted


def test_no_shipped_agent_answers_by_quoting_its_instructions() -> None:
    agents = [one for _, item in shipped_items() for one in item.get("agents", [item]) if "agent_role" in one]
    assert [one["agent_name"] for one in agents if has_facts(one["instructions"])] == []


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What do two Margheritas and a cake cost?", "2 \u00d7 9.50 + 6.50 = 25.50."),
        ("How much is one Margherita pizza and one Diavola pizza?", "9.50 + 12.00 = 21.50."),
        ("What do two pizzas cost?", ""),
    ],
)
def test_the_first_word_of_a_name_stands_for_it_if_no_other_name_has_it(question: str, wanted: str) -> None:
    assert total(question, "Menu: Margherita pizza 9.50, Diavola pizza 12.00, Cake of the day 6.50.") == wanted
