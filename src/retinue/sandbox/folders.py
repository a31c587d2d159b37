"""Walk, measure and delete folders that a program has written to. Their content is hostile: no link is followed."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

DEEPEST = 64
"""Maximum nesting depth of folders."""

_LONGEST = 3_800
"""Maximum length of a folder's path in characters, so that the path of an entry below it stays within PATH_MAX."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_MISSING_ERRORS = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Errors of opening a folder that has been deleted, or replaced by a file or a link."""


class TooDeep(Exception):
    """Folders are nested more deeply than `DEEPEST`."""


class TooMany(Exception):
    """The folder holds more files and folders than allowed."""


def entries(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield everything below a folder with its status, each folder before its content. Raises `TooDeep`.

    Folders that the program made inaccessible to itself are opened. Entries that disappear meanwhile are skipped. A
    program that makes folders inaccessible at the same time may cause `PermissionError`.
    """
    yield from _walk(folder, folder, None, 0)


def _walk(path: str, name: str, parent: int | None, depth: int) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the entries of a folder at `path`, which the open folder `parent` contains as `name`."""
    if depth > DEEPEST or len(os.fsencode(path)) > _LONGEST:
        raise TooDeep
    if (folder := _open(name, parent)) is None:
        return
    try:
        with os.scandir(folder) as found:
            inside = list(found)
        for entry in inside:
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            below = f"{path}/{entry.name}"
            yield below, status
            if stat.S_ISDIR(status.st_mode):
                yield from _walk(below, entry.name, folder, depth + 1)
    finally:
        os.close(folder)


def _open(name: str, parent: int | None) -> int | None:
    """Open a folder for listing. Returns None if it is gone."""
    # A running program can replace the name by a link at any time, so it is resolved once, without following links.
    try:
        handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    except OSError as error:
        if error.errno in _MISSING_ERRORS:
            return None
        raise
    try:
        return _open_handle(handle)
    finally:
        os.close(handle)


def _open_handle(handle: int) -> int:
    try:
        return os.open(".", _FOLDER, dir_fd=handle)
    except PermissionError:
        # fchmod refuses descriptors of O_PATH.
        os.chmod(f"/proc/self/fd/{handle}", 0o700)
        return os.open(".", _FOLDER, dir_fd=handle)


def disk_size(folder: str, most: int) -> int:
    """Return the disk space of the files below a folder in bytes, at least 4 KiB for each. Raises `TooDeep`,
    `TooMany`.
    """
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
                os.chmod(entry.path, 0o700)
                os.rename(entry.path, lifted)
                waiting.append(lifted)
            else:
                os.unlink(entry.path)
        with suppress(FileNotFoundError):
            os.rmdir(emptied)


def _list(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except PermissionError:
        os.chmod(folder, 0o700)
        with os.scandir(folder) as found:
            return list(found)
    except FileNotFoundError:
        return []
