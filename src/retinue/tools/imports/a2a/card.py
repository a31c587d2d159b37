"""Convert the card of an agent to a tool that sends it messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from retinue.core.errors import ValidationFailed
from retinue.tools.catalogue.imported_tool import A2aCall, A2aTool
from retinue.tools.imports.naming import tool_name
from retinue.tools.imports.schema_trimming import as_list, as_object, text

WELL_KNOWN = "/.well-known/agent-card.json"
TIMEOUT_S = 300.0
"""Time limit in seconds for an agent to answer a message."""

_BINDING = "JSONRPC"
_VERSIONS = ("1.0", "0.3")
_MOST_SKILLS = 20
_ABOUT = 600

_INPUT = {
    "type": "object",
    "properties": {
        "message": {"type": "string", "description": "What the agent should do.", "minLength": 1, "maxLength": 50_000},
        "context_id": {
            "type": "string",
            "description": "The context_id of an earlier result, to go on in the same conversation.",
            "maxLength": 200,
        },
        "task_id": {
            "type": "string",
            "description": "The task_id of a result with the state input_required, to answer what the agent asks.",
            "maxLength": 200,
        },
    },
    "required": ["message"],
    "additionalProperties": False,
}
RESULT_SCHEMA = {
    "type": "object",
    "properties": {
        "state": {
            "type": "string",
            "enum": ["completed", "input_required", "auth_required"],
            "description": "Whether the agent is done, or needs an answer or a sign-in first.",
        },
        "text": {"type": "string", "description": "What the agent said."},
        "data": {"type": "array", "description": "The structured results."},
        "files": {
            "type": "array",
            "items": {"type": "object"},
            "description": "The files, each with its name and media_type, and the id of the stored file or a url.",
        },
        "context_id": {"type": ["string", "null"], "description": "The conversation."},
        "task_id": {"type": ["string", "null"], "description": "The task."},
    },
}


@dataclass(frozen=True)
class AgentSource:
    """A source that is one agent: the prefix and the category of its tool, and the tool's present name by origin."""

    namespace: str
    category: str
    names: Mapping[str, str] = field(default_factory=dict)


def card_address(address: str) -> str:
    """Return the address of a card: that of the agent continues with the well-known path."""
    path = urlsplit(address).path
    return address if path.endswith(".json") else f"{address.rstrip('/')}{WELL_KNOWN}"


def tool_of(card: object, source: AgentSource) -> tuple[A2aTool, str]:
    """Return the tool of an agent, and the address for its messages. Raises `ValidationFailed` for an unfit card."""
    described = as_object(card)
    name = text(described.get("name"), 100)
    if not name:
        raise ValidationFailed("url: this is no card of an A2A agent: it has no name.")
    address, version, tenant = _interface(described)
    call = A2aCall("ask", version, tenant)
    tool = A2aTool(
        name=source.names.get(call.origin) or tool_name(source.namespace, "ask", "ask", "", ()),
        description=_description(described, name),
        category=source.category,
        tier="free",
        credits=1,
        input_schema=_INPUT,
        result_schema=RESULT_SCHEMA,
        tags=[source.namespace, "a2a"],
        use_when=[f"ask {name}"],
        examples=[],
        module="",
        read_only=False,
        destructive=True,
        idempotent=False,
        open_world=True,
        timeout_s=TIMEOUT_S,
        memory_mb=0,
        call=call,
    )
    return tool, address


def _interface(card: Mapping[str, object]) -> tuple[str, str, str | None]:
    """Return the address, the version and the tenant of the newest interface that this client can use."""
    found: dict[str, tuple[str, str | None]] = {}
    for one in map(as_object, as_list(card.get("supportedInterfaces"))):
        if one.get("protocolBinding") == _BINDING:
            tenant = text(one.get("tenant"), 200) or None
            found.setdefault(_minor(one.get("protocolVersion")), (text(one.get("url"), 2000), tenant))
    if "supportedInterfaces" not in card and card.get("preferredTransport", _BINDING) == _BINDING:
        found[_minor(card.get("protocolVersion", "0.3"))] = (text(card.get("url"), 2000), None)
    for version in _VERSIONS:
        if version in found and found[version][0]:
            address, tenant = found[version]
            return address, version, tenant
    raise ValidationFailed(
        "url: the agent offers no interface that can be used: JSONRPC of the protocol versions 1.0 or 0.3."
    )


def _minor(version: object) -> str:
    return ".".join(text(version, 20).split(".")[:2])


def _description(card: Mapping[str, object], name: str) -> str:
    about = text(card.get("description"), _ABOUT)
    sentences = [f"Sends a message to the agent {name} and returns its answer."]
    sentences += [about if about.endswith((".", "!", "?", "…")) else f"{about}."] if about else []
    skills = [as_object(one) for one in as_list(card.get("skills"))[:_MOST_SKILLS]]
    skill_names = [text(one.get("name"), 60) for one in skills]
    if listed := ", ".join(one for one in skill_names if one and one != name):
        sentences.append(f"Its skills: {listed}.")
    return " ".join(sentences)
