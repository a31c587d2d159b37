"""Conversations that are shared by link: sharing them, and the page that everyone with the link can read."""

from urllib.parse import quote

from starlette.responses import Response

from retinue.chat.shared import ConversationSharing, read_shared
from retinue.language.translation import gettext as _
from retinue.portal.page import Page, Visit
from retinue.portal.pages import Pages
from retinue.portal.playground.conversations import CONVERSATION_PAGE
from retinue.portal.playground.turns import turns_of

pages = Pages()
public_pages = Pages(public=True)
_HEADERS = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"}


@pages.post("/playground/conversations/{conversation_id}/share", form=CONVERSATION_PAGE)
async def share_conversation(page: Page) -> Response:
    """Share a conversation, or show its later messages at the link too."""
    conversation = page.request.path_params["conversation_id"]
    await page.service(ConversationSharing).share(conversation)
    return page.redirect(f"/playground?conversation={quote(conversation)}#share")


@pages.post("/playground/conversations/{conversation_id}/unshare", protective=True, form=CONVERSATION_PAGE)
async def unshare_conversation(page: Page) -> Response:
    """End the sharing of a conversation."""
    conversation = page.request.path_params["conversation_id"]
    await page.service(ConversationSharing).unshare(conversation)
    return page.redirect(f"/playground?conversation={quote(conversation)}", _("The link no longer works."))


@public_pages.get("/shared/{token}")
async def show_shared_conversation(page: Visit) -> Response:
    """Show a shared conversation: what was said, without files, sources and the arguments and results of tools."""
    conversation, messages = await read_shared(page.platform.database, page.request.path_params["token"])
    turns = [turn for turn in turns_of(messages, {}) if turn.text]
    response = await page.render("playground/shared.html", conversation=conversation, turns=turns)
    response.headers.update(_HEADERS)
    return response
