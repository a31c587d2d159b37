"""What the loop does with what a model answers: output limits, usage and cost, parallel calls, structured output."""

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.database.interface import Database
from retinue.models.base import (
    AnsweringModel,
    Delta,
    FailedAttempt,
    Finish,
    Message,
    Price,
    ProviderItem,
    ReasoningDelta,
    TextDelta,
    Usage,
)
from retinue.runs.model_answer import Spending, cost_of, valid_arguments
from retinue.runs.run_options import Budget
from retinue.usage.money import cost_text
from tests.runs.driving import Driver, ScriptedModel, call, tool

ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
PRICE = Price("3", "15", "0.3")
LENGTH: Sequence[Delta] = [Finish("length"), Usage(10, 8192)]
CUT = '{"cidr": "10.0.0.0/2'


def tool_messages(messages: Sequence[Message]) -> list[str]:
    """Return the contents of tool results."""
    return [message.content for message in messages if message.role == "tool"]


# Usage and cost


@ONE_DATABASE
async def test_a_run_reports_the_usage_of_each_model_call(database: Database) -> None:
    attempt = FailedAttempt("first", "It timed out.")
    model = ScriptedModel(
        [
            attempt,
            AnsweringModel("second", PRICE),
            ReasoningDelta("Hm."),
            call("look"),
            Finish("stop"),
            Usage(100, 10, 40, 5),
        ],
        [AnsweringModel("second", PRICE), TextDelta("Done."), Finish("length"), Usage(200, 20)],
    )
    driver = Driver(database, model, [tool("look")])
    live = await driver.begin()
    run = await driver.end(live)
    usage = {"input_tokens": 300, "cached_input_tokens": 40, "output_tokens": 30, "reasoning_tokens": 5}
    assert (run.usage, run.tokens_used, run.finish_reason) == (usage, 330, "length")
    assert Decimal(run.cost_usd) == (Decimal(260) * 3 + Decimal(40) * Decimal("0.3") + 30 * 15) / 1_000_000
    assert live.journal.totals() == {
        "usage": usage, "cost_usd": run.cost_usd, "finish_reason": "length", "output": None,
    }  # fmt: skip
    first = (await driver.rows(run.id))[1].details
    assert (first["model"], first["reasoning"]) == ("second", "Hm.")
    assert first["attempts"] == [{"model": "first", "reason": "It timed out."}]


@ONE_DATABASE
async def test_a_cost_is_unknown_if_one_price_is(database: Database) -> None:
    model = ScriptedModel([AnsweringModel("a", PRICE), call("look")], [AnsweringModel("b"), TextDelta("Done.")])
    assert (await Driver(database, model, [tool("look")]).run()).cost_usd is None


@ONE_DATABASE
async def test_a_run_ends_when_its_model_calls_cost_too_much(database: Database) -> None:
    model = ScriptedModel(script=lambda _: [AnsweringModel("a", Price("10", "0")), call("look"), Usage(1000, 1)])
    driver = Driver(database, model, [tool("look")])
    run = await driver.run(budget=Budget(cost_usd=Decimal("0.025")))
    assert (run.status, run.cost_usd, len(model.requests)) == ("failed", "0.03", 3)
    assert "0.025 USD" in run.error


COUNTS = st.integers(0, 10**9)
AMOUNTS = st.decimals(0, 1000, places=4, allow_nan=False).map(str)


@given(st.lists(st.tuples(COUNTS, COUNTS, COUNTS, AMOUNTS, AMOUNTS, AMOUNTS | st.none()), max_size=6))
def test_the_cost_of_a_run_is_the_exact_sum_of_its_steps(steps: list[Any]) -> None:
    spending, rows = Spending(), []
    for fresh, cached, written, dear, output, cheap in steps:
        usage, price = Usage(fresh + cached, written, cached), Price(dear, output, cheap)
        step_cost = cost_of(usage, price)
        spending.add(usage, step_cost)
        rows.append(cost_text(step_cost))
    total = sum((Decimal(text or "x") for text in rows), Decimal(0))
    cost = spending.columns()["cost"]
    assert cost is not None
    assert Decimal(cost) == total
    assert "E" not in cost


# What a provider must get back


