"""Measure the cost of database size: the same requests on a hundred rows and on a million.

The heavy user owns most of the rows, the ordinary one twenty agents. Two servers, one on a small and one on a large
database, run side by side and are measured in turn. Runs in the server's own environment: `python -m bench.million
[POSTGRES_URL]` prints Markdown. The URL names an empty PostgreSQL database; a second one is created beside it.
"""

import argparse
import asyncio
import itertools
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import aiohttp
import asyncpg

from bench.bulk import Holder
from bench.figures import tell
from bench.places import Checked, Place, create_sibling_database, place, run_check, serving
from bench.servers import Server, StartUp
from retinue.core.database.sqlite import connect
from retinue.core.runtime.data_dir import DataDir
from tests.support.statements import STATEMENTS, may_scan, scanned_on_postgres, scanned_on_sqlite

SMALL = 100
LARGE_TABLES = {"agents", "runs", "messages", "events", "ledger"}
_ROUNDS, _CALLS = 6, 50
_AGENT = {"agent_name": "measured", "agent_role": "generalist"}

USERS = ("heavy", "ordinary")
Operation = Callable[[Holder], tuple[str, str, Any]]
"""Method, path and body of a call."""

OPERATIONS: Mapping[str, Operation] = {
    "GET /agents/{id}": lambda holder: ("GET", f"/agents/{holder.agent}", None),
    "GET /agents": lambda _: ("GET", "/agents", None),
    "GET /agents/{id}/runs": lambda holder: ("GET", f"/agents/{holder.agent}/runs", None),
    "GET /runs/{id}": lambda holder: ("GET", f"/runs/{holder.run}", None),
    "GET /usage": lambda _: ("GET", "/usage", None),
    "GET /usage/history": lambda _: ("GET", "/usage/history", None),
    "POST /agents": lambda _: ("POST", "/agents", _AGENT),
}
"""The measured operations. POST comes last because it adds rows."""


Figures = dict[tuple[str, str, int], list[float]]
"""Values by operation, user and database size."""


async def measure(servers: Sequence[tuple[Place, Server]]) -> tuple[Figures, Figures]:
    """Return the latencies of all calls in ms, and the CPU ms for each call of each round.

    The servers alternate with every call, so that other load on the machine slows both alike.
    """
    times: Figures = defaultdict(list)
    cpu: Figures = defaultdict(list)
    async with aiohttp.ClientSession() as session:
        for _ in range(_ROUNDS):
            for name, user in itertools.product(OPERATIONS, USERS):
                before = [server.own_cpu_s() for _, server in servers]
                for _ in range(_CALLS):
                    for at, server in servers:
                        took = await _call(session, server, at.holders[user], OPERATIONS[name])
                        times[name, user, at.rows].append(took)
                for (at, server), since in zip(servers, before, strict=True):
                    cpu[name, user, at.rows].append((server.own_cpu_s() - since) / _CALLS * 1000)
    return times, cpu


async def _call(session: aiohttp.ClientSession, server: Server, holder: Holder, operation: Operation) -> float:
    """Send one call; return its duration in ms."""
    method, path, body = operation(holder)
    headers = {"Authorization": f"Bearer {holder.key}"}
    began = time.perf_counter()
    async with session.request(method, f"{server.url}/api/v1{path}", json=body, headers=headers) as response:
        answer = await response.read()
    took = (time.perf_counter() - began) * 1000
    if response.status >= 300:
        raise RuntimeError(f"{method} {path}: {response.status} {answer[:500]!r}")
    return took


async def find_scans(at: Place) -> dict[str, list[str]]:
    """Return the statements whose plan scans a large table completely although `may_scan` does not allow it."""
    url = at.env.get("RETINUE_DATABASE_URL")
    found = await _scanning_postgres(url) if url else _scanning_sqlite(Path(at.env["RETINUE_HOME"]))
    return {name: sorted(tables) for name, tables in found.items() if tables and not may_scan(name)}


async def _scanning_postgres(url: str) -> dict[str, set[str]]:
    connection = await asyncpg.connect(url)
    found = {name: await scanned_on_postgres(connection, one) & LARGE_TABLES for name, one in STATEMENTS.items()}
    await connection.close()
    return found


def _scanning_sqlite(folder: Path) -> dict[str, set[str]]:
    connection = connect(DataDir(folder).database)
    found = {name: scanned_on_sqlite(connection, one) for name, one in STATEMENTS.items()}
    connection.close()
    return found


async def run(name: str, folder: Path, databases: Sequence[tuple[int, str | None]]) -> str:
    """Measure one database system on a small and a large database; return Markdown."""
    places = []
    for rows, url in databases:
        places.append(await place(folder / str(rows), url, rows))
        tell(f"{name}: {rows:,} rows in {places[-1].filled_s:.0f} s")
    checks = [run_check(at) for at in places]
    scans = await find_scans(places[-1])
    with ExitStack() as stack:
        servers = [(at, stack.enter_context(serving(at, folder / f"server-{at.rows}"))) for at in places]
        starts = [server.start_up for _, server in servers]
        times, cpu = await measure(servers)
    return "\n\n".join([table(name, times, cpu, *(at.rows for at in places)), singles(places, checks, starts, scans)])


def table(name: str, times: Figures, cpu: Figures, small: int, large: int) -> str:
    """Return a table with a row for each operation and user."""
    head = f"{name}|user|p50 ms, {small:,} rows|{large:,}|ratio|server's CPU ms, {small:,} rows|{large:,}|ratio"
    lines = [head.split("|"), ["---"] * 8]
    for operation in OPERATIONS:
        for user in USERS:
            cells = []
            for figures, middle in ((times, statistics.median), (cpu, statistics.mean)):
                before, after = (middle(figures[operation, user, rows]) for rows in (small, large))
                cells += [f"{before:.2f}", f"{after:.2f}", f"{after / before:.2f}"]
            lines.append([operation, user, *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def singles(
    places: Sequence[Place], checks: Sequence[Checked], starts: Sequence[StartUp], scans: Mapping[str, Sequence[str]]
) -> str:
    """Format the values that are measured once."""
    lines = [
        f"- {at.rows:,} rows: filled in {at.filled_s:.0f} s; start to the first answer {start.seconds:.1f} s "
        f"({start.cpu_s:.1f} s of CPU); `retinue check` {check.seconds:.1f} s ({check.cpu_s:.1f} s of CPU), "
        f"at most {check.peak_mb:.0f} MB."
        for at, check, start in zip(places, checks, starts, strict=True)
    ]
    return "\n".join([*lines, f"- Statements that read a large table whole: {dict(scans) or 'none'}."])


async def main() -> None:
    """Measure on SQLite, or on PostgreSQL if a URL is given."""
    parser = argparse.ArgumentParser("bench.million", description="Measure what the size of a database costs.")
    parser.add_argument("url", nargs="?", help="an empty PostgreSQL database; SQLite without it")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the large database")
    options = parser.parse_args()
    urls = [await create_sibling_database(options.url), options.url] if options.url else [None, None]
    with tempfile.TemporaryDirectory(prefix="bench-million-") as folder:
        name = "PostgreSQL" if options.url else "SQLite"
        print(await run(name, Path(folder), list(zip((SMALL, options.rows), urls, strict=True))))


if __name__ == "__main__":
    asyncio.run(main())
