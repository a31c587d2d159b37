"""What an agent can do on the telephone, and what happens around a call, with a scripted model and no sound."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa

from retinue.core.database.statements import Statement
from retinue.core.errors import ValidationFailed
from retinue.core.http.envelope import Page
from retinue.core.work.events import events
from retinue.runs.schemas import RunDetails
from retinue.runs.views import RunViews
from retinue.voice.calls.destinations import Destination
from retinue.voice.calls.outbound import DialTarget, Outbound
from retinue.voice.calls.schemas import CallTransfer
from retinue.voice.do_not_call.schemas import DoNotCallCreate
from retinue.voice.do_not_call.service import DoNotCall
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import until
from tests.voice.calling import Exchange, Line, running_exchange

pytestmark = pytest.mark.asyncio(loop_scope="module")

SALES = {"name": "sales", "to": "+441632960123", "description": "Questions about prices"}
PIN = "4711"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def exchange(tmp_path_factory: pytest.TempPathFactory, own_model: ModelServer) -> AsyncIterator[Exchange]:
    async with running_exchange(tmp_path_factory.mktemp("exchange") / "home", own_model.url) as made:
        yield made


@pytest.fixture
def destinations(exchange: Exchange, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The destinations that were looked up; the operator allows all."""
    found: list[str] = []

    async def find(_: Outbound, destination: Destination, engine: str) -> DialTarget:
        found.append(destination.plain)
        return DialTarget(f"sip:{destination.plain}@trunk")

    monkeypatch.setattr(Outbound, "_find_target", find)
    return found


async def steps(exchange: Exchange, line: Line) -> RunDetails:
    """Return the only run of a call, with its steps, once it has ended."""
    turns, _ = await exchange.calls.turns(line.call, Page(per_page=100))
    (run_id,) = {turn.run_id for turn in turns if turn.run_id}
    runs = exchange.platform.services.of(RunViews, exchange.caller)

    async def has_ended() -> bool:
        return (await runs.details(run_id)).ended_at is not None

    await until(has_ended)
    return await runs.details(run_id)


def offered_tools(model: ModelServer, request: int = -1) -> set[str]:
    """Return the names of the tools that the model was offered."""
    return {tool["function"]["name"] for tool in model.requests[request].get("tools", [])}


async def test_the_agent_ends_a_call_with_a_last_sentence(exchange: Exchange, model: ModelServer) -> None:
    last = "Goodbye, Ada. Shall we talk tomorrow?"
    model.answers += [Answer(text="It is done.", tool="end_call", arguments={"last_sentence": last})]
    line = await exchange.ring()
    line.say("Please cancel my order.")
    call = await exchange.finish(line)
    assert (call.status, call.ended_reason) == ("completed", "agent_hung_up")
    assert call.transcript.split("\n")[1:] == [
        "caller: Please cancel my order.",
        f"agent: It is done. {last}",
    ]
    assert [order["do"] for order in line.orders].count("hangup_after") == 1
    assert len(model.requests) == 1, "the model is not asked what to say after its goodbye"
    run = await steps(exchange, line)
    assert (run.status, run.reply) == ("completed", last)
    (tool,) = [step for step in run.steps if step.type == "tool"]
    assert (tool.tool, json.loads(tool.content)) == ("end_call", {"status": "ending"})


async def test_the_events_of_a_call_can_be_followed_and_resumed(exchange: Exchange, model: ModelServer) -> None:
    model.answers += [Answer(tool="end_call", arguments={"last_sentence": "Goodbye."})]
    line = await exchange.ring(greeting="Shop.")
    line.say("Bye.")
    events = await exchange.events(line)
    assert [event["type"] for event in events] == [
        "answered", "said", "said", "tool_started", "tool_ended", "said", "ended",
    ]  # fmt: skip
    assert [event["id"] for event in events] == list(range(1, 8))
    assert (events[1]["text"], events[1]["speaker"]) == ("Shop.", "agent")
    assert (events[4]["tool"], events[4]["status"]) == ("end_call", "done")
    assert (events[6]["status"], events[6]["ended_reason"]) == ("completed", "agent_hung_up")
    assert await exchange.events(line, "5") == events[5:]


