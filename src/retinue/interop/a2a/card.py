"""The card of an agent, for clients of A2A 1.0 and of 0.3, which read different fields of the same card."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import orjson

from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now, to_text
from retinue.interop.a2a import statements as sql
from retinue.tools.authoring.tool import Tool

CARD_PATH = "/.well-known/agent-card.json"
_INPUT = ["text/plain", "application/json", "image/png", "image/jpeg", "application/pdf"]
_OUTPUT = ["text/plain", "application/json"]
_ABOUT = "An API key or an OAuth access token. Sending messages needs the scope chat:write, reading tasks agents:read."
_CREDENTIAL = {"description": _ABOUT, "scheme": "bearer"}


@dataclass(frozen=True)
class SharedCards:
    """Finds the agents whose cards everybody may read."""

    database: Database
    public_url: str | None

    async def find(self, agent_id: int) -> Row | None:
        """Return an agent that its owner shares by a page, with how the page looks; None for others."""
        return await self.database.lookup(sql.SHARED, agent=agent_id, moment=now())


def card_of(
    agent: Row, base: str, looks: Mapping[str, object] | None = None, tools: Iterable[Tool] = ()
) -> dict[str, object]:
    """Return the card of an agent at the address `base`.

    With the `looks` of its page, it tells everybody what the page tells. `tools` are listed as skills.
    """
    page = looks or {}
    about = page.get("subtitle") or (None if looks is not None else agent.task) or agent.greeting
    name = page.get("title") or agent.agent_name
    description = about or f"{name}, an agent that answers messages."
    skill = {"id": "chat", "name": name, "description": description, "tags": [agent.agent_role]}
    if examples := page.get("suggestions"):
        skill["examples"] = examples
    return {
        "name": name,
        "description": description,
        "version": to_text(agent.updated_at),
        "supportedInterfaces": [
            {"url": base, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": base, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
            {"url": base, "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
        ],
        "capabilities": {"streaming": True, "pushNotifications": True, "extendedAgentCard": True},
        "securitySchemes": {"bearer": {"httpAuthSecurityScheme": _CREDENTIAL, "type": "http", **_CREDENTIAL}},
        "securityRequirements": [{"schemes": {"bearer": {"list": []}}}],
        "defaultInputModes": _INPUT,
        "defaultOutputModes": _OUTPUT,
        "skills": [skill, *map(_skill, tools)],
        # what clients of 0.3 read
        "url": base,
        "preferredTransport": "JSONRPC",
        "protocolVersion": "0.3.0",
        "security": [{"bearer": []}],
        "supportsAuthenticatedExtendedCard": True,
    }


def etag_of(card: Mapping[str, object]) -> str:
    """Return the entity tag of a card."""
    return f'"{hashlib.sha256(orjson.dumps(card)).hexdigest()[:32]}"'


def _skill(tool: Tool) -> dict[str, object]:
    name = tool.name.replace("_", " ").capitalize()
    return {"id": tool.name, "name": name, "description": tool.description, "tags": [tool.category]}
