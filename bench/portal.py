"""Measure the server's cost of portal pages for a user with years of records: CPU and latency of every page.

Runs in the server's own environment: `python -m bench.portal [POSTGRES_URL]` prints Markdown, the most expensive page
first. The URL names an empty PostgreSQL database; without it the benchmark uses SQLite.
"""

import argparse
import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import requests

from bench.figures import tell
from bench.places import Place, execute, place, serving
from bench.portal_details import DETAILS, fill_details
from bench.portal_rows import DELIVERIES, RECORDS, fill_pages
from bench.servers import Server
from retinue.core.runtime.data_dir import DataDir
from retinue.core.runtime.vault import Vault
from retinue.migrations.database import open_database
from retinue.webhooks.service import secret_owner
from retinue.webhooks.signing import new_secret
from tests.portal.conftest import PAGES

ROWS = 100_000
"""Number of agents and of runs. The measured user owns three fifths of the agents; one has half of all runs."""

_CALLS = 5
_EMAIL, _PASSWORD = "heavy@example.com", "a long passphrase for one"
_FAR = [
    "/agents?page=2400", "/runs/1", "/agents/1?page=2", "/agents/1?page=5000", "/webhooks/1?page=30000",
    "/webhooks/1?page=60000", "/webhooks/1", "/requests?page=400", "/requests?status=4xx&page=40",
    "/requests?path=/none", "/audit?page=400", "/audit?action=key.create&page=40", "/audit?action=webhook.create",
    "/files?page=400", "/calls?page=400", "/approvals?page=400", "/approvals?status=approved&page=400",
    "/playground/conversations?page=400", "/users", "/users?search=heavy", "/moderation", "/health",
]  # fmt: skip
"""Pages of one record, last pages of lists, and filters that match many, few and no rows."""


@dataclass(frozen=True)
class Cost:
    """The cost of a page in milliseconds."""

    path: str
    latency_ms: float
    cpu_ms: float


async def prepare(folder: Path, url: str | None) -> Place:
    """Fill a database."""
    at = await place(folder, url, ROWS)
    holder = at.holders["heavy"]
    home = DataDir(folder)
    vault = Vault.load(home.folder, None)
    vault.save()
    database = await open_database(url, home)
    await fill_pages(database, holder, vault.seal(new_secret(), secret_owner(holder.account)))
    await fill_details(database, holder)
    await database.close()
    if url:
        await execute(url, "VACUUM ANALYZE")
    return at


def sign_in(server: Server, at: Place) -> requests.Session:
    """Make the user an operator and return a signed-in browser session."""
    session = requests.Session()
    session.trust_env = False
    _command(at, "users", "promote", _EMAIL)
    found = re.search(r"token=(\S+)", _command(at, "users", "link", _EMAIL))
    if not found:
        raise RuntimeError("No link was printed.")
    form = {"token": found[1], "password": _PASSWORD}
    answer = session.post(f"{server.url}/sign-in/link", form, headers={"Origin": server.url}, allow_redirects=False)
    if answer.status_code != 303:
        raise RuntimeError(f"sign-in: {answer.status_code}")
    return session


def _command(at: Place, *arguments: str) -> str:
    command = [str(Path(sys.executable).with_name("retinue")), *arguments]
    return subprocess.run(command, env={**os.environ, **at.env}, check=True, capture_output=True, text=True).stdout


def measure(server: Server, session: requests.Session, paths: Sequence[str]) -> list[Cost]:
    """Return each page's median latency and mean CPU time over several calls, after one to warm up."""
    return sorted((_cost(server, session, path) for path in paths), key=lambda cost: -cost.latency_ms)


def _cost(server: Server, session: requests.Session, path: str) -> Cost:
    _load(server, session, path)
    times, cpu = [], server.own_cpu_s()
    for _ in range(_CALLS):
        began = time.perf_counter()
        _load(server, session, path)
        times.append((time.perf_counter() - began) * 1000)
    return Cost(path, statistics.median(times), (server.own_cpu_s() - cpu) / _CALLS * 1000)


def _load(server: Server, session: requests.Session, path: str) -> None:
    answer = session.get(server.url + path, headers={"Accept": "text/html"}, timeout=120)
    if answer.status_code != 200:
        raise RuntimeError(f"{path}: {answer.status_code}")


def table(costs: Sequence[Cost]) -> str:
    """Return a table with a row for each page."""
    lines = ["| page | latency ms | server's CPU ms |", "| --- | ---: | ---: |"]
    lines += [f"| `{cost.path}` | {cost.latency_ms:.0f} | {cost.cpu_ms:.0f} |" for cost in costs]
    return "\n".join(lines)


def main() -> None:
    """Measure on SQLite, or on PostgreSQL if a URL is given."""
    parser = argparse.ArgumentParser("bench.portal", description="Measure what pages of the portal cost.")
    parser.add_argument("url", nargs="?", help="an empty PostgreSQL database; SQLite without it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-portal-") as folder:
        at = asyncio.run(prepare(Path(folder) / "data", options.url))
        tell(f"{ROWS:,} agents and runs, {DELIVERIES:,} deliveries, {RECORDS:,} of each other kind")
        with serving(at, Path(folder) / "server") as server:
            session = sign_in(server, at)
            print(table(measure(server, session, [*PAGES, *_FAR, *DETAILS, f"/runs/{at.holders['heavy'].run}"])))


if __name__ == "__main__":
    main()
