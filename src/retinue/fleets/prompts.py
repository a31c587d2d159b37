"""Builds the prompts for the parts of a deployment."""

from collections.abc import Sequence

from retinue.fleets.steps import DeploymentOrder, DeploymentPart

_CHARACTERS = 12_000
"""Maximum total length of the other agents' replies in one prompt."""

_PLAN = (
    "Split this task into parts that can be worked on independently of each other. Answer with a numbered list, one "
    "part on each line, and nothing else."
)
_SYNTHESIS = "Bring these results together into one answer that stands on its own and repeats every value in them."
_MISSING = "Say what is missing."
_REVIEW = (
    "Check this for errors and gaps, and correct them. Answer with the corrected answer alone, so that it stands on "
    "its own."
)


def message_of(order: DeploymentOrder, part: DeploymentPart, parts: Sequence[DeploymentPart]) -> str:
    """Return the message for a part's run."""
    before = _ended_before(part, parts)
    if part.kind == "plan":
        return f"{_PLAN}\n\nThe task:\n{part.task}"
    if part.kind == "synthesis":
        lacking = any(other.status != "completed" for other in before)
        wish = f"{_SYNTHESIS} {_MISSING}" if lacking else _SYNTHESIS
        return _join(_task(order), _results("The results of the agents:", before), wish)
    if part.kind == "review":
        return _join(_task(order), _work_to_check(before), _REVIEW)
    if order.strategy == "sequential" and before:
        return _join(part.task or "", _results("What came before, by those whose turn it was:", before))
    return part.task or ""


def untrusted_source(order: DeploymentOrder, part: DeploymentPart, parts: Sequence[DeploymentPart]) -> str | None:
    """Return the source of untrusted content in a part's message: what the agents read whose replies it contains.

    The task of a planned part is text of the plan.
    """
    quotes = part.kind != "work" or order.strategy == "sequential"
    sources = [other for other in _ended_before(part, parts) if quotes or other.kind == "plan"]
    return next((other.untrusted for other in sources if other.untrusted), None)


def _ended_before(part: DeploymentPart, parts: Sequence[DeploymentPart]) -> list[DeploymentPart]:
    return [other for other in parts if other.number < part.number and other.over]


def _work_to_check(before: Sequence[DeploymentPart]) -> str:
    """Return the text to review: the results and their synthesis, or only the results if there is no synthesis."""
    synthesis = next((part for part in before if part.kind == "synthesis" and part.reply), None)
    if synthesis is None:
        return _results("The results of the agents:", before)
    work = [part for part in before if part is not synthesis]
    return _join(
        _results("The results of the agents:", work), f"The answer that was made of them:\n\n{synthesis.reply}"
    )


def _task(order: DeploymentOrder) -> str:
    return f"The task:\n{order.task}" if order.task else ""


def _results(heading: str, parts: Sequence[DeploymentPart]) -> str:
    share = _CHARACTERS // max(1, len(parts))
    return _join(heading, *(_of_one(part, share) for part in parts))


def _of_one(part: DeploymentPart, share: int) -> str:
    who = f"{part.member.name} ({part.member.role})"
    if part.status != "completed" or part.reply is None:
        return f"{who} failed: {part.error}"
    reply = part.reply if len(part.reply) <= share else f"{part.reply[:share]} … (shortened)"
    return f"{who}:\n{reply}"


def _join(*paragraphs: str) -> str:
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
