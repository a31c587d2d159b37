"""What an item is made of: one manifest for each type. A manifest holds data, and never code."""

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from retinue.agents.schemas import Role
from retinue.core.envelope import Body
from retinue.core.errors import ValidationFailed
from retinue.core.problems import describe
from retinue.tools.schemas import CategoryName

ItemType = Literal["agent", "tool", "fleet_template", "extension"]

Name = Annotated[str, Field(min_length=1, max_length=100)]
Skills = Annotated[list[Annotated[str, Field(min_length=1, max_length=64)]], Field(max_length=100)]
_OPERATION = r"^[a-z][a-z0-9_]{1,40}$"


class AgentManifest(Body):
    """An agent: its role, its instructions and its skills."""

    agent_name: Name = Field(description="What the agent is called.")
    agent_role: Role = Field(description="How it works.")
    task: str = Field(min_length=1, max_length=2000, description="Its instructions.")
    skills: Skills = Field(default_factory=list, description="Names of the tools that it may use.")
    approval: Literal["none", "required"] = Field(
        "none", description="Whether a person approves what cannot be undone."
    )
    example: str = Field("", max_length=2000, description="A first request to try.")


class FleetManifest(Body):
    """A fleet with its agents."""

    fleet_name: Name = Field(description="What the fleet is called.")
    description: str = Field("", max_length=1000, description="What the fleet is for.")
    max_agents: int = Field(5, ge=1, le=100, description="How many agents it may have.")
    agents: Annotated[list[AgentManifest], Field(min_length=1, max_length=20)] = Field(description="Its agents.")
    example: str = Field("", max_length=2000, description="A first task to deploy it on.")


class ApiOperation(Body):
    """One GET of an API."""

    name: str = Field(pattern=_OPERATION, description="The second part of the tool's name.")
    path: str = Field(pattern=r"^/[!-~]*$", max_length=500, description="The path; parameters stand in braces.")
    summary: str = Field(min_length=20, max_length=500, description="What it answers.")
    required: dict[str, str] = Field(default_factory=dict, description="Parameters that must be given, described.")
    optional: dict[str, str] = Field(default_factory=dict, description="Parameters that may be left out, described.")


class ToolManifest(Body):
    """Tools from an API: a source that is imported without connecting anywhere."""

    source_name: str = Field(pattern=r"^[a-z][a-z0-9]{1,15}$", description="What the names of the tools begin with.")
    category: CategoryName = Field("web", description="Where the tools are in the catalogue.")
    base_url: str = Field(pattern=r"^https://[!-~]+$", max_length=500, description="Where the API is.")
    operations: Annotated[list[ApiOperation], Field(min_length=1, max_length=50)] = Field(description="What it offers.")
    needs: Literal["none", "optional", "required"] = Field(
        "none", description="Whether the API wants a credential, which is given as a connection afterwards."
    )

    def document(self, title: str) -> dict[str, Any]:
        """The OpenAPI document of these operations."""
        paths = {one.path: {"get": _operation(one)} for one in self.operations}
        info = {"title": title, "version": "1"}
        return {"openapi": "3.1.0", "info": info, "servers": [{"url": self.base_url}], "paths": paths}


class ScheduledWork(Body):
    """A schedule of one of the extension's agents. It is paused until its owner lets it run."""

    name: Name = Field(description="What the schedule is called.")
    agent: int = Field(0, ge=0, le=19, description="Which of the agents, counted from 0.")
    cron: str = Field(min_length=1, max_length=200, description="When, as a cron expression.")
    message: str = Field(min_length=1, max_length=2000, description="What the agent is asked.")


class ExtensionManifest(Body):
    """Agents with schedules of their own."""

    agents: Annotated[list[AgentManifest], Field(min_length=1, max_length=20)] = Field(description="Its agents.")
    schedules: Annotated[list[ScheduledWork], Field(min_length=1, max_length=20)] = Field(description="Its schedules.")


Manifest = AgentManifest | FleetManifest | ToolManifest | ExtensionManifest
_MANIFESTS: dict[str, type[Manifest]] = {
    "agent": AgentManifest,
    "fleet_template": FleetManifest,
    "tool": ToolManifest,
    "extension": ExtensionManifest,
}


def read_manifest(kind: str, content: dict[str, Any]) -> Manifest:
    """The checked manifest of a type. Raises `ValidationFailed`, which names every mistake."""
    try:
        manifest = _MANIFESTS[kind].model_validate(content)
    except ValidationError as error:
        problems = [{**problem, "loc": ("body", "manifest", *problem["loc"])} for problem in error.errors()]
        raise ValidationFailed(describe(problems)) from error
    if isinstance(manifest, ExtensionManifest):
        for schedule in manifest.schedules:
            if schedule.agent >= len(manifest.agents):
                raise ValidationFailed(f"manifest.schedules: there is no agent {schedule.agent}; the first one is 0.")
    return manifest


def skills_of(manifest: Manifest) -> list[str]:
    """The tools that the agents of a manifest may use."""
    match manifest:
        case AgentManifest():
            return manifest.skills
        case FleetManifest() | ExtensionManifest():
            return sorted({skill for agent in manifest.agents for skill in agent.skills})
        case ToolManifest():
            return []


def _operation(one: ApiOperation) -> dict[str, Any]:
    parameters = [
        {
            "name": name,
            "in": "path" if f"{{{name}}}" in one.path else "query",
            "required": required,
            "description": description,
            "schema": {"type": "string"},
        }
        for required, named in ((True, one.required), (False, one.optional))
        for name, description in named.items()
    ]
    return {"operationId": one.name, "summary": one.summary, "parameters": parameters}
