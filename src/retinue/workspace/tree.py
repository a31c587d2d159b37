"""Workspace files by path: a tree of names over the file store. Each path has its own stored file, deleted
with it.
"""

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, Unavailable, ValidationFailed
from retinue.core.runtime.executors import run_on_compute_thread, run_on_disk_thread
from retinue.core.runtime.ids import new_id
from retinue.files import statements as files_sql
from retinue.files.file_metadata import UNTYPED, FileMetadata, clean_name
from retinue.files.store import FileStore, Upload
from retinue.files.upload_commit import add_record
from retinue.workspace.paths import ancestors, normalize_file_path, normalize_path
from retinue.workspace.records import LAST, NewRecord, Records, RecordTransaction
from retinue.workspace.statements import BY_NAME

KIND = "file"
MOST_AT_ONCE = 1000
"""Maximum number of files that moving or deleting a folder may affect."""

TEXT_BYTES = 1 << 20
"""Maximum size of a text that is read or changed as a whole."""

_BLOCK = 1 << 18
_ATTEMPTS = 50
_AT_ONCE = 8
"""Number of files synced to the disk concurrently: several take about as long as one."""

ABSENT = ""
"""The content id that stands for a missing file."""


class FileChanged(Exception):
    """Another change to the file came first."""


@dataclass(frozen=True)
class FileTree:
    """The files of one account by path. A folder exists while it contains a file."""

    records: Records
    store: FileStore
    max_bytes: int

    async def get(self, path: str) -> Row:
        """Return the record of a file. Raises `NotFound`."""
        name = normalize_file_path(path)
        if (row := await self.records.find_by_name(KIND, name)) is None:
            raise NotFound(f"There is no file {name[:200]!r} in your workspace.")
        return row

    async def within(self, folder: str, most: int = 10_000) -> list[Row]:
        """Return the records of the files in a folder and its subfolders, ordered by path."""
        return await self.records.prefix(KIND, normalize_path(folder) + "/", most=most)

    async def text(self, path: str) -> tuple[Row, str]:
        """Return the record and content of a UTF-8 text file. Raises `ValidationFailed` if it is not UTF-8 or too
        long.
        """
        row, content = await self._content(path)
        if len(content) > TEXT_BYTES:
            raise ValidationFailed(
                f"{row.name[:200]} has more than {TEXT_BYTES >> 20} MiB and is too long to process here."
            )
        text = await run_on_compute_thread(_decode, content)
        if text is None:
            raise ValidationFailed(
                f"{row.name[:200]} is not UTF-8 text. Pass its id, {row.body['file']}, to a tool that accepts files."
            )
        return row, text

    async def rewrite(self, path: str, edit: Callable[[str], str]) -> Row:
        """Change a text by a function of its current content; the function is called again if another change came
        first.
        """
        for _ in range(_ATTEMPTS):
            row, text = await self.text(path)
            changed = await run_on_compute_thread(edit, text)
            try:
                return await self.write(path, changed.encode(), expected=row.body["file"])
            except FileChanged:
                continue
        raise Unavailable(f"Other requests keep changing {path[:200]}. Nothing was changed. Try again.")

    async def append(self, path: str, text: str) -> Row:
        """Append to a text, or create it."""
        for _ in range(_ATTEMPTS):
            if await self.records.find_by_name(KIND, normalize_file_path(path)):
                return await self.rewrite(path, lambda content: content + text)
            try:
                return await self.write(path, text.encode(), expected=ABSENT)
            except FileChanged:
                continue
        raise Unavailable(f"Other requests keep changing {path[:200]}. Nothing was changed. Try again.")

    async def _content(self, path: str) -> tuple[Row, bytes]:
        """Return the beginning of a file. If it is replaced meanwhile, it is read again."""
        row, missing_file = await self.get(path), ABSENT
        while (content := await self.store.head(row.body["file"], TEXT_BYTES + 1)) is None:
            if row.body["file"] == missing_file:
                raise NotFound(f"The content of {row.name[:200]} was deleted. Write it again, or delete the path.")
            missing_file = row.body["file"]
            row = await self.get(path)
        return row, content

    async def write(self, path: str, content: bytes, *, overwrite: bool = True, expected: str | None = None) -> Row:
        """Write content to a path. Raises `FileChanged` if `expected` is given and is not the id of the current
        content.
        """

        return await self._receive(normalize_file_path(path), _whole(content), overwrite, expected)

    async def receive(self, path: str, pieces: AsyncIterator[bytes]) -> Row:
        """Write content that arrives in pieces to a path."""
        return await self._receive(normalize_file_path(path), pieces, overwrite=True, expected=None)

    async def copy(self, file_id: str, path: str, *, overwrite: bool = False) -> Row:
        """Copy a file of the account to a path. Raises `NotFound` if it does not exist."""
        if (source := await self.store.open(file_id)) is None:
            raise NotFound("The content of that file was deleted.")
        with source:
            return await self._receive(normalize_file_path(path), _blocks(source), overwrite, None)

    async def move(self, path: str, target: str) -> list[str]:
        """Move a file or a folder to a free path; return the new paths."""
        old, new = normalize_path(path), normalize_file_path(target)
        if not old or (new + "/").startswith(old + "/"):
            raise ValidationFailed("A folder cannot be moved into itself, and the root cannot be moved at all.")

        async def work(writing: RecordTransaction) -> list[str]:
            rows = await _rows_at(writing, old)
            await _check_free(writing, new)
            drafts = [NewRecord(row.body, normalize_file_path(new + row.name[len(old) :])) for row in rows]
            return [(await writing.replace(*it)).name for it in zip(rows, drafts, strict=True)]

        return await self.records.write(work)

    async def remove(self, path: str, *, folders: bool) -> list[str]:
        """Delete a file, or with `folders` also a folder with its content; return the deleted paths."""
        name = normalize_path(path)

        async def work(writing: RecordTransaction) -> list[Row]:
            rows = await _rows_at(writing, name)
            if rows[0].name != name and not folders:
                raise ValidationFailed(
                    f"{name or '/'} is a folder that contains files. To delete them all, allow folders."
                )
            for row in rows:
                await writing.remove(row)
                await self._forget(writing, row.body["file"])
            return rows

        rows = await self.records.write(work)
        for row in rows:
            await self.store.remove(row.body["file"])
        return [row.name for row in rows]

    async def exchange(self, arriving: Mapping[str, tuple[Path, str]], leaving: Mapping[str, str]) -> None:
        """Copy files from the disk to paths and delete the files at others, all or nothing.

        Each path comes with the id of its expected content, `ABSENT` for a missing file. Raises `FileChanged` if it
        differs.
        """
        several = asyncio.Semaphore(_AT_ONCE)

        async def store_file(path: str, source: Path, expected: str) -> tuple[str, str, Upload, str]:
            async with several:
                return (path, *await self._write_pieces(_read(source)), expected)

        async def work(writing: RecordTransaction) -> list[str]:
            old_files = [await self._remove_unchanged(writing, path, expected) for path, expected in leaving.items()]
            for path, file_id, upload, expected in uploads:
                _, replaced = await self._enter(writing, path, file_id, upload, expected=expected)
                old_files += [replaced] if replaced else []
            if uploads:
                await self._check_quota(writing)
            return old_files

        outcomes = await asyncio.gather(
            *(store_file(path, *it) for path, it in arriving.items()), return_exceptions=True
        )
        uploads = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
        try:
            for outcome in outcomes:
                if isinstance(outcome, BaseException):
                    raise outcome
            old_files = await self.records.write(work)
        except (ValidationFailed, FileChanged):
            for _, file_id, _, _ in uploads:
                await self.store.remove(file_id)
            raise
        for file_id in old_files:
            await self.store.remove(file_id)

    async def _remove_unchanged(self, writing: RecordTransaction, path: str, expected: str) -> str:
        """Delete the record of a file that still has that content; return the file's id."""
        existing = await writing.find_by_name(KIND, path)
        if existing is None or existing.body["file"] != expected:
            raise FileChanged
        await writing.remove(existing)
        await self._forget(writing, expected)
        return expected

    async def _receive(self, path: str, pieces: AsyncIterator[bytes], overwrite: bool, expected: str | None) -> Row:
        file_id, upload = await self._write_pieces(pieces)

        async def work(writing: RecordTransaction) -> tuple[Row, str | None]:
            entered = await self._enter(writing, path, file_id, upload, overwrite=overwrite, expected=expected)
            await self._check_quota(writing)
            return entered

        try:
            row, replaced = await self.records.write(work)
        except (ValidationFailed, FileChanged):
            await self.store.remove(file_id)
            raise
        if replaced:
            await self.store.remove(replaced)
        return row

    async def _write_pieces(self, pieces: AsyncIterator[bytes]) -> tuple[str, Upload]:
        """Write the pieces to the store under a new id. No row refers to the file yet."""
        async with self.store.receive(self.max_bytes) as upload:
            async for piece in pieces:
                await upload.write(piece)
            await upload.finish()
            file_id = new_id("file")
            await self.store.keep(upload, file_id)
        return file_id, upload

    async def _enter(
        self,
        writing: RecordTransaction,
        path: str,
        file_id: str,
        upload: Upload,
        *,
        overwrite: bool = True,
        expected: str | None,
    ) -> tuple[Row, str | None]:
        """Write the file's record and its path, and delete the records it replaces. The caller checks the quota."""
        existing = await writing.find_by_name(KIND, path)
        if expected is not None and (existing.body["file"] if existing else ABSENT) != expected:
            raise FileChanged
        if existing is None:
            await _check_free(writing, path)
        elif not overwrite:
            raise ValidationFailed(f"There is already a file {path}. Allow overwriting, or use another path.")
        label = FileMetadata(clean_name(path), mimetypes.guess_type(path)[0] or UNTYPED)
        await add_record(writing.tx, self.records.storage, file_id, upload, label)
        draft = NewRecord(
            {"file": file_id, "size": upload.size, "media_type": label.media_type, "sha256": upload.sha256}, path
        )
        if existing is None:
            return await writing.add(KIND, draft), None
        await self._forget(writing, existing.body["file"])
        return await writing.replace(existing, draft), existing.body["file"]

    async def _check_quota(self, writing: RecordTransaction) -> None:
        """Raise `ValidationFailed` if the account stores more than its plan allows."""
        storage = self.records.storage
        storage.check_quota(await storage.hold(writing.tx, 0))

    async def _forget(self, writing: RecordTransaction, file_id: str) -> None:
        """Delete the record of a file, if it still exists."""
        storage = self.records.storage
        deleted = await writing.tx.one(files_sql.DELETE, public=file_id, account=storage.account_id)
        if deleted is not None:
            await storage.count(writing.tx, -1, -deleted.size)


