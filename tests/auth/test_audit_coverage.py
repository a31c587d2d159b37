"""Every operation that changes something writes an entry to the audit log, or is listed here with a reason."""

from collections.abc import Callable
from typing import Any

import pytest
import requests

from retinue.core.http.operations import Operation
from retinue.openapi.examples import BODIES
from tests.auth.signing_in import PASSWORD, give_password
from tests.auth.test_scopes import MAKERS, OPERATIONS, path_of, sandbox_of
from tests.auth.test_second_factor import present_code, set_up
from tests.conftest import User
from tests.oauth.protocol import Pkce, consent, create_app
from tests.support.client import Client, data

CHANGING = {operation.name: operation for operation in OPERATIONS if operation.method != "GET"}
AUDITED = {
    "create_schedule": "schedule.created",
    "update_schedule": "schedule.updated",
    "delete_schedule": "schedule.deleted",
    "add_do_not_call": "do_not_call.added",
    "remove_do_not_call": "do_not_call.removed",
    "pause_schedule": "schedule.updated",
    "resume_schedule": "schedule.updated",
    "import_tools": "source.created",
    "refresh_source": "source.refreshed",
    "update_source": "source.updated",
    "delete_source": "source.deleted",
    "create_connection": "connection.created",
    "update_connection": "connection.updated",
    "delete_connection": "connection.deleted",
    "create_provider": "provider.created",
    "update_provider": "provider.updated",
    "delete_provider": "provider.deleted",
    "choose_default_model": "model_default.changed",
    "create_webhook": "webhook.created",
    "update_webhook": "webhook.updated",
    "delete_webhook": "webhook.deleted",
    "rotate_webhook_secret": "webhook.secret_rotated",
    "switch_webhook_secret": "webhook.secret_switched",
    "create_key": "key.created",
    "revoke_key": "key.revoked",
    "rotate_key": "key.rotated",
    "update_key": "key.updated",
    "create_publishable_key": "publishable_key.created",
    "update_publishable_key": "publishable_key.updated",
    "rotate_publishable_key": "publishable_key.rotated",
    "revoke_publishable_key": "publishable_key.revoked",
    "update_account": "account.updated",
    "change_password": "password.changed",
    "confirm_totp": "totp.enabled",
    "renew_recovery_codes": "totp.recovery_codes_renewed",
    "disable_totp": "totp.disabled",
    "export_account": "account.exported",
    "revoke_other_sessions": "session.others_revoked",
    "sign_out": "session.signed_out",
    "revoke_session": "session.revoked",
    "create_app": "app.created",
    "update_app": "app.updated",
    "delete_app": "app.deleted",
    "rotate_app_secret": "app.secret_rotated",
    "revoke_grant": "grant.revoked",
    "publish_item": "item.published",
    "change_item": "item.changed",
    "install_item": "item.installed",
    "uninstall_item": "item.uninstalled",
    "moderate_item": "item.moderated",
}
"""The operations that write an entry, and the entry's action."""

_OPERATORS = "only operators can: see tests/providers/test_local_models.py"
_DEMO = "the schedule of the demo has the entry of any schedule; its other records have none"
ELSEWHERE = {
    "delete_account": "its entry has no owner: see tests/account_data/test_deletion_orders.py",
    "load_demo": _DEMO,
    "remove_demo": _DEMO,
    "pull_local_model": _OPERATORS,
    "activate_local_model": _OPERATORS,
    "delete_local_model": _OPERATORS,
}

