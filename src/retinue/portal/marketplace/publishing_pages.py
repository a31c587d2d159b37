"""Pages to publish items and new versions, and to see their status."""

import re
from collections.abc import Mapping
from typing import Any

import orjson
from starlette.responses import Response

from retinue.core.errors import RetinueError, ValidationFailed
from retinue.core.http.json_body import find_problem
from retinue.language.translation import gettext as _
from retinue.marketplace.schemas import ItemChange, ItemPublish, ItemView, Moderation
from retinue.marketplace.service import Marketplace, details_of
from retinue.marketplace.tables import ItemRow
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form, InvalidForm, parse
from retinue.portal.marketplace.item_views import KINDS, TYPES
from retinue.portal.marketplace.manifest_drafts import ManifestDraft, draft_from, find_origins
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import pretty

pages = Pages()
_PLACES = {"slug": "slug", "version": "version"}


@pages.get("/marketplace/own")
async def list_own(page: Page) -> Response:
    """List the user's own items with their status."""
    paging = page.paging()
    items, total = await page.service(Marketplace).own(paging.part)
    values: dict[str, object] = {"items": items, "paging": paging.of(total), "types": TYPES}
    return await page.render("marketplace/own.html", **values)


@pages.get("/marketplace/publish")
async def show_publish(page: Page) -> Response:
    """List publishable resources, or show the form for the one in the query."""
    if key := page.query.text("from"):
        draft = await draft_from(page, key)
        return await _show_form(page, _form_of(draft), draft.type, omitted=draft.omitted)
    return await page.render("marketplace/origins.html", origins=await find_origins(page), types=TYPES)


@pages.post("/marketplace/publish")
async def publish(page: Page) -> Response:
    """Publish an item."""
    form = await page.form()
    fields = {name: form.text(name) for name in ("type", "name", "slug", "description", "version", "readme")}
    try:
        new = parse(ItemPublish, {**fields, "tags": _tags(form), "manifest": _manifest(form)})
        item = await page.service(Marketplace).publish(new)
    except RetinueError as error:
        kind = form.text("type") if form.text("type") in TYPES else KINDS[0]
        return await _show_form(page, form, kind, _beside_field(error))
    return page.redirect(f"/marketplace/own/{item.id}", _outcome(item))


@pages.get("/marketplace/own/{id}")
async def show_own(page: Page) -> Response:
    """Show an own item with its status and the form for a new version, filled in from the query's resource."""
    item = await _own(page)
    if not (key := page.query.text("from")):
        return await _show_own(page, item)
    draft = await draft_from(page, key)
    return await _show_own(page, item, _changes_of(item, draft.manifest), omitted=draft.omitted)


@pages.post("/marketplace/own/{id}/change")
async def change(page: Page) -> Response:
    """Publish a new version."""
    form, item = await page.form(), await _own(page)
    fields = {name: form.text(name) for name in ("description", "version", "readme")}
    try:
        changes = parse(ItemChange, {**fields, "tags": _tags(form), "manifest": _manifest(form)})
        changed = await page.service(Marketplace).change(item.id, changes)
    except RetinueError as error:
        return await _show_own(page, item, form, _beside_field(error))
    return page.redirect(f"/marketplace/own/{item.id}", _outcome(changed))


@pages.post("/marketplace/own/{id}/withdraw")
async def withdraw(page: Page) -> Response:
    """Withdraw an item from the marketplace. Installations keep working."""
    item = await _own(page)
    await page.service(Marketplace).moderate(item.id, Moderation(status="withdrawn"))
    return page.redirect(f"/marketplace/own/{item.id}", _("{name} is withdrawn.").format(name=item.name))


async def _own(page: Page) -> ItemRow:
    return await page.service(Marketplace).own_row(page.path_id())


async def _show_form(
    page: Page, form: Form, kind: str, problem: RetinueError | None = None, omitted: tuple[str, ...] = ()
) -> Response:
    values: dict[str, object] = {"kind": kind, "types": TYPES, "form": form, "problem": problem, "omitted": omitted}
    return await page.render("marketplace/publish.html", problem.status if problem else 200, **values)


async def _show_own(
    page: Page,
    item: ItemRow,
    form: Form | None = None,
    problem: RetinueError | None = None,
    omitted: tuple[str, ...] = (),
) -> Response:
    values: dict[str, object] = {
        "item": details_of(item),
        "types": TYPES,
        "origins": await find_origins(page, item.type),
        "form": form or _changes_of(item),
        "problem": problem,
        "omitted": omitted,
    }
    return await page.render("marketplace/own_item.html", problem.status if problem else 200, **values)


def _form_of(draft: ManifestDraft) -> Form:
    slug = re.sub(r"[^a-z0-9]+", "-", draft.name.lower()).strip("-")[:64].strip("-")
    return Form.of({"name": draft.name, "slug": slug, "version": "1.0.0", "manifest": pretty(draft.manifest)})


def _changes_of(item: ItemRow, manifest: dict[str, object] | None = None) -> Form:
    """Fill in the form for a new version from the newest one, even if that still awaits moderation."""
    newest: Mapping[str, Any] = item.draft or item._asdict()
    major, minor, patch = newest["version"].split(".")
    return Form.of(
        {
            "description": newest["description"],
            "version": f"{major}.{minor}.{int(patch) + 1}",
            "tags": ", ".join(newest["tags"]),
            "readme": newest["readme"],
            "manifest": pretty(manifest or newest["manifest"]),
        }
    )


def _tags(form: Form) -> list[str]:
    return [tag.strip() for tag in form.text("tags").split(",") if tag.strip()]


def _manifest(form: Form) -> dict[str, object]:
    try:
        manifest = orjson.loads(form.text("manifest"))
    except orjson.JSONDecodeError as error:
        text = _("This is not JSON: {problem}.").format(problem=error)
        raise InvalidForm(text, {"manifest": text}) from error
    if not isinstance(manifest, dict):
        raise InvalidForm(_("The manifest must be a JSON object."), {"manifest": _("Write a JSON object: {…}.")})
    if problem := find_problem(manifest, form.text("manifest").encode()):
        raise InvalidForm(problem, {"manifest": problem})
    return manifest


def _beside_field(error: RetinueError) -> RetinueError:
    """Assign an error to its field. Problems within a manifest go to the field `manifest`."""
    if isinstance(error, ValidationFailed) and not isinstance(error, InvalidForm) and "manifest" in error.message:
        return InvalidForm(error.message, {"manifest": error.message})
    return place_error(error, _PLACES)


def _outcome(item: ItemView) -> str:
    if item.pending_version:
        return _("Version {version} is waiting for the operator.").format(version=item.pending_version)
    return _("It is published.") if item.status == "published" else _("It is waiting for the operator.")
