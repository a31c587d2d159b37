"""`client.files`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import _by_hand, types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class Files(_by_hand.Files):
    """`client.files`."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)

    def retrieve(self, id: str, /) -> types.File:
        """Get one file's record.

        Needs the scope `tools:read`.
        """
        return self._transport.record(Call("GET", path_of("/files/{}", id)), types.File)

    def delete(self, id: str, /) -> types.FileDeleted:
        """Delete a file.

        Needs the scope `tools:execute`.
        """
        return self._transport.record(Call("DELETE", path_of("/files/{}", id)), types.FileDeleted)

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.File]:
        """List your files, newest first.

        Needs the scope `tools:read`.
        """
        return self._transport.listing(Call("GET", "/files", query={**query}), types.File)


class AsyncFiles(_by_hand.AsyncFiles):
    """`client.files`."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__(transport)

    async def retrieve(self, id: str, /) -> types.File:
        """Get one file's record.

        Needs the scope `tools:read`.
        """
        return await self._transport.record(Call("GET", path_of("/files/{}", id)), types.File)

    async def delete(self, id: str, /) -> types.FileDeleted:
        """Delete a file.

        Needs the scope `tools:execute`.
        """
        return await self._transport.record(Call("DELETE", path_of("/files/{}", id)), types.FileDeleted)

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.File]:
        """List your files, newest first.

        Needs the scope `tools:read`.
        """
        return self._transport.listing(Call("GET", "/files", query={**query}), types.File)
