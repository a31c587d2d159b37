"""Creation of ZIP and tar archives, and compression of single files."""

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

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.documents import _samples as samples
from retinue_tools.documents._archive_items import NO_ARCHIVE, Name, leads_out
from retinue_tools.documents._samples import FILE, FILE_2
from retinue_tools.documents._zip_files import MOST_BYTES

_TEXTS = {FILE: samples.encode("first\n"), FILE_2: samples.encode("x,y\n")}

_GZIP = {FILE: samples.encode(gzip.compress(b"first\n", mtime=0))}


class Packed(TypedDict):
    """A created archive."""

    file: OutputFile
    entries: Annotated[int, About("Number of files")]
    size: Annotated[int, About("Size in bytes")]
    unpacked_size: Annotated[int, About("Total size of the files in bytes")]


class Compressed(TypedDict):
    """A compressed or decompressed file."""

    file: OutputFile
    size_before: Annotated[int, About("Size of the input in bytes")]
    size_after: Annotated[int, About("Size of the output in bytes")]


@tool(
    tags="archive zip tar create pack compress bundle files tgz",
    use_when=(
        "Pack these files into a ZIP",
        "Make a tar.gz of the three reports",
        "Bundle the attachments into one archive",
        "Zip up some files",
    ),
    examples=(
        Example(
            {"files": [FILE, FILE_2], "names": ["a/one.txt", "b.csv"]},
            {"file": "archive.zip", "entries": 2, "unpacked_size": 10},
            source="by hand",
            files=_TEXTS,
            then=(
                ExampleCall("archive_read_text", {"file": "{made}", "path": "a/one.txt"}, {"text": "first\n"}),
                ExampleCall("archive_list", {"file": "{made}"}, {"format": "zip", "count": 2, "total_size": 10}),
            ),
        ),
        Example(
            {"files": [FILE_2], "names": ["b.csv"], "archive_format": "tar.gz"},
            {"file": "archive.tar.gz", "entries": 1},
            source="by hand",
            files=_TEXTS,
            then=(
                ExampleCall("archive_read_text", {"file": "{made}", "path": "b.csv"}, {"text": "x,y\n"}),
                ExampleCall("archive_list", {"file": "{made}"}, {"format": "tar.gz"}),
            ),
        ),
        Refusal({"files": [FILE], "names": ["../x"]}, "leaves the archive, or is a folder", files=_TEXTS),
        Refusal({"files": [FILE, FILE_2], "names": ["a", "a"]}, "twice", files=_TEXTS),
    ),
    reply="I packed {entries|file} into an archive of {size|byte}: {file}",
    pace="normal",
)
def archive_create(
    files: Annotated[list[File], About("IDs of the files to pack", [FILE, FILE_2], min_items=1, max_items=100)],
    names: Annotated[
        list[Name],
        About("Paths in the archive, in the same order", ["docs/one.txt", "b.csv"], min_items=1, max_items=100),
    ],
    archive_format: Annotated[Literal["zip", "tar.gz"], About("Archive format")] = "zip",
) -> Packed:
    """Pack files into a ZIP or tar.gz archive under names of your choice.

    Use it to share several files as one. The same files and names give the same archive.
    """
    _check_names(files, names)
    contents = [Path(file).read_bytes() for file in files]
    if sum(map(len, contents)) > MOST_BYTES:
        raise ToolError("The files exceed 100 MB in total. Pack fewer.")
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
            then=(ExampleCall("file_decompress", {"file": "{made}", "name": "one.txt"}, {"size_after": 6}),),
        ),
        Example(
            {"file": FILE_2, "name": "b.csv", "method": "xz"},
            {"file": "b.csv.xz", "size_before": 4},
            source="by hand",
            files=_TEXTS,
            then=(ExampleCall("file_detect_type", {"file": "{made}"}, {"media_type": "application/x-xz"}),),
        ),
        Refusal({"file": FILE, "name": "a", "method": "rar"}, "must be one of", files=_TEXTS),
    ),
    reply="The compressed file has {size_after|byte} instead of {size_before}: {file}",
    pace="normal",
)
def file_compress(
    file: File,
    name: Annotated[str, About("Original name of the file", "data.csv", min_length=1, max_length=150)],
    method: Annotated[
        Literal["gzip", "bzip2", "xz"], About("gzip is supported everywhere, xz compresses best")
    ] = "gzip",
) -> Compressed:
    """Compress a single file with gzip, bzip2 or xz.

    Use archive_create for several files. Returns the compressed file, named with .gz, .bz2 or .xz.
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
            then=(ExampleCall("file_detect_type", {"file": "{made}"}, {"kind": "Plain text", "size": 6}),),
        ),
        Refusal({"file": FILE, "name": "x"}, "not compressed", files=NO_ARCHIVE),
        Refusal({"file": FILE, "name": "x"}, "damaged", files={FILE: samples.encode(b"\x1f\x8b\x08garbage and more")}),
    ),
    reply="The unpacked file with {size_after|byte}: {file}",
    pace="normal",
)
def file_decompress(
    file: File,
    name: Annotated[str, About("Name of the output file", "data.csv", min_length=1, max_length=150)],
) -> Compressed:
    """Unpack a single file that was compressed with gzip, bzip2 or xz, detected by its content; at most 60 MB.

    Use archive_extract for ZIP and tar archives. Returns the unpacked file.
    """
    content = _whole(file)
    source = _open_compressed(content)
    if source is None:
        raise ToolError("The file is not compressed with gzip, bzip2 or xz. file_detect_type detects its type.")
    try:
        unpacked = source.read(60_000_001)
    except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError) as error:
        raise ToolError("The compressed file is damaged or truncated.") from error
    if len(unpacked) > 60_000_000:
        raise ToolError("The unpacked file exceeds 60 MB, which is not supported.")
    return {"file": save(name, unpacked), "size_before": len(content), "size_after": len(unpacked)}


def _open_compressed(content: bytes) -> io.BufferedIOBase | None:
    """Return the content of a compressed file, or None if it is not compressed."""
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
            raise ToolError(f"{name} leaves the archive, or is a folder. Write paths such as docs/one.txt.")
    if len(set(names)) < len(names):
        raise ToolError("A name occurs twice. Names must be unique.")


def _whole(file: str) -> bytes:
    if Path(file).stat().st_size > MOST_BYTES:
        raise ToolError("The file exceeds 100 MB.")
    return Path(file).read_bytes()
