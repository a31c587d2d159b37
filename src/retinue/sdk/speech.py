"""Prepares texts for speech, and represents the words that a recognizer returns.

`to_speech` removes markup and addresses from a text. `breaths` splits a sentence into parts that are spoken without a
pause. `signs` returns the spoken length of a text, in letters.
"""

from retinue.tools.speech.query_terms import RATE, Word
from retinue.tools.speech.text import breaths, is_latin, signs, to_speech

__all__ = [
    "RATE",
    "Word",
    "breaths",
    "is_latin",
    "signs",
    "to_speech",
]
