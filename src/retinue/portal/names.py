"""The names of agents and fleets that records refer to by their ids."""

from collections.abc import Iterable

from retinue.agents.service import Agents
from retinue.core.errors import NotFound
from retinue.fleets.service import Fleets
from retinue.portal.page import Page


async def agent_names(page: Page, ids: Iterable[int | None]) -> dict[int, str]:
    """Names by ids. An agent that was deleted is left out."""
    agents, found = page.service(Agents), {}
    for agent_id in {one for one in ids if one}:
        try:
            found[agent_id] = (await agents.get(agent_id)).agent_name
        except NotFound:
            continue
    return found


async def fleet_names(page: Page, ids: Iterable[int | None]) -> dict[int, str]:
    """Names by ids. A fleet that was deleted is left out."""
    fleets, found = page.service(Fleets), {}
    for fleet_id in {one for one in ids if one}:
        try:
            found[fleet_id] = (await fleets.get(fleet_id)).name
        except NotFound:
            continue
    return found
