"""Address requests to an agent, with the credential of its source."""

from urllib.parse import parse_qsl, urlsplit

from retinue.tools.imports.credentials import Credential
from retinue.tools.imports.requests import OutgoingRequest


def endpoint(address: str, method: str, credential: Credential | None) -> tuple[str, OutgoingRequest]:
    """Return the address of a request, and the request with the credential."""
    parts = urlsplit(address)
    request = OutgoingRequest(method, parts.path or "/", parse_qsl(parts.query, keep_blank_values=True))
    if credential:
        credential.add_to(request)
    return request.address(f"{parts.scheme}://{parts.netloc}"), request
