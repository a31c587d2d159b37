"""Compares the accepted orders and their external effects with the database after all the kills."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from tests.faults.api import Json
from tests.faults.orders import PARTS, PUSH, REPLY, STEPS, Orders
from tests.faults.receivers import FAILING, HEALTHY
from tests.faults.scripted_provider import ScriptedProvider
from tests.support.rows import rows
from tests.support.server import Server
from tests.webhooks.receiver import Receiver

_UNKNOWN = "not known"
_CAUSES = {
    "fleet.created": ("fleet_id",),
    "agent.created": ("agent_id",),
    "fleet.deployed": ("deployment_id",),
    "agent.deployed": ("fleet_id", "agent_id"),
    "tool.executed": ("run_id", "tool"),
    "agent.completed": ("run_id",),
    "agent.error": ("run_id",),
    "agent.cancelled": ("run_id",),
}
"""The fields that distinguish the causes of events with the same name."""

Cause = tuple[Any, ...]


class DurableAudit:
    """Checks the final tables. Counts what it finds in `figures`."""

    def __init__(self, server: Server, orders: Orders, provider: ScriptedProvider, receiver: Receiver) -> None:
        self._orders = orders
        self._provider = provider
        self._receiver = receiver
        self._fleets = rows(server, "SELECT * FROM fleets")
        self._agents = rows(server, "SELECT * FROM agents")
        self._runs = {row["id"]: row for row in rows(server, "SELECT * FROM runs")}
        self._deployments = {row["id"]: row for row in rows(server, "SELECT * FROM deployments")}
        self._parts = rows(server, "SELECT * FROM deployment_parts")
        self._events = rows(server, "SELECT * FROM events")
        self._steps: dict[int, list[Json]] = defaultdict(list)
        for step in rows(server, "SELECT * FROM messages WHERE role <> 'user' ORDER BY run_id, seq"):
            self._steps[step["run_id"]].append(step)
        self._items = [
            json.loads(row["body"])["value"]
            for row in rows(server, "SELECT body FROM workspace_records WHERE kind = 'queued'")
        ]
        self.figures: Counter[str] = Counter()

    def check(self) -> None:
        """Fail at the first discrepancy."""
        self._check_runs()
        self._check_deployments()
        self._check_tasks()
        self._check_events()
        self._check_model_calls()
        self._check_effects()
        for path in (HEALTHY, FAILING):
            self._check_deliveries(path)

    def _check_runs(self) -> None:
        """Check that exactly the accepted runs exist, and that they have ended."""
        of_parts = {part["run_id"] for part in self._parts if part["run_id"]}
        assert self._runs.keys() == self._orders.runs | of_parts
        assert not self._orders.runs & of_parts
        for run in self._runs.values():
            steps = [
                ("tool", step["tool_name"]) if step["tool_name"] else ("model", None) for step in self._steps[run["id"]]
            ]
            assert run["ended_at"], run
            self.figures[f"run {run['status']}"] += 1
            if run["status"] == "completed":
                assert (run["reply"], steps) == (REPLY, STEPS), run
            else:
                assert _given_up(run), run
                assert steps == STEPS[: len(steps)], run

    def _check_deployments(self) -> None:
        """Check that exactly the accepted deployments exist with all their parts, and that they have ended."""
        assert {key: row["strategy"] for key, row in self._deployments.items()} == self._orders.deployments
        parts = defaultdict(list)
        for part in self._parts:
            parts[part["deployment_id"]].append(part)
        for key, deployment in self._deployments.items():
            assert deployment["ended_at"], deployment
            assert len(parts[key]) == PARTS[deployment["strategy"]], deployment
            outcome = "completed" if _any_done(parts[key]) else "failed"
            assert deployment["status"] == outcome or _given_up(deployment), deployment
            self.figures[f"{deployment['strategy']} {deployment['status']}"] += 1
        assert [part for part in self._parts if not part["ended_at"]] == []

    def _check_tasks(self) -> None:
        """Check that each fleet counts its completed parts."""
        completed = Counter(
            self._deployments[part["deployment_id"]]["fleet_id"]
            for part in self._parts
            if part["status"] == "completed"
        )
        assert [row for row in self._fleets if row["tasks_completed"] != completed[row["id"]]] == []

    def _check_events(self) -> None:
        """Check that each cause has exactly one event."""
        told = Counter(_cause(event["name"], json.loads(event["data"])) for event in self._events)
        assert told == self._due()
        self.figures["events"] = told.total()

    def _due(self) -> Counter[Cause]:
        ends = {"completed": "agent.completed", "failed": "agent.error", "cancelled": "agent.cancelled"}
        due: Counter[Cause] = Counter()
        due.update(("fleet.created", row["id"]) for row in self._fleets)
        due.update(("agent.created", row["id"]) for row in self._agents)
        due.update(("fleet.deployed", key) for key in self._deployments)
        due.update((ends[run["status"]], key) for key, run in self._runs.items() if run["status"] in ends)
        begun = {(part["deployment_id"], part["agent_id"]) for part in self._parts if part["run_id"]}
        due.update(("agent.deployed", self._deployments[key]["fleet_id"], agent) for key, agent in begun)
        for run, steps in self._steps.items():
            due.update(
                ("tool.executed", run, step["tool_name"])
                for step in steps
                if step["state"] == "done" and step["tool_name"]
            )
        return due

    def _check_model_calls(self) -> None:
        """Check that the model was called once per step, plus at most once per interruption of the run."""
        runs = {(json.loads(run["options"])["agent_name"], run["message"]): run for run in self._runs.values()}
        assert len(runs) == len(self._runs)
        calls: dict[tuple[str, str], list[int]] = defaultdict(list)
        for step, number in self._provider.calls.items():
            calls[step.agent, step.message].append(number)
        assert calls.keys() <= runs.keys()
        for key, run in runs.items():
            interrupted, again = run["epoch"] - 1, sum(number - 1 for number in calls[key])
            assert again <= interrupted, (run, calls[key])
            assert run["status"] != "completed" or len(calls[key]) == 3, (run, calls[key])
            self.figures["interruptions of runs"] += interrupted
            self.figures["model calls repeated"] += again
        self.figures["model calls"] = self._provider.calls.total()

    def _check_effects(self) -> None:
        """Check that the non-idempotent tool had one effect per done step, and at most one per unknown outcome."""
        done, unknown = Counter[str](), Counter[str]()
        for step in (step for steps in self._steps.values() for step in steps if step["tool_name"] == PUSH):
            mark = json.loads(json.loads(step["tool_arguments"]))["value"]
            given_up = step["state"] == "started" and _given_up(self._runs[step["run_id"]])
            assert step["state"] == "done" or _UNKNOWN in step["content"] or given_up, step
            (done if step["state"] == "done" else unknown)[mark] += 1
        effects = Counter(self._items)
        for mark in effects | done | unknown:
            assert done[mark] <= effects[mark] <= done[mark] + unknown[mark], mark
        self.figures["effects"] = effects.total()
        self.figures["effects not known to the run"] = unknown.total()

    def _check_deliveries(self, path: str) -> None:
        """Check that every event was delivered, always as the same bytes under the same id."""
        bodies = defaultdict(set)
        requests = self._receiver.receive(path)
        for request in requests:
            bodies[request.headers["webhook-id"]].add(request.body)
        assert bodies.keys() == {event["id"] for event in self._events}
        for key, different in bodies.items():
            (body,) = different
            assert json.loads(body)["id"] == key
        self.figures[f"deliveries {path}"] = len(requests)


def _given_up(work: Json) -> bool:
    """Return whether work was set aside because too many processes died during it."""
    return work["status"] in ("failed", "cancelled") and "process ended" in (work["error"] or "")


def _any_done(parts: Iterable[Json]) -> bool:
    return any(part["kind"] == "work" and part["status"] == "completed" for part in parts)


def _cause(name: str, data: Json) -> Cause:
    return (name, *(data[field] for field in _CAUSES[name]))
