"""Options of calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class AudioServer:
    """A server with OpenAI's audio API. `url` is the part before `/audio/`; `voice` matters for speech alone."""

    url: str
    key: str
    model: str
    voice: str = ""


@dataclass(frozen=True, slots=True)
class VoiceOptions:
    """Read from the settings.

    `sip` is the address on which the SIP endpoint listens; without it, calls are disabled.
    """

    sip: str | None = None
    destinations: tuple[str, ...] = ()
    trunks_file: Path | None = None
    ca_file: Path | None = None
    speech_server: AudioServer | None = None
    transcription_server: AudioServer | None = None
    models: Mapping[str, Path | None] = field(default_factory=dict)
    """The operator's own models, by their names in `speech.SpeechOptions`."""

    libraries: bool = True
    """False if this server may not install the speech libraries."""

    confined: bool = False
    """True if the media worker must not run where the kernel cannot confine it."""

    calls: int = 25
    calls_per_key: int = 5
    minutes_per_key: int | None = None
    """Minutes of outbound calls that one credential may make in 24 hours."""

    ring_s: float = 45.0
    silence_s: float = 15.0
    longest_s: int = 3600
