"""Give tools and models access to the files of an account."""

import codecs
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retinue.auth.caller import Caller
from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.files import statements as sql
from retinue.files.store import FileStore

FORMAT = "file-id"
"""The `format` of an argument, or of its items, that is a file id."""

_FILE_ID = re.compile(r"file_[0-9a-z]{26}")
_TEXT_BYTES = 64 << 10
"""How many bytes of a file a model reads."""


def named_files(schema: Mapping[str, Any], args: Mapping[str, Any]) -> list[str]:
    """Return the file ids among validated arguments."""
    found: list[str] = []
    for name, part in schema.get("properties", {}).items():
        if part.get("format") == FORMAT and name in args:
            found.append(args[name])
        elif part.get("items", {}).get("format") == FORMAT:
            found += args.get(name) or ()
    return found


def result_files(result: object) -> list[str]:
    """Return the file ids among the fields of a tool's result, which are usually the files that the tool made.

    Ids deeper in the result are left out: a list of files has them there.
    """
    values = result.values() if isinstance(result, Mapping) else ()
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    return list(dict.fromkeys(text for text in texts if isinstance(text, str) and _FILE_ID.fullmatch(text)))


@dataclass(frozen=True)
class FileAccess:
    """Finds files by their ids within one account."""

    database: Database
    store: FileStore

    async def paths(self, account_id: int, ids: Sequence[str]) -> dict[str, Path]:
        """Return the paths of the files. Raises `ValidationFailed` naming the ids that the account does not have."""
        known = await self._check(account_id, ids, "args")
        return {file_id: await self.store.locate(file_id) for file_id in known}

    async def attachments(self, caller: Caller, ids: Sequence[str] | None) -> list[str]:
        """Check that the files a request attaches exist and that the caller may read them; return their ids."""
        if not ids:
            return []
        caller.require("tools:read")
        await self._check(caller.account_id, ids, "attachments")
        return list(dict.fromkeys(ids))

    async def texts(self, account_id: int, ids: Sequence[str], room: int) -> dict[str, str]:
        """Return each file as a model reads it, with at most `room` bytes of content in total. Small files are
        complete; larger ones share the rest.
        """
        if not ids:
            return {}
        records = sorted((await self.records(account_id, ids)).values(), key=lambda record: int(record.size))
        contents = dict.fromkeys(ids, "[An attached file has been deleted.]")
        for number, record in enumerate(records):
            share = min(_TEXT_BYTES, room // (len(records) - number))
            head = await self.store.head(record.id, share)
            if head is not None:
                contents[record.id] = _describe(record, head)
                room -= len(head)
        return contents

    async def names(
        self, account_id: int, ids: Sequence[str], media_types: Collection[str]
    ) -> dict[str, tuple[str, int]]:
        """Return the name and size of the files of these types, in order."""
        records = await self.records(account_id, ids)
        known = [records[file_id] for file_id in dict.fromkeys(ids) if file_id in records]
        return {record.id: (record.name, int(record.size)) for record in known if record.media_type in media_types}

    async def contents(
        self, account_id: int, ids: Sequence[str], media_types: Collection[str], room: int
    ) -> dict[str, tuple[str, str, bytes]]:
        """Return the name, media type and bytes of the files of these types, in order, up to `room` bytes in total."""
        records = await self.records(account_id, ids)
        found: dict[str, tuple[str, str, bytes]] = {}
        for file_id in dict.fromkeys(ids):
            record = records.get(file_id)
            if record is None or record.media_type not in media_types or record.size > room:
                continue
            content = await self.store.head(record.id, int(record.size))
            if content is not None:
                found[file_id] = (record.name, record.media_type, content)
                room -= len(content)
        return found

    async def _check(self, account_id: int, ids: Sequence[str], field: str) -> dict[str, Row]:
        """Return the records of the files. Raises `ValidationFailed` naming the ids that the account does not have."""
        known = await self.records(account_id, ids)
        unknown = [file_id[:60] for file_id in dict.fromkeys(ids) if file_id not in known]
        if unknown:
            raise ValidationFailed(f"{field}: you have no file {', '.join(unknown)}. GET /api/v1/files lists yours.")
        return known

    async def records(self, account_id: int, ids: Sequence[str]) -> dict[str, Row]:
        """Return the records of the files that the account has, by id."""
        if not ids:
            return {}
        rows = await self.database.fetch(sql.NAMED, names=list(dict.fromkeys(ids)), account=account_id)
        return {row.id: row for row in rows}


def _describe(record: Row, head: bytes) -> str:
    about = f'Attached file "{record.name}" (id {record.id}, {record.media_type}, {record.size:,} bytes)'
    text = _decode(head, is_complete=len(head) == record.size)
    if text is None:
        return f"[{about}: not text; tools that take a file can read it by its id.]"
    cut = "" if len(head) == record.size else f"\n[Shortened: these are the first {len(head):,} bytes.]"
    return f"[{about}:]\n{text}{cut}\n[End of the file.]"


def _decode(head: bytes, *, is_complete: bool) -> str | None:
    """UTF-8 text, or None if it is not valid. A character that the cut divides is dropped."""
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head, final=is_complete)
    except UnicodeDecodeError:
        return None
    return None if "\x00" in text else text
