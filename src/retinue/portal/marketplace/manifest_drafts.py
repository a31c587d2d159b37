"""Draft manifests from the account's own resources, for authors to start from."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from retinue.agents.service import Agents
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound
from retinue.core.http.envelope import Page as Part
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.fleets.service import Fleets
from retinue.language.translation import gettext as _
from retinue.marketplace.manifests import ItemType
from retinue.portal.page import Page
from retinue.schedules.service import Schedules
from retinue.tools.catalogue.imported_tool import AnyImported, ImportedTool
from retinue.tools.imports.service import Sources

_MOST = 100
_SHORTEST_SUMMARY = 20
_OPERATION = re.compile(r"[a-z][a-z0-9_]{1,40}")
Json = dict[str, object]


@dataclass(frozen=True)
class PublishableResource:
    """A resource that can be published. `key` identifies it in URLs, such as `agent:7`."""

    key: str
    type: ItemType
    name: str


@dataclass(frozen=True)
class ManifestDraft:
    """Initial values of the publishing form. `omitted` names what does not fit into a manifest."""

    type: ItemType
    name: str
    manifest: Json
    omitted: tuple[str, ...] = ()


async def find_origins(page: Page, kind: str | None = None) -> list[PublishableResource]:
    """Return the user's publishable resources, from the newest hundred of each kind."""
    part, platform, caller = Part(per_page=_MOST), page.platform, page.caller
    agents, _ = await platform.services.of(Agents, caller).page(part)
    fleets, _ = await platform.services.of(Fleets, caller).page(part)
    sources, _ = await platform.services.of(Sources, caller).page(part)
    schedules, _ = await platform.services.of(Schedules, caller).page(part)
    timed = {one.agent_id for one in schedules if one.agent_id and one.cron}
    found = [
        *(PublishableResource(f"agent:{one.id}", "agent", one.agent_name) for one in agents),
        *(PublishableResource(f"fleet:{one.id}", "fleet_template", one.name) for one in fleets),
        *(PublishableResource(f"source:{one.id}", "tool", one.name) for one in sources),
        *(PublishableResource(f"schedules:{one.id}", "extension", one.agent_name) for one in agents if one.id in timed),
    ]
    return [one for one in found if kind in (None, one.type)]


async def draft_from(page: Page, key: str) -> ManifestDraft:
    """Draft a manifest for an origin. Raises `NotFound`."""
    kind, number = key.partition(":")[::2]
    make = {"agent": _from_agent, "fleet": _from_fleet, "source": _from_source, "schedules": _from_schedules}.get(kind)
    record_id = parse_whole_number(number)
    if make is None or record_id is None:
        raise NotFound(_("This object cannot be published. Choose again at /marketplace/publish."))
    return await make(page, record_id)


async def _from_agent(page: Page, agent_id: int) -> ManifestDraft:
    agent = await page.service(Agents).get(agent_id)
    return ManifestDraft("agent", agent.agent_name, _agent(agent))


async def _from_fleet(page: Page, fleet_id: int) -> ManifestDraft:
    fleets, agents = page.service(Fleets), page.service(Agents)
    fleet, members = await fleets.get(fleet_id), await fleets.members(fleet_id)
    manifest = {
        "fleet_name": fleet.name,
        "description": fleet.description or "",
        "max_agents": fleet.max_agents,
        "agents": [_agent(await agents.get(one.id)) for one in members],
    }
    return ManifestDraft("fleet_template", fleet.name, manifest)


async def _from_schedules(page: Page, agent_id: int) -> ManifestDraft:
    """Draft an extension from an agent and its schedules. Schedules for a single date are omitted."""
    agent = await page.service(Agents).get(agent_id)
    rows, _ = await page.service(Schedules).page(Part(per_page=_MOST))
    own = [one for one in rows if one.agent_id == agent_id]
    schedules = [{"name": one.name, "cron": one.cron, "message": one.message} for one in own if one.cron]
    manifest = {"agents": [_agent(agent)], "schedules": schedules}
    omitted = tuple(one.name for one in own if not one.cron)
    return ManifestDraft("extension", agent.agent_name, manifest, omitted)


async def _from_source(page: Page, source_id: int) -> ManifestDraft:
    """Draft the tools of a source: the address of an MCP server, or the read-only operations of an API."""
    sources = page.service(Sources)
    source = await sources.get(source_id)
    manifest: Json = {"source_name": source.name, "category": source.category}
    needs = {"needs": "required"} if source.connection else {}
    if source.kind == "mcp":
        return ManifestDraft("tool", source.name, {**manifest, "server_url": source.base_url, **needs})
    tools = await sources.tools(source_id)
    operations = {tool.name: _operation(source, tool) for tool in tools}
    manifest |= {"base_url": source.base_url, "operations": [one for one in operations.values() if one], **needs}
    return ManifestDraft("tool", source.name, manifest, tuple(name for name, one in operations.items() if not one))


def _agent(agent: Row) -> Json:
    skills: Sequence[str] = agent.skills or ()
    approval = {"approval": agent.approval} if agent.approval != "none" else {}
    about = {name: getattr(agent, name) for name in ("agent_name", "agent_role", "instructions", "task")}
    return {**{name: value for name, value in about.items() if value}, "skills": list(skills), **approval}


def _operation(source: Row, tool: AnyImported) -> Json | None:
    """Return a GET operation with only path and query arguments, or None for any other operation."""
    name = tool.name.removeprefix(f"{source.name}_")
    if not isinstance(tool, ImportedTool) or tool.call.method.upper() != "GET" or not _OPERATION.fullmatch(name):
        return None
    if any(argument.place not in ("path", "query") for argument in tool.call.arguments.values()):
        return None
    required = set(tool.input_schema.get("required", ()))
    summary = (
        tool.description if len(tool.description) >= _SHORTEST_SUMMARY else f"{tool.description} ({tool.call.path})"
    )
    return {
        "name": name,
        "path": tool.call.path,
        "summary": summary.ljust(_SHORTEST_SUMMARY, ".")[:500],
        "required": _describe(tool, (one for one in tool.call.arguments if one in required)),
        "optional": _describe(tool, (one for one in tool.call.arguments if one not in required)),
    }


def _describe(tool: ImportedTool, arguments: Iterable[str]) -> dict[str, str]:
    properties: Mapping[str, Mapping[str, str]] = tool.input_schema.get("properties", {})
    return {tool.call.arguments[one].name: properties.get(one, {}).get("description", "")[:500] for one in arguments}
