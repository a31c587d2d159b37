"""Replies for agents that have instructions."""

from typing import Any

import orjson
import pytest

from retinue.knowledge.embedding import similarities
from retinue.models.base import Candidate, Message, Persona, ToolOffer
from retinue_assistant.instructed import nothing_found
from retinue_assistant.passages import choose_statements, contact, excerpt, likely_statements
from retinue_assistant.sentence_similarity import score_sentences
from tests.assistant.test_assistant import SQUARE, Base, Found, run

KIOSK = """# Kiosk

You are Tilda, the assistant of the Harbour Kiosk. Answer customers' questions about our kiosk.
- Returns: umbrellas can be returned within 20 days with the receipt.
- Opening hours: Monday to Friday 7:00 to 19:00.
- Umbrellas cost 12 euros; ponchos cost 8 euros.
- You cannot see orders. For questions about an order, ask the customer to write to kiosk@example.com.
"""
TILDA = Persona("kiosk-bot", instructions=KIOSK)
POET = Persona("poet", instructions="You are a poet. You answer every message with a poem of four lines.")
PAGE = ToolOffer(
    "web_read_page",
    "Reads a page.",
    {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
)


class Eager(Found):
    """Resources that find a tool for every request."""

    def __init__(self, tool: ToolOffer = SQUARE) -> None:
        super().__init__()
        self._tool = tool

    async def find_tools(self, request: str) -> list[Candidate]:
        return [Candidate(self._tool, 9.0, [("Square 3", '{"number":3}')] if self._tool is SQUARE else ())]


async def ask(
    message: str, persona: Persona = TILDA, *before: Message, base: Base | None = None, **options: Any
) -> Any:
    """Return the calls or the reply, with resources that find a tool for every request."""
    found = options.pop("found", None) or Eager()
    return await run(base or Base(), *before, message, persona=persona, found=found, **options)


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("I bought an umbrella 12 days ago, can I return it?", ["20 days", "receipt"]),
        ("When do you open on Monday?", ["7:00 to 19:00"]),
        ("what do ponchos cost", ["8 euros"]),
        ("Where is my order 48213?", ["cannot see", "please write to kiosk@example.com"]),
        ("Is my umbrella ready yet?", ["cannot see orders", "please write to kiosk@example.com"]),
        ("When can I collect my poncho?", ["cannot see orders", "please write to kiosk@example.com"]),
        ("What is the weather in Rome today?", ["cannot see"]),
        ("Who painted the ceiling of the chapel?", ["no information", "kiosk@example.com"]),
        ("Can you sum up https://example.com/news?", ["cannot open web pages"]),
        ("Book me a taxi", ["cannot do that", "kiosk@example.com"]),
    ],
)
async def test_facts_are_quoted_and_others_refused_without_tool_or_model(message: str, parts: list[str]) -> None:
    base = Base()
    reply = await ask(message, base=base)
    assert all(part in reply for part in parts)
    assert base.requests == []


async def test_a_short_message_is_read_with_the_one_before() -> None:
    before = [Message("user", "What does an umbrella cost?"), Message("assistant", "12 euros.")]
    assert "8 euros" in await ask("And how much are they?", TILDA, *before)


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("Who are you?", ["I am Tilda, the assistant of the Harbour Kiosk.", "I answer customers' questions", "AI"]),
        ("Hi! What can you do for me?", ["I am Tilda"]),
        ("Wer bist du?", ["I am Tilda", "kein Mensch"]),
        ("Hello!", ["Hello!", "I am Tilda", "How can I help you?"]),
        ("Thank you so much!", ["You are welcome"]),
        ("Thank you, that helps", ["You are welcome"]),
    ],
)
async def test_identity_and_courtesies_have_fixed_texts(message: str, parts: list[str]) -> None:
    base = Base()
    reply = await ask(message, base=base)
    assert all(part in reply for part in parts)
    assert base.requests == []


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ("Who are you?", "Alfred"),
        ("was kannst du?", "rechnen"),
        ("\u00bfQu\u00e9 puedes hacer?", "calcular"),
        ("Qui es-tu ?", "Alfred"),
    ],
)
async def test_without_an_agent_the_reply_is_about_the_included_model(message: str, part: str) -> None:
    assert part in await run(Base(), message)


async def test_an_agent_without_instructions_names_itself_and_its_task() -> None:
    reply = await run(Base(), "Who are you?", persona=Persona("Ida", "Sort the mail"))
    assert reply == "I am Ida. My task: Sort the mail. I am an AI assistant, not a person."


