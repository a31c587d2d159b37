"""`retinue tools`."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from retinue.cli.catalogue import import_tools, run_tool, search_tools, show_tool
from retinue.cli.configuration import load_settings
from retinue.cli.installing import install_shown
from retinue.cli.verify import verify_tools
from retinue.core.errors import ValidationFailed
from retinue.core.runtime import log
from retinue.core.runtime.data_dir import DataDir
from retinue.tools.authoring.skeleton import skeleton
from retinue.tools.execution.confinement import Confinement
from retinue.tools.execution.environment import ToolEnvironment
from retinue.tools.plugins.discovery import read_module

if TYPE_CHECKING:
    from retinue.tools.authoring.tool import Tool

app = typer.Typer(no_args_is_help=True)
app.command("verify")(verify_tools)
app.command("search")(search_tools)
app.command("show")(show_tool)
app.command("run")(run_tool)
app.command("import")(import_tools)


def _environment() -> ToolEnvironment:
    return ToolEnvironment.beside(DataDir(load_settings().home).cache)


@app.command()
def install() -> None:
    """Install the libraries of the tools now. The server also installs them while it runs."""
    environment = _environment()
    install_shown(environment, "the tools' libraries")
    typer.echo(f"The tools' libraries are in {environment.folder}.")


@app.command()
def prove(
    modules: Annotated[
        list[str],
        typer.Argument(help="Categories, modules such as text/lists, or files of your own such as greeting.py."),
    ],
) -> None:
    """Run the examples of tools, for tool authors. Exits with status 1 if one fails."""
    log.configure("error")
    faults = asyncio.run(_faults(modules))
    for fault in faults:
        typer.echo(fault)
    if faults:
        raise typer.Exit(1)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Two or more words joined by _, such as weather_show_today.")],
    category: Annotated[str, typer.Option(help="Category in the catalogue.")] = "text",
) -> None:
    """Create a tool of your own from a template in the folder tools.d. A running server loads it automatically."""
    home = DataDir(load_settings().home)
    text = skeleton(name, category)
    home.create()
    home.added_tools.mkdir(exist_ok=True)
    path = home.added_tools / f"{name}.py"
    try:
        with path.open("x") as file:
            file.write(text)
    except FileExistsError as error:
        raise ValidationFailed(f"{path} already exists. Choose another name.") from error
    typer.echo(f"Created {path}. Edit it, then run its examples: retinue tools prove {path}")


async def _compile(modules: Sequence[str], *, confined: bool) -> "tuple[list[Tool], list[str]]":
    """Compile tools; return them with a list of compile errors."""
    from retinue.tools.catalogue.catalogue import compile_libraries
    from retinue.tools.plugins.tools import compile_modules

    files = [read_module(Path(module)) for module in modules if module.endswith(".py")]
    tools, faults = await compile_modules(files, Confinement(confined))
    if listed := [module for module in modules if not module.endswith(".py")]:
        try:
            tools = [*compile_libraries(listed, confined=confined), *tools]
        except RuntimeError as error:
            faults = [str(error), *faults]
    return tools, faults


def _with_called(tools: "dict[str, Tool]") -> "dict[str, Tool]":
    """Return the tools, and those of the catalogue if their examples call others."""
    from retinue.tools.catalogue.catalogue import Catalogue

    examples = [example for tool in tools.values() for example in tool.examples]
    called = {call["tool"] for example in examples for call in (*example["before"], *example.get("then", ()))}
    return tools if called <= tools.keys() else {tool.name: tool for tool in Catalogue.load()} | tools


async def _faults(modules: Sequence[str]) -> list[str]:
    from retinue.tools.verification.example_runner import ExampleRunner, LocalExecutor

    confined = load_settings().sandbox == "require"
    compiled, broken = await _compile(modules, confined=confined)
    tools = {tool.name: tool for tool in compiled if not tool.inside}
    if len(tools) < len(compiled):
        typer.echo(
            f"{len(compiled) - len(tools)} tools run inside the server. To verify them, run: retinue tools verify"
        )
    environment = _environment()
    python = str(environment.python) if environment.ready else sys.executable
    async with LocalExecutor.open(_with_called(tools), python, confined=confined) as executor:
        faults = broken + [fault for tool in tools.values() for fault in await ExampleRunner(executor).faults(tool)]
    typer.echo(f"{len(tools)} tools, {sum(len(tool.examples) for tool in tools.values())} examples")
    return faults
