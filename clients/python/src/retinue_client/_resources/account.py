"""`client.account`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._transport import AsyncTransport, Transport


class AccountExport:
    """`client.account.export`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, *, idempotency_key: str | None = None) -> types.Export:
        """Export everything of your account to a zip archive among your files, in the background.

        A test key exports the sandbox. While an export is under way you get that one; otherwise a new one takes
        the place of the last, whose file is deleted. The archive counts as storage.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(
            Call("POST", "/account/export", takes_key=True, key=idempotency_key), types.Export
        )

    def retrieve(self, id: int, /) -> types.Export:
        """Get an export: how far it is, and the id of its file.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("GET", path_of("/account/export/{}", id)), types.Export)


class AsyncAccountExport:
    """`client.account.export`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, *, idempotency_key: str | None = None) -> types.Export:
        """Export everything of your account to a zip archive among your files, in the background.

        A test key exports the sandbox. While an export is under way you get that one; otherwise a new one takes
        the place of the last, whose file is deleted. The archive counts as storage.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(
            Call("POST", "/account/export", takes_key=True, key=idempotency_key), types.Export
        )

    async def retrieve(self, id: int, /) -> types.Export:
        """Get an export: how far it is, and the id of its file.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("GET", path_of("/account/export/{}", id)), types.Export)


class Account:
    """`client.account`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.export = AccountExport(transport)

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
        self.export = AsyncAccountExport(transport)

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
