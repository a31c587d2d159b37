"""The rules of simulations."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.core.database.statements import Statement
from retinue.simulations.tables import OPEN, RUNNING, conversations, simulations

_BEGUN = (
    sa.select(sa.func.count())
    .select_from(conversations)
    .where(conversations.c.simulation_id == simulations.c.id)
    .scalar_subquery()
)
_AT_WORK = sa.exists().where(conversations.c.simulation_id == simulations.c.id, RUNNING)

RULES: Mapping[str, Statement] = {
    "a simulation has ended while its conversations go on": Statement(
        sa.select(simulations.c.id).where(~OPEN, _AT_WORK)
    ),
    "all conversations of a simulation have ended, but not the simulation": Statement(
        sa.select(simulations.c.id).where(OPEN, simulations.c.begun == simulations.c.total, ~_AT_WORK)
    ),
    "a simulation has another number of conversations than it says": Statement(
        sa.select(simulations.c.id).where(simulations.c.begun != _BEGUN)
    ),
    "a simulated conversation goes on without a run": Statement(
        sa.select(conversations.c.id)
        .join(simulations, simulations.c.id == conversations.c.simulation_id)
        .where(RUNNING, conversations.c.run_id.is_(None), simulations.c.mode == "text")
    ),
}
