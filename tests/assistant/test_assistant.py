"""The whole assistant: its requests to the model, its calls, and its replies."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import orjson
import pytest

from retinue.knowledge import embedding
from retinue.language.reply_templates import ReplyTemplates
from retinue.models.base import (
    TEXT_ONLY,
    Candidate,
    Delta,
    Message,
    ModelRequest,
    Persona,
    ProviderFailed,
    TextDelta,
    ToolCall,
    ToolOffer,
    Usage,
)
from retinue_assistant.assistant import Assistant
from retinue_assistant.assistant_request import MOST_CALLS
from retinue_assistant.fixed_texts import fixed_text
from retinue_assistant.reply_prompts import asks_business
from retinue_assistant.schemas import argument_lines, grammar_schema

SQUARE = ToolOffer(
    "square",
    "Squares a number. Exactly.",
    {"type": "object", "properties": {"number": {"type": "number", "description": "Any."}}, "required": ["number"]},
)
EXAMPLES = [("Square 3", '{"number":3}'), ("What is 4 squared?", '{"number":4}')]
SEND = ToolOffer("send", "Sends a letter. Anywhere.", {"type": "object", "properties": {}, "required": []})


class Base:
    """A model with fixed answers that records its requests. A network would add nothing to these tests."""

    name = "base"
    context_tokens = 4096
    max_output_tokens: int | None = None
    input = TEXT_ONLY
    uses_resources = False

    def __init__(self, *choices: dict[str, Any]) -> None:
        self.choices = list(choices)
        self.schemas: list[Mapping[str, Any]] = []
        self.prompts: list[Sequence[Message]] = []
        self.requests: list[ModelRequest] = []

    async def generate(
        self, messages: Sequence[Message], schema: Mapping[str, Any], max_tokens: int
    ) -> tuple[dict[str, Any], Usage]:
        assert max_tokens > 0
        self.prompts.append(messages)
        self.schemas.append(schema)
        return self.choices.pop(0), Usage(10, 4)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        self.requests.append(request)
        yield TextDelta("Well.")
        yield Usage(20, 2)


class Found:
    """Resources that find `square` for requests about squares, less clearly if a haiku is mentioned, and `send` for
    letters.
    """

    today = date(2026, 11, 29)
    moment = datetime(2026, 11, 29, 15, 30, tzinfo=UTC)
    remembered_facts: Sequence[str] = ()

    def __init__(self, *facts: str, first_message: str = "") -> None:
        self.facts, self.first_message = facts, first_message

    async def find_tools(self, request: str) -> Sequence[Candidate]:
        if "etter" in request:
            return [Candidate(SEND, 9.0, allowed=False)]
        lead = 9.0 - 3.0 * ("haiku" in request)
        return [Candidate(SQUARE, lead if "quare" in request else -9.0, EXAMPLES)]

    async def reply_templates(self, tool: str, language: str) -> ReplyTemplates:
        if tool != "square":
            return ReplyTemplates("en", {})
        if language == "de":
            return ReplyTemplates("de", {"": "Die dritte Potenz ist {cube}."})
        return ReplyTemplates("en", {"": "The cube is {cube}."})

    async def saved_answer(self, request: str) -> str:
        return next((fact for fact in self.facts if "locker" in fact and "locker" in request), "")

    async def recall(self, request: str) -> Sequence[str]:
        return self.facts

    async def similarities(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        return await embedding.similarities(question, texts)


async def run(
    base: Base,
    *messages: Message | str,
    named: Sequence[ToolOffer] = (),
    found: Found | None = None,
    rewrites: bool = False,
    persona: Persona | None = None,
) -> Any:
    """Return the calls or the text of the assistant, without the tokens."""
    told = [Message("user", one) if isinstance(one, str) else one for one in messages]
    request = ModelRequest(told, named, resources=found or Found(), persona=persona)
    deltas = [delta async for delta in Assistant(base, rewrites=rewrites).stream(request)]
    assert isinstance(deltas[-1], Usage)
    calls = [delta for delta in deltas if isinstance(delta, ToolCall)]
    return calls or "".join(delta.content for delta in deltas if isinstance(delta, TextDelta))


def finish(call: ToolCall, result: dict[str, Any]) -> list[Message]:
    """Return a call and its result as thread messages. The loop adds a suffix to call ids."""
    made = ToolCall(f"{call.id}_0", call.name, call.arguments)
    return [
        Message("assistant", "", (made,)),
        Message("tool", orjson.dumps(result).decode(), (), made.id, made.name),
    ]


async def test_a_request_becomes_a_call_and_its_result_a_reply() -> None:
    base = Base({"number": 5})
    (call,) = await run(base, "Square 5")
    assert (call.name, orjson.loads(call.arguments)) == ("square", {"number": 5})
    assert [one.content for one in base.prompts[0][1:]] == [
        "What is 4 squared?",
        '{"number":4}',
        *EXAMPLES[0],
        "Square 5",
    ]
    assert base.schemas[0]["properties"]["number"]["enum"] == [5]
    assert await run(base, "Square 5", *finish(call, {"square": 25, "cube": 125})) == "The square is 25."


async def test_a_message_that_overtakes_a_reply_does_not_replace_it() -> None:
    (call,) = await run(Base({"number": 5}), "Square 5")
    so_far = (Message("user", "Square 5"), *finish(call, {"square": 25}))
    (second,) = await run(Base({"number": 6}), *so_far, "Square 6")
    both, found = "The square is 25.\n\nThe square is 36.", Found(first_message="Square 5")
    assert await run(Base(), *so_far, "Square 6", *finish(second, {"square": 36}), found=found) == both
    assert (await run(Base(), *so_far, "Who are you?", found=found)).startswith("The square is 25.\n\n")
    answered = (*so_far, Message("assistant", "The square is 25."))
    assert "25" not in await run(Base(), *answered, "Who are you?", found=found)
    after_cancelled_run = Found(first_message="Who are you?")
    assert "25" not in await run(Base(), *so_far, "Who are you?", found=after_cancelled_run)


async def test_each_request_of_a_message_is_answered_in_order() -> None:
    message = "Square 5 and tell me who wrote Faust. Then square 6"
    base = Base({"number": 5}, {"number": 6})
    calls = await run(base, message)
    assert [orjson.loads(call.arguments) for call in calls] == [{"number": 5}, {"number": 6}]
    results = [*finish(calls[0], {"square": 25}), *finish(calls[1], {"square": 36})]
    reply = await run(base, message, *results)
    assert reply == (
        "**Square 5** The square is 25.\n\n**Tell me who wrote Faust.** Well.\n\n**Square 6** The square is 36."
    )
    assert base.requests[0].messages[-1].content == "Tell me who wrote Faust."


async def test_the_reply_names_values_that_the_call_does_not_use() -> None:
    message = "5 squared, 6 cubed"
    (call,) = await run(Base({"number": 5}), message)
    reply = await run(Base(), message, *finish(call, {"square": 25}))
    assert reply == "The square is 25.\n\nI may have missed 6. If this is another question, please ask it by itself."


async def test_a_request_works_on_the_result_of_another() -> None:
    message = "Square 5 and then square the result"
    (first,) = await run(Base({"number": 5}), message)
    base = Base({"number": 25})
    (second,) = await run(base, message, *finish(first, {"square": 25}))
    assert base.prompts[0][-1].content == "Square 25"
    reply = await run(Base(), message, *finish(first, {"square": 25}), *finish(second, {"square": 625}))
    assert reply == "**Square 5** The square is 25.\n\n**Square 25** The square is 625."


@pytest.mark.parametrize("text", ["{0}", "{1} and {2}", r"\frac{1}{2}"])
async def test_braces_of_the_user_are_no_results(text: str) -> None:
    base = Base()
    assert await run(base, f"Hello. Then tell me what {text} means") == "Well."
    assert text in base.requests[0].messages[-1].content


async def test_a_follow_up_makes_the_call_before_again() -> None:
    (call,) = await run(Base({"number": 5}), "Square 5")
    before = [Message("user", "Square 5"), *finish(call, {"square": 25}), Message("assistant", "25")]
    base = Base({"number": 6})
    (again,) = await run(base, *before, "And 6?")
    assert (again.name, orjson.loads(again.arguments)) == ("square", {"number": 6})
    assert base.prompts[0][-1].content == "Square 6"
    base = Base({"number": 9})
    (again,) = await run(base, *before, "And 9, yes 9?")
    assert orjson.loads(again.arguments) == {"number": 9}
    assert [one.content for one in base.prompts[0][-3:]] == ["Square 5", '{"number":5}', "And 9, yes 9?"]
    assert "the whole question" in await run(Base({"number": 7}), *before, "And 9, yes 9?")


async def test_the_same_is_done_again() -> None:
    (call,) = await run(Base({"number": 5}), "Square 5")
    (again,) = await run(Base(), "Square 5", *finish(call, {"square": 25}), Message("assistant", "It is 25."), "Again!")
    assert (again.name, again.arguments) == (call.name, call.arguments)


@pytest.mark.parametrize("message", ["Undo", "no, cancel it", "delete the second one", "Oh, make it 7pm please"])
async def test_no_change_of_a_stored_record_is_pretended(message: str) -> None:
    stored = ToolCall("call_1", "task_create", '{"title":"call mum"}')
    done = [Message("assistant", "", (stored,)), Message("tool", '{"id":1}', (), "call_1", "task_create")]
    base = Base()
    reply = await run(base, "Remind me to call mum", *done, Message("assistant", "I put it on your list."), message)
    assert reply.startswith("I have changed nothing")
    assert not base.requests


async def test_questions_about_the_conversation_are_answered_in_words() -> None:
    before = [Message("user", "My garden is a square"), Message("assistant", "Nice.")]
    assert await run(Base(), *before, "Square it") == "Well."


async def test_references_to_the_previous_reply_have_its_value() -> None:
    (call,) = await run(Base({"number": 5}), "Square 5")
    before = [Message("user", "Square 5"), *finish(call, {"square": 25}), Message("assistant", "25")]
    base = Base({"number": 25})
    await run(base, *before, "Square that")
    assert base.prompts[0][-1].content == "Square 25"


async def test_a_request_in_another_language_is_translated_for_the_choice() -> None:
    base = Base({"english": "Square 5"}, {"number": 5})
    (call,) = await run(base, "Wie viel ist 5 hoch 2?".replace(" hoch 2", " im Quadrat"))
    assert call.name == "square"


async def test_a_result_is_worded_in_the_language_of_the_question() -> None:
    question = "Wie viel ist 2,5 hoch 3?"
    call = ToolCall("call_0_1", "square", '{"number":2.5}')
    base = Base({"english": "What is 2.5 cubed?"}, {"english": "What is 2.5 cubed?"})
    assert await run(base, question, *finish(call, {"cube": 15.625})) == "Die dritte Potenz ist 15,625."
    base = Base({"english": "What is 2.5 cubed?"}, {"number": 2.5})
    assert await run(base, question, *finish(call, {"error": "no"})) == "Das hat nicht geklappt: no"


async def test_a_message_without_words_is_answered_in_the_language_of_the_one_before() -> None:
    before = [Message("user", "Wie viel ist 2 hoch 3?"), Message("assistant", "8")]
    call = ToolCall("call_0_1", "square", '{"number":3}')
    assert await run(Base(), *before, "3?", *finish(call, {"cube": 27})) == "Die dritte Potenz ist 27."
    assert await run(Base(), *before, "And of 3?", *finish(call, {"cube": 27})) == "The cube is 27."


@pytest.mark.parametrize(
    ("message", "beginning"),
    [
        ("Warum ist der Himmel blau?", "Darauf kann ich mit dem kleinen Sprachmodell"),
        ("\u00bfPor qu\u00e9 el cielo es azul?", "Con el peque\u00f1o modelo"),
        ("Pourquoi le ciel est-il bleu ?", "Avec le petit mod\u00e8le"),
        ("Perch\u00e9 il cielo \u00e8 blu?", "With the small language model"),
        ("\u5929\u7a7a\u4e3a\u4ec0\u4e48\u662f\u84dd\u8272\u7684", "Well."),
        ("Vielen Dank!", "Gern geschehen!"),
        ("Hallo", "Guten Tag! Wie kann ich Ihnen helfen?"),
        ("Why is the sky blue?", "Well."),
    ],
)
async def test_the_smallest_model_writes_no_text_in_another_language(message: str, beginning: str) -> None:
    answers = [{"english": "Why is the sky blue?"}] * 2
    assert (await run(Base(*answers), message)).startswith(beginning)
    assert await run(Base(*answers), message, rewrites=True) == "Well."


async def test_a_request_to_store_something_is_not_translated() -> None:
    base = Base({"number": 5})
    await run(base, "Notiere: Square 5")
    assert base.prompts[0][-1].content == "Save a note with the text 'Square 5'"


async def test_refused_arguments_are_filled_in_once_more() -> None:
    (call,) = await run(Base({"number": 5}), "Square 5")
    refused = finish(call, {"error": "number is odd"})
    base = Base({"number": -5})
    (again,) = await run(base, "Square 5", *refused)
    assert "number is odd" in base.prompts[0][-1].content
    assert await run(Base(), "Square 5", *refused, *finish(again, {"error": "number is odd"})) == (
        "That did not work: number is odd"
    )


async def test_the_same_refused_arguments_are_not_sent_again() -> None:
    (call,) = await run(Base({"number": 5}), "Square 5")
    refused = finish(call, {"error": "The number is odd."})
    assert await run(Base({"number": 5}), "Square 5", *refused) == "That did not work: The number is odd."


async def test_a_tool_that_the_caller_has_to_name_is_named_in_the_reply() -> None:
    reply = await run(Base(), "Send a letter to my aunt")
    assert "`send`" in reply
    assert reply.endswith(": `send`")


@pytest.mark.parametrize(
    "request_", ["Search the web for the opening hours", "What is the latest Python release?", "Weather in Rome today?"]
)
async def test_news_are_not_invented(request_: str) -> None:
    base = Base()
    assert await run(base, request_) == fixed_text("offline", "")
    assert base.requests == []


@pytest.mark.parametrize(
    "request_",
    [
        "Send an email to bob@example.com saying hello",
        "Please book a table for two",
        "can you ring my sister",
        "Order me a pizza",
        "Email Bob the figures",
    ],
)
async def test_unsupported_content_is_not_silently_dropped(request_: str) -> None:
    base = Base()
    assert await run(base, request_) == fixed_text("sends_nothing", "")
    assert base.requests == []


@pytest.mark.parametrize("request_", ["Set an alarm for 7", "please start a timer for the eggs", "Wake me up at six"])
async def test_an_alarm_is_refused_with_a_way_to_be_reminded(request_: str) -> None:
    assert await run(Base(), request_) == fixed_text("rings_nothing", "")


@pytest.mark.parametrize(
    "request_", ["Draw a picture of a cat", "Make me a PDF", "please generate a QR code", "Create a short video of me"]
)
async def test_a_file_that_no_tool_makes_is_refused(request_: str) -> None:
    assert await run(Base(), request_) == fixed_text("makes_no_file", "")


@pytest.mark.parametrize(
    "request_", ["Give me three ideas for a logo", "Make a list of picture books", "Make it short"]
)
async def test_a_text_about_files_is_no_file(request_: str) -> None:
    assert await run(Base(), request_) != fixed_text("makes_no_file", "")


@pytest.mark.parametrize(
    "request_",
    ["Translate good morning into German", "How do you say 'thanks' in Spanish?", "What is bread in French?"],
)
async def test_the_smallest_model_refuses_to_translate_and_a_larger_one_does(request_: str) -> None:
    assert (await run(Base(), request_)).startswith("I cannot translate")
    assert (await run(Base({"english": ""}), "\u00dcbersetze Guten Tag ins Spanische")).startswith(
        "Mit dem kleinen Sprachmodell"
    )
    assert await run(Base(), request_, rewrites=True) == "Well."
    assert await run(Base(), "How do you say that in one word?") == "Well."


async def test_a_saved_fact_that_answers_a_question_is_quoted_unless_tools_are_named() -> None:
    base, found = Base({"tool": "square"}, {"number": 7}), Found("my locker code is 7719")
    assert await run(base, "What is the square locker code?", found=found) == "my locker code is 7719"
    assert (base.requests, base.prompts) == ([], [])
    (call,) = await run(base, "Square my locker code 7", named=[SQUARE], found=found)
    assert call.name == "square"


class Referring(Found):
    """Resources that also find `cube_number` by its name."""

    async def find_tools(self, request: str) -> Sequence[Candidate]:
        cube = Candidate(replace(SQUARE, name="cube_number"), 9.0, EXAMPLES)
        return [cube] if request == "cube number" else await super().find_tools(request)


async def test_a_tool_that_an_error_refers_to_is_called_next() -> None:
    (call,) = await run(Base({"number": 5}), "Square 5")
    refused = finish(call, {"error": "5 is a cube. cube_number has its volume."})
    (other,) = await run(Base({"number": 5}), "Square 5", *refused, found=Referring())
    assert (other.name, orjson.loads(other.arguments)) == ("cube_number", {"number": 5})


PASSWORD = ToolOffer(
    "password",
    "Generates a strong password.",
    {"type": "object", "properties": {"length": {"type": "integer"}}, "required": []},
)
LENGTHS = [(f"A password of {length} characters", f'{{"length":{length}}}') for length in (8, 12, 16, 20, 24)]


class Generating(Found):
    """Resources that find `password` for every request."""

    async def find_tools(self, request: str) -> Sequence[Candidate]:
        return [Candidate(PASSWORD, 4.0, LENGTHS)]


async def test_a_call_is_not_made_again_if_the_host_cannot_be_reached() -> None:
    (call,) = await run(Base({"number": 7}), "Square 7")
    failed = finish(call, {"error": "example.com cannot be reached: no address is known for this name."})
    assert await run(Base(), "Square 7", *failed) == (
        "That did not work: example.com cannot be reached: no address is known for this name."
    )


class Copying(Base):
    """A model that repeats its prompt."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        yield TextDelta(f'The message: "{request.messages[-1].content}"')
        yield Usage(20, 2)


