"""Clients that use everything that is metered, and keep their own counts.

A request without a response because the server died may or may not have been counted. So each metric has a lower and an
upper bound, which are equal as long as the server does not die.
"""

import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.faults.api import Api, Json, ServerGone
from tests.faults.load import TOOLS

CALCULATE = "math_evaluate_expression"
_ASK_TOOL = f'[[tool:{CALCULATE} {{"expression": "6 * 7"}}]]'
_MOST_TOKENS = 500
"""An upper bound for the tokens of any message here."""

_RUN = {"agents": 1}
_RUN_IN_DOUBT = {"agents": 1, "agents.errors": 1, "agents.tokens": _MOST_TOKENS}
_CHAT = {"chat": 1}
_CHAT_IN_DOUBT = {"chat": 1, "chat.errors": 1, "chat.tokens": _MOST_TOKENS}
_WEBHOOKS = 2
"""Endpoints per client: ten clients share an account, which has at most 20."""
_INSTALLED = {"installations": 1, "agents_active": 1}
_TOOL = {"tools": 1, "tools.credits": 1}

Amounts = Mapping[str, int]


@dataclass
class Tally:
    """What one account has used by its clients' own count: at least `low`, at most `high`."""

    low: Counter[str] = field(default_factory=Counter)
    high: Counter[str] = field(default_factory=Counter)
    background: list[int] = field(default_factory=list)
    """Accepted background runs. Their usage is known when they end."""

    def add(self, amounts: Amounts) -> None:
        """Count a request with a response."""
        self.low.update(amounts)
        self.high.update(amounts)

    def doubt(self, amounts: Amounts) -> None:
        """Count a request that may have succeeded."""
        for name, amount in amounts.items():
            (self.high if amount > 0 else self.low)[name] += amount


@dataclass
class Calls:
    """The calls of all clients."""

    most: int
    answered: int = 0
    unanswered: int = 0
    statuses: Counter[int] = field(default_factory=Counter)

    def left(self) -> bool:
        """Return whether there are calls left to make."""
        return self.answered + self.unanswered < self.most


class Unable(Exception):
    """The database was too busy. The call does not count, and may or may not have succeeded."""


_Operation = Callable[[], Awaitable[None]]


