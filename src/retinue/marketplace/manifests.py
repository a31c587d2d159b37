"""Manifests: the content of an item, with one schema for each type. Manifests hold data, never code.

Publishing fails if installing the manifest could not create all of its resources.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from retinue.agents.definition import Instructions
from retinue.agents.schemas import Role
from retinue.core.errors import ValidationFailed
from retinue.core.http.envelope import Body
from retinue.core.http.validation_messages import describe_fields
from retinue.schedules.schemas import CronText
from retinue.tools.schemas import CategoryName
from retinue.webhooks.schemas import Names

ItemType = Literal["agent", "tool", "fleet_template", "extension"]

Name = Annotated[str, Field(min_length=1, max_length=100)]
Skills = Annotated[list[Annotated[str, Field(min_length=1, max_length=64)]], Field(max_length=100)]
_SOURCE_NAME = r"^[a-z][a-z0-9]{1,15}$"
_HTTPS = r"^https://[!-~]+$"
Needs = Literal["none", "optional", "required"]
_OPERATION = r"^[a-z][a-z0-9_]{1,40}$"
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
Parameters = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=64)], Annotated[str, Field(max_length=500)]],
    Field(max_length=30),
]


class AgentManifest(Body):
    """An agent: its role, its instructions, its task and its skills."""

    agent_name: Name = Field(description="Name of the agent.")
    agent_role: Role = Field(description="Role of the agent.")
    instructions: Instructions | None = None
    task: str | None = Field(
        None,
        min_length=1,
        max_length=2000,
        description="Its task when it is deployed. Required if there are no instructions.",
    )
    skills: Skills = Field(default_factory=list, description="Names of the tools that the agent may use.")
    approval: Literal["none", "tainted", "required"] = Field(
        "none",
        description="Whether a person must approve tool calls: see `approval` of an agent. `none` leaves it to the "
        "default for the skills.",
    )
    example: str = Field("", max_length=2000, description="Example of a first request.")

    @model_validator(mode="after")
    def _check_purpose(self) -> Self:
        if not self.instructions and not self.task:
            raise ValueError("has neither instructions nor a task; add instructions that say how the agent works")
        return self


class FleetManifest(Body):
    """A fleet with its agents."""

    fleet_name: Name = Field(description="Name of the fleet.")
    description: str = Field("", max_length=1000, description="Description of the fleet.")
    max_agents: int = Field(5, ge=1, le=100, description="Maximum number of agents.")
    agents: Annotated[list[AgentManifest], Field(min_length=1, max_length=20)] = Field(description="Its agents.")
    example: str = Field("", max_length=2000, description="Example of a first task.")

    @model_validator(mode="after")
    def _check_room(self) -> Self:
        if len(self.agents) > self.max_agents:
            raise ValueError(f"has {len(self.agents)} agents, more than its max_agents of {self.max_agents}")
        return self


class ApiOperation(Body):
    """One GET of an API."""

    name: str = Field(pattern=_OPERATION, description="Second part of the tool's name.")
    path: str = Field(pattern=r"^/[!-~]*$", max_length=500, description="Path with parameters in braces.")
    summary: str = Field(min_length=20, max_length=500, description="Description of the response.")
    required: Parameters = Field(default_factory=dict, description="Required parameters and their descriptions.")
    optional: Parameters = Field(default_factory=dict, description="Optional parameters and their descriptions.")

    @model_validator(mode="after")
    def _check_parameters(self) -> Self:
        if both := sorted(self.required.keys() & self.optional.keys()):
            raise ValueError(f"has {', '.join(both)} in both required and optional")
        # OpenAPI 3.1, Parameter Object: a parameter of the path is always required.
        if loose := [name for name in _PLACEHOLDER.findall(self.path) if name not in self.required]:
            raise ValueError(f"has {{{loose[0]}}} in its path; describe {loose[0] or 'it'} in required")
        return self


class ToolManifest(Body):
    """Tools from an API: a source that is imported without connecting anywhere."""

    source_name: str = Field(pattern=_SOURCE_NAME, description="Prefix of the tools' names.")
    category: CategoryName = Field("web", description="Category of the tools in the catalogue.")
    base_url: str = Field(pattern=_HTTPS, max_length=500, description="Base URL of the API.")
    operations: Annotated[list[ApiOperation], Field(min_length=1, max_length=50)] = Field(
        description="Operations of the API."
    )
    needs: Needs = Field(
        "none",
        description="Whether the API requires a credential, which is provided as a connection after the installation.",
    )

    @model_validator(mode="after")
    def _check_operations(self) -> Self:
        # OpenAPI allows one GET for each path, so a second one would replace the first.
        for field, values in (
            ("name", (one.name for one in self.operations)),
            ("path", (one.path for one in self.operations)),
        ):
            if twice := _duplicates(values):
                raise ValueError(f"has more than one operation with the {field} {twice[0]}")
        return self

    def document(self, title: str) -> dict[str, object]:
        """Build the OpenAPI document of these operations."""
        paths = {one.path: {"get": _operation(one)} for one in self.operations}
        info = {"title": title, "version": "1"}
        return {"openapi": "3.1.0", "info": info, "servers": [{"url": self.base_url}], "paths": paths}


class McpManifest(Body):
    """The tools of an MCP server: a source that waits for its first refresh, which connects."""

    source_name: str = Field(pattern=_SOURCE_NAME, description="Prefix of the tools' names.")
    category: CategoryName = Field("web", description="Category of the tools in the catalogue.")
    server_url: str = Field(pattern=_HTTPS, max_length=500, description="URL of the server (Streamable HTTP).")
    needs: Needs = Field(
        "none", description="Whether the server requires a credential, which is provided as a connection."
    )


class ScheduledWork(Body):
    """A schedule of one of the extension's agents. It is paused until its owner lets it run."""

    name: Name = Field(description="Name of the schedule.")
    agent: int = Field(0, ge=0, le=19, description="Index of the agent, starting at 0.")
    cron: CronText = Field(description="Cron expression.")
    message: str = Field(min_length=1, max_length=2000, description="Message to the agent.")


