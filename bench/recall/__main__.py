"""Measure recall@5 by words, by meaning, and by both: `python -m bench.recall` prints a table.

The documents and questions are beside this file, and those of `tests/knowledge`. Every second document of a file here
is held out: thresholds and weights are chosen without looking at its questions.
"""

import argparse
import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from retinue.core.runtime.data_dir import DataDir
from retinue.migrations.database import open_database
from tests.knowledge.recall import Corpus, ways_to_search
from tests.knowledge.support import FOLDER, questions

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what the right passage of a document contains."""

    document: str
    language: str
    text: str
    answer: str
    held_out: bool


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--missed", action="store_true", help="list questions without their passage, but no held-out ones"
    )
    asyncio.run(measure(show_missed=parser.parse_args().missed))


async def measure(*, show_missed: bool) -> None:
    """Index all documents, and ask all questions in each way."""
    texts, asked = read_set()
    found: dict[tuple[str, str], list[bool]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        database = await open_database(None, DataDir(Path(folder)))
        corpus = await Corpus.load(database, texts)
        for name, way in ways_to_search(corpus).items():
            for one in asked:
                hits = await way.search(one.text)
                right = way.has_answer(hits, {"document": one.document, "answer": one.answer})
                for group in ("all", "held out" if one.held_out else "seen", one.language):
                    found[group, name].append(right)
                if show_missed and not right and name == "fused" and not one.held_out:
                    print(f"missed: {one.text} [{one.answer}] {[hit.text[:60] for hit in hits]}")
        await database.close()
    print(f"{len(texts)} documents\n\n| | Questions | Words | Meaning | Both |\n|---|---|---|---|---|")
    for group in dict.fromkeys(group for group, _ in found):
        shares = [found[group, name] for name in ("words", "meaning", "fused")]
        print(f"| {group} | {len(shares[0])} | " + " | ".join(f"{sum(one) / len(one):.2f}" for one in shares) + " |")


def read_set() -> tuple[dict[str, str], list[Question]]:
    """Return the documents by name, and the questions."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))}
    asked = [
        Question(one["document"], one["document"][-2:], one["question"], one["answer"], held_out=False)
        for one in questions()
    ]
    for path in sorted(_HERE.glob("*.txt")):
        for number, lines in enumerate(_documents(path)):
            name = f"{path.stem}_{number}"
            texts[name] = "\n".join(line for line in lines if not line.startswith("? "))
            for line in lines:
                if line.startswith("? "):
                    question, answer = line.removeprefix("? ").rsplit(" | ", 1)
                    asked.append(Question(name, path.stem, question, answer, held_out=number % 2 == 1))
    return texts, asked


def _documents(path: Path) -> Iterator[Sequence[str]]:
    for part in path.read_text(encoding="utf-8").strip().split("\n\n"):
        yield part.splitlines()


if __name__ == "__main__":
    main()
