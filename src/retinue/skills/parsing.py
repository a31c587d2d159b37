"""Read a skill from a zip or a single SKILL.md. Only worker processes call `skill_import`.

The worker's working folder holds the file that the server lends, `DOCUMENT`. The output file is an uncompressed zip of
the skill's files, so that the server can read each of them by its place.
"""

import hashlib
import mimetypes
import stat
import zipfile
import zlib
from pathlib import Path
from typing import Any

from retinue.core.errors import ValidationFailed
from retinue.skills.front_matter import read_front_matter
from retinue.skills.paths import INSTRUCTIONS, check_path
from retinue.tools.authoring import output_file_api
from retinue.tools.authoring.declare import ToolError

DOCUMENT = "document"
MOST_FILES = 512
MOST_BYTES = 16 << 20
"""Maximum number and total size of a skill's files. They are those of the Skills extension of MCP."""

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)
_OF_SYSTEMS = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".git")
_UNTYPED = "application/octet-stream"
_TYPES = mimetypes.MimeTypes()
"""Python's own types, without those of the machine, so that they are the same everywhere."""
_TYPES.add_type("text/markdown", ".md")


def skill_import() -> dict[str, Any]:
    """Check a skill and write its files. Returns the front matter, and the files with their places in the output."""
    path = Path(DOCUMENT)
    try:
        with path.open("rb") as file:
            is_zip = file.read(4) in _ZIP
        files = _read_zip(path) if is_zip else {INSTRUCTIONS: path.read_bytes()}
        instructions = files.pop(INSTRUCTIONS)
        front = read_front_matter(instructions)
    except ValidationFailed as error:
        raise ToolError(error.message) from error
    return {"front_matter": front, **_write({INSTRUCTIONS: instructions, **dict(sorted(files.items()))})}


def _read_zip(path: Path) -> dict[str, bytes]:
    """Return the files of an archive by their paths below the skill's folder."""
    try:
        with zipfile.ZipFile(path) as archive:
            files = _extract(archive)
    except _DAMAGED as error:
        raise ValidationFailed("The zip archive is damaged or of an unknown kind. Create it again.") from error
    return _below_skill(files)


def _extract(archive: zipfile.ZipFile) -> dict[str, bytes]:
    entries = [one for one in archive.infolist() if not one.is_dir() and not _is_of_system(one.filename)]
    if len(entries) > MOST_FILES:
        raise ValidationFailed(f"The archive has {len(entries):,} files; a skill can have at most {MOST_FILES}.")
    files: dict[str, bytes] = {}
    room = MOST_BYTES
    for entry in entries:
        path = _path_of(entry)
        if path in files:
            raise ValidationFailed(f"The archive contains {path[:100]} twice. Create it again.")
        with archive.open(entry) as file:
            files[path] = file.read(room + 1)
        room -= len(files[path])
        if room < 0:
            raise ValidationFailed(f"The files have more than {MOST_BYTES >> 20} MiB in total. Leave out large ones.")
    return files


def _path_of(entry: zipfile.ZipInfo) -> str:
    try:
        path = check_path(entry.filename.replace("\\", "/").removeprefix("./"))
    except ValueError as error:
        raise ValidationFailed(str(error)) from error
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise ValidationFailed(f"{path[:100]} is a link. Put the file itself into the archive.")
    if entry.flag_bits & 1:
        raise ValidationFailed("The archive is encrypted. Create it without a password.")
    return path


def _is_of_system(path: str) -> bool:
    """Return whether a file system or a program added the file, and no author."""
    return not set(_OF_SYSTEMS).isdisjoint(path.replace("\\", "/").split("/"))


def _below_skill(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files by their paths below the folder of SKILL.md: the archive's root, or its only folder."""
    folders = {path.partition("/")[0] for path in files}
    root = "" if INSTRUCTIONS in files else f"{min(folders, default='')}/"
    if f"{root}{INSTRUCTIONS}" not in files or (root and len(folders) > 1):
        raise ValidationFailed(_describe_missing(files))
    below = {path.removeprefix(root): content for path, content in files.items()}
    for path in below:
        parents = path.split("/")[:-1]
        if any("/".join(parents[: depth + 1]) in below for depth in range(len(parents))):
            raise ValidationFailed(f"{path[:100]} lies below a file. Create the archive again.")
    return below


def _describe_missing(files: dict[str, bytes]) -> str:
    found = sorted(path for path in files if path.rpartition("/")[2].lower() == INSTRUCTIONS.lower())
    if len(found) > 1:
        return f"The archive has several skills: {', '.join(found[:5])}. Import each by itself."
    if not found:
        return "The archive has no SKILL.md. Zip the folder of the skill, with SKILL.md at its top."
    if not found[0].endswith(INSTRUCTIONS):
        return f"Rename {found[0]} to SKILL.md, in these letters."
    return f"Zip only the folder of the skill: SKILL.md must be at the top, and the archive has it as {found[0]}."


def _write(files: dict[str, bytes]) -> dict[str, Any]:
    """Write the files to the output file, and describe them."""
    target, described = output_file_api.output_path("skill.zip"), []
    with target.open("wb") as output, zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content)
            described.append(
                {
                    "path": path,
                    "size": len(content),
                    "sha256": hashlib.sha256(content).hexdigest(),
                    "media_type": _TYPES.guess_type(path)[0] or _UNTYPED,
                    "offset": output.tell() - len(content),
                }
            )
    return {"archive": target.name, "files": described}
