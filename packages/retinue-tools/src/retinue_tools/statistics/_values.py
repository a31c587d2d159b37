"""Shared by the statistics tools: samples, confidence, and finite results."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from retinue.sdk import About, ToolError

Value = Annotated[float, About("A number", 5.1, minimum=-1e15, maximum=1e15)]
Sample = Annotated[
    list[Value], About("Measured values of one sample", [5.1, 4.9, 6.2, 5.8, 6.0], min_items=2, max_items=10_000)
]
OtherSample = Annotated[
    list[Value], About("Measured values of the second sample", [6.8, 7.1, 6.5, 7.4, 6.9], min_items=2, max_items=10_000)
]
Groups = Annotated[
    list[Sample],
    About("Two or more samples, one list of values each", [[4.2, 5.6, 5.2], [4.8, 4.2, 4.4], [6.3, 5.1, 5.5]],
          min_items=2, max_items=50),
]  # fmt: skip
Confidence = Annotated[float, About("Confidence level, 0.95 for 95 %", minimum=0.5, maximum=0.9999)]
Alternative = Annotated[
    Literal["two_sided", "greater", "less"],
    About("Alternative hypothesis: any difference, or only the first (or the value) being greater or less"),
]
Seed = Annotated[int, About("Seed that makes the random draws repeatable", minimum=0, maximum=2**31)]

PValue = Annotated[float, About("Probability of a result at least this extreme if there is no effect")]
Interval = Annotated[list[float], About("Lower and upper bound")]
OpenInterval = Annotated[list[float | None], About("Lower and upper bound; null if unbounded")]

SCIPY_NAMES = {"two_sided": "two-sided", "greater": "greater", "less": "less"}
"""Names of the alternatives in SciPy and statsmodels."""


@contextmanager
def compute() -> Iterator[None]:
    """Convert errors of numeric libraries to `ToolError`. Used around every tool that calls them."""
    try:
        yield
    except (ValueError, ArithmeticError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:300].rstrip(".")
        raise ToolError(f"This cannot be computed from these values: {reason}.") from error


def number(value: Any) -> float:
    """Return a plain float. Raises `ToolError` if it is not finite."""
    plain = float(value)
    if not math.isfinite(plain):
        raise ToolError("The values do not determine a finite result: they vary too little, or there are too few.")
    return plain


def figure(value: Any) -> float | None:
    """Return a plain float, or None if it is not defined."""
    plain = float(value)
    return plain if math.isfinite(plain) else None


def interval(low: Any, high: Any) -> list[float]:
    """Return two finite bounds. Raises `ToolError`."""
    return [number(low), number(high)]


def open_interval(low: Any, high: Any) -> list[float | None]:
    """Return two bounds, one of which may be infinite."""
    return [figure(low), figure(high)]


def check_same_length(first: list[float], second: list[float]) -> None:
    """Raise `ToolError` unless two samples can be paired."""
    if len(first) != len(second):
        raise ToolError(f"The values are paired, but there are {len(first)} of one and {len(second)} of the other.")


def check_varied(values: list[float], what: str = "sample") -> None:
    """Raise `ToolError` if all values are equal."""
    if min(values) == max(values):
        raise ToolError(f"All values of the {what} are equal, so there is no variation to test.")


def check_total(groups: list[list[float]], most: int = 50_000) -> None:
    """Raise `ToolError` if the groups contain too many values in total."""
    if sum(map(len, groups)) > most:
        raise ToolError(f"The groups contain more than {most} values in total. Send fewer.")