class Subscription(Body):
    """Events that the extension wants sent to an address of its owner, who enables the endpoint."""

    description: str = Field(min_length=1, max_length=200, description="Purpose of the events.")
    events: Names = Field(description="The events.")


class ExtensionManifest(Body):
    """Agents with schedules of their own, and the events that it wants sent."""

    agents: Annotated[list[AgentManifest], Field(min_length=1, max_length=20)] = Field(description="Its agents.")
    schedules: Annotated[list[ScheduledWork], Field(max_length=20)] = Field(
        default_factory=list, description="Its schedules."
    )
    webhooks: Annotated[list[Subscription], Field(max_length=5)] = Field(
        default_factory=list, description="Events sent to a URL that the user provides during the installation."
    )

    @model_validator(mode="after")
    def _check_parts(self) -> Self:
        if not self.schedules and not self.webhooks:
            raise ValueError("has neither schedules nor webhooks; publish it as an agent or a fleet template instead")
        return self


Manifest = AgentManifest | FleetManifest | ToolManifest | McpManifest | ExtensionManifest
_MANIFESTS: dict[str, type[Manifest]] = {
    "agent": AgentManifest,
    "fleet_template": FleetManifest,
    "tool": ToolManifest,
    "extension": ExtensionManifest,
}


def read_manifest(kind: str, content: Mapping[str, object]) -> Manifest:
    """Validate a manifest of a type. Raises `ValidationFailed`, which lists all mistakes."""
    try:
        manifest = _shape(kind, content).model_validate(content)
    except ValidationError as error:
        raise ValidationFailed(describe_fields(error, "manifest")) from error
    if isinstance(manifest, ExtensionManifest):
        for schedule in manifest.schedules:
            if schedule.agent >= len(manifest.agents):
                raise ValidationFailed(f"manifest.schedules: there is no agent {schedule.agent}. The first agent is 0.")
    return manifest


def _shape(kind: str, content: Mapping[str, object]) -> type[Manifest]:
    return McpManifest if kind == "tool" and "server_url" in content else _MANIFESTS[kind]


def skills_of(manifest: Manifest) -> list[str]:
    """Return the names of the tools that the manifest's agents may use."""
    match manifest:
        case AgentManifest():
            return manifest.skills
        case FleetManifest() | ExtensionManifest():
            return sorted({skill for agent in manifest.agents for skill in agent.skills})
        case ToolManifest() | McpManifest():
            return []


def _duplicates(values: Iterable[str]) -> list[str]:
    return [value for value, times in Counter(values).items() if times > 1]


def _operation(one: ApiOperation) -> dict[str, object]:
    parameters = [
        {
            "name": name,
            "in": "path" if f"{{{name}}}" in one.path else "query",
            "required": required,
            "description": description,
            "schema": {"type": "string"},
        }
        for required, descriptions in ((True, one.required), (False, one.optional))
        for name, description in descriptions.items()
    ]
    return {"operationId": one.name, "summary": one.summary, "parameters": parameters}
