"""Readiness while the disk has no room for bytes or for files."""

import os
from pathlib import Path

import pytest

from retinue.platform.readiness import disk_trouble


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("f_bavail", 0, "is full"),
        ("f_favail", 0, "no inodes left"),
        ("f_favail", 99, "no inodes left"),
        ("f_favail", 100, ""),
    ],
)
def test_a_disk_needs_room_for_bytes_and_for_files(
    field: str, value: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _with(field="f_files", value=0, folder=tmp_path, monkeypatch=monkeypatch) == ""
    found = _with(field=field, value=value, folder=tmp_path, monkeypatch=monkeypatch)
    assert (words in found, bool(found)) == (True, bool(words)), found


def _with(*, field: str, value: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the trouble of a disk with plenty of room except in one field of its status."""
    names = ("f_bsize", "f_frsize", "f_blocks", "f_bfree", "f_bavail", "f_files", "f_ffree", "f_favail", "f_flag")
    plenty = dict.fromkeys(names, 1 << 20) | {"f_namemax": 255, field: value}
    with monkeypatch.context() as patch:
        patch.setattr(os, "statvfs", lambda _: os.statvfs_result(tuple(plenty.values())))
        return disk_trouble(folder)
