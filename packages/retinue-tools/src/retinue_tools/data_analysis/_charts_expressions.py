"""Callers' expressions, evaluated over arrays: an allow-listed syntax tree, never `eval`."""

import ast
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retinue.sdk import ToolError

_FUNCTIONS = (
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "exp", "sqrt", "cbrt", "log", "log2",
    "log10", "floor", "ceil", "sign",
)  # fmt: skip
_OTHER_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "ln": "log", "abs": "absolute"}
_CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau}
_MOST_NODES = 200


def expression_of(text: str, variables: Sequence[str]) -> ast.expr:
    """Return the checked syntax tree of an expression in these variables. Raises `ToolError`."""
    try:
        tree = ast.parse(text.replace("^", "**").strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ToolError(f"{text} cannot be parsed. Write it as sin(x)/x + 2*x^2, with * between factors.") from error
    nodes = list(ast.walk(tree))
    if len(nodes) > _MOST_NODES:
        raise ToolError("The expression is too long.")
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        _check(node, variables, called=id(node) in called)
    return tree


def evaluate(tree: ast.expr, values: Mapping[str, Any]) -> Any:
    """Return the value at each position, or NaN if it is not a finite real number."""
    with np.errstate(all="ignore"):
        found = np.asarray(_value(tree, values), dtype=float) + 0 * next(iter(values.values()))
    return np.where(np.abs(found) < 1e15, found, np.nan)


def _check(node: ast.AST, variables: Sequence[str], *, called: bool) -> None:
    match node:
        case ast.Name(id=name):
            known = {*_FUNCTIONS, *_OTHER_NAMES} if called else {*variables, *_CONSTANTS}
            if name not in known:
                raise ToolError(
                    f"{name} is unknown. Available names: {', '.join(variables)}, pi, e, {', '.join(_FUNCTIONS)}, abs."
                )
        case ast.Constant(value=bool()):
            raise ToolError("An expression contains numbers, not true or false.")
        case ast.Constant(value=int() | float()) | ast.BinOp() | ast.UnaryOp() | ast.Load() | ast.operator():
            return
        case ast.USub() | ast.UAdd():
            return
        case ast.Call(func=ast.Name(), args=[_], keywords=[]):
            return
        case _:
            raise ToolError(
                "An expression may contain numbers, variables, + - * / ^, parentheses and functions of one argument."
            )


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return float(value) if isinstance(value, int | float) and abs(value) < 1e300 else np.nan
        case ast.Name(id=name):
            return values[name] if name in values else _CONSTANTS[name]
        case ast.UnaryOp(op=op, operand=operand):
            return -_value(operand, values) if isinstance(op, ast.USub) else _value(operand, values)
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return getattr(np, _OTHER_NAMES.get(name, name))(_value(argument, values))
        case ast.BinOp(left=left, op=op, right=right):
            return _combine(op, _value(left, values), _value(right, values))
    raise ToolError("The expression cannot be parsed.")


def _combine(op: ast.operator, left: Any, right: Any) -> Any:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return np.divide(left, right)
        case ast.Mod():
            return np.mod(left, right)
        case ast.Pow():
            return np.power(np.asarray(left, dtype=float), right)
    raise ToolError("The operators are + - * / % ^.")
