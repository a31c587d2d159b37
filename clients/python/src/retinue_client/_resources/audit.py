"""`client.audit`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class Audit:
    """`client.audit`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Unpack[types.ListAuditEntriesParams]) -> Listing[types.AuditEntry]:
        """List changes of your account and attempts to sign in, newest first. A test key sees those by test keys
        alone.

        As CSV the answer has every entry and no pages. A text that a spreadsheet would take for a formula
        begins with an apostrophe there.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.listing(Call("GET", "/audit", query={**query}), types.AuditEntry)


class AsyncAudit:
    """`client.audit`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, **query: Unpack[types.ListAuditEntriesParams]) -> AsyncListing[types.AuditEntry]:
        """List changes of your account and attempts to sign in, newest first. A test key sees those by test keys
        alone.

        As CSV the answer has every entry and no pages. A text that a spreadsheet would take for a formula
        begins with an apostrophe there.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.listing(Call("GET", "/audit", query={**query}), types.AuditEntry)
