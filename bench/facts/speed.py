"""Measure how long a recall takes: `python -m bench.facts.speed` prints milliseconds for memories of several sizes.

A recall reads the facts of an agent from the database, encodes the message and ranks the facts.
"""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import Any

from bench.facts.__main__ import Pair, read_set, to_rows
from retinue.core.database.interface import Tx
from retinue.core.runtime.data_dir import DataDir
from retinue.memory.facts import MOST_FACTS, NewFact, Scope, add_fact, facts_of, rank_facts
from retinue.migrations.database import open_database

_SIZES = (100, 500, MOST_FACTS)
_QUESTIONS = 50


async def main() -> None:
    """Print a line for each size."""
    pairs = read_set()
    vectors = [row.vector for row in await to_rows(pairs)]
    with tempfile.TemporaryDirectory() as folder:
        database = await open_database(None, DataDir(Path(folder)))
        for size in _SIZES:
            scope = Scope(1, size, "")
            await database.transact(partial(_fill, scope, pairs, vectors, size))
            wall, cpu = [], []
            for pair in pairs[:: len(pairs) // _QUESTIONS]:
                began, used = time.perf_counter(), time.process_time()
                await rank_facts(await facts_of(database, scope), pair.question)
                wall.append(1000 * (time.perf_counter() - began))
                cpu.append(1000 * (time.process_time() - used))
            print(f"{size} facts: {_percentiles(wall)}; of CPU time: {_percentiles(cpu)}")
        await database.close()


async def _fill(scope: Scope, pairs: Sequence[Pair], vectors: Sequence[Any], size: int, tx: Tx) -> None:
    """Store the facts, with numbers before those that come twice."""
    for number in range(size):
        text = pairs[number % len(pairs)].fact
        fact = NewFact(text if number < len(pairs) else f"{number}. {text}")
        await add_fact(tx, scope, fact, vectors[number % len(pairs)], [])


def _percentiles(values: Sequence[float]) -> str:
    cuts = quantiles(values, n=20)
    return f"p50 {cuts[9]:.0f} ms, p95 {cuts[18]:.0f} ms"


if __name__ == "__main__":
    asyncio.run(main())
