"""Recognizes tasks that ask for an e-mail, in English, German, Spanish and French, and checks that one can be sent."""

import re
from collections.abc import Awaitable, Callable, Sequence

import sqlalchemy as sa

from retinue.connections.tables import connections
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement
from retinue.tools.imports.tables import imported_tools

_ACCOUNT = sa.bindparam("account", type_=BigInt)
_MAIL_ACCOUNTS = Statement(
    sa.select(connections.c.settings).where(connections.c.account_id == _ACCOUNT, connections.c.kind == "mail")
)
_MAIL_TOOLS = Statement(
    sa.select(imported_tools.c.name)
    .where(imported_tools.c.account_id == _ACCOUNT, imported_tools.c.name.like("%mail%"))
    .limit(1)
)

NO_MAIL = (
    "No e-mail was sent: the task asks for one, but your account has no connection of the kind mail with an smtp "
    "server, and no imported tool for mail. Create one with POST /api/v1/connections."
)

_MAIL = r"(?:e-?)?mails?|correos?|courriels?|m[ée]ls?"
_RECIPIENT = r"me|us|him|her|them|mir|uns|ihm|ihr|ihnen|\S+@\S+"
_SEND = r"send|forward|write|schick|verschick|verfass|schreib|env[ií]|mand|reenv|escrib|envoi|envoy|transf[eé]r|écri"
_REQUEST = re.compile(
    rf"\b(?:{_SEND})\w*\b[^.!?\n]{{0,80}}\b(?:{_MAIL})\b"  # "Send the report by e-mail", "Envíame un correo"
    rf"|\b(?:by|via|per|por|par|als)\s+(?:{_MAIL})\b"  # "Let me know by e-mail", "per E-Mail"
    rf"|\b(?:e-?)?mail(?:e|en|t)?\s+(?:{_RECIPIENT})(?:\b|$)"  # "Mail me a summary", "Mail an ada@example.com"
    r"|(?:^|[.!?:,;\n]\s*|\b(?:and|then|please|to|und|bitte)\s+)(?:e-?)?mail\s+(?:a|an|the|it|this|that|my|our|die|den|das)\b",
    re.IGNORECASE,
)


def asks_for_mail(task: str) -> bool:
    """Return whether a task asks for an e-mail to be sent."""
    return _REQUEST.search(task) is not None


async def lacks_mail(fetch: Callable[..., Awaitable[Sequence[Row]]], account_id: int, task: str) -> bool:
    """Return whether a task asks for an e-mail that the account cannot send. `fetch` runs a statement."""
    if not asks_for_mail(task) or await fetch(_MAIL_TOOLS, account=account_id):
        return False
    return not any(row.settings.get("smtp") for row in await fetch(_MAIL_ACCOUNTS, account=account_id))
