"""Customers that use the API continuously, each with their own records, and remember every response.

If a creation has no response, the customer sends it again after the server's restart, under the same idempotency key.
The outcome of any other request without a response is recorded as unknown.
"""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from tests.faults.api import Api, Json, ServerGone
from tests.support.server import Server

TOOLS = ["math_evaluate_expression", "text_convert_case"]
WORK = (
    '[[tool:math_evaluate_expression {"expression": "6 * 7"}]][[sleep:0.02]]'
    '[[tool:text_convert_case {"text": "two words", "style": "kebab"}]][[pace:0.005]][[words:12]]'
)
"""Calls two tools, then replies with twelve words."""

WORK_DONE = " ".join(f"word{number}" for number in range(1, 13))
WORK_STEPS = [("model", None), ("tool", TOOLS[0]), ("model", None), ("tool", TOOLS[1]), ("model", None)]


@dataclass
class Ledger:
    """What the server has acknowledged in its responses."""

    answered: int = 0
    agents: dict[int, Json] = field(default_factory=dict)
    unsure: set[int] = field(default_factory=set)
    """Agents that were deleted, or whose last change or deletion had no response."""
    deleted: set[int] = field(default_factory=set)
    replies: dict[int, str] = field(default_factory=dict)
    background: set[int] = field(default_factory=set)
    runs: Counter[int] = field(default_factory=Counter)
    """The number of acknowledged runs of each agent."""
    unsure_runs: Counter[int] = field(default_factory=Counter)
    """The number of runs of each agent that were requested without a response."""
    conversations: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    unsure_conversations: set[str] = field(default_factory=set)
    deleted_conversations: set[str] = field(default_factory=set)


_Operation = Callable[[Api], Awaitable[None]]


class Customer:
    """One of many concurrent customers."""

    def __init__(self, name: str, ledger: Ledger) -> None:
        self._name = name
        self._ledger = ledger
        self._chance = random.Random(name)
        self._count = 0
        self._agents: list[int] = []
        self._conversations: list[str] = []
        self._unanswered: Json | None = None
        """A creation without a response."""

    async def work(self, api: Api) -> None:
        """Make calls until the server dies. Raises `ServerGone`."""
        await self._create(api)
        while True:
            await self._chance.choice(self._operations())(api)

    def _operations(self) -> list[_Operation]:
        operations: list[_Operation] = [self._create, self._chat, self._chat_streamed, self._list]
        if self._agents:
            operations += [self._execute, self._background, self._background, self._deploy, self._update]
        if len(self._agents) > 2:
            operations.append(self._delete)
        if len(self._conversations) > 2:
            operations.append(self._delete_conversation)
        return operations

    def _next(self) -> str:
        self._count += 1
        return f"{self._name}-{self._count}"

    async def _create(self, api: Api) -> None:
        body = self._unanswered or {"agent_name": self._next(), "agent_role": "generalist", "skills": TOOLS}
        self._unanswered = body
        agent = await api.data("POST", "/agents", body, key=body["agent_name"])
        self._unanswered = None
        self._ledger.agents[agent["id"]] = agent
        self._agents.append(agent["id"])
        self._ledger.answered += 1

    async def _update(self, api: Api) -> None:
        agent = self._chance.choice(self._agents)
        self._ledger.unsure.add(agent)
        self._ledger.agents[agent] = await api.data("PUT", f"/agents/{agent}", {"task": f"{WORK} {self._next()}"})
        self._ledger.unsure.discard(agent)
        self._ledger.answered += 1

    async def _delete(self, api: Api) -> None:
        agent = self._agents.pop(0)
        self._ledger.unsure.add(agent)
        await api.data("DELETE", f"/agents/{agent}")
        self._ledger.deleted.add(agent)
        self._ledger.answered += 1

    async def _run(self, api: Api, path: str, body: Json) -> tuple[int, Json]:
        agent = self._chance.choice(self._agents)
        self._ledger.unsure_runs[agent] += 1
        answer = await api.data("POST", f"/agents/{agent}/{path}", body)
        self._ledger.unsure_runs[agent] -= 1
        self._ledger.runs[agent] += 1
        self._ledger.answered += 1
        return agent, answer

    async def _execute(self, api: Api) -> None:
        message = self._chance.choice([self._next(), WORK])
        _, answer = await self._run(api, "execute", {"message": message})
        assert answer["reply"] == (WORK_DONE if message == WORK else f"You said: {message}")
        self._ledger.replies[answer["run_id"]] = answer["reply"]

    async def _background(self, api: Api) -> None:
        _, run = await self._run(api, "execute", {"message": WORK, "background": True})
        self._ledger.background.add(run["id"])

    async def _deploy(self, api: Api) -> None:
        with_task = [agent for agent in self._agents if self._ledger.agents[agent].get("task")]
        if not with_task:
            return
        self._agents, all_of_them = with_task, self._agents
        try:
            _, agent = await self._run(api, "deploy", {})
        finally:
            self._agents = all_of_them
        assert agent["status"] == "working"

    async def _chat(self, api: Api) -> None:
        message = self._next()
        conversation = self._conversation()
        answer = await api.data("POST", "/chat", {"message": message, "tools": [], **conversation})
        assert answer["reply"] == f"You said: {message}"
        self._on_spoken(answer["conversation_id"], message, answer["reply"])

    async def _chat_streamed(self, api: Api) -> None:
        message = f"[[pace:0.005]]{self._next()}"
        conversation = self._conversation()
        text = await api.stream("/chat", {"message": message, "tools": [], "stream": True, **conversation})
        last = text.split("\n\n")[-3].removeprefix("data: ")
        done = json.loads(last)
        assert done["type"] == "done", text
        self._on_spoken(done["conversation_id"], message, f"You said: {message.partition(']]')[2]}")

    def _conversation(self) -> Json:
        if not self._conversations or self._chance.random() < 0.3:
            return {}
        return {"conversation_id": self._chance.choice(self._conversations)}

    def _on_spoken(self, conversation: str, message: str, reply: str) -> None:
        if conversation not in self._ledger.conversations:
            self._conversations.append(conversation)
        self._ledger.conversations.setdefault(conversation, []).append((message, reply))
        self._ledger.answered += 1

    async def _delete_conversation(self, api: Api) -> None:
        conversation = self._conversations.pop(0)
        self._ledger.unsure_conversations.add(conversation)
        await api.data("DELETE", f"/chat/{conversation}")
        self._ledger.deleted_conversations.add(conversation)
        self._ledger.answered += 1

    async def _list(self, api: Api) -> None:
        await api.data("GET", "/agents?per_page=5")


class Progress(Protocol):
    """Counts the responses of all clients."""

    answered: int


async def kill_under_load(server: Server, work: Iterable[Awaitable[None]], progress: Progress, after: int) -> None:
    """Run all clients, and kill the server after `after` more responses."""
    goal = progress.answered + after
    tasks = [asyncio.ensure_future(each) for each in work]
    while progress.answered < goal:
        done, _ = await asyncio.wait(tasks, timeout=0.01, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            await task
        assert not done, "a client ended before the server was killed"
    server.kill()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if outcome is not None and not isinstance(outcome, ServerGone):
            raise outcome
