"""The sweep of schemas' bounds: which calls it makes, and what it takes for a fault."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from retinue.core.errors import InternalError, RetinueError, Unavailable, ValidationFailed
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.argument_validation import ArgumentChecker
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.verification.boundary_values import BoundarySweep, bounds_of


@dataclass
class Scripted:
    """Answers every call in the same way."""

    outcome: Mapping[str, Any] | RetinueError
    calls: list[Mapping[str, Any]] = field(default_factory=list)

    async def lend(self, name: str, content: bytes) -> str:
        """Any id."""
        return f"file_{name:0>26}"[:31]

    async def connect(self, connection: Mapping[str, Any]) -> int:
        """Never asked for."""
        raise AssertionError

    async def disconnect(self, connection_id: int) -> None:
        """Never asked for."""
        raise AssertionError

    async def execute(self, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """What was scripted."""
        self.calls.append(args)
        if isinstance(self.outcome, RetinueError):
            raise self.outcome
        return dict(self.outcome)

    async def name_of(self, file_id: str) -> str:
        """Never asked for."""
        raise AssertionError


def dice(catalogue: Catalogue) -> Tool:
    return catalogue.get("stats_compute_coincidence")


def test_every_bound_of_a_schema_is_among_the_calls(catalogue: Catalogue) -> None:
    tool = dice(catalogue)
    calls = list(bounds_of(tool, {"items": 23, "possible": 365}))
    for name, schema in tool.input_schema["properties"].items():
        assert {schema["minimum"], schema["maximum"]} <= {call.get(name) for call in calls}


def test_most_calls_at_the_bounds_fit_the_schema(catalogue: Catalogue) -> None:
    tool = dice(catalogue)
    checker = ArgumentChecker(tool)
    for call in bounds_of(tool, {"items": 23, "possible": 365}):
        checker.check(call)


@pytest.mark.parametrize("answer", [ValidationFailed("items is too large."), Unavailable("ran past its time-out")])
async def test_a_refusal_is_no_fault(catalogue: Catalogue, answer: RetinueError) -> None:
    assert await BoundarySweep(Scripted(answer), 5).faults(dice(catalogue)) == []


@pytest.mark.parametrize("answer", [InternalError("It failed."), {"probability": "high"}, {"unknown": 1}])
async def test_a_failure_and_a_result_that_does_not_fit_are_faults(
    catalogue: Catalogue, answer: RetinueError | Mapping[str, Any]
) -> None:
    executor = Scripted(answer)
    faults = await BoundarySweep(executor, 5).faults(dice(catalogue))
    assert len(faults) == len(executor.calls) == 5
    assert all(fault.startswith("stats_compute_coincidence: ") for fault in faults)


async def test_a_sample_is_the_same_in_every_run_and_none_reaches_out(catalogue: Catalogue) -> None:
    samples = []
    for _ in range(2):
        executor = Scripted(ValidationFailed("No."))
        await BoundarySweep(executor, 4).faults(dice(catalogue))
        samples.append(executor.calls)
    assert samples[0] == samples[1]
    outside = Scripted(InternalError("It failed."))
    assert await BoundarySweep(outside, 4).faults(catalogue.get("http_send_request")) == []
    assert outside.calls == []