async def test_an_agent_that_can_only_copy_its_prompt_says_that_its_model_is_too_small() -> None:
    persona = Persona("Editor", "", "You write articles. Use short sentences.")
    reply = await run(Copying(), "Write on the sea.", persona=persona)
    assert reply == "I cannot do this well with the small language model that I run on. A larger model can."
    with pytest.raises(ProviderFailed, match="too small"):
        await run(Copying(), "Write on the sea.", persona=replace(persona, in_fleet=True))


async def test_a_call_needs_no_arguments_if_the_request_names_the_tool() -> None:
    (call,) = await run(Base({"length": 12}), "Generate a strong password", found=Generating())
    assert orjson.loads(call.arguments) == {}


async def test_a_unit_that_is_asked_for_is_one() -> None:
    (call,) = await run(Base({"number": 7}), "What is the square of the apples in a box?")
    assert orjson.loads(call.arguments) == {"number": 1}


ASKS = "I could not work out the number from your message. Please add this, and ask again."


@pytest.mark.parametrize(
    ("message", "reply"), [("What is the square of its length?", ASKS), ("A haiku on the square of my garden", "Well.")]
)
async def test_a_call_with_invented_numbers_is_not_made(message: str, reply: str) -> None:
    assert await run(Base({"number": 7}), message) == reply


