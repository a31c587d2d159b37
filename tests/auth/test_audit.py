"""The audit log: each change has one entry, which only its user can see, and which nobody can change or delete."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.audit.schemas import AuditQuery
from retinue.auth.audit.service import AuditLog, remove_entries
from retinue.auth.caller import Caller
from retinue.core.errors import AuthRequired, NotFound
from tests.auth.conftest import CLIENT, Site
from tests.auth.signing_in import PASSWORD, give_password, post_sign_in, sign_in
from tests.conftest import User
from tests.support.client import Client, data, refuse

EMAIL = "ada@example.com"


def actions(client: Client, query: str = "") -> list[str]:
    """Return the actions in the log, newest first."""
    return [entry["action"] for entry in data(client.get(f"/audit{query}"))]


def latest(client: Client, action: str) -> Any:
    """Return the newest entry with this action."""
    return data(client.get(f"/audit?action={action}"))[0]


def test_an_entry_shows_the_actor_the_action_and_the_address(user: User) -> None:
    session = give_password(user.server, user.email)
    made = data(session.post("/keys", {"name": "dashboard"}, headers={"X-Request-ID": "req-audit-1"}), 201)
    entry = latest(session, "key.created")
    own = data(session.get("/sessions/current"))["id"]
    assert (entry["target_id"], entry["credential"]) == (made["id"], f"session:{own}")
    assert (entry["address"], entry["request_id"], entry["sandbox"]) == ("127.0.0.1", "req-audit-1", False)
    assert made["key"].rpartition("_")[2] not in str(data(session.get("/audit?per_page=100")))
    session.close()


def test_changes_of_credentials_are_logged(user: User) -> None:
    session = give_password(user.server, user.email)
    key = data(session.post("/keys", {}), 201)
    data(session.post(f"/keys/{key['id']}/rotate", {}), 201)
    data(session.delete(f"/keys/{key['id']}"))
    data(session.put("/account", {"name": "Ada"}))
    data(session.put("/account/password", {"current_password": PASSWORD, "new_password": "another good password"}))
    assert actions(session)[:6] == [
        "password.changed",
        "account.updated",
        "key.revoked",
        "key.rotated",
        "key.created",
        "sign_in.succeeded",
    ]
    session.close()


def test_actions_of_the_operator_are_logged(user: User) -> None:
    client = user.client()
    for command, fields in (("plan", {"plan": "starter"}), ("suspend", {}), ("restore", {})):
        user.server.ask(f"users.{command}", email=user.email, **fields)
    assert latest(client, "user.plan_changed")["detail"] == "The plan was enterprise and is now starter."
    assert actions(client, "?credential=operator")[:4] == [
        "user.restored",
        "user.suspended",
        "user.plan_changed",
        "key.created",
    ]


def test_failed_sign_ins_are_logged(user: User) -> None:
    give_password(user.server, user.email).close()
    refuse(post_sign_in(user.server, "/auth.php", {"email": user.email, "password": "wrong"}), 401)
    session = sign_in(user.server, user.email)
    assert actions(session)[:2] == ["sign_in.succeeded", "sign_in.failed"]
    session.close()


def test_webhooks_and_sources_are_logged(client: Client) -> None:
    hook = data(client.post("/webhooks", {"url": "https://example.com/hook"}), 201)
    data(client.put(f"/webhooks/{hook['id']}", {"description": "mine"}))
    data(client.post(f"/webhooks/{hook['id']}/rotate", {}))
    data(client.post(f"/webhooks/{hook['id']}/switch", {}))
    data(client.delete(f"/webhooks/{hook['id']}"))
    assert actions(client)[:5] == [
        "webhook.deleted",
        "webhook.secret_switched",
        "webhook.secret_rotated",
        "webhook.updated",
        "webhook.created",
    ]
    assert {entry["target_id"] for entry in data(client.get("/audit?per_page=5"))} == {hook["id"]}


def test_a_change_that_fails_leaves_no_entry(client: Client) -> None:
    before = actions(client)
    refuse(client.delete("/webhooks/1"), 404)
    refuse(client.delete("/keys/9223372036854775807"), 404)
    assert actions(client) == before


def test_the_log_is_its_users_alone(client: Client, sandbox: Client, stranger: Client, nobody: Client) -> None:
    data(client.post("/webhooks", {"url": "https://example.com/hook"}), 201)
    assert "webhook.created" not in actions(stranger, "?per_page=100")
    assert actions(sandbox) == []
    data(sandbox.post("/webhooks", {"url": "https://example.com/hook"}), 201)
    assert actions(sandbox) == ["webhook.created"]
    assert [entry["sandbox"] for entry in data(client.get("/audit?action=webhook.created"))] == [True, False]
    refuse(nobody.get("/audit"), 401)


def test_the_log_takes_every_scope_and_cannot_be_changed(user: User) -> None:
    refuse(user.client(["agents:read"]).get("/audit"), 403)
    client = user.client()
    for response in (client.post("/audit", {}), client.put("/audit", {}), client.delete("/audit")):
        refuse(response, 405)


@pytest.mark.parametrize("query", ["action=nothing", "credential=Key", "since=yesterday", "until=9999-99-99"])
def test_a_wrong_filter_is_refused(client: Client, query: str) -> None:
    refuse(client.get(f"/audit?{query}"), 400, query.split("=", maxsplit=1)[0])


def test_entries_are_filtered_by_time(client: Client) -> None:
    data(client.post("/webhooks", {"url": "https://example.com/hook"}), 201)
    moment = latest(client, "webhook.created")["created_at"]
    assert "webhook.created" in actions(client, f"?since={moment}")
    assert "webhook.created" not in actions(client, f"?until={moment}")
    for extreme in ("0001-01-01T00:00:00%2B14:00", "9999-12-31T23:59:59-14:00"):
        refuse(client.get(f"/audit?since={extreme}"), 400, "since")


async def test_a_sign_up_is_not_the_operators(site: Site) -> None:
    made = await replace(site.sign_in, sign_up_open=True).sign_up(EMAIL, PASSWORD, CLIENT)
    assert made is not None
    (user,) = await site.users.all()
    entries = [(row.action, row.credential, row.target_id) for row in await _entries(site, user.id)]
    assert entries == [("sign_in.succeeded", "password", made.id), ("user.created", "password", user.id)]


async def test_an_entry_is_undone_with_its_change(site: Site) -> None:
    user = await site.users.create(EMAIL)

    async def change_then_fail(tx: Any) -> None:
        await audit(tx, Actor(user.id, "operator"), "user.revoked")
        raise NotFound("Nothing is kept.")

    with pytest.raises(NotFound):
        await site.database.transact(change_then_fail)
    assert [row.action for row in await _entries(site, user.id)] == ["user.created"]


async def test_failed_sign_ins_of_nobody_belong_to_nobody(site: Site) -> None:
    user = await site.users.create(EMAIL)
    with pytest.raises(AuthRequired):
        await site.sign_in.with_password("nobody@example.com", PASSWORD, None, CLIENT)
    assert [row.action for row in await _entries(site, user.id)] == ["user.created"]


async def test_old_entries_are_removed(site: Site) -> None:
    user = await site.users.create(EMAIL)
    (old,) = await _entries(site, user.id)
    assert await site.database.transact(lambda tx: remove_entries(tx, old.created_at, None)) is None
    assert len(await _entries(site, user.id)) == 1
    site.clock.forward(days=1)
    assert await site.database.transact(lambda tx: remove_entries(tx, site.clock.moment, None)) is None
    assert await _entries(site, user.id) == []


async def _entries(site: Site, user_id: int) -> list[Any]:
    caller = Caller(user_id, 0, False, "user:0", "free", site.plans["free"], frozenset("*"))
    return (await AuditLog(caller, site.database).page(AuditQuery()))[0]


async def test_a_long_detail_is_cut(site: Site) -> None:
    user = await site.users.create(EMAIL)
    for length in (200, 201):
        detail = "x" * length
        await site.database.transact(
            partial(audit, actor=Actor(user.id, "operator"), action="user.revoked", detail=detail)
        )
    assert [row.detail for row in await _entries(site, user.id)][:2] == ["x" * 200] * 2
