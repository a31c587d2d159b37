"""Compares what the server acknowledged with what it stores after all the kills."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from tests.faults.api import Api, Json
from tests.faults.load import WORK_DONE, WORK_STEPS, Ledger

T = TypeVar("T")
_AT_ONCE = 16
_ENDED = {"completed", "failed", "cancelled"}
_WAIT_S = 300.0


async def for_each(items: Iterable[T], check: Callable[[T], Awaitable[None]]) -> None:
    """Check many items, a few at a time."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(item: T) -> None:
        async with gate:
            await check(item)

    await asyncio.gather(*map(one, items))


async def all_idle(api: Api) -> list[Json]:
    """Wait until no agent is working. Returns all agents."""
    async with asyncio.timeout(_WAIT_S):
        while True:
            agents = await api.pages("/agents")
            if not [agent for agent in agents if agent["status"] == "working"]:
                return agents
            await asyncio.wait([asyncio.ensure_future(asyncio.sleep(0.1))])


class Audit:
    """Checks every acknowledgement in a ledger against the API. Counts what it found in `figures`."""

    def __init__(self, api: Api, ledger: Ledger) -> None:
        self._api = api
        self._ledger = ledger
        self.figures: Counter[str] = Counter()

    async def check(self) -> None:
        """Fail at the first acknowledgement that does not hold."""
        ledger = self._ledger
        agents = await all_idle(self._api)
        names = Counter(agent["agent_name"] for agent in agents)
        assert [name for name, count in names.items() if count > 1] == []
        await for_each(ledger.agents, self._agent)
        await for_each([agent["id"] for agent in agents], self._runs_of_agent)
        await for_each(ledger.replies, self._reply)
        await for_each(ledger.background, self._background)
        await for_each(ledger.conversations, self._conversation)

    async def _agent(self, agent_id: int) -> None:
        status, answer = await self._api.call("GET", f"/agents/{agent_id}")
        if agent_id in self._ledger.deleted:
            assert status == 404, answer
        elif agent_id not in self._ledger.unsure:
            assert status == 200, answer
            promised, found = self._ledger.agents[agent_id], answer["data"]
            assert {**promised, "status": None} == {**found, "status": None}

    async def _runs_of_agent(self, agent_id: int) -> None:
        runs = await self._api.pages(f"/agents/{agent_id}/runs")
        promised = self._ledger.runs[agent_id]
        assert promised <= len(runs) <= promised + self._ledger.unsure_runs[agent_id]
        for run in runs:
            self._end(run, may_be_cancelled=agent_id in self._ledger.unsure)

    def _end(self, run: Json, *, may_be_cancelled: bool) -> None:
        assert run["status"] in _ENDED, run
        assert run["ended_at"], run
        self.figures[run["status"]] += 1
        if run["status"] == "completed":
            assert run["reply"], run
        elif run["status"] == "cancelled":
            assert may_be_cancelled, run
        else:
            assert "interrupted" in run["error"] or "process ended" in run["error"], run

    async def _reply(self, run_id: int) -> None:
        run = await self._api.data("GET", f"/runs/{run_id}")
        assert (run["status"], run["reply"]) == ("completed", self._ledger.replies[run_id])

    async def _background(self, run_id: int) -> None:
        run = await self._api.data("GET", f"/runs/{run_id}")
        allowed = {"completed", "failed"} | ({"cancelled"} if run["agent_id"] in self._ledger.unsure else set())
        assert run["status"] in allowed, run
        places = [step["seq"] for step in run["steps"]]
        assert places == sorted(set(places))
        steps = [(step["type"], step["tool"]) for step in run["steps"]]
        if run["status"] != "cancelled":  # The partial reply of a cancelled run is kept as a failed step.
            assert {step["status"] for step in run["steps"]} <= {"done"}, run
        self.figures[f"background {run['status']}"] += 1
        if run["status"] == "completed":
            assert (run["reply"], steps) == (WORK_DONE, WORK_STEPS), run
        else:
            assert steps == WORK_STEPS[: len(steps)], run

    async def _conversation(self, public_id: str) -> None:
        status, answer = await self._api.call("GET", f"/chat/{public_id}?per_page=100")
        if public_id in self._ledger.deleted_conversations:
            assert status == 404, answer
        elif public_id not in self._ledger.unsure_conversations:
            assert status == 200, answer
            messages = await self._api.pages(f"/chat/{public_id}")
            said = [message["content"] for message in messages]
            place = 0
            for message, reply in self._ledger.conversations[public_id]:
                place = said.index(message, place)
                assert said[place + 1] == reply
