"""Rules in JsonLogic (operations and results as in its documentation)."""

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_MOST_STEPS = 100_000
_MOST_DEPTH = 60


class Outcome(TypedDict):
    """Result of a rule."""

    result: Annotated[Any, About("Result of the rule")]
    truthy: Annotated[bool, About("Whether the result is truthy")]


@tool(
    tags="jsonlogic rule evaluate condition business rules engine decision json",
    use_when=(
        "Evaluate this JsonLogic rule against my data",
        "Does the order satisfy this rule?",
        "What does this JSON rule return for temp 95?",
    ),
    examples=(
        Example(
            {
                "rule": {"and": [{"<": [{"var": "temp"}, 110]}, {"==": [{"var": "pie.filling"}, "apple"]}]},
                "facts": {"temp": 100, "pie": {"filling": "apple"}},
            },
            {"result": True, "truthy": True},
            source="documentation of JsonLogic, data-driven example",
        ),
        Example(
            {
                "rule": {
                    "reduce": [
                        {"filter": [{"var": "xs"}, {"%": [{"var": ""}, 2]}]},
                        {"+": [{"var": "current"}, {"var": "accumulator"}]},
                        0,
                    ]
                },
                "facts": {"xs": [1, 2, 3, 4, 5]},
            },
            {"result": 9.0},
            source="by hand: 1 + 3 + 5",
        ),
        Example(
            {"rule": {"missing": ["a", "b"]}, "facts": {"a": 1}}, {"result": ["b"]}, source="documentation of JsonLogic"
        ),
        Example({"rule": {"cat": ["I love ", 5]}}, {"result": "I love 5"}, source="documentation of JsonLogic, cat"),
        Refusal({"rule": {"frobnicate": [1]}}, "is not an operation"),
        Refusal({"rule": {"/": [1, 0]}}, "zero"),
    ),
    reply={
        "truthy": "The rule holds. Its result: {result}",
        "": "The rule does not hold.",
    },
)
def jsonlogic_evaluate_rule(
    rule: Annotated[dict[str, Any], About("Rule to evaluate", {"<": [{"var": "temp"}, 110]})],
    facts: Annotated[dict[str, Any], About("Data that the rule's variables refer to", {"temp": 100})] | None = None,
) -> Outcome:
    """Evaluate a JsonLogic rule against facts.

    Use it for conditions that are kept as data: comparisons, and / or / if, arithmetic, text, var, missing, map,
    filter, reduce, all, some, none, merge, in. Returns the value and whether it is truthy.
    """
    try:
        result = _Evaluation().value(rule, facts or {}, 0)
    except (TypeError, ValueError, OverflowError) as error:
        raise ToolError(f"An operation got values that it does not support: {error}.") from error
    except ZeroDivisionError as error:
        raise ToolError("The rule divides by zero.") from error
    return {"result": result, "truthy": _truthy(result)}


class _Evaluation:
    """One evaluation with a bounded number of steps."""

    def __init__(self) -> None:
        self.steps = 0

    def value(self, rule: Any, facts: Any, depth: int) -> Any:
        """Evaluate a rule; other values are returned as they are."""
        self.steps += 1
        if self.steps > _MOST_STEPS or depth > _MOST_DEPTH:
            raise ToolError("The rule takes too many steps or is nested too deeply. Make it simpler.")
        if isinstance(rule, list):
            return [self.value(part, facts, depth + 1) for part in rule]
        if not isinstance(rule, dict) or len(rule) != 1:
            return rule
        operation, operand = next(iter(rule.items()))
        arguments = operand if isinstance(operand, list) else [operand]
        if operation in _LAZY:
            return _LAZY[operation](self, arguments, facts, depth + 1)
        values = [self.value(part, facts, depth + 1) for part in arguments]
        if operation in ("var", "missing", "missing_some"):
            return _lookup(operation, values, facts)
        if operation not in _PLAIN:
            raise ToolError(
                f"{operation} is not an operation of JsonLogic. Supported operations: {', '.join(sorted(_ALL))}."
            )
        if not values:
            raise ToolError(f"The operation {operation} needs arguments.")
        return _PLAIN[operation](values)

    def choose(self, arguments: list[Any], facts: Any, depth: int) -> Any:
        """If: return the value of the first condition that holds, or the last value."""
        for place in range(0, len(arguments) - 1, 2):
            if _truthy(self.value(arguments[place], facts, depth)):
                return self.value(arguments[place + 1], facts, depth)
        return self.value(arguments[-1], facts, depth) if len(arguments) % 2 else None

    def first(self, deciding: bool) -> Callable[[list[Any], Any, int], Any]:
        """Or and and: return the first value that decides, or the last."""

        def settle(arguments: list[Any], facts: Any, depth: int) -> Any:
            result = None
            for argument in arguments:
                result = self.value(argument, facts, depth)
                if _truthy(result) == deciding:
                    break
            return result

        return settle

    def each(self, arguments: list[Any], facts: Any, depth: int) -> list[tuple[Any, Any]]:
        """Yield the items of a list, each with the result of the rule."""
        items = self.value(arguments[0], facts, depth) if arguments else None
        rule = arguments[1] if len(arguments) > 1 else {"var": ""}
        return [(item, self.value(rule, item, depth)) for item in items] if isinstance(items, list) else []

    def reduce(self, arguments: list[Any], facts: Any, depth: int) -> Any:
        """Reduce a list to one value with the rule."""
        items, rule, start = (arguments + [None] * 3)[:3]
        result = self.value(start, facts, depth)
        listed = self.value(items, facts, depth)
        for item in listed if isinstance(listed, list) else []:
            result = self.value(rule, {"current": item, "accumulator": result}, depth)
        return result


