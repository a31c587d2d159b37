"""The pool: results, refusals, time-outs, crashes, cancellation, recycling."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from retinue.core.errors import InternalError, RetinueError, Unavailable, ValidationFailed
from retinue.tools.execution.pool import ToolPool
from retinue.tools.execution.worker_group import PoolLimits
from tests.support.waiting import eventually
from tests.tools.made_up import HERE, make_tool

ECHO = make_tool("echo")
HANG = make_tool("hang", timeout_s=0.3)


async def failure(pool: ToolPool, name: str, args: dict[str, Any] | None = None, **fields: Any) -> RetinueError:
    with pytest.raises(RetinueError) as failed:
        await pool.execute(make_tool(name, **fields), args or {})
    return failed.value


async def worker_id(pool: ToolPool) -> int:
    return int((await pool.execute(make_tool("process_id"), {}))["pid"])


async def test_a_result_comes_back(pool: ToolPool) -> None:
    args = {"text": "Größe 東京", "numbers": [1, 2.5, None, True], "deep": {"a": [{}]}}
    assert await pool.execute(ECHO, args) == args


async def test_many_calls_at_once_get_their_own_results(pool: ToolPool) -> None:
    results = await asyncio.gather(*(pool.execute(ECHO, {"number": number}) for number in range(200)))
    assert results == [{"number": number} for number in range(200)]


async def test_calls_are_served_in_the_order_of_their_arrival(tmp_path: Path) -> None:
    pool, order = ToolPool(1, paths=[str(HERE)]), []

    async def call(number: int) -> None:
        await pool.execute(ECHO, {})
        order.append(number)

    await pool.start()
    await asyncio.gather(*map(call, range(20)))
    await pool.stop()
    assert order == list(range(20))


async def test_no_more_calls_run_at_once_than_the_pool_is_large(pool: ToolPool) -> None:
    spend = make_tool("spend")
    results = await asyncio.gather(*(pool.execute(spend, {"seconds": 0.05}) for _ in range(6)))
    assert len({result["pid"] for result in results}) <= 2


async def test_a_tool_without_room_on_the_disk_is_unavailable(pool: ToolPool) -> None:
    error = await failure(pool, "fill_disk")
    assert (type(error), "disk of the server is full" in error.message) == (Unavailable, True), error.message


@pytest.mark.parametrize("name", ["hang", "burn"])
async def test_a_time_out_ends_the_call_and_not_the_pool(pool: ToolPool, name: str) -> None:
    error = await failure(pool, name, timeout_s=0.3)
    assert isinstance(error, Unavailable)
    assert "exceeded its timeout of 0.3 s" in error.message
    assert await pool.execute(ECHO, {"a": 1}) == {"a": 1}


async def test_a_busy_machine_gives_tools_more_time_but_not_more_of_the_processor(tmp_path: Path) -> None:
    """A time-out by the clock would take ten minutes here."""
    pool = ToolPool(1, paths=[str(HERE)], scratch=tmp_path / "scratch", limits=PoolLimits(time_factor=2000))
    await pool.start()
    error = await failure(pool, "burn", timeout_s=0.3)
    assert "exceeded its timeout of 0.3 s" in error.message
    await pool.stop()


async def test_imports_do_not_count_against_the_time_out(pool: ToolPool) -> None:
    assert await pool.execute(make_tool("answer", module="slow_import", timeout_s=0.2), {}) == {"ready": True}


async def test_a_refusal_carries_its_reason(pool: ToolPool) -> None:
    error = await failure(pool, "refuse")
    assert isinstance(error, ValidationFailed)
    assert error.message == "There is no such city. Check the spelling."


async def test_trouble_upstream_is_told_as_such(pool: ToolPool) -> None:
    error = await failure(pool, "be_unavailable")
    assert isinstance(error, Unavailable)
    assert error.message == "The weather service does not answer."


async def test_a_bug_shows_no_detail_and_keeps_its_worker(pool: ToolPool) -> None:
    before = await worker_id(pool)
    error = await failure(pool, "fail")
    assert isinstance(error, InternalError)
    assert "secret detail" not in error.message
    assert await worker_id(pool) == before


@pytest.mark.parametrize(("kind", "told"), [(None, True), ("http", False)])
async def test_the_log_tells_why_unless_that_may_quote_a_secret(pool: ToolPool, kind: str | None, told: bool) -> None:
    argument = {"type": "string"} | ({"x-connection": kind} if kind else {})
    schema = {"type": "object", "properties": {"connection": argument}}
    with capture_logs() as logs:
        await failure(pool, "fail_with", {"connection": "a secret"}, input_schema=schema)
    assert [("KeyError" in entry["detail"], "a secret" in entry["detail"]) for entry in logs] == [(True, told)]


@pytest.mark.parametrize(
    ("name", "kind"), [("leave", InternalError), ("segfault", InternalError), ("die_by_signal", Unavailable)]
)
async def test_a_crash_ends_the_call_and_not_the_pool(pool: ToolPool, name: str, kind: type[RetinueError]) -> None:
    assert isinstance(await failure(pool, name), kind)
    assert await pool.execute(ECHO, {"a": 1}) == {"a": 1}


@pytest.mark.parametrize("name", ["hog", "hog_slowly"])
async def test_too_much_memory_is_the_inputs_fault(pool: ToolPool, name: str) -> None:
    error = await failure(pool, name)
    assert isinstance(error, ValidationFailed)
    assert error.message == f"The input needs more memory than {name} may use (256 MiB). Send a smaller one."


async def test_endless_recursion_is_the_inputs_fault(pool: ToolPool) -> None:
    assert isinstance(await failure(pool, "recurse"), ValidationFailed)


async def test_standard_streams_of_a_tool_do_not_disturb_the_protocol(pool: ToolPool) -> None:
    assert await pool.execute(make_tool("chatter"), {}) == {"said": True}
    assert await pool.execute(ECHO, {"a": 1}) == {"a": 1}


@pytest.mark.parametrize("kind", ["nan", "infinity", "huge"])
async def test_a_number_that_json_has_not_is_the_inputs_fault(pool: ToolPool, kind: str) -> None:
    assert isinstance(await failure(pool, "give", {"kind": kind}), ValidationFailed)


@pytest.mark.parametrize("kind", ["list", "object", "keys"])
async def test_a_response_that_is_no_json_object_is_a_bug(pool: ToolPool, kind: str) -> None:
    assert isinstance(await failure(pool, "give", {"kind": kind}), InternalError)


async def test_a_tool_may_return_null(pool: ToolPool) -> None:
    assert await pool.execute(make_tool("give"), {"kind": "null"}) == {"value": None, "infinity": "null"}


async def test_large_results_arrive_and_huge_ones_are_refused(pool: ToolPool) -> None:
    assert len((await pool.execute(make_tool("give"), {"kind": "large"}))["value"]) == 4 * 2**20
    assert isinstance(await failure(pool, "give", {"kind": "long"}), ValidationFailed)
    assert await pool.execute(ECHO, {"a": 1}) == {"a": 1}


async def test_a_missing_library_is_told_as_such(pool: ToolPool) -> None:
    error = await failure(pool, "anything", module="no_such_module")
    assert isinstance(error, Unavailable)
    assert "still installing libraries" in error.message


async def test_a_cancelled_call_leaves_no_reply_behind(pool: ToolPool) -> None:
    for number in range(5):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await pool.execute(make_tool("hang"), {})
        assert await pool.execute(ECHO, {"number": number}) == {"number": number}


async def test_cancelling_at_any_moment_mixes_nothing_up(pool: ToolPool) -> None:
    async def impatient(number: int) -> Any:
        try:
            async with asyncio.timeout(number % 7 / 500):
                return await pool.execute(make_tool("spend"), {"seconds": number / 10_000})
        except TimeoutError:
            return {"seconds": number / 10_000}

    results = await asyncio.gather(*map(impatient, range(60)))
    assert [result["seconds"] for result in results] == [number / 10_000 for number in range(60)]
    assert await pool.execute(ECHO, {"a": 1}) == {"a": 1}


async def test_an_idle_worker_that_died_is_replaced(pool: ToolPool) -> None:
    before = await worker_id(pool)
    handle = os.pidfd_open(before)
    os.kill(before, 9)
    gone = asyncio.Event()
    asyncio.get_running_loop().add_reader(handle, gone.set)
    await gone.wait()
    asyncio.get_running_loop().remove_reader(handle)
    os.close(handle)
    assert await worker_id(pool) != before


async def test_a_worker_is_replaced_after_so_many_calls(tmp_path: Path) -> None:
    pool = ToolPool(1, paths=[str(HERE)], limits=PoolLimits(recycle_calls=3))
    await pool.start()
    workers = [await worker_id(pool) for _ in range(9)]
    await pool.stop()
    assert [workers.count(worker) for worker in dict.fromkeys(workers)] == [3, 3, 3]


async def test_a_worker_that_keeps_memory_is_replaced() -> None:
    pool = ToolPool(1, paths=[str(HERE)], limits=PoolLimits(recycle_rss_mb=60))
    await pool.start()
    before = (await pool.execute(make_tool("grow"), {}))["pid"]
    after = await worker_id(pool)
    await pool.stop()
    assert after != before


async def test_no_call_finds_files_or_the_folder_of_another(pool: ToolPool) -> None:
    assert await pool.execute(make_tool("write"), {"path": "one.txt"}) == {"files": ["one.txt"]}
    await pool.execute(make_tool("move_away"), {})
    for _ in range(3):
        assert await pool.execute(make_tool("look_around"), {}) == {"files": []}


async def test_a_full_queue_is_told_at_once() -> None:
    pool = ToolPool(1, paths=[str(HERE)], limits=PoolLimits(queue=1))
    await pool.start()
    calls = [asyncio.create_task(pool.execute(HANG, {})) for _ in range(3)]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    await pool.stop()
    assert all(isinstance(outcome, Unavailable) for outcome in outcomes)
    assert sum("already waiting for a tool worker" in str(outcome) for outcome in outcomes) >= 1


async def test_calls_that_were_cancelled_while_they_waited_leave_room_for_others() -> None:
    pool = ToolPool(1, paths=[str(HERE)], limits=PoolLimits(queue=3))
    await pool.start()
    for _ in range(3):
        calls = [asyncio.create_task(pool.execute(make_tool("hang"), {})) for _ in range(3)]
        await asyncio.wait(calls, timeout=0)
        for call in calls:
            call.cancel()
        ended = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(one) for one in ended] == [asyncio.CancelledError] * 3
    assert await pool.execute(ECHO, {"a": 1}) == {"a": 1}
    await pool.stop()


async def test_stopping_ends_calls_in_progress_and_leaves_nothing(tmp_path: Path) -> None:
    pool = ToolPool(2, paths=[str(HERE)], scratch=tmp_path / "scratch")
    await pool.start()
    worker = await worker_id(pool)
    call = asyncio.create_task(pool.execute(make_tool("hang"), {}))
    await pool.execute(ECHO, {})
    await pool.stop()
    with pytest.raises(Unavailable):
        await call
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
    assert not (tmp_path / "scratch").exists()
    with pytest.raises(Unavailable):
        await pool.execute(ECHO, {})


async def test_a_python_that_does_not_exist_is_told_as_such() -> None:
    pool = ToolPool(1, python="/no/such/python")
    await pool.start()
    assert isinstance(await failure(pool, "echo"), Unavailable)
    await pool.stop()


@pytest.mark.parametrize("open_world", [False, True])
async def test_an_account_that_fills_its_share_leaves_workers_to_others(pool: ToolPool, open_world: bool) -> None:
    hang, echo = make_tool("hang", open_world=open_world), make_tool("echo", open_world=open_world)
    slow = [asyncio.create_task(pool.execute(hang, {}, account=1)) for _ in range(20)]
    results = [await pool.execute(echo, {"number": number}, account=2) for number in range(3)]
    assert results == [{"number": number} for number in range(3)]
    assert not any(task.done() for task in slow)
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)


async def test_accounts_take_turns_at_a_worker(pool: ToolPool) -> None:
    order: list[int] = []

    async def call(account: int) -> None:
        await pool.execute(ECHO, {}, account=account)
        order.append(account)

    hang = make_tool("hang")
    holding = [asyncio.create_task(pool.execute(hang, {}, account=account)) for account in (1, 2)]
    await asyncio.sleep(0)
    waiting = [asyncio.create_task(call(account)) for account in (3, 3, 3, 3, 4)]
    await asyncio.sleep(0)
    holding[0].cancel()
    await waiting[-1]
    assert order.count(3) <= 2
    holding[1].cancel()
    await asyncio.gather(*waiting)
    await asyncio.gather(*holding, return_exceptions=True)


async def test_a_call_that_waits_too_long_gets_advice_and_a_background_call_does_not() -> None:
    pool = ToolPool(1, paths=[str(HERE)], limits=PoolLimits(patience_s=0.05))
    await pool.start()
    await pool.execute(ECHO, {}, waited_for=False)  # the worker has started
    holding = asyncio.create_task(pool.execute(make_tool("hang"), {}, account=1))
    background = asyncio.create_task(pool.execute(ECHO, {"a": 1}, account=2, waited_for=False))
    await asyncio.sleep(0)
    with pytest.raises(Unavailable, match=r"waited 0\.05 s for a tool worker.*Try again"):
        await pool.execute(ECHO, {}, account=2)
    holding.cancel()
    assert await background == {"a": 1}
    await pool.stop()


async def test_slow_hosts_keep_no_worker_from_tools_that_compute() -> None:
    pool = ToolPool(1, network_size=1, paths=[str(HERE)])
    await pool.start()
    waiting = asyncio.create_task(pool.execute(make_tool("hang", open_world=True), {}, account=1))
    assert await pool.execute(ECHO, {"a": 1}, account=1) == {"a": 1}
    assert not waiting.done()
    await pool.stop()
    with pytest.raises(Unavailable):
        await waiting


async def test_a_worker_is_started_before_it_is_needed_and_after_one_that_died(tmp_path: Path) -> None:
    pool = ToolPool(2, paths=[str(HERE)], scratch=tmp_path)
    await pool.start()
    for _ in range(2):
        await asyncio.to_thread(eventually, lambda: len(list(tmp_path.glob("worker-*"))) == 1)
        with pytest.raises(InternalError):
            await pool.execute(make_tool("segfault"), {})
    await pool.stop()


async def test_workers_that_stay_idle_end_but_for_the_spare_one(tmp_path: Path) -> None:
    pool = ToolPool(4, paths=[str(HERE)], scratch=tmp_path, limits=PoolLimits(idle_s=0.3))
    await pool.start()
    spend = make_tool("spend")
    results = await asyncio.gather(*(pool.execute(spend, {"seconds": 1.0}) for _ in range(3)))
    assert len({result["pid"] for result in results}) == 3
    await asyncio.to_thread(eventually, lambda: len(list(tmp_path.glob("worker-*"))) == 1)
    assert await worker_id(pool) in {result["pid"] for result in results}
    await pool.stop()
