"""Run untrusted Python in the Monty interpreter: no files, no network, no processes, limited time, memory and depth."""

import ast
import json
import keyword
import math
import time
from contextlib import suppress
from typing import Annotated, Any, NotRequired

from pydantic_monty import (
    CollectStreams,
    Monty,
    MontyConversionError,
    MontyCrashedError,
    MontyRuntimeError,
    MontySyntaxError,
    MontyTypingError,
)
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import PythonCode, parse

_MOST_PRINTED_BYTES = 200_000
_MOST_REPR = 20_000
_EXACT = 2**53
_CHECK_S = 0.2
_MOST_DEPTH = 50

Seconds = Annotated[float, About("Time limit in seconds", minimum=0.01, maximum=15)]
MemoryMb = Annotated[int, About("Memory limit in megabytes", minimum=1, maximum=256)]


class Failure(TypedDict):
    """The exception that ended a run."""

    type: Annotated[str, About("Class of the exception")]
    message: Annotated[str, About("Message of the exception")]
    line: NotRequired[Annotated[int, About("Line of the code, from 1, where it was raised")]]
    traceback: Annotated[str, About("The traceback as Python prints it")]


class Run(TypedDict):
    """Outcome of a run."""

    ok: Annotated[bool, About("Whether the code ran to its end")]
    value: NotRequired[Annotated[Any, About("Value of the last expression as JSON, if JSON can represent it")]]
    value_repr: NotRequired[Annotated[str, About("Value of the last expression as Python's repr")]]
    value_type: NotRequired[Annotated[str, About("Python type of the value")]]
    printed: Annotated[str, About("Printed output")]
    error: NotRequired[Failure]
    duration_ms: Annotated[float, About("Run time in milliseconds")]


class Verdict(TypedDict):
    """Outcome of one test."""

    name: Annotated[str, About("Name of the test function")]
    outcome: Annotated[str, About("passed, failed (an assertion) or error (another exception)")]
    message: NotRequired[Annotated[str, About("Exception and message, with the compared values")]]
    line: NotRequired[Annotated[int, About("Line of the code, from 1, where it failed")]]
    printed: Annotated[str, About("Printed output of the test")]


class Verdicts(TypedDict):
    """Outcome of the tests."""

    passed: Annotated[int, About("Passed tests")]
    failed: Annotated[int, About("Tests that failed or ended in an error")]
    tests: Annotated[list[Verdict], About("Tests in source order")]


class TypeFault(TypedDict):
    """A type error."""

    line: Annotated[int, About("Line, from 1")]
    column: Annotated[int, About("Column, from 1")]
    rule: Annotated[str, About("Name of the rule")]
    message: Annotated[str, About("Description of the problem")]


class TypeFaults(TypedDict):
    """Result of type checking."""

    ok: Annotated[bool, About("Whether there are no type errors")]
    faults: Annotated[list[TypeFault], About("Type errors")]


