"""A hundred runs with fallbacks, summaries, parallel tools and kills: each counts exactly the answers in its journal.

An answer that the process did not write to the journal before it died is asked for again. What the provider charges
for the lost one is not known here, and counts nowhere.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from aiohttp import web

from tests.conftest import StartServer
from tests.providers.support import provide, remote
from tests.support.client import Client, data
from tests.support.model_server import ModelServer, running_model_server, send_delta
from tests.support.rows import rows
from tests.support.sampling import EXHAUSTIVE
from tests.support.server import Server
from tests.support.waiting import eventually

RUNS, STEPS = 100, 3
KILLS = ("runs.tool_started:120", "runs.model_step:120", "runs.finished:30")
"""Places in the journals at which the server dies, one after the other."""
PUSH = "queue_push"
FILLER = "lorem ipsum " * 700
PRICES = {
    "m1": {"input": "3.0000000001", "cached_input": "0.3", "output": "15"},
    "m2": {"input": "0.07", "output": "0.21"},
}
_STEP = re.compile(r"run-(\d+)-step-(\d+)")
_ANSWER = re.compile(r"answer-(\d+)\.")
_SETTLED_S = 120.0


class Report(NamedTuple):
    """What the provider reported for an answer."""

    model: str
    prompt: int
    cached: int
    completion: int
    reasoning: int

    @property
    def usage(self) -> dict[str, int]:
        """The token counts as the API names them."""
        return {
            "input_tokens": self.prompt,
            "cached_input_tokens": self.cached,
            "output_tokens": self.completion,
            "reasoning_tokens": self.reasoning,
        }

    @property
    def cost(self) -> Fraction:
        """The price in USD."""
        price = PRICES[self.model]
        cached = Fraction(price.get("cached_input", price["input"]))
        fresh = (self.prompt - self.cached) * Fraction(price["input"])
        return (fresh + self.cached * cached + self.completion * Fraction(price["output"])) / 10**6


class Accountant(ModelServer):
    """Serves `m1`, which fails at times, and `m2`. It derives each step from the messages, and numbers its answers."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.reports: dict[int, Report] = {}
        self._failed: set[tuple[int, int]] = set()

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/chat/completions`, once the test calls `release`."""
        await self._released.wait()
        body = await request.json()
        text = json.dumps(body["messages"])
        run = int(re.search(r"Work on run-(\d+)\.", text)[1])  # type: ignore[index] # each request tells it
        step = 1 + max((int(found) for _, found in _STEP.findall(text)), default=0)
        if body["model"] == "m1" and (refusal := self._refuse(run, step)):
            return refusal
        number = len(self.reports) + 1
        report = Report(body["model"], 1000 + number, 7 * (number % 5), 100 + number % 11, number % 3)
        self.reports[number] = report
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        summarizes = "your summary takes their place" in text
        await self._write(response, number, run, step, works=step <= STEPS and not summarizes)
        details = {"cached_tokens": report.cached}, {"reasoning_tokens": report.reasoning}
        usage = dict(zip(("prompt_tokens_details", "completion_tokens_details"), details, strict=True))
        counts = {"prompt_tokens": report.prompt, "completion_tokens": report.completion}
        await response.write(f"data: {json.dumps({'choices': [], 'usage': {**counts, **usage}})}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        return response

    async def _write(self, response: web.StreamResponse, number: int, run: int, step: int, *, works: bool) -> None:
        place = f"run-{run}-step-{step}" if works else f"run-{run}-step-{step - 1}"
        await send_delta(response, {"content": f"answer-{number}. {place} {FILLER if works else ''}"})
        for index in range(2) if works else ():
            arguments = json.dumps({"queue": "work", "value": f"{place}-{index}"})
            function = {"name": PUSH, "arguments": arguments}
            call = {"index": index, "id": f"call_{number}_{index}", "type": "function", "function": function}
            await send_delta(response, {"tool_calls": [call]})
        await send_delta(response, {}, finish="tool_calls" if works else "stop")

    def _refuse(self, run: int, step: int) -> web.Response | None:
        """Refuse the key in some steps of some runs; in others be busy the first time."""
        if run % 5 == 0 and step % 2 == 0:
            return web.json_response({"error": {"message": "no"}}, status=401)
        if run % 7 == 0 and step == 3 and (run, step) not in self._failed:
            self._failed.add((run, step))
            return web.json_response({"error": {"message": "busy"}}, status=429, headers={"Retry-After": "0"})
        return None


@pytest.fixture
def provider() -> Iterator[Accountant]:
    """The model provider."""
    with running_model_server(Accountant) as running:
        yield running


def start_runs(server: Server, client: Client, provider: Accountant) -> str:
    """Start the runs of one agent. Returns the agent's path."""
    for name, model in (("mine", "m1"), ("spare", "m2")):
        entry = {"id": model, "context_tokens": 8192, "price": PRICES[model]}
        provide(client, remote(provider.url, name=name, models=[entry]))
    fields = {"skills": [PUSH], "model": "mine/m1", "fallback_models": ["spare/m2"]}
    agent = data(client.post("/agents", {"agent_name": "worker", "agent_role": "generalist", **fields}), 201)
    path = f"/agents/{agent['id']}"
    for number in range(RUNS):
        data(client.post(f"{path}/execute", {"message": f"Work on run-{number}.", "background": True}), 202)
    return path


def all_ended(server: Server) -> bool:
    """Return whether no run is open."""
    return not rows(server, "SELECT id FROM runs WHERE ended_at IS NULL LIMIT 1")


def check_run(run: dict[str, Any], provider: Accountant) -> list[int]:
    """Check that a run's usage and cost are what the provider reported for its answers. Returns their numbers."""
    assert run["status"] == "completed", run
    answers = {int(_ANSWER.match(step["content"])[1]): step for step in run["steps"] if step["type"] != "tool"}  # type: ignore[index] # each answer begins with its number
    reports = {number: provider.reports[number] for number in answers}
    for number, step in answers.items():
        assert step["usage"] == reports[number].usage
        assert step["model"].endswith(reports[number].model)
        assert Fraction(step["cost_usd"]) == reports[number].cost
    usage = Counter[str]()
    for report in reports.values():
        usage.update(report.usage)
    assert run["usage"] == {name: usage[name] for name in run["usage"]}
    assert run["tokens_used"] == usage["input_tokens"] + usage["output_tokens"]
    assert Fraction(run["cost_usd"]) == sum(report.cost for report in reports.values())
    return list(answers)


@EXHAUSTIVE
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_hundred_runs_count_their_exact_usage(start_server: StartServer, provider: Accountant) -> None:
    server = start_server(RETINUE_CRASH_AT=KILLS[0], RETINUE_ALLOWED_NETWORKS="127.0.0.0/8")
    client = Client(server, server.new_key(server.new_user()))
    path = start_runs(server, client, provider)
    provider.release()
    for place in (*KILLS[1:], ""):
        server.has_died(within=_SETTLED_S)
        server.start(RETINUE_CRASH_AT=place)
    eventually(lambda: all_ended(server), within=_SETTLED_S)
    ended = data(client.get(f"{path}/runs?per_page=100"))
    runs = [data(client.get(f"/runs/{run['id']}")) for run in ended]
    taken = [number for run in runs for number in check_run(run, provider)]
    assert len(runs) == RUNS
    assert len(taken) == len(set(taken)) <= len(provider.reports)
    check_steps(server, runs)
    used = {one["resource_type"]: one for one in data(client.get("/usage/history"))}["agents"]
    assert used["tokens"] == sum(run["tokens_used"] for run in runs)
    assert used["usage"] == {name: sum(run["usage"][name] for run in runs) for name in used["usage"]}
    assert Decimal(used["cost_usd"]) == sum(Decimal(run["cost_usd"]) for run in runs)
    assert server.ask("check") == []


def check_steps(server: Server, runs: list[dict[str, Any]]) -> None:
    """Check that all that was to happen in the runs did, and that no tool was executed twice."""
    steps = [step for run in runs for step in run["steps"]]
    assert any(step["type"] == "compaction" for step in steps)
    assert {step["model"] for step in steps if step["type"] == "model"} == {"mine/m1", "spare/m2"}
    assert {len(step["attempts"]) for step in steps} >= {0, 1}
    items = rows(server, "SELECT body FROM workspace_records WHERE kind = 'queued'")
    pushed = Counter(json.loads(item["body"])["value"] for item in items)
    asked = {
        f"run-{run}-step-{step}-{index}" for run in range(RUNS) for step in range(1, STEPS + 1) for index in (0, 1)
    }
    assert set(pushed.values()) == {1}, "a tool was executed twice"
    done = {step["arguments"]["value"] for step in steps if step["type"] == "tool" and step["status"] == "done"}
    called = {step["arguments"]["value"] for step in steps if step["type"] == "tool"}
    assert called == asked
    assert done <= set(pushed) <= asked
