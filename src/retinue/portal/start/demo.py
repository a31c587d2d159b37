"""The demo on the first page: load it, look at its parts, remove it."""

from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.demo.service import Demo
from retinue.language.translation import gettext as _
from retinue.portal.forms import Form
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.start.pages import show_first_page

pages = Pages()


@pages.post("/start/demo")
async def load_demo(page: Page) -> Response:
    """Load the demo, and show its conversation while the model answers."""
    demo = page.service(Demo)
    try:
        await demo.load()
    except RetinueError as error:
        return await show_first_page(page, Form(), error)
    conversation = (await demo.get())["conversation_id"]
    return page.redirect(f"/playground?conversation={conversation}", _("The demo is loaded. Its agent answers now."))


@pages.post("/start/demo/remove")
async def remove_demo(page: Page) -> Response:
    """Remove the demo."""
    await page.service(Demo).remove()
    return page.redirect("/start", _("The demo is removed."))
