"""Access to the operator's pages."""

from retinue.core.errors import InsufficientScope
from retinue.language.translation import gettext as _
from retinue.portal.page import Page


async def check_operator(page: Page) -> None:
    """Raise `InsufficientScope` unless the user is an operator."""
    user = await page.account()
    if not user.operator:
        raise InsufficientScope(_("Only the operator of this server sees this page."))
