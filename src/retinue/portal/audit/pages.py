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
from retinue.portal.forms import Form, parse
from retinue.portal.names import key_names
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages(MenuEntry("Developers", "audit", "Audit log", "scroll-text", "who changed"))
ACTIONS: tuple[Action, ...] = get_args(Action)
_FILTERS = ("action", "credential", "since", "until")
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
    return action.replace(".", " ").replace("_", " ").replace("totp", "second factor").capitalize()


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
