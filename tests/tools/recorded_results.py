"""Results of tools for arguments drawn near those of their examples.

`python -m tests.tools.recorded_results` records a short digest of each. A digest does not say that a result is right,
only that it is the same as before: round numbers in the examples hide some mistakes.
"""

import asyncio
import json
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from retinue.core.errors import RetinueError
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.environment import ToolEnvironment
from retinue.tools.verification.example_runner import LocalExecutor
from retinue.tools.verification.mock_web_server import fill_marks
from tests.support.snapshot import Snapshot

SNAPSHOT = Snapshot(Path(__file__).with_suffix(".tsv"), "tests.tools.recorded_results")
_LIBRARY = Path(__file__).parents[2] / "packages/retinue-tools/src"
_DRAWS = 4
_UNSTEADY = re.compile(
    r"^\s*(?:import|from) (?:random|secrets|time|uuid)\b|\b(?:now|today|urandom|default_rng)\(", re.M
)
"""Code whose results depend on more than the arguments."""
_ELSEWHERE = {
    *("crs_transform_coordinates", "regression_fit_linear", "timeseries_forecast_arima"),
    *("timeseries_test_stationarity", "python_disassemble_code", "text_inspect_unicode"),
    *("cert_inspect_pem", "docx_read_properties", "xlsx_list_sheets"),
    *("matrix_compute_svd", "timeseries_forecast_smoothing"),
}
"""Tools whose results depend on the release of a library or of Python, on the clock of a library, or on the order in
which a processor sums: singular vectors of equal values, and minima that an optimiser approaches.
"""


def steady(tools: Iterable[Tool]) -> list[Tool]:
    """Return the tools whose results are values that depend on nothing but the arguments, module by module."""
    chosen = (
        tool
        for tool in tools
        if tool.idempotent
        and tool.name not in _ELSEWHERE
        and not (tool.inside or tool.open_world or tool.needs or tool.alias_of)
        and "file-id" not in json.dumps(tool.result_schema)
        and not any(map(_is_unsteady, _modules(tool.module)))
    )
    return sorted(chosen, key=lambda tool: (tool.module, tool.name))


async def digests(executor: LocalExecutor, tool: Tool) -> str:
    """Return the line of a tool: its name and a digest of each result."""
    return "\t".join([tool.name, *[await _digest(executor, tool, args, files) for args, files in _calls(tool)]])


async def _digest(executor: LocalExecutor, tool: Tool, args: Mapping[str, Any], files: Mapping[str, str]) -> str:
    file_ids = {name: await executor.lend(name, b64decode(content)) for name, content in files.items()}
    try:
        result = await executor.execute(tool.name, fill_marks(args, file_ids))
    except RetinueError as refused:
        return type(refused).__name__
    text = json.dumps(_round(result), sort_keys=True)
    for name, file_id in file_ids.items():
        text = text.replace(file_id, name)
    return sha256(text.encode()).hexdigest()[:8]


def _round(value: Any) -> Any:
    """Round numbers to 6 digits: the last ones differ between processors."""
    match value:
        case float():
            return f"{value:.6g}" if abs(value) > 1e-9 else "0"
        case dict():
            return {key: _round(part) for key, part in value.items()}
        case list():
            return [*map(_round, value)]
    return value


def _calls(tool: Tool) -> Iterator[tuple[dict[str, Any], Mapping[str, str]]]:
    """Yield the arguments and files of examples, then variations of them."""
    random = Random(tool.name)
    known = [(example["args"], example["files"]) for example in tool.examples if "result" in example]
    yield from known
    for args, files in random.choices(known, k=_DRAWS) if known else ():
        drawn = {name: _vary(value, random) for name, value in args.items()}
        for name, schema in tool.input_schema["properties"].items():
            if "enum" in schema and random.random() < 0.5:
                drawn[name] = random.choice(schema["enum"])
        if drawn != args:
            yield drawn, files


def _vary(value: Any, random: Random) -> Any:
    """Return a value like the given one: other numbers of similar size, the same texts."""
    match value:
        case bool() | str() | None:
            return value
        case int():
            return value + random.randint(-2, 2) if abs(value) < 20 else round(value * random.uniform(0.7, 1.4))
        case float():
            return float(f"{value * random.uniform(0.7, 1.4):.4g}")
        case list():
            return [_vary(part, random) for part in value]
    return {key: _vary(part, random) for key, part in value.items()}


@cache
def _source(module: str) -> str:
    path = _LIBRARY / module.replace(".", "/")
    return next(one for one in (path.with_suffix(".py"), path / "__init__.py") if one.exists()).read_text()


@cache
def _is_unsteady(module: str) -> bool:
    return bool(_UNSTEADY.search(_source(module)))


@cache
def _modules(module: str) -> frozenset[str]:
    """Return a module of the library and all of the library that it imports."""
    imported = re.findall(r"^from (retinue_tools\S*) import", _source(module), re.M)
    return frozenset({module}).union(*map(_modules, imported))


async def _record() -> None:
    tools = {tool.name: tool for tool in steady(Catalogue.load())}
    python = ToolEnvironment.beside(Path.home() / ".retinue" / "cache").python
    async with LocalExecutor.open(tools, str(python)) as executor:
        SNAPSHOT.write([await digests(executor, tool) for tool in tools.values()])


if __name__ == "__main__":
    asyncio.run(_record())
