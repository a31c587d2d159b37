"""Files that tools make, from the worker's folder to the account."""

from typing import Any, BinaryIO

import pytest

from retinue.core.errors import InternalError, RetinueError
from retinue.tools.execution.pool import ToolPool
from tests.tools.made_up import make_tool

FILE = {"type": "string", "format": "file-id"}
SCHEMA = {
    "type": "object",
    "properties": {
        "first": FILE,
        "others": {"type": "array", "items": {"type": "object", "properties": {"file": FILE}}},
    },
}


class Shelf:
    """Keeps what it is given, in order."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, bytes]] = []

    async def keep(self, name: str, content: BinaryIO) -> str:
        """Returns the file's number."""
        self.kept.append((name, content.read()))
        return f"file_{len(self.kept)}"


async def make(pool: ToolPool, storage: Shelf, tool: str, **args: Any) -> dict[str, Any]:
    return await pool.execute(make_tool(tool, result_schema=SCHEMA), args, {}, storage.keep)


async def test_saved_files_of_a_tool_are_stored_and_named_in_its_result(pool: ToolPool) -> None:
    storage = Shelf()
    result = await make(pool, storage, "make_files", names=["a.txt", "b.txt", "b.txt"])
    assert result == {"first": "file_1", "others": [{"file": "file_2"}, {"file": "file_3"}]}
    assert storage.kept == [("a.txt", b"one"), ("b.txt", b"more"), ("b-2.txt", b"more")]


@pytest.mark.parametrize("name", ["../../out.txt", "/etc/out.txt", "..\\..\\out.txt", "folder/out.txt"])
async def test_a_file_is_made_nowhere_else(pool: ToolPool, name: str) -> None:
    storage = Shelf()
    await make(pool, storage, "make_files", names=[name])
    assert storage.kept == [("out.txt", b"one")]


@pytest.mark.parametrize("kind", ["link", "linked folder", "pipe", "outside", "nothing"])
async def test_a_made_file_is_a_file_of_its_folder(pool: ToolPool, kind: str) -> None:
    storage = Shelf()
    with pytest.raises(InternalError):
        await make(pool, storage, "make_trap", kind=kind)
    assert storage.kept == []


async def test_the_next_call_finds_nothing_of_the_last(pool: ToolPool) -> None:
    await make(pool, Shelf(), "make_files", names=["a.txt"])
    for _ in range(2):
        assert await make(pool, Shelf(), "look_for_made") == {"files": []}


async def test_an_output_that_cannot_be_stored_fails_the_call_and_not_the_pool(pool: ToolPool) -> None:
    async def refuse(name: str, content: BinaryIO) -> str:
        raise RetinueError("The quota is full.")

    with pytest.raises(RetinueError, match="quota"):
        await pool.execute(make_tool("make_files", result_schema=SCHEMA), {"names": ["a.txt"]}, {}, refuse)
    assert await pool.execute(make_tool("echo"), {"a": 1}) == {"a": 1}


@pytest.mark.parametrize("letter", ["a", "é", "字", "\U0001f469"])
async def test_a_long_name_is_cut_to_the_limit_of_file_systems(pool: ToolPool, letter: str) -> None:
    storage = Shelf()
    await make(pool, storage, "make_files", names=[letter * 300 + ".txt"] * 2)
    names = [name for name, _ in storage.kept]
    assert [name.strip(letter) for name in names] == [".txt", "-2.txt"]
    assert all(190 < len(name.encode()) < 255 for name in names)
