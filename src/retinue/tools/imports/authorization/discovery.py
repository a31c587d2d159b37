"""Find the authorization server of an MCP server and its endpoints (RFC 9728, RFC 8414, OpenID Connect Discovery)."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import orjson
from multidict import CIMultiDict

from retinue.core.errors import ValidationFailed
from retinue.core.network.url_checks import web_address
from retinue.tools.imports.authorization.challenge import Challenge
from retinue.tools.imports.client import OutsideClient

Json = dict[str, object]

_RESOURCE = "/.well-known/oauth-protected-resource"
_SERVER, _OPENID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
_MOST_SCOPE = 2000
OFFLINE = "offline_access"
"""The scope by which some servers issue refresh tokens."""


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
    """An authorization server, the resource that its tokens must be for, and the scope to request.

    `accepts_documents` says that a client can identify itself by a metadata document. `sends_issuer` says that the
    server adds its issuer to each authorization response (RFC 9207).
    """

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str | None
    auth_methods: tuple[str, ...]
    accepts_documents: bool
    sends_issuer: bool
    resource: str
    scope: str | None


async def discover(client: OutsideClient, address: str, challenge: Challenge) -> AuthorizationServer:
    """Find the authorization server of the MCP server at `address`.

    Raises `ValidationFailed`, whose message says what the servers do not support, and `Unavailable`.
    """
    resource = await _resource_metadata(client, address, challenge)
    issuer = _first(resource.get("authorization_servers")) or origin_of(address)
    for url in _metadata_urls(issuer):
        if metadata := await _fetch(client, url):
            return _read(metadata, issuer, address, resource, challenge)
    if not resource:
        raise ValidationFailed(
            "The MCP server requires a credential, and does not say how to get one. Create a connection of the kind "
            "http with a token of the server, and choose it for the source."
        )
    raise ValidationFailed(f"The authorization server {issuer} of the MCP server has no metadata (RFC 8414).")


async def _resource_metadata(client: OutsideClient, address: str, challenge: Challenge) -> Json:
    """Return the server's protected resource metadata; empty if it publishes none."""
    for url in _resource_urls(address, challenge):
        found = await _fetch(client, _check_endpoint(url, address))
        if found is None:
            continue
        resource = found.get("resource")
        if not isinstance(resource, str) or not _covers(resource, address):
            raise ValidationFailed(
                f"The MCP server's metadata at {url} is for another resource: {str(resource)[:300]}. Its operator must "
                "correct it, or import the server by that address."
            )
        return found
    return {}


def _resource_urls(address: str, challenge: Challenge) -> Iterator[str]:
    if challenge.metadata_url:
        yield challenge.metadata_url
        return
    path = urlsplit(address).path.rstrip("/")
    if path:
        yield f"{origin_of(address)}{_RESOURCE}{path}"
    yield f"{origin_of(address)}{_RESOURCE}"


def _metadata_urls(issuer: str) -> Iterator[str]:
    """Yield the addresses where an issuer's metadata may be, in the order of the specification."""
    origin, path = origin_of(issuer), urlsplit(issuer).path.rstrip("/")
    yield f"{origin}{_SERVER}{path}"
    yield f"{origin}{_OPENID}{path}"
    if path:
        yield f"{origin}{path}{_OPENID}"


def _read(metadata: Json, issuer: str, address: str, resource: Json, challenge: Challenge) -> AuthorizationServer:
    if metadata.get("issuer") not in (issuer, f"{issuer}/", issuer.rstrip("/")):
        raise ValidationFailed(
            f"The metadata of the authorization server {issuer} names another issuer: "
            f"{str(metadata.get('issuer'))[:300]}."
        )
    if "S256" not in _texts(metadata.get("code_challenge_methods_supported")):
        raise ValidationFailed(f"The authorization server {issuer} does not support PKCE with S256.")
    registration = metadata.get("registration_endpoint")
    return AuthorizationServer(
        issuer=str(metadata["issuer"]),
        authorization_endpoint=_check_endpoint(metadata.get("authorization_endpoint"), address),
        token_endpoint=_check_endpoint(metadata.get("token_endpoint"), address),
        registration_endpoint=_check_endpoint(registration, address) if registration else None,
        auth_methods=_texts(metadata.get("token_endpoint_auth_methods_supported")) or ("client_secret_basic",),
        accepts_documents=metadata.get("client_id_metadata_document_supported") is True,
        sends_issuer=metadata.get("authorization_response_iss_parameter_supported") is True,
        resource=str(resource.get("resource") or address),
        scope=_scope(challenge, resource, _texts(metadata.get("scopes_supported"))),
    )


def _scope(challenge: Challenge, resource: Json, supported: tuple[str, ...]) -> str | None:
    """Return the scope that the challenge names, else the resource's scopes; and refresh tokens where that needs a
    scope.
    """
    scope = challenge.scope or " ".join(_texts(resource.get("scopes_supported")))
    if scope and OFFLINE in supported and OFFLINE not in scope.split():
        scope = f"{scope} {OFFLINE}"
    return scope[:_MOST_SCOPE] or None


async def _fetch(client: OutsideClient, url: str) -> Json | None:
    """Return the JSON object at an address; None if there is none."""
    answer = await client.call("GET", url, CIMultiDict({"Accept": "application/json"}), None)
    if answer.status != 200 or answer.truncated:
        return None
    try:
        found = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _check_endpoint(url: object, address: str) -> str:
    """Return an endpoint: over TLS, unless the MCP server itself is reached without. Raises `ValidationFailed`."""
    try:
        checked = web_address(str(url)[:2000], "its authorization server must publish it without")
    except ValueError as error:
        raise ValidationFailed(f"The MCP server's authorization metadata has an invalid address: {error}.") from error
    if not checked.startswith("https:") and address.startswith("https:"):
        raise ValidationFailed(
            f"The MCP server's authorization metadata names an address without TLS: {checked[:300]}."
        )
    return checked


def _covers(resource: str, address: str) -> bool:
    """Return whether `resource` is the MCP server, or a path above it at the same origin."""
    above, path = urlsplit(resource).path.rstrip("/"), urlsplit(address).path
    return origin_of(resource) == origin_of(address) and f"{path.rstrip('/')}/".startswith(f"{above}/")


def origin_of(address: str) -> str:
    """Return the scheme and the host of an address."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}".lower()


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _first(value: object) -> str | None:
    texts = _texts(value)
    return texts[0] if texts else None