class Described(Found):
    """Resources that also find a tool that needs nothing, a little less clearly."""

    def __init__(self, lead: float) -> None:
        super().__init__()
        self._lead = lead

    async def find_tools(self, request: str) -> Sequence[Candidate]:
        return [*await super().find_tools(request), Candidate(replace(SEND, name="describe_square"), self._lead)]


async def test_a_tool_that_needs_nothing_is_called_if_the_first_needs_an_unstated_value() -> None:
    message = "What is the square of its length?"
    (call,) = await run(Base({"number": 7}, {}), message, found=Described(8.5))
    assert call.name == "describe_square"
    assert await run(Base({"number": 7}), message, found=Described(7.5)) == ASKS


class Cubed(Found):
    """Resources that also find a tool that needs a number as well."""

    async def find_tools(self, request: str) -> Sequence[Candidate]:
        return [*await super().find_tools(request), Candidate(replace(SQUARE, name="cube"), 8.5, EXAMPLES)]


async def test_no_other_tool_is_called_that_needs_a_value() -> None:
    assert await run(Base({"number": 7}), "What is the square of its length?", found=Cubed()) == ASKS


@pytest.mark.parametrize(
    "message",
    [
        "Can I return shoes?",
        "Can I return shoes after 40 days?",
        "Can I pay by card?",
        "When do you open on Sundays?",
        "How long does delivery take?",
        "Do you have these in size 42?",
        "Is my order on its way?",
        "Kann ich Schuhe nach 40 Tagen zurückgeben?",
        "¿Dónde está mi pedido?",
        "Puis-je retourner des chaussures après 40 jours ?",
    ],
)
async def test_a_question_to_a_business_is_answered_by_where_its_rules_belong(message: str) -> None:
    base = Base()
    reply = await run(base, message)
    assert "(/knowledge)" in reply
    assert "(/agents/new)" in reply
    assert base.requests == []


