"""ZIP and tar archives: listing, extracting, reading and comparing."""

import hashlib
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._archive_items import (
    NO_ARCHIVE,
    Item,
    Name,
    leads_out,
    list_items,
    open_archive,
    open_item,
)
from retinue_tools.documents._samples import FILE, FILE_2
from retinue_tools.documents._zip_files import MOST_BYTES

_MOST_FILES = 100
_MOST_FILE_MIB = 64
"""Workers cannot write larger files."""

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
"""A ZIP archive with one entry, `zeros`: 101 million zero bytes, compressed with bzip2."""
_SLIP = {FILE: samples.encode(samples.zip_archive({"../../evil.txt": "x"}))}

Pattern = Annotated[str, About("Only entries whose path matches; * matches anything", max_length=200)]


class Entry(TypedDict):
    """An entry of an archive."""

    path: Annotated[str, About("Path in the archive")]
    kind: Annotated[str, About("file, folder, link or special")]
    size: Annotated[int, About("Size in bytes, as declared in the archive")]
    packed_size: Annotated[int | None, About("Compressed size; null in tar")]
    modified: Annotated[str | None, About("Modification time; ISO 8601, local time in ZIP")]
    encrypted: Annotated[bool, About("Whether it needs a password")]


class Contents(TypedDict):
    """Content of an archive."""

    format: Annotated[str, About("zip, tar, tar.gz, tar.bz2 or tar.xz")]
    entries: Annotated[list[Entry], About("Entries in archive order, at most 5000")]
    count: Annotated[int, About("Number of entries that match the pattern")]
    total_size: Annotated[int, About("Total unpacked size in bytes")]
    suspicious: Annotated[list[str], About("Paths that leave the folder, and sizes that indicate an archive bomb")]


class Unpacked(TypedDict):
    """Extracted files."""

    files: Annotated[list[OutputFile], About("Files, saved under the last part of their path")]
    paths: Annotated[list[str], About("Paths in the archive, in the same order")]
    skipped: Annotated[list[str], About("Entries that are not files, or that leave the folder")]


class EntryText(TypedDict):
    """The text of an entry."""

    text: Annotated[str, About("Text, at most 500,000 characters")]
    size: Annotated[int, About("Size in bytes")]
    truncated: Annotated[bool, About("Whether the text is truncated")]


