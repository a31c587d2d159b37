"""Walk, measure and delete folders that a program has written to. Their content is hostile: no link is followed."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

DEEPEST = 64
"""Maximum nesting depth of folders."""

_LONGEST = 3_800
"""Maximum length of a folder's path in characters, so that the path of an entry below it stays within PATH_MAX."""


class TooDeep(Exception):
    """Folders are nested more deeply than `DEEPEST`."""


class TooMany(Exception):
    """The folder holds more files and folders than allowed."""


def entries(folder: str, depth: int = 0) -> Iterator[tuple[str, os.stat_result]]:
    """Yield everything below a folder with its status, each folder before its content. Raises `TooDeep`.

    Folders that the program made unreadable to itself are opened. Entries that disappear meanwhile are skipped.
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
    """The disk space of the files below a folder in bytes, at least 4 KiB for each. Raises `TooDeep`, `TooMany`."""
    size = 0
    for number, (_, status) in enumerate(entries(folder), start=1):
        if number > most:
            raise TooMany
        size += max(status.st_blocks * 512, 4096)
    return size


def hand_over(folder: str, user: int) -> None:
    """Make a user the owner of everything below a folder."""
    os.chown(folder, user, user, follow_symlinks=False)
    for path, _ in entries(folder):
        os.chown(path, user, user, follow_symlinks=False)


def remove(folder: Path) -> None:
    """Delete a folder and its content at any depth. Nested folders are moved up before they are emptied, so that no
    path grows too long.
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