def _decode(content: bytes) -> str | None:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


async def _whole(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def _blocks(source: BinaryIO) -> AsyncIterator[bytes]:
    while block := await run_on_disk_thread(source.read, _BLOCK):
        yield block


async def _read(source: Path) -> AsyncIterator[bytes]:
    with await run_on_disk_thread(source.open, "rb") as file:
        async for block in _blocks(file):
            yield block


async def _rows_at(writing: RecordTransaction, path: str) -> list[Row]:
    """Return the file of that path, or all files of that folder. Raises `NotFound`."""
    if path and (row := await writing.find_by_name(KIND, path)):
        return [row]
    rows = await _below(writing, path, MOST_AT_ONCE + 1)
    if not rows:
        raise NotFound(f"There is no file or folder {path[:200] or '/'!r} in your workspace.")
    if len(rows) > MOST_AT_ONCE:
        raise ValidationFailed(
            f"The folder contains more than {MOST_AT_ONCE:,} files. Process its subfolders one by one."
        )
    return rows


async def _below(writing: RecordTransaction, folder: str, most: int) -> list[Row]:
    prefix = folder + "/"
    within = {"account": writing.account_id, "kind": KIND, "parent": 0, "first": prefix, "last": prefix + LAST}
    return await writing.tx.all(BY_NAME, **within, most=most, skipped=0)


async def _check_free(writing: RecordTransaction, path: str) -> None:
    """Raise `ValidationFailed` for a path that is taken, or that has a file among its ancestors."""
    for folder in (path, *ancestors(path)):
        if await writing.find_by_name(KIND, folder):
            raise ValidationFailed(f"There is already a file {folder}. Use another path.")
    if await _below(writing, path, 1):
        raise ValidationFailed(f"{path} is a folder. Name a file in it.")
