"""The steps that follow from the outcomes of a deployment's parts."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from retinue.fleets.schemas import Strategy
from retinue.fleets.steps import DeploymentOrder, DeploymentPart, FleetMember
from retinue.fleets.strategies import any_work_done, first_parts, planned_parts, ready

ROLES = st.sampled_from(["leader", "specialist", "generalist", "reviewer"])
TASKS = st.sampled_from([None, "one task", "- a\n- b\n- c", "a\nb"])
STRATEGIES: st.SearchStrategy[Strategy] = st.sampled_from(["parallel", "sequential", "round-robin"])
TURNS = ["leader", "specialist", "generalist", "reviewer"]


@st.composite
def orders(draw: st.DrawFn) -> DeploymentOrder:
    """Draw a deployment of one to six agents."""
    roles = draw(st.lists(ROLES, min_size=1, max_size=6))
    members = [FleetMember(number, f"agent {number}", role, draw(TASKS)) for number, role in enumerate(roles, start=1)]
    return DeploymentOrder(draw(STRATEGIES), draw(TASKS), members)


def carry_out(order: DeploymentOrder, places: int, draw: st.DataObject) -> list[DeploymentPart]:
    """Let parts end in any order, with or without success, until none runs. Checks every state."""
    parts = first_parts(order)
    while True:
        parts += planned_parts(order, parts)
        free = places - sum(part.is_copy for part in parts if part.status == "running")
        for part, as_copy in ready(order, parts, free):
            part.status, part.is_copy = "running", as_copy
        running = [part for part in parts if part.status == "running"]
        if not running:
            return parts
        _check(order, running, places)
        part = draw.draw(st.sampled_from(running))
        part.status = draw.draw(st.sampled_from(["completed", "failed", "cancelled"]))
        part.reply = "1. x\n2. y" if part.status == "completed" else None


def _check(order: DeploymentOrder, running: list[DeploymentPart], places: int) -> None:
    at_work = Counter(part.member.id for part in running if not part.is_copy)
    assert set(at_work.values()) <= {1}
    assert sum(part.is_copy for part in running) <= places
    if order.strategy == "sequential" or any(part.kind != "work" for part in running):
        assert len(running) == 1


@given(orders(), st.integers(0, 3), st.data())
def test_every_deployment_comes_to_its_end(order: DeploymentOrder, places: int, draw: st.DataObject) -> None:
    parts = carry_out(order, places, draw)
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))
    left = [part for part in parts if not part.over]
    assert not left or not any_work_done(parts)
    assert {part.kind for part in left} <= {"synthesis", "review"}


@given(orders())
def test_each_strategy_begins_with_its_members(order: DeploymentOrder) -> None:
    parts = first_parts(order)
    busy = {part.member.id for part in parts if part.kind == "work"}
    if order.task is None:
        assert busy == {member.id for member in order.members if member.task}
    elif order.strategy != "round-robin":
        assert busy == {member.id for member in order.members}
    if order.strategy == "sequential":
        turns = [TURNS.index(part.member.role) for part in parts]
        assert turns == sorted(turns)
