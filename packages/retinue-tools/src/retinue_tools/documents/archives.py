"""Archives: listing, unpacking, making and comparing ZIP and tar; packing single files."""

import bz2
import gzip
import hashlib
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import IO, Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Call, Example, File, MadeFile, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._samples import FILE, FILE_2
from retinue_tools.documents._zip_files import MOST_BYTES, MOST_ENTRIES, open_zip

_MOST_FILES = 100
_MOST_TEXT = 500_000
_CHUNK = 1 << 20
_PLAIN = {FILE: samples.encode(samples.zip_archive({"a/one.txt": "first\n", "b.csv": "x,y\n"}))}
_OTHER = {FILE_2: samples.encode(samples.zip_archive({"a/one.txt": "changed", "c.txt": "new"}))}
_BOMB = {
    FILE: (
        "UEsDBC4AAAAMAIMYIlysWFu2cgAAAEAjBQYFAAAAemVyb3NCWmg5MUFZJlNZDgni3wFfjkAAwAAACCAAMIBNRkKgJakKgJcxQVkm"
        "U1kOCeLfAV+OQADAAAAIIAAwgE1GQqAlqQqAlzFBWSZTWccZbTgARnpBAMAAABAACCAAMMwFKaYlUUNiSqKHi7kinChIcZaR/QBQ"
        "SwECLgMuAAAADACDGCJcrFhbtnIAAABAIwUGBQAAAAAAAAAAAAAAgAEAAAAAemVyb3NQSwUGAAAAAAEAAQAzAAAAlQAAAAAA"
    )
}
"""A ZIP archive with one entry, `zeros`: 101 million zero bytes, packed with bzip2."""
_SLIP = {FILE: samples.encode(samples.zip_archive({"../../evil.txt": "x"}))}
_TEXTS = {FILE: samples.encode("first\n"), FILE_2: samples.encode("x,y\n")}
_NO_ARCHIVE = {FILE: samples.encode("just text")}
_GZIP = {FILE: samples.encode(gzip.compress(b"first\n", mtime=0))}

Name = Annotated[
    str, About("Path in the archive", "docs/one.txt", min_length=1, max_length=300, pattern=r"^[^\\\x00-\x1f]+$")
]
Pattern = Annotated[str, About("Only entries whose path fits; * stands for anything", max_length=200)]


class Entry(TypedDict):
    """An entry of an archive."""

    path: Annotated[str, About("Its path in the archive")]
    kind: Annotated[str, About("file, folder, link or special")]
    size: Annotated[int, About("Its size in bytes, as the archive says")]
    packed_size: Annotated[int | None, About("What it takes in the archive; null in tar")]
    modified: Annotated[str | None, About("When it was changed; ISO 8601, local time in ZIP")]
    encrypted: Annotated[bool, About("Whether it needs a password")]


class Contents(TypedDict):
    """What is in an archive."""

    format: Annotated[str, About("zip, tar, tar.gz, tar.bz2 or tar.xz")]
    entries: Annotated[list[Entry], About("In the order of the archive, at most 5000")]
    count: Annotated[int, About("How many entries fit the pattern")]
    total_size: Annotated[int, About("Bytes of all of them, unpacked")]
    suspicious: Annotated[list[str], About("Paths that lead out of the folder, and sizes that look like a bomb")]


class Unpacked(TypedDict):
    """Files of an archive."""

    files: Annotated[list[MadeFile], About("The files, saved under the last part of their path")]
    paths: Annotated[list[str], About("Their paths in the archive, in the same order")]
    skipped: Annotated[list[str], About("Entries that are no files, or lead out of the folder")]


class Packed(TypedDict):
    """An archive that was made."""

    file: MadeFile
    entries: Annotated[int, About("How many files it holds")]
    size: Annotated[int, About("Its size in bytes")]
    unpacked_size: Annotated[int, About("Bytes of the files in it")]


