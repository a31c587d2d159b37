"""Skills of the account for MCP clients, by the extension io.modelcontextprotocol/skills (SEP-2640)."""

from collections.abc import Mapping
from dataclasses import dataclass

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.http.envelope import Page
from retinue.interop.mcp.files import content_entry
from retinue.interop.mcp.messages import INVALID_PARAMS, ProtocolError
from retinue.skills.paths import INSTRUCTIONS
from retinue.skills.service import MOST_SKILLS, Skills

EXTENSION = "io.modelcontextprotocol/skills"
SCHEME = "skill://"
LISTED = 20


@dataclass(frozen=True)
class OfferedSkills:
    """The skills of one caller as an MCP client sees them: each file is a resource `skill://<name>/<path>`."""

    skills: Skills

    async def entries(self, number: int) -> tuple[list[Mapping[str, object]], bool]:
        """Return a page of the skills with all their files, the newest first, and whether there are more."""
        rows, total = await self.skills.page(Page(page=number, per_page=LISTED), with_files=True)
        return [_entry(row) for row in rows], number * LISTED < total

    async def entry(self, uri: str) -> Mapping[str, object]:
        """Return the skill whose SKILL.md is at `uri`. Raises `ProtocolError`."""
        skill, path = await self._find(uri)
        if path != INSTRUCTIONS:
            raise _unknown(uri)
        return {"skill": _entry(skill)}

    async def resources(self) -> list[Mapping[str, object]]:
        """Return the instructions of all skills as resources, the newest first."""
        rows, _ = await self.skills.page(Page(per_page=MOST_SKILLS))
        return [_resource(row) for row in rows]

    async def read(self, uri: str) -> Mapping[str, object]:
        """Return the content of a file of a skill. Raises `ProtocolError`."""
        skill, path = await self._find(uri)
        try:
            file, content = await self.skills.read(skill, path)
        except NotFound as error:
            raise _unknown(uri) from error
        return {"contents": [content_entry(uri, file["media_type"], content)]}

    async def _find(self, uri: str) -> tuple[Row, str]:
        name, _, path = uri.removeprefix(SCHEME).partition("/")
        skill = await self.skills.find(name[:64]) if uri.startswith(SCHEME) else None
        if skill is None:
            raise _unknown(uri)
        return skill, path


def _entry(skill: Row) -> Mapping[str, object]:
    files = [
        {"uri": f"{SCHEME}{skill.name}/{file['path']}", "digest": f"sha256:{file['sha256']}", "size": file["size"]}
        for file in skill.files
    ]
    return {"uri": f"{SCHEME}{skill.name}/{INSTRUCTIONS}", "frontmatter": skill.frontmatter, "resources": files}


def _resource(skill: Row) -> Mapping[str, object]:
    return {
        "uri": f"{SCHEME}{skill.name}/{INSTRUCTIONS}",
        "name": skill.name,
        "description": skill.description,
        "mimeType": "text/markdown",
    }


def _unknown(uri: str) -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, f"There is no resource {uri[:200]}.", {"uri": uri[:200]})
