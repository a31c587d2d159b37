"""Compares what was said with what was understood."""

import re
from difflib import SequenceMatcher

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


def misheard_words(said: str, heard: str) -> list[str]:
    """Return the words that were understood as others, or not at all. Case and punctuation do not matter.

    A number that is written in digits on one side and in words on the other counts as misheard.
    """
    words, others = ([word.lower() for word in _WORD.findall(text)] for text in (said, heard))
    changes = SequenceMatcher(None, words, others, autojunk=False).get_opcodes()
    return [word for kind, start, end, _, _ in changes if kind in ("replace", "delete") for word in words[start:end]]
