"""The data layer alone under SIGKILL: acknowledged transactions survive, and none is committed in part."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from retinue.core.database.sqlite import connect
from tests.core import scratch

ROUNDS = 8
_ROOT = Path(__file__).parents[2]


def acknowledged_until_killed(place: Path | str, number: int, after: int) -> set[str]:
    """Start a process that writes, and kill it after it has acknowledged `after` pairs.

    Returns all acknowledged pairs.
    """
    command = [sys.executable, "-m", "tests.core.writer", str(place), str(number)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT)
    assert process.stdout is not None
    told = [process.stdout.readline() for _ in range(after)]
    process.send_signal(signal.SIGKILL)
    told += process.stdout.readlines()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    return {line.strip() for line in told if line.endswith("\n")}


@pytest.mark.slow
async def test_acknowledged_writes_survive_kills(place: Path | str) -> None:
    chance = random.Random(7)
    acknowledged: set[str] = set()
    for number in range(ROUNDS):
        acknowledged |= acknowledged_until_killed(place, number, after=chance.randint(1, 400))
    database = scratch.database_at(place)
    await database.open()
    found = set(await scratch.names(database))
    await database.close()
    assert acknowledged - found == set()
    assert {f"{name}-too" for name in found if not name.endswith("-too")} == {n for n in found if n.endswith("-too")}
    print(f"{ROUNDS} kills, {len(acknowledged)} pairs acknowledged, {len(found) // 2} found")
    if isinstance(place, Path):
        connection = connect(place)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
