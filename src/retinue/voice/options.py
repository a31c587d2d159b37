"""Options of calls."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class VoiceOptions:
    """From the settings. `sip` is where the SIP endpoint listens; without it there are no calls."""

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
