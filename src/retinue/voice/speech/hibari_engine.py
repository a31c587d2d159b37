"""The engine `hibari`: a small English voice that needs about 1 % of a core per call."""

from collections.abc import Iterator

from retinue.tools.speech.text import split_at_pauses
from retinue.voice.speech.compute_slots import CORES
from retinue.voice.speech.options import INSTALL, PLAIN, EngineMissing, SpeechFailed, VoiceStyle
from retinue.voice.speech.pcm import Pcm, to_pcm

_VOICE = "heart"
"""The bundled voice. Hibari would download any other."""
_SEED = 0
"""Seed of the noise in the voice, so that the same text always sounds the same."""


class HibariEngine:
    """Speaks text with Hibari's bundled voice."""

    def __init__(self) -> None:
        try:
            from hibari import Hibari
        except ImportError as error:
            raise EngineMissing(f"The voice engine hibari is not installed. {INSTALL}") from error
        self._voice = Hibari(voice=_VOICE, threads=1)
        self.sample_rate: int = self._voice.sample_rate
        # Load the pronunciation data now, so that the first sentence does not wait for it.
        self._voice("Ready.")

    def speak(self, text: str, style: VoiceStyle = PLAIN) -> Iterator[Pcm]:
        """See `Engine`."""
        for breath in split_at_pauses(text):
            try:
                with CORES:
                    samples = to_pcm(self._voice(breath, speed=style.speed, seed=_SEED))
            except (LookupError, ValueError, ArithmeticError) as error:
                raise SpeechFailed(f"Hibari cannot speak this text: {breath[:100]}") from error
            yield samples
