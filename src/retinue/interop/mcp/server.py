"""Answers the requests of MCP clients for one caller."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import orjson

from retinue.auth.caller import Caller
from retinue.interop.mcp.agents import OfferedAgents, agent_id_of
from retinue.interop.mcp.approvals import ApprovalRequests
from retinue.interop.mcp.calls import RunningCalls, Work
from retinue.interop.mcp.files import OfferedFiles
from retinue.interop.mcp.messages import (
    HANDSHAKE_VERSIONS,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    SERVER_INFO,
    STANDALONE_VERSIONS,
    ClientResponse,
    Message,
    ProtocolError,
)
from retinue.interop.mcp.questions import QuestionRequests
from retinue.interop.mcp.selection import Selection, read_cursor
from retinue.interop.mcp.skills import EXTENSION, SCHEME, OfferedSkills
from retinue.interop.mcp.tools import BUILT_IN, EXECUTE, SCOPES, SEARCH, OfferedTools

Fields = Mapping[str, object]
Answer = Callable[[Message], Awaitable[Fields]]
Page = Callable[[int], Awaitable[tuple[list[Fields], bool]]]

_CAPABILITIES = {
    "tools": {"listChanged": False},
    "prompts": {"listChanged": False},
    "resources": {},
    "extensions": {EXTENSION: {}},
}
_ABOUT_SEARCH = f"Retinue has more than 1,000 tools. Find one with {SEARCH}, and call it with {EXECUTE}."
_ABOUT_AGENTS = (
    "The tools whose names begin with agent_ are agents: send one a message, and it answers when it has done the work."
)


@dataclass(frozen=True)
class McpServer:
    """Serves the tools, agents, files and skills of one caller."""

    caller: Caller
    tools: OfferedTools
    agents: OfferedAgents
    files: OfferedFiles
    skills: OfferedSkills
    running: RunningCalls
    approvals: ApprovalRequests
    questions: QuestionRequests

    async def answer(self, message: Message, selection: Selection) -> Fields:
        """Return the result of a request other than tools/call. Raises `ProtocolError`."""
        if message.method == "tools/list":
            return await self._list_tools(message, selection)
        if message.method == ("server/discover" if message.standalone else "initialize"):
            return _discover(selection) if message.standalone else _initialize(message, selection)
        if message.method == "ping" and not message.standalone:
            return {}
        if (reader := self._reader_of(message)) is None:
            raise ProtocolError(METHOD_NOT_FOUND, f"There is no method {message.method[:100]!r}.")
        scope, answer = reader
        self.caller.require(scope)
        return await answer(message)

    def _reader_of(self, message: Message) -> tuple[str, Answer] | None:
        """Return what answers a request, and the scope that it needs; None for an unknown method."""
        if message.method == "resources/read" and str(message.params.get("uri")).startswith(SCHEME):
            return "agents:read", self._read_skill
        readers: Mapping[str, tuple[str, Answer]] = {
            "prompts/list": ("agents:read", self._list_prompts),
            "prompts/get": ("agents:read", self._get_prompt),
            "resources/list": ("tools:read", self._list_resources),
            "resources/templates/list": ("tools:read", _list_templates),
            "resources/read": ("tools:read", self._read_resource),
            "skills/list": ("agents:read", self._list_skills),
            "skills/get": ("agents:read", self._get_skill),
        }
        return readers.get(message.method)

    async def _list_prompts(self, message: Message) -> Fields:
        return await _list("prompts", message, {"agents": self.agents.prompts})

    async def _get_prompt(self, message: Message) -> Fields:
        return await self.agents.prompt(message.text("name"), message.mapping("arguments"))

    async def _list_resources(self, message: Message) -> Fields:
        begins = message.params.get("cursor") is None and self.caller.may("agents:read")
        skills = await self.skills.resources() if begins else []
        return await _list("resources", message, {"files": self.files.page}, skills)

    async def _read_resource(self, message: Message) -> Fields:
        return await self.files.read(message.text("uri"))

    async def _read_skill(self, message: Message) -> Fields:
        return await self.skills.read(message.text("uri"))

    async def _list_skills(self, message: Message) -> Fields:
        return await _list("skills", message, {"skills": self.skills.entries})

    async def _get_skill(self, message: Message) -> Fields:
        return await self.skills.entry(message.text("uri"))

    def prepare(self, message: Message, selection: Selection, *, may_ask: bool) -> Work:
        """Return the work of a call of a tool. `may_ask` is whether the client can ask its user something.

        Raises `InsufficientScope`, and `ProtocolError` for an unknown tool.
        """
        name = message.text("name")
        agent_id = agent_id_of(name)
        self._check_chosen(name, agent_id, selection)
        if agent_id is not None:
            self.caller.require("agents:write")
            requests = self.approvals if may_ask else None
            return lambda channel: self.agents.call(agent_id, message, channel, requests)
        self.caller.require(SCOPES.get(name, "tools:execute"))
        return lambda channel: self.questions.call(self.tools, message, channel, may_ask=may_ask)

    async def take(self, response: ClientResponse) -> None:
        """Take the client's answer to a question of a tool's server, or to a request about an approval."""
        if self.questions.has_issued(response.id):
            self.caller.require("tools:execute")
            await self.questions.take(response)
            return
        self.caller.require("agents:write")
        if call := await self.approvals.take(response):
            self.running.leave(call)

    def key_of(self, session: str, request_id: object) -> str:
        """Return what names a call of this client. Guessing it requires the session's random ID."""
        return hashlib.sha256(orjson.dumps([self.caller.credential, session, request_id])).hexdigest()

    @staticmethod
    def _check_chosen(name: str, agent_id: int | None, selection: Selection) -> None:
        if not selection.is_chosen:
            return
        if name not in (selection.tools or ()) and agent_id not in (selection.agents or ()):
            raise ProtocolError(INVALID_PARAMS, f"The URL of this server does not name the tool {name[:100]!r}.")

    async def _list_tools(self, message: Message, selection: Selection) -> Fields:
        """Return what the caller may call: what it chose, or the search, the agents and on request all tools."""
        self._require_any()
        if selection.is_chosen:
            chosen = await self.tools.describe(selection.tools or ())
            return {"tools": [*chosen, *await self.agents.describe(selection.agents or ())]}
        allowed = [tool for name, tool in BUILT_IN.items() if self.caller.may(SCOPES.get(name, "tools:execute"))]
        parts: dict[str, Page] = {}
        if self.caller.may("agents:write"):
            parts["agents"] = self.agents.page
        if selection.whole_catalogue and self.caller.may("tools:execute"):
            parts["tools"] = self.tools.page
        return await _list("tools", message, parts, allowed)

    def _require_any(self) -> None:
        """Raise `InsufficientScope` for a credential that may call no tool."""
        if not any(map(self.caller.may, ("tools:execute", "agents:write"))):
            self.caller.require("tools:read")