@tool(
    tags="python run execute interpreter sandbox code script evaluate snippet untrusted calculate",
    use_when=(
        "Run this Python code and show me the output",
        "What does sorted({'b': 1, 'a': 2}.items()) return in Python?",
        "Execute this untrusted script safely with a time limit",
        "Use Python to compute the first 20 primes",
    ),
    tier="pro",
    pace="normal",
    credits=2,
    memory_mb=1024,
    idempotent=False,
    examples=(
        Example(
            {"code": "print('sum', sum(xs))\nmax(xs) * 2", "inputs": {"xs": [3, 9, 4]}},
            {"ok": True, "value": 18, "value_type": "int", "printed": "sum 16\n"},
            source="by hand: 3 + 9 + 4 = 16, 2 * 9 = 18",
        ),
        Example(
            {"code": "def f(n):\n    return n / 0\n\nf(1)"},
            {"ok": False, "printed": "", "error": {"type": "ZeroDivisionError", "line": 2}},
            source="Python language reference, section 6.7",
        ),
        Example(
            {"code": "while True:\n    pass", "time_limit_s": 0.2},
            {"ok": False, "error": {"type": "TimeoutError"}},
            source="an endless loop must meet its limit",
        ),
        Example(
            {"code": "[0] * 10**9", "memory_limit_mb": 16},
            {"ok": False, "error": {"type": "MemoryError", "line": 1}},
            source="a billion references are 8 GB",
        ),
        Example(
            {"code": "open('/etc/passwd').read()"},
            {"ok": False, "error": {"type": "PermissionError"}},
            source="the interpreter has no files",
        ),
        Example({"code": "2**64, {1}"}, {"value_repr": "(18446744073709551616, {1})"}, source="by hand"),
        Refusal({"code": "x", "inputs": {"not a name": 1}}, "is not a valid name for a Python variable"),
    ),
    reply={
        "error": "The code failed with {error.type} in line {error.line}: {error.message}",
        "error, error.type": "The code failed with {error.type}.",
        "printed": "The output: {printed}",
        "value_repr": "The result: {value_repr}",
        "": "The code ran without output.",
    },
)
def python_run_snippet(
    code: PythonCode,
    inputs: Annotated[dict[str, Any], About("Values that are available to the code as variables", {"xs": [3, 9]})]
    | None = None,
    time_limit_s: Seconds = 5,
    memory_limit_mb: MemoryMb = 64,
    recursion_limit: Annotated[int, About("Recursion limit", minimum=10, maximum=2000)] = 500,
    seed: Annotated[int, About("Seed of the random module", 7, minimum=0, maximum=2**53)] | None = None,
) -> Run:
    """Run Python code in a sandboxed (closed) interpreter with limits on time, memory and recursion.

    Use it to compute, transform data or try out a function, including untrusted code: there are no files, no network
    and no third-party packages, and of the standard library the common modules (math, re, json, datetime, dataclasses,
    random, asyncio and others). Returns the value of the last expression, the printed output, and the error with its
    line if there was one.
    """
    names = _inputs(inputs or {})
    streams = CollectStreams(max_bytes=_MOST_PRINTED_BYTES)
    limits = _limits(time_limit_s, memory_limit_mb) | {"max_recursion_depth": recursion_limit}
    policy: dict[str, Any] = {"sleep": "zero"} | ({} if seed is None else {"random_start": {"seed": seed}})
    with Monty(max_processes=1) as pool, pool.checkout(limits=limits, os_policy=policy) as session:
        began = time.perf_counter()
        try:
            ended: Run = _value(session.feed_run(code, inputs=names, print_callback=streams))
        except MontyConversionError as error:
            raise ToolError(f"An input cannot be converted to Python: {error}.") from error
        except MontyCrashedError as error:
            raise ToolError("The code crashed the interpreter. Make it smaller, or its loops shorter.") from error
        except (MontyRuntimeError, MontySyntaxError) as error:
            ended = {"ok": False, "error": _failure(error), "printed": "", "duration_ms": 0.0}
        spent = time.perf_counter() - began
    ended |= {"printed": _print(streams), "duration_ms": round(spent * 1000, 3)}
    return ended


@tool(
    tags="python test unit tests assert pytest run check function behaviour verify",
    use_when=(
        "Do these unit tests pass against my function?",
        "Run test_add and test_subtract for this module",
        "Check that my Python function returns the right results for these cases",
    ),
    tier="pro",
    pace="normal",
    credits=2,
    memory_mb=1024,
    examples=(
        Example(
            {
                "code": "def add(a, b):\n    return a + b\n",
                "tests": "def test_good():\n    assert add(1, 2) == 3\n\ndef test_bad():\n    assert add(1, 2) == 4\n",
            },
            {
                "passed": 1,
                "failed": 1,
                "tests": [{"name": "test_good", "outcome": "passed"}, {"name": "test_bad", "outcome": "failed"}],
            },
            source="by hand",
        ),
        Example(
            {"code": "x = {}", "tests": "def test_key():\n    x['a']\n", "time_limit_s": 1},
            {"tests": [{"outcome": "error", "line": 2}]},
            source="Python language reference: a missing key raises KeyError",
        ),
        Refusal({"code": "x = 1", "tests": "assert x == 1"}, "no function whose name begins with test"),
        Refusal({"code": "1 / 0", "tests": "def test_a():\n    pass"}, "ZeroDivisionError"),
    ),
    reply={
        "failed": "{passed} passed and {failed} failed: {tests}",
        "passed": "{passed|test} passed, and none failed.",
        "": "There were no tests.",
    },
)
def python_run_tests(
    code: PythonCode,
    tests: Annotated[
        str,
        About(
            "Python functions named test_..., without arguments, that use assert",
            "def test_area():\n    assert area(2) > 12\n",
            min_length=1,
            max_length=100_000,
        ),
    ],
    time_limit_s: Seconds = 5,
) -> Verdicts:
    """Run plain test functions against Python code in a closed interpreter.

    Use it to verify code before handing it over. Fixtures, parameters and third-party packages are not available. Each
    test function is called by itself; returns for each whether it passed, failed or raised an error, with the line and
    the values that were compared.
    """
    names = [
        node.name
        for node in parse(tests, "The test code").body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]
    if not names:
        raise ToolError("The tests contain no function whose name begins with test. Write def test_something(): ...")
    limits = _limits(time_limit_s, 64)
    with Monty(max_processes=1) as pool, pool.checkout(limits=limits, os_policy={"sleep": "zero"}) as session:
        try:
            for part in (code, tests):
                session.feed_run(part, print_callback=CollectStreams(max_bytes=_MOST_PRINTED_BYTES))
            verdicts = [_verdict(session, name) for name in names]
        except MontyCrashedError as error:
            raise ToolError("The code crashed the interpreter. Make it smaller, or its loops shorter.") from error
        except (MontyRuntimeError, MontySyntaxError) as error:
            raise ToolError(f"The code fails before any test runs: {error}") from error
    passed = sum(verdict["outcome"] == "passed" for verdict in verdicts)
    return {"passed": passed, "failed": len(verdicts) - passed, "tests": verdicts}


