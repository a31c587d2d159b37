"""Routes of tools."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.errors import ValidationFailed
from retinue.core.http.envelope import Counted, Data, Envelope, ListEnvelope, Listing, Page, json_response, listing, one
from retinue.core.http.operations import Api
from retinue.tools.imports.mcp.direct_answers import Answers, DirectAnswers
from retinue.tools.schemas import CategoryView, ToolQuery, ToolResult, ToolRun, ToolView
from retinue.tools.service import STARTED, Tools

ToolName = Annotated[str, Path(max_length=200, description="Name of the tool.")]


class CategoryPage(Page):
    """Only return tools of this category."""

    per_page: Counted = Field(100, ge=1, le=100, description="Number of records per page.")


_tools = of_caller(Tools)


async def _record(request: Request) -> object:
    return await (await _tools(request)).admit(request.path_params["name"])


ToolsOfCaller = Annotated[Tools, Depends(_tools)]

api = Api("tools", record=_record)


async def _execute(request: Request, effect: Mapping[str, object]) -> Response:
    if STARTED in effect:
        raise ValidationFailed(
            f"The server stopped while the tool {effect[STARTED]} was running. It is not known whether it "
            "took effect. Check, and if it did not, send the request again with a new Idempotency-Key."
        )
    return json_response(Data[ToolResult], effect)


@api.get("/tools", scope="tools:read", response_model=Listing[ToolView])
async def list_tools(query: Annotated[ToolQuery, Query()], tools: ToolsOfCaller) -> ListEnvelope:
    """List or search the tools of the catalogue and your imported tools.

    Searches are sorted by relevance, lists by name.
    """
    known = await tools.all()
    total, hits = known.search(query.search or query.q, query.category, query.tier, query.offset, query.per_page)
    views = [ToolView.model_validate(tool).model_copy(update={"score": score}) for tool, score in hits]
    return listing((views, total), query)


@api.get("/tools/categories", scope="tools:read", response_model=Listing[CategoryView])
async def list_categories(page: Annotated[CategoryPage, Query()], tools: ToolsOfCaller) -> ListEnvelope:
    """List the categories with their numbers of tools."""
    known = await tools.all()
    categories = [{"slug": slug, "name": name, "count": count} for slug, name, count in known.categories()]
    return listing((categories[page.offset : page.offset + page.per_page], len(categories)), page)


@api.get("/tools/{name}", scope="tools:read", response_model=Data[ToolView])
async def get_tool(name: ToolName, tools: ToolsOfCaller) -> Envelope:
    """Retrieve a tool with the schema of its arguments."""
    return one(await tools.get(name))


@api.post("/tools/{name}/execute", scope="tools:execute", response_model=Data[ToolResult], recover=_execute)
async def execute_tool(name: ToolName, body: ToolRun, tools: ToolsOfCaller) -> Envelope:
    """Execute a tool."""
    await tools.admit(name)
    given = DirectAnswers([(each.question, each.answer) for each in body.answers or ()])
    return one(await tools.execute(name, body.args, answers=Answers(given.ask)))
