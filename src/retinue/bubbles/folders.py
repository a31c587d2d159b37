"""Folders that a program has written in. Their content is hostile, so no link is followed."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

DEEPEST = 64
"""Folders within folders."""

_LONGEST = 3_800
"""Characters of a folder's path: with a name below it, it stays within what the kernel takes (PATH_MAX)."""


class TooDeep(Exception):
    """Folders are nested more deeply than anything here goes."""


class TooMany(Exception):
    """There are more files and folders than may be."""


def entries(folder: str, depth: int = 0) -> Iterator[tuple[str, os.stat_result]]:
    """All that is below a folder, with its status, folders before what is in them. Raises `TooDeep`.

    Folders that the program closed to itself are opened. What vanishes meanwhile is left out.
    """
    if depth > DEEPEST or len(os.fsencode(folder)) > _LONGEST:
        raise TooDeep
    for entry in _list(folder):
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        yield entry.path, status
        if stat.S_ISDIR(status.st_mode):
            yield from entries(entry.path, depth + 1)


def disk_size(folder: str, most: int) -> int:
    """The bytes that files below a folder take on the disk, 4 KiB at least for each. Raises `TooDeep`, `TooMany`."""
    size = 0
    for number, (_, status) in enumerate(entries(folder), start=1):
        if number > most:
            raise TooMany
        size += max(status.st_blocks * 512, 4096)
    return size


def hand_over(folder: str, user: int) -> None:
    """Make a user the owner of all that is below a folder."""
    os.chown(folder, user, user, follow_symlinks=False)
    for path, _ in entries(folder):
        os.chown(path, user, user, follow_symlinks=False)


def remove(folder: Path) -> None:
    """Delete a folder with all in it, however deep: what is nested is moved up before it is emptied, so that no path
    grows long.
    """
    parent, waiting, number = str(folder.parent), [str(folder)], 0
    while waiting:
        emptied = waiting.pop()
        for entry in _list(emptied):
            if entry.is_dir(follow_symlinks=False):
                number += 1
                lifted = f"{parent}/.{folder.name}.{number}"
                os.chmod(entry.path, 0o700)  # noqa: PTH101 - the path of an entry is text
                os.rename(entry.path, lifted)  # noqa: PTH104
                waiting.append(lifted)
            else:
                os.unlink(entry.path)  # noqa: PTH108
        with suppress(FileNotFoundError):
            os.rmdir(emptied)  # noqa: PTH106


def _list(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except PermissionError:
        os.chmod(folder, 0o700)  # noqa: PTH101
        with os.scandir(folder) as found:
            return list(found)
    except FileNotFoundError:
        return []
