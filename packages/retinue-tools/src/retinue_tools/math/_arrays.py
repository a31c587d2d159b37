"""Matrices and points as arrays of doubles."""

from typing import Annotated, Any

import numpy as np

from retinue.sdk import About, ToolError

Row = Annotated[list[float], About("Row", [1, 2], min_items=1, max_items=60)]
Matrix = Annotated[list[Row], About("Matrix, row by row", [[1, 2], [3, 4]], min_items=1, max_items=60)]
ExactRow = Annotated[
    list[Annotated[str, About("Number or expression", max_length=60)]], About("Row", ["1", "1/2"], max_items=10)
]
ExactMatrix = Annotated[
    list[ExactRow],
    About(
        "Matrix, row by row, of exact numbers or expressions as text",
        [["2", "1/2"], ["0", "3"]],
        min_items=1,
        max_items=10,
    ),
]
Table = Annotated[list[list[float]], About("Matrix, row by row")]


def array(rows: list[list[float]]) -> Any:
    """Return a matrix with finite entries. Raises `ToolError` if its rows differ in length."""
    if len({len(row) for row in rows}) != 1:
        raise ToolError("All rows of a matrix must have the same number of entries.")
    found = np.array(rows, dtype=float)
    if np.abs(found).max() > 1e150:
        raise ToolError("The entries of a matrix must be below 1e150.")
    return found


def square(rows: list[list[float]]) -> Any:
    """Return a square matrix."""
    found = array(rows)
    if found.shape[0] != found.shape[1]:
        raise ToolError(f"A square matrix is required, not {found.shape[0]} x {found.shape[1]}.")
    return found


def finite(values: Any) -> Any:
    """Return an array as lists of numbers. Raises `ToolError` if any is not finite."""
    if not np.isfinite(values).all():
        raise ToolError("The result contains numbers that are not finite. Use smaller entries.")
    return values.tolist()
