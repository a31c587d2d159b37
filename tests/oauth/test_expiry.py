"""What is removed: grants without access, and clients that registered themselves and that nobody uses."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
import sqlalchemy as sa

from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Statement
from retinue.oauth import registration, service
from retinue.oauth.authorization import add_grant
from retinue.oauth.errors import OAuthError
from retinue.oauth.expiry import remove_grants
from retinue.oauth.limits import PER_MINUTE_OF_USER, RequestLimit
from retinue.oauth.registration import MOST_PER_ADDRESS, UNUSED_LIFE, Registration, remove_unused
from retinue.oauth.service import NewApp, add_app
from retinue.oauth.tables import apps, grants

NOW = datetime(2026, 11, 28, 8, tzinfo=UTC)
_GRANTS = Statement(sa.select(grants.c.id).order_by(grants.c.id))
_APPS = Statement(sa.select(apps.c.client_id, apps.c.registered_from).order_by(apps.c.id))
_REVOKE = Statement(
    sa.update(grants)
    .where(grants.c.id == sa.bindparam("grant"))
    .values(revoked_at=sa.bindparam("moment", type_=grants.c.revoked_at.type))
)
BODY = orjson.dumps({"redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none"})


async def test_dead_grants_go_and_then_the_clients_that_registered_themselves(database: Database) -> None:
    user = await Users(database, Plans.load()).create("a@example.com")

    async def fill(tx: Tx) -> list[int]:
        client = NewApp("Desktop", ["http://127.0.0.1/"], ["usage:read"], None, "192.0.2.1")
        own = NewApp("Dashboard", [], ["usage:read"], "acs_secret")
        desktop, dashboard = await add_app(tx, None, client), await add_app(tx, user.id, own)
        revoked, unused = [await add_grant(tx, desktop, user.id, "code", ["usage:read"]) for _ in range(2)]
        await tx.run(_REVOKE, grant=revoked, moment=datetime.now(UTC))
        return [revoked, unused, await add_grant(tx, dashboard, user.id, "client", ["usage:read"])]

    _, _, of_secret = await database.transact(fill)
    past, future = (datetime.now(UTC) + timedelta(days=days) for days in (-1, 1))
    await database.transact(lambda tx: remove_grants(tx, past, None))
    assert len(await database.fetch(_GRANTS)) == 3
    assert await database.transact(lambda tx: remove_grants(tx, future, None)) is None
    assert [row.id for row in await database.fetch(_GRANTS)] == [of_secret]
    await database.transact(lambda tx: remove_unused(tx, future, None))
    assert [row.registered_from for row in await database.fetch(_APPS)] == [None]


async def test_a_full_table_loses_the_oldest_of_the_busiest_address(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registration, "MOST_UNUSED", 4)
    register = Registration(database, True).register
    made: list[Any] = [await register(BODY, address) for address in ("quiet", "busy", "busy", "busy", "new")]
    held = [(row.client_id, row.registered_from) for row in await database.fetch(_APPS)]
    assert held == [
        (made[0]["client_id"], "quiet"), (made[2]["client_id"], "busy"), (made[3]["client_id"], "busy"),
        (made[4]["client_id"], "new"),
    ]  # fmt: skip


async def test_unused_clients_expire_within_the_hour(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = NOW
    for module in (registration, service):
        monkeypatch.setattr(module, "now", lambda: moment)
    for _ in range(10):
        await Registration(database, True).register(BODY, "192.0.2.1")
    moment += UNUSED_LIFE + timedelta(seconds=1)
    await Registration(database, True).register(BODY, "192.0.2.1")
    assert len(await database.fetch(_APPS)) == 1


async def test_the_networks_of_a_site_register_together(database: Database) -> None:
    register = Registration(database, True).register
    for number in range(MOST_PER_ADDRESS):
        await register(BODY, f"2001:db8:0:{number:x}::/64")
    with pytest.raises(OAuthError, match="has registered"):
        await register(BODY, "2001:db8:0:ffff::/64")
    await register(BODY, "2001:db8:1::/64")


async def test_the_apps_of_a_user_request_tokens_together() -> None:
    counts = Counter[str]()

    async def hit(who: str, most: int) -> SimpleNamespace:
        counts[who] += 1
        return SimpleNamespace(allowed=counts[who] <= most, retry_after=1)

    limit = RequestLimit(hit, refuse=True)
    for app in range(PER_MINUTE_OF_USER):
        await limit.count_tokens(app, 7, "192.0.2.1")
    with pytest.raises(OAuthError, match="all apps"):
        await limit.count_tokens(PER_MINUTE_OF_USER, 7, "192.0.2.1")
    await limit.count_tokens(1, 8, "192.0.2.1")
