"""Page of the audit log."""

from typing import get_args
from urllib.parse import urlencode

from starlette.responses import Response

from retinue.auth.audit.entries import Action
from retinue.auth.audit.schemas import AuditQuery
from retinue.auth.audit.service import AuditLog
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError
from retinue.core.http.streaming import Download
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.audit.details import detail_words
from retinue.portal.audit.targets import name_targets
from retinue.portal.forms import Form, parse
from retinue.portal.names import key_choices, key_names
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages(MenuEntry("Developers", "audit", gettext_noop("Audit log"), "scroll-text", "who changed"))
ACTIONS: tuple[Action, ...] = get_args(Action)
_FILTERS = ("action", "credential", "since", "until")
_OTHERS = {
    "operator": gettext_noop("The operator"),
    "password": gettext_noop("A password"),
    "link": gettext_noop("A one-time link"),
}
"""What changed something without being a key, by its value in the filter."""

PHRASES: dict[str, str] = {
    "user.created": gettext_noop("User created"),
    "user.plan_changed": gettext_noop("User plan changed"),
    "user.suspended": gettext_noop("User suspended"),
    "user.restored": gettext_noop("User restored"),
    "user.revoked": gettext_noop("All access of the user revoked"),
    "user.promoted": gettext_noop("User promoted"),
    "user.demoted": gettext_noop("User demoted"),
    "user.deleted": gettext_noop("User deleted"),
    "account.updated": gettext_noop("Account updated"),
    "password.changed": gettext_noop("Password changed"),
    "totp.enabled": gettext_noop("Second factor turned on"),
    "totp.disabled": gettext_noop("Second factor turned off"),
    "totp.recovery_codes_renewed": gettext_noop("Recovery codes renewed"),
    "sign_in.succeeded": gettext_noop("Signed in"),
    "sign_in.failed": gettext_noop("Sign-in failed"),
    "sign_in.link_created": gettext_noop("Sign-in link created"),
    "session.signed_out": gettext_noop("Signed out"),
    "session.revoked": gettext_noop("Session ended"),
    "session.others_revoked": gettext_noop("All other sessions ended"),
    "key.created": gettext_noop("Key created"),
    "key.updated": gettext_noop("Key updated"),
    "key.rotated": gettext_noop("Key replaced"),
    "key.revoked": gettext_noop("Key revoked"),
    "publishable_key.created": gettext_noop("Agent shared"),
    "publishable_key.updated": gettext_noop("Sharing of an agent changed"),
    "publishable_key.rotated": gettext_noop("Link of a shared agent replaced"),
    "publishable_key.revoked": gettext_noop("Sharing of an agent ended"),
    "conversation.shared": gettext_noop("Conversation shared"),
    "conversation.unshared": gettext_noop("Sharing of a conversation ended"),
    "webhook.created": gettext_noop("Webhook created"),
    "webhook.updated": gettext_noop("Webhook updated"),
    "webhook.deleted": gettext_noop("Webhook deleted"),
    "webhook.secret_rotated": gettext_noop("Webhook secret replaced"),
    "webhook.secret_switched": gettext_noop("Old webhook secret retired"),
    "source.created": gettext_noop("Tools imported"),
    "source.updated": gettext_noop("Tool source updated"),
    "source.refreshed": gettext_noop("Tool source refreshed"),
    "source.deleted": gettext_noop("Tool source deleted"),
    "connection.created": gettext_noop("Connection created"),
    "connection.updated": gettext_noop("Connection updated"),
    "connection.deleted": gettext_noop("Connection deleted"),
    "provider.created": gettext_noop("Provider created"),
    "provider.updated": gettext_noop("Provider updated"),
    "provider.deleted": gettext_noop("Provider deleted"),
    "model_default.changed": gettext_noop("Default model changed"),
    "local_model.pulled": gettext_noop("Local model downloaded"),
    "local_model.activated": gettext_noop("Local model activated"),
    "local_model.deleted": gettext_noop("Local model deleted"),
    "schedule.created": gettext_noop("Schedule created"),
    "schedule.updated": gettext_noop("Schedule updated"),
    "schedule.deleted": gettext_noop("Schedule deleted"),
    "do_not_call.added": gettext_noop("Number added to the do-not-call list"),
    "do_not_call.removed": gettext_noop("Number removed from the do-not-call list"),
    "app.created": gettext_noop("OAuth app created"),
    "app.updated": gettext_noop("OAuth app updated"),
    "app.secret_rotated": gettext_noop("Secret of an OAuth app replaced"),
    "app.deleted": gettext_noop("OAuth app deleted"),
    "grant.created": gettext_noop("App connected"),
    "grant.revoked": gettext_noop("App disconnected"),
    "item.published": gettext_noop("Marketplace item published"),
    "item.changed": gettext_noop("Marketplace item changed"),
    "item.moderated": gettext_noop("Marketplace item reviewed"),
    "item.installed": gettext_noop("Marketplace item installed"),
    "item.uninstalled": gettext_noop("Marketplace item removed"),
    "account.exported": gettext_noop("Account exported"),
}
"""The actions in words."""

_CREDENTIALS = {
    "key": gettext_noop("API key"),
    "session": gettext_noop("Session"),
    "password": gettext_noop("Password"),
    "link": gettext_noop("One-time link"),
    "operator": gettext_noop("Operator"),
    "oauth": gettext_noop("OAuth grant"),
    "publishable": gettext_noop("Publishable key"),
}


@pages.get("/audit")
async def list_entries(page: Page) -> Response:
    """List matching entries, newest first."""
    query, paging = page.query, page.paging(30)
    chosen = _choose(query)
    entries: list[Row] = []
    total, problem = 0, None
    try:
        filters = parse(AuditQuery, {**chosen, "page": paging.part.page, "per_page": paging.part.per_page})
        entries, total = await page.service(AuditLog).page(filters)
    except RetinueError as error:
        problem = error
    values: dict[str, object] = {"entries": entries, "paging": paging.of(total), "chosen": chosen, "actions": ACTIONS}
    more = f"{urlencode(chosen)}&" if chosen else ""
    return await page.render(
        "audit/list.html",
        problem.status if problem else 200,
        **values,
        more=more,
        named=named_credential,
        key_names=await key_names(page, (entry.credential for entry in entries)),
        targets=await name_targets(page, entries),
        keys=await key_choices(page),
        others={credential: _(label) for credential, label in _OTHERS.items()},
        said=phrase,
        detail_words=detail_words,
        form=query,
        problem=problem,
    )


@pages.get("/audit/export")
async def export_entries(page: Page) -> Response:
    """Export all matching entries as CSV."""
    filters = parse(AuditQuery, _choose(page.query))
    lines = page.service(AuditLog).as_csv(filters)
    headers = {"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": 'attachment; filename="audit.csv"'}
    return Download(lines, headers=headers)


def phrase(action: str) -> str:
    """Return an action in words: `key.created` becomes "Key created"."""
    return _(PHRASES[action]) if action in PHRASES else action


def named_credential(credential: str) -> str:
    """Return a credential in words: `key:17` becomes "API key 17"."""
    kind, number = credential.partition(":")[::2]
    label = _(_CREDENTIALS[kind]) if kind in _CREDENTIALS else kind
    return f"{label} {number}".strip()


def _choose(query: Form) -> dict[str, str]:
    """Return the filters of a query, without unknown actions."""
    chosen = {name: query.text(name) for name in _FILTERS if query.text(name)}
    if chosen.get("action") not in ACTIONS:
        chosen.pop("action", None)
    return chosen
