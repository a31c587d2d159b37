"""Routes of skills."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, json_response, listing, one
from retinue.core.http.operations import Api, record_of
from retinue.core.idempotency.keys import RecordIds
from retinue.skills.paths import INSTRUCTIONS
from retinue.skills.schemas import (
    SkillContent,
    SkillDeleted,
    SkillDetails,
    SkillImport,
    SkillView,
    content_view,
    view_of,
)
from retinue.skills.service import Skills

SkillId = Annotated[PathId, Path(description="ID of the skill.")]
FilePath = Annotated[str, Query(max_length=200, description="Path of the file in the skill.")]
PageQuery = Annotated[Page, Query()]

_skills = of_caller(Skills)

SkillsOfCaller = Annotated[Skills, Depends(_skills)]

api = Api("skills", record=record_of(_skills))


async def _recover_import(request: Request, effect: RecordIds) -> Response:
    found = await (await _skills(request)).get(effect["skill"])
    return json_response(Data[SkillDetails], view_of(found), 201)


@api.post("/skills", scope="agents:write", status=201, response_model=Data[SkillDetails], recover=_recover_import)
async def import_skill(body: SkillImport, skills: SkillsOfCaller) -> Envelope:
    """Import a skill: a zip of its folder, a single SKILL.md, or a folder of your workspace."""
    return one(view_of(await skills.create(body)))


@api.get("/skills", scope="agents:read", response_model=Listing[SkillView])
async def list_skills(page: PageQuery, skills: SkillsOfCaller) -> ListEnvelope:
    """List your skills, newest first."""
    rows, total = await skills.page(page)
    return listing(([view_of(row) for row in rows], total), page)


@api.get("/skills/{id}", scope="agents:read", response_model=Data[SkillDetails])
async def get_skill(id: SkillId, skills: SkillsOfCaller) -> Envelope:
    """Retrieve a skill with the list of its files."""
    return one(view_of(await skills.get(id)))


@api.get("/skills/{id}/content", scope="agents:read", response_model=Data[SkillContent])
async def get_skill_content(id: SkillId, skills: SkillsOfCaller, path: FilePath = INSTRUCTIONS) -> Envelope:
    """Retrieve the content of a file of a skill, by default of SKILL.md."""
    return one(content_view(*await skills.read(await skills.get(id), path)))


@api.put("/skills/{id}", scope="agents:write", response_model=Data[SkillDetails])
async def replace_skill(id: SkillId, body: SkillImport, skills: SkillsOfCaller) -> Envelope:
    """Replace a skill by its next version. Agents that have it use the new one from their next step on."""
    return one(view_of(await skills.replace(id, body)))


@api.delete("/skills/{id}", scope="agents:write", response_model=Data[SkillDeleted])
async def delete_skill(id: SkillId, skills: SkillsOfCaller) -> Envelope:
    """Delete a skill. Agents that have it continue without it."""
    await skills.delete(id)
    return one({"id": id, "deleted": True})