@ONE_DATABASE
async def test_provider_items_survive_a_crash_and_the_end_of_the_run(database: Database) -> None:
    parts = (ProviderItem("https://a", {"signature": "x"}), ProviderItem("https://a", {"encrypted": [1, 2]}))
    held = asyncio.Event()

    async def hold(args: dict[str, Any]) -> dict[str, Any]:
        held.set()
        await asyncio.sleep(60)
        return {}

    model = ScriptedModel([*parts, call("look")])
    driver = Driver(database, model, [tool("look")], look=hold)
    live = await driver.begin(attached=False, conversation_id=1)
    async with asyncio.timeout(120):
        await held.wait()
    await live.journal.save()
    resumed = Driver(database, model, [tool("look")])
    await driver.runner.drop(live.run.id)
    await resumed.end(await resumed.claim(live.run.id))
    assert model.requests[1].messages[2].opaque == parts
    await resumed.run(conversation_id=1)
    assert [one.opaque for one in model.requests[2].messages if one.tool_calls] == [parts]


@ONE_DATABASE
async def test_reasoning_is_streamed_only_if_it_is_asked_for_and_never_part_of_the_reply(database: Database) -> None:
    for shows in (False, True):
        model = ScriptedModel([ReasoningDelta("secret "), ReasoningDelta("plan"), TextDelta("Four.")])
        driver = Driver(database, model)
        live = await driver.begin(shows_reasoning=shows)
        run = await driver.end(live)
        assert run.reply == live.journal.reply == "Four."
        said = [chunk["content"] for chunk in live.chunks if chunk["type"] == "reasoning"]
        assert said == (["secret ", "plan"] if shows else [])


@pytest.mark.parametrize(
    ("given", "sent"), [("", "{}"), (CUT, "{}"), ("[1]", "{}"), ('{"a": 1}', '{"a": 1}'), ('{"a":1}{"b":2}', "{}")]
)
@ONE_DATABASE
async def test_arguments_that_are_sent_back_are_valid_json(database: Database, given: str, sent: str) -> None:
    model = ScriptedModel([call("look", arguments=given)])
    driver = Driver(database, model, [tool("look")])
    run = await driver.run(conversation_id=1)
    await driver.run(conversation_id=1)
    assert valid_arguments(given) == sent
    for request in model.requests[1:]:
        assert [one.arguments for message in request.messages for one in message.tool_calls] == [sent]
    assert (await driver.rows(run.id))[2].tool_arguments == given


# Limits of output


@pytest.mark.parametrize(
    ("answer", "told", "asked"),
    [
        ([Finish("stop")], "empty reply twice", 2),
        ([TextDelta(" \n"), Finish("stop")], "empty reply twice", 2),
        ([ReasoningDelta("Hm."), *LENGTH], "All 8,192 output tokens were used for reasoning", 2),
        (LENGTH, "cut off at 8,192 output tokens, before it had any text. Raise max_output_tokens", 2),
        ([Finish("content_filter")], "content filter", 1),
        ([Finish("refusal")], "declined", 1),
    ],
)
@ONE_DATABASE
async def test_a_reply_without_text_fails_the_run_with_the_reason(
    database: Database, answer: Sequence[Delta], told: str, asked: int
) -> None:
    model = ScriptedModel(script=lambda _: answer)
    driver = Driver(database, model)
    run = await driver.run()
    assert (run.status, len(model.requests)) == ("failed", asked)
    assert told in run.error
    rows = await driver.rows(run.id)
    assert run.tokens_used == sum(row.tokens for row in rows) > 0


@ONE_DATABASE
async def test_an_empty_reply_is_tried_once_more(database: Database) -> None:
    run = await Driver(database, ScriptedModel([Finish("stop")], [TextDelta("Here I am.")])).run()
    assert (run.status, run.reply, run.tokens_used) == ("completed", "Here I am.", 30)


@pytest.mark.parametrize("reason", ["length", "content_filter", "refusal"])
@ONE_DATABASE
async def test_the_reason_why_a_reply_ended_is_visible(database: Database, reason: Any) -> None:
    run = await Driver(database, ScriptedModel([TextDelta("Sure, "), Finish(reason)])).run()
    assert (run.status, run.reply, run.finish_reason) == ("completed", "Sure, ", reason)


