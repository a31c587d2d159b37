"""Facts are found by questions in other words, and in some cases in another language. The set is the project's own."""

import csv
from pathlib import Path
from types import SimpleNamespace

from retinue.knowledge.embedding import VERSION
from retinue.memory.facts import encode_facts, rank_facts

TOP = 5


async def test_facts_are_found_by_paraphrased_questions() -> None:
    with (Path(__file__).parent / "facts.tsv").open(encoding="utf-8", newline="") as file:
        pairs = list(csv.DictReader(file, delimiter="\t"))
    vectors = [vector for start in range(0, len(pairs), 8) for vector in await _encode(pairs[start : start + 8])]
    facts = [
        SimpleNamespace(id=key, text=pair["fact"], vector=vector, model=VERSION)
        for key, (pair, vector) in enumerate(zip(pairs, vectors, strict=True))
    ]
    ranked = [await rank_facts(facts, pair["question"]) for pair in pairs]
    found = [key in {one.row.id for one in best[:TOP]} for key, best in enumerate(ranked)]
    assert sum(found) / len(found) >= 0.85


async def _encode(pairs: list[dict[str, str]]) -> list[bytes | None]:
    return await encode_facts([pair["fact"] for pair in pairs])
