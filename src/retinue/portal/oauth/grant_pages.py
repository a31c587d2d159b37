"""Pages of grants to apps."""

from starlette.responses import Response

from retinue.language.translation import gettext as _
from retinue.oauth.meanings import MEANINGS
from retinue.oauth.service import Grants
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages()


@pages.get("/apps/grants")
async def list_grants(page: Page) -> Response:
    """List grants, newest first."""
    paging = page.paging()
    grants, total = await page.service(Grants).page(paging.part)
    return await page.render("oauth/grants.html", grants=grants, paging=paging.of(total), meanings=MEANINGS)


@pages.post("/apps/grants/{id}/revoke", protective=True)
async def revoke_grant(page: Page) -> Response:
    """Revoke a grant with all its tokens."""
    await page.service(Grants).revoke(page.path_id())
    return page.redirect("/apps/grants", _("The app can no longer act for you."))
