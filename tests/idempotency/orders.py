"""One request of every kind that accepts an idempotency key, and how to count its effects."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from retinue.core.errors import Unavailable
from tests.faults.api import Api, Json, ServerGone
from tests.tools.imports.pets import pets

AT_ONCE = 5
ASK_OUT = '[[tool:web_extract_links {"html": "<a href=\\"https://example.com/\\">One</a>"}]]'
_WAIT_S = 120.0
_AGENT = {"agent_role": "generalist"}


class Found:
    """Reads lists from the API once each."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self._pages: dict[str, list[Json]] = {}

    async def list_all(self, path: str) -> list[Json]:
        """Return all records of a list."""
        if path not in self._pages:
            self._pages[path] = await self.api.pages(path)
        return self._pages[path]

    async def count(self, path: str, **wanted: str) -> int:
        """Return how many records of a list have these fields."""
        return sum(all(record[name] == value for name, value in wanted.items()) for record in await self.list_all(path))

    async def notes(self, title: str) -> int:
        """Return how many notes have this title."""
        answer = await self.api.data("POST", "/tools/note_search/execute", {"args": {"limit": 100}})
        return sum(note["title"] == title for note in answer["result"]["notes"])


@dataclass
class Order:
    """A request that is repeated under its key. `effect` returns how often it took effect."""

    path: str
    body: Json | bytes
    effect: Callable[[Found], Awaitable[int]]
    may_be_unknown: bool = False
    """Whether the response may say that the outcome is unknown. Then there may be one effect or none."""
    runs_while_it_waits: bool = False
    """Whether the request waits for a run, which the death of its process interrupts. Then that is the response."""
    key: str = field(default_factory=lambda: str(uuid.uuid4()))
    answers: list[tuple[int, Any]] = field(default_factory=list)

    async def send(self, api: Api, times: int = AT_ONCE) -> None:
        """Send it `times` times concurrently. If the server dies or returns 503, there is no response."""
        await asyncio.gather(*(self._send(api) for _ in range(times)))

    async def _send(self, api: Api) -> None:
        try:
            if isinstance(self.body, bytes):
                status, answer = await api.upload(self.path, self.body, self.key)
            else:
                status, answer = await api.call("POST", self.path, self.body, self.key)
        except ServerGone:
            return
        interrupted = self.runs_while_it_waits and status == Unavailable.status and "interrupted" in str(answer)
        if interrupted or status != Unavailable.status:
            self.answers.append((status, answer))

    async def check(self, found: Found) -> None:
        """Check that all responses are equal and that there was one effect."""
        status, answer = self.answers[-1]
        assert [other for other in self.answers if other != (status, answer)] == [], (self.path, self.answers)
        effects = await self.effect(found)
        if status == 400 and self.may_be_unknown:
            assert "not known" in answer["error"]["message"]
            assert effects <= 1, self.path
        elif status == Unavailable.status:
            assert effects == 1, self.path
        else:
            assert (status < 300, effects) == (True, 1), (self.path, answer, effects)


