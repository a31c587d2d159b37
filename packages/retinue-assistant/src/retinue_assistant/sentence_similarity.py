"""Scores sentences by how near they are to a question: by meaning, in any language, and by the words they share."""

import re
from collections.abc import Awaitable, Callable, Sequence, Set

from retinue_assistant.passages import question_subject, subject_words

_CLAUSE_END = re.compile(r"[;,]\s")
_SHORT = 8
"""Most characters of a clause that says nothing by itself."""

_CLAUSE, _WORDS = 0.03, 0.3
"""In cosines: what a sentence loses if only one of its clauses is near, and what all words of the question add."""


Similarities = Callable[[str, Sequence[str]], Awaitable[Sequence[float]]]
"""Returns the cosine of each text with a question; see `AssistantResources.similarities`."""


async def score_sentences(similarities: Similarities, question: str, sentences: Sequence[str]) -> list[float]:
    """Return the score of each sentence, from about -0.2 to 1.3.

    A sentence counts as its nearest clause, because a menu with ten dishes is about none of them. Without an embedding
    model, only words count.
    """
    clauses = [list(filter(lambda clause: len(clause) > _SHORT, _CLAUSE_END.split(one))) for one in sentences]
    clauses = [parts if len(parts) > 1 else [] for parts in clauses]
    texts = [*sentences, *(clause for parts in clauses for clause in parts)]
    words = question_subject(question)
    shares = [_share(words, subject_words(one)) for one in sentences]
    cosines = list(await similarities(question, texts))
    if not cosines:
        return shares
    of_clauses = iter(cosines[len(sentences) :])
    nearest = [max((next(of_clauses) for _ in parts), default=-1.0) - _CLAUSE for parts in clauses]
    whole = zip(cosines[: len(sentences)], nearest, shares, strict=True)
    return [max(cosine, clause) + _WORDS * share for cosine, clause, share in whole]


def _share(words: Set[str], others: Set[str]) -> float:
    return len(words & others) / max(len(words), 1)
