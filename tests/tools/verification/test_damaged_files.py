"""Tools refuse damaged files in words of their own: no library's name, message, path or traceback."""

import base64
import re
from collections.abc import AsyncIterator, Iterator
from random import Random
from typing import Any

import pytest
import pytest_asyncio

from retinue.core.errors import RetinueError, Unavailable, ValidationFailed
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.verification.example_runner import LocalExecutor
from retinue.tools.verification.mock_web_server import fill_marks
from tests.support.sampling import sample
from tests.tools.executors import ON_ONE_LOOP, open_executor
from tests.tools.hostile_files import spoilt

LEAK = re.compile(
    r"duckdb|openpyxl|pypdf|pdfium|lxml|libxml|pyarrow|\bPIL\b|Pillow|sqlglot|pandas|numpy|zipfile|docx\.|pptx\.|zxing|"
    r"Traceback|site-packages|/tmp/|/proc/|\.py\b|\b[A-Z]\w*(?:Error|Exception)\b|has no attribute|NoneType|"
    r"Possible fixes|codec can't|\[Errno|<class |<\w+ object|\bat 0x|unpack requires|not enough values|subscriptable|"
    r"list index|string index|out of range|invalid literal|could not convert|object is not|\w\(\) |unsupported operand|"
    r"\(line \d+\)|\(<string>|\(char \d+\)"
)
pytestmark = ON_ONE_LOOP
FILE_TOOLS = [
    tool
    for tool in Catalogue.load()
    if not (tool.inside or tool.needs or tool.open_world or tool.alias_of) and "file-id" in str(tool.input_schema)
]
ARMOUR = re.compile(r"(-----BEGIN [A-Z0-9 ]+-----\n)(.+?)(\n-----END)", re.DOTALL)
ARMOURED = {
    tool.name: (tool, example["args"])
    for tool in Catalogue.load()
    for example in tool.examples
    if "-----BEGIN" in str(example["args"]) and not example["files"]
}
"""Tools that take certificates or keys as text, each with the arguments of an example."""
CATEGORIES = sorted({tool.category for tool in FILE_TOOLS})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def executor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalExecutor]:
    """Runs the tools in the environment that the server uses."""
    async with open_executor(
        [*FILE_TOOLS, *(tool for tool, _ in ARMOURED.values())], tmp_path_factory.mktemp("executor")
    ) as opened:
        yield opened


def damaged(content: bytes, random: Random) -> Iterator[bytes]:
    """Cut, flipped, spoilt within and foreign contents."""
    yield content[: len(content) // 2]
    flipped = bytearray(content)
    for place in range(len(content) // 3, len(content), max(len(content) // 12, 1)):
        flipped[place] ^= 0x15
    yield bytes(flipped)
    yield spoilt(content, random)
    yield content[:8] + random.randbytes(200)


async def _refusal(executor: LocalExecutor, tool: Tool, args: dict[str, Any]) -> str:
    """What a damaged file's caller reads, if it is anything but a 400 in plain words."""
    try:
        await executor.execute(tool.name, args)
    except (ValidationFailed, Unavailable) as refused:
        leak = LEAK.search(refused.message)
        return f"{tool.name}: {refused.message}" if leak else ""
    except RetinueError as failed:
        return f"{tool.name}: {failed.status} {failed.message}"
    return ""


async def _complaints(executor: LocalExecutor, tool: Tool) -> list[str]:
    random = Random(tool.name)
    example = next((one for one in tool.examples if one["files"] and "refusal" not in one), None)
    if example is None or example["connections"]:
        return []
    contents = {name: base64.b64decode(text) for name, text in example["files"].items()}
    first = next(iter(contents))
    found = []
    for content in random.sample(list(damaged(contents[first], random)), 2):
        file_ids = {
            name: await executor.lend(name, content if name == first else own) for name, own in contents.items()
        }
        found.append(await _refusal(executor, tool, fill_marks(example["args"], file_ids)))
    return [each for each in found if each]


def flip_byte(text: str, random: Random) -> str:
    """Damage one byte of what Base64 armour contains, such as a certificate."""

    def damage(found: re.Match[str]) -> str:
        try:
            content = bytearray(base64.b64decode(found[2]))
        except ValueError:
            return found[0]
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
        return f"{found[1]}{base64.encodebytes(content).decode().strip()}{found[3]}"

    return ARMOUR.sub(damage, text)


@pytest.mark.parametrize("name", sorted(ARMOURED))
async def test_damaged_certificates_and_keys_are_refused_in_plain_words(executor: LocalExecutor, name: str) -> None:
    (tool, example), random = ARMOURED[name], Random(name)
    damaged_calls = [{key: _damage(value, random) for key, value in example.items()} for _ in range(40)]
    complaints = [await _refusal(executor, tool, args) for args in damaged_calls]
    assert not any(complaints), "\n".join(filter(None, complaints))


def _damage(value: Any, random: Random) -> Any:
    if isinstance(value, list):
        return [_damage(one, random) for one in value]
    return flip_byte(value, random) if isinstance(value, str) else value


@pytest.mark.long
@pytest.mark.parametrize("category", sample(CATEGORIES, every=4))
async def test_damaged_files_are_refused_in_plain_words(executor: LocalExecutor, category: str) -> None:
    tools = [tool for tool in FILE_TOOLS if tool.category == category]
    complaints = [complaint for tool in tools for complaint in await _complaints(executor, tool)]
    assert not complaints, "\n".join(complaints)
