"""A thin streaming client for OpenAI-compatible chat completions."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson
import structlog

from retinue.core.errors import Unavailable
from retinue.models.base import Delta, Message, ModelRequest, Text, Usage, estimate_tokens
from retinue.models.providers.endpoint import Endpoint, Limits
from retinue.models.providers.errors import Refusal, read_refusal
from retinue.models.providers.wire import (
    EventLines,
    Garbled,
    ReplyAssembler,
    ReportedError,
    read_usage,
    request_body,
    wire_message,
)

log = structlog.get_logger()

_RENAMES = {"max_tokens": "max_completion_tokens"}
_OPTIONAL = ("max_tokens", "temperature", "stream_options")
_ERROR_BYTES = 64 * 1024


class OpenAIModel:
    """The model `wire_name` of the provider `origin`.

    The caller owns the session. The client follows no redirects, so that the key reaches no other host.
    """

    def __init__(
        self, origin: str, wire_name: str, endpoint: Endpoint, session: aiohttp.ClientSession, limits: Limits
    ) -> None:
        self.name = f"{origin}/{wire_name}"
        self.context_tokens = limits.context_tokens
        self.uses_resources = False
        self.max_output_tokens = limits.max_output_tokens
        self.input = limits.input
        self._wire_name = wire_name
        self._url = endpoint.base_url.rstrip("/") + "/chat/completions"
        self._query = dict(endpoint.query)
        self._key = endpoint.key
        authorization = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        self._headers = {"Content-Type": "application/json"} | authorization | dict(endpoint.headers)
        self._session = session
        # Look the proxy up once: aiohttp with `trust_env` reads the environment and ~/.netrc before every request.
        self._proxy = _proxy_for(endpoint.base_url)
        timeouts = limits.timeouts
        self._timeout = aiohttp.ClientTimeout(
            total=timeouts.total, sock_connect=timeouts.connect, sock_read=timeouts.first_byte
        )
        self._unsupported: set[str] = set()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate one reply. See `Model`."""
        written = 0
        reply, lines = ReplyAssembler(), EventLines()
        with self._provider_errors():
            response = await self._post(request_body(request, self._wire_name))
            try:
                async for chunk in response.content.iter_any():
                    for payload in lines.feed(chunk):
                        if text := reply.take(payload):
                            written += len(text)
                            yield Text(text)
                for payload in lines.end():
                    if text := reply.take(payload):
                        written += len(text)
                        yield Text(text)
            finally:
                response.close()
        if not reply.complete:
            raise Unavailable("The model provider closed the connection during its reply. Try again in a few seconds.")
        for call in reply.tool_calls():
            yield call
        yield reply.usage or Usage(sum(estimate_tokens(m.content) for m in request.messages), written // 4 + 1)

    async def generate(
        self, messages: Sequence[Message], schema: dict[str, Any], max_tokens: int
    ) -> tuple[dict[str, Any], Usage]:
        """Ask the model for a JSON object that matches `schema`. Returns {} if the model stopped before its end."""
        with self._provider_errors():
            response = await self._post(
                {
                    "model": self._wire_name,
                    "messages": [wire_message(message) for message in messages],
                    "temperature": 0,
                    "max_tokens": max_tokens,
                    "response_format": {"type": "json_schema", "json_schema": {"name": "choice", "schema": schema}},
                }
            )
            try:
                return _read_choice(await response.read())
            finally:
                response.close()

    async def _post(self, body: dict[str, Any]) -> aiohttp.ClientResponse:
        """Send `body`. If the provider rejects an optional parameter, remember that and send again without it."""
        for _ in range(len(_OPTIONAL) + 1):
            response = await self._session.post(
                self._url,
                data=orjson.dumps(self._drop_unsupported(body)),
                headers=self._headers,
                params=self._query,
                timeout=self._timeout,
                allow_redirects=False,
                proxy=self._proxy,
            )
            if response.status == 200:
                return response
            refusal = await self._refusal(response)
            if not self._learn(refusal):
                break
        log.warning("model refused", model=self.name, status=refusal.status, reason=refusal.message)
        raise refusal.error(self._wire_name)

    async def _refusal(self, response: aiohttp.ClientResponse) -> Refusal:
        try:
            body = await response.content.read(_ERROR_BYTES)
        finally:
            response.close()
        return read_refusal(response.status, body, response.headers.get("Retry-After"), self._key)

    def _drop_unsupported(self, body: dict[str, Any]) -> dict[str, Any]:
        if not self._unsupported:
            return body
        names = {name: _RENAMES.get(name) if name in self._unsupported else name for name in body}
        return {known: body[name] for name, known in names.items() if known}

    def _learn(self, refusal: Refusal) -> bool:
        """Mark the optional parameter that the refusal names as unsupported. Return False if it names no new one."""
        if refusal.status not in (400, 422) or refusal.overflow:
            return False
        for name in _OPTIONAL:
            if name not in self._unsupported and (refusal.parameter == name or name in refusal.message):
                self._unsupported.add(name)
                return True
        return False

    @contextmanager
    def _provider_errors(self) -> Iterator[None]:
        """Raise `Unavailable` for every network or protocol error of the provider."""
        try:
            yield
        except TimeoutError as error:
            raise Unavailable("The model provider did not respond in time. Try again in a minute.") from error
        except Garbled as error:
            log.warning("model garbled", model=self.name, reason=str(error).replace(self._key or "\0", "…"))
            raise Unavailable(
                "The model provider sent an invalid response. Try again in a minute. If it happens again, "
                "the operator should check RETINUE_MODEL_URL."
            ) from error
        except ReportedError as error:
            log.warning("model failed", model=self.name, reason=str(error)[:200].replace(self._key or "\0", "…"))
            raise Unavailable("The model provider failed during its reply. Try again in a few seconds.") from error
        except aiohttp.InvalidURL as error:
            raise Unavailable("RETINUE_MODEL_URL is not a URL. The operator should fix it.") from error
        except (aiohttp.ClientConnectorError, aiohttp.ServerDisconnectedError) as error:
            raise Unavailable(
                "The model provider cannot be reached. Try again in 10 seconds. If the problem persists, the "
                "operator should check RETINUE_MODEL_URL."
            ) from error
        except (aiohttp.ClientError, ConnectionError) as error:
            raise Unavailable("The connection to the model provider failed. Try again in a few seconds.") from error


def _read_choice(body: bytes) -> tuple[dict[str, Any], Usage]:
    try:
        answer = orjson.loads(body)
        content = answer["choices"][0]["message"]["content"] or ""
        usage = read_usage(answer.get("usage") or {})
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise Garbled(f"an answer that is not a completion: {body[:80]!r}") from error
    try:
        choice = orjson.loads(content)
    except orjson.JSONDecodeError:
        return {}, usage
    return (choice if isinstance(choice, dict) else {}), usage


def _proxy_for(url: str) -> str | None:
    """Return the proxy that the environment sets for `url` (`http_proxy`, `https_proxy`, `no_proxy`), if any."""
    parts = urlsplit(url)
    return None if proxy_bypass(parts.netloc) else getproxies().get(parts.scheme)
