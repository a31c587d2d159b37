"""Read and check the front matter of SKILL.md (https://agentskills.io/specification)."""

import re
from collections.abc import Iterator

import orjson

from retinue.core.errors import ValidationFailed
from retinue.tools.imports.yaml_values import read_yaml

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_NAME_CHARACTERS, _DESCRIPTION_CHARACTERS, _TEXT_CHARACTERS = 64, 1024, 500
_INSTRUCTION_BYTES, _FRONT_BYTES = 256 << 10, 16 << 10
_EXAMPLE = "---\nname: my-skill\ndescription: What it does, and when to use it.\n---"


def read_front_matter(instructions: bytes) -> dict[str, object]:
    """Return the fields of the front matter. Raises `ValidationFailed` that names each wrong one.

    Fields that the format does not know are kept: other programs may use them.
    """
    if len(instructions) > _INSTRUCTION_BYTES:
        raise ValidationFailed(
            f"SKILL.md has more than {_INSTRUCTION_BYTES >> 10} KiB. Move parts of it to files in references/."
        )
    front = _read(instructions)
    if problems := list(_problems(front)):
        raise ValidationFailed("The front matter of SKILL.md is not valid. " + " ".join(problems))
    if len(orjson.dumps(front)) > _FRONT_BYTES:
        raise ValidationFailed(
            f"The front matter of SKILL.md has more than {_FRONT_BYTES >> 10} KiB. Move text below it."
        )
    return front


def _read(instructions: bytes) -> dict[str, object]:
    try:
        lines = instructions.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValidationFailed(
            "SKILL.md is not text in UTF-8. Save it so, or send the folder of the skill as a zip archive."
        ) from error
    ends = [number for number, line in enumerate(lines) if line.rstrip() == "---"]
    if len(ends) < 2 or ends[0] != 0:
        raise ValidationFailed(f"SKILL.md must begin with front matter between two lines of ---, such as:\n{_EXAMPLE}")
    try:
        # An empty first line stands for the opening ---, so that messages name the lines of the file.
        front = read_yaml("\n".join(["", *lines[1 : ends[1]]]).encode())
        orjson.dumps(front)
    except ValidationFailed as error:
        raise ValidationFailed(error.message.replace("The document", "The front matter of SKILL.md", 1)) from error
    except TypeError as error:
        raise ValidationFailed("The front matter of SKILL.md contains characters that are not text.") from error
    if not isinstance(front, dict):
        raise ValidationFailed(f"The front matter of SKILL.md must have fields, such as:\n{_EXAMPLE}")
    return front


def _problems(front: dict[str, object]) -> Iterator[str]:
    """Describe each field that the format does not allow."""
    name, description = front.get("name"), front.get("description")
    if not isinstance(name, str) or len(name) > _NAME_CHARACTERS or not _NAME.fullmatch(name):
        yield (
            f"name: use 1 to {_NAME_CHARACTERS} lower-case letters a-z, digits and single hyphens between them, such "
            "as pdf-forms."
        )
    if not isinstance(description, str) or not description.strip():
        yield "description: say what the skill does and when to use it."
    elif len(description) > _DESCRIPTION_CHARACTERS:
        yield f"description: use at most {_DESCRIPTION_CHARACTERS:,} characters; it has {len(description):,}."
    for field in ("license", "compatibility"):
        value = front.get(field)
        if value is not None and not (isinstance(value, str) and len(value) <= _TEXT_CHARACTERS):
            yield f"{field}: use a text of at most {_TEXT_CHARACTERS} characters."
    if not isinstance(front.get("metadata"), dict | None):
        yield "metadata: use names with values."
    tools = front.get("allowed-tools")
    if not (isinstance(tools, str | None) or (isinstance(tools, list) and all(isinstance(one, str) for one in tools))):
        yield "allowed-tools: use names of tools with spaces between them."