_WORK = "work that the runs and their steps record"
_CALL = "the call itself is the record"
_RECORDS = "a record of work, which affects no other user and contains no credential"
SILENT = {
    "create_agent": _RECORDS,
    "update_agent": _RECORDS,
    "delete_agent": _RECORDS,
    "execute_agent": _WORK,
    "deploy_agent": _WORK,
    "stop_agent": _WORK,
    "create_simulation": _RECORDS,
    "cancel_simulation": _WORK,
    "delete_simulation": _RECORDS,
    "create_fleet": _RECORDS,
    "update_fleet": _RECORDS,
    "delete_fleet": _RECORDS,
    "deploy_fleet": _WORK,
    "cancel_deployment": _WORK,
    "run_schedule": "the history of the schedule records it",
    "cancel_run": _WORK,
    "send_run_message": _WORK,
    "fork_run": _WORK,
    "decide_approval": "the approval records the decision, its reason and its time",
    "chat": _WORK,
    "update_conversation": _RECORDS,
    "delete_conversation": _RECORDS,
    "execute_tool": "usage counts it",
    "test_connection": "the connection records the outcome",
    "test_provider": "the test changes nothing",
    "cancel_local_model_pull": "the log has the begin of the download, and nothing else changes",
    "import_skill": _RECORDS,
    "replace_skill": _RECORDS,
    "delete_skill": _RECORDS,
    "create_collection": _RECORDS,
    "update_collection": _RECORDS,
    "delete_collection": _RECORDS,
    "add_document": _RECORDS,
    "add_collection_source": _RECORDS,
    "update_collection_source": _RECORDS,
    "delete_collection_source": _RECORDS,
    "sync_collection_source": _RECORDS,
    "delete_document": _RECORDS,
    "refresh_document": _RECORDS,
    "add_memory": _RECORDS,
    "update_memory": _RECORDS,
    "delete_memory": _RECORDS,
    "search_memory": "a search changes nothing",
    "search_collection": "a search changes nothing",
    "search_collections": "a search changes nothing",
    "upload_file": _RECORDS,
    "delete_file": _RECORDS,
    "test_webhook": "the delivery records it",
    "replay_delivery": "the delivery records it",
    "start_totp": "the second factor takes effect only with its first code",
    "start_call": _CALL,
    "hang_up_call": _CALL,
    "hold_call": _CALL,
    "resume_call": _CALL,
    "press_keys": _CALL,
    "transfer_call": _CALL,
    "create_batch": _CALL,
    "start_batch": _CALL,
    "pause_batch": _CALL,
    "resume_batch": _CALL,
    "cancel_batch": _CALL,
    "delete_batch": _CALL,
    "create_room": _RECORDS,
    "join_room": "the room records its participants",
    "close_room": _RECORDS,
    "mute_participant": "the events of the room record it",
    "unmute_participant": "the events of the room record it",
    "remove_participant": "the events of the room record it",
    "rate_item": "the rating itself is the record",
}
"""The operations that write no entry, and the reasons."""


def test_every_operation_that_changes_something_is_decided_on() -> None:
    assert CHANGING.keys() == AUDITED.keys() | SILENT.keys() | ELSEWHERE.keys()
    assert len(CHANGING) == len(AUDITED) + len(SILENT) + len(ELSEWHERE)


def send(client: Client, operation: Operation, body: Any = None) -> requests.Response:
    """Call an operation with its example body, on a new record."""
    path = path_of(operation)
    if "{" in operation.path:
        prefix = operation.path[: operation.path.index("}") + 1]
        if prefix in MAKERS:
            made = prefix[: prefix.index("{")] + str(MAKERS[prefix](client))
            path = path_of(operation).replace(path_of_prefix(prefix), made, 1)
    sent = BODIES.get(operation.name) if body is None else body
    return client.request(operation.method, path, **({"json": sent} if sent is not None else {}))


def path_of_prefix(prefix: str) -> str:
    """Return a record's path with the placeholder id that `path_of` uses."""
    return prefix.replace("{id}", "1").replace("{conversation_id}", "conv_1")


def _create_schedule(user: User, client: Client) -> None:
    agent = data(client.post("/agents", {"agent_name": "a", "agent_role": "leader"}), 201)["id"]
    data(client.post("/schedules", {**BODIES["create_schedule"], "agent_id": agent}), 201)


def _resume_schedule(user: User, client: Client) -> None:
    schedule = MAKERS["/schedules/{id}"](client)
    data(client.post(f"/schedules/{schedule}/pause"))
    data(client.post(f"/schedules/{schedule}/resume"))


def _switch_secret(user: User, client: Client) -> None:
    hook = MAKERS["/webhooks/{id}"](client)
    data(client.post(f"/webhooks/{hook}/rotate"))
    data(client.post(f"/webhooks/{hook}/switch"))