def _instructions(selection: Selection) -> Fields:
    """Return instructions that name only tools that the client sees; no field if there is nothing to say."""
    chosen = set(selection.tools or ())
    searches = not selection.is_chosen or {SEARCH, EXECUTE} <= chosen
    with_agents = not selection.is_chosen or bool(selection.agents)
    parts = [*([_ABOUT_SEARCH] if searches else []), *([_ABOUT_AGENTS] if with_agents else [])]
    return {"instructions": " ".join(parts)} if parts else {}


def _discover(selection: Selection) -> Fields:
    return {
        "supportedVersions": list(STANDALONE_VERSIONS),
        "capabilities": _CAPABILITIES,
        **_instructions(selection),
    }


def _initialize(message: Message, selection: Selection) -> Fields:
    """Agree on the revision that the client asks for, or propose the newest with a handshake."""
    wanted = message.params.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[0],
        "capabilities": _CAPABILITIES,
        "serverInfo": SERVER_INFO,
        **_instructions(selection),
    }


async def _list_templates(message: Message) -> Fields:
    return {"resourceTemplates": []}


async def _list(name: str, message: Message, parts: Mapping[str, Page], first: Sequence[Fields] = ()) -> Fields:
    """Return a page of a list that consists of `first` and of the pages of each part."""
    cursor = message.params.get("cursor")
    if cursor is None and not parts:
        return {name: list(first)}
    names = list(parts)
    part, number = read_cursor(cursor, names)
    found, more = await parts[part](number)
    following = [f"{part}:{number + 1}"] if more else [f"{one}:1" for one in names[names.index(part) + 1 :]]
    page = {name: found if cursor else [*first, *found]}
    return {**page, "nextCursor": following[0]} if following else page