async def test_a_transfer_goes_to_a_named_destination(
    exchange: Exchange, model: ModelServer, destinations: list[str]
) -> None:
    arguments = {"destination": "sales", "say": "I connect you with sales."}
    model.answers += [Answer(tool="transfer_call", arguments=arguments)]
    line = await exchange.ring(voice={"transfers": [SALES]})
    line.ends_with_transfer = True
    line.say("What does it cost?")
    call = await exchange.finish(line)
    run = await steps(exchange, line)
    assert (run.status, run.tools_used) == ("completed", ["transfer_call"])
    assert call.ended_reason == "transferred"
    assert destinations == [SALES["to"]]
    assert call.transcript.endswith("\nagent: I connect you with sales.")
    transferred = [event for event in await exchange.events(line) if event["type"] == "transferred"]
    assert [event["destination"] for event in transferred] == ["sales"]
    described = next(tool for tool in model.requests[0]["tools"] if tool["function"]["name"] == "transfer_call")
    assert described["function"]["parameters"]["properties"]["destination"]["enum"] == ["sales"]


async def test_a_caller_who_interrupts_is_not_transferred(
    exchange: Exchange, model: ModelServer, destinations: list[str]
) -> None:
    arguments = {"destination": "sales", "say": "I connect you with sales."}
    model.answers += [Answer(tool="transfer_call", arguments=arguments), Answer(text="What else?")]
    line = await exchange.ring(voice={"transfers": [SALES]})
    line.holds_back = True
    line.say("What does it cost?")

    async def is_announced() -> bool:
        return any("connect you" in text for text in line.texts.values())

    await until(is_announced)
    line.holds_back = False
    line.speak(max(line.texts), interrupted=True)
    line.say("Wait, one more question.")
    await until(lambda: exchange.has_said(line, "What else?"))
    line.end()
    await exchange.finish(line)
    assert not any(order["do"] == "transfer" for order in line.orders)


async def test_the_agent_stays_in_a_call_whose_transfer_fails(
    exchange: Exchange, model: ModelServer, destinations: list[str]
) -> None:
    model.answers += [
        Answer(tool="transfer_call", arguments={"destination": "+441632960999"}),
        Answer(tool="transfer_call", arguments={"destination": "sales"}),
        Answer(text="Nobody answers there."),
    ]
    line = await exchange.ring(voice={"transfers": [SALES]})
    line.failure = "486 Busy Here"
    line.say("What does it cost?")
    await until(lambda: exchange.has_said(line, "Nobody answers there."))
    line.end()
    assert (await exchange.finish(line)).ended_reason == "other_side_hung_up"
    assert destinations == [SALES["to"]], "a free number is not even looked up"
    refusals = [step.content for step in (await steps(exchange, line)).steps if step.type == "tool"]
    assert "+441632960999" in refusals[0]
    assert "486 Busy Here" in refusals[1]


async def test_no_call_is_transferred_to_a_number_on_the_do_not_call_list(
    exchange: Exchange, model: ModelServer, destinations: list[str]
) -> None:
    numbers = exchange.platform.services.of(DoNotCall, exchange.caller)
    entry = await numbers.add(DoNotCallCreate(number=SALES["to"]))
    model.answers += [
        Answer(tool="transfer_call", arguments={"destination": "sales"}),
        Answer(text="I cannot connect you."),
    ]
    line = await exchange.ring(voice={"transfers": [SALES]})
    line.say("What does it cost?")
    await until(lambda: exchange.has_said(line, "I cannot connect you."))
    for to in (SALES["to"], f"sip:{SALES['to']}@example.com"):
        with pytest.raises(ValidationFailed, match="do-not-call list"):
            await exchange.calls.transfer(line.call, CallTransfer(to=to))
    await numbers.remove(entry.id)
    line.ends_with_transfer = True
    await exchange.calls.transfer(line.call, CallTransfer(to=SALES["to"]))
    assert (await exchange.finish(line)).ended_reason == "transferred"
    (refused,) = [step.content for step in (await steps(exchange, line)).steps if step.type == "tool"]
    assert "do-not-call list" in refused
    assert [order["uri"] for order in line.orders if order["do"] == "transfer"] == [f"sip:{SALES['to']}@trunk"]


async def test_an_agent_without_destinations_cannot_transfer(exchange: Exchange, model: ModelServer) -> None:
    line = await exchange.ring()
    line.say("Hello?")
    await until(lambda: exchange.has_said(line, "You said"))
    line.end()
    await exchange.finish(line)
    assert {"end_call", "send_dtmf", "collect_digits"} <= offered_tools(model)
    assert "transfer_call" not in offered_tools(model)


