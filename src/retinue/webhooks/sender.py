"""Makes one delivery attempt: signs the body, sends it and reads the response."""

import time
from dataclasses import dataclass
from datetime import datetime

import aiohttp
import structlog

from retinue.core.network.http_client import AddressRefused, connection_failure
from retinue.core.network.retry_after import seconds_to_wait
from retinue.core.runtime.clock import now
from retinue.core.runtime.vault import MasterKeyWrong, Vault
from retinue.webhooks.attempts import ClaimedDelivery, DeliveryAttempt
from retinue.webhooks.service import secret_owner
from retinue.webhooks.signing import headers
from retinue.webhooks.task_updates import headers_of

_log = structlog.get_logger()

PATIENCE_S = 15.0
"""Timeout of an attempt."""

_ANSWER_BYTES = 1024
_UNREADABLE = "The platform cannot read the endpoint's secret. The operator must restore the master key."


@dataclass(frozen=True)
class _Answer:
    """The response of a receiver."""

    status: int
    text: str
    retry_after: str


class Sender:
    """Sends deliveries through a guarded session."""

    def __init__(self, session: aiohttp.ClientSession, vault: Vault) -> None:
        self._session = session
        self._vault = vault

    async def send(self, delivery: ClaimedDelivery) -> DeliveryAttempt:
        """Make an attempt. Failures are returned in its `error`."""
        started_at, began = now(), time.perf_counter()
        answer, error = None, None
        try:
            answer = await self._post(delivery, started_at)
            error = _refusal(answer.status)
        except (TimeoutError, OSError, ValueError, aiohttp.ClientError) as failure:
            error = _describe_failure(failure)
        except MasterKeyWrong as failure:
            _log.error("webhooks.secret_unreadable", endpoint=delivery.endpoint_id, reason=failure.message)
            error = _UNREADABLE
        return DeliveryAttempt(
            started_at=started_at,
            milliseconds=round((time.perf_counter() - began) * 1000),
            status=answer.status if answer else None,
            answer=answer.text if answer else None,
            error=error,
            retry_after_s=(seconds_to_wait(answer.retry_after, started_at) or 0) if answer and error else 0,
        )

    async def _post(self, delivery: ClaimedDelivery, moment: datetime) -> _Answer:
        sent = self._headers(delivery, moment)
        async with self._session.post(
            delivery.url, data=delivery.body, headers=sent, allow_redirects=False
        ) as response:
            text = await _read_beginning(response)
            return _Answer(response.status, text, response.headers.get("Retry-After", ""))

    def _headers(self, delivery: ClaimedDelivery, moment: datetime) -> dict[str, str]:
        owner = secret_owner(delivery.account_id)
        secrets = [self._vault.open_sealed(secret, owner) for secret in delivery.secrets]
        if delivery.task:
            return headers_of(secrets[0], delivery.task)
        return headers(
            delivery.body,
            event=delivery.event,
            event_id=delivery.event_id,
            delivery_id=delivery.public_id,
            secrets_in_force=secrets,
            timestamp=int(moment.timestamp()),
        )


async def _read_beginning(response: aiohttp.ClientResponse) -> str:
    """Return the first KiB of the body. A body that breaks off does not fail the attempt."""
    content = bytearray()
    try:
        while len(content) < _ANSWER_BYTES and (part := await response.content.read(_ANSWER_BYTES - len(content))):
            content += part
    except (TimeoutError, OSError, aiohttp.ClientError):
        response.close()
    return content.decode("utf-8", "replace")


def _refusal(status: int) -> str | None:
    """Return why the status is a failure, or None for success."""
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return f"The receiver responded with {status}. Redirects are not followed: change the endpoint's url."
    return f"The receiver responded with {status}."


def _describe_failure(failure: Exception) -> str:
    """Return why there is no response, as a message for the customer."""
    cause: BaseException | None = failure.os_error if isinstance(failure, aiohttp.ClientConnectorError) else failure
    if isinstance(failure, TimeoutError):
        return f"No response within {PATIENCE_S:g} seconds."
    if isinstance(cause, AddressRefused):
        return f"The address was refused: {cause}."
    if isinstance(failure, aiohttp.ClientConnectorDNSError):
        return f"The name {failure.host} could not be resolved."
    if isinstance(failure, aiohttp.ClientSSLError):
        return f"The secure connection failed: {failure.os_error}."
    if isinstance(failure, aiohttp.ClientConnectorError):
        strerror = connection_failure(failure.os_error)
        return f"The connection failed: {strerror}."
    if isinstance(failure, (aiohttp.ServerDisconnectedError, ConnectionError)):
        return "The receiver closed the connection without a response."
    return f"The response is invalid ({type(failure).__name__})."