def _update_connection(user: User, client: Client) -> None:
    connection = MAKERS["/connections/{id}"](client)
    data(client.put(f"/connections/{connection}", {"secret": {"token": "654321:FED-CBA"}}))


def _update_source(user: User, client: Client) -> None:
    source = MAKERS["/tools/sources/{id}"](client)
    data(client.put(f"/tools/sources/{source}", {"connection": None}))


def _create_publishable_key(user: User, client: Client) -> None:
    MAKERS["/publishable-keys/{id}"](client)


def _publish_item(user: User, client: Client) -> None:
    MAKERS["/marketplace/{id}"](client)


def _with_session(work: Callable[[Client], object]) -> Callable[[User, Client], None]:
    def prepare(user: User, client: Client) -> None:
        session = give_password(user.server, user.email)
        work(session)
        session.close()

    return prepare


def _with_second_factor(path: str) -> Callable[[Client], object]:
    def work(session: Client) -> object:
        secret, _ = set_up(session)
        return data(session.post(path, {"password": PASSWORD, "code": present_code(secret)}))

    return work


ORDERS: dict[str, Callable[[User, Client], None]] = {
    "create_schedule": _create_schedule,
    "resume_schedule": _resume_schedule,
    "switch_webhook_secret": _switch_secret,
    "update_connection": _update_connection,
    "update_source": _update_source,
    "create_publishable_key": _create_publishable_key,
    "publish_item": _publish_item,
    "change_password": _with_session(lambda session: send(session, CHANGING["change_password"])),
    "confirm_totp": _with_session(set_up),
    "renew_recovery_codes": _with_session(_with_second_factor("/account/totp/recovery-codes")),
    "disable_totp": _with_session(_with_second_factor("/account/totp/disable")),
    "sign_out": _with_session(lambda session: data(session.delete("/sessions/current"))),
}
"""How to call operations that need more than their example."""


def entries(client: Client, action: str = "") -> int:
    """Return the number of entries."""
    found: int = client.get(f"/audit?per_page=1&action={action}").json()["meta"]["total"]
    return found


@pytest.mark.either_database
@pytest.mark.parametrize("name", sorted(AUDITED.keys() - {"moderate_item"}))
def test_it_writes_an_entry(name: str, user: User, client: Client) -> None:
    before = entries(client, AUDITED[name])
    if name in ORDERS:
        ORDERS[name](user, client)
    else:
        response = send(client, CHANGING[name])
        assert response.ok, response.text
    assert entries(client, AUDITED[name]) > before


def test_moderation_is_in_the_log_of_the_operator(client: Client) -> None:
    operator = Client(client.server, client.server.first_key)
    item = MAKERS["/marketplace/{id}"](client)
    data(operator.post(f"/marketplace/{item}/moderate", BODIES["moderate_item"]))
    (entry,) = data(operator.get("/audit?action=item.moderated&per_page=1"))
    assert (entry["target_id"], entry["detail"].endswith(": published.")) == (item, True)
    assert entries(client, "item.moderated") == 0
    operator.close()


MADE_FOR_IT = {"webhook.created", "schedule.created", "connection.created", "provider.created", "item.published"}
"""Actions of entries for the records that the operations below need."""


@pytest.mark.either_database
@pytest.mark.parametrize("name", sorted(SILENT))
def test_it_writes_none(name: str, client: Client) -> None:
    sender = sandbox_of(client) if SILENT[name] == _CALL else client
    made = entries(client)
    send(sender, CHANGING[name])
    fresh = data(client.get("/audit?per_page=20"))[: entries(client) - made]
    assert {entry["action"] for entry in fresh} <= MADE_FOR_IT


def test_a_consent_is_logged(user: User) -> None:
    client = user.client()
    give_password(user.server, user.email).close()
    app = create_app(client)
    consent(user.server, app, user.email, Pkce(), scope="usage:read")
    (entry,) = data(client.get("/audit?action=grant.created"))
    assert app["client_id"] in entry["detail"]
    assert entry["credential"].startswith("session:")
