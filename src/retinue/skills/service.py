"""Manages the skills of the caller's account."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retinue.auth.caller import Caller
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.core.runtime.failpoints import crash_point
from retinue.core.runtime.ids import new_id
from retinue.files.file_access import FileAccess
from retinue.files.file_metadata import FileMetadata
from retinue.files.store import FileStore, Upload
from retinue.files.upload_commit import AccountStorage, enter, take_out
from retinue.skills import statements as sql
from retinue.skills.parsing import MOST_BYTES, MOST_FILES
from retinue.skills.paths import is_script
from retinue.skills.reading import ParsedSkill, parse_skill, text_file, zipped_folder
from retinue.skills.schemas import SkillImport
from retinue.tools.execution.pool import ToolPool
from retinue.workspace.tree import FileTree

MOST_SKILLS = 100
"""Per account."""

_ARCHIVE_BYTES = MOST_BYTES + MOST_FILES * 1024
"""Maximum size of an archive with its headers."""

_NAMED = 20
_Write = Callable[[Tx], Awaitable[Row]]


@dataclass(frozen=True)
class Skills:
    """Imports, reads, replaces and deletes skills."""

    caller: Caller
    database: Database
    tree: FileTree
    file_access: FileAccess
    pool: ToolPool

    async def create(self, source: SkillImport) -> Row:
        """Import a skill. Raises `ValidationFailed` if it is not valid, or the account has one of this name."""
        async with self._open_source(source) as path:
            return await self.import_file(path)

    async def replace(self, skill_id: int, source: SkillImport) -> Row:
        """Import the next version of a skill, all of it or nothing. Raises `NotFound`."""
        await self.get(skill_id)
        async with self._open_source(source) as path:
            return await self.import_file(path, skill_id)

    async def import_file(self, path: Path, skill_id: int | None = None) -> Row:
        """Import a zip or a SKILL.md on this machine's disk, as a new skill or as the next version of one."""
        parsed = await parse_skill(self.pool, self.caller.account_id, path)
        async with self._store.receive(_ARCHIVE_BYTES) as upload:
            await upload.write(parsed.content)
            await upload.finish()
            file_id = new_id("file")
            await self._store.keep(upload, file_id)
        crash_point("skills.kept")
        content = _content(parsed, file_id)
        write = self._insertion(content, upload) if skill_id is None else self._update(skill_id, content, upload)
        try:
            return await self.database.transact(write)
        except UniqueConflict as error:
            await self._store.remove(file_id)
            raise ValidationFailed(await self._describe_conflict(parsed.name)) from error
        except (ValidationFailed, NotFound):
            await self._store.remove(file_id)
            raise

    async def page(self, page: Page, *, with_files: bool = False) -> tuple[Sequence[Row], int]:
        """Return one page of skills, newest first, and the total number."""
        account = self.caller.account_id
        count = await self.database.lookup(sql.COUNT, account=account)
        statement = sql.LIST_WITH_FILES if with_files else sql.LIST
        return await read_page(self.database, statement, page, account=account), count.held if count else 0

    async def get(self, skill_id: int) -> Row:
        """Return one skill with its list of files. Raises `NotFound`."""
        return _present(await self.database.lookup(sql.GET, **self._key(skill_id)), skill_id)

    async def find(self, name: str) -> Row | None:
        """Return the skill of that name."""
        return await self.database.lookup(sql.BY_NAME, called=name, account=self.caller.account_id)

    async def find_by_ids(self, ids: Sequence[int]) -> list[Row]:
        """Return the names and descriptions of the skills with these ids that exist."""
        return await self.database.fetch(sql.CHOSEN, these=list(ids), account=self.caller.account_id) if ids else []

    async def read(self, skill: Row, path: str) -> tuple[dict[str, Any], bytes]:
        """Return the entry of a file of a skill, and its content. Raises `NotFound`."""
        return await read_file(self._store, skill, path)

    async def delete(self, skill_id: int) -> None:
        """Delete a skill with its files. Agents that have it continue without it."""

        async def write(tx: Tx) -> str:
            deleted = _present(await tx.one(sql.DELETE, **self._key(skill_id)), skill_id)
            await take_out(tx, self._storage, deleted.file_id)
            return str(deleted.file_id)

        await self._store.remove(await self.database.transact(write))

    @asynccontextmanager
    async def _open_source(self, source: SkillImport) -> AsyncIterator[Path]:
        """Provide what is to be imported as a file on this machine's disk."""
        if source.text is not None:
            async with text_file(source.text) as path:
                yield path
            return
        self.caller.require("tools:read")
        if source.folder is not None:
            async with zipped_folder(self.tree, source.folder) as path:
                yield path
            return
        file_id = str(source.file_id)
        (path,) = (await self.file_access.paths(self.caller.account_id, [file_id])).values()
        yield path

    def _insertion(self, content: dict[str, Any], upload: Upload) -> _Write:
        account, moment = self.caller.account_id, now()

        async def write(tx: Tx) -> Row:
            await counters.lock(tx, account)
            existing = await tx.one(sql.COUNT, account=account)
            if existing and existing.held >= MOST_SKILLS:
                raise ValidationFailed(f"An account can have at most {MOST_SKILLS} skills. Delete one first.")
            await enter(tx, self._storage, content["file_id"], upload, _label(content))
            (row,) = await tx.all(
                sql.INSERT, **content, account_id=account, version=1, created_at=moment, updated_at=moment
            )
            await note_effect(tx, self.caller.claim, {"skill": row.id})
            return row

        return write

    def _update(self, skill_id: int, content: dict[str, Any], upload: Upload) -> _Write:
        async def write(tx: Tx) -> Row:
            old = _present(await tx.one(sql.LOCK, **self._key(skill_id)), skill_id)
            await take_out(tx, self._storage, old.file_id)
            await enter(tx, self._storage, content["file_id"], upload, _label(content))
            new = {**content, "version": old.version + 1, "updated_at": now()}
            await tx.run(sql.UPDATE, **self._key(skill_id), **{f"new_{name}": value for name, value in new.items()})
            return await tx.one(sql.GET, **self._key(skill_id))

        return write

    async def _describe_conflict(self, name: str) -> str:
        existing = await self.find(name)
        place = f"PUT /api/v1/skills/{existing.id}" if existing else "PUT"
        return f"You already have a skill named {name}. Replace it with {place}, or change the name in SKILL.md."

    @property
    def _store(self) -> FileStore:
        return self.tree.store

    @property
    def _storage(self) -> AccountStorage:
        return self.tree.records.storage

    def _key(self, skill_id: int) -> dict[str, int]:
        return {"skill": skill_id, "account": self.caller.account_id}


