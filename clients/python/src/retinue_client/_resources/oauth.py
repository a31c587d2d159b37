"""`client.oauth`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class OauthApps:
    """`client.oauth.apps`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, **body: Unpack[types.AppCreate]) -> types.AppSecret:
        """Make an app. Its secret is in this answer alone.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("POST", "/oauth/apps", body={**body}), types.AppSecret)

    def retrieve(self, id: int, /) -> types.App:
        """Get one app.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("GET", path_of("/oauth/apps/{}", id)), types.App)

    def update(self, id: int, /, **body: Unpack[types.AppUpdate]) -> types.App:
        """Change an app. Tokens that were issued keep their scopes.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("PUT", path_of("/oauth/apps/{}", id), body={**body}), types.App)

    def delete(self, id: int, /) -> types.AppDeleted:
        """Delete an app. All its tokens stop working everywhere within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("DELETE", path_of("/oauth/apps/{}", id)), types.AppDeleted)

    def rotate(self, id: int, /) -> types.AppSecret:
        """Replace the secret of an app. The new one is in this answer alone, and the old one stops working at
        once.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("POST", path_of("/oauth/apps/{}/rotate", id)), types.AppSecret)

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.App]:
        """List your apps, newest first.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.listing(Call("GET", "/oauth/apps", query={**query}), types.App)


class AsyncOauthApps:
    """`client.oauth.apps`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, **body: Unpack[types.AppCreate]) -> types.AppSecret:
        """Make an app. Its secret is in this answer alone.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("POST", "/oauth/apps", body={**body}), types.AppSecret)

    async def retrieve(self, id: int, /) -> types.App:
        """Get one app.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("GET", path_of("/oauth/apps/{}", id)), types.App)

    async def update(self, id: int, /, **body: Unpack[types.AppUpdate]) -> types.App:
        """Change an app. Tokens that were issued keep their scopes.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("PUT", path_of("/oauth/apps/{}", id), body={**body}), types.App)

    async def delete(self, id: int, /) -> types.AppDeleted:
        """Delete an app. All its tokens stop working everywhere within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("DELETE", path_of("/oauth/apps/{}", id)), types.AppDeleted)

    async def rotate(self, id: int, /) -> types.AppSecret:
        """Replace the secret of an app. The new one is in this answer alone, and the old one stops working at
        once.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("POST", path_of("/oauth/apps/{}/rotate", id)), types.AppSecret)

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.App]:
        """List your apps, newest first.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.listing(Call("GET", "/oauth/apps", query={**query}), types.App)


class OauthGrants:
    """`client.oauth.grants`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self, id: int, /) -> types.Grant:
        """Get one grant.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("GET", path_of("/oauth/grants/{}", id)), types.Grant)

    def delete(self, id: int, /) -> types.GrantDeleted:
        """Revoke a grant. The app's tokens for you stop working everywhere within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("DELETE", path_of("/oauth/grants/{}", id)), types.GrantDeleted)

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Grant]:
        """List what you have granted to apps, newest first.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.listing(Call("GET", "/oauth/grants", query={**query}), types.Grant)


class AsyncOauthGrants:
    """`client.oauth.grants`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def retrieve(self, id: int, /) -> types.Grant:
        """Get one grant.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("GET", path_of("/oauth/grants/{}", id)), types.Grant)

    async def delete(self, id: int, /) -> types.GrantDeleted:
        """Revoke a grant. The app's tokens for you stop working everywhere within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("DELETE", path_of("/oauth/grants/{}", id)), types.GrantDeleted)

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Grant]:
        """List what you have granted to apps, newest first.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.listing(Call("GET", "/oauth/grants", query={**query}), types.Grant)


class Oauth:
    """`client.oauth`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.apps = OauthApps(transport)
        self.grants = OauthGrants(transport)


class AsyncOauth:
    """`client.oauth`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.apps = AsyncOauthApps(transport)
        self.grants = AsyncOauthGrants(transport)