async def test_the_agent_presses_keys_and_reads_those_of_the_caller(exchange: Exchange, model: ModelServer) -> None:
    asked = {"say": "Please type your number.", "length": 4}
    model.answers += [
        Answer(tool="send_dtmf", arguments={"digits": "1#"}),
        Answer(tool="collect_digits", arguments=asked),
        Answer(text="Thank you."),
    ]
    line = await exchange.ring()
    line.say("I am ready.")
    await until(lambda: exchange.has_said(line, "Please type"))
    line.press("12345")
    await until(lambda: exchange.has_said(line, "Thank you."))
    line.end()
    await exchange.finish(line)
    assert [order["keys"] for order in line.orders if order["do"] == "press"] == ["1#"]
    results = [step.content for step in (await steps(exchange, line)).steps if step.type == "tool"]
    assert json.loads(results[1]) == {"digits": "1234", "count": 4}
    digits = next(event for event in await exchange.events(line) if event["type"] == "digits")
    assert (digits["digits"], digits["count"]) == ("1234", 4)


async def test_secret_digits_reach_tools_and_never_the_model(exchange: Exchange, model: ModelServer) -> None:
    model.answers += [
        Answer(tool="collect_digits", arguments={"say": "Type your PIN.", "secret": True}),
        Answer(tool="text_reverse_order", arguments={"text": "PIN <secret-digits-1>", "by": "words"}),
        Answer(text="Thank you."),
    ]
    line = await exchange.ring(skills=["text_reverse_order"])
    line.say("Open my account.")
    await until(lambda: exchange.has_said(line, "Type your PIN."))
    line.press(f"{PIN}#")
    await until(lambda: exchange.has_said(line, "Thank you."))
    line.end()
    call = await exchange.finish(line)
    run = await steps(exchange, line)
    reversed_text = next(step for step in run.steps if step.tool == "text_reverse_order")
    assert "<secret-digits-1> PIN" in reversed_text.content, "the tool got the digits, and the model its own words"
    known = json.dumps([model.requests, call.transcript, await exchange.events(line)], default=str)
    assert PIN not in known
    assert PIN not in run.model_dump_json()


async def test_a_call_is_analyzed_after_its_end(exchange: Exchange, model: ModelServer) -> None:
    found = {
        "summary": "Ada cancelled her order.",
        "extracted": {"order": 4711},
        "reason": "She was told that it is cancelled.",
        "success": True,
    }
    model.answers += [Answer(text="It is cancelled."), Answer(text=json.dumps(found))]
    fields = {"type": "object", "properties": {"order": {"type": "integer"}}, "required": ["order"]}
    line = await exchange.ring(voice={"summary": True, "extract": fields, "success": "The order is cancelled."})
    line.say("Cancel order 4711.")
    await until(lambda: exchange.has_said(line, "It is cancelled."))
    line.end()
    analysis = (await exchange.finish(line)).analysis
    assert analysis
    assert analysis.status == "pending"
    events = await exchange.events(line)
    assert [event["type"] for event in events[-2:]] == ["ended", "analyzed"]
    analysis = (await exchange.finish(line)).analysis
    assert analysis
    assert analysis.model_dump(include=set(found)) == found
    assert analysis.status == "completed"
    asked = json.dumps(model.requests[-1]["messages"])
    assert "Cancel order 4711." in asked
    assert "The order is cancelled." in asked
    run = await exchange.platform.services.of(RunViews, exchange.caller).details(analysis.run_id or 0)
    assert run.status == "completed", "the journal has the question and the answer"


@pytest.mark.parametrize(
    ("messages", "status", "reason"),
    [
        ([{"what": "ended", "reason": ""}], "completed", "other_side_hung_up"),
        ([{"what": "silent"}, {"what": "silent"}], "completed", "silence"),
        ([{"what": "longest"}], "completed", "max_duration"),
        ([{"what": "hangup"}], "completed", "api_hangup"),
        ([{"what": "machine"}], "completed", "machine"),
        ([{"what": "ended", "reason": "", "hung_up": True}], "completed", "agent_hung_up"),
        ([{"what": "ended", "reason": "rtp stream error"}], "failed", "failed"),
        ([{"what": "gone"}], "failed", "failed"),
    ],
)
async def test_a_call_says_why_it_ended(
    exchange: Exchange, messages: list[dict[str, Any]], status: str, reason: str
) -> None:
    line = await exchange.ring()
    for message in messages:
        line.tell(**message)
    call = await exchange.finish(line)
    assert (call.status, call.ended_reason, call.error is None) == (status, reason, status == "completed")
    assert (await exchange.events(line))[-1]["ended_reason"] == reason


