"""Stores recordings of calls as files of the account, after the media worker has written them."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import structlog

from retinue.core.database.interface import Database
from retinue.core.errors import RetinueError
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.tool_outputs import ToolOutputs
from retinue.voice.calls import statements as sql
from retinue.voice.calls.tables import CallRow

_log = structlog.get_logger()


@dataclass(frozen=True)
class Recordings:
    """Stores recordings. `folder` holds them during the call."""

    database: Database
    tool_outputs: ToolOutputs
    folder: Path

    def clear(self) -> None:
        """Delete the recordings of a dead process. Call this before a media worker starts, which gets this folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def path_for(self, call: CallRow) -> Path:
        """Return the path for the recording of a call, and create the folder."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.folder / f"call-{call.id}.wav"

    async def keep(self, call: CallRow, path: Path) -> None:
        """Store the recording as a file of the account, if it exists and the account's storage has space."""
        try:
            content = await run_on_disk_thread(path.open, "rb")
        except FileNotFoundError:
            return
        with content:
            try:
                file_id = await self.tool_outputs.of(call.account_id)(path.name, content)
                await self.database.transact(lambda tx: tx.run(sql.SET_RECORDING, call=call.id, file=file_id))
            except RetinueError as error:
                _log.warning("calls.recording_not_kept", call=call.id, reason=error.message)
        await run_on_disk_thread(path.unlink)
