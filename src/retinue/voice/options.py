"""Options of calls."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class VoiceOptions:
    """Read from the settings.

    `sip` is the address on which the SIP endpoint listens; without it, calls are disabled.
    """

    sip: str | None = None
    destinations: tuple[str, ...] = ()
    trunks_file: Path | None = None
    ca_file: Path | None = None
    speech_url: str | None = None
    speech_key: str = ""
    calls: int = 25
    calls_per_key: int = 5
    ring_s: float = 45.0
    silence_s: float = 15.0
    longest_s: int = 3600
