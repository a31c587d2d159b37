"""What the clients of all protocols share: requests, time-outs, proxies, errors and refused parameters."""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson
import structlog
from multidict import CIMultiDict
from yarl import URL

from retinue.core.errors import RetinueError
from retinue.models.base import Delta, ModelRequest, ProviderFailed
from retinue.models.providers.catalogue import ModelListing
from retinue.models.providers.draft import RequestDraft
from retinue.models.providers.endpoint import LISTED_ORIGIN, Endpoint, ModelLimits, Timeouts
from retinue.models.providers.errors import ErrorMessages, RefusedResponse, ReportedError
from retinue.models.providers.reasoning_tags import UnmarkedReasoning
from retinue.models.providers.reply import Reply
from retinue.models.streams import MAX_BODY, EventParser, MalformedStream, read_json

log = structlog.get_logger()

_ERROR_BYTES = 64 * 1024
_PAGES = ("text/html", "application/xhtml+xml")
"""Media types of pages, which a server sends instead of a stream if `base_url` is that of a website."""

_MAX_LEARNED = 12
"""Most optional parameters that one request tries without."""

_BEGINS_IN_REASONING = r"qwen.*thinking|\br1\b|qwq"
"""Names of models whose chat template writes the opening tag of their reasoning, so that it is missing in replies."""

_DRAIN_S = 0.5
"""Seconds to wait for the end of the response after the end of the reply, so that the connection can be used again."""


class ProviderClient(ABC):
    """The model `wire_name` of the provider `origin`.

    The caller owns the session. The client follows no redirects, so that the key reaches no other host.
    """

    def __init__(
        self, origin: str, wire_name: str, endpoint: Endpoint, session: aiohttp.ClientSession, limits: ModelLimits
    ) -> None:
        self.name = f"{origin}/{wire_name}"
        self.context_tokens = limits.context_tokens
        self.uses_resources = False
        self.max_output_tokens = limits.max_output_tokens
        self.input = limits.input
        self.origin, self.wire_name, self.limits = origin, wire_name, limits
        self.errors = ErrorMessages(origin, wire_name, endpoint)
        self._address = _Address(endpoint, self.path, self.authorize(endpoint.key))
        self._session = session
        self._timeout = _timeout(limits.timeouts)
        self._refused: frozenset[str] = frozenset()
        self.begins_in_reasoning = re.search(_BEGINS_IN_REASONING, wire_name.lower()) is not None
        """True if the model's replies begin inside a block of reasoning whose opening tag is missing."""

    @property
    @abstractmethod
    def path(self) -> str:
        """Where requests go, below `Endpoint.base_url`."""

    @staticmethod
    @abstractmethod
    def authorize(key: str) -> dict[str, str]:
        """Return the headers that carry `key`."""

    @abstractmethod
    def draft(self, request: ModelRequest, refused: frozenset[str]) -> RequestDraft:
        """Build the body of a streamed request without the features that the provider refused."""

    @abstractmethod
    def start_reply(self, request: ModelRequest) -> Reply:
        """Return a reader for one reply."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply. See `Model`."""
        reply, events = self.start_reply(request), EventParser()
        with self.translated_errors():
            response = await self.post(lambda refused: self.draft(request, refused))
            if response.content_type in _PAGES:
                response.close()
                raise self.errors.for_other_media_type(response.content_type)
            try:
                async for chunk in response.content.iter_any():
                    for event in events.feed(chunk):
                        for delta in reply.read(event):
                            yield delta
                    if reply.ended:
                        await _drain(response)
                        break
                for event in () if reply.ended else events.end():
                    for delta in reply.read(event):
                        yield delta
            finally:
                response.close()
            if not reply.finished:
                raise self.errors.for_unfinished_reply()
            for delta in reply.finish():
                yield delta

    async def post(self, draft: Callable[[frozenset[str]], RequestDraft]) -> aiohttp.ClientResponse:
        """Send a request. If the provider refuses optional parameters, remember that and send it without them."""
        refused = self._refused
        for _ in range(_MAX_LEARNED):
            drafted = draft(refused)
            response = await self._session.post(
                self._address.url,
                data=orjson.dumps(drafted.body),
                headers=self._address.headers,
                timeout=self._timeout,
                allow_redirects=False,
                proxy=self._address.proxy,
            )
            if response.status == 200:
                # What did not help is not learned: the provider may have named a parameter for another reason.
                self._refused |= refused
                return response
            refusal = await read_refusal(response, self.errors)
            feature = drafted.blame(refusal)
            if feature is None:
                break
            refused |= {feature}
        log.warning("model refused", model=self.name, status=refusal.status, reason=refusal.message)
        raise self.errors.for_refusal(refusal)

    @contextmanager
    def translated_errors(self) -> Iterator[None]:
        """Raise `Unavailable` for every network or protocol error of the provider."""
        try:
            yield
        except MalformedStream as error:
            log.warning("model garbled", model=self.name, reason=self.errors.redact(str(error)))
            raise self.errors.for_garbled_data() from error
        except UnmarkedReasoning as error:
            self.begins_in_reasoning = True
            raise ProviderFailed(
                "The model wrote its reasoning into the reply without marking where it begins. Try again: from now on "
                "the server keeps it apart.",
                may_retry=True,
            ) from error
        except ReportedError as error:
            raised = self.errors.for_report(error.error)
            log.warning("model failed", model=self.name, reason=self.errors.redact(str(error.error)))
            raise raised from error
        except (aiohttp.ClientError, OSError) as error:
            raise _network_error(error, self.errors) from error


