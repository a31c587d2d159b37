"""Transcribes up to `LONGEST_S` seconds of English speech to words with timestamps. Requires the tools' libraries."""

from retinue.tools.speech.whisper import LONGEST_S, transcribe_words

__all__ = [
    "LONGEST_S",
    "transcribe_words",
]
