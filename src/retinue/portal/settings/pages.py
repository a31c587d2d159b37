"""Pages for name, password, sessions and plan."""

from starlette.responses import Response

from retinue.auth.account.schemas import AccountUpdate, PasswordChange
from retinue.auth.account.service import Account
from retinue.auth.keys.service import Keys
from retinue.auth.sessions.service import Sessions
from retinue.core.errors import RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.language.translation import (
    LANGUAGE_COOKIE,
    LANGUAGES,
    choose_language,
    current_language,
    gettext_noop,
    ngettext,
)
from retinue.language.translation import gettext as _
from retinue.oauth.service import Grants
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form, InvalidForm, parse
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.settings.clients import client_name
from retinue.portal.voice import voice_of
from retinue.webhooks.service import Webhooks

pages = Pages(
    MenuEntry("Account", "settings", gettext_noop("Settings"), "settings", "password name sessions profile language")
)
_SESSIONS = 10
_LISTED = 100


@pages.get("/settings")
async def show_settings(page: Page) -> Response:
    """Show all settings."""
    return await _show(page, Form.of({"name": (await page.account()).name}))


@pages.post("/settings/profile")
async def change_name(page: Page) -> Response:
    """Change the user's name."""
    form = await page.form()
    try:
        await page.service(Account).update(parse(AccountUpdate, {"name": form.text("name")}))
    except RetinueError as error:
        return await _show(page, form, error)
    return page.redirect("/settings", _("Your name is saved."))


@pages.post("/settings/language")
async def change_language(page: Page) -> Response:
    """Set the language of the pages in this browser. An empty value means the browser's own languages."""
    chosen = (await page.form()).text("language")
    if chosen and chosen not in LANGUAGES:
        reason = _("Choose one of the languages in the list.")
        form_values = Form.of({"name": (await page.account()).name})
        return await _show(page, form_values, InvalidForm(reason, {"language": reason}))
    current_language.set(choose_language(chosen, page.request.headers.get("accept-language", "")))
    response = page.redirect("/settings", _("The language is changed."))
    page.remember_language(response, chosen)
    return response


@pages.post("/settings/password", protective=True)
async def change_password(page: Page) -> Response:
    """Change the password, which ends all other sessions."""
    form = await page.form()
    try:
        change = _password_of(form)
        account = page.service(Account)
        await account.change_password(change.current_password, change.new_password, page.client, change.revoke_access)
    except RetinueError as error:
        form_values = Form.of({"name": (await page.account()).name})
        return await _show(page, form_values, place_error(error, {"This password": "new_password"}, "current_password"))
    path = "/settings/access" if change.revoke_access else "/settings"
    return page.redirect(path, _("The password is changed. Your other sessions have ended."))


@pages.get("/settings/access")
async def show_access(page: Page) -> Response:
    """List the keys, apps and webhooks that can act for the user or receive events."""
    part = Part(per_page=_LISTED)
    keys, keys_total = await page.service(Keys).page(part)
    grants, grants_total = await page.service(Grants).page(part)
    webhooks, webhooks_total = await page.service(Webhooks).page(part)
    more = max(keys_total, grants_total, webhooks_total) > _LISTED
    return await page.render("settings/access.html", keys=keys, grants=grants, webhooks=webhooks, more=more)


@pages.post("/settings/sessions/{id}/revoke", protective=True)
async def revoke_session(page: Page) -> Response:
    """End a session."""
    await page.service(Sessions).revoke(page.path_id())
    return page.redirect("/settings", _("The session has ended."))


@pages.post("/settings/sessions/revoke-others", protective=True)
async def revoke_others(page: Page) -> Response:
    """End every session except this one."""
    ended = await page.service(Sessions).revoke_others()
    return page.redirect(
        "/settings",
        ngettext("{count} other session ended.", "{count} other sessions ended.", ended).format(count=ended),
    )


def _password_of(form: Form) -> PasswordChange:
    """Parse a password change. Raises `InvalidForm`."""
    current = form.raw("current_password") or None
    fields = {"current_password": current, "new_password": form.raw("new_password")}
    change = parse(PasswordChange, {**fields, "revoke_access": "revoke_access" in form})
    if form.raw("new_password") != form.raw("again"):
        reason = _("The two new passwords differ. Type them again.")
        raise InvalidForm(reason, {"again": reason})
    return change


async def _show(page: Page, form: Form, problem: RetinueError | None = None) -> Response:
    paging = page.paging(_SESSIONS)
    sessions, total = await page.service(Sessions).page(paging.part)
    listed = [{**session.model_dump(), "client": client_name(session.user_agent)} for session in sessions]
    values: dict[str, object] = {"sessions": listed, "paging": paging.of(total), "limits": page.caller.plan}
    values["voice"], values["server"] = voice_of(page.platform), page.platform.settings
    values["chosen_language"] = page.request.cookies.get(LANGUAGE_COOKIE)
    status = problem.status if problem else 200
    return await page.render("settings/settings.html", status, form=form, problem=problem, **values)
