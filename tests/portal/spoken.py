"""Calls and rooms that are over, written into a database of SQLite whose server is stopped."""

import io
import json
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pysqlite3 import dbapi2 as sqlite

from tests.support.server import Server

Said = tuple[str, str, dict[str, int]]
"""Who spoke, what, and the times of the turn in milliseconds."""


@dataclass(frozen=True)
class Ledger:
    """Writes records of one account."""

    server: Server
    account: int

    def add_call(self, said: Sequence[Said] = (), ago: timedelta = timedelta(), **fields: Any) -> int:
        """A call that was answered and has ended, unless `fields` say otherwise; returns its id."""
        began = datetime.now(UTC) - timedelta(minutes=5) - ago
        answered, ended = began + timedelta(seconds=6), began + timedelta(seconds=6 + 20 * max(1, len(said)))
        row = {
            "account_id": self.account, "credential": "key:1", "scopes": "[]", "direction": "outbound",
            "to_address": "+441632960123", "status": "completed", "voice_engine": "hibari", "record": 0,
            "max_seconds": 3600, "transcript": "", "turns_count": len(said), "hangup_requested": 0,
            "duration_seconds": int((ended - answered).total_seconds()), "created_at": _instant(began),
            "answered_at": _instant(answered), "ended_at": _instant(ended), "seen_at": _instant(ended), "epoch": 1,
            "attempts": 1, **fields,
        }  # fmt: skip
        call = self._insert("calls", row)
        for number, (speaker, text, timing) in enumerate(said, 1):
            moment = answered + timedelta(seconds=17 * number - 15)
            turn = {"call_id": call, "number": number, "speaker": speaker, "text": text, "interrupted": 0}
            self._insert("call_turns", {**turn, "timing": json.dumps(timing), "created_at": _instant(moment)})
        self._run("UPDATE counters SET value = value + 1 WHERE account_id = ? AND name = 'calls'", self.account)
        return call

    def add_lines(self, room: int, lines: Sequence[str], people: Sequence[tuple[str, str]] = ()) -> None:
        """Have things be said in a room, and people be in it: their names, and `browser` or `phone`."""
        self._run("UPDATE rooms SET transcript = ? WHERE id = ?", "".join(f"{line}\n" for line in lines), room)
        for name, kind in people:
            row = {"room_id": room, "account_id": self.account, "name": name, "kind": kind, "node": "elsewhere"}
            joined = _instant(datetime.now(UTC) - timedelta(minutes=4))
            self._insert("room_participants", {**row, "seen_at": 9e9, "joined_at": joined, "seconds": 0})

    def _insert(self, table: str, row: dict[str, Any]) -> int:
        places = ", ".join("?" for _ in row)
        return self._run(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", *row.values())

    def _run(self, statement: str, *values: Any) -> int:
        connection = sqlite.connect(self.server.home / "retinue.db", isolation_level=None)
        try:
            return int(connection.execute(statement, values).lastrowid or 0)
        finally:
            connection.close()


def silent_wave(seconds: int) -> bytes:
    """A WAV file in stereo, as recordings are."""
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(bytes(4 * 16_000 * seconds))
    return made.getvalue()


def _instant(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
