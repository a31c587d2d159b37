"""The state of voice on this server: whether calls are enabled, allowed destinations, and engines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from retinue.agents.schemas import Engine
from retinue.agents.service import Agents
from retinue.agents.tables import AgentRow
from retinue.core.errors import Unavailable
from retinue.core.http.envelope import Page as Part
from retinue.language.translation import gettext_noop
from retinue.platform.platform import Platform
from retinue.portal.page import Page
from retinue.voice.media.status_words import status_words

_CHOICES = 100
"""Number of newest agents that a form offers."""

_ABOUT = {
    "hibari": gettext_noop("The fastest to reply, and the default"),
    "kokoro": gettext_noop("Several voices, slower to reply"),
    "piper": gettext_noop("A separate program that the operator installs"),
    "openai": gettext_noop("Any server with the speech API of OpenAI"),
}
_LABELS = {
    "hibari": gettext_noop("Hibari: the fastest to reply, and the default"),
    "kokoro": gettext_noop("Kokoro: several voices, slower to reply"),
    "piper": gettext_noop("Piper: a separate program that the operator installs"),
    "openai": gettext_noop("Speech server: any server with the speech API of OpenAI"),
}


@dataclass(frozen=True)
class EngineState:
    """A speech engine. `label` is its name with what is said about it; this and `about` are messages of the catalogues.

    `problem` describes what the operator must do first; empty if the engine is ready.
    """

    name: str
    about: str
    label: str
    problem: str


@dataclass(frozen=True)
class VoiceState:
    """`sip` is the address for calls, None if they are disabled. `state` is that of the media worker, in words."""

    sip: str | None
    state: str
    ready: bool
    destinations: Sequence[str]
    engines: Sequence[EngineState]

    @property
    def preparing(self) -> bool:
        """True if calls are enabled but the speech libraries are not ready yet."""
        return self.sip is not None and not self.ready


def voice_of(platform: Platform) -> VoiceState:
    """Return the state of voice."""
    options = platform.settings.voice
    engines = [EngineState(name, _ABOUT[name], _LABELS[name], _problem_of(platform, name)) for name in get_args(Engine)]
    status = platform.media.status
    return VoiceState(options.sip, status_words(status), status == "ready", options.destinations, engines)


def _problem_of(platform: Platform, engine: str) -> str:
    try:
        platform.media.check_engine(engine)
    except Unavailable as error:
        return error.message
    return ""


async def agents_to_choose(page: Page) -> Sequence[AgentRow]:
    """Return the user's newest agents."""
    agents, _ = await page.service(Agents).page(Part(per_page=_CHOICES))
    return agents


def clock_length(seconds: int) -> str:
    """Format a duration as a telephone does: 0:42, 12:05, 1:02:40."""
    minutes, rest = divmod(max(0, seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
