"""Routes of agents."""

from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.agents.schemas import (
    AgentCreate,
    AgentDeleted,
    AgentUpdate,
    AgentView,
    DeployRequest,
    Executed,
    ExecuteRequest,
)
from retinue.agents.service import Agents
from retinue.agents.views import AgentViews
from retinue.agents.work import AgentWork, require_one_way
from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, json_response, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.core.idempotency.keys import RecordIds
from retinue.runs.schemas import RunFilter, RunView
from retinue.runs.service import Runs
from retinue.runs.views import RunViews
from retinue.runs.watching.sse_responses import stream, wait_until_ended, wait_while_connected

AgentId = Annotated[PathId, Path(description="ID of the agent.")]
PageQuery = Annotated[Page, Query()]

_agents = of_caller(Agents)
_views = of_caller(AgentViews)
_work = of_caller(AgentWork)
_runs = of_caller(Runs)
_run_views = of_caller(RunViews)

AgentsOfCaller = Annotated[Agents, Depends(_agents)]
ViewsOfCaller = Annotated[AgentViews, Depends(_views)]
RunViewsOfCaller = Annotated[RunViews, Depends(_run_views)]
WorkOfCaller = Annotated[AgentWork, Depends(_work)]

api = Api("agents", record=record_of(_agents))
_recover_create = recover_record(_views, "agent", Data[AgentView], 201)
_recover_deploy = recover_record(_views, "agent", Data[AgentView])


async def _recover_execute(request: Request, effect: RecordIds) -> Response:
    runs = await _runs(request)
    run = await runs.get(effect["run"])
    if not run.attached:
        return json_response(Data[RunView], await (await _run_views(request)).one(run), 202)
    return json_response(Data[Executed], await runs.answer(run.id))


@api.post("/agents", scope="agents:write", status=201, response_model=Data[AgentView], recover=_recover_create)
async def create_agent(body: AgentCreate, agents: AgentsOfCaller, views: ViewsOfCaller) -> Envelope:
    """Create an agent."""
    return one(await views.one(await agents.create(body)))


@api.get("/agents", scope="agents:read", response_model=Listing[AgentView])
async def list_agents(page: PageQuery, views: ViewsOfCaller) -> ListEnvelope:
    """List your agents, newest first."""
    return listing(await views.page(page), page)


@api.get("/agents/{id}", scope="agents:read", response_model=Data[AgentView])
async def get_agent(id: AgentId, views: ViewsOfCaller) -> Envelope:
    """Retrieve an agent."""
    return one(await views.get(id))


@api.put("/agents/{id}", scope="agents:write", response_model=Data[AgentView])
async def update_agent(id: AgentId, body: AgentUpdate, agents: AgentsOfCaller, views: ViewsOfCaller) -> Envelope:
    """Update the fields that are sent.

    Null clears the task and the budgets, detaches the agent from its fleet, and restores the default of `approval`.
    """
    return one(await views.one(await agents.update(id, body)))


@api.delete("/agents/{id}", scope="agents:write", response_model=Data[AgentDeleted])
async def delete_agent(id: AgentId, work: WorkOfCaller) -> Envelope:
    """Cancel the agent's runs and delete the agent, unless other agents may call it.

    The error names these agents. Take the agent out of their `agents` first. A schedule of a deleted agent is
    disabled when it is due, with the event schedule.failed.
    """
    await work.delete(id)
    return one({"id": id, "agent_id": id, "deleted": True})


@api.post(
    "/agents/{id}/execute",
    scope="agents:write",
    response_model=Data[Executed],
    responses={202: {"model": Data[RunView], "description": "Accepted; the run continues in the background"}},
    streams=True,
    recover=_recover_execute,
)
async def execute_agent(
    id: AgentId, body: ExecuteRequest, request: Request, work: WorkOfCaller, runs: RunViewsOfCaller
) -> Envelope | Response:
    """Execute an agent and return its reply, stream it, or run in the background.

    A run that waits for an approval also returns 202, and continues in the background.
    """
    require_one_way(body)
    if body.background:
        return json_response(Data[RunView], await runs.one(await work.execute_in_background(id, body)), 202)
    live = await work.execute(id, body)
    if body.stream:
        return await stream(live, work.dispatch.runner, {})
    await wait_while_connected(request, live, work.dispatch.runner)
    if live.outcome == "waiting":
        return json_response(Data[RunView], await runs.get(live.run.id), 202)
    return one(await wait_until_ended(live))


@api.post("/agents/{id}/deploy", scope="agents:write", response_model=Data[AgentView], recover=_recover_deploy)
async def deploy_agent(id: AgentId, body: DeployRequest, work: WorkOfCaller, views: ViewsOfCaller) -> Envelope:
    """Start the agent's task in the background. An agent without a task waits until it is stopped."""
    return one(await views.one(await work.deploy(id, body.priority)))


@api.post("/agents/{id}/stop", scope="agents:write", response_model=Data[AgentView])
async def stop_agent(id: AgentId, work: WorkOfCaller, views: ViewsOfCaller) -> Envelope:
    """Stop the agent's runs and return the agent to idle."""
    return one(await views.one(await work.stop(id)))


@api.get("/agents/{id}/runs", scope="agents:read", response_model=Listing[RunView])
async def list_runs(
    id: AgentId, wanted: Annotated[RunFilter, Query()], work: WorkOfCaller, views: RunViewsOfCaller
) -> ListEnvelope:
    """List the runs of an agent, newest first."""
    rows, total = await work.runs(id, wanted)
    return listing((await views.each(rows), total), wanted)
