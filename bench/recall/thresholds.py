"""Compare thresholds for relevant passages: `python -m bench.recall.thresholds` prints a table.

A question whose document is left out has no answer. *Kept* is the share of questions whose right passage is among the
best five and counts as relevant, of those where it is among the best five. *Nothing* is the share of questions without
an answer for which no passage counts as relevant. Only the vectors of the included model and the words decide.
"""

import asyncio
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bench.recall.__main__ import Question, read_set
from retinue.knowledge.chunking import cut, split_markdown, text_to_embed
from retinue.knowledge.embedding import embed_texts
from retinue.knowledge.retrieval import query_words, rank_words
from retinue.workspace.words import count_words

TOP, ALL_WORDS, COVERAGE = 5, 0.3, 0.35
_UNRELATED_MEAN, _UNRELATED_DEVIATION = 0.042, 0.068
"""Of the cosines of questions and passages of other documents in this set."""

Rule = Callable[[Any], float]
"""Returns the least relevant cosine for the cosines of a question with all passages of a collection."""


def fixed_bound(least: float, cosines: Any) -> float:
    """Return a cosine that does not depend on the others."""
    return least


def above_mean(above: float, cosines: Any) -> float:
    """Return a bound above the mean cosine of the question."""
    return float(cosines.mean()) + above


def expected_maximum(times: float, cosines: Any) -> float:
    """Return a bound that grows with the number of passages, as the maximum of unrelated cosines does."""
    return _UNRELATED_MEAN + times * _UNRELATED_DEVIATION * math.sqrt(2 * math.log(max(len(cosines), 2)))


RULES: dict[str, Rule] = {
    **{f"{least:.2f}": partial(fixed_bound, least) for least in (0.13, 0.15, 0.18, 0.20)},
    **{f"mean + {above:.2f}": partial(above_mean, above) for above in (0.10, 0.12, 0.14)},
    **{f"{times:.2f} of the expected maximum": partial(expected_maximum, times) for times in (0.7, 0.8)},
}


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage, with its words and those of its title and section."""

    document: str
    text: str
    whole: str
    words: Any


@dataclass(frozen=True, slots=True)
class Trial:
    """A question for a collection, with the indexes of its passages. Each array has a number for each of these."""

    held_out: bool
    chosen: Sequence[int]
    cosines: Any
    coverage: Any
    is_right: Any
    is_own: Any


async def main() -> None:
    """Print the table."""
    texts, asked = read_set()
    passages = [passage for name, text in texts.items() for passage in read_passages(name, text)]
    vectors = np.array(await embed_texts([passage.whole for passage in passages]))
    questions = np.array(await embed_texts([one.text for one in asked]))
    cosines = questions @ vectors.T
    print("| Documents | Rule | Kept, seen | Nothing, seen | Kept, held out | Nothing, held out |")
    print("|---|---|---|---|---|---|")
    for size in (2, 6, len(texts)):
        trials = list(trials_of(asked, passages, cosines, sorted(texts), size))
        for name, rule in RULES.items():
            shares = [share for held_out in (False, True) for share in _measure(trials, rule, held_out=held_out)]
            print(f"| {size} | {name} | " + " | ".join(f"{share:.2f}" for share in shares) + " |")


def read_passages(name: str, text: str) -> Iterator[Passage]:
    title = text.partition("\n")[0].removeprefix("# ")
    for one in cut(split_markdown(text)):
        whole = text_to_embed(title, one.section, one.text)
        yield Passage(name, one.text, whole, count_words(whole))


def trials_of(
    asked: Sequence[Question], passages: Sequence[Passage], cosines: Any, names: Sequence[str], size: int
) -> Iterator[Trial]:
    """Yield a collection for each question: its document, and others that a seed draws."""
    draw = random.Random(1)
    for number, one in enumerate(asked):
        others = draw.sample([name for name in names if name != one.document], size - 1)
        chosen = [at for at, passage in enumerate(passages) if passage.document in {one.document, *others}]
        some = [passages[at] for at in chosen]
        found = rank_words(_postings(one.text, some), len(some)).coverage
        coverage = np.array([found.get(at, 0.0) for at in range(len(some))])
        own = np.array([passage.document == one.document for passage in some])
        right = own & np.array([one.answer in passage.text for passage in some])
        yield Trial(one.held_out, chosen, cosines[number, chosen], coverage, right, own)


def _postings(question: str, passages: Sequence[Passage]) -> list[list[tuple[int, int, int]]]:
    return [
        [(at, one.words[word], one.words.total()) for at, one in enumerate(passages) if word in one.words]
        for word in query_words(question)
    ]


def _measure(trials: Sequence[Trial], rule: Rule, *, held_out: bool) -> tuple[float, float]:
    """Return the shares of right passages that are kept, and of questions without an answer that find nothing."""
    kept, nothing = [], []
    for trial in trials:
        if trial.held_out != held_out:
            continue
        scores = trial.cosines + ALL_WORDS * np.maximum(0, trial.coverage - COVERAGE) / (1 - COVERAGE)
        best = np.argsort(-scores)[:TOP]
        is_relevant = (trial.cosines >= rule(trial.cosines)) | (trial.coverage >= COVERAGE)
        if trial.is_right[best].any():
            kept.append(bool((is_relevant & trial.is_right)[best].any()))
        others = ~trial.is_own
        least = rule(trial.cosines[others])
        nothing.append(not ((trial.cosines >= least) | (trial.coverage >= COVERAGE))[others].any())
    return sum(kept) / len(kept), sum(nothing) / len(nothing)


if __name__ == "__main__":
    asyncio.run(main())