class Difference(TypedDict):
    """Differences between two archives."""

    identical: Annotated[bool, About("Whether both contain the same files with the same content")]
    only_first: Annotated[list[str], About("Paths only in the first")]
    only_second: Annotated[list[str], About("Paths only in the second")]
    changed: Annotated[list[str], About("Paths in both with different content")]
    same: Annotated[int, About("Number of equal files")]


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
        Refusal({"file": FILE}, "not a ZIP or tar archive", files=NO_ARCHIVE),
    ),
    reply={
        "suspicious, entries": (
            "Careful, this archive has suspicious entries. It is a {format} with {count|entry|entries}: {entries}"
        ),
        "entries": "The {format} archive contains {count|entry|entries} of {total_size|byte} together: {entries}",
        "": "There is no such entry in the archive.",
    },
    pace="normal",
)  # fmt: skip
def archive_list(file: File, pattern: Pattern = "*") -> Contents:
    """List the entries of a ZIP or tar archive (plain, gzip, bzip2, xz) with sizes and dates, without unpacking it.

    Use it before archive_extract. Paths that would leave the folder and likely archive bombs are reported.
    """
    with open_archive(file) as archive:
        items = [item for item in list_items(archive) if fnmatchcase(item.path, pattern)]
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
        "Unzip a file",
        "Open a zip file",
    ),
    examples=(
        Example(
            {"file": FILE, "pattern": "*.txt"},
            {"files": ["one.txt"], "paths": ["a/one.txt"], "skipped": []},
            source="by hand",
            files=_PLAIN,
            then=(ExampleCall("file_detect_type", {"file": "{made}"}, {"size": 6, "kind": "Plain text"}),),
        ),
        Example(
            {"file": FILE},
            {"files": ["one.txt", "b.csv"], "paths": ["a/one.txt", "b.csv"]},
            source="by hand",
            files=_PLAIN,
        ),
        Refusal({"file": FILE}, "zeros has more than 64 MiB", files=_BOMB),
        Refusal({"file": FILE}, "No file", files=_SLIP),
    ),
    reply={
        "paths, skipped": "I unpacked {paths} and skipped {skipped}: {files}",
        "paths": "I unpacked {paths}: {files}",
        "not files": "I found no file to unpack in the archive.",
        "": "The unpacked files: {files}",
    },
    pace="normal",
)
def archive_extract(file: File, pattern: Pattern = "*") -> Unpacked:
    """Unpack files of a ZIP or tar archive (plain, gzip, bzip2, xz).

    Use archive_list first to see its content, and a pattern such as *.csv to choose. At most 100 files and 100 MB at a
    time, and 64 MiB a file; links and paths that leave the folder are skipped.
    """
    files: list[str] = []
    paths: list[str] = []
    skipped: list[str] = []
    for path, content in _unpack(file, pattern, skipped):
        files.append(save(PurePosixPath(path).name, content))
        paths.append(path)
    if not files:
        raise ToolError("No file in the archive matches the pattern and can be unpacked safely.")
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
        Refusal({"file": FILE, "path": "zeros"}, "exceed 100 MB", files=_BOMB),
    ),
    reply={
        "truncated": "The beginning of {args.path}: {text}",
        "text": "The content of {args.path}: {text}",
        "": "{args.path} is empty.",
    },
    pace="normal",
)
def archive_read_text(file: File, path: Name) -> EntryText:
    """Read one text file inside a ZIP or tar archive without unpacking the rest.

    Use it to inspect packages and exports. Text is decoded as UTF-8; invalid bytes become replacement characters.
    """
    with open_archive(file) as archive:
        items = [item for item in list_items(archive) if item.kind == "file"]
        item = next((item for item in items if item.path == path), None)
        if item is None:
            names = ", ".join(item.path for item in items[:10])
            raise ToolError(f"There is no file {path} in the archive. It contains: {names or 'no files'}.")
        content = _read(archive, item, MOST_BYTES)
    text = content.decode("utf-8-sig", "replace").replace("\0", "\ufffd")
    return {"text": text[:_MOST_TEXT], "size": len(content), "truncated": len(text) > _MOST_TEXT}


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
        Refusal({"file": FILE, "other_file": FILE_2}, "not a ZIP or tar", files=NO_ARCHIVE | _OTHER),
    ),
    reply={
        "identical": "Both archives hold the same {same|file} with the same content.",
        "changed, only_first, only_second": (
            "The archives differ: {changed} changed, {only_first} is only in the first and {only_second} only in the "
            "second."
        ),
        "changed, only_first": "The archives differ: {changed} changed and {only_first} is only in the first.",
        "changed, only_second": "The archives differ: {changed} changed and {only_second} is only in the second.",
        "only_first, only_second": (
            "The archives differ: {only_first} is only in the first and {only_second} only in the second."
        ),
        "changed": "The archives differ in the content of {changed}.",
        "only_first": "The second archive lacks {only_first}.",
        "only_second": "The second archive also contains {only_second}.",
        "": "The archives differ.",
    },
    pace="normal",
)  # fmt: skip
def archive_compare(
    file: File, other_file: Annotated[File, About("ID of the archive to compare with", FILE_2)]
) -> Difference:
    """Compare two archives, ZIP or tar, by the paths and contents of their files.

    Use it for releases and backups. Dates and compression are ignored. Returns removed, added and changed files.
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


def _format(archive: zipfile.ZipFile | tarfile.TarFile, file: str) -> str:
    if isinstance(archive, zipfile.ZipFile):
        return "zip"
    with Path(file).open("rb") as content:
        head = content.read(6)
    packed = {b"\x1f\x8b": "tar.gz", b"BZ": "tar.bz2", b"\xfd7": "tar.xz"}
    return packed.get(head[:2], "tar")


def _suspicions(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        if leads_out(item.path):
            yield f"{item.path}: leads out of the folder"
        if item.packed is not None and item.size > 10_000_000 and item.size > 200 * max(item.packed, 1):
            yield f"{item.path}: unpacks to {item.size // max(item.packed, 1)} times its size"


def _unpack(file: str, pattern: str, skipped: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of each file that matches, and add the paths of unsafe entries to `skipped`.

    The caller saves them, so that an error in saving is not taken for one of the archive.
    """
    room, number = MOST_BYTES, 0
    with open_archive(file) as archive:
        for item in list_items(archive):
            if not fnmatchcase(item.path, pattern):
                continue
            if item.kind != "file" or leads_out(item.path):
                skipped += [item.path] if item.kind != "folder" else []
                continue
            if number == _MOST_FILES:
                raise ToolError(f"More than {_MOST_FILES} files match. Choose fewer with a pattern such as docs/*.pdf.")
            if item.size > _MOST_FILE_MIB << 20:
                raise ToolError(f"{item.path} has more than {_MOST_FILE_MIB} MiB. Choose others with a pattern.")
            content = _read(archive, item, room)
            room, number = room - len(content), number + 1
            yield item.path, content


def _read(archive: zipfile.ZipFile | tarfile.TarFile, item: Item, room: int) -> bytes:
    """Return the content of an entry of at most this many bytes, regardless of its declared size."""
    with open_item(archive, item) as content:
        found = content.read(room + 1)
    if len(found) > room:
        raise ToolError("The unpacked files exceed 100 MB. Choose fewer with a pattern.")
    return found


def _digests(file: str) -> dict[str, bytes]:
    """Return the digest of each file by its path."""
    found: dict[str, bytes] = {}
    room = 5 * MOST_BYTES
    with open_archive(file) as archive:
        for item in list_items(archive):
            if item.kind != "file":
                continue
            digest = hashlib.blake2b(digest_size=16)
            with open_item(archive, item) as content:
                while chunk := content.read(_CHUNK):
                    digest.update(chunk)
                    room -= len(chunk)
                    if room < 0:
                        raise ToolError("An unpacked archive exceeds 500 MB and cannot be compared.")
            found[item.path.removeprefix("./")] = digest.digest()
    return found
