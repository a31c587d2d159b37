"""What everyone may load: the script of the widget, and the page of an agent that its owner shares."""

from starlette.responses import Response

from retinue.core.errors import NotFound, RetinueError
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.interop.agui.service import AgUi, acting_caller
from retinue.language.translation import choose_language
from retinue.language.translation import gettext as _
from retinue.portal.page import Visit
from retinue.portal.pages import Pages
from retinue.portal.widget.bundle import content, messages_in

pages = Pages(public=True)

_CACHED = {
    "Cache-Control": "public, max-age=3600, stale-while-revalidate=86400",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
_PAGE = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "frame-ancestors 'self'; form-action 'none'",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
}
"""The portal shows the page in a frame, as a preview. People with the link may read it; search engines may not."""


@pages.get("/widget.js")
async def show_widget(page: Visit) -> Response:
    """Serve the script of the widget. Browsers keep it for an hour."""
    return content().respond(page.request, _CACHED)


@pages.get("/widget/messages")
async def show_messages(page: Visit) -> Response:
    """Return the words of the widget to scripts on pages of all sites.

    `lang` is a language such as `de-AT`, or several in the order of preference, with commas between them.
    """
    language = choose_language(None, page.query.text("lang"))
    messages = await run_on_compute_thread(messages_in, language)
    headers = {**_CACHED, "Access-Control-Allow-Origin": "*", "Content-Language": language}
    return Response(messages, headers=headers, media_type="application/json")


@pages.get("/c/{agent}")
async def show_shared_agent(page: Visit) -> Response:
    """Show the page of a shared agent to everyone with its link."""
    key = page.query.text("key")
    agent_id = page.path_id("agent")
    try:
        caller = await page.platform.credentials.authenticate(key)
        if not caller.is_public or not caller.origins or "self" not in caller.origins:
            raise NotFound("The page is not open.")
        looks = await page.platform.services.of(AgUi, acting_caller(caller)).appearance(agent_id)
    except RetinueError as error:
        raise NotFound(_("This chat is not available. Ask the person who gave you the link for a new one.")) from error
    response = await page.render("widget/page.html", agent_id=agent_id, key=key, looks=looks)
    response.headers.update(_PAGE)
    return response
