"""Who sees the operator's pages."""

from retinue.core.errors import InsufficientScope
from retinue.portal.page import Page


async def check_operator(page: Page) -> None:
    """Refuse everybody but the operator."""
    user = await page.account()
    if not user["operator"]:
        raise InsufficientScope("Only the operator of this server sees this page.")
