"""The errors of runs that ended without a reply, as their clients receive them."""

from retinue.core.database.statements import Row
from retinue.core.errors import NO_RETRY, Cancelled, RetinueError, Unavailable

RUN_ID = "X-Run-Id"
"""The header with the id of the run that failed. `GET /runs/{id}` shows its steps."""


def stored_failure(run: Row) -> RetinueError:
    """Return the error of a run that has ended without completing, from its record.

    Clients do not repeat the request, because the run may have taken effect before it ended.
    """
    reason = run.error or f"The run was {run.status}."
    error = Cancelled(reason) if run.status == "cancelled" else Unavailable(reason, dict(NO_RETRY))
    error.headers[RUN_ID] = str(run.id)
    return error