@pytest.mark.parametrize(
    "message",
    [
        "Can I return a list from a function?",
        "Can I return null?",
        "How do I return two values?",
        "How can you open a jar?",
        "Why do we pay taxes?",
        "How do you close a sale?",
    ],
)
def test_other_questions_ask_no_business(message: str) -> None:
    assert not asks_business(message)


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        (
            "what the square of seven is plus a letter to aunt Rose",
            ["what the square of seven is", "a letter to aunt Rose"],
        ),
        ("what the square of seven is and the square of that", ["what the square of seven is and the square of that"]),
        ("what the square of seven is and some words on Rome", ["what the square of seven is and some words on Rome"]),
        ("the square of seven what is a haiku", ["the square of seven", "what is a haiku"]),
        ("the square of seven is that a haiku", ["the square of seven is that a haiku"]),
        ("the square of seven, what is this haiku to it", ["the square of seven, what is this haiku to it"]),
    ],
    ids=["different tools", "same tool", "one tool", "question without a tool", "predicate", "reference"],
)
async def test_a_message_is_split_where_it_needs_other_tools(message: str, parts: list[str]) -> None:
    (call,) = await run(Base({"number": 7}), message)
    reply = await run(Base(), message, *finish(call, {"square": 49}))
    headings = [f"**{part}** " for part in parts] if len(parts) > 1 else [""]
    assert reply.startswith(f"{headings[0]}The square is 49.")
    assert reply.count("**") == 2 * len(parts) * (len(parts) > 1)


