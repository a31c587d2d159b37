"""The Python client of Retinue.

from retinue_client import Retinue

client = Retinue(api_key="ak_live_…", base_url="http://127.0.0.1:8000")
agent = client.agents.create(agent_name="Netwatch", agent_role="specialist")
print(client.agents.execute(agent.id, message="How many usable hosts does 172.16.8.0/21 have?").reply)
"""

from retinue_client import errors, types, webhooks
from retinue_client._client import AsyncRetinue, Retinue
from retinue_client._listings import AsyncListing, Listing, Page
from retinue_client._options import __version__
from retinue_client._records import Record
from retinue_client._streams import AsyncStream, Stream
from retinue_client.errors import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    AuthenticationError,
    InternalServerError,
    MethodNotAllowedError,
    NotFoundError,
    PermissionDeniedError,
    RangeNotSatisfiableError,
    RateLimitError,
    RetinueError,
    RunCancelledError,
    ServiceUnavailableError,
    ValidationError,
    WebhookVerificationError,
)

__all__ = [
    "APIConnectionError",
    "APIError",
    "APITimeoutError",
    "AsyncListing",
    "AsyncRetinue",
    "AsyncStream",
    "AuthenticationError",
    "InternalServerError",
    "Listing",
    "MethodNotAllowedError",
    "NotFoundError",
    "Page",
    "PermissionDeniedError",
    "RangeNotSatisfiableError",
    "RateLimitError",
    "Record",
    "Retinue",
    "RetinueError",
    "RunCancelledError",
    "ServiceUnavailableError",
    "Stream",
    "ValidationError",
    "WebhookVerificationError",
    "__version__",
    "errors",
    "types",
    "webhooks",
]
