"""Interdependent quantities: the missing ones are computed from those given."""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence

from retinue.sdk import ToolError

Rule = tuple[str, Callable[..., float]]
"""A quantity, and a function that computes it from the quantities named by its parameters."""

_AGREEMENT = 0.01


def complete(
    values: Mapping[str, float | None], rules: Sequence[Rule], laws: Sequence[Rule] | None = None
) -> dict[str, float]:
    """Compute all quantities of the rules. `laws` are the rules that must hold in the result, by default all of them.

    Raises `ToolError` if too few are given, if they contradict each other by more than 1 %, or if no real number
    satisfies them.
    """
    known = {name: float(value) for name, value in values.items() if value is not None}
    stated = set(known)
    while any(_derive(known, name, rule) for name, rule in rules):
        pass
    if missing := sorted({name for name, _ in rules} - set(known)):
        raise ToolError(f"Too few values are given to compute {', '.join(missing)}. Give one more of the quantities.")
    rounding = 1e-12 * max(map(abs, known.values()))
    for name, rule in rules if laws is None else laws:
        if not math.isclose(known[name], derived := _value(name, rule, known), rel_tol=_AGREEMENT, abs_tol=rounding):
            raise ToolError(
                f"The values contradict each other: from the others, {name} would be {derived:.6g}, not "
                f"{known[name]:.6g}. Omit one of {', '.join(sorted(stated))}."
            )
    return known


def _derive(known: dict[str, float], name: str, rule: Callable[..., float]) -> bool:
    """Apply a rule. Returns whether it gave a new value."""
    if name in known or not all(need in known for need in inspect.signature(rule).parameters):
        return False
    known[name] = _value(name, rule, known)
    return True


def _value(name: str, rule: Callable[..., float], known: Mapping[str, float]) -> float:
    try:
        value = rule(*(known[need] for need in inspect.signature(rule).parameters))
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise ToolError(
            f"No value of {name} is consistent with the other values. Check their signs and sizes."
        ) from error
    if isinstance(value, complex) or not math.isfinite(value):
        raise ToolError(f"No value of {name} is consistent with the other values. Check their signs and sizes.")
    return value
