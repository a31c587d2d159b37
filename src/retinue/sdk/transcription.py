"""English speech to words with times, in at most `LONGEST_S` seconds of sound. It needs the libraries of the tools."""

from retinue.tools.speech.whisper import LONGEST_S, words

__all__ = [
    "LONGEST_S",
    "words",
]
