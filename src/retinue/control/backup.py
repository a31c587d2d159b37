"""Copies the data folder of a running server. The copy is a data folder itself."""

import os
import shutil
from pathlib import Path

from retinue.core.database.interface import Database
from retinue.core.errors import ValidationFailed
from retinue.core.runtime.data_dir import DataDir
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.store import FileStore
from retinue.migrations.database import copy_sqlite


async def back_up(database: Database, store: FileStore, source: DataDir, target: DataDir) -> dict[str, object]:
    """Copy the database, if it is SQLite, then the files and the master key. Adds what is missing in `target`.

    The store removes no file meanwhile, so the copy has every file that the copied database names.
    """
    target.create()
    if target.database.exists():
        raise ValidationFailed(f"{target.database} exists already. Choose another folder for the backup.")
    embedded = database.dialect == "sqlite"
    async with store.keep_all():
        if embedded:
            await run_on_disk_thread(copy_sqlite, source.database, target.database)
        copied = 0
        for shard in await store.folders():
            copied += await run_on_disk_thread(_copy_folder, shard, target.files / shard.name)
    has_key = await run_on_disk_thread(_copy_key, source.key, target.key)
    return {"database": embedded, "files": copied, "bucket": store.is_remote, "master_key": has_key}


def _copy_folder(source: Path, target: Path) -> int:
    """Copy the files that `target` lacks, and return how many. Stored files never change."""
    target.mkdir(parents=True, exist_ok=True, mode=0o700)
    copied = 0
    for entry in os.scandir(source):
        if not (target / entry.name).exists():
            _copy(Path(entry.path), target / entry.name)
            copied += 1
    return copied


def _copy_key(source: Path, target: Path) -> bool:
    if source.exists():
        _copy(source, target)
    return source.exists()


def _copy(source: Path, target: Path) -> None:
    unfinished = target.with_name(f"{target.name}.unfinished")
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with source.open("rb") as content, os.fdopen(handle, "wb") as copy:
        shutil.copyfileobj(content, copy)
        copy.flush()
        os.fsync(copy.fileno())
    unfinished.rename(target)