async def fetch_list(
    endpoint: Endpoint,
    session: aiohttp.ClientSession,
    path: str,
    authorization: Mapping[str, str],
    read: Callable[[object], list[ModelListing]],
) -> list[ModelListing]:
    """Ask a provider for its models, and read the answer with `read`. Raises `Unavailable`."""
    errors = ErrorMessages(LISTED_ORIGIN, "it", endpoint)
    address = _Address(endpoint, path, authorization)
    try:
        async with session.get(
            address.url,
            headers=address.headers,
            timeout=_timeout(Timeouts(first_byte=20.0, total=30.0)),
            allow_redirects=False,
            proxy=address.proxy,
        ) as response:
            if response.status != 200:
                raise errors.for_refusal(await read_refusal(response, errors))
            return read(read_json(await read_at_most(response, MAX_BODY)))
    except MalformedStream as error:
        raise errors.for_garbled_data() from error
    except (aiohttp.ClientError, OSError) as error:
        raise _network_error(error, errors) from error


async def fetch_json(
    endpoint: Endpoint,
    session: aiohttp.ClientSession,
    path: str,
    authorization: Mapping[str, str],
    body: object,
    errors: ErrorMessages,
) -> Any:
    """Post a request that is answered at once, and return the answer. Raises `ProviderFailed` or `Unavailable`."""
    address = _Address(endpoint, path, authorization)
    try:
        async with session.post(
            address.url,
            data=orjson.dumps(body),
            headers=address.headers,
            timeout=_timeout(Timeouts(first_byte=60.0, total=120.0)),
            allow_redirects=False,
            proxy=address.proxy,
        ) as response:
            if response.status != 200:
                raise errors.for_refusal(await read_refusal(response, errors))
            return read_json(await read_at_most(response, MAX_BODY))
    except MalformedStream as error:
        raise errors.for_garbled_data() from error
    except (aiohttp.ClientError, OSError) as error:
        raise _network_error(error, errors) from error


async def read_refusal(response: aiohttp.ClientResponse, errors: ErrorMessages) -> RefusedResponse:
    """Read an error response and close it."""
    try:
        body = await read_at_most(response, _ERROR_BYTES)
    finally:
        response.close()
    return errors.read(response.status, body, response.headers)


class _Address:
    """Where requests go: URL, headers and proxy, built once."""

    def __init__(self, endpoint: Endpoint, path: str, authorization: Mapping[str, str]) -> None:
        try:
            self.url = URL(endpoint.base_url.rstrip("/") + path).update_query(dict(endpoint.query))
        except ValueError:
            self.url = URL()
        self.headers = CIMultiDict({"Content-Type": "application/json"})
        self.headers.update(authorization)
        self.headers.update(endpoint.headers)
        # Look the proxy up once: aiohttp with `trust_env` reads the environment and ~/.netrc before every request.
        self.proxy = None if endpoint.direct else _proxy_for(endpoint.base_url)


def _timeout(timeouts: Timeouts) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=timeouts.total, sock_connect=timeouts.connect, sock_read=timeouts.first_byte)


def _network_error(error: Exception, errors: ErrorMessages) -> RetinueError:
    match error:
        case TimeoutError():
            return errors.late()
        case aiohttp.InvalidURL():
            return errors.invalid_url()
        case aiohttp.ClientConnectorError() | aiohttp.ServerDisconnectedError():
            return errors.unreachable()
        case _:
            return errors.for_broken_connection()


async def read_at_most(response: aiohttp.ClientResponse, most: int) -> bytes:
    """Return the first `most` bytes of a body."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) >= most:
            break
    return bytes(body[:most])


async def _drain(response: aiohttp.ClientResponse) -> None:
    """Read to the end of a response whose reply is complete; give up on servers that keep it open."""
    if response.content.at_eof():
        return
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(_DRAIN_S):
            await read_at_most(response, _ERROR_BYTES)


def _proxy_for(url: str) -> str | None:
    """Return the proxy that the environment sets for `url` (`http_proxy`, `https_proxy`, `no_proxy`), if any."""
    parts = urlsplit(url)
    return None if proxy_bypass(parts.netloc) else getproxies().get(parts.scheme)
