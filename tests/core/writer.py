"""A process that writes rows without a pause and tells each name once it is acknowledged, until it is killed.

Run as `python -m tests.core.writer PLACE ROUND`, where PLACE is a SQLite file or the address of PostgreSQL.
"""

import asyncio
import itertools
import os
import sys
from functools import partial
from pathlib import Path

from retinue.core.database import Database
from tests.core import scratch

WRITERS = 20


async def write(database: Database, prefix: str) -> None:
    """Write pairs of rows; tell of each pair when it is committed."""
    for number in itertools.count():
        name = f"{prefix}-{number}"
        await database.transact(partial(scratch.add_pair, name=name))
        os.write(1, name.encode() + b"\n")


async def main(place: str, round_: str) -> None:
    """Write with many hands until killed."""
    database = scratch.database_at(place if place.startswith("postgresql:") else Path(place))
    await database.open()
    await asyncio.gather(*(write(database, f"{round_}-{hand}") for hand in range(WRITERS)))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
