"""The package environments of voice: one for speech libraries and models, one for Piper, which is under the GPL."""

from pathlib import Path
from typing import Self

from retinue.core.children.environment import PackageEnvironment, environment_folder

_ROOM = Path(__file__).parent


class VoiceEnvironment(PackageEnvironment):
    """Libraries and models for speech synthesis, transcription and voice activity."""

    @classmethod
    def beside(cls, fallback: Path) -> Self:
        """Return the environment inside the server's own if that is writable, else in the folder `fallback`."""
        requirements = _ROOM / "requirements.txt"
        return cls(environment_folder("voice", requirements, fallback), requirements)


class PiperEnvironment(PackageEnvironment):
    """Piper and a voice for it. It is installed only if the operator requests it."""

    @classmethod
    def beside(cls, fallback: Path) -> Self:
        """Return the environment inside the server's own if that is writable, else in the folder `fallback`."""
        requirements = _ROOM / "piper.txt"
        return cls(environment_folder("piper", requirements, fallback), requirements)
