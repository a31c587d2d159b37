"""Page of the audit log."""

from typing import Any, get_args
from urllib.parse import urlencode

from starlette.responses import Response

from retinue.auth.audit.entries import Action
from retinue.auth.audit.schemas import AuditQuery
from retinue.auth.audit.service import AuditLog
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError
from retinue.core.http.streaming import Download
from retinue.portal.audit.targets import name_targets
from retinue.portal.forms import Form, parse
from retinue.portal.names import key_choices, key_names
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages(MenuEntry("Developers", "audit", "Audit log", "scroll-text", "who changed"))
ACTIONS: tuple[Action, ...] = get_args(Action)
_FILTERS = ("action", "credential", "since", "until")
_OTHERS = {"operator": "The operator", "password": "A password", "link": "A one-time link"}
"""What changed something without being a key, by its value in the filter."""

_PHRASES: dict[str, str] = {
    "user.revoked": "All access of the user revoked",
    "totp.enabled": "Second factor turned on",
    "totp.disabled": "Second factor turned off",
    "totp.recovery_codes_renewed": "Recovery codes renewed",
    "sign_in.succeeded": "Signed in",
    "sign_in.failed": "Sign-in failed",
    "sign_in.link_created": "Sign-in link created",
    "session.signed_out": "Signed out",
    "session.revoked": "Session ended",
    "session.others_revoked": "All other sessions ended",
    "key.rotated": "Key replaced",
    "publishable_key.created": "Agent shared",
    "publishable_key.updated": "Sharing of an agent changed",
    "publishable_key.rotated": "Link of a shared agent replaced",
    "publishable_key.revoked": "Sharing of an agent ended",
    "conversation.unshared": "Sharing of a conversation ended",
    "webhook.secret_rotated": "Webhook secret replaced",
    "webhook.secret_switched": "Old webhook secret retired",
    "source.created": "Tools imported",
    "source.updated": "Tool source updated",
    "source.refreshed": "Tool source refreshed",
    "source.deleted": "Tool source deleted",
    "model_default.changed": "Default model changed",
    "local_model.pulled": "Local model downloaded",
    "app.created": "OAuth app created",
    "app.updated": "OAuth app updated",
    "app.secret_rotated": "Secret of an OAuth app replaced",
    "app.deleted": "OAuth app deleted",
    "grant.created": "App connected",
    "grant.revoked": "App disconnected",
    "item.published": "Marketplace item published",
    "item.changed": "Marketplace item changed",
    "item.moderated": "Marketplace item reviewed",
    "item.installed": "Marketplace item installed",
    "item.uninstalled": "Marketplace item removed",
}
"""The actions whose names are no words of the portal."""

_CREDENTIALS = {
    "key": "API key",
    "session": "Session",
    "password": "Password",
    "link": "One-time link",
    "operator": "Operator",
    "oauth": "OAuth grant",
    "publishable": "Publishable key",
}


@pages.get("/audit")
async def list_entries(page: Page) -> Response:
    """List matching entries, newest first."""
    query, paging = page.query, page.paging(30)
    chosen = _choose(query)
    entries: list[Row] = []
    total, problem = 0, None
    try:
        wanted = parse(AuditQuery, {**chosen, "page": paging.part.page, "per_page": paging.part.per_page})
        entries, total = await page.service(AuditLog).page(wanted)
    except RetinueError as error:
        problem = error
    values: dict[str, Any] = {"entries": entries, "paging": paging.of(total), "chosen": chosen, "actions": ACTIONS}
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
        others=_OTHERS,
        said=phrase,
        form=query,
        problem=problem,
    )


@pages.get("/audit/export")
async def export_entries(page: Page) -> Response:
    """Export all matching entries as CSV."""
    wanted = parse(AuditQuery, _choose(page.query))
    lines = page.service(AuditLog).as_csv(wanted)
    headers = {"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": 'attachment; filename="audit.csv"'}
    return Download(lines, headers=headers)


def phrase(action: str) -> str:
    """Return an action in words: `key.created` becomes "Key created"."""
    return _PHRASES.get(action) or action.replace(".", " ").replace("_", " ").capitalize()


def named_credential(credential: str) -> str:
    """Return a credential in words: `key:17` becomes "API key 17"."""
    kind, _, number = credential.partition(":")
    return f"{_CREDENTIALS.get(kind, kind)} {number}".strip()


def _choose(query: Form) -> dict[str, str]:
    """Return the filters of a query, without unknown actions."""
    chosen = {name: query.text(name) for name in _FILTERS if query.text(name)}
    if chosen.get("action") not in ACTIONS:
        chosen.pop("action", None)
    return chosen