class EntryText(TypedDict):
    """The text of an entry."""

    text: Annotated[str, About("Its text, at most 500,000 characters")]
    size: Annotated[int, About("Its size in bytes")]
    truncated: Annotated[bool, About("Whether text was left out")]


class Difference(TypedDict):
    """How two archives differ."""

    identical: Annotated[bool, About("Whether both hold the same files with the same content")]
    only_first: Annotated[list[str], About("Paths only in the first")]
    only_second: Annotated[list[str], About("Paths only in the second")]
    changed: Annotated[list[str], About("Paths in both with different content")]
    same: Annotated[int, About("How many files are the same in both")]


class Compressed(TypedDict):
    """A file that was packed or unpacked."""

    file: MadeFile
    size_before: Annotated[int, About("Bytes of the file given")]
    size_after: Annotated[int, About("Bytes of the new file")]


@dataclass(frozen=True, slots=True)
class _Item:
    """An entry of either kind of archive."""

    path: str
    kind: str
    size: int
    packed: int | None
    modified: str | None
    encrypted: bool
    source: zipfile.ZipInfo | tarfile.TarInfo


@tool(
    tags="archive zip tar gz list contents files entries inspect bomb",
    use_when=(
        "What is in this ZIP file?",
        "List the PDF files of the archive",
        "How large is the tar.gz unpacked?",
        "Is this archive safe to unpack?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "format": "zip", "count": 2, "total_size": 10, "suspicious": [],
                "entries": [
                    {"path": "a/one.txt", "kind": "file", "size": 6, "modified": "2026-01-02T03:04:06"},
                    {"path": "b.csv", "kind": "file", "size": 4, "encrypted": False},
                ],
            },
            source="the entries that the archive was written with",
            files=_PLAIN,
        ),
        Example(
            {"file": FILE, "pattern": "*.txt"},
            {"count": 1, "suspicious": ["../../evil.txt: leads out of the folder"]},
            source="by hand",
            files=_SLIP,
        ),
        Refusal({"file": FILE}, "not a ZIP or tar archive", files=_NO_ARCHIVE),
    ),
    pace="normal",
)  # fmt: skip
def archive_list(file: File, pattern: Pattern = "*") -> Contents:
    """List the entries of a ZIP or tar archive (plain, gzip, bzip2, xz) with sizes and dates, without unpacking it.

    Use it before archive_extract. Paths that would leave the folder and likely bombs are pointed out.
    """
    with _open(file) as archive:
        items = [item for item in _items(archive) if fnmatchcase(item.path, pattern)]
        kind = _format(archive, file)
    entries: list[Entry] = [
        {
            "path": item.path,
            "kind": item.kind,
            "size": item.size,
            "packed_size": item.packed,
            "modified": item.modified,
            "encrypted": item.encrypted,
        }
        for item in items[:5000]
    ]
    return {
        "format": kind,
        "entries": entries,
        "count": len(items),
        "total_size": sum(item.size for item in items),
        "suspicious": list(_suspicions(items))[:100],
    }


@tool(
    tags="archive zip tar extract unpack unzip files",
    use_when=(
        "Unpack this ZIP file",
        "Extract the CSV files from the archive",
        "Get report.pdf out of the tar.gz",
    ),
    examples=(
        Example(
            {"file": FILE, "pattern": "*.txt"},
            {"files": ["one.txt"], "paths": ["a/one.txt"], "skipped": []},
            source="by hand",
            files=_PLAIN,
            then=(Call("file_detect_type", {"file": "{made}"}, {"size": 6, "kind": "Plain text"}),),
        ),
        Example(
            {"file": FILE},
            {"files": ["one.txt", "b.csv"], "paths": ["a/one.txt", "b.csv"]},
            source="by hand",
            files=_PLAIN,
        ),
        Refusal({"file": FILE}, "more than 100 MB", files=_BOMB),
        Refusal({"file": FILE}, "No file", files=_SLIP),
    ),
    pace="normal",
)
def archive_extract(file: File, pattern: Pattern = "*") -> Unpacked:
    """Unpack files of a ZIP or tar archive (plain, gzip, bzip2, xz).

    Use archive_list first to see what is in it, and a pattern such as *.csv to choose. At most 100 files and 100 MB at
    a time; links and paths that lead out of the folder are skipped.
    """
    files: list[str] = []
    paths: list[str] = []
    skipped: list[str] = []
    room = MOST_BYTES
    with _open(file) as archive:
        for item in _items(archive):
            if not fnmatchcase(item.path, pattern):
                continue
            if item.kind != "file" or _leads_out(item.path):
                skipped += [item.path] if item.kind != "folder" else []
                continue
            if len(files) == _MOST_FILES:
                raise ToolError(f"More than {_MOST_FILES} files fit. Name fewer by a pattern such as docs/*.pdf.")
            content = _read(archive, item, room)
            room -= len(content)
            files.append(save(PurePosixPath(item.path).name, content))
            paths.append(item.path)
    if not files:
        raise ToolError("No file in the archive fits the pattern and can be unpacked safely.")
    return {"files": files, "paths": paths, "skipped": skipped[:1000]}


