"""Pages to enable and disable the second factor and renew recovery codes."""

from starlette.responses import Response

from retinue.auth.account.schemas import CodeConfirmation, CodeProof, PasswordConfirmation
from retinue.auth.account.service import Account
from retinue.auth.totp import provisioning_uri
from retinue.core.errors import RetinueError
from retinue.language.translation import gettext as _
from retinue.portal.field_errors import place_error
from retinue.portal.forms import Form, parse
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.settings.qr import qr_svg

pages = Pages()
_PATH = "/settings/second-factor"
_LONGEST_SECRET = 64


@pages.get(_PATH)
async def show_second_factor(page: Page) -> Response:
    """Show the state of the second factor and the form to enable or disable it."""
    return await _show(page)


@pages.post(_PATH, protective=True)
async def start(page: Page) -> Response:
    """Create a secret and show its QR code once."""
    form = await page.form()
    try:
        proof = parse(PasswordConfirmation, {"password": form.raw("password") or None})
        totp = await page.service(Account).start_totp(proof.password, page.client)
    except RetinueError as error:
        return await _show(page, place_error(error, {}, "password"), "start")
    return await _show_setup(page, totp["secret"])


@pages.post(_PATH + "/confirm", protective=True)
async def confirm(page: Page) -> Response:
    """Enable the second factor if the code is right, and show the recovery codes once.

    The form repeats the secret, so that a mistyped code does not require scanning another QR code.
    """
    form = await page.form()
    try:
        proof = parse(CodeProof, {"code": form.text("code")})
        codes = await page.service(Account).confirm_totp(proof.code)
    except RetinueError as error:
        return await _show_setup(page, form.text("secret"), place_error(error, {"code": "code"}))
    return await page.render("settings/recovery_codes.html", codes=codes, renewed=False)


@pages.post(_PATH + "/renew", protective=True)
async def renew_recovery_codes(page: Page) -> Response:
    """Replace the recovery codes and show the new ones once."""
    try:
        proof = _proof_of(await page.form())
        account = page.service(Account)
        codes = await account.renew_recovery_codes(proof.password, proof.code, page.client)
    except RetinueError as error:
        return await _show(page, place_error(error, {"code": "code"}, "password"), "renew")
    return await page.render("settings/recovery_codes.html", codes=codes, renewed=True)


@pages.post(_PATH + "/disable", protective=True)
async def disable(page: Page) -> Response:
    """Disable the second factor."""
    try:
        proof = _proof_of(await page.form())
        await page.service(Account).disable_totp(proof.password, proof.code, page.client)
    except RetinueError as error:
        return await _show(page, place_error(error, {"code": "code"}, "password"), "disable")
    return page.redirect("/settings", _("The second factor is off."))


def _proof_of(form: Form) -> CodeConfirmation:
    return parse(CodeConfirmation, {"password": form.raw("password") or None, "code": form.text("code")})


async def _show(page: Page, problem: RetinueError | None = None, tried: str = "") -> Response:
    """Show the page. `tried` names the form that `problem` belongs to."""
    status = problem.status if problem else 200
    return await page.render("settings/second_factor.html", status, problem=problem, tried=tried)


async def _show_setup(page: Page, secret: str, problem: RetinueError | None = None) -> Response:
    if not secret.isalnum() or not secret.isascii() or len(secret) > _LONGEST_SECRET:
        return await _show(page, problem)
    code = qr_svg(provisioning_uri(secret, (await page.account()).email))
    status = problem.status if problem else 200
    return await page.render("settings/setup.html", status, problem=problem, secret=secret, code=code)