async def test_a_larger_model_is_not_asked_to_split_requests_for_other_tools() -> None:
    message, base = "the square of seven what is a haiku", Base({"number": 7})
    (call,) = await run(base, message, rewrites=True)
    assert [prompt[-1].content for prompt in base.prompts] == ["the square of seven"]
    reply = await run(Base(), message, *finish(call, {"square": 49}), rewrites=True)
    assert reply == "**the square of seven** The square is 49.\n\n**what is a haiku** Well."


def rewritten(*requests: str) -> dict[str, Any]:
    return {"requests": list(requests)}


@pytest.mark.parametrize(
    ("completed", "asked"),
    [("Square 6", "Square 6"), ("Square 60", "and 6 please"), ("Square it", "and 6 please")],
    ids=["numbers kept", "number invented", "number lost"],
)
async def test_a_larger_model_completes_a_message(completed: str, asked: str) -> None:
    (call,) = await run(Base({"number": 5}), "Square 5")
    before = [Message("user", "Square 5"), *finish(call, {"square": 25}), Message("assistant", "25")]
    base = Base(rewritten("Square 5", completed), {"number": 6})
    await run(base, *before, "and 6 please", rewrites=True)
    assert base.prompts[0][-1].content == "1. Square 5 (25)\n2. and 6 please"
    assert base.schemas[0]["properties"]["requests"]["minItems"] == 2
    assert base.prompts[1][-1].content == asked


