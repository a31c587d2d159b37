"""Read skills in confined workers, from zips, from a text, and from a folder of the workspace."""

import shutil
import zipfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, BinaryIO

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from retinue.core.errors import InternalError, ValidationFailed
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.file_access import FORMAT
from retinue.skills.parsing import DOCUMENT, MOST_BYTES, MOST_FILES, skill_import
from retinue.skills.paths import check_path
from retinue.tools.authoring.tool import Tool
from retinue.tools.execution.pool import ToolPool
from retinue.workspace.paths import normalize_path
from retinue.workspace.tree import FileTree

_PARSE_S, _PARSE_MB = 20.0, 256
_MOST_UPLOADED = MOST_BYTES + (1 << 20)
"""Maximum size of a zip in bytes: compressing does not help some files, and entries have headers."""


class StoredFile(BaseModel):
    """A file of a skill, and where its content begins in the archive."""

    path: Annotated[str, AfterValidator(check_path)]
    size: int = Field(ge=0, le=MOST_BYTES)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    media_type: str
    offset: int = Field(ge=0)


class ParsedSkill(BaseModel):
    """A skill as a worker describes it, which may be compromised by what it has read."""

    front_matter: dict[str, object]
    files: Annotated[list[StoredFile], Field(min_length=1, max_length=MOST_FILES)]
    content: bytes = b""
    """The uncompressed archive."""

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.front_matter["name"])

    @property
    def description(self) -> str:
        """Its description on one line."""
        characters = (one if one.isprintable() else " " for one in str(self.front_matter["description"]))
        return " ".join("".join(characters).split())


async def parse_skill(pool: ToolPool, account_id: int, path: Path) -> ParsedSkill:
    """Read a zip or a SKILL.md on this machine's disk. Raises `ValidationFailed` with what to change."""
    if (await run_on_disk_thread(path.stat)).st_size > _MOST_UPLOADED:
        raise ValidationFailed(f"A skill can have at most {MOST_BYTES >> 20} MiB. Leave out large files.")
    archives: list[bytes] = []

    async def keep(name: str, content: BinaryIO) -> str:
        archives.append(await run_on_disk_thread(content.read))
        return name

    found = await pool.execute(_PARSER, {}, {DOCUMENT: path}, keep, account_id)
    try:
        return ParsedSkill(**{**found, "content": archives[0]})
    except (ValidationError, IndexError) as error:
        raise InternalError("The skill could not be read. Include the request id when you report it.") from error


@asynccontextmanager
async def text_file(text: str) -> AsyncIterator[Path]:
    """Provide a temporary file with a text."""
    with TemporaryDirectory(prefix="retinue-skill-") as folder:
        path = Path(folder) / DOCUMENT
        await run_on_disk_thread(path.write_text, text, encoding="utf-8", errors="replace")
        yield path


@asynccontextmanager
async def zipped_folder(tree: FileTree, folder: str) -> AsyncIterator[Path]:
    """Provide a temporary zip of a folder of the workspace. Raises `ValidationFailed` if it is empty or too large."""
    name = normalize_path(folder)
    rows = await tree.within(name, MOST_FILES + 1)
    if not rows:
        raise ValidationFailed(f"folder: your workspace has no files in {folder[:100]}.")
    if len(rows) > MOST_FILES or sum(row.body["size"] for row in rows) > MOST_BYTES:
        raise ValidationFailed(
            f"folder: a skill can have at most {MOST_FILES} files of {MOST_BYTES >> 20} MiB in total."
        )
    sources = [(row.name[len(name) + 1 :], await tree.store.locate(row.body["file"])) for row in rows]
    with TemporaryDirectory(prefix="retinue-skill-") as temporary:
        path = Path(temporary) / DOCUMENT
        await run_on_disk_thread(_zip, path, sources)
        yield path


def _zip(target: Path, sources: Sequence[tuple[str, Path]]) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, source in sources:
            try:
                with source.open("rb") as content, archive.open(zipfile.ZipInfo(name), "w") as entry:
                    shutil.copyfileobj(content, entry)
            except FileNotFoundError as error:
                raise ValidationFailed(f"folder: {name[:100]} changed while it was read. Try again.") from error


_PARSER = Tool(
    name=skill_import.__name__,
    description="",
    category="",
    tier="free",
    credits=0,
    input_schema={},
    result_schema={"type": "object", "properties": {"archive": {"type": "string", "format": FORMAT}}},
    tags=(),
    use_when=(),
    examples=(),
    module=skill_import.__module__,
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
    timeout_s=_PARSE_S,
    memory_mb=_PARSE_MB,
)
"""The function that reads a skill, in the form that workers call."""
