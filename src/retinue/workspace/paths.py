"""Normalize paths of workspace files, such as `/notes/plan.md`. They are names in the database, never paths on the
disk.
"""

import unicodedata

from retinue.core.errors import ValidationFailed

MOST_CHARACTERS = 512
_PART_CHARACTERS = 200
_MOST_PARTS = 32
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories not allowed in paths: control and formatting characters, surrogates, unassigned ones."""


def normalize_path(path: str) -> str:
    """Return the canonical form of a path of a file or folder: absolute, in Unicode's composed form (NFC), without a
    slash at the end.

    Raises `ValidationFailed` for an invalid path.
    """
    composed = unicodedata.normalize("NFC", path)
    if len(composed) > MOST_CHARACTERS:
        raise ValidationFailed(f"A path can have at most {MOST_CHARACTERS} characters; this one has {len(composed):,}.")
    if any(unicodedata.category(character) in _REFUSED for character in composed):
        raise ValidationFailed("A path must not contain control or formatting characters.")
    if "\\" in composed:
        raise ValidationFailed("Separate the parts of a path with /, as in /notes/plan.md.")
    parts = composed.strip("/").split("/")
    if composed.strip("/") == "":
        return ""
    if len(parts) > _MOST_PARTS:
        raise ValidationFailed(f"A path can have at most {_MOST_PARTS} parts; this one has {len(parts)}.")
    for part in parts:
        _check(part)
    return "/" + "/".join(parts)


def normalize_file_path(path: str) -> str:
    """Return the canonical path of a file: like `normalize_path`, but never the root."""
    found = normalize_path(path)
    if not found or path.endswith("/"):
        raise ValidationFailed("That is a folder. Name a file, as in /notes/plan.md.")
    return found


def ancestors(path: str) -> list[str]:
    """Return the folders that contain a path, except the root."""
    parts = path.split("/")[1:-1]
    return ["/" + "/".join(parts[: number + 1]) for number in range(len(parts))]


def _check(part: str) -> None:
    if part in {"", ".", ".."}:
        raise ValidationFailed("A path may have no empty parts and no . or .. parts. Write it out from the root.")
    if part != part.strip():
        raise ValidationFailed(f"The part {part[:40]!r} of the path begins or ends with a space.")
    if len(part) > _PART_CHARACTERS:
        raise ValidationFailed(
            f"Each part of a path can have at most {_PART_CHARACTERS} characters; one has {len(part):,}."
        )