async def read_file(store: FileStore, skill: Row, path: str) -> tuple[dict[str, Any], bytes]:
    """Return the entry of a file of a skill, and its content. Raises `NotFound`."""
    entry: dict[str, Any] | None = next((one for one in skill.files if one["path"] == path), None)
    if entry is None:
        names = ", ".join(one["path"] for one in skill.files[:_NAMED])
        raise NotFound(f"The skill {skill.name} has no file {path[:100]!r}. It has {names}.")
    if (archive := await store.open(skill.file_id)) is None:
        raise NotFound(f"The content of the skill {skill.name} was deleted. Import it again.")
    with archive:
        return entry, await run_on_disk_thread(os.pread, archive.fileno(), entry["size"], entry["offset"])


def _content(parsed: ParsedSkill, file_id: str) -> dict[str, Any]:
    """Return the columns of a skill that follow from what was imported."""
    files = [one.model_dump() for one in parsed.files]
    return {
        "name": parsed.name,
        "description": parsed.description,
        "frontmatter": parsed.front_matter,
        "files": files,
        "has_scripts": any(is_script(one.path) for one in parsed.files),
        "file_id": file_id,
        "size": sum(one.size for one in parsed.files),
    }


def _label(content: dict[str, Any]) -> FileMetadata:
    return FileMetadata(f"{content['name']}.zip", "application/zip")


def _present(row: Row | None, skill_id: int) -> Row:
    if row is None:
        raise NotFound(f"There is no skill {skill_id} in your account.")
    return row