@ONE_DATABASE
async def test_a_call_that_was_cut_off_is_not_executed_and_fails_the_run_the_second_time(database: Database) -> None:
    whole = call("look", 1, '{"a": 1}')
    model = ScriptedModel(script=lambda _: [whole, call("look", 2, CUT), *LENGTH])
    driver = Driver(database, model, [tool("look")])
    run = await driver.run()
    assert (run.status, len(model.requests), driver.tools.executed) == ("failed", 2, ["look"])
    assert "cut off at 8,192 output tokens, twice in a row" in run.error
    _, told = tool_messages(model.requests[1].messages)
    assert "cut off at 8,192 output tokens, so it was not executed" in told


@ONE_DATABASE
async def test_a_model_that_was_cut_off_once_may_go_on(database: Database) -> None:
    cut: Sequence[Delta] = [call("look", 1, CUT), *LENGTH]
    model = ScriptedModel(cut, [call("look")], cut, [TextDelta("Done.")])
    assert (await Driver(database, model, [tool("look")]).run()).status == "completed"


# Parallel calls


@ONE_DATABASE
async def test_the_calls_of_a_step_run_at_the_same_time_and_keep_their_order(database: Database) -> None:
    names = [f"tool_{number}" for number in range(4)]
    all_running = asyncio.Barrier(len(names))
    ended: list[str] = []

    async def meet(args: dict[str, Any]) -> dict[str, Any]:
        """End only if all calls run at the same time, the last one first."""
        place = await all_running.wait()
        for _ in range(place):
            await asyncio.sleep(0)
        ended.append(args["name"])
        return {"name": args["name"]}

    asked = [call(name, place, f'{{"name": "{name}"}}') for place, name in enumerate(names)]
    model = ScriptedModel(asked)
    driver = Driver(database, model, [tool(name) for name in names], **dict.fromkeys(names, meet))
    live = await driver.begin()
    run = await driver.end(live)
    assert (run.status, sorted(ended)) == ("completed", names)
    results = [orjson.loads(content)["name"] for content in tool_messages(model.requests[1].messages)]
    assert results == names
    assert [row.tool_name for row in await driver.rows(run.id)][2:6] == names
    starts = [chunk["type"] for chunk in live.chunks if chunk["type"] != "text"]
    assert starts == ["tool_start"] * 4 + ["tool_end"] * 4


@ONE_DATABASE
async def test_after_a_kill_in_a_step_only_unfinished_calls_are_repeated(database: Database) -> None:
    """Of four calls, one has ended, one can be repeated, one only reads, and one may have taken effect."""
    stuck = asyncio.Semaphore(0)
    tools = [
        tool("ended", read_only=False),
        tool("repeatable", read_only=False, idempotent=True),
        tool("reading"),
        tool("once", read_only=False, idempotent=False),
    ]
    begun: asyncio.Queue[str] = asyncio.Queue()

    async def hang(args: dict[str, Any]) -> dict[str, Any]:
        begun.put_nowait("")
        await stuck.acquire()
        return {}

    model = ScriptedModel([call(one.name, place) for place, one in enumerate(tools)])
    driver = Driver(database, model, tools, repeatable=hang, reading=hang, once=hang)
    live = await driver.begin(attached=False)
    async with asyncio.timeout(120):
        for _ in range(3):
            await begun.get()
    await driver.wait_for_result(live, "ended")
    await driver.runner.drop(live.run.id)
    resumed = Driver(database, model, tools)
    run = await resumed.end(await resumed.claim(live.run.id))
    assert (run.status, sorted(resumed.tools.executed)) == ("completed", ["reading", "repeatable"])
    results = tool_messages(model.requests[-1].messages)
    assert ["not known whether it took effect" in content for content in results] == [False, False, False, True]
    assert [row.state for row in await driver.rows(run.id) if row.role == "tool"] == ["done", "done", "done", "failed"]