@tool(
    tags="archive zip text read file entry show content inside",
    use_when=(
        "Show the README inside this ZIP",
        "Read data/config.json from the archive",
        "What does the file in the tar say?",
    ),
    examples=(
        Example(
            {"file": FILE, "path": "a/one.txt"},
            {"text": "first\n", "size": 6, "truncated": False},
            source="the entry that the archive was written with",
            files=_PLAIN,
        ),
        Refusal({"file": FILE, "path": "one.txt"}, "a/one.txt", files=_PLAIN),
        Refusal({"file": FILE, "path": "zeros"}, "more than 100 MB", files=_BOMB),
    ),
    pace="normal",
)
def archive_read_text(file: File, path: Name) -> EntryText:
    """Read one text file inside a ZIP or tar archive without unpacking the rest.

    Use it to look into packages and exports. Text is read as UTF-8; what is none shows as replacement marks.
    """
    with _open(file) as archive:
        items = [item for item in _items(archive) if item.kind == "file"]
        item = next((item for item in items if item.path == path), None)
        if item is None:
            names = ", ".join(item.path for item in items[:10])
            raise ToolError(f"There is no file {path} in the archive. It holds: {names or 'no files'}.")
        content = _read(archive, item, MOST_BYTES)
    text = content.decode("utf-8-sig", "replace").replace("\0", "\ufffd")
    return {"text": text[:_MOST_TEXT], "size": len(content), "truncated": len(text) > _MOST_TEXT}


