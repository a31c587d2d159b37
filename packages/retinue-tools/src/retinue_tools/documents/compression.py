"""ZIP and tar archives created, and single files compressed and decompressed."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Call, Example, File, MadeFile, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._archive_items import NO_ARCHIVE, Name, leads_out
from retinue_tools.documents._samples import FILE, FILE_2
from retinue_tools.documents._zip_files import MOST_BYTES

_TEXTS = {FILE: samples.encode("first\n"), FILE_2: samples.encode("x,y\n")}

_GZIP = {FILE: samples.encode(gzip.compress(b"first\n", mtime=0))}


class Packed(TypedDict):
    """An archive that was made."""

    file: MadeFile
    entries: Annotated[int, About("How many files it holds")]
    size: Annotated[int, About("Its size in bytes")]
    unpacked_size: Annotated[int, About("Bytes of the files in it")]


class Compressed(TypedDict):
    """A file that was packed or unpacked."""

    file: MadeFile
    size_before: Annotated[int, About("Bytes of the file given")]
    size_after: Annotated[int, About("Bytes of the new file")]


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
        Refusal({"file": FILE, "name": "x"}, "not packed", files=NO_ARCHIVE),
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


def _check_names(files: Sequence[str], names: Sequence[str]) -> None:
    if len(files) != len(names):
        raise ToolError(f"There are {len(files)} files and {len(names)} names. Give one name for each file.")
    for name in names:
        if leads_out(name) or name.endswith("/"):
            raise ToolError(f"{name} leads out of the archive, or names a folder. Write paths as docs/one.txt.")
    if len(set(names)) < len(names):
        raise ToolError("A name stands there twice. Give each file its own.")


def _whole(file: str) -> bytes:
    if Path(file).stat().st_size > MOST_BYTES:
        raise ToolError("The file has more than 100 MB.")
    return Path(file).read_bytes()
