"""The sound of simulated calls: what one side says is spoken, and understood by the other side."""

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

from retinue.agents.schemas import DEFAULT_ENGINE
from retinue.agents.voice_settings import EndOfTurn, VoiceSettings
from retinue.core.errors import Unavailable
from retinue.simulations.sound import NotUnderstood
from retinue.voice.calls.driver import session_options
from retinue.voice.calls.manner import speaking_manner
from retinue.voice.media.service import MediaService

_PATIENCE_S = 300.0
"""Seconds for one text. A slow engine on a busy machine needs about as long as the speech lasts, 180 s at most."""


@dataclass(frozen=True)
class Rehearsals:
    """The `SoundStage` of simulations, in the media worker of this process."""

    media: MediaService
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def check_ready(self, engine: str) -> None:
        """Raise `Unavailable` if people and an agent with this engine cannot speak here. Installs what is missing."""
        self.media.want()
        self.media.check_ready()
        self.media.check_engine(engine)

    def context(self, voice: Mapping[str, object] | None) -> dict[str, object]:
        """Return the instructions that make an agent's model speak as on a call."""
        return speaking_manner(VoiceSettings.model_validate(voice or {}))

    async def hear_person(self, account_id: int, text: str, noise: str, voice: Mapping[str, object] | None) -> str:
        """Return what an agent with these voice settings understands of a person's words, amid noise."""
        heard_with = session_options(VoiceSettings.model_validate(voice or {}))
        return await self._hear(account_id, text, DEFAULT_ENGINE, {**heard_with, "voice": "", "speed": 1.0}, noise)

    async def hear_agent(self, account_id: int, text: str, engine: str, voice: Mapping[str, object] | None) -> str:
        """Return what a person understands of the words of an agent with these voice settings."""
        spoken_with, patience = session_options(VoiceSettings.model_validate(voice or {})), EndOfTurn()
        session = {**spoken_with, "wait_s": [patience.min_seconds, patience.max_seconds]}
        return await self._hear(account_id, text, engine, session)

    async def _hear(
        self, account_id: int, text: str, engine: str, session: Mapping[str, object], noise: str = "none"
    ) -> str:
        try:
            self.media.want()
            self.media.check_engine(engine)
        except Unavailable as error:  # Waiting would not help.
            raise NotUnderstood(error.message) from error
        self.media.check_ready()
        number = next(self._numbers)
        with self.media.messages_of(("rehearsal", number)) as answers:
            order = {"account": account_id, "engine": engine, "text": text, "session": session, "noise": noise}
            self.media.send({"do": "rehearse", "rehearsal": number, **order})
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    answer = await answers.get()
            except TimeoutError as error:
                raise NotUnderstood(f"The speech took more than {_PATIENCE_S:.0f} s.") from error
        # Another attempt could end the worker again, and with it the calls of others.
        if reason := "The media worker has ended." if answer["is"] == "gone" else answer["error"]:
            raise NotUnderstood(reason)
        return str(answer["heard"])
