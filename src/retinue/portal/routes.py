"""Routes of the portal."""

from collections.abc import Iterable

from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from retinue.language.translation import gettext_noop
from retinue.platform.platform import Platform
from retinue.portal.access import Access, PageEndpoint
from retinue.portal.agents.pages import pages as agents
from retinue.portal.approvals.pages import pages as approvals
from retinue.portal.audit.pages import pages as audit
from retinue.portal.calls.batch_pages import pages as call_batches
from retinue.portal.calls.pages import pages as calls
from retinue.portal.command_palette import pages as palette
from retinue.portal.connections.pages import pages as connections
from retinue.portal.files.pages import pages as files
from retinue.portal.fleets.deployment_pages import pages as deployments
from retinue.portal.fleets.pages import pages as fleets
from retinue.portal.form_addresses import with_reloads
from retinue.portal.keys.pages import pages as keys
from retinue.portal.knowledge.collections import pages as collections
from retinue.portal.knowledge.pages import pages as knowledge
from retinue.portal.knowledge.sources import pages as collection_sources
from retinue.portal.marketplace.installed_pages import pages as installed
from retinue.portal.marketplace.pages import pages as marketplace
from retinue.portal.marketplace.publishing_pages import pages as publishing
from retinue.portal.memory.pages import pages as memory
from retinue.portal.models.local_pages import pages as local_models
from retinue.portal.models.pages import pages as models
from retinue.portal.navigation import MenuEntry, Navigation
from retinue.portal.not_found import BrowserRoute, NotFoundPage
from retinue.portal.not_found import pages as missing
from retinue.portal.oauth.grant_pages import pages as grants
from retinue.portal.oauth.pages import pages as apps
from retinue.portal.operator.health_pages import pages as health
from retinue.portal.operator.moderation_pages import pages as moderation
from retinue.portal.operator.pages import pages as users
from retinue.portal.overview.pages import pages as overview
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.playground.conversations import pages as conversations
from retinue.portal.playground.pages import pages as playground
from retinue.portal.playground.shared_pages import pages as conversation_sharing
from retinue.portal.playground.shared_pages import public_pages as shared_conversations
from retinue.portal.records.pages import pages as records
from retinue.portal.requests.pages import pages as requests
from retinue.portal.rooms.pages import pages as rooms
from retinue.portal.runs.list_pages import pages as run_list
from retinue.portal.runs.pages import pages as runs
from retinue.portal.schedules.pages import pages as schedules
from retinue.portal.settings.data_pages import pages as account_data
from retinue.portal.settings.pages import pages as settings
from retinue.portal.settings.second_factor_pages import pages as second_factor
from retinue.portal.sharing.pages import pages as sharing
from retinue.portal.sign_in.pages import pages as sign_in
from retinue.portal.sign_in.pages import private_pages as sign_out
from retinue.portal.simulations.pages import pages as simulations
from retinue.portal.skills.pages import pages as skills
from retinue.portal.sources.client_document import pages as source_client
from retinue.portal.sources.pages import pages as sources
from retinue.portal.start.demo import pages as demo
from retinue.portal.start.documents import pages as start_documents
from retinue.portal.start.pages import pages as start
from retinue.portal.static_files import show_static
from retinue.portal.tools.pages import pages as tools
from retinue.portal.usage.pages import pages as usage
from retinue.portal.webhooks.delivery_pages import pages as deliveries
from retinue.portal.webhooks.pages import pages as webhooks
from retinue.portal.widget.pages import pages as widget

root = Pages()
reference = Pages(MenuEntry("Developers", "docs", gettext_noop("API reference"), "book-open", "documentation"))
"""Only an entry of the menu: `retinue.reference` has the pages."""


@root.get("/")
async def show_root(page: Page) -> Response:
    """Redirect to the overview."""
    return page.redirect("/overview")


GROUPS: tuple[Pages, ...] = (
    root, sign_in, sign_out, start, start_documents, demo, palette,
    overview, playground, conversations, conversation_sharing, shared_conversations, agents, sharing, widget,
    simulations, fleets, deployments, knowledge, collections, collection_sources, skills, memory, records, tools,
    models, local_models, installed, publishing, marketplace,
    run_list, runs, schedules, approvals, call_batches, calls, rooms,
    connections, source_client, sources, files,
    keys, webhooks, deliveries, grants, apps, requests, audit, reference,
    usage, settings, second_factor, account_data,
    users, moderation, health,
)  # fmt: skip
"""The pages of all groups, in the order of the menu. The first match wins, so fixed paths come before those with an id.
"""

NAVIGATION = Navigation(group.menu for group in GROUPS if group.menu)


def portal_routes(platform: Platform) -> list[BaseRoute]:
    """Return the routes of the portal."""
    access = Access(platform, NAVIGATION)
    declared = [one for group in GROUPS for one in group.declared]
    pages = [Route(one.path, PageEndpoint(one, access), methods=[one.method]) for one in with_reloads(declared)]
    return [*pages, Route("/static/{version}/{path:path}", show_static)]


def with_not_found_page(routes: Iterable[Route], platform: Platform) -> list[BaseRoute]:
    """Return routes of other packages that show browsers a page instead of a JSON error if they find nothing."""
    access = Access(platform, NAVIGATION)
    return [Route(one.path, NotFoundPage(one.app, access), methods=list(one.methods or ())) for one in routes]


def missing_page_route(platform: Platform) -> BaseRoute:
    """Return the last route of the server, for the addresses that no other route has."""
    (declared,) = missing.declared
    return BrowserRoute(declared.path, PageEndpoint(declared, Access(platform, NAVIGATION)), methods=[declared.method])
