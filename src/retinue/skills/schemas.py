"""Request and response schemas of skills."""

from base64 import b64encode
from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import Field, model_validator

from retinue.core.database.statements import Row
from retinue.core.http.envelope import Body, Timestamp, View

TEXT_CHARACTERS = 200_000


class SkillImport(Body):
    """Request body for importing a skill, from exactly one of an uploaded file, a text and a folder."""

    file_id: Annotated[str, Field(min_length=1, max_length=60)] | None = Field(
        None, description="ID of an uploaded file: a zip of the skill's folder, or a single SKILL.md."
    )
    text: Annotated[str, Field(min_length=1, max_length=TEXT_CHARACTERS)] | None = Field(
        None, description="The content of SKILL.md, for a skill without further files."
    )
    folder: Annotated[str, Field(min_length=1, max_length=512)] | None = Field(
        None, description="Path of a folder of your workspace that contains SKILL.md."
    )

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        if sum(one is not None for one in (self.file_id, self.text, self.folder)) != 1:
            raise ValueError("send exactly one of file_id, text and folder")
        return self


class SkillFile(View):
    """A file of a skill."""

    path: str = Field(description="Path in the skill, such as `references/forms.md`.")
    size: int = Field(description="Size in bytes.")
    media_type: str = Field(description="Media type, guessed from the name.")
    sha256: str = Field(description="SHA-256 of the content in hexadecimal.")


class SkillContent(SkillFile):
    """A file of a skill with its content: as text if it is UTF-8, else in Base64."""

    text: str | None = Field(description="The content of a text file; null for other files.")
    base64: str | None = Field(description="The content of a file that is not text; null for text files.")


class SkillView(View):
    """A skill. The fields up to `allowed_tools` are those of the front matter of its SKILL.md."""

    id: int = Field(description="ID of the skill.")
    name: str = Field(description="Name, unique in your account.")
    description: str = Field(description="What the skill does and when to use it. Agents choose skills by it.")
    license: str | None = Field(description="License.")
    compatibility: str | None = Field(description="What the skill requires of its environment.")
    metadata: dict[str, str] = Field(description="Further properties.")
    allowed_tools: str | None = Field(
        description="Tools that the skill's author expects, as written in SKILL.md. They are shown and do not change "
        "what an agent may use."
    )
    has_scripts: bool = Field(description="Whether the skill has scripts that an agent can run.")
    size: int = Field(description="Size of all files in bytes.")
    version: int = Field(description="Number of times that the skill was imported: 1, then 2 once it is replaced.")
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")


class SkillDetails(SkillView):
    """A skill with its files."""

    files: list[SkillFile] = Field(description="Its files, SKILL.md first.")


class SkillDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the skill.")
    deleted: Literal[True]


def view_of(skill: Row) -> dict[str, Any]:
    """Return a skill as clients see it, with the fields of its front matter."""
    front = skill.frontmatter
    tools = front.get("allowed-tools")
    return {
        **skill._asdict(),
        "license": front.get("license"),
        "compatibility": front.get("compatibility"),
        "metadata": {name: _text(value) for name, value in (front.get("metadata") or {}).items()},
        "allowed_tools": " ".join(tools) if isinstance(tools, list) else tools,
    }


def content_view(file: dict[str, object], content: bytes) -> dict[str, object]:
    """Return a file of a skill with its content as clients see it."""
    try:
        return {**file, "text": content.decode(), "base64": None}
    except UnicodeDecodeError:
        return {**file, "text": None, "base64": b64encode(content).decode()}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
