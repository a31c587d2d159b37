"""Measure how many facts their questions find: `python -m bench.facts` prints a table.

Beside this file are 500 facts of people in eight languages. Each has a question in other words, and a fifth of the
questions are in another language than the fact. Every second line of a file is held out: the way to embed and to rank
facts is chosen without looking at its failures.

The facts of a language are the memory of one person; no two of them answer the same question. In the other half of the
table, all 500 are one memory.
"""

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from retinue.knowledge.embedding import embed_texts
from retinue.knowledge.retrieval import Ranking
from retinue.language.language_detection import language_of
from retinue.memory.fact_vectors import VERSION, encode_facts, text_to_embed
from retinue.memory.facts import rank_facts
from retinue.workspace.words import count_words

_HERE = Path(__file__).parent
_BATCH = 8
_TOP = 5
_BEST = (1, _TOP, 15)

WAYS = ("words", "meaning", "both")


@dataclass(frozen=True, slots=True)
class Pair:
    """A fact with its question, and the languages of both."""

    fact: str
    question: str
    language: str
    asked_in: str
    held_out: bool

    @property
    def groups(self) -> Iterator[str]:
        """The rows of the table to which the question counts."""
        yield "all"
        yield "held out" if self.held_out else "development"
        yield "same language" if self.language == self.asked_in else "another language"
        yield self.language


def read_set() -> list[Pair]:
    """Return the facts with their questions."""
    return [
        Pair(fact, question, path.stem, language[0] if language else path.stem, held_out=number % 2 == 1)
        for path in sorted(_HERE.glob("*.txt"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines())
        for fact, question, *language in [line.split(" | ")]
    ]


async def to_rows(pairs: Sequence[Pair]) -> list[Any]:
    """Return the facts as the database returns them."""
    texts = [pair.fact for pair in pairs]
    batches = [await encode_facts(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
    vectors = [vector for batch in batches for vector in batch]
    return [
        SimpleNamespace(id=key, text=text, vector=vector, model=VERSION)
        for key, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]


async def place_of(key: int, rows: Sequence[Any], question: str, way: str = "both") -> float:
    """Return the place of a fact among those that a question finds, from 1; infinity if it does not find it."""
    if way == "words":
        rows = [SimpleNamespace(id=row.id, text=row.text, vector=None, model=None) for row in rows]
    with ExitStack() as stack:
        if way == "meaning":
            stack.enter_context(patch("retinue.memory.facts.rank_words", lambda *_: Ranking()))
        found = [one.row.id for one in await rank_facts(rows, question)]
    return found.index(key) + 1 if key in found else float("inf")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missed", action="store_true", help="list the questions of the development half that fail")
    asyncio.run(measure(show_missed=parser.parse_args().missed))


async def measure(*, show_missed: bool) -> None:
    """Ask all questions in each way, in the memory of one person and in that of all."""
    pairs = read_set()
    rows = await to_rows(pairs)
    places: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    with ExitStack() as stack:
        await _encode_once(stack, pairs)
        for key, pair in enumerate(pairs):
            own = [row for row, other in zip(rows, pairs, strict=True) if other.language == pair.language]
            for memory, facts in (("own", own), ("one", rows)):
                for way in WAYS:
                    place = await place_of(key, facts, pair.question, way)
                    for group in pair.groups:
                        places[group, memory, way].append(place)
            if show_missed and not pair.held_out and places["all", "own", "both"][-1] > _TOP:
                print(f"missed: {pair.question} [{pair.fact}]")
    _print_table(places)


async def _encode_once(stack: ExitStack, pairs: Sequence[Pair]) -> None:
    """Let each question be encoded once, and each text be split once, instead of for each way and memory."""
    questions = [pair.question for pair in pairs]
    vectors = dict(zip(questions, await embed_texts([text_to_embed(one) for one in questions]), strict=True))

    async def look_up(question: str) -> Any:
        return vectors[question]

    stack.enter_context(patch("retinue.memory.facts.encode_question", look_up))
    stack.enter_context(patch("retinue.memory.facts.count_words", cache(count_words)))
    stack.enter_context(patch("retinue.knowledge.retrieval.language_of", cache(language_of)))


def _print_table(places: dict[tuple[str, str, str], list[float]]) -> None:
    columns = [(way, (_TOP,)) for way in WAYS[:2]] + [("both", _BEST)]
    for memory, title in (("own", "A memory for each person"), ("one", "One memory of all")):
        print(
            f"\n{title}\n\n| | Questions | Words @5 | Meaning @5 | Both @1 | @5 | @15 |\n|---|---|---|---|---|---|---|"
        )
        for group in dict.fromkeys(group for group, _, _ in places):
            shares = [
                sum(place <= best for place in places[group, memory, way]) / len(places[group, memory, way])
                for way, bests in columns
                for best in bests
            ]
            cells = " | ".join(f"{share:.2f}" for share in shares)
            print(f"| {group} | {len(places[group, memory, 'both'])} | {cells} |")


if __name__ == "__main__":
    main()