@tool(
    tags="archive zip tar create pack compress bundle files tgz",
    use_when=(
        "Pack these files into a ZIP",
        "Make a tar.gz of the three reports",
        "Bundle the attachments into one archive",
    ),
    examples=(
        Example(
            {"files": [FILE, FILE_2], "names": ["a/one.txt", "b.csv"]},
            {"file": "archive.zip", "entries": 2, "unpacked_size": 10},
            source="by hand",
            files=_TEXTS,
            then=(
                Call("archive_read_text", {"file": "{made}", "path": "a/one.txt"}, {"text": "first\n"}),
                Call("archive_list", {"file": "{made}"}, {"format": "zip", "count": 2, "total_size": 10}),
            ),
        ),
        Example(
            {"files": [FILE_2], "names": ["b.csv"], "archive_format": "tar.gz"},
            {"file": "archive.tar.gz", "entries": 1},
            source="by hand",
            files=_TEXTS,
            then=(
                Call("archive_read_text", {"file": "{made}", "path": "b.csv"}, {"text": "x,y\n"}),
                Call("archive_list", {"file": "{made}"}, {"format": "tar.gz"}),
            ),
        ),
        Refusal({"files": [FILE], "names": ["../x"]}, "leads out", files=_TEXTS),
        Refusal({"files": [FILE, FILE_2], "names": ["a", "a"]}, "twice", files=_TEXTS),
    ),
    pace="normal",
)
def archive_create(
    files: Annotated[list[File], About("Ids of the files to pack", [FILE, FILE_2], min_items=1, max_items=100)],
    names: Annotated[
        list[Name],
        About("Their paths in the archive, in the same order", ["docs/one.txt", "b.csv"], min_items=1, max_items=100),
    ],
    archive_format: Annotated[Literal["zip", "tar.gz"], About("Kind of archive")] = "zip",
) -> Packed:
    """Pack files into a ZIP or tar.gz archive under names of your choice.

    Use it to hand over several files as one. The same files and names give the same archive.
    """
    _check_names(files, names)
    contents = [Path(file).read_bytes() for file in files]
    if sum(map(len, contents)) > MOST_BYTES:
        raise ToolError("The files have more than 100 MB together. Pack fewer.")
    target = io.BytesIO()
    if archive_format == "zip":
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as zipped:
            for name, content in zip(names, contents, strict=True):
                zipped.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    else:
        with gzip.GzipFile("", "wb", fileobj=target, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
            for name, content in zip(names, contents, strict=True):
                info = tarfile.TarInfo(name)
                info.size, info.mode = len(content), 0o644
                tar.addfile(info, io.BytesIO(content))
    packed_bytes = target.getvalue()
    return {
        "file": save(f"archive.{archive_format}", packed_bytes),
        "entries": len(contents),
        "size": len(packed_bytes),
        "unpacked_size": sum(map(len, contents)),
    }


@tool(
    tags="archive zip tar compare diff contents changed versions release",
    use_when=(
        "What changed between these two ZIP files?",
        "Do both archives hold the same files?",
        "Compare two releases as tar.gz",
    ),
    examples=(
        Example(
            {"file": FILE, "other_file": FILE_2},
            {
                "identical": False, "only_first": ["b.csv"], "only_second": ["c.txt"], "changed": ["a/one.txt"],
                "same": 0,
            },
            source="the entries that both were written with",
            files=_PLAIN | _OTHER,
        ),
        Example({"file": FILE, "other_file": FILE}, {"identical": True, "same": 2}, source="itself", files=_PLAIN),
        Refusal({"file": FILE, "other_file": FILE_2}, "not a ZIP or tar", files=_NO_ARCHIVE | _OTHER),
    ),
    pace="normal",
)  # fmt: skip
def archive_compare(
    file: File, other_file: Annotated[File, About("Id of the archive to compare with", FILE_2)]
) -> Difference:
    """Compare two archives, ZIP or tar, by the paths and contents of their files.

    Use it for releases and backups. Dates and ways of packing do not count. Returns what was removed, added, changed.
    """
    before, after = _digests(file), _digests(other_file)
    both = before.keys() & after.keys()
    changed = sorted(path for path in both if before[path] != after[path])
    return {
        "identical": before == after,
        "only_first": sorted(before.keys() - after.keys()),
        "only_second": sorted(after.keys() - before.keys()),
        "changed": changed,
        "same": len(both) - len(changed),
    }


@tool(
    tags="file compress gzip bzip2 xz pack gz smaller",
    use_when=(
        "Compress this file with gzip",
        "Make the log smaller with xz",
        "Pack data.csv as data.csv.gz",
    ),
    examples=(
        Example(
            {"file": FILE, "name": "one.txt"},
            {"file": "one.txt.gz", "size_before": 6},
            source="RFC 1952",
            files=_TEXTS,
            then=(Call("file_decompress", {"file": "{made}", "name": "one.txt"}, {"size_after": 6}),),
        ),
        Example(
            {"file": FILE_2, "name": "b.csv", "method": "xz"},
            {"file": "b.csv.xz", "size_before": 4},
            source="by hand",
            files=_TEXTS,
            then=(Call("file_detect_type", {"file": "{made}"}, {"media_type": "application/x-xz"}),),
        ),
        Refusal({"file": FILE, "name": "a", "method": "rar"}, "must be one of", files=_TEXTS),
    ),
    pace="normal",
)
def file_compress(
    file: File,
    name: Annotated[str, About("Name of the file before packing", "data.csv", min_length=1, max_length=150)],
    method: Annotated[Literal["gzip", "bzip2", "xz"], About("gzip is known everywhere, xz packs closest")] = "gzip",
) -> Compressed:
    """Compress a single file with gzip, bzip2 or xz.

    Use archive_create for several files. Returns the packed file, named with .gz, .bz2 or .xz.
    """
    content = _whole(file)
    packed = {
        "gzip": lambda: gzip.compress(content, mtime=0),
        "bzip2": lambda: bz2.compress(content),
        "xz": lambda: lzma.compress(content),
    }[method]()
    ending = {"gzip": "gz", "bzip2": "bz2", "xz": "xz"}[method]
    return {"file": save(f"{name}.{ending}", packed), "size_before": len(content), "size_after": len(packed)}


@tool(
    tags="file decompress gunzip unpack gz bz2 xz expand",
    use_when=(
        "Unpack this .gz file",
        "Decompress the log.xz",
        "Expand a bzip2 file",
    ),
    examples=(
        Example(
            {"file": FILE, "name": "one.txt"},
            {"file": "one.txt", "size_after": 6},
            source="RFC 1952: what was packed",
            files=_GZIP,
            then=(Call("file_detect_type", {"file": "{made}"}, {"kind": "Plain text", "size": 6}),),
        ),
        Refusal({"file": FILE, "name": "x"}, "not packed", files=_NO_ARCHIVE),
        Refusal({"file": FILE, "name": "x"}, "damaged", files={FILE: samples.encode(b"\x1f\x8b\x08garbage and more")}),
    ),
    pace="normal",
)
def file_decompress(
    file: File,
    name: Annotated[str, About("Name of the file to make", "data.csv", min_length=1, max_length=150)],
) -> Compressed:
    """Unpack a single file that was compressed with gzip, bzip2 or xz, found out by its content; at most 60 MB.

    Use archive_extract for ZIP and tar archives. Returns the unpacked file.
    """
    content = _whole(file)
    source = _unpacking(content)
    if source is None:
        raise ToolError("The file is not packed with gzip, bzip2 or xz. file_detect_type tells what it is.")
    try:
        unpacked = source.read(60_000_001)
    except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError) as error:
        raise ToolError("The packed file is damaged or cut off.") from error
    if len(unpacked) > 60_000_000:
        raise ToolError("The file unpacks to more than 60 MB, and is not unpacked.")
    return {"file": save(name, unpacked), "size_before": len(content), "size_after": len(unpacked)}


