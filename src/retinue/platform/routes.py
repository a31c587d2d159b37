"""Builds the routes beside the API: the OAuth protocol endpoints, and the endpoints for joining rooms."""

from starlette.routing import BaseRoute

from retinue.gate.addresses import client_info_reader
from retinue.oauth.authorization import Authorization
from retinue.oauth.client_documents import ClientDocuments, fetch_through
from retinue.oauth.clients import Clients
from retinue.oauth.consent import ConsentPage
from retinue.oauth.endpoints import ProtocolEndpoints
from retinue.oauth.grants import TokenGrants
from retinue.oauth.limits import RequestLimit
from retinue.oauth.registration import Registration
from retinue.platform.platform import Platform
from retinue.voice.rooms.presence import RoomPresence
from retinue.voice.rooms.whip import Whip


def oauth_routes(platform: Platform) -> list[BaseRoute]:
    """Return the OAuth routes: consent, tokens, registration and metadata."""
    settings, database = platform.settings, platform.database
    address, clients = settings.public_url, Clients(database)
    registration = Registration(database, settings.oauth_registration == "open")
    read_client = client_info_reader(settings.trusted_proxies)
    limit = RequestLimit(platform.limiter.hit_address, refuse=settings.rate_limits == "on")
    documents = ClientDocuments(database, clients, registration, limit, fetch_through(platform.guard))
    authorization = Authorization(database, documents)
    consent = ConsentPage(authorization, platform.credentials, platform.sign_in, limit, read_client, address)
    grants = TokenGrants(database, platform.vault.digest)
    protocol = ProtocolEndpoints(clients, grants, registration, limit, read_client, address)
    return [*consent.routes(), *protocol.routes()]


def room_routes(platform: Platform) -> list[BaseRoute]:
    """Return the routes for joining a room by WHIP, and for LiveKit's webhooks if it is configured."""
    presence = RoomPresence(platform.database, platform.media, platform.settings.ice_servers)
    whip = Whip(platform.hall, platform.vault, presence)
    return [*whip.routes(), *(platform.livekit.routes() if platform.livekit else ())]
