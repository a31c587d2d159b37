"""OAuth apps, and what users have granted them."""

from datetime import timedelta
from typing import TYPE_CHECKING

from starlette.routing import Route

from retinue.auth.services import Services
from retinue.core.work.retention import RetentionRule
from retinue.gate.addresses import client_info_reader
from retinue.oauth.authorization import Authorization
from retinue.oauth.client_documents import ClientDocuments, fetch_through
from retinue.oauth.clients import Clients
from retinue.oauth.consent import ConsentPage
from retinue.oauth.endpoints import ProtocolEndpoints
from retinue.oauth.expiry import remove_codes, remove_grants, remove_tokens
from retinue.oauth.grants import TokenGrants
from retinue.oauth.limits import RequestLimit
from retinue.oauth.registration import UNUSED_LIFE, Registration, remove_unused
from retinue.oauth.revocation import revoke_apps
from retinue.oauth.router import api, grants_api
from retinue.oauth.service import Apps, Grants
from retinue.oauth.tables import OWNED
from retinue.platform.resource_declaration import Resource

if TYPE_CHECKING:
    from retinue.platform.platform import Platform

_RETENTION = (
    RetentionRule("OAuth tokens", timedelta(hours=1), remove_tokens),
    RetentionRule("OAuth codes", timedelta(hours=1), remove_codes),
    RetentionRule("OAuth grants", timedelta(days=1), remove_grants),
    RetentionRule("unused OAuth apps", UNUSED_LIFE, remove_unused),
)


def _provide(platform: "Platform", services: Services) -> None:
    services.provide(Apps, lambda caller: Apps(caller, platform.database))
    services.provide(Grants, lambda caller: Grants(caller, platform.database))


def _routes(platform: "Platform") -> list[Route]:
    """Return the endpoints of the protocol: consent, tokens, registration and metadata."""
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


resource = Resource(
    name="oauth",
    apis=(api, grants_api),
    routes=_routes,
    provide=_provide,
    owned=OWNED,
    retention=lambda settings: _RETENTION,
    revoke=revoke_apps,
)
