"""Mixed-integer programs of common kinds, solved with HiGHS."""

from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse

from retinue.sdk import ToolError

SECONDS = 10.0


def solve(
    costs: Any, matrix: Any, lower: Any, upper: Any, bounds: tuple[Any, Any] = (0, 1), integral: Any = 1
) -> tuple[Any, float, bool]:
    """Minimise costs x with lower <= matrix x <= upper. Returns (x, value, whether optimal). Raises `ToolError`."""
    result = scipy.optimize.milp(
        np.asarray(costs, dtype=float),
        integrality=np.broadcast_to(integral, len(costs)),
        bounds=scipy.optimize.Bounds(*bounds),
        constraints=scipy.optimize.LinearConstraint(scipy.sparse.csr_array(matrix), lower, upper),
        options={"time_limit": SECONDS},
    )
    if result.x is None:
        raise ToolError(REASONS.get(result.status, "No solution was found in time. Make the problem smaller."))
    return result.x, float(result.fun), result.status == 0


REASONS = {
    2: "No solution fulfils all conditions. Loosen one of them.",
    3: "The objective can grow without bound. Add bounds or conditions.",
    4: "The problem has no solution, or the objective can grow without bound.",
}


def fewest(groups: list[list[int]], costs: list[float]) -> tuple[list[int], bool]:
    """Return the cheapest choice of columns that covers every group, and whether it is proved optimal."""
    rows = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    columns = np.concatenate([np.array(group, dtype=int) for group in groups])
    matrix = scipy.sparse.csr_array((np.ones(len(columns)), (rows, columns)), shape=(len(groups), len(costs)))
    x, _, optimal = solve(costs, matrix, 1, np.inf)
    return [int(place) for place in np.flatnonzero(x > 0.5)], optimal
