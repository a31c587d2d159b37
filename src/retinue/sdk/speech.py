"""What of a text is read aloud, and the words that a recognizer returns.

`spoken` is a text without markup and addresses, `breaths` cuts a sentence into parts that are said without a pause, and
`signs` says how long a text is to say.
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
