"""Pages to sign in and out."""

from urllib.parse import quote

from starlette.responses import Response

from retinue.auth.sessions.browser import drop_session_cookie, session_token, set_session_cookie
from retinue.auth.sessions.service import Sessions
from retinue.auth.sessions.tokens import NewSession
from retinue.auth.sign_in.links import LINK_PATH
from retinue.auth.sign_in.schemas import Credentials, LinkUse
from retinue.auth.sign_in.service import CodeRequired
from retinue.core.errors import AuthRequired, RetinueError
from retinue.language.translation import LANGUAGES
from retinue.language.translation import gettext as _
from retinue.portal.forms import Form, parse
from retinue.portal.page import Page, Visit
from retinue.portal.pages import Pages

pages = Pages(public=True)
private_pages = Pages()


@pages.get("/sign-in")
async def show_sign_in(visit: Visit) -> Response:
    """Show the form, or redirect a user who is already signed in. `?language=` changes the language of the pages."""
    goal, language = _goal(visit.query), visit.query.text("language")
    if language in LANGUAGES:
        response = visit.redirect(f"/sign-in?next={quote(goal)}")
        visit.remember_language(response, language)
        return response
    if await _is_signed_in(visit):
        return visit.redirect(goal)
    return await _show(visit, Form.of({"next": goal}))


@pages.post("/sign-in")
async def sign_in(visit: Visit) -> Response:
    """Check the password, and the code if the user has a second factor."""
    form = await visit.form()
    fields = {"email": form.text("email"), "password": form.raw("password"), "code": form.optional("code")}
    try:
        body = parse(Credentials, fields)
        session = await visit.platform.sign_in.with_password(body.email, body.password, body.code, visit.client)
    except RetinueError as error:
        if isinstance(error, AuthRequired) and not isinstance(error, CodeRequired):
            error.message = _say_what_is_wrong(form)
        return await _show(visit, form, error)
    return _enter(visit, session, _goal(form))


@pages.get(LINK_PATH)
async def show_link(visit: Visit) -> Response:
    """Show the form that uses a link. Opening it does not consume the link, since mail programs open links too."""
    token = visit.query.text("token")
    is_reset = await visit.platform.sign_in.is_reset(token)
    form = Form.of({"token": token, "revoke_access": is_reset})
    return await visit.render("sign_in/link.html", form=form, needs_code=False)


@pages.post(LINK_PATH)
async def use_link(visit: Visit) -> Response:
    """Consume the link and set the new password. A reset leads to the list of what can still act for the user."""
    form = await visit.form()
    password = None if form.text("keep") else form.raw("password")
    try:
        fields = {"token": form.text("token"), "password": password, "code": form.optional("code")}
        body = parse(LinkUse, {**fields, "revoke_access": "revoke_access" in form})
        is_reset = await visit.platform.sign_in.is_reset(body.token)
        session = await visit.platform.sign_in.with_link(
            body.token, body.password, body.code, visit.client, body.revoke_access
        )
    except RetinueError as error:
        return await _show_link_again(visit, form, error)
    return _enter(visit, session, "/settings/access" if is_reset else "/start")


@private_pages.post("/sign-out", protective=True)
async def sign_out(page: Page) -> Response:
    """End the session."""
    await page.service(Sessions).sign_out()
    response = page.redirect("/sign-in", _("You are signed out."))
    drop_session_cookie(response, secure=page.secure)
    return response


def _say_what_is_wrong(form: Form) -> str:
    if form.text("code"):  # Only users with a second factor know of a code.
        return _("The e-mail address, the password or the code is wrong. Each code is accepted once.")
    return _("The e-mail address or the password is wrong.")


async def _show(visit: Visit, form: Form, error: RetinueError | None = None) -> Response:
    """Show the form with an error. For htmx, render only the part below the fields, which keeps their values."""
    needs_code = isinstance(error, CodeRequired) or "code" in form
    values = {"form": form, "problem": error, "needs_code": needs_code}
    status = error.status if error else 200
    if visit.by_htmx:
        return visit.fragment("sign_in/_rest.html", status, **values)
    return await visit.render("sign_in/sign_in.html", status, **values)


async def _show_link_again(visit: Visit, form: Form, error: RetinueError) -> Response:
    needs_code = isinstance(error, CodeRequired) or "code" in form
    values = {"form": form, "problem": error, "needs_code": needs_code}
    if visit.by_htmx:
        return visit.fragment("sign_in/_link_rest.html", error.status, **values)
    return await visit.render("sign_in/link.html", error.status, **values)


async def _is_signed_in(visit: Visit) -> bool:
    try:
        await visit.platform.credentials.authenticate(session_token(visit.request))
    except AuthRequired:
        return False
    return True


def _enter(visit: Visit, session: NewSession, path: str) -> Response:
    response = visit.redirect(path)
    set_session_cookie(response, session.token, secure=visit.secure)
    return response


def _goal(form: Form) -> str:
    """Return the page to go to after signing in. Only paths on this server are allowed."""
    path = form.text("next")
    own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if own else "/overview"
