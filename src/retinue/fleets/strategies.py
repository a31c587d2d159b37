"""Implements the three strategies: the parts to create, the parts that may start, and the final answer.

Everything is derived from the current parts, so a worker that takes over a deployment continues where it stopped.
"""

from collections.abc import Callable, Iterable, Sequence

from retinue.fleets.schemas import Kind
from retinue.fleets.splitting import split
from retinue.fleets.steps import LIMIT, DeploymentOrder, DeploymentPart, FleetMember

_TURNS = ("leader", "specialist", "generalist", "reviewer")


def first_parts(order: DeploymentOrder) -> list[DeploymentPart]:
    """Return the parts that are known when the deployment starts."""
    return _FIRST[order.strategy](order)


def planned_parts(order: DeploymentOrder, parts: Sequence[DeploymentPart]) -> list[DeploymentPart]:
    """Return the parts of the leader's plan once it has ended, unless they exist already."""
    if len(parts) != 1 or parts[0].kind != "plan" or not parts[0].over or order.task is None:
        return []
    plan = parts[0]
    items = split(plan.reply).parts[:LIMIT] if plan.status == "completed" and plan.reply else []
    tasks = [f"{order.task}\n\nYour part of it: {item}" for item in items] if len(items) > 1 else [order.task]
    return _assign_in_turn(tasks, order.members, start=2)


def ready(order: DeploymentOrder, parts: Sequence[DeploymentPart], places: int) -> list[tuple[DeploymentPart, bool]]:
    """Return the parts that may start now, each with whether a copy of its agent executes it.

    An agent executes one part at a time. `places` is the number of temporary copies that the fleet can still add.
    """
    busy = {part.member.id for part in parts if part.status == "running" and not part.is_copy}
    found: list[tuple[DeploymentPart, bool]] = []
    for part in parts:
        if part.status != "waiting" or not _may_start(order, part, parts):
            continue
        if part.member.id not in busy:
            busy.add(part.member.id)
            found.append((part, False))
        elif places > 0:
            places -= 1
            found.append((part, True))
    return found


def wants_copies(order: DeploymentOrder, parts: Sequence[DeploymentPart]) -> bool:
    """Return whether parts wait only because their agents are busy."""
    waiting = [part for part in parts if part.status == "waiting" and _may_start(order, part, parts)]
    return len(waiting) > len(ready(order, parts, places=0))


def answer(order: DeploymentOrder, parts: Sequence[DeploymentPart]) -> str | None:
    """Return the deployment's reply: the reviewed answer, else the synthesis, else the agents' replies."""
    done = [part for part in parts if part.status == "completed"]
    work = [part for part in done if part.kind == "work"]
    reviewed = next((part for part in reversed(done) if part.kind == "review"), None)
    if reviewed is None and len(work) > 1 and len(groups := same_replies(work)) == 1:
        return groups[0][0].reply
    last = reviewed or next((part for part in reversed(done) if part.kind == "synthesis"), None)
    if last or not work:
        return last.reply if last else None
    if order.strategy == "sequential" or len(work) == 1:
        return work[-1].reply
    return "\n\n".join(
        f"{', '.join(part.member.name for part in same)}: {same[0].reply}" for same in same_replies(work)
    )


def same_replies(parts: Iterable[DeploymentPart]) -> list[list[DeploymentPart]]:
    """Group parts by their replies, without regard to case, spaces and the full stop at the end."""
    groups: dict[str, list[DeploymentPart]] = {}
    for part in parts:
        groups.setdefault(" ".join((part.reply or "").casefold().split()).rstrip("."), []).append(part)
    return list(groups.values())


def any_work_done(parts: Iterable[DeploymentPart]) -> bool:
    """Return whether at least one work part was completed."""
    return any(part.kind == "work" and part.status == "completed" for part in parts)


def _may_start(order: DeploymentOrder, part: DeploymentPart, parts: Sequence[DeploymentPart]) -> bool:
    if part.kind in ("plan", "work") and order.strategy != "sequential":
        return True
    before = [other for other in parts if other.number < part.number]
    return all(other.over for other in before) and (part.kind == "work" or any_work_done(before))


def _parallel(order: DeploymentOrder) -> list[DeploymentPart]:
    parts = _each(order.members, order.task)
    if parts and len(order.members) > 1:
        roles: tuple[tuple[Kind, FleetMember | None], ...] = (
            ("synthesis", order.first("leader")),
            ("review", order.first("reviewer")),
        )
        parts += [DeploymentPart(0, kind, member, None) for kind, member in roles if member]
    return _number(parts)


def _sequential(order: DeploymentOrder) -> list[DeploymentPart]:
    in_turn = sorted(order.members, key=lambda member: _TURNS.index(member.role))
    return _number(_each(in_turn, order.task))


def _round_robin(order: DeploymentOrder) -> list[DeploymentPart]:
    if order.task is None:
        return _number(_each(order.members, None))
    found = split(order.task)
    leader = order.first("leader")
    if len(found.parts) == 1 and leader:
        return [DeploymentPart(1, "plan", leader, order.task)]
    tasks = [f"{found.around}\n\n{part}" if found.around else part for part in found.parts]
    return _assign_in_turn(tasks, order.members)


_FIRST: dict[str, Callable[[DeploymentOrder], list[DeploymentPart]]] = {
    "parallel": _parallel,
    "sequential": _sequential,
    "round-robin": _round_robin,
}


def _each(members: Iterable[FleetMember], task: str | None) -> list[DeploymentPart]:
    """Return a part for each member: the common task, else its own. A member with neither gets no part."""
    return [DeploymentPart(0, "work", member, task or member.task) for member in members if task or member.task]


def _assign_in_turn(tasks: Sequence[str], members: Sequence[FleetMember], start: int = 1) -> list[DeploymentPart]:
    return [
        DeploymentPart(number, "work", members[index % len(members)], task)
        for index, (number, task) in enumerate(zip(range(start, start + len(tasks)), tasks, strict=True))
    ]


def _number(parts: list[DeploymentPart]) -> list[DeploymentPart]:
    for number, part in enumerate(parts, start=1):
        part.number = number
    return parts