async def test_talk_is_not_rewritten() -> None:
    base, before = Base(), [Message("user", "My garden is green."), Message("assistant", "Nice.")]
    assert await run(base, *before, "And I like it, you know, very much", rewrites=True) == "Well."
    assert await run(base, *before, "thanks!", rewrites=True) == "Well."
    assert base.prompts == []


async def test_a_saved_fact_completes_a_message() -> None:
    base = Base(rewritten("my garden is 9 m long", "Square 9"), {"number": 9})
    (call,) = await run(base, "Square the length of my garden", found=Found("my garden is 9 m long"), rewrites=True)
    assert orjson.loads(call.arguments) == {"number": 9}


async def test_a_fact_that_a_message_saved_does_not_complete_it() -> None:
    saved, known = {"text": "my garden is 10 m long"}, {"text": "my garden is 9 m long"}
    base = Base(rewritten("my garden is 9 m long", "Square 9"), {"number": 9})
    found = Found(known["text"], saved["text"])
    results: list[tuple[str, dict[str, Any]]] = [
        ("memory_store", saved),
        ("memory_store", {**known, "known": True}),
        ("text_measure", {"text": "m long"}),
        ("note_create", {"text": ""}),
    ]
    since = [
        message
        for number, (name, result) in enumerate(results, 1)
        for message in finish(ToolCall(f"part{number}_a", name, "{}"), result)
    ]
    await run(base, "Square the length of my garden", *since, found=found, rewrites=True)
    assert base.prompts[0][-1].content == "1. my garden is 9 m long\n2. Square the length of my garden"