@pytest.mark.parametrize(
    ("answered_by", "voice", "said"),
    [
        ("machine", {"voicemail_message": "Please call {{name}} back."}, "agent: Please call Ada back."),
        ("machine", None, "agent: Good day."),
        ("human", {"voicemail_message": "Please call {{name}} back."}, "agent: Good day."),
    ],
)
async def test_a_machine_gets_a_message_of_its_own(
    exchange: Exchange, destinations: list[str], answered_by: str, voice: dict[str, Any] | None, said: str
) -> None:
    options = {"machine_detection": "detect_message_end", "greeting": "Good day.", "variables": {"name": "Ada"}}
    line = await exchange.call("+441632960123", voice, **options)
    line.tell("detected", answered_by=answered_by)
    line.tell("message_end" if answered_by == "machine" else "longest")
    call = await exchange.finish(line)
    assert (call.status, call.transcript) == ("completed", said)
    assert call.ended_reason == ("machine" if answered_by == "machine" else "max_duration")


async def test_the_events_of_an_incoming_call_say_who_calls(exchange: Exchange) -> None:
    line = await exchange.ring()
    line.end()
    await exchange.finish(line)
    query = Statement(sa.select(events.c.name, events.c.data).where(events.c.name.like("voice.call.%")))
    found = await exchange.platform.database.fetch(query)
    started, ended = (
        next(row.data for row in found if row.name == f"voice.call.{name}" and row.data["call_id"] == line.call)
        for name in ("started", "ended")
    )
    assert (started["caller"], started["direction"]) == ("sip:ada@example.com", "inbound")
    assert (ended["caller"], ended["ended_reason"]) == ("sip:ada@example.com", "other_side_hung_up")


@pytest.mark.parametrize(("answered_by", "success"), [(None, False), ("machine", None)])
async def test_a_call_in_which_the_other_side_said_nothing_is_not_read(
    exchange: Exchange, model: ModelServer, answered_by: str | None, success: bool | None
) -> None:
    fields = {"type": "object", "properties": {"order": {"type": "integer"}}, "required": ["order"]}
    line = await exchange.ring(voice={"summary": True, "extract": fields, "success": "The order is cancelled."})
    if answered_by:
        line.tell("detected", answered_by=answered_by)
    line.end()
    await exchange.finish(line)
    assert (await exchange.events(line))[-1]["type"] == "analyzed"
    analysis = (await exchange.calls.get(line.call)).analysis
    assert analysis
    assert (analysis.status, analysis.success, analysis.run_id) == ("completed", success, None)
    assert (analysis.reason, analysis.extracted) == ("The other side said nothing.", None)
    assert model.requests == []


async def test_a_call_in_which_the_other_side_only_pressed_keys_is_read(exchange: Exchange, model: ModelServer) -> None:
    model.answers += [Answer(text=json.dumps({"reason": "The PIN was entered.", "success": True}))]
    line = await exchange.ring(voice={"success": "A PIN was entered."})
    await exchange.calls.feed.database.transact(
        lambda tx: exchange.calls.feed.add(tx, line.call, "digits", digits=None, count=4)
    )
    line.end()
    await exchange.finish(line)
    assert (await exchange.events(line))[-1]["type"] == "analyzed"
    analysis = (await exchange.calls.get(line.call)).analysis
    assert analysis
    assert (analysis.success, analysis.reason) == (True, "The PIN was entered.")


async def test_an_agent_talks_as_its_settings_say(exchange: Exchange, model: ModelServer) -> None:
    voice = {
        "language": "de",
        "speed": 1.2,
        "interruptible": False,
        "end_phrases": ["auf wiederhören"],
        "end_of_turn": {"min_seconds": 0.5, "max_seconds": 1.5},
        "max_seconds": 120,
    }
    line = await exchange.ring(voice=voice)
    line.say("Guten Tag.")
    await until(lambda: exchange.has_said(line, "You said"))
    line.tell("silent")
    await until(lambda: exchange.has_said(line, "Sind Sie noch da?"))
    line.end()
    call = await exchange.finish(line)
    assert call.transcript.startswith("agent: Guten Tag, hier ist Bell.\n")
    assert (await exchange.calls.row(line.call)).max_seconds == 120
    assert "Speak German." in json.dumps(model.requests[0]["messages"])
    answer = next(order for order in line.orders if order["do"] == "answer")
    assert answer["session"] == {
        "wait_s": [0.5, 1.5],
        "end_phrases": ["auf wiederhören"],
        "voice": "",
        "speed": 1.2,
        "language": "de",
    }
    spoken = [order for order in line.orders if order["do"] == "say" and "You" in order["text"]]
    assert all(order["protected"] for order in spoken)
