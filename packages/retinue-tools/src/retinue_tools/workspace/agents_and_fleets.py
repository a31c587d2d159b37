"""Agents, fleets, tools and usage of the account."""

from typing import Annotated, Any, Literal, cast

from typing_extensions import TypedDict, get_type_hints

from retinue.sdk import About, Example, ExampleCall, Refusal, tool
from retinue.sdk.workspace import ToolContext
from retinue_tools.workspace._vocabulary import Most, Skipped

_HELPER = "the account of the examples has one agent, Helper, and one fleet, Helpers, to which it belongs"

Message = Annotated[str, About("Task of the agent", "Summarise /june.md", min_length=1, max_length=10_000)]
AgentId = Annotated[int, About("ID of the agent", 7, minimum=1, maximum=2**63 - 1)]
FleetId = Annotated[int, About("ID of the fleet", 3, minimum=1, maximum=2**63 - 1)]
RunId = Annotated[int, About("ID of the run", 41, minimum=1, maximum=2**63 - 1)]
DeploymentId = Annotated[int, About("ID of the deployment", 5, minimum=1, maximum=2**63 - 1)]


class AgentInfo(TypedDict):
    """An agent."""

    id: Annotated[int, About("ID of the agent")]
    name: Annotated[str, About("Name of the agent")]
    role: Annotated[str, About("Role of the agent")]
    status: Annotated[str, About("idle, working or error")]
    task: Annotated[str | None, About("Default task when deployed")]
    skills: Annotated[list[str], About("Names of the allowed tools")]
    fleet_id: Annotated[int | None, About("Fleet of the agent")]


class AgentList(TypedDict):
    """Some agents."""

    agents: list[AgentInfo]
    total: Annotated[int, About("Total number of agents")]


class RunInfo(TypedDict):
    """A run of an agent."""

    run_id: Annotated[int, About("ID of the run, for run_show_status")]
    agent_id: Annotated[int | None, About("Agent of the run; null for a chat")]
    status: Annotated[str, About("queued, running, waiting, completed, failed or cancelled")]
    reply: Annotated[str | None, About("Result; null while it runs")]
    error: Annotated[str | None, About("Reason of the failure or cancellation")]
    tools_used: Annotated[list[str], About("Names of the called tools")]
    tokens_used: Annotated[int, About("Total tokens of all model calls")]


class FleetInfo(TypedDict):
    """A fleet."""

    id: Annotated[int, About("ID of the fleet")]
    name: Annotated[str, About("Name of the fleet")]
    description: Annotated[str, About("Purpose of the fleet")]
    status: Annotated[str, About("active or working")]
    agents: Annotated[int, About("Number of agents")]


class FleetList(TypedDict):
    """Some fleets."""

    fleets: list[FleetInfo]
    total: Annotated[int, About("Total number of fleets")]


class DeploymentInfo(TypedDict):
    """A deployment of a fleet."""

    deployment_id: Annotated[int, About("ID of the deployment, for fleet_show_deployment")]
    fleet_id: Annotated[int, About("Fleet of the deployment")]
    status: Annotated[str, About("running, completed, failed, timed_out or cancelled")]
    agents: Annotated[int, About("Number of participating agents")]
    reply: Annotated[str | None, About("Result; null while it runs")]
    error: Annotated[str | None, About("Reason why it did not complete")]


class FoundTool(TypedDict):
    """A tool in brief."""

    name: Annotated[str, About("Name of the tool")]
    description: Annotated[str, About("What the tool does and when to use it")]
    category: Annotated[str, About("Category of the tool")]


class FoundTools(TypedDict):
    """Some tools."""

    tools: list[FoundTool]


class ToolInfo(FoundTool):
    """A tool with everything needed to call it."""

    tier: Annotated[str, About("Lowest tier whose plans include it")]
    credits: Annotated[int, About("Credits per call")]
    read_only: Annotated[bool, About("Whether it is read-only")]
    destructive: Annotated[bool, About("Whether it may delete or overwrite data")]
    input_schema: Annotated[dict[str, Any], About("JSON Schema of the arguments")]
    examples: Annotated[list[dict[str, Any]], About("Example arguments")]


