"""Tools that run inside the server: how they are declared, and how their calls end."""

import asyncio
import errno
import sys
from types import ModuleType
from typing import Annotated, Any, cast

import pytest
from typing_extensions import TypedDict

from retinue.core.errors import InternalError, NotFound, Unavailable, ValidationFailed
from retinue.tools.authoring.declare import About, Declaration, Example, Refusal, ToolError, ToolUnavailable
from retinue.tools.authoring.schema_from_function import DeclarationError, entry, input_schema
from retinue.tools.execution import in_process_executor
from retinue.workspace.tool_context import ToolContext
from tests.tools.made_up import make_tool


class Answer(TypedDict):
    """What came of it."""

    said: str


async def thing_say_word(context: ToolContext, word: Annotated[str, About("A word", "hello")]) -> Answer:
    """Say a word, as a tool that runs inside the server."""
    return {"said": word}


async def thing_without_desk(word: Annotated[str, About("A word", "hello")]) -> Answer:
    """Say a word, without a context."""
    return {"said": word}


def thing_not_async(context: ToolContext, word: Annotated[str, About("A word", "hello")]) -> Answer:
    """Say a word, with a context but not inside the server."""
    return {"said": word}


def declare(function: Any) -> Declaration:
    function.__module__ = "retinue_tools.text.anything"
    examples: list[Example | Refusal] = [Example({"word": "a"}, {"said": "a"}, "by hand"), Refusal({}, "missing")]
    return Declaration(function, ["t"], ["why"], examples)


def test_the_desk_is_no_argument() -> None:
    tool = entry(declare(thing_say_word))
    assert tool.inside
    assert list(input_schema(thing_say_word)["properties"]) == ["word"]


@pytest.mark.parametrize("function", [thing_without_desk, thing_not_async])
def test_a_tool_is_inside_at_a_desk_or_neither(function: Any) -> None:
    with pytest.raises(DeclarationError, match="context: ToolContext"):
        entry(declare(function))


def raising(error: Exception) -> Any:
    async def function(context: ToolContext) -> Answer:
        raise error

    return function


async def forever(context: ToolContext) -> Answer:
    """Come to no end."""
    await asyncio.Event().wait()
    raise AssertionError


async def run(function: Any, monkeypatch: pytest.MonkeyPatch, **fields: Any) -> dict[str, Any]:
    """Call a function as the tool of a module of its own, without a context."""
    module = ModuleType("made_up_inside")
    module.__dict__["made_up"] = function
    monkeypatch.setitem(sys.modules, "made_up_inside", module)
    tool = make_tool("made_up", module="made_up_inside", inside=True, **fields)
    return await in_process_executor.execute(tool, {}, cast("ToolContext", None))


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (ToolError("wrong"), ValidationFailed),
        (NotFound("wrong"), ValidationFailed),
        (ValidationFailed("wrong"), ValidationFailed),
        (ToolUnavailable("wrong"), Unavailable),
        (Unavailable("wrong"), Unavailable),
    ],
)
async def test_the_caller_gets_the_reason(
    raised: Exception, told: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(told, match="wrong"):
        await run(raising(raised), monkeypatch)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
async def test_a_full_disk_is_no_fault_of_the_tool(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unavailable, match="disk of the server is full"):
        await run(raising(OSError(code, "wrong")), monkeypatch)


async def test_other_errors_of_files_are_faults_of_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InternalError):
        await run(raising(FileNotFoundError(errno.ENOENT, "wrong")), monkeypatch)


async def test_a_fault_of_the_tool_tells_nothing_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InternalError) as failed:
        await run(raising(KeyError("a secret")), monkeypatch)
    assert "secret" not in failed.value.message


async def test_a_call_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unavailable, match="timeout"):
        await run(forever, monkeypatch, timeout_s=0.01)