def _unpacking(content: bytes) -> io.BufferedIOBase | None:
    """The content of a packed file, None where it is not packed."""
    source = io.BytesIO(content)
    if content.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=source)
    if content.startswith(b"BZh"):
        return bz2.BZ2File(source)
    return lzma.LZMAFile(source) if content.startswith(b"\xfd7zXZ\0") else None


@contextmanager
def _open(file: str) -> Iterator[zipfile.ZipFile | tarfile.TarFile]:
    """A ZIP or tar archive. What is wrong with it, then or while it is read, becomes `ToolError`."""
    if zipfile.is_zipfile(file):
        with open_zip(file) as archive:
            yield archive
        return
    try:
        with tarfile.open(file) as tar:
            yield tar
    except (tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError) as error:
        raise ToolError(
            "The file is not a ZIP or tar archive, or is damaged. file_detect_type tells what it is."
        ) from error


def _items(archive: zipfile.ZipFile | tarfile.TarFile) -> Iterator[_Item]:
    if isinstance(archive, zipfile.ZipFile):
        yield from map(_zip_item, archive.infolist())
        return
    room = 10 * MOST_BYTES
    for number, info in enumerate(archive):
        room -= info.size
        # To find the next entry the packed stream is unpacked up to there: a bomb shows itself by its sizes.
        if number >= MOST_ENTRIES or room < 0:
            raise ToolError(f"The archive has more than {MOST_ENTRIES:,} entries, or more than 1 GB unpacked.")
        kind = (
            "file"
            if info.isfile()
            else "folder"
            if info.isdir()
            else "link"
            if info.issym() or info.islnk()
            else "special"
        )
        yield _Item(info.name, kind, info.size, None, _moment(info.mtime), False, info)


