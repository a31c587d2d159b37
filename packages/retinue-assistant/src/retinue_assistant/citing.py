"""Replies that quote passages of documents, with the number of their source."""

import re
from collections.abc import Sequence

from retinue.models.base import Excerpt
from retinue_assistant.passages import subject_words

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_CONSIDERED = 3
"""Passages that are considered. The first one is the nearest in meaning."""

_LONGEST, _WITH_SENTENCES_BEFORE = 400, 240
"""Maximum length of a quotation in characters, and of one with the sentences before the best one."""


def quote(question: str, excerpts: Sequence[Excerpt]) -> str:
    """Return the sentence with most of a question's words and those around it, with the number of its passage.

    A question seldom has the words of its answer, which may be in the sentence before or after. If no sentence has
    any, the first two of the first passage are quoted.
    """
    question_words = subject_words(question)
    best, most = (excerpts[0], 0), 0
    parts = {one.number: _SENTENCE_END.split(one.text) for one in excerpts[:_CONSIDERED]}
    for excerpt in excerpts[:_CONSIDERED]:
        for place, sentence in enumerate(parts[excerpt.number]):
            shared = len(question_words & subject_words(sentence))
            if shared > most:
                best, most = (excerpt, place), shared
    excerpt, place = best
    sentences = parts[excerpt.number]
    quoted = " ".join(sentences[place : place + 2]).strip()
    for sentence in reversed(sentences[:place]):
        if len(sentence) + 1 + len(quoted) > _WITH_SENTENCES_BEFORE:
            break
        quoted = f"{sentence} {quoted}"
    return f"{quoted[:_LONGEST]} [{excerpt.number}]"