class Metric(TypedDict):
    """Usage of a metric."""

    metric: Annotated[str, About("Name of the metric")]
    used: Annotated[int, About("Used in this month, or current amount")]
    limit: Annotated[int | None, About("Limit of the plan; null if there is none")]


class Usage(TypedDict):
    """Usage of the account."""

    period: Annotated[str, About("Month as YYYY-MM")]
    plan: Annotated[str, About("Name of the plan")]
    metrics: list[Metric]


def _run(run: dict[str, Any]) -> RunInfo:
    return {
        "run_id": run["id"],
        "agent_id": run["agent_id"],
        "status": run["status"],
        "reply": run["reply"],
        "error": run["error"],
        "tools_used": run["tools_used"],
        "tokens_used": run["tokens_used"],
    }


def _deployment(deployment: dict[str, Any]) -> DeploymentInfo:
    return {
        "deployment_id": deployment["deployment_id"],
        "fleet_id": deployment["fleet_id"],
        "status": deployment["status"],
        "agents": deployment["agents_deployed"],
        "reply": (deployment["result"] or {}).get("reply"),
        "error": deployment["error"],
    }


@tool(
    tags="agent list show my agents who roster skills status",
    use_when=("Which agents do I have?", "Which of my agents is working?", "Which agent could take this work?"),
    idempotent=False,
    examples=(
        Example({}, {"agents": [{"id": 1, "name": "Helper"}], "total": 1}, source=_HELPER),
        Example({"limit": 1, "skip": 1}, {"agents": [], "total": 1}, source=_HELPER),
        Refusal({"limit": 0}, "limit must be at least 1"),
    ),
    reply={
        "agents": "You have {total|agent}: {agents}",
        "total": "You have {total|agent}, but none is in this part of the list.",
        "": "You have no agents yet.",
    },
)
async def agent_list(context: ToolContext, limit: Most = 50, skip: Skipped = 0) -> AgentList:
    """List the agents of the account with roles, tasks, skills and what they are doing, newest first.

    Use it to choose an agent for a task. The credential needs the scope agents:read.
    """
    agents, total = await context.platform.agents(limit, skip)
    listed: list[AgentInfo] = [
        {
            "id": agent["id"],
            "name": agent["agent_name"],
            "role": agent["agent_role"],
            "status": agent["status"],
            "task": agent.get("task"),
            "skills": agent["skills"],
            "fleet_id": agent["fleet_id"],
        }
        for agent in agents
    ]
    return {"agents": listed, "total": total}


@tool(
    tags="agent run task delegate background start work give",
    use_when=(
        "Let agent 7 summarise the report in the background",
        "Delegate this research to another agent",
        "Give the writing agent a task and go on",
    ),
    read_only=False,
    open_world=True,
    idempotent=False,
    examples=(
        Example({"agent_id": 1, "message": "Hello"}, {"agent_id": 1, "reply": None}, source=_HELPER),
        Example({"agent_id": 1, "message": "Hello", "tools": []}, {"agent_id": 1}, source=_HELPER),
        Refusal({"agent_id": 2**62, "message": "Hello"}, "There is no agent"),
    ),
    reply={
        "error": "The run of agent {agent_id} did not succeed: {error}",
        "reply": "Agent {agent_id} answered: {reply}",
        "agent_id": "Agent {agent_id} is at work on it; the run has the number {run_id}.",
        "": "It is running in the background under the number {run_id}.",
    },
)
async def agent_run_task(
    context: ToolContext,
    agent_id: AgentId,
    message: Message,
    tools: Annotated[
        list[Annotated[str, About("Name of a tool", "file_read", max_length=64)]],
        About("Tools for this run, instead of the agent's skills", ["file_read"], max_items=100),
    ]
    | None = None,
) -> RunInfo:
    """Run an agent of the account (put it to work) in the background, and return at once with its run.

    run_show_status returns its result later. Such a run cannot start other runs. The credential needs the scope
    agents:write.
    """
    return _run(await context.platform.begin_run(agent_id, message, tools))


