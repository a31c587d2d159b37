"""Compile and hold the third-party tools of this server."""

import asyncio
import tempfile
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import orjson
import structlog

from retinue.core.errors import Unavailable
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.tools.authoring.plugin_module import PluginModule
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.source_catalogue import SourceCatalogue
from retinue.tools.execution.confinement import Confinement
from retinue.tools.execution.process import WorkerDied, temporary_worker
from retinue.tools.plugins import discovery
from retinue.tools.selection.index import Index

_log = structlog.get_logger()
_LOOK_S = 2.0
_COMPILE_S = 60.0


class CompiledTool(NamedTuple):
    """A compiled tool, with the fields of an imported tool's row."""

    name: str
    definition: str


@dataclass(slots=True)
class PluginTools:
    """Compiles the modules of the folder and of packages, and again when the folder changes.

    `taken` are the catalogue's names, which an added tool may not have; `beside` is the catalogue's index;
    `confinement` says whether modules may be imported by a process that the kernel does not confine.
    """

    folder: Path
    taken: Container[str]
    beside: Index
    confinement: Confinement
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
            seen = await run_on_disk_thread(discovery.folder_state, self.folder)
        except OSError:
            return  # a file disappeared meanwhile: the next check sees the folder's new state
        if seen == self._seen:
            return
        modules, unreadable = await run_on_disk_thread(discovery.folder_modules, self.folder)
        packages = await run_on_disk_thread(discovery.package_modules)
        tools, faults = await compile_modules([*packages, *modules], self.confinement)
        self._keep(tools, [*unreadable, *faults])
        self._seen = seen

    def _keep(self, tools: Sequence[Tool], faults: list[str]) -> None:
        accepted: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self.taken or tool.name in accepted:
                faults.append(f"{tool.name}: a tool with this name already exists. Choose another name.")
            else:
                accepted[tool.name] = tool
        rows = [CompiledTool(name, orjson.dumps(tool).decode()) for name, tool in accepted.items()]
        self.catalogue = SourceCatalogue(rows, self.beside, _decode) if rows else None
        self.faults = faults
        if rows:
            _log.info("tools.added", tools=sorted(accepted))
        for fault in faults:
            _log.warning("tools.left_out", reason=fault)


async def compile_modules(
    modules: Sequence[PluginModule], confinement: Confinement | None = None
) -> tuple[list[Tool], list[str]]:
    """Return the tools of modules, and the errors of those left out. The modules are imported in a worker process."""
    if not modules:
        return [], []
    try:
        async with temporary_worker(Path(tempfile.gettempdir()), confinement or Confinement()) as worker:
            reply = await worker.compile(modules, _COMPILE_S)
    except Unavailable as error:
        return [], [f"The added tools do not compile: {error.message}"]
    except WorkerDied as error:
        return [], [f"The added tools do not compile: a module ended the process that imports it ({error.status})."]
    except TimeoutError:
        return [], [f"The added tools do not compile: importing them took longer than {_COMPILE_S:.0f} s."]
    if reply["kind"] != "compiled":
        return [], [f"The added tools do not compile: {reply.get('detail') or reply.get('message') or reply['kind']}"]
    outcomes = reply["outcomes"]
    tools = [Tool(**tool) for outcome in outcomes for tool in outcome["tools"]]
    return tools, [fault for outcome in outcomes for fault in outcome["faults"]]


def _decode(line: bytes) -> Tool:
    return Tool(**orjson.loads(line))
