"""Routes of simulations."""

from typing import Annotated

from fastapi import Depends, Path, Query

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, PathId, listing, one
from retinue.core.http.operations import Api, record_of, recover_record
from retinue.simulations.schemas import (
    ConversationFilter,
    SimulatedView,
    SimulationCreate,
    SimulationDeleted,
    SimulationDetails,
    SimulationFilter,
    SimulationView,
)
from retinue.simulations.service import Simulations

SimulationId = Annotated[PathId, Path(description="ID of the simulation.")]

_simulations = of_caller(Simulations)

SimulationsOfCaller = Annotated[Simulations, Depends(_simulations)]

api = Api("simulations", record=record_of(_simulations))
_recover = recover_record(_simulations, "simulation", Data[SimulationDetails], 201)


@api.post("/simulations", scope="agents:write", status=201, response_model=Data[SimulationDetails], recover=_recover)
async def create_simulation(body: SimulationCreate, simulations: SimulationsOfCaller) -> Envelope:
    """Create a simulation: people played by a model talk with an agent, and a judge rates each conversation.

    It starts at once. Each scenario gives `repeat` conversations.
    """
    return one(await simulations.create(body))


@api.get("/simulations", scope="agents:read", response_model=Listing[SimulationView])
async def list_simulations(
    wanted: Annotated[SimulationFilter, Query()], simulations: SimulationsOfCaller
) -> ListEnvelope:
    """List your simulations, newest first."""
    return listing(await simulations.page(wanted), wanted)


@api.get("/simulations/{id}", scope="agents:read", response_model=Data[SimulationDetails])
async def get_simulation(id: SimulationId, simulations: SimulationsOfCaller) -> Envelope:
    """Retrieve a simulation with its progress and results."""
    return one(await simulations.get(id))


@api.get("/simulations/{id}/conversations", scope="agents:read", response_model=Listing[SimulatedView])
async def list_simulated_conversations(
    id: SimulationId, wanted: Annotated[ConversationFilter, Query()], simulations: SimulationsOfCaller
) -> ListEnvelope:
    """List the conversations of a simulation that have begun, in order, with their transcripts and verdicts."""
    return listing(await simulations.conversations(id, wanted), wanted)


@api.post("/simulations/{id}/cancel", scope="agents:write", response_model=Data[SimulationDetails])
async def cancel_simulation(id: SimulationId, simulations: SimulationsOfCaller) -> Envelope:
    """Cancel a simulation with its open conversations. A simulation that has ended is not changed."""
    return one(await simulations.cancel(id))


@api.delete("/simulations/{id}", scope="agents:write", response_model=Data[SimulationDeleted])
async def delete_simulation(id: SimulationId, simulations: SimulationsOfCaller) -> Envelope:
    """Cancel a simulation, and delete it with the chats of its conversations."""
    await simulations.delete(id)
    return one({"id": id, "deleted": True})
