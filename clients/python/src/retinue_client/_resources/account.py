"""`client.account`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call
from retinue_client._transport import AsyncTransport, Transport


class Account:
    """`client.account`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self) -> types.Account:
        """Get your own user.

        Needs the scope `*`.
        """
        return self._transport.record(Call("GET", "/account"), types.Account)

    def update(self, **body: Unpack[types.AccountUpdate]) -> types.Account:
        """Change your name.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("PUT", "/account", body={**body}), types.Account)


class AsyncAccount:
    """`client.account`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def retrieve(self) -> types.Account:
        """Get your own user.

        Needs the scope `*`.
        """
        return await self._transport.record(Call("GET", "/account"), types.Account)

    async def update(self, **body: Unpack[types.AccountUpdate]) -> types.Account:
        """Change your name.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("PUT", "/account", body={**body}), types.Account)