@pytest.mark.parametrize(
    ("message", "answer", "calls"),
    [
        ("5 as a square, 6 as a square", rewritten("5 as a square", "6 as a square"), 2),
        ("5 as a square, 6 as a square", rewritten("5 as a square", "60 as a square"), 1),
        ("5 as a square, then 6 in gold", rewritten("5 as a square", "6 in gold"), 1),
        ("5 as a square, what is 6 in gold", rewritten("5 as a square", "what is 6 in gold"), 1),
    ],
    ids=["each has a tool", "number invented", "one is no request", "one is a question"],
)
async def test_the_model_splits_messages_that_rules_leave_whole(
    message: str, answer: dict[str, Any], calls: int
) -> None:
    base = Base(answer, *[{"number": 5}] * calls)
    found = await run(base, message, rewrites=True)
    assert len(found) == calls


async def test_a_message_without_tools_goes_to_the_model_with_its_memories() -> None:
    base = Base()
    assert await run(base, Message("system", "Be kind."), "How are you?", found=Found("Code 7719")) == "Well."
    system, asked = base.requests[0].messages
    assert "Be kind." in system.content
    assert "Code 7719" in system.content
    assert asked.content == "How are you?"
    assert base.requests[0].resources is None


@pytest.mark.parametrize("request_", ["Did I lock the door?", "What is my favourite colour?", "Do I need a visa?"])
async def test_a_question_about_the_user_without_a_saved_fact_is_not_guessed(request_: str) -> None:
    assert await run(Base(), request_) == fixed_text("unsaved", request_)
    assert await run(Base(), "I like red.", Message("assistant", "Good."), request_) == "Well."


