"""Sends calls, in a blocking and an asynchronous version with the same steps."""

import asyncio
import math
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import httpx

from retinue_client._calls import Call
from retinue_client._listings import AsyncListing, Listing, Page
from retinue_client._options import Options, failure, payload
from retinue_client._records import Record, build
from retinue_client._retries import Attempts, Patience
from retinue_client._streams import AsyncStream, Stream

R = TypeVar("R", bound=Record)


class Transport:
    """Sends calls and waits for the responses."""

    def __init__(self, options: Options, client: httpx.Client) -> None:
        self.options = options
        self.client = client

    def record(self, call: Call, kind: type[R], patience: Patience | None = None) -> R:
        """Send the call and return the record of the response."""
        made: R = build(kind, payload(self.send(call, patience=patience))["data"])
        return made

    def by_status(self, call: Call, kinds: Mapping[int, type[Record]]) -> Any:
        """Send the call and return the record of the response, whose type depends on the status."""
        response = self.send(call)
        return build(kinds.get(response.status_code, Record), payload(response)["data"])

    def listing(self, call: Call, kind: type[R]) -> Listing[R]:
        """Return a list whose pages are fetched on demand."""
        return Listing(lambda page: Page.of(payload(self.send(page)), kind), call)

    def stream(self, call: Call, hint: object, patience: Patience | None = None) -> Stream[Any]:
        """Open a stream of chunks. With `patience`, it resumes where it broke."""
        return Stream(
            lambda last: self.send(replace(call, last_event_id=last or call.last_event_id), True, patience),
            hint, patience,
        )  # fmt: skip

    def watch(self, call: Call, hint: object, timeout: float | None) -> Stream[Any]:
        """Open a stream that resumes where it broke, for up to `timeout` seconds."""
        return self.stream(call, hint, Patience(timeout, may_retry=self.options.max_retries > 0))

    def content(self, call: Call) -> bytes:
        """Return the bytes of a response that is not JSON."""
        return self.send(call).content

    def save(self, call: Call, path: Path) -> None:
        """Write the bytes of a response to a file."""
        response = self.send(call, stream=True)
        try:
            with path.open("wb") as file:
                for data in response.iter_bytes():
                    file.write(data)
        except httpx.TransportError as error:
            raise failure(error, str(response.url)) from error
        finally:
            response.close()

    def send(self, call: Call, stream: bool = False, patience: Patience | None = None) -> httpx.Response:
        """Send a call, with retries if allowed, and return the successful response."""
        attempts = Attempts(call, self.options, patience)
        request = self.options.request(call, stream)
        while True:
            request["timeout"] = self.options.timeouts(stream, patience.left if patience else math.inf)
            content = iter(call.content) if call.content else None
            try:
                response = self.client.send(self.client.build_request(**request, content=content), stream=stream)
                if response.is_success:
                    return response
                response.read()
            except httpx.TransportError as error:
                delay = attempts.delay_after_failure(error)
            else:
                delay = attempts.delay_after_answer(response)
            time.sleep(delay)


class AsyncTransport:
    """An asynchronous `Transport`."""

    def __init__(self, options: Options, client: httpx.AsyncClient) -> None:
        self.options = options
        self.client = client

    async def record(self, call: Call, kind: type[R], patience: Patience | None = None) -> R:
        """Send the call and return the record of the response."""
        made: R = build(kind, payload(await self.send(call, patience=patience))["data"])
        return made

    async def by_status(self, call: Call, kinds: Mapping[int, type[Record]]) -> Any:
        """Send the call and return the record of the response, whose type depends on the status."""
        response = await self.send(call)
        return build(kinds.get(response.status_code, Record), payload(response)["data"])

    def listing(self, call: Call, kind: type[R]) -> AsyncListing[R]:
        """Return a list whose pages are fetched on demand."""

        async def fetch(page: Call) -> Page[R]:
            return Page.of(payload(await self.send(page)), kind)

        return AsyncListing(fetch, call)

    async def stream(self, call: Call, hint: object, patience: Patience | None = None) -> AsyncStream[Any]:
        """Open a stream of chunks. With `patience`, it resumes where it broke."""

        async def send(last: str | None) -> httpx.Response:
            return await self.send(replace(call, last_event_id=last or call.last_event_id), True, patience)

        return AsyncStream(send, await send(None), hint, patience)

    async def watch(self, call: Call, hint: object, timeout: float | None) -> AsyncStream[Any]:
        """Open a stream that resumes where it broke, for up to `timeout` seconds."""
        return await self.stream(call, hint, Patience(timeout, may_retry=self.options.max_retries > 0))

    async def content(self, call: Call) -> bytes:
        """Return the bytes of a response that is not JSON."""
        return (await self.send(call)).content

    async def save(self, call: Call, path: Path) -> None:
        """Write the bytes of a response to a file."""
        response = await self.send(call, stream=True)
        try:
            with path.open("wb") as file:
                async for data in response.aiter_bytes():
                    file.write(data)
        except httpx.TransportError as error:
            raise failure(error, str(response.url)) from error
        finally:
            await response.aclose()

    async def send(self, call: Call, stream: bool = False, patience: Patience | None = None) -> httpx.Response:
        """Send a call, with retries if allowed, and return the successful response."""
        attempts = Attempts(call, self.options, patience)
        request = self.options.request(call, stream)
        while True:
            request["timeout"] = self.options.timeouts(stream, patience.left if patience else math.inf)
            content = aiter(call.content) if call.content else None
            try:
                response = await self.client.send(self.client.build_request(**request, content=content), stream=stream)
                if response.is_success:
                    return response
                await response.aread()
            except httpx.TransportError as error:
                delay = attempts.delay_after_failure(error)
            else:
                delay = attempts.delay_after_answer(response)
            await asyncio.sleep(delay)