@tool(
    tags="run status result agent background finished reply check",
    use_when=("Has run 41 finished?", "What did the agent answer?", "Check on the background run"),
    idempotent=False,
    examples=(
        Example(
            {"run_id": 1},
            {"run_id": 1, "agent_id": 1},
            source=_HELPER,
            before=(ExampleCall("agent_run_task", {"agent_id": 1, "message": "Hello"}),),
        ),
        Refusal({"run_id": 2**62}, "There is no run"),
    ),
    reply={
        "error": "Run {run_id} is {status}: {error}",
        "reply": "Run {run_id} is {status}. The answer: {reply}",
        "": "Run {run_id} is {status}.",
    },
)
async def run_show_status(context: ToolContext, run_id: RunId) -> RunInfo:
    """Show the status of a run and, once it has ended, its answer. The credential needs the scope agents:read."""
    return _run(await context.platform.run(run_id))


@tool(
    tags="fleet list show my fleets teams groups agents",
    use_when=("Which fleets do I have?", "Which teams of agents are there?", "Is a fleet working right now?"),
    idempotent=False,
    examples=(
        Example({}, {"fleets": [{"id": 1, "name": "Helpers", "agents": 1}], "total": 1}, source=_HELPER),
        Example({"limit": 1, "skip": 1}, {"fleets": []}, source=_HELPER),
        Refusal({"limit": 0}, "limit must be at least 1"),
    ),
    reply={
        "fleets": "You have {total|fleet}: {fleets}",
        "total": "You have {total|fleet}, but none is in this part of the list.",
        "": "You have no fleets yet.",
    },
)
async def fleet_list(context: ToolContext, limit: Most = 50, skip: Skipped = 0) -> FleetList:
    """List the fleets of the account with the purpose of each, newest first. The credential needs the scope
    fleets:read.
    """
    fleets, total = await context.platform.fleets(limit, skip)
    listed: list[FleetInfo] = [
        {
            "id": fleet["id"],
            "name": fleet["name"],
            "description": fleet["description"],
            "status": fleet["status"],
            "agents": fleet["agent_count"],
        }
        for fleet in fleets
    ]
    return {"fleets": listed, "total": total}


@tool(
    tags="fleet run task deploy team agents parallel sequential background",
    use_when=(
        "Let fleet 3 work on this question in parallel",
        "Deploy my research team on a task",
        "Have all agents of the fleet answer this",
    ),
    read_only=False,
    open_world=True,
    idempotent=False,
    examples=(
        Example({"fleet_id": 1, "task": "Hello"}, {"fleet_id": 1, "status": "running", "agents": 1}, source=_HELPER),
        Example({"fleet_id": 1, "task": "Hello", "strategy": "sequential"}, {"fleet_id": 1}, source=_HELPER),
        Refusal({"fleet_id": 2**62, "task": "Hello"}, "There is no fleet"),
    ),
    reply={
        "error": "The fleet did not complete the task: {error}",
        "reply": "The fleet answered: {reply}",
        "agents": "{agents|agent} of fleet {fleet_id} began the task; the deployment has the number {deployment_id}.",
        "": "Fleet {fleet_id} began the task.",
    },
)
async def fleet_run_task(
    context: ToolContext,
    fleet_id: FleetId,
    task: Annotated[str, About("Task of the fleet", "Compare three hosting offers", min_length=1, max_length=2000)],
    strategy: Annotated[
        Literal["parallel", "sequential", "round-robin"], About("Division of work among the agents")
    ] = "parallel",
) -> DeploymentInfo:
    """Start the agents of a fleet to work on one task in the background, and return at once.

    fleet_show_deployment returns the result later. The credential needs the scope fleets:write.
    """
    return _deployment(await context.platform.deploy(fleet_id, task, strategy))


@tool(
    tags="fleet deployment status result finished team reply",
    use_when=("Has deployment 5 of fleet 3 finished?", "What did the team come up with?", "How far is the fleet?"),
    idempotent=False,
    examples=(
        Example(
            {"fleet_id": 1, "deployment_id": 1},
            {"deployment_id": 1, "agents": 1},
            source=_HELPER,
            before=(ExampleCall("fleet_run_task", {"fleet_id": 1, "task": "Hello"}),),
        ),
        Refusal({"fleet_id": 2**62, "deployment_id": 1}, "There is no fleet"),
    ),
    reply={
        "error": "Deployment {deployment_id} did not complete: {error}",
        "reply": "Deployment {deployment_id} is {status}. The answer: {reply}",
        "": "Deployment {deployment_id} is {status}.",
    },
)
async def fleet_show_deployment(context: ToolContext, fleet_id: FleetId, deployment_id: DeploymentId) -> DeploymentInfo:
    """Show the status of the work of a fleet and, once it has ended, its result.

    The credential needs the scope fleets:read.
    """
    return _deployment(await context.platform.deployment(fleet_id, deployment_id))