@pytest.mark.parametrize(
    "request_",
    ["Am I right?", "Did I spell this right: recieve?", "Where do I find mushrooms?", "What are my rights here?"],
)
async def test_other_questions_with_an_i_the_model_answers(request_: str) -> None:
    assert await run(Base(), request_) == "Well."


@pytest.mark.parametrize(("request_", "has_day"), [("What is photosynthesis?", False), ("What day is it today?", True)])
async def test_the_day_is_in_the_prompt_where_the_question_is_about_time(request_: str, has_day: bool) -> None:
    base = Base()
    await run(base, Message("system", "Be kind.\nToday is 2026-11-30."), request_)
    system = base.requests[0].messages[0].content
    assert system == ("Be kind.\nToday is 2026-11-30." if has_day else "Be kind.")


async def test_among_tools_that_the_caller_named_the_model_chooses() -> None:
    base = Base({"tool": "square"}, {"number": 5})
    (call,) = await run(base, "5, please", named=[SQUARE])
    assert call.name == "square"
    assert base.schemas[0]["properties"] == {"tool": {"enum": ["square", "reply"]}}
    assert await run(Base({"tool": "reply"}), "Hello", named=[SQUARE]) == "Well."


async def test_requests_beyond_the_last_call_are_named_in_the_reply() -> None:
    message = ". ".join(f"Square {number}" for number in range(1, MOST_CALLS + 2))
    calls = await run(Base(*[{"number": 1}] * MOST_CALLS), message)
    assert len(calls) == MOST_CALLS
    reply = await run(Base(), message, *[one for call in calls for one in finish(call, {"square": 1})])
    assert reply.count("** The square is 1.") == MOST_CALLS
    assert reply.endswith(f"**Square {MOST_CALLS + 1}** " + fixed_text("too_many", ""))


@pytest.mark.parametrize("result", ["no JSON", "[1]"])
async def test_a_result_that_is_no_object_the_model_words(result: str) -> None:
    (call,) = await run(Base({"number": 5}), "Square 5")
    turn = finish(call, {})
    base = Base()
    assert await run(base, "Square 5", turn[0], Message("tool", result, (), f"{call.id}_0", "square")) == "Well."
    assert f"Result: {result}" in base.requests[0].messages[-1].content


def test_the_schema_keeps_its_structure_and_drops_unsupported_keywords() -> None:
    schema = {
        "type": "object",
        "properties": {"cidr": {"type": "string", "pattern": "^a"}, "tree": {"$ref": "#/$defs/Node"}},
        "required": ["cidr"],
        "$defs": {"Node": {"type": "array", "items": {"$ref": "#/$defs/Node"}, "minItems": 2}},
    }
    kept = grammar_schema(schema)
    assert kept["properties"]["cidr"] == {"type": "string"}
    assert "minItems" not in orjson.dumps(kept).decode()
    assert argument_lines({"properties": {"one": {"enum": [1, 2], "default": 1}}}) == ["- one (1|2, default 1): "]


@pytest.mark.parametrize("message", ["Who are you?", "What is the square of 7?", "Can I return shoes after 40 days?"])
async def test_a_reply_with_a_schema_is_the_models_own(message: str) -> None:
    base, schema = Base(), {"type": "object", "properties": {"answer": {"type": "string"}}}
    persona = Persona("Shop", "You answer customers. Returns are free within 30 days.")
    request = ModelRequest(
        [Message("system", persona.instructions), Message("user", message)],
        resources=Found(),
        output_schema=schema,
        persona=persona,
    )
    assert [one async for one in Assistant(base).stream(request)] == [TextDelta("Well."), Usage(20, 2)]
    (asked,) = base.requests
    assert asked.output_schema == schema
    assert [one.content for one in asked.messages] == [persona.instructions, message]
