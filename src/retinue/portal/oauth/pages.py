"""Pages of the user's own OAuth apps."""

from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.oauth.schemas import AppView
from retinue.oauth.service import Apps
from retinue.portal.forms import Form
from retinue.portal.navigation import MenuEntry
from retinue.portal.oauth.forms import PERMISSIONS, SCOPES, changes_of, creation_of, form_of
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages(MenuEntry("Developers", "apps", gettext_noop("OAuth apps"), "app-window"))


@pages.get("/apps")
async def list_apps(page: Page) -> Response:
    """List apps, newest first."""
    paging = page.paging()
    apps, total = await page.service(Apps).page(paging.part)
    return await page.render("oauth/list.html", apps=apps, paging=paging.of(total))


@pages.get("/apps/new")
async def show_new(page: Page) -> Response:
    """Show the form for a new app."""
    return await _show_form(page, Form.of({"access": "some", "kind": "secret"}))


@pages.post("/apps")
async def create_app(page: Page) -> Response:
    """Create an app and show its secret once."""
    form = await page.form()
    try:
        app = await page.service(Apps).create(creation_of(form))
    except RetinueError as error:
        return await _show_form(page, form, problem=error)
    if app.public:
        return page.redirect(f"/apps/{app.id}", _("The app was created."))
    return await page.render("oauth/secret.html", app=app, rotated=False)


@pages.get("/apps/{id}")
async def show_app(page: Page) -> Response:
    """Show an app with the values that a client needs."""
    app = await page.service(Apps).get(page.path_id())
    return await page.render("oauth/app.html", app=app, meanings=SCOPES)


@pages.get("/apps/{id}/edit")
async def show_edit(page: Page) -> Response:
    """Show the form for an app."""
    app = await page.service(Apps).get(page.path_id())
    return await _show_form(page, form_of(app), app)


@pages.post("/apps/{id}/edit")
async def edit_app(page: Page) -> Response:
    """Change an app."""
    apps, form = page.service(Apps), await page.form()
    app = await apps.get(page.path_id())
    try:
        await apps.update(app.id, changes_of(form))
    except RetinueError as error:
        return await _show_form(page, form, app, error)
    return page.redirect(f"/apps/{app.id}", _("The changes are saved."))


@pages.post("/apps/{id}/rotate", protective=True)
async def rotate_secret(page: Page) -> Response:
    """Rotate the secret and show it once."""
    app = await page.service(Apps).rotate(page.path_id())
    return await page.render("oauth/secret.html", app=app, rotated=True)


@pages.post("/apps/{id}/delete", protective=True)
async def delete_app(page: Page) -> Response:
    """Delete an app with its grants and tokens."""
    await page.service(Apps).delete(page.path_id())
    return page.redirect("/apps", _("The app is deleted."))


async def _show_form(
    page: Page, form: Form, app: AppView | None = None, problem: RetinueError | None = None
) -> Response:
    values = {"form": form, "app": app, "permissions": PERMISSIONS, "meanings": SCOPES, "problem": problem}
    return await page.render("oauth/form.html", problem.status if problem else 200, **values)
