"""The faults that `retinue check` finds."""

from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from bench.bulk import fill
from retinue.agents.tables import agents
from retinue.check.faults import find_faults
from retinue.check.stored_files import find_wrong_files
from retinue.core.database.interface import Database
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.core.work.events import events
from retinue.files.store import FileStore
from retinue.files.tables import files
from retinue.platform.resources import RULES
from retinue.runs.tables import runs
from retinue.usage.tables import ledger
from retinue.voice.rooms.tables import room_participants, rooms


@pytest.fixture
async def database(database: Database) -> Database:
    """A database with about a hundred rows and no faults."""
    await fill(database, 100)
    return database


async def faults(database: Database, tmp_path: Path) -> list[str]:
    """Return the faults that the check finds."""
    return await find_faults(database, FileStore(tmp_path), RULES)


async def change(database: Database, clause: sa.Executable) -> None:
    """Change rows without the platform's code."""
    await database.transact(lambda tx: tx.run(Statement(clause)))


async def test_rows_in_bulk_have_no_fault(database: Database, tmp_path: Path) -> None:
    assert await faults(database, tmp_path) == []


async def test_an_end_that_was_not_told_is_found(database: Database, tmp_path: Path) -> None:
    await change(database, sa.delete(events).where(events.c.id == "evt_7"))
    (fault,) = await faults(database, tmp_path)
    assert fault.endswith("exactly once: run_id 7, name agent.completed, surplus -1")


async def test_an_end_that_was_told_twice_is_found(database: Database, tmp_path: Path) -> None:
    told = {"agent_name": '"run_id":5,"run_id":6', "run_id": 7, "reply": "\x00"}
    again = {"id": "evt_again", "account_id": 1, "name": "agent.completed", "data": told}
    moment = sa.select(events.c.created_at).limit(1).scalar_subquery()
    await change(database, sa.insert(events).values(**again, created_at=moment, handed_out_at=moment))
    (fault,) = await faults(database, tmp_path)
    assert fault.endswith("exactly once: run_id 7, name agent.completed, surplus 1")


@pytest.mark.parametrize("tokens", [39, 41])
async def test_tokens_that_no_step_used_or_that_were_forgotten_are_found(
    database: Database, tmp_path: Path, tokens: int
) -> None:
    await change(database, sa.update(runs).where(runs.c.id == 7).values(tokens_used=tokens))
    (fault,) = await faults(database, tmp_path)
    assert fault.endswith(f"do not match its steps: id 7, tokens_used {tokens}, true 40")


async def test_counts_that_do_not_follow_are_found(database: Database, tmp_path: Path) -> None:
    await change(database, sa.delete(agents).where(agents.c.id == 2))
    await change(database, sa.update(ledger).where(ledger.c.id == 1).values(tokens=41))
    found = await faults(database, tmp_path)
    rules = (
        "counter of agents is wrong",
        "a day's usage does not match the ledger",
        "missing from the daily usage",
    )
    assert [rule for rule in rules if not any(rule in fault for fault in found)] == []


async def test_rooms_whose_records_disagree_are_found(database: Database, tmp_path: Path) -> None:
    moment = now()
    room = {"account_id": 1, "scopes": [], "name": "a", "status": "active", "max_participants": 2, "pin": "12345678"}
    room |= {"voice_engine": "hibari", "transcript": "", "created_at": moment}
    person = {"room_id": 1, "name": "Ada", "kind": "phone", "node": "a", "seen_at": 0.0, "joined_at": moment}
    await change(database, sa.insert(rooms).values(id=1, **room))
    await change(database, sa.insert(room_participants).values(id=1, account_id=1, **person))
    assert await faults(database, tmp_path) == []
    await change(database, sa.update(rooms).values(status="closed", events_count=3))
    await change(database, sa.update(room_participants).values(seconds=1))
    away = {**person, "left_at": moment + timedelta(seconds=4), "seconds": 5}
    await change(database, sa.insert(room_participants).values(id=2, account_id=2, **away))
    found = await faults(database, tmp_path)
    assert [fault.partition(":")[0] for fault in found[:-1]] == [
        "a room is closed and has no end, or the reverse",
        "a room's count of events is wrong",
        "a participant belongs to another account than the room",
        "a participant has seconds but has not left the room",
    ]
    assert found[-1].startswith("participant 2 has 5 s in a room")


async def test_a_file_that_is_deleted_meanwhile_is_no_fault(database: Database, tmp_path: Path) -> None:
    class Deleting(FileStore):
        """A store beside which a server deletes a file, with its row, when its size is read."""

        async def size(self, file_id: str) -> int | None:
            """Delete the row, and return that the file is missing."""
            if file_id == "file_gone":
                await change(database, sa.delete(files).where(files.c.public_id == file_id))
            return None

    fields = {"name": "a.txt", "media_type": "text/plain", "size": 5, "sha256": "0" * 64, "created_at": now()}
    for name in ("file_gone", "file_lost"):
        await change(database, sa.insert(files).values(account_id=1, public_id=name, **fields))
    assert await find_wrong_files(database, Deleting(tmp_path)) == [
        "the file file_lost should have 5 bytes and has None"
    ]
