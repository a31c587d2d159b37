"""Pages for sharing an agent."""

from collections.abc import Sequence
from datetime import timedelta

from starlette.responses import Response

from retinue.agents.service import Agents
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.language.translation import gettext as _
from retinue.portal.forms import Form
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.sharing.forms import POSITIONS, THEMES, changes_of, creation_of, form_of
from retinue.sharing.service import PublishableKeys

pages = Pages()
_LISTED = 100
_FORM = "/agents/{id}/share?key={key}"


@pages.get("/agents/{id}/share")
async def show_share(page: Page) -> Response:
    """Show the newest key of the agent, or the one in the query."""
    return await _show(page, form_number_of(page))


@pages.post("/agents/{id}/share")
async def create_share(page: Page) -> Response:
    """Share the agent: create a publishable key."""
    form = await page.form()
    try:
        key = await page.service(PublishableKeys).create(creation_of(page.path_id(), form))
    except RetinueError as error:
        return await _show(page, None, form, error, new=True)
    return page.redirect(_address(page, key.id), _("The agent is shared. Copy its link or its script."))


@pages.post("/agents/{id}/share/{key}/edit", form=_FORM)
async def edit_share(page: Page) -> Response:
    """Change a key and the looks of its widget."""
    form, key = await page.form(), await _key(page)
    try:
        await page.service(PublishableKeys).update(key.id, changes_of(form))
    except RetinueError as error:
        return await _show(page, key.id, form, error)
    return page.redirect(_address(page, key.id), _("The changes are saved. They take effect within a second."))


@pages.post("/agents/{id}/share/{key}/rotate", form=_FORM, protective=True)
async def rotate_share(page: Page) -> Response:
    """Replace a key. The old one works for another day."""
    key = await page.service(PublishableKeys).rotate((await _key(page)).id, timedelta(days=1))
    return page.redirect(_address(page, key.id), _("This is the new key. The old one stops working in a day."))


@pages.post("/agents/{id}/share/{key}/revoke", form=_FORM, protective=True)
async def revoke_share(page: Page) -> Response:
    """Revoke a key."""
    await page.service(PublishableKeys).revoke((await _key(page)).id)
    return page.redirect(_address(page), _("The key is revoked. Its link and its script no longer work."))


def form_number_of(page: Page) -> int | None:
    """Return the id of the key in the query; None without one."""
    return parse_whole_number(page.query.text("key"))


async def _show(
    page: Page, key_id: int | None, form: Form | None = None, problem: RetinueError | None = None, *, new: bool = False
) -> Response:
    agent = await page.service(Agents).get(page.path_id())
    keys, _ = await page.service(PublishableKeys).page(Part(per_page=_LISTED), agent.id)
    key = _choose(keys, key_id) if not new and "new" not in page.query else None
    values: dict[str, object] = {"agent": agent, "keys": keys, "key": key, "themes": THEMES, "positions": POSITIONS}
    values["form"] = form or form_of(key)
    return await page.render("sharing/share.html", problem.status if problem else 200, problem=problem, **values)


def _choose(keys: Sequence[Row], key_id: int | None) -> Row | None:
    if key_id is None:
        return keys[0] if keys else None
    for key in keys:
        if key.id == key_id:
            return key
    raise NotFound(_("The agent has no publishable key {id}.").format(id=key_id))


async def _key(page: Page) -> Row:
    key = await page.service(PublishableKeys).get(page.path_id("key"))
    if key.agent_id != page.path_id():
        raise NotFound(_("The agent has no publishable key {id}.").format(id=key.id))
    return key


def _address(page: Page, key_id: int | None = None) -> str:
    return f"/agents/{page.path_id()}/share" + (f"?key={key_id}" if key_id else "")
