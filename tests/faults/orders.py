"""Customers that order background runs and fleet deployments, wait for each, and remember what was accepted.

A customer sends every order under an idempotency key, to any running node, until there is a response. So each order is
accepted once.
"""

import asyncio
import json
import random
from contextlib import suppress
from dataclasses import dataclass, field

import aiohttp

from tests.faults.api import Api, Json, ServerGone
from tests.faults.nodes import Nodes

PUSH = "queue_push"
"""A tool that is not idempotent: each call adds an item to a queue."""

TOOLS = ["text_convert_case", PUSH]
REPLY = " ".join(f"word{number}" for number in range(1, 9))
STEPS = [("model", None), ("tool", TOOLS[0]), ("model", None), ("tool", PUSH), ("model", None)]
ROLES = ("leader", "specialist", "reviewer")
PARTS = {"parallel": 5, "sequential": 3, "round-robin": 5}
"""The number of parts of a deployment of three agents. For round-robin, the task has that many lines."""

_AGAIN_S = 0.05
_LOOK_S = 0.2
_THINKS_S = 0.5
"""The longest pause of a customer between two orders."""


def work(mark: str) -> str:
    """Return directives for two tool calls, the second of which adds `mark` to a queue, and a reply of eight words."""
    push = json.dumps({"queue": "effects", "value": mark})
    return (
        f'[[tool:{TOOLS[0]} {{"text": "two words", "style": "kebab"}}]][[pace:0.01]]'
        f"[[tool:{PUSH} {push}]][[pace:0.01]][[words:8]]"
    )


def task(strategy: str, mark: str) -> str:
    """Return the task of a deployment."""
    lines = PARTS[strategy] if strategy == "round-robin" else 1
    return "\n".join(work(f"{mark}.{number}") for number in range(lines))


@dataclass
class Orders:
    """The accepted orders: the ids of runs, and the strategies of deployments by id."""

    runs: set[int] = field(default_factory=set)
    deployments: dict[int, str] = field(default_factory=dict)
    closed: bool = False
    """Whether customers stop ordering."""


class Customer:
    """One of many customers that each have a fleet of three agents."""

    def __init__(self, name: str, nodes: Nodes, session: aiohttp.ClientSession, key: str, orders: Orders) -> None:
        self._name = name
        self._nodes = nodes
        self._session = session
        self._key = key
        self._orders = orders
        self._chance = random.Random(name)
        self._count = 0

    async def work(self) -> None:
        """Order one thing after the other until `orders` is closed."""
        fleet, agents = await self._settle()
        while not self._orders.closed:
            await asyncio.sleep(self._chance.random() * _THINKS_S)
            if self._chance.random() < 0.5:
                await self._run(self._chance.choice(agents))
            else:
                await self._deploy(fleet, self._chance.choice(list(PARTS)))

    async def _settle(self) -> tuple[int, list[int]]:
        scaled = self._chance.random() < 0.5
        fleet = await self._order("/fleets", {"name": self._name, "auto_scale": scaled})
        agents = [
            await self._order(
                "/agents",
                {
                    "agent_name": f"{self._name} {role}",
                    "agent_role": role,
                    "skills": TOOLS,
                    "fleet_id": fleet["id"],
                },
            )
            for role in ROLES
        ]
        return fleet["id"], [agent["id"] for agent in agents]

    async def _run(self, agent: int) -> None:
        body = {"message": work(self._mark()), "background": True}
        run = await self._order(f"/agents/{agent}/execute", body)
        self._orders.runs.add(run["id"])
        await self._end(f"/runs/{run['id']}")

    async def _deploy(self, fleet: int, strategy: str) -> None:
        body = {"task": task(strategy, self._mark()), "strategy": strategy}
        deployment = (await self._order(f"/fleets/{fleet}/deploy", body))["deployment_id"]
        self._orders.deployments[deployment] = strategy
        await self._end(f"/fleets/{fleet}/deployments/{deployment}")

    def _mark(self) -> str:
        self._count += 1
        return f"{self._name}-{self._count}"

    async def _order(self, path: str, body: Json) -> Json:
        return await self._ask("POST", path, body, f"{path} {self._mark()}")

    async def _end(self, path: str) -> None:
        while True:
            if (await self._ask("GET", path))["ended_at"]:
                return
            await asyncio.sleep(_LOOK_S)

    async def _ask(self, method: str, path: str, body: Json | None = None, key: str | None = None) -> Json:
        """Send a request until there is a successful response."""
        while True:
            with suppress(ServerGone):
                if server := self._nodes.any(self._chance):
                    api = Api(self._session, server.url, self._key)
                    status, answer = await api.call(method, path, body, key)
                    assert status < 300 or status == 503, (method, path, status, answer)
                    if status < 300:
                        data: Json = answer["data"]
                        return data
            await asyncio.sleep(_AGAIN_S)
