"""A run never ends because its context is full: large results, summaries, and prompts that the provider refuses."""

import re
from collections.abc import Sequence
from typing import Any

import orjson
import pytest
import sqlalchemy as sa

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.models.base import ContextExceeded, Delta, Message, ModelRequest, TextDelta, Usage, estimate_tokens
from retinue.runs.tables import messages, runs
from tests.runs.driving import Answer, Driver, ScriptedModel, call, tool

ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
FACT = re.compile(r"FACT (\d+)")
STEPS, FACTS, KILL_EVERY = 500, 5, 60


def size_of(request: ModelRequest) -> int:
    """Estimate the tokens of a request."""
    return sum(estimate_tokens(message.content) for message in request.messages)


def facts_in(messages: Sequence[Message]) -> list[str]:
    """Return the facts that messages still tell."""
    return sorted({fact for message in messages for fact in FACT.findall(message.content)})


def summarizes(request: ModelRequest) -> bool:
    """Whether a request asks for a summary."""
    return "your summary takes their place" in request.messages[0].content


class Forgetful:
    """A model that works for `STEPS` steps and knows only what its messages say."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.done = self.summaries = 0

    def __call__(self, request: ModelRequest) -> Answer:
        """Answer a request, which must fit into the window."""
        assert size_of(request) <= self.window
        usage = Usage(size_of(request), 10)
        if summarizes(request):
            self.summaries += 1
            return [TextDelta(" ".join(f"FACT {fact}" for fact in facts_in(request.messages))), usage]
        if self.done == STEPS:
            return [TextDelta(str(sum(map(int, facts_in(request.messages))))), usage]
        self.done += 1
        return [call("look", arguments=f'{{"step": {self.done}}}'), usage]


async def tell(args: dict[str, Any]) -> dict[str, Any]:
    """Tell the facts at step 1, and some text at each step."""
    facts = [f"FACT {10**number}" for number in range(FACTS)] if args["step"] == 1 else []
    return {"facts": facts, "page": f"{args['step']} " + "lorem ipsum " * 60}


@ONE_DATABASE
async def test_facts_of_the_first_step_are_known_after_500_steps_and_kills(database: Database) -> None:
    window = 16_000
    forgetful = Forgetful(window)
    model = ScriptedModel(script=forgetful, window=window)
    driver = Driver(database, model, [tool("look")], look=tell)
    live = await driver.begin(attached=False)
    kills = 0
    while live.outcome is None and kills < STEPS // KILL_EVERY:
        kills += 1
        await driver.wait_for_row(live, 2 * KILL_EVERY * kills)
        live = await driver.kill(live)
    run = await driver.end(live)
    assert (run.status, run.reply, kills) == ("completed", "11111", STEPS // KILL_EVERY)
    rows = await driver.rows(run.id)
    assert run.tokens_used == sum(row.tokens for row in rows)
    compactions = [row for row in rows if row.role == "compaction"]
    assert len(compactions) > 1
    assert forgetful.summaries - len(compactions) <= kills, "a kill may only repeat the call that it interrupted"


@ONE_DATABASE
async def test_a_summary_that_was_written_is_not_asked_for_again(database: Database) -> None:
    forgetful = Forgetful(16_000)
    model = ScriptedModel(script=forgetful, window=16_000)
    driver = Driver(database, model, [tool("look")], look=tell)
    live = await driver.begin(attached=False)
    await driver.wait_until(live, lambda rows: any(row.role == "compaction" for row in rows))
    written, reached = forgetful.summaries, live.journal.seq
    live = await driver.kill(live)
    await driver.wait_for_row(live, reached + 6)
    assert forgetful.summaries == written
    await driver.runner.cancel(live.run.id)


@ONE_DATABASE
async def test_the_rest_of_a_long_result_can_be_read(database: Database) -> None:
    secret = "x" * 30_000 + "SECRET" + "y" * 30_000

    async def long(args: dict[str, Any]) -> dict[str, Any]:
        return {"text": secret}

    def read_on(request: ModelRequest) -> Answer:
        last = request.messages[-1]
        if last.role != "tool":
            return [call("look")]
        if "SECRET" in last.content:
            return [TextDelta("Found.")]
        place = re.search(r'\{"call": "\d+-\d+", "offset": \d+\}', last.content)
        if place:
            return [call("read_result", arguments=place[0])]
        part = orjson.loads(last.content)
        handle = re.search(r'"call": "(\d+-\d+)"', request.messages[-3].content + request.messages[3].content)
        assert handle is not None
        return [call("read_result", arguments=f'{{"call": "{handle[1]}", "offset": {part["next_offset"]}}}')]

    model = ScriptedModel(script=read_on)
    driver = Driver(database, model, [tool("look")], look=long)
    run = await driver.run()
    assert (run.status, run.reply) == ("completed", "Found.")
    assert "read_result" not in {offer.name for offer in model.requests[0].tools}
    assert "read_result" in {offer.name for offer in model.requests[1].tools}
    assert secret in (await driver.rows(run.id))[2].content
    for arguments in ('{"call": "99-2", "offset": 0}', '{"call": "x", "offset": 0}', "[]", '{"call": "1-2"}'):
        other: Sequence[Delta] = [call("read_result", arguments=arguments)]
        asking = ScriptedModel([call("look")], other)
        await Driver(database, asking, [tool("look")], look=long).run()
        assert "no such place" in asking.requests[-1].messages[-1].content


@ONE_DATABASE
async def test_a_prompt_that_the_provider_finds_too_long_is_made_shorter(database: Database) -> None:
    """The provider counts three times as many tokens as the server estimates."""

    def strict(request: ModelRequest) -> Answer:
        if 3 * size_of(request) > 32_768:
            return ContextExceeded("Too long.")
        if summarizes(request):
            return [TextDelta("A summary.")]
        return (
            [call("look")] if len([one for one in model.requests if not summarizes(one)]) < 30 else [TextDelta("Done.")]
        )

    async def page(args: dict[str, Any]) -> dict[str, Any]:
        return {"page": "lorem ipsum " * 500}

    model = ScriptedModel(script=strict)
    driver = Driver(database, model, [tool("look")], look=page)
    run = await driver.run()
    assert (run.status, run.reply, run.error) == ("completed", "Done.", None)


@pytest.mark.parametrize("window", [2048, 4096])
@ONE_DATABASE
async def test_a_small_window_drops_its_oldest_steps_without_a_model_call(database: Database, window: int) -> None:
    def small(request: ModelRequest) -> Answer:
        assert size_of(request) <= window
        assert not summarizes(request)
        return [call("look", place) for place in range(3)] if len(model.requests) < 20 else [TextDelta("Done.")]

    async def page(args: dict[str, Any]) -> dict[str, Any]:
        return {"page": "lorem ipsum " * 300}

    model = ScriptedModel(script=small, window=window)
    run = await Driver(database, model, [tool("look")], look=page).run("A short request")
    assert (run.status, run.reply) == ("completed", "Done.")
    assert all(request.messages[1].content == "A short request" for request in model.requests)


@ONE_DATABASE
async def test_a_long_conversation_is_summarized_once_and_the_summary_serves_later_messages(database: Database) -> None:
    def answer(request: ModelRequest) -> Answer:
        if summarizes(request):
            return [TextDelta(" ".join(f"FACT {fact}" for fact in facts_in(request.messages)))]
        return [TextDelta("lorem ipsum " * 400)]

    model = ScriptedModel(script=answer, window=16_000)
    driver = Driver(database, model)
    await driver.run("Remember FACT 42", conversation_id=1)
    for _ in range(20):
        run = await driver.run("Go on", conversation_id=1)
        assert run.status == "completed"
        assert facts_in(model.requests[-1].messages) == ["42"]
    summaries = sum(map(summarizes, model.requests))
    assert 1 <= summaries <= 4


async def talk(database: Database, conversation: int, first: int, turns: int) -> None:
    """Add short messages to a conversation, each the request of a run: `FACT <number>`."""
    moment = now()
    run = {
        "account_id": 1, "conversation_id": conversation, "attached": True, "status": "completed", "model": "m",
        "message": "x", "options": {}, "format": 1, "tools_used": [], "tokens_used": 0, "created_at": moment,
        "ended_at": moment, "epoch": 1, "attempts": 1, "lease_until": 0.0,
    }  # fmt: skip
    said = {"conversation_id": conversation, "seq": 0, "role": "user", "state": "done", "tokens": 0}
    said |= {"started_at": moment, "created_at": moment}

    async def write(tx: Tx) -> None:
        for number in range(first, first + turns):
            await tx.run(Statement(sa.insert(runs).values(id=number, **run)))
            told = {"run_id": number, "content": f"FACT {number}"}
            await tx.run(Statement(sa.insert(messages).values(**said, **told)))

    await database.transact(write)


def remember(request: ModelRequest) -> Answer:
    """Answer a request; a summary contains all facts."""
    return [
        TextDelta(" ".join(f"FACT {fact}" for fact in facts_in(request.messages)) if summarizes(request) else "Yes.")
    ]


@ONE_DATABASE
async def test_the_beginning_of_a_long_conversation_is_known(database: Database) -> None:
    """It has more messages than are read at first; they fit into the window."""
    await talk(database, 1, 1, 300)
    model = ScriptedModel()
    await Driver(database, model).run(conversation_id=1)
    assert facts_in(model.requests[0].messages) == sorted(map(str, range(1, 301)))


@ONE_DATABASE
async def test_a_conversation_gets_a_summary_before_messages_are_lost(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has more messages than are ever read; they would fit into the window."""
    monkeypatch.setattr("retinue.runs.journal._ROWS", 20)
    monkeypatch.setattr("retinue.runs.journal.MOST_ROWS", 40)
    monkeypatch.setattr("retinue.runs.execution.loop._LONG_HISTORY", 30)
    model = ScriptedModel(script=remember, window=100_000)
    driver = Driver(database, model)
    for round_ in range(4):
        await talk(database, 1, 1000 * (round_ + 1), 33)
        await driver.run(f"Round {round_}", conversation_id=1)
    facts = [1000 * (round_ + 1) + number for round_ in range(4) for number in range(33)]
    assert facts_in(model.requests[-1].messages) == sorted(map(str, facts))
    assert sum(map(summarizes, model.requests)) == 4