async def prepare(api: Api, mark: str) -> list[Order]:
    """Create an order of each kind, with its own records that `mark` identifies."""
    agent = await _new_agent(api, mark, skills=["note_create"], task=mark)
    path = f"/agents/{agent}"
    fleet = (await api.data("POST", "/fleets", {"name": f"{mark} with work"}))["id"]
    await _new_agent(api, f"{mark}, a member", fleet_id=fleet)
    idle = await _new_agent(api, f"{mark}, idle")
    hook = {"url": "http://127.0.0.1:9/", "events": ["usage.threshold"]}
    hook_path = f"/webhooks/{(await api.data('POST', '/webhooks', hook))['id']}"
    first = (await api.data("POST", f"{hook_path}/test", {}))["id"]
    cautious = await _new_agent(api, f"{mark}, cautious", skills=["web_extract_links"], approval="required")
    approval = await _pending(api, cautious)

    yearly = {"cron": "0 0 1 1 *", "agent_id": idle, "message": mark}
    schedule = f"/schedules/{(await api.data('POST', '/schedules', {'name': mark, **yearly}))['id']}"

    scenario = {"name": mark, "persona": "A guest.", "goal": "A table.", "opening": "Hello."}
    simulated = {"agent_id": idle, "scenarios": [scenario], "max_turns": 1}
    simulation = f"/simulations/{(await api.data('POST', '/simulations', simulated))['id']}"

    async def fire(found: Found) -> int:
        return len(await found.list_all(f"{schedule}/runs"))

    async def decide(found: Found) -> int:
        return int((await found.api.data("GET", f"/approvals/{approval}"))["status"] == "approved")

    async def deliver(found: Found) -> int:
        return len(await found.list_all(f"{hook_path}/deliveries")) - 2

    async def ask(found: Found) -> int:
        return await found.count(f"/agents/{cautious}/runs", message=ASK_OUT) - 1

    async def one_effect(_: Found) -> int:
        return 1

    tool = f'[[tool:note_create {{"title": "{mark} by an agent"}}]]'
    source = {"kind": "openapi", "name": mark, "document": pets()}
    again = f"/tools/sources/{await _shared_source(api)}/refresh"
    executed = _one(f"{path}/runs", message=f"{mark} now")
    return [
        Order("/agents", {"agent_name": f"{mark} made", **_AGENT}, _one("/agents", agent_name=f"{mark} made")),
        Order(f"{path}/execute", {"message": f"{mark} now"}, executed, runs_while_it_waits=True),
        Order(f"{path}/execute", {"message": tool, "background": True}, _one(f"{path}/runs", message=tool)),
        Order(f"{path}/deploy", {}, _one(f"{path}/runs", message=mark)),
        Order(f"/agents/{idle}/stop", {}, one_effect),
        Order("/simulations", {"name": f"{mark} made", **simulated}, _one("/simulations", name=f"{mark} made")),
        Order(f"{simulation}/cancel", {}, one_effect),
        Order(f"/agents/{cautious}/execute", {"message": ASK_OUT, "background": True}, ask),
        Order(f"/approvals/{approval}", {"decision": "approve"}, decide),
        Order(
            "/chat",
            {"message": f"{mark} chat", "tools": []},
            _one("/chat", title=f"{mark} chat"),
            runs_while_it_waits=True,
        ),
        Order("/schedules", {"name": f"{mark} made", **yearly}, _one("/schedules", name=f"{mark} made")),
        Order(f"{schedule}/run", {}, fire),
        Order(f"{schedule}/pause", {}, one_effect),
        Order("/fleets", {"name": f"{mark} made"}, _one("/fleets", name=f"{mark} made")),
        Order(f"/fleets/{fleet}/deploy", {"task": mark}, _one(f"/fleets/{fleet}/deployments", task=mark)),
        Order(f"{hook_path}/test", {}, deliver),
        Order(f"{hook_path}/deliveries/{first}/replay", {}, deliver),
        Order(f"{mark}.txt", mark.encode(), _one("/files", name=f"{mark}.txt")),
        Order("/tools/note_create/execute", {"args": {"title": mark}}, lambda found: found.notes(mark), True),
        Order("/tools/math_evaluate_expression/execute", {"args": {"expression": "6 * 7"}}, one_effect),
        Order("/tools/sources", source, _one("/tools/sources", name=mark)),
        Order(again, {"document": {"openapi": "3.1.0", "paths": {f"/{mark}": {"get": {}}}}}, one_effect),
    ]


def _one(path: str, **wanted: str) -> Callable[[Found], Awaitable[int]]:
    """Return a function that counts the records of a list with these fields."""
    return lambda found: found.count(path, **wanted)


async def _new_agent(api: Api, name: str, **fields: object) -> int:
    agent = await api.data("POST", "/agents", {"agent_name": name, **_AGENT, **fields})
    return int(agent["id"])


async def _shared_source(api: Api) -> int:
    """Return the source that every round refreshes: an account may not have two for each round."""
    for source in await api.pages("/tools/sources"):
        if source["name"] == "again":
            return int(source["id"])
    source = await api.data("POST", "/tools/sources", {"kind": "openapi", "name": "again", "document": pets()})
    return int(source["id"])


async def _pending(api: Api, agent: int) -> int:
    """Start a run that waits for approval. Returns the approval's id."""
    run = await api.data("POST", f"/agents/{agent}/execute", {"message": ASK_OUT, "background": True})
    async with asyncio.timeout(_WAIT_S):
        while not (found := [one for one in await api.pages("/approvals") if one["run_id"] == run["id"]]):
            await asyncio.wait([asyncio.ensure_future(asyncio.sleep(0.02))])
    return int(found[0]["id"])
