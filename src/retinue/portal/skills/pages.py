"""Pages of skills."""

from starlette.responses import Response

from retinue.agents.service import Agents
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.files.contents import content_response
from retinue.files.service import Files
from retinue.files.upload import announced_size, read_past, read_upload
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.files.sizes import size_text
from retinue.portal.forms import Form, parse
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.skills.paths import INSTRUCTIONS
from retinue.skills.schemas import SkillImport, view_of
from retinue.skills.service import MOST_SKILLS, Skills

pages = Pages(MenuEntry("Build", "skills", gettext_noop("Skills"), "sparkles", "instructions scripts skill.md"))
_SHOWN_BYTES = 256 << 10


@pages.get("/skills")
async def list_skills(page: Page) -> Response:
    """List the skills, with the forms to import one."""
    return await _show_list(page)


@pages.post("/skills")
async def import_skill(page: Page) -> Response:
    """Import a text or a folder of the workspace from the form."""
    form = await page.form()
    try:
        source = parse(SkillImport, {name: form.optional(name) for name in ("text", "folder")})
        skill = await page.service(Skills).create(source)
    except RetinueError as error:
        return await _show_list(page, form, error)
    return _to_skill(page, skill, _("{name} is imported."))


@pages.post("/skills/upload")
async def upload_skill(page: Page) -> Response:
    """Import a file: from a form if scripts are off, or as raw content with its name in the query."""
    try:
        skill = await _import_upload(page)
    except RetinueError as error:
        if page.by_script:
            raise
        return await _show_list(page, problem=error)
    return Response(status_code=201) if page.by_script else _to_skill(page, skill, _("{name} is imported."))


@pages.get("/skills/{id}")
async def show_skill(page: Page) -> Response:
    """Show a skill with one of its files, by default its instructions."""
    return await _show_skill(page)


@pages.get("/skills/{id}/content")
async def download_file(page: Page) -> Response:
    """Return a file of a skill as a download, so that no browser renders it as a page of this site."""
    skills, path = page.service(Skills), page.query.text("path")
    skill = await skills.get(page.path_id())
    file, content = await skills.read(skill, path)
    return content_response(content, path, file["media_type"])


@pages.post("/skills/{id}/upload")
async def replace_skill(page: Page) -> Response:
    """Replace a skill by an uploaded file."""
    try:
        skill = await _import_upload(page, page.path_id())
    except RetinueError as error:
        if page.by_script:
            raise
        return await _show_skill(page, error)
    return Response(status_code=201) if page.by_script else _to_skill(page, skill, _("{name} is replaced."))


@pages.post("/skills/{id}/delete")
async def delete_skill(page: Page) -> Response:
    """Delete a skill."""
    await page.service(Skills).delete(page.path_id())
    return page.redirect("/skills", _("The skill is deleted."))


async def _import_upload(page: Page, skill_id: int | None = None) -> Row:
    receiving = page.service(Files).receiving(announced_size(page.request))
    async with read_past(page.request), receiving as upload:
        await read_upload(page.request, page.query.text("name") or None, upload)
        return await page.service(Skills).import_file(upload.path, skill_id)


def _to_skill(page: Page, skill: Row, done: str) -> Response:
    return page.redirect(f"/skills/{skill.id}", done.format(name=skill.name))


async def _show_list(page: Page, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    rows, total = await page.service(Skills).page(Part(per_page=MOST_SKILLS))
    values: dict[str, object] = {"skills": rows, "total": total, "most": MOST_SKILLS}
    values["users"] = await page.service(Agents).count_by_skill()
    status = problem.status if problem else 200
    return await page.render("skills/list.html", status, **values, form=form or Form(), problem=problem)


async def _show_skill(page: Page, problem: RetinueError | None = None) -> Response:
    skills, path = page.service(Skills), page.query.text("path") or INSTRUCTIONS
    skill = await skills.get(page.path_id())
    _file, content = await skills.read(skill, path)
    values: dict[str, object] = {
        "skill": view_of(skill),
        "path": path,
        "text": _text_of(content, path),
        "agents": await page.service(Agents).using_skill(skill.id),
        "size_text": size_text,
    }
    return await page.render("skills/skill.html", problem.status if problem else 200, **values, problem=problem)


def _text_of(content: bytes, path: str) -> str | None:
    """Return the text to show, of SKILL.md without its front matter; None if the file is long or not text."""
    if len(content) > _SHOWN_BYTES:
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if path != INSTRUCTIONS:
        return text
    body = text.removeprefix("---").partition("\n---")[2]
    return body.partition("\n")[2].strip()
