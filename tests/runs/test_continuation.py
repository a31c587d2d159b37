"""Messages to running runs, forks of runs, and conversations that go on from an earlier message."""

import asyncio
from functools import partial
from typing import Any

import pytest

from retinue.auth.caller import Caller
from retinue.core.database.interface import Database
from retinue.core.errors import ValidationFailed
from retinue.models.base import ModelRequest, TextDelta
from retinue.runs.continuation import Continuations, replace_from
from tests.conftest import NewUser
from tests.runs.driving import Answer, Driver, ScriptedModel, call, tool
from tests.runs.test_runs import ASK_SUBNET, SUBNET, create, end, start
from tests.support.client import Client, data, refuse
from tests.support.server import Server

ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


class _Caller:
    """The owner of all runs that a `Driver` starts."""

    account_id, key_id, claim, sandbox = 1, None, None, True
    scopes = frozenset({"*"})

    class plan:  # noqa: N801 - an attribute of the caller
        """The caller's plan."""

        tools = "free"

    def may(self, scope: str) -> bool:
        """Allow everything."""
        return True


async def _count_nothing(*_: Any) -> None:
    """Replace the agents' counters."""


def continuations(driver: Driver) -> Continuations:
    """Return the continuations of the driver's runs."""
    caller: Any = _Caller()
    nothing: Any = _NoBudgets()
    typed: Caller = caller
    return Continuations(typed, driver.database, driver.dispatch, nothing, _count_nothing)


class _NoBudgets:
    async def check(self, *_: Any) -> None:
        """Allow everything."""


def contents(request: ModelRequest, role: str = "user") -> list[str]:
    """Return the texts of a request's messages in one role."""
    return [message.content for message in request.messages if message.role == role]


class Gate:
    """A tool that waits until the test opens it."""

    def __init__(self) -> None:
        self.begun, self.opened = asyncio.Event(), asyncio.Event()

    async def __call__(self, args: dict[str, Any]) -> dict[str, Any]:
        """Wait."""
        self.begun.set()
        async with asyncio.timeout(120):
            await self.opened.wait()
        return {}


# Messages to a run


@pytest.mark.parametrize("killed", [False, True])
async def test_a_message_is_seen_once_by_the_next_step(database: Database, *, killed: bool) -> None:
    gate = Gate()
    model = ScriptedModel([call("look")], [call("look", 1)])
    driver = Driver(database, model, [tool("look")], look=gate)
    live = await driver.begin(attached=False, conversation_id=1)
    await asyncio.wait_for(gate.begun.wait(), 120)
    for text in ("First", "Second"):
        assert (await continuations(driver).send(live.run.id, text)).status == "running"
    gate.opened.set()
    if killed:
        await driver.runner.drop(live.run.id)
        live = await driver.claim(live.run.id)
    run = await driver.end(live)
    assert (run.status, run.reply) == ("completed", "Done.")
    assert [contents(request) for request in model.requests[-2:]] == [["Hello", "First", "Second"]] * 2
    sent = [(row.role, row.content) for row in await driver.rows(run.id) if row.seq > 0 and row.role == "user"]
    assert sent == [("user", "First"), ("user", "Second")]
    with pytest.raises(ValidationFailed, match="has ended"):
        await continuations(driver).send(run.id, "Too late")
    await driver.run("Next", conversation_id=1)
    assert contents(model.requests[-1]) == ["Hello", "First", "Second", "Next"]


async def test_a_message_during_the_last_step_makes_the_run_go_on(database: Database) -> None:
    driver: Driver

    def answer(request: ModelRequest) -> Answer:
        return [TextDelta(f"Reply {len(model.requests)}")]

    class Asking(ScriptedModel):
        async def stream(self, request: ModelRequest) -> Any:
            """Send the run a message while its model replies for the first time."""
            async for delta in super().stream(request):
                if len(self.requests) == 1 and isinstance(delta, TextDelta):
                    await continuations(driver).send(1, "Wait, one more thing")
                yield delta

    model = Asking(script=answer)
    driver = Driver(database, model)
    run = await driver.run()
    assert (run.status, run.reply, run.tokens_used) == ("completed", "Reply 2", 30)
    assert contents(model.requests[1]) == ["Hello", "Wait, one more thing"]
    assert contents(model.requests[1], "assistant") == ["Reply 1"]
    assert [row.role for row in await driver.rows(run.id)] == ["user", "assistant", "user", "assistant"]


# Forks


async def test_a_fork_shares_the_steps_until_there_and_repeats_none(database: Database) -> None:
    model = ScriptedModel(
        [call("look"), call("look", 1)], [call("look")], [TextDelta("First end.")], [TextDelta("Second end.")]
    )
    driver = Driver(database, model, [tool("look")])
    run = await driver.run("Hello", conversation_id=1)
    for step in (1, 2, 3):
        forked = await continuations(driver).fork_run(run.id, step, "Try this")
        model.requests.clear()
        live = await driver.claim(forked.id)
        ended = await driver.end(live)
        assert (ended.status, ended.conversation_id, len(model.requests)) == ("completed", None, 1)
        assert [one.role for one in model.requests[0].messages] == [
            "system",
            "user",
            "assistant",
            "tool",
            "tool",
            "user",
        ]
        assert ended.tokens_used == 15
    assert driver.tools.executed == ["look"] * 3
    whole = await continuations(driver).fork_run(run.id, 6, "And now?")
    assert contents(model.requests[0]) == ["Hello", "Try this"]
    assert (await driver.end(await driver.claim(whole.id))).status == "completed"
    assert contents(model.requests[-1], "assistant") == ["", "", "First end."]


