"""Measure what the included model quotes of documents: `python -m bench.recall.quotations` prints a table.

A question whose document is left out has no answer. *Right* is the share of questions whose quotation has the answer,
and *nothing* the share of questions without an answer for which nothing is quoted.
"""

import asyncio
from collections import defaultdict
from typing import Any

import numpy as np

from bench.recall.__main__ import read_set
from bench.recall.thresholds import ALL_WORDS, COVERAGE, TOP, Passage, Trial, read_passages, trials_of
from retinue.knowledge.embedding import embed_texts, similarities
from retinue.knowledge.retrieval import OTHER_LANGUAGE, in_other_language
from retinue.models.base import Excerpt
from retinue_assistant.citing import quote, read_sentences
from retinue_assistant.sentence_similarity import score_sentences


async def main() -> None:
    """Print the table."""
    texts, asked = read_set()
    passages = [passage for name, text in texts.items() for passage in read_passages(name, text)]
    vectors = np.array(await embed_texts([passage.whole for passage in passages]))
    cosines = np.array(await embed_texts([one.text for one in asked])) @ vectors.T
    print("| Documents | Right, seen | Nothing, seen | Right, held out | Nothing, held out |\n|---|---|---|---|---|")
    for size in (3, 6):
        found: dict[tuple[bool, bool], list[bool]] = defaultdict(list)
        for one, trial in zip(asked, trials_of(asked, passages, cosines, sorted(texts), size), strict=True):
            right = await _quotation(one.text, passages, trial, np.ones_like(trial.is_own))
            none = await _quotation(one.text, passages, trial, ~trial.is_own)
            found[one.held_out, True].append(one.answer in right)
            found[one.held_out, False].append(not none)
        shares = [f"{np.mean(found[held_out, kind]):.2f}" for held_out in (False, True) for kind in (True, False)]
        print(f"| {size} | {' | '.join(shares)} |")


async def _quotation(question: str, passages: list[Passage], trial: Trial, is_there: Any) -> str:
    """Return the quotation from the best passages of those that are there."""
    scores = trial.cosines + ALL_WORDS * np.maximum(0, trial.coverage - COVERAGE) / (1 - COVERAGE)
    texts = {at: passages[number].text for at, number in enumerate(trial.chosen)}
    scores[in_other_language(question, texts)] -= OTHER_LANGUAGE
    best = np.argsort(-np.where(is_there, scores, -np.inf))[: min(TOP, int(is_there.sum()))]
    excerpts = [Excerpt(number, "", texts[int(at)]) for number, at in enumerate(best, 1)]
    sentences = read_sentences(excerpts)
    return quote(question, sentences, await score_sentences(similarities, question, [one.text for one in sentences]))


if __name__ == "__main__":
    asyncio.run(main())
