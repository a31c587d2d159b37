"""What simulated calls need of voice: words are spoken, and understood as on the telephone."""

from collections.abc import Mapping
from typing import Protocol

from retinue.core.database.statements import Row
from retinue.simulations.prompts import message_of
from retinue.simulations.tables import Scenario


class NotUnderstood(Exception):
    """Words could not be spoken or transcribed; the message says why."""


class SoundStage(Protocol):
    """Speech and transcription without a telephone.

    `hear_person` and `hear_agent` return the words that the other side understands, "" for none. They raise
    `NotUnderstood`, or `Unavailable` if speech has not started yet in this process.
    """

    def check_ready(self, engine: str) -> None:
        """Raise `Unavailable` if people and an agent with this engine cannot speak here."""
        ...

    def context(self, voice: Mapping[str, object] | None) -> dict[str, object]:
        """Return the instructions that make an agent's model speak as on a call."""
        ...

    async def hear_person(self, account_id: int, text: str, noise: str, voice: Mapping[str, object] | None) -> str:
        """Have a person speak amid noise to an agent with these voice settings."""
        ...

    async def hear_agent(self, account_id: int, text: str, engine: str, voice: Mapping[str, object] | None) -> str:
        """Have an agent with this engine and these voice settings speak to a person."""
        ...


async def understand(stage: SoundStage, step: Row) -> str | None:
    """Return what the other side understands of the words that a step adds; None if nobody listens to any.

    `step` is a row of `statements.SPOKEN_STEP`. Raises as `SoundStage` does.
    """
    if step.voice_engine is None:  # The agent was deleted.
        return None
    scenario: Scenario = step.scenarios[step.scenario - 1]
    noise = scenario.get("noise") or "none"
    if step.run_id is None:
        return await stage.hear_person(step.account_id, str(scenario["opening"]), noise, step.voice)
    if step.run_status != "completed":
        return None
    if step.speaker == "agent":
        return await stage.hear_agent(step.account_id, step.reply, step.voice_engine, step.voice)
    if step.speaker == "person" and step.output["state"] == "continue" and (said := message_of(step.output)):
        return await stage.hear_person(step.account_id, said, noise, step.voice)
    return None