async def test_a_fork_of_an_answer_keeps_the_earlier_messages(database: Database) -> None:
    model = ScriptedModel()
    driver = Driver(database, model)
    await driver.run("One", conversation_id=1)
    second = await driver.run("Two", conversation_id=1)
    await driver.run("Three", conversation_id=1)
    fork = await continuations(driver).fork_run(second.id, 0, None)
    forked = await driver.end(await driver.claim(fork.id))
    again = await continuations(driver).fork_run(forked.id, 1, "More")
    await driver.end(await driver.claim(again.id))
    assert [contents(request) for request in model.requests[-2:]] == [["One", "Two"], ["One", "Two", "More"]]


@pytest.mark.parametrize(("step", "message", "told"), [(9, "x", "no step 9"), (1, None, "Send a message")])
@ONE_DATABASE
async def test_a_fork_needs_a_step_to_go_on_from(database: Database, step: int, message: str | None, told: str) -> None:
    driver = Driver(database, ScriptedModel())
    run = await driver.run()
    with pytest.raises(ValidationFailed, match=told):
        await continuations(driver).fork_run(run.id, step, message)


@ONE_DATABASE
async def test_a_fork_does_not_begin_at_a_step_that_goes_on(database: Database) -> None:
    gate = Gate()
    driver = Driver(database, ScriptedModel([call("look")]), [tool("look")], look=gate)
    live = await driver.begin()
    await asyncio.wait_for(gate.begun.wait(), 120)
    await live.journal.save()
    with pytest.raises(ValidationFailed, match="have not ended"):
        await continuations(driver).fork_run(live.run.id, 1, None)
    gate.opened.set()
    await driver.end(live)


# Earlier versions of a conversation


async def test_a_conversation_goes_on_from_an_earlier_message(database: Database) -> None:
    model = ScriptedModel()
    driver = Driver(database, model)
    second: Any = None
    for text in ("One", "Two", "Three"):
        run = await driver.run(text, conversation_id=1)
        second = run if text == "Two" else second
    (asked, *_) = await driver.rows(second.id)
    await database.transact(lambda tx: replace_from(tx, 1, asked.id))
    await driver.run("Another two", conversation_id=1)
    assert contents(model.requests[-1]) == ["One", "Another two"]
    assert [row.replaced for row in await driver.rows(second.id)] == [True, True]
    for message in (asked.id, (await driver.rows(1))[1].id, 10**6):
        with pytest.raises(ValidationFailed, match="no message"):
            await database.transact(partial(replace_from, conversation_id=1, message_id=message))


@ONE_DATABASE
async def test_a_message_whose_answer_goes_on_is_not_replaced(database: Database) -> None:
    gate = Gate()
    driver = Driver(database, ScriptedModel([call("look")]), [tool("look")], look=gate)
    live = await driver.begin(conversation_id=1)
    await asyncio.wait_for(gate.begun.wait(), 120)
    (asked, *_) = await driver.rows(live.run.id)
    with pytest.raises(ValidationFailed, match="has not ended"):
        await database.transact(lambda tx: replace_from(tx, 1, asked.id))
    gate.opened.set()
    await driver.end(live)


# The API


def test_a_run_is_forked_through_the_api(sandbox: Client) -> None:
    path = create(sandbox, skills=[SUBNET])
    run = start(sandbox, path, ASK_SUBNET)
    first = end(sandbox, run)
    forked = data(sandbox.post(f"{run}/fork", {"step": 1}), 202)
    assert (forked["status"], forked["agent_id"], forked["message"]) == ("queued", first["agent_id"], ASK_SUBNET)
    second = end(sandbox, f"/runs/{forked['id']}")
    assert second["reply"] == first["reply"]
    assert [step["type"] for step in second["steps"]] == ["model", "tool", "model"]
    assert second["tokens_used"] < first["tokens_used"]
    assert sandbox.get(f"{path}/runs").json()["meta"]["total"] == 2
    refuse(sandbox.post(f"{run}/fork", {"step": 77}), 400, "no step 77")
    refuse(sandbox.post(f"{run}/messages", {"message": "Hello"}), 400, "has ended")


def test_a_message_reaches_a_run_through_the_api(sandbox: Client) -> None:
    run = start(sandbox, create(sandbox), "[[sleep:0.5]][[echo-history]]")
    assert data(sandbox.post(f"{run}/messages", {"message": "[[words:3]]"}), 202)["status"] in ("queued", "running")
    ended = end(sandbox, run)
    assert ended["reply"] == "word1 word2 word3"
    assert "message" in [step["type"] for step in ended["steps"]]


@pytest.mark.parametrize(("operation", "body"), [("messages", {"message": "Hello"}), ("fork", {"step": 0})])
def test_only_its_owner_changes_a_run(server: Server, new_user: NewUser, operation: str, body: dict[str, Any]) -> None:
    owner = new_user(server)
    client = owner.client()
    run = f"/runs/{data(client.post(f'{create(client)}/execute', {'message': 'Hello'}))['run_id']}/{operation}"
    refuse(owner.client(["agents:read"]).post(run, body), 403, "agents:write")
    refuse(new_user(server).client().post(run, body), 404, "no run")
    refuse(Client(server, "").post(run, body), 401, "")
