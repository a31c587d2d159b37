"""The client classes."""

from types import TracebackType
from typing import Self

import httpx

from retinue_client._options import DEFAULT_RETRIES, DEFAULT_TIMEOUT_S, Options
from retinue_client._resources import AsyncResources, Resources
from retinue_client._transport import AsyncTransport, Transport

_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20)


class Retinue(Resources):
    """A client. Its resources are attributes: `client.agents.create(…)`. It is thread-safe.

    `api_key` and `base_url` default to the environment variables RETINUE_API_KEY and RETINUE_URL. `timeout` is in
    seconds. `max_retries` is the number of attempts after the first one. Pass an `httpx.Client` as `http_client` to
    use your own proxies and certificates; the caller closes it.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = DEFAULT_TIMEOUT_S,
        max_retries: int = DEFAULT_RETRIES,
        http_client: httpx.Client | None = None,
    ) -> None:
        options = Options.resolve(api_key, base_url, timeout, max_retries)
        self._own = http_client is None
        self._transport = Transport(options, http_client or httpx.Client(limits=_LIMITS))
        super().__init__(self._transport)

    @property
    def base_url(self) -> str:
        """The URL of the server."""
        return self._transport.options.url

    def with_options(self, *, timeout: float | None = None, max_retries: int | None = None) -> Self:
        """Return a client with the same connections and another timeout or number of retries."""
        old = self._transport.options
        return type(self)(
            api_key=old.api_key,
            base_url=old.url,
            timeout=old.timeout if timeout is None else timeout,
            max_retries=old.max_retries if max_retries is None else max_retries,
            http_client=self._transport.client,
        )

    def close(self) -> None:
        """Close the connections, unless they belong to a client that was passed in."""
        if self._own:
            self._transport.client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Retinue(base_url={self.base_url!r})"


class AsyncRetinue(AsyncResources):
    """An asynchronous client. Methods are awaited; lists and streams are iterated with `async for`."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = DEFAULT_TIMEOUT_S,
        max_retries: int = DEFAULT_RETRIES,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        options = Options.resolve(api_key, base_url, timeout, max_retries)
        self._own = http_client is None
        self._transport = AsyncTransport(options, http_client or httpx.AsyncClient(limits=_LIMITS))
        super().__init__(self._transport)

    @property
    def base_url(self) -> str:
        """The URL of the server."""
        return self._transport.options.url

    def with_options(self, *, timeout: float | None = None, max_retries: int | None = None) -> Self:
        """Return a client with the same connections and another timeout or number of retries."""
        old = self._transport.options
        return type(self)(
            api_key=old.api_key,
            base_url=old.url,
            timeout=old.timeout if timeout is None else timeout,
            max_retries=old.max_retries if max_retries is None else max_retries,
            http_client=self._transport.client,
        )

    async def close(self) -> None:
        """Close the connections, unless they belong to a client that was passed in."""
        if self._own:
            await self._transport.client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncRetinue(base_url={self.base_url!r})"
