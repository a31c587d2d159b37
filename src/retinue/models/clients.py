"""Builds the client of a model by its provider's protocol, and asks providers for their models."""

from collections.abc import Sequence

import aiohttp
import orjson

from retinue.core.errors import Unavailable
from retinue.models.base import Model
from retinue.models.providers.endpoint import Endpoint, Limits
from retinue.models.providers.openai import OpenAIModel
from retinue.providers.kinds import Kind

_LIST_TIMEOUT = aiohttp.ClientTimeout(total=10.0, sock_connect=5.0)
_LIST_BYTES = 8 << 20


def client_of(
    kind: Kind, origin: str, wire_name: str, endpoint: Endpoint, session: aiohttp.ClientSession, limits: Limits
) -> Model:
    """Return the client of the model `wire_name`."""
    return OpenAIModel(origin, wire_name, endpoint, session, limits)


async def list_models(kind: Kind, endpoint: Endpoint, session: aiohttp.ClientSession) -> Sequence[str]:
    """Ask a provider for the ids of its models. Raises `Unavailable`."""
    try:
        async with session.get(
            endpoint.base_url.rstrip("/") + "/models",
            headers=_headers(endpoint),
            params=dict(endpoint.query),
            timeout=_LIST_TIMEOUT,
            allow_redirects=False,
        ) as response:
            if response.status != 200:
                raise Unavailable(f"The provider did not list its models (HTTP {response.status}).")
            content = await response.content.read(_LIST_BYTES)
        return [str(entry["id"]) for entry in orjson.loads(content)["data"]]
    except (TimeoutError, OSError, aiohttp.ClientError) as error:
        raise Unavailable("The provider did not list its models: the connection failed.") from error
    except (ValueError, TypeError, LookupError) as error:
        raise Unavailable("The provider did not list its models: its response is not a list of models.") from error


def _headers(endpoint: Endpoint) -> dict[str, str]:
    return ({"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}) | dict(endpoint.headers)
