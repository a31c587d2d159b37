"""Writes rows until killed, and prints each name once its transaction is committed.

Run as `python -m tests.core.writer PLACE ROUND`, where PLACE is a SQLite file or the URL of a PostgreSQL database.
"""

import asyncio
import itertools
import os
import sys
from functools import partial
from pathlib import Path

from retinue.core.database.interface import Database
from tests.core import scratch

WRITERS = 20


async def write(database: Database, prefix: str) -> None:
    """Write pairs of rows, and print the name of each pair once it is committed."""
    for number in itertools.count():
        name = f"{prefix}-{number}"
        await database.transact(partial(scratch.add_pair, name=name))
        os.write(1, name.encode() + b"\n")


async def main(place: str, round_: str) -> None:
    """Write concurrently until killed."""
    database = scratch.database_at(place if place.startswith("postgresql:") else Path(place))
    await database.open()
    await asyncio.gather(*(write(database, f"{round_}-{hand}") for hand in range(WRITERS)))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
