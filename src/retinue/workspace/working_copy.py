"""Copy a workspace folder to the disk for a program, and store its changes in the workspace afterwards."""

import hashlib
import shutil
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from retinue.core.database.statements import Row
from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.sandbox.folders import TooDeep, entries
from retinue.workspace.paths import normalize_file_path, normalize_path
from retinue.workspace.tree import ABSENT, FileChanged, FileTree

MOST_FILES = 2_000
MOST_BYTES = 64 << 20
MOST_CHANGES = 500
"""Maximum number of files that one program may create, change and delete."""

_GIT_FOLDERS = ("objects", "refs")
"""A Git repository is invalid without these folders, even if they are empty; the workspace stores no empty
folders.
"""

_CHANGED_MEANWHILE = (
    "The folder was changed while the program was running, so the program's changes were discarded. Try again."
)


@dataclass(frozen=True, slots=True)
class FolderChanges:
    """The changes a program made to a folder, by workspace path, sorted; `left_out` lists files that the workspace
    cannot store.
    """

    created: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.created or self.changed or self.deleted)


@dataclass(frozen=True, slots=True)
class WorkingCopy:
    """Copies of a workspace folder's files on the disk at `place`; `held` are the original files by path."""

    tree: FileTree
    folder: str
    place: Path
    held: Mapping[str, Row]

    @classmethod
    async def of(cls, tree: FileTree, folder: str, place: Path) -> "WorkingCopy":
        """Copy a folder, which may be empty. Raises `ValidationFailed` if it is too large, or is a file."""
        name = normalize_path(folder)
        if name and await tree.records.find_by_name("file", name):
            raise ValidationFailed(f"{name} is a file. Name the folder that contains it.")
        rows = await tree.within(name, MOST_FILES + 1)
        size = sum(row.body["size"] for row in rows)
        if len(rows) > MOST_FILES or size > MOST_BYTES:
            raise ValidationFailed(
                f"Programs can work on folders of at most {MOST_FILES:,} files and {MOST_BYTES >> 20} MiB; "
                f"{name or '/'} exceeds that. Name a subfolder of it."
            )
        copy = cls(tree, name, place, {row.name: row for row in rows})
        contents = [await tree.store.locate(row.body["file"]) for row in copy.held.values()]
        await run_on_disk_thread(copy._write, contents)
        return copy

    async def store_changes(self) -> FolderChanges:
        """Store the changes in the workspace, all or nothing, and return them.

        Raises `ValidationFailed` if they exceed the limits, `Unavailable` if the folder was changed by others
        meanwhile.
        """
        found, left_out = await run_on_disk_thread(self._scan)
        changes = self._compare(found, left_out)
        touched = len(changes.created) + len(changes.changed) + len(changes.deleted)
        if touched > MOST_CHANGES:
            raise ValidationFailed(
                f"The program changed {touched:,} files; the limit is {MOST_CHANGES:,}, so no change was saved."
            )
        if changes:
            arriving = {path: (found[path][0], self._content(path)) for path in changes.created + changes.changed}
            leaving = {path: self._content(path) for path in changes.deleted}
            try:
                await self.tree.exchange(arriving, leaving)
            except FileChanged as error:
                raise Unavailable(_CHANGED_MEANWHILE) from error
        return changes

    def _content(self, path: str) -> str:
        return self.held[path].body["file"] if path in self.held else ABSENT

    def _write(self, contents: Sequence[Path]) -> None:
        """Copy the contents of the files to their paths."""
        for path, content in zip(self.held, contents, strict=True):
            target = self.place / path[len(self.folder) + 1 :]
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(content, target)
            except FileNotFoundError as error:
                raise Unavailable(f"{path[:200]} changed while it was read. Try again.") from error
            except OSError as error:
                raise ValidationFailed(
                    f"{path[:200]} cannot be provided to programs as a file ({error.strerror}). Rename it, or "
                    "name another folder."
                ) from error
            if target.name == "HEAD" and target.parent.name == ".git":
                for name in _GIT_FOLDERS:
                    (target.parent / name).mkdir(exist_ok=True)

    def _scan(self) -> tuple[dict[str, tuple[Path, str]], list[str]]:
        """Return the current files with their SHA-256 by path, and the entries that are not files or have an invalid
        path.
        """
        files: dict[str, Path] = {}
        left_out = []
        size = 0
        try:
            for name, status in entries(str(self.place)):
                path = self.folder + name[len(str(self.place)) :]
                if stat.S_ISREG(status.st_mode) and _fits(path):
                    files[path] = Path(name)
                    size += status.st_size
                elif not stat.S_ISDIR(status.st_mode):
                    left_out.append(path.encode(errors="replace").decode())
                if len(files) > MOST_FILES or size > MOST_BYTES:
                    raise ValidationFailed(
                        f"The program left more than {MOST_FILES:,} files or {MOST_BYTES >> 20} MiB in the folder, so "
                        "nothing was saved. Have it delete what it does not need, or write it to /tmp."
                    )
        except TooDeep as error:
            raise ValidationFailed("The program nested folders too deeply, so nothing was saved.") from error
        return {path: (file, _sha256(file)) for path, file in files.items()}, sorted(left_out)

    def _compare(self, found: Mapping[str, tuple[Path, str]], left_out: list[str]) -> FolderChanges:
        common = found.keys() & self.held.keys()
        return FolderChanges(
            created=sorted(found.keys() - self.held.keys()),
            changed=sorted(path for path in common if found[path][1] != self.held[path].body["sha256"]),
            deleted=sorted(self.held.keys() - found.keys() - set(left_out)),
            left_out=left_out,
        )


def _fits(path: str) -> bool:
    """Return whether the workspace can store a file under exactly this path."""
    try:
        return normalize_file_path(path) == path
    except ValidationFailed:
        return False


def _sha256(file: Path) -> str:
    """Return the hash of a file, which its program may have made unreadable to itself."""
    if not file.stat().st_mode & stat.S_IRUSR:
        file.chmod(0o600)
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