@tool(
    tags="python types type check mypy ty annotations hints static analysis",
    use_when=(
        "Are the type hints in this Python code right?",
        "Type-check this function as mypy would",
        "Which lines of my Python pass the wrong type?",
    ),
    tier="pro",
    pace="normal",
    credits=2,
    memory_mb=2048,
    examples=(
        Example(
            {"code": "x: int = 'a'\n\ndef f(a: str) -> str:\n    return a.upperr()\n"},
            {"ok": False, "faults": [{"line": 1, "rule": "invalid-assignment"}, {"line": 4}]},
            source="PEP 484: a str is no int, and str has no method upperr",
        ),
        Example({"code": "def f(a: int) -> int:\n    return a + 1\n"}, {"ok": True, "faults": []}, source="PEP 484"),
        Refusal({"code": "def f(:"}, "not valid Python"),
    ),
    reply={
        "ok": "The types are right.",
        "faults": "There are type errors: {faults}",
        "": "There are type errors.",
    },
)
def python_check_types(code: PythonCode) -> TypeFaults:
    """Check the types of a Python module with a static type checker.

    Use it to find wrong arguments, returns, assignments and unknown attributes. Third-party imports and rarer modules
    of the standard library are reported as unresolved. Returns each error with line, column, rule and message.
    """
    parse(code)
    with (
        Monty(max_processes=1) as pool,
        pool.checkout(limits=_limits(_CHECK_S, 16), type_check=True, type_check_format="json") as session,
    ):
        try:
            session.feed_run(code, print_callback=CollectStreams(max_bytes=None))
        except MontyTypingError as error:
            return {"ok": False, "faults": _type_faults(json.loads(error.display()))}
        except (MontyRuntimeError, MontySyntaxError):
            return {"ok": True, "faults": []}
        except MontyCrashedError as error:
            raise ToolError("The type checker failed on this code. Make it smaller.") from error
    return {"ok": True, "faults": []}


def _limits(seconds: float, megabytes: int) -> dict[str, Any]:
    return {"max_feed_duration_secs": seconds, "max_memory": megabytes << 20}


def _inputs(inputs: dict[str, Any]) -> dict[str, Any]:
    for name in inputs:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise ToolError(f"The input {name!r} is not a valid name for a Python variable. Rename it.")
    return inputs


def _value(value: Any) -> Run:
    """Return a run that ended with this value; its output and duration are not set yet."""
    ended: Run = {"ok": True, "printed": "", "duration_ms": 0.0}
    if value is not None:
        ended |= {"value_repr": repr(value)[:_MOST_REPR], "value_type": type(value).__name__}
        with suppress(TypeError):
            ended["value"] = _json(value, 0)
    return ended


def _json(value: Any, depth: int) -> Any:
    """Convert the value to JSON; large integers become text, because doubles cannot represent them. Raises `TypeError`
    for other values.
    """
    if depth > _MOST_DEPTH:
        raise TypeError("nested too deeply")
    if isinstance(value, bool | str | None):
        return value
    if isinstance(value, int):
        return value if abs(value) < _EXACT else str(value)
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list | tuple):
        return [_json(part, depth + 1) for part in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _json(part, depth + 1) for key, part in value.items()}
    raise TypeError(type(value).__name__)


def _failure(error: Any) -> Failure:
    frames = error.traceback()
    name, _, message = error.display("type-msg").partition(": ")
    failure: Failure = {"type": name, "message": message[:_MOST_REPR], "traceback": error.display()[:_MOST_REPR]}
    if frames:
        failure["line"] = frames[-1].line
    return failure


def _print(streams: Any) -> str:
    return "".join(text for _, text in streams.output)


def _verdict(session: Any, name: str) -> Verdict:
    streams = CollectStreams(max_bytes=_MOST_PRINTED_BYTES)
    try:
        session.feed_run(f"{name}()", print_callback=streams)
    except MontyRuntimeError as error:
        outcome = "failed" if isinstance(error.exception(), AssertionError) else "error"
        verdict: Verdict = {"name": name, "outcome": outcome, "message": str(error)[:2000], "printed": ""}
        if frames := error.traceback():
            verdict["line"] = frames[-1].line
        return verdict | {"printed": _print(streams)}
    return {"name": name, "outcome": "passed", "printed": _print(streams)}


def _type_faults(reported: list[dict[str, Any]]) -> list[TypeFault]:
    return [
        {
            "line": fault["location"]["row"],
            "column": fault["location"]["column"],
            "rule": fault["code"],
            "message": fault["message"],
        }
        for fault in reported[:500]
    ]
