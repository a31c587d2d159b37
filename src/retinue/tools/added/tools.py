"""Compile and hold the third-party tools of this server."""

import asyncio
import os
import sys
from collections.abc import Container, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

import orjson
import structlog

from retinue.core.children import processes
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.tools.added import discovery
from retinue.tools.added.discovery import AddedModule
from retinue.tools.base import Tool
from retinue.tools.catalogue_fingerprint import PACKAGE
from retinue.tools.imports.catalogue import SourceCatalogue
from retinue.tools.libraries import import_paths
from retinue.tools.selection.index import Index

_log = structlog.get_logger()
_LOOK_S = 2.0
_COMPILE_S = 60.0
_BOOT = "import sys; sys.path += sys.argv[1:]; from retinue.tools.added.build_catalogue import main; main()"


class Definition(NamedTuple):
    """A compiled tool, with the fields of an imported tool's row."""

    name: str
    definition: str


@dataclass(slots=True)
class AddedTools:
    """Compiles the modules of the folder and of packages, and again when the folder changes.

    `taken` are the catalogue's names, which an added tool may not have; `beside` is the catalogue's index.
    """

    folder: Path
    taken: Container[str]
    beside: Index
    catalogue: SourceCatalogue | None = None
    """None if there are no added tools."""
    faults: Sequence[str] = ()
    """One line for each error in the modules or tools that were left out."""
    _seen: object = field(default=None, repr=False)

    async def run(self) -> None:
        """Watch for changes until cancelled."""
        while True:
            await self.refresh()
            await asyncio.sleep(_LOOK_S)

    async def refresh(self) -> None:
        """Compile the current modules if they have changed since the last time."""
        try:
            seen = await run_on_disk_thread(discovery.glance, self.folder)
        except OSError:
            return  # a file disappeared meanwhile: the next check sees the folder's new state
        if seen == self._seen:
            return
        modules, unreadable = await run_on_disk_thread(discovery.folder_modules, self.folder)
        packages = await run_on_disk_thread(discovery.package_modules)
        tools, faults = await compile_modules([*packages, *modules])
        self._keep(tools, [*unreadable, *faults])
        self._seen = seen

    def _keep(self, tools: Sequence[Tool], faults: list[str]) -> None:
        kept: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self.taken or tool.name in kept:
                faults.append(f"{tool.name}: a tool with this name already exists. Choose another name.")
            else:
                kept[tool.name] = tool
        rows = [Definition(name, orjson.dumps(tool).decode()) for name, tool in kept.items()]
        self.catalogue = SourceCatalogue(rows, self.beside, _decode) if rows else None
        self.faults = faults
        if rows:
            _log.info("tools.added", tools=sorted(kept))
        for fault in faults:
            _log.warning("tools.left_out", reason=fault)


async def compile_modules(modules: Sequence[AddedModule]) -> tuple[list[Tool], list[str]]:
    """The tools of modules, and the errors of those left out. Each module is imported in another process."""
    if not modules:
        return [], []
    try:
        async with asyncio.timeout(_COMPILE_S):
            outcomes = orjson.loads(await _exchange(orjson.dumps([asdict(module) for module in modules])))
    except (TimeoutError, OSError, orjson.JSONDecodeError):
        return [], [
            (
                "The added tools do not compile: the compiler process ended early or ran for more than "
                f"{_COMPILE_S:.0f} s."
            )
        ]
    tools = [Tool(**tool) for outcome in outcomes for tool in outcome["tools"]]
    return tools, [fault for outcome in outcomes for fault in outcome["faults"]]


async def _exchange(request: bytes) -> bytes:
    """Send a request to the compiler and return its answer. Its environment has none of the server's settings."""
    command = [sys.executable, "-E", "-c", _BOOT, *import_paths(), str(PACKAGE.parents[1])]
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
    process = await processes.start(
        command, stdin=processes.PIPE, stdout=processes.PIPE, env=environment, niceness=processes.BACKGROUND
    )
    assert process.stdin is not None  # noqa: S101 - both were asked for
    assert process.stdout is not None  # noqa: S101
    try:
        process.stdin.write(request)
        process.stdin.close()
        return await process.stdout.read()
    finally:
        process.kill_group()
        await process.wait()
        process.close()


def _decode(line: bytes) -> Tool:
    return Tool(**orjson.loads(line))
