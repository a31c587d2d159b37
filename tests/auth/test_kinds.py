"""Kinds of credentials: the registry accepts new ones, and some operations accept only certain kinds."""

from dataclasses import dataclass

import pytest

from retinue.app import operations
from retinue.auth.caller import Caller
from retinue.auth.credentials import Credentials
from retinue.core.errors import AuthRequired, InsufficientScope
from retinue.core.http.operations import Operation
from tests.auth.conftest import Site

EMAIL = "ada@example.com"
OF_SESSIONS = ("/account/password", "/account/totp")
OF_ACCOUNTS = {"update_account", "delete_account", "export_account", "get_account_export"}
OF_USERS = ("/audit", "/requests", "/keys", "/publishable-keys", "/sessions", "/oauth/", *OF_SESSIONS)
TOKEN = "aat_" + "x" * 43


@dataclass(frozen=True)
class AppTokens:
    """A kind with a single token of an app."""

    caller: Caller
    prefix: str = "aat"

    async def find(self, token: str) -> Caller | None:
        """See `TokenKind`."""
        return self.caller if token == TOKEN else None


async def test_a_further_kind_is_registered_beside_the_others(site: Site) -> None:
    user = await site.users.create(EMAIL)
    app = Caller(
        user.id, 1, False, "app:1:user:1", "enterprise", site.plans["enterprise"], frozenset("*"), kind="oauth"
    )
    with pytest.raises(AuthRequired):
        await Credentials(site.keys, [site.sessions]).authenticate(TOKEN)
    credentials = Credentials(site.keys, [site.sessions, AppTokens(app)])
    assert await credentials.authenticate(TOKEN) == app
    for wrong in (TOKEN[:-1], TOKEN.replace("aat", "sess"), TOKEN.replace("_", "")):
        with pytest.raises(AuthRequired):
            await credentials.authenticate(wrong)


@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.name)
def test_oauth_tokens_and_keys_cannot_take_a_user_over(operation: Operation) -> None:
    path, kinds = operation.path, operation.credentials
    assert bool(kinds) == (path.startswith(OF_USERS) or operation.name in OF_ACCOUNTS)
    assert "oauth" not in kinds
    if path.startswith(OF_SESSIONS):
        assert kinds == {"session"}


def test_another_kind_is_refused(site: Site) -> None:
    caller = Caller(1, 1, False, "key:1", "free", site.plans["free"], frozenset({"*"}), kind="key")
    caller.require_kind(frozenset())
    caller.require_kind(frozenset({"key", "session"}))
    with pytest.raises(InsufficientScope, match="session token"):
        caller.require_kind(frozenset({"session"}))
