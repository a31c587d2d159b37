"""Prepares texts for speech, and represents the words that a recognizer returns.

`to_speech` removes markup and addresses from a text. `split_at_pauses` splits a sentence into parts that are spoken
without a
pause. `signs` returns the spoken length of a text, in letters.
"""

from retinue.tools.speech.recognized_words import SAMPLE_RATE, Word
from retinue.tools.speech.text import is_latin, split_at_pauses, spoken_length, to_speech

__all__ = [
    "SAMPLE_RATE",
    "Word",
    "is_latin",
    "split_at_pauses",
    "spoken_length",
    "to_speech",
]