async def test_a_computation_with_its_operands_needs_a_tool() -> None:
    base = Base({"number": 7})
    (call,) = await ask("Calculate the square of 7", base=base)
    assert orjson.loads(call.arguments) == {"number": 7}


async def test_a_tool_of_the_agent_is_used_where_the_message_speaks_of_it() -> None:
    base = Base({"tool": "square"}, {"number": 7})
    (call,) = await ask("Which number squares to 49, 7?", base=base, named=[SQUARE])
    assert call.name == "square"
    assert "20 days" in await ask("Can I return an umbrella after 12 days?", named=[SQUARE])


async def test_an_agent_that_works_with_tools_uses_the_one_that_the_classifier_is_sure_of() -> None:
    worker = Persona("Worker", instructions="You square numbers for people. Use the tool square, and never guess.")
    (call,) = await ask("What is three, twice over?", worker, base=Base({"number": 3}), named=[SQUARE])
    assert call.name == "square"


async def test_a_tool_for_pages_gets_their_addresses() -> None:
    base = Base({"url": "https://example.com/news"})
    (call,) = await ask("What does https://example.com/news say?", base=base, named=[PAGE], found=Eager(PAGE))
    assert call.name == "web_read_page"
    assert "cannot open" in await ask("What does https://example.com/news say?", named=[SQUARE])


async def test_the_model_writes_by_rules_that_stand_beside_the_message() -> None:
    base = Base()
    assert await ask("My cat sleeps all day.", POET, Message("system", POET.instructions), base=base) == "Well."
    system, asked = base.requests[0].messages
    assert system.content == POET.instructions
    assert "four lines" in asked.content
    assert "My cat sleeps all day." in asked.content
    assert await ask("Write a slogan for umbrellas", base=base) == "Well."


async def test_long_instructions_are_shortened_to_the_topic_of_the_message() -> None:
    filler = "\n".join(f"Shelf {number} holds goods of kind {number}." for number in range(3000))
    long = f"You are Tilda.\n{filler}\nParrots live in the attic.\n{filler}"
    assert len(long) > 100_000
    assert await quoted("Where do the parrots live?", long) == ["Parrots live in the attic."]
    short = excerpt("Where do the parrots live?", long, 3000)
    assert short.startswith("You are Tilda.")
    assert "Parrots live in the attic." in short
    assert len(short) <= 3000
    base = Base()
    await ask("Write a poem about parrots", Persona("t", instructions=long), Message("system", long), base=base)
    assert sum(len(one.content) for one in base.requests[0].messages) < 8000


def test_the_contact_for_a_question_is_found() -> None:
    assert contact("my order", KIOSK) == "kiosk@example.com"
    assert contact("", "Mail: a@example.com\nAppointments by phone: 030 5550 142.") == "030 5550 142"
    assert contact("", "Open 8:00 to 12:00 for 12.50 euros.") == ""


SHOP = """You are the assistant of a shop for outdoor clothes.
A rain jacket costs 89 euros. A fleece costs 49 euros.
You can return anything unworn within 30 days.
A return costs 5 euros.
We are open from Monday to Saturday, 9 to 18."""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Can I return a rain jacket?", ["You can return anything unworn within 30 days."]),
        ("How much is a rain jacket?", ["A rain jacket costs 89 euros."]),
        ("Do you have a rain jacket?", ["A rain jacket costs 89 euros."]),
        ("When are you open?", ["We are open from Monday to Saturday, 9 to 18."]),
    ],
)
async def test_the_statements_that_answer_are_quoted(question: str, answer: list[str]) -> None:
    assert await quoted(question, SHOP) == answer


async def quoted(question: str, instructions: str) -> list[str]:
    """Return the statements that answer, by the included embedding model."""
    known = likely_statements(question, instructions)
    scores = await score_sentences(similarities, question, [one.about for one in known])
    return choose_statements(question, known, scores)


def test_an_agent_whose_documents_have_no_answer_says_whom_to_ask() -> None:
    office = Persona(
        "office", instructions="You answer parents from the documents. Our telephone number is 030 5550 142."
    )
    assert nothing_found("Do you have parking?", office) == (
        "I found nothing about this in my documents. Please call 030 5550 142."
    )
    assert nothing_found("Do you have parking?", None) == "I found nothing about this in my documents."
