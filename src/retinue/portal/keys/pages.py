"""Pages of API keys."""

from datetime import timedelta

from starlette.responses import JSONResponse, Response

from retinue.auth.keys.schemas import KeyCreate
from retinue.auth.keys.service import Keys
from retinue.core.errors import RetinueError
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, InvalidForm, parse
from retinue.portal.keys.forms import (
    LABELS,
    LIFETIMES,
    OVERLAPS,
    RESOURCES,
    changes_of,
    creation_of,
    form_of,
    rotation_of,
)
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages(MenuEntry("Developers", "keys", gettext_noop("API keys"), "key-round", "tokens"))


@pages.get("/keys")
async def list_keys(page: Page) -> Response:
    """List keys, newest first."""
    return await _show_list(page)


@pages.get("/keys/new")
async def show_new(page: Page) -> Response:
    """Show the form for a new key."""
    return await _show_form(page, Form.of({"mode": "live", "access": "all"}))


@pages.post("/keys")
async def create_key(page: Page) -> Response:
    """Create a key and show it once."""
    form = await page.form()
    try:
        key = await page.service(Keys).create(creation_of(form))
    except RetinueError as error:
        return await _show_form(page, form, error)
    return await page.render("keys/made.html", key=key, replaced=False)


@pages.post("/keys/reference")
async def create_reference_key(page: Page) -> Response:
    """Create a test key for the examples in the reference. It expires after a day."""
    draft = parse(KeyCreate, {"name": "Reference", "mode": "test", "expires_in_days": 1})
    key = await page.service(Keys).create(draft)
    return JSONResponse({"data": {"key": key.key}}, 201)


@pages.get("/keys/{id}/edit")
async def show_edit(page: Page) -> Response:
    """Show the form to change a key."""
    return await _show_edit(page, form_of(await page.service(Keys).get(page.path_id())))


@pages.post("/keys/{id}/edit")
async def update_key(page: Page) -> Response:
    """Change the name, budgets and networks of a key."""
    form = await page.form()
    try:
        await page.service(Keys).update(page.path_id(), changes_of(form))
    except InvalidForm as error:
        return await _show_edit(page, form, error)
    return page.redirect("/keys", _("The key is saved."))


@pages.post("/keys/{id}/rotate", protective=True)
async def rotate_key(page: Page) -> Response:
    """Rotate a key and show the new one once."""
    rotation = rotation_of(await page.form())
    overlap = timedelta(days=rotation.overlap_days or 0)
    key = await page.service(Keys).rotate(page.path_id(), overlap)
    return await page.render("keys/made.html", key=key, replaced=True)


@pages.post("/keys/{id}/revoke", protective=True)
async def revoke_key(page: Page) -> Response:
    """Revoke a key."""
    await page.service(Keys).revoke(page.path_id())
    return page.redirect("/keys", _("The key is revoked."))


async def _show_list(page: Page) -> Response:
    paging = page.paging()
    keys, total = await page.service(Keys).page(paging.part)
    values: dict[str, object] = {"keys": keys, "paging": paging.of(total), "overlaps": OVERLAPS}
    return await page.render("keys/list.html", **values, most=page.caller.plan.keys)


async def _show_form(page: Page, form: Form, problem: RetinueError | None = None) -> Response:
    values = {"form": form, "resources": RESOURCES, "labels": LABELS, "lifetimes": LIFETIMES, "problem": problem}
    return await page.render("keys/form.html", problem.status if problem else 200, **values)


async def _show_edit(page: Page, form: Form, problem: RetinueError | None = None) -> Response:
    key = await page.service(Keys).get(page.path_id())
    return await page.render("keys/edit.html", problem.status if problem else 200, key=key, form=form, problem=problem)