def _zip_item(info: zipfile.ZipInfo) -> _Item:
    link = stat.S_ISLNK(info.external_attr >> 16)
    try:
        # ZIP knows no zones: what it says is the local time of whoever packed it.
        modified = datetime(*info.date_time, tzinfo=UTC).replace(tzinfo=None).isoformat()
    except ValueError:
        modified = None
    kind = "folder" if info.filename.endswith("/") else "link" if link else "file"
    return _Item(info.filename, kind, info.file_size, info.compress_size, modified, bool(info.flag_bits & 1), info)


def _moment(seconds: float) -> str | None:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def _format(archive: zipfile.ZipFile | tarfile.TarFile, file: str) -> str:
    if isinstance(archive, zipfile.ZipFile):
        return "zip"
    with Path(file).open("rb") as content:
        head = content.read(6)
    packed = {b"\x1f\x8b": "tar.gz", b"BZ": "tar.bz2", b"\xfd7": "tar.xz"}
    return packed.get(head[:2], "tar")


def _suspicions(items: Sequence[_Item]) -> Iterator[str]:
    for item in items:
        if _leads_out(item.path):
            yield f"{item.path}: leads out of the folder"
        if item.packed is not None and item.size > 10_000_000 and item.size > 200 * max(item.packed, 1):
            yield f"{item.path}: unpacks to {item.size // max(item.packed, 1)} times its size"


def _leads_out(path: str) -> bool:
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return ".." in parts or path.startswith(("/", "\\")) or ":" in (parts[0] if parts else "") or not parts


def _stream(archive: zipfile.ZipFile | tarfile.TarFile, item: _Item) -> IO[bytes]:
    if isinstance(archive, zipfile.ZipFile) and isinstance(item.source, zipfile.ZipInfo):
        return archive.open(item.source)
    if isinstance(archive, tarfile.TarFile) and isinstance(item.source, tarfile.TarInfo):
        content = archive.extractfile(item.source)
        if content is not None:
            return content
    raise ToolError(f"{item.path} is no file.")


def _read(archive: zipfile.ZipFile | tarfile.TarFile, item: _Item, room: int) -> bytes:
    """The content of an entry of at most so many bytes, whatever size the archive claims."""
    with _stream(archive, item) as content:
        found = content.read(room + 1)
    if len(found) > room:
        raise ToolError("The files unpack to more than 100 MB. Name fewer by a pattern.")
    return found


def _digests(file: str) -> dict[str, bytes]:
    """The digest of each file by its path."""
    found: dict[str, bytes] = {}
    room = 5 * MOST_BYTES
    with _open(file) as archive:
        for item in _items(archive):
            if item.kind != "file":
                continue
            digest = hashlib.blake2b(digest_size=16)
            with _stream(archive, item) as content:
                while chunk := content.read(_CHUNK):
                    digest.update(chunk)
                    room -= len(chunk)
                    if room < 0:
                        raise ToolError("An archive unpacks to more than 500 MB, and is not compared.")
            found[item.path.removeprefix("./")] = digest.digest()
    return found


def _check_names(files: Sequence[str], names: Sequence[str]) -> None:
    if len(files) != len(names):
        raise ToolError(f"There are {len(files)} files and {len(names)} names. Give one name for each file.")
    for name in names:
        if _leads_out(name) or name.endswith("/"):
            raise ToolError(f"{name} leads out of the archive, or names a folder. Write paths as docs/one.txt.")
    if len(set(names)) < len(names):
        raise ToolError("A name stands there twice. Give each file its own.")


def _whole(file: str) -> bytes:
    if Path(file).stat().st_size > MOST_BYTES:
        raise ToolError("The file has more than 100 MB.")
    return Path(file).read_bytes()
