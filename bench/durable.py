"""Measure durable work beside DBOS on SQLite and PostgreSQL, and a large fleet beside other callers."""

import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.crowd import measure_crowd
from bench.figures import Figures, Results, medians, tell
from bench.postgres import running_postgres
from bench.programs import HERE, RETINUE, measure_command
from bench.servers import Server, free_port


def measure_durable(rounds: int, retinue: str, compared: bool) -> Results:
    """Return median figures of each kind of work on each database for Retinue and DBOS, and of the crowd."""
    found: dict[str, list[Figures]] = defaultdict(list)
    with running_postgres() as new_database, _receiver() as receiver:
        for _ in range(rounds):
            for database in ("sqlite", "postgresql"):
                for name, command in _commands(receiver, compared).items():
                    tell(f"{name} {database}")
                    url = [new_database()] if database == "postgresql" else []
                    found[f"{name} {database}"].append(measure_command([*command, *url]))
            tell("crowd")
            found["crowd"].append(measure_crowd(retinue))
    return {name: medians(figures) for name, figures in found.items()}


def _commands(receiver: str, compared: bool) -> dict[str, list[str]]:
    """Return the commands to measure. They accept the URL of a PostgreSQL database as last argument."""
    ours = {
        "runs": [RETINUE, "-m", "bench.journal"],
        "deliveries": [RETINUE, "-m", "bench.deliveries", receiver],
    }
    theirs = {
        "dbos runs": [sys.executable, "-m", "bench.dbos_work", "runs", receiver],
        "dbos deliveries": [sys.executable, "-m", "bench.dbos_work", "deliveries", receiver],
    }
    return {**ours, **theirs} if compared else ours


@contextmanager
def _receiver() -> Iterator[str]:
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        server = Server([sys.executable, "-m", "bench.receiver", str(port)], port, Path(folder), HERE, "/")
        try:
            yield server.url
        finally:
            server.stop()