_Lazy = Callable[[_Evaluation, list[Any], Any, int], Any]
_LAZY: Mapping[str, _Lazy] = {
    "if": _Evaluation.choose,
    "?:": _Evaluation.choose,
    "and": lambda run, arguments, facts, depth: run.first(False)(arguments, facts, depth),
    "or": lambda run, arguments, facts, depth: run.first(True)(arguments, facts, depth),
    "map": lambda run, arguments, facts, depth: [said for _, said in run.each(arguments, facts, depth)],
    "filter": lambda run, arguments, facts, depth: [
        one for one, said in run.each(arguments, facts, depth) if _truthy(said)
    ],
    "all": lambda run, *rest: bool(said := [_truthy(one) for _, one in run.each(*rest)]) and all(said),
    "some": lambda run, *rest: any(_truthy(one) for _, one in run.each(*rest)),
    "none": lambda run, *rest: not any(_truthy(one) for _, one in run.each(*rest)),
    "reduce": _Evaluation.reduce,
}


def _truthy(value: Any) -> bool:
    """JsonLogic treats an empty list as false, and "0" as true."""
    return bool(value)


def _lookup(operation: str, values: list[Any], facts: Any) -> Any:
    if operation == "var":
        found = _fact(facts, values[0] if values else "")
        return values[1] if found is None and len(values) > 1 else found
    names = values[1] if operation == "missing_some" and len(values) > 1 else values
    names = names[0] if len(names) == 1 and isinstance(names[0], list) else names
    missing = [name for name in names if _fact(facts, name) in (None, "")] if isinstance(names, list) else []
    enough = operation == "missing_some" and isinstance(names, list) and len(names) - len(missing) >= _number(values[0])
    return [] if enough else missing


def _fact(facts: Any, name: Any) -> Any:
    if name in ("", None):
        return facts
    for key in str(name).split("."):
        if isinstance(facts, list) and key.isascii() and key.isdigit() and len(key) < 9:
            facts = facts[int(key)] if int(key) < len(facts) else None
        else:
            facts = facts.get(key) if isinstance(facts, dict) else None
    return facts


def _number(value: Any) -> float:
    if value is None:
        return 0.0
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("a number is infinite")
    return number


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else (f"{value:g}" if isinstance(value, float) else str(value))


def _same(one: Any, other: Any) -> bool:
    """Loose equality: numbers equal their texts."""
    if isinstance(one, str) == isinstance(other, str) or None in (one, other):
        return bool(one == other)
    try:
        return _number(one) == _number(other)
    except (TypeError, ValueError):
        return False


def _strict(values: list[Any]) -> bool:
    one, other = [*values, None][:2]
    numbers = all(isinstance(part, int | float) and not isinstance(part, bool) for part in (one, other))
    return bool(one == other) and (numbers or type(one) is type(other))


def _is_ordered(values: list[Any], fits: Callable[[float, float], bool]) -> bool:
    numbers = [_number(value) for value in values[:3]]
    return len(numbers) > 1 and all(fits(*pair) for pair in pairwise(numbers))


def _difference(values: list[Any]) -> float:
    return -_number(values[0]) if len(values) == 1 else _number(values[0]) - _number(values[1])


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise OverflowError("the result is too large")
    return number


def _substring(values: list[Any]) -> str:
    text, start, length = _text(values[0]), int(_number(values[1])), values[2] if len(values) > 2 else None
    rest = text[start:]
    return rest if length is None else rest[: int(_number(length))]


def _contains(values: list[Any]) -> bool:
    within = values[1] if len(values) > 1 else None
    if isinstance(within, str):
        return _text(values[0]) in within
    return isinstance(within, list) and values[0] in within


def _merge(values: list[Any]) -> list[Any]:
    return [one for value in values for one in (value if isinstance(value, list) else [value])]


def _pair(values: list[Any]) -> tuple[Any, Any]:
    return values[0], values[1] if len(values) > 1 else None


_PLAIN: Mapping[str, Callable[[list[Any]], Any]] = {
    "==": lambda values: _same(*_pair(values)),
    "!=": lambda values: not _same(*_pair(values)),
    "===": _strict,
    "!==": lambda values: not _strict(values),
    "!": lambda values: not _truthy(values[0]),
    "!!": lambda values: _truthy(values[0]),
    "<": lambda values: _is_ordered(values, lambda one, other: one < other),
    "<=": lambda values: _is_ordered(values, lambda one, other: one <= other),
    ">": lambda values: _is_ordered(values[:2], lambda one, other: one > other),
    ">=": lambda values: _is_ordered(values[:2], lambda one, other: one >= other),
    "+": lambda values: math.fsum(map(_number, values)),
    "*": lambda values: _finite(math.prod(map(_number, values))),
    "-": _difference,
    "/": lambda values: _number(values[0]) / _number(_pair(values)[1]),
    "%": lambda values: math.fmod(_number(values[0]), _number(_pair(values)[1])),
    "min": lambda values: min(map(_number, values)),
    "max": lambda values: max(map(_number, values)),
    "cat": lambda values: "".join(map(_text, values))[:100_000],
    "substr": _substring,
    "in": _contains,
    "merge": _merge,
}
_ALL = {*_PLAIN, *_LAZY, "var", "missing", "missing_some"}
