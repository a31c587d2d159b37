"""Copies the data folder of a running server. The copy is a data folder itself."""

import os
import shutil
from pathlib import Path

from retinue.core.database.interface import Database
from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.runtime.data_dir import DataDir
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.store import FileStore
from retinue.migrations.database import copy_sqlite


async def back_up(database: Database, store: FileStore, source: DataDir, target: DataDir) -> dict[str, object]:
    """Copy the database, if it is SQLite, then the files, the master key, the settings file and the added tools.

    Adds what is missing in `target`. The store removes no file meanwhile, so the copy has every file that the copied
    database names. Raises `ValidationFailed` for a folder that cannot be used, and `Unavailable` if the copying fails.
    """
    _prepare(source, target)
    try:
        return await _copy_all(database, store, source, target)
    except OSError as error:
        raise Unavailable(
            f"The backup is not complete: {error.strerror} ({error.filename or target.folder}). Correct that, and run "
            "the command again with another folder."
        ) from error


def _prepare(source: DataDir, target: DataDir) -> None:
    """Create the folder. Raises `ValidationFailed` if it cannot take a backup."""
    if target.folder.resolve().is_relative_to(source.folder.resolve()):
        raise ValidationFailed(f"{target.folder} is in the data folder. Choose a folder outside of the data folder.")
    try:
        target.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ValidationFailed(
            f"Cannot create {target.folder}: {error.strerror}. Choose another folder for the backup."
        ) from error
    if target.database.exists():
        raise ValidationFailed(f"{target.database} exists already. Choose another folder for the backup.")
    if not os.access(target.folder, os.W_OK | os.X_OK):
        raise ValidationFailed(f"{target.folder} is not writable. Choose another folder for the backup.")


async def _copy_all(database: Database, store: FileStore, source: DataDir, target: DataDir) -> dict[str, object]:
    embedded = database.dialect == "sqlite"
    async with store.keep_all():
        if embedded:
            await run_on_disk_thread(copy_sqlite, source.database, target.database)
        copied = 0
        for shard in await store.folders():
            copied += await run_on_disk_thread(_copy_folder, shard, target.files / shard.name)
    has_key = await run_on_disk_thread(_copy_if_present, source.key, target.key)
    await run_on_disk_thread(_copy_if_present, source.settings_file, target.settings_file)
    if source.added_tools.is_dir():
        await run_on_disk_thread(_copy_tree, source.added_tools, target.added_tools)
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


def _copy_tree(source: Path, target: Path) -> None:
    """Copy all files of a folder, also those behind symbolic links, but not what Python has compiled."""
    target.mkdir(exist_ok=True, mode=0o700)
    for path in source.iterdir():
        if path.is_file():
            _copy(path, target / path.name)
        elif path.is_dir() and path.name != "__pycache__":
            _copy_tree(path, target / path.name)


def _copy_if_present(source: Path, target: Path) -> bool:
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