@tool(
    tags="tool search find catalogue which capability discover",
    use_when=(
        "Is there a tool that converts currencies?",
        "Which tool can count words?",
        "Find a tool for working out loan payments",
    ),
    examples=(
        Example(
            {"query": "remember a value under a key with kv_set", "category": "workspace", "limit": 1},
            {"tools": [{"name": "kv_set", "category": "workspace"}]},
            source="the tool's own description",
        ),
        Example({"query": "note_create", "limit": 1}, {"tools": [{"name": "note_create"}]}, source="its name"),
        Refusal({"query": ""}, "query must have at least 1 character"),
    ),
    reply={
        "tools.1": "These tools fit: {tools}",
        "tools.0.name": "The tool is {tools.0.name}.",
        "": "There is no such tool.",
    },
)
async def tool_search(
    context: ToolContext,
    query: Annotated[str, About("Description of the task in plain words", "count words", min_length=1, max_length=500)],
    category: Annotated[str, About("Only this category", "text", max_length=40)] | None = None,
    limit: Annotated[int, About("Maximum number of results", 5, minimum=1, maximum=20)] = 8,
) -> FoundTools:
    """Find tools of the catalogue for a task that is to be done, best first.

    Use it if none of the available tools fits; tool_describe then shows how to call one.
    """
    found = await context.platform.find_tools(query, category, limit)
    return {"tools": [cast("FoundTool", one) for one in found]}


@tool(
    tags="tool describe schema arguments examples help usage how",
    use_when=(
        "What arguments does kv_set take?",
        "How do I call loan_compute_payment?",
        "Show an example of file_edit",
    ),
    examples=(
        Example(
            {"tool": "note_delete"},
            {"name": "note_delete", "category": "workspace", "read_only": False, "destructive": True},
            source="its declaration",
        ),
        Refusal({"tool": "no_such_tool"}, "There is no tool"),
    ),
    reply="{name}: {description}",
)
async def tool_describe(
    context: ToolContext, tool: Annotated[str, About("Name of the tool", "file_edit", min_length=1, max_length=64)]
) -> ToolInfo:
    """Show what a tool does, the schema of its arguments, its cost, and example arguments."""
    fields = await context.platform.tool(tool)
    return cast("ToolInfo", {name: fields[name] for name in get_type_hints(ToolInfo)})


@tool(
    tags="usage report quota limit plan storage credits consumption month",
    use_when=(
        "How much of my plan have I used?",
        "How many tool calls are left this month?",
        "How full is my storage?",
    ),
    idempotent=False,
    examples=(
        Example(
            {"metric": "voice_minutes"}, {"plan": "enterprise", "metrics": [{"used": 0}]}, source="nothing was said"
        ),
        Example({}, {"plan": "enterprise"}, source="the plan of the account"),
        Refusal({"metric": "apples"}, "must be one of"),
    ),
    reply="You are on the plan {plan}; in {period} you have used: {metrics}",
)
async def usage_show_report(
    context: ToolContext,
    metric: Annotated[
        Literal["api_calls", "tools_executed", "agents_active", "fleets_active", "voice_minutes", "storage_mb"],
        About("Only this metric"),
    ]
    | None = None,
) -> Usage:
    """Show the usage of the account for each metric in this month, with the limits of its plan.

    The credential needs the scope usage:read.
    """
    report = await context.platform.usage()
    metrics: list[Metric] = [
        {"metric": name, "used": value["used"], "limit": value["limit"]}
        for name, value in report.items()
        if isinstance(value, dict) and "used" in value and metric in (None, name)
    ]
    return {"period": report["period"], "plan": report["plan"], "metrics": metrics}