@ONE_DATABASE
async def test_arguments_that_cannot_be_stored_are_refused(database: Database) -> None:
    arguments = ['{"a": ' * 70 + "1" + "}" * 70, '{"a": ["\\u0000"]}', '{"a": 1}']
    model = ScriptedModel([call("look", place, text) for place, text in enumerate(arguments)])
    driver = Driver(database, model, [tool("look")])
    run = await driver.run()
    results = [row.content for row in await driver.rows(run.id) if row.role == "tool"]
    assert ["at most 64 levels" in results[0], "NUL" in results[1], "error" in results[2]] == [True, True, False]
    assert driver.tools.executed == ["look"]


@ONE_DATABASE
async def test_calls_that_run_together_do_not_exceed_the_runs_credits(database: Database) -> None:
    model = ScriptedModel([call("look", place) for place in range(16)])
    driver = Driver(database, model, [tool("look", credits=3)])
    run = await driver.run(budget=Budget(credits=10))
    assert (run.status, len(driver.tools.executed)) == ("failed", 3)
    assert "10 credits" in run.error


@ONE_DATABASE
async def test_calls_that_fail_leave_their_credits_to_others(database: Database) -> None:
    model = ScriptedModel([call("look", 0, "[]"), call("look", 1)])
    driver = Driver(database, model, [tool("look", credits=3)])
    run = await driver.run(budget=Budget(credits=3))
    assert (run.status, driver.tools.executed) == ("completed", ["look"])


# Structured output

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


@pytest.mark.parametrize("text", ['{"n": 4}', '```json\n{"n": 4}\n```', '\n``` \n{"n": 4}```'])
@ONE_DATABASE
async def test_a_reply_that_fits_its_schema_is_parsed(database: Database, text: str) -> None:
    driver = Driver(database, ScriptedModel([TextDelta(text[:5]), TextDelta(text[5:])]))
    live = await driver.begin(output_schema=SCHEMA)
    run = await driver.end(live)
    assert (run.reply, run.output) == ('{"n": 4}', {"n": 4})
    assert [chunk["content"] for chunk in live.chunks] == ['{"n": 4}']


@pytest.mark.parametrize(("text", "output"), [('{"n": [4]}', {"n": [4]}), ("null", None), ("0", 0)])
@ONE_DATABASE
async def test_a_schema_without_conditions_takes_any_json(database: Database, text: str, output: object) -> None:
    driver = Driver(database, ScriptedModel([TextDelta(text)]))
    live = await driver.begin(output_schema={})
    run = await driver.end(live)
    assert (run.status, run.reply, run.output) == ("completed", text, output)
    assert [chunk["content"] for chunk in live.chunks] == [text]


@pytest.mark.parametrize(("wrong", "error"), [('{"n": "x"}', "n: "), ("four", "not valid JSON"), ("{}", "required")])
@ONE_DATABASE
async def test_a_reply_that_does_not_fit_is_sent_back_once(database: Database, wrong: str, error: str) -> None:
    model = ScriptedModel([TextDelta(wrong)], [TextDelta('{"n": 4}')], script=lambda _: [TextDelta(wrong)])
    driver = Driver(database, model)
    live = await driver.begin(output_schema=SCHEMA)
    assert (await driver.end(live)).output == {"n": 4}
    assert error in model.requests[1].messages[-1].content
    assert [chunk["content"] for chunk in live.chunks] == ['{"n": 4}']
    run = await driver.run(output_schema=SCHEMA)
    assert (run.status, len(model.requests)) == ("failed", 4)
    assert error in run.error


# Calls without a result


@ONE_DATABASE
async def test_a_call_without_a_result_is_left_out_of_later_messages_although_its_id_is_repeated(
    database: Database,
) -> None:
    begun = asyncio.Event()

    async def hang(args: dict[str, Any]) -> dict[str, Any]:
        begun.set()
        await asyncio.sleep(60)
        return {}

    model = ScriptedModel([call("look")], [call("hang")])
    driver = Driver(database, model, [tool("look"), tool("hang")], hang=hang)
    live = await driver.begin(conversation_id=1)
    await asyncio.wait_for(begun.wait(), 120)
    await driver.runner.cancel(live.run.id)
    await driver.run("Next", conversation_id=1)
    sent = model.requests[-1].messages
    assert [one.name for message in sent for one in message.tool_calls] == ["look"]
    assert [message.tool_name for message in sent if message.role == "tool"] == ["look"]
