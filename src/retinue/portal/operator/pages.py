"""The operator's pages of users."""

from starlette.responses import Response

from retinue.auth.audit.entries import Actor
from retinue.auth.sign_in.links import Purpose, link_address
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError, ValidationFailed
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, InvalidForm
from retinue.portal.navigation import MenuEntry
from retinue.portal.operator.access import check_operator
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages(MenuEntry("Operate", "users", gettext_noop("Users"), "users", "invite colleague"))
_LONGEST_SEARCH = 254


@pages.get("/users")
async def list_users(page: Page) -> Response:
    """List users whose address matches a search, newest first."""
    await check_operator(page)
    return await _show_list(page, Form())


@pages.post("/users")
async def create_user(page: Page) -> Response:
    """Create a user and show the sign-in link once."""
    await check_operator(page)
    form, users = await page.form(), page.platform.users_admin
    try:
        by = Actor.of_caller(page.caller)
        user = await users.create(form.text("email"), form.text("plan"), by=by)
    except RetinueError as error:
        return await _show_list(page, form, InvalidForm(error.message, {"email": error.message}))
    return await _show_link(page, user, "sign_in")


@pages.get("/users/{id}")
async def show_user(page: Page) -> Response:
    """Show a user with the operator's actions."""
    user = await _user(page)
    return await page.render("operator/user.html", one=user, plans=page.platform.plans.by_name)


@pages.post("/users/{id}/plan")
async def change_plan(page: Page) -> Response:
    """Change the user's plan."""
    user, form = await _user(page), await page.form()
    await page.platform.users_admin.change_plan(user.email, form.text("plan"))
    return page.redirect(f"/users/{user.id}", _("The plan is {plan} from now on.").format(plan=form.text("plan")))


@pages.post("/users/{id}/suspend")
async def suspend_user(page: Page) -> Response:
    """Suspend the user."""
    user = await _user(page)
    if user.id == page.caller.user_id:
        raise ValidationFailed(_("You cannot suspend yourself, because nobody could restore you."))
    await page.platform.users_admin.suspend(user.email)
    return page.redirect(f"/users/{user.id}", _("The user is suspended."))


@pages.post("/users/{id}/restore")
async def restore_user(page: Page) -> Response:
    """Lift the user's suspension."""
    user = await _user(page)
    await page.platform.users_admin.suspend(user.email, suspended=False)
    return page.redirect(f"/users/{user.id}", _("The user's credentials work again."))


@pages.post("/users/{id}/revoke")
async def revoke_credentials(page: Page) -> Response:
    """Revoke all of the user's keys, sessions, links and tokens, for example after a theft."""
    user = await _user(page)
    await page.platform.users_admin.revoke(user.email)
    return page.redirect(f"/users/{user.id}", _("All credentials are revoked. The password is kept."))


@pages.post("/users/{id}/reset")
async def make_reset_link(page: Page) -> Response:
    """Create a password reset link and show it once."""
    return await _show_link(page, await _user(page), "reset")


@pages.post("/users/{id}/delete")
async def delete_user(page: Page) -> Response:
    """Delete the user and all its data."""
    user = await _user(page)
    if user.id == page.caller.user_id:
        raise ValidationFailed(_("You cannot delete yourself here. Delete your own user in the settings."))
    await page.platform.deletions.of_email(user.email, by=Actor.of_caller(page.caller))
    return page.redirect(
        "/users", _("{email} is deleted. The data is deleted in the background.").format(email=user.email)
    )


async def _user(page: Page) -> Row:
    await check_operator(page)
    return await page.platform.users_admin.get(page.path_id())


async def _show_link(page: Page, user: Row, purpose: Purpose) -> Response:
    token = await page.platform.users_admin.link(user.email, purpose)
    values = {"one": user, "link": link_address(page.address, token), "reset": purpose == "reset"}
    return await page.render("operator/link.html", **values)


async def _show_list(page: Page, form: Form, problem: RetinueError | None = None) -> Response:
    search, paging = page.query.text("q")[:_LONGEST_SEARCH], page.paging()
    users, total = await page.platform.users_admin.page(paging.part, search)
    values: dict[str, object] = {"users": users, "paging": paging.of(total), "search": search, "form": form}
    plans = page.platform.plans.by_name
    return await page.render(
        "operator/users.html", problem.status if problem else 200, **values, plans=plans, problem=problem
    )
