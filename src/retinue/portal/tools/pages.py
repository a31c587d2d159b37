"""The pages of tools."""

from starlette.responses import Response

from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages()
LONGEST_SEARCH = 500
_PICKS = 12


@pages.get("/tools/pick")
async def pick(page: Page) -> Response:
    """The tools that a picker shows for what was typed."""
    search = page.query.text("q")[:LONGEST_SEARCH]
    known = await page.platform.tools(page.caller).all()
    _, tools = known.find(search or None, None, None, 0, _PICKS)
    return page.fragment("tools/_picks.html", tools=tools, search=search)
