"""Entries of ZIP and tar archives, read without trusting their names and sizes."""

import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import IO, Annotated

from retinue.sdk import About, ToolError
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._samples import FILE
from retinue_tools.documents._zip_files import MOST_BYTES, MOST_ENTRIES, open_zip

NO_ARCHIVE = {FILE: samples.encode("just text")}

Name = Annotated[
    str, About("Path in the archive", "docs/one.txt", min_length=1, max_length=300, pattern=r"^[^\\\x00-\x1f]+$")
]


@dataclass(frozen=True, slots=True)
class Item:
    """An entry of a ZIP or tar archive."""

    path: str
    kind: str
    size: int
    packed: int | None
    modified: str | None
    encrypted: bool
    source: zipfile.ZipInfo | tarfile.TarInfo


@contextmanager
def open_archive(file: str) -> Iterator[zipfile.ZipFile | tarfile.TarFile]:
    """Open a ZIP or tar archive. Errors of the archive, on opening or while reading, become `ToolError`."""
    if zipfile.is_zipfile(file):
        with open_zip(file) as archive:
            yield archive
        return
    try:
        with tarfile.open(file) as tar:
            yield tar
    except (tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError) as error:
        raise ToolError(
            "The file is not a ZIP or tar archive, or is damaged. file_detect_type detects its type."
        ) from error


def list_items(archive: zipfile.ZipFile | tarfile.TarFile) -> Iterator[Item]:
    if isinstance(archive, zipfile.ZipFile):
        yield from map(_zip_item, archive.infolist())
        return
    room = 10 * MOST_BYTES
    for number, info in enumerate(archive):
        room -= info.size
        # Finding the next entry decompresses the stream up to there: an archive bomb is detected by its sizes.
        if number >= MOST_ENTRIES or room < 0:
            raise ToolError(f"The archive has more than {MOST_ENTRIES:,} entries, or more than 1 GB of unpacked data.")
        kind = (
            "file"
            if info.isfile()
            else "folder"
            if info.isdir()
            else "link"
            if info.issym() or info.islnk()
            else "special"
        )
        yield Item(info.name, kind, info.size, None, _moment(info.mtime), False, info)


def _zip_item(info: zipfile.ZipInfo) -> Item:
    link = stat.S_ISLNK(info.external_attr >> 16)
    try:
        # ZIP stores no time zone: its times are local to the machine that wrote the archive.
        modified = datetime(*info.date_time, tzinfo=UTC).replace(tzinfo=None).isoformat()
    except ValueError:
        modified = None
    kind = "folder" if info.filename.endswith("/") else "link" if link else "file"
    return Item(info.filename, kind, info.file_size, info.compress_size, modified, bool(info.flag_bits & 1), info)


def _moment(seconds: float) -> str | None:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def leads_out(path: str) -> bool:
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return ".." in parts or path.startswith(("/", "\\")) or ":" in (parts[0] if parts else "") or not parts


def open_item(archive: zipfile.ZipFile | tarfile.TarFile, item: Item) -> IO[bytes]:
    if isinstance(archive, zipfile.ZipFile) and isinstance(item.source, zipfile.ZipInfo):
        return archive.open(item.source)
    if isinstance(archive, tarfile.TarFile) and isinstance(item.source, tarfile.TarInfo):
        content = archive.extractfile(item.source)
        if content is not None:
            return content
    raise ToolError(f"{item.path} is not a file.")