class CountingClient:
    """One of many clients that share an account.

    The key `whole` has every scope, and `narrow` has only `agents:read`.
    """

    def __init__(self, name: str, tally: Tally, calls: Calls) -> None:
        self._name = name
        self._tally = tally
        self._calls = calls
        self._chance = random.Random(name)
        self._agents: list[int] = []
        self._fleets: list[int] = []
        self._files: list[tuple[str, int]] = []
        self._conversations: list[str] = []
        self._schedules: list[int] = []
        self._webhooks: list[int] = []
        self._room_for_webhooks = _WEBHOOKS
        """How many more endpoints may be created.

        If a creation or a deletion had no response, the endpoint still counts.
        """
        self._installations: list[int] = []
        self._worker: int | None = None
        """An agent for background work, which is never deleted."""

    async def work(self, whole: Api, narrow: Api, stranger: Api) -> None:
        """Make calls until there are none left. Raises `ServerGone` if the server dies."""
        self._whole, self._narrow, self._stranger = whole, narrow, stranger
        while self._calls.left():
            with suppress(Unable):
                await self._chance.choice(self._operations())()

    def _operations(self) -> list[_Operation]:
        operations: list[_Operation] = [
            self._read, self._read, self._read, self._be_refused, self._create_agent, self._create_fleet, self._upload,
            self._tool, self._failing_tool, self._chat, self._chat_streamed, self._install,
        ]  # fmt: skip
        if self._agents:
            operations += [self._update_agent, self._execute, self._execute_with_tool, self._background]
        if self._worker:
            operations.append(self._create_schedule)
        if self._room_for_webhooks:
            operations.append(self._create_webhook)
        operations += self._removals()
        return operations

    def _removals(self) -> list[_Operation]:
        operations: list[_Operation] = []
        if len(self._agents) > 2:
            operations.append(self._delete_agent)
        if self._schedules:
            operations += [self._run_schedule, self._delete_schedule]
        if self._webhooks:
            operations.append(self._delete_webhook)
        if self._installations:
            operations.append(self._uninstall)
        if self._fleets:
            operations.append(self._delete_fleet)
        if self._files:
            operations.append(self._delete_file)
        if self._conversations:
            operations.append(self._delete_conversation)
        return operations

    async def _count(self, answer: Awaitable[Any], effect: Amounts, doubt: Amounts | None = None) -> Any:
        """Return the status and body of a call, and count it with `effect`.

        Without a response, it may have had `doubt`.
        """
        try:
            status, body = await answer
        except ServerGone:
            self._calls.unanswered += 1
            self._tally.doubt({"api": 1, "api.errors": 1, **(effect if doubt is None else doubt)})
            raise
        self._calls.answered += 1
        self._calls.statuses[status] += 1
        if status == 503:
            self._tally.doubt(effect if doubt is None else doubt)
            raise Unable
        refused = 400 <= status < 500
        self._tally.add({"api": 1, "api.errors": int(refused), **effect})
        return status, body

    async def _call(
        self, method: str, path: str, body: Json | None = None, effect: Amounts | None = None, *, expect: int = 200
    ) -> Any:
        status, answer = await self._count(self._whole.call(method, path, body), effect or {})
        assert status == expect, (method, path, body, status, answer)
        return answer.get("data")

    async def _read(self) -> None:
        paths = ["/agents?per_page=5", "/fleets", "/usage", "/usage/history", "/tools?search=mean&per_page=3", "/files"]
        paths += [f"/agents/{agent}" for agent in self._agents[:1]]
        await self._call("GET", self._chance.choice(paths))

    async def _be_refused(self) -> None:
        refusal = self._chance.choice([400, 401, 403, 404, 405])
        if refusal == 400:
            await self._call("POST", "/agents", {"agent_name": 5}, expect=400)
        elif refusal == 401:
            status, _ = await self._stranger.call("GET", "/agents")
            assert status == 401
        elif refusal == 403:
            status, answer = await self._count(self._narrow.call("GET", "/usage"), {})
            assert status == 403, answer
        else:
            method, path = ("GET", "/agents/999999999") if refusal == 404 else ("PUT", "/agents")
            await self._call(method, path, expect=refusal)

    async def _create_agent(self) -> None:
        body = {"agent_name": self._name, "agent_role": "generalist", "skills": TOOLS}
        agent = await self._call("POST", "/agents", body, {"agents_active": 1}, expect=201)
        if self._worker is None:
            self._worker = agent["id"]
        else:
            self._agents.append(agent["id"])

    async def _update_agent(self) -> None:
        await self._call(
            "PUT", f"/agents/{self._chance.choice(self._agents)}", {"agent_name": f"{self._name}, changed"}
        )

    async def _delete_agent(self) -> None:
        await self._call("DELETE", f"/agents/{self._agents.pop()}", effect={"agents_active": -1})

    async def _create_fleet(self) -> None:
        fleet = await self._call("POST", "/fleets", {"name": self._name}, {"fleets_active": 1}, expect=201)
        self._fleets.append(fleet["id"])

    async def _delete_fleet(self) -> None:
        await self._call("DELETE", f"/fleets/{self._fleets.pop()}", effect={"fleets_active": -1})

    async def _create_schedule(self) -> None:
        body = {"name": self._name, "cron": "0 0 1 1 *", "agent_id": self._worker, "message": "Work"}
        schedule = await self._call("POST", "/schedules", body, {"schedules": 1}, expect=201)
        self._schedules.append(schedule["id"])

    async def _run_schedule(self) -> None:
        call = self._whole.call("POST", f"/schedules/{self._schedules[-1]}/run")
        status, answer = await self._count(call, _RUN, _RUN_IN_DOUBT)
        assert status == 202, answer
        self._tally.background.append(answer["data"]["run_id"])

    async def _delete_schedule(self) -> None:
        await self._call("DELETE", f"/schedules/{self._schedules.pop()}", effect={"schedules": -1})

    async def _create_webhook(self) -> None:
        self._room_for_webhooks -= 1
        body = {"url": "https://receiver.invalid/hook", "events": ["usage.threshold"]}
        webhook = await self._call("POST", "/webhooks", body, {"webhooks": 1}, expect=201)
        self._webhooks.append(webhook["id"])

    async def _delete_webhook(self) -> None:
        await self._call("DELETE", f"/webhooks/{self._webhooks.pop()}", effect={"webhooks": -1})
        self._room_for_webhooks += 1

    async def _install(self) -> None:
        """Install a copy of an agent that comes with the server."""
        items = await self._call("GET", "/marketplace?type=agent&per_page=1")
        made = await self._call("POST", f"/marketplace/{items[0]['id']}/install", None, _INSTALLED, expect=201)
        self._installations.append(made["id"])

    async def _uninstall(self) -> None:
        removed = {name: -amount for name, amount in _INSTALLED.items()}
        await self._call("DELETE", f"/marketplace/installed/{self._installations.pop()}", effect=removed)

    async def _upload(self) -> None:
        size = self._chance.randint(1, 50_000)
        effect = {"files": 1, "stored_bytes": size}
        status, answer = await self._count(self._whole.upload("counted.bin", b"x" * size), effect)
        assert status == 201, answer
        self._files.append((answer["data"]["id"], size))

    async def _delete_file(self) -> None:
        file_id, size = self._files.pop()
        await self._call("DELETE", f"/files/{file_id}", effect={"files": -1, "stored_bytes": -size})

    async def _tool(self) -> None:
        answer = await self._call("POST", f"/tools/{CALCULATE}/execute", {"args": {"expression": "2 + 3"}}, _TOOL)
        assert answer["credits_used"] == _TOOL["tools.credits"]

    async def _failing_tool(self) -> None:
        effect = {"tools": 1, "tools.errors": 1}
        await self._call("POST", f"/tools/{CALCULATE}/execute", {"args": {"expression": "1 / 0"}}, effect, expect=400)

    async def _run(self, message: str, effect: Amounts, doubt: Amounts) -> None:
        path = f"/agents/{self._chance.choice(self._agents)}/execute"
        call = self._whole.call("POST", path, {"message": message})
        status, answer = await self._count(call, {**_RUN, **effect}, {**_RUN_IN_DOUBT, **doubt})
        assert status == 200, answer
        self._tally.add({"agents.tokens": answer["data"]["tokens_used"]})

    async def _execute(self) -> None:
        await self._run("Work", {}, {})

    async def _execute_with_tool(self) -> None:
        await self._run(_ASK_TOOL, _TOOL, _TOOL)

    async def _background(self) -> None:
        call = self._whole.call("POST", f"/agents/{self._worker}/execute", {"message": "Work", "background": True})
        status, answer = await self._count(call, _RUN, _RUN_IN_DOUBT)
        assert status == 202, answer
        self._tally.background.append(answer["data"]["id"])

    def _message(self) -> Json:
        going_on = self._conversations and self._chance.random() < 0.5
        return {"message": "Hello", "tools": [], **({"conversation_id": self._conversations[-1]} if going_on else {})}

    async def _chat(self) -> None:
        await self._say(self._message(), self._whole.call)

    async def _chat_streamed(self) -> None:
        async def stream(_method: str, path: str, body: Json) -> tuple[int, Json]:
            text = await self._whole.stream(path, {**body, "stream": True})
            return 200, {"data": json.loads(text.split("\n\n")[-3].removeprefix("data: "))}

        await self._say(self._message(), stream)

    async def _say(self, body: Json, call: Callable[[str, str, Json], Awaitable[Any]]) -> None:
        new = {} if "conversation_id" in body else {"conversations": 1}
        status, answer = await self._count(call("POST", "/chat", body), {**_CHAT, **new}, {**_CHAT_IN_DOUBT, **new})
        assert status == 200, answer
        self._tally.add({"chat.tokens": answer["data"]["tokens_used"]})
        if new:
            self._conversations.append(answer["data"]["conversation_id"])

    async def _delete_conversation(self) -> None:
        await self._call("DELETE", f"/chat/{self._conversations.pop()}", effect={"conversations": -1})
