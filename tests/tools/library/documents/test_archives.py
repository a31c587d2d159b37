"""Archives: what goes in comes out, and hostile ones do no harm."""

import errno
import io
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.documents import archives
from retinue_tools.documents.archives import archive_compare, archive_extract, archive_list
from retinue_tools.documents.compression import archive_create, file_compress, file_decompress

NAMES = st.text("abcé ", min_size=1, max_size=8).filter(str.strip).map(lambda name: f"d/{name}.x")
FILES = st.dictionaries(NAMES, st.binary(max_size=200), min_size=1, max_size=6)


@contextmanager
def scratch() -> Iterator[Path]:
    """A working folder, as a tool has one."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)


@settings(max_examples=40)
@given(FILES, st.sampled_from(["zip", "tar.gz"]))
def test_packed_values_are_unpacked(files: dict[str, bytes], kind: Literal["zip", "tar.gz"]) -> None:
    with scratch() as folder:
        for number, content in enumerate(files.values()):
            (folder / f"in{number}").write_bytes(content)
        inputs = [f"in{number}" for number in range(len(files))]
        packed = "made/" + archive_create(inputs, list(files), kind)["file"]
        listed = archive_list(packed)
        assert {entry["path"]: entry["size"] for entry in listed["entries"]} == {
            name: len(content) for name, content in files.items()
        }
        assert archive_compare(packed, packed)["identical"]
        found = archive_extract(packed)
        unpacked = [(folder / "made" / name).read_bytes() for name in found["files"]]
        assert dict(zip(found["paths"], unpacked, strict=True)) == files


@settings(max_examples=30)
@given(st.binary(max_size=500), st.sampled_from(["gzip", "bzip2", "xz"]))
def test_compression_has_an_inverse(content: bytes, method: Literal["gzip", "bzip2", "xz"]) -> None:
    with scratch() as folder:
        (folder / "in").write_bytes(content)
        packed = file_compress("in", "a", method)
        unpacked = file_decompress(f"made/{packed['file']}", "b")
        assert (folder / "made" / unpacked["file"]).read_bytes() == content


@settings(max_examples=60)
@given(st.data())
def test_a_damaged_archive_is_read_or_refused(data: st.DataObject) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.txt", b"some text " * 20)
    content = bytearray(target.getvalue())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=5)):
        content[place] = data.draw(st.integers(0, 255))
    with scratch() as folder:
        (folder / "in").write_bytes(content)
        try:
            paths = archive_extract("in")["paths"]
        except ToolError:
            paths = []
        assert len(paths) <= 1


def test_links_and_ways_out_are_skipped() -> None:
    with scratch() as folder:
        with tarfile.open("in", "w") as archive:
            link = tarfile.TarInfo("link")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(link)
            for name in ("../out.txt", "/abs.txt", "fine.txt"):
                info = tarfile.TarInfo(name)
                info.size = 1
                archive.addfile(info, io.BytesIO(b"x"))
        found = archive_extract("in")
        assert found["paths"] == ["fine.txt"]
        assert found["skipped"] == ["link", "../out.txt", "/abs.txt"]
        assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == ["fine.txt", "in"]
        with pytest.raises(ToolError, match="No file"):
            archive_extract("in", "link")


def test_a_file_that_no_worker_can_write_is_refused_with_its_reason() -> None:
    with scratch():
        with zipfile.ZipFile("in", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr("fine.txt", b"x")
            archive.writestr("large.bin", bytes((64 << 20) + 1))
        with pytest.raises(ToolError, match="bin has more than 64 MiB"):
            archive_extract("in")
        assert archive_extract("in", "fine*")["paths"] == ["fine.txt"]


def test_an_error_in_saving_is_not_taken_for_one_of_the_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str, content: bytes) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(archives, "save", fail)
    with scratch():
        with zipfile.ZipFile("in", "w") as archive:
            archive.writestr("a.txt", b"x")
        with pytest.raises(OSError, match="No space left"):
            archive_extract("in")


def test_all_files_together_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 10)
    with scratch():
        with zipfile.ZipFile("in", "w") as archive:
            for name in ("a.txt", "b.txt"):
                archive.writestr(name, b"123456")
        with pytest.raises(ToolError, match="exceed 100 MB"):
            archive_extract("in")
