"""`retinue tools`."""

import asyncio
from collections.abc import Iterable
from typing import Annotated

import typer

from retinue.cli.catalogue import import_tools, run_tool, search_tools, show_tool
from retinue.cli.installing import install_shown
from retinue.cli.verify import verify_tools
from retinue.core import log
from retinue.core.home import Home
from retinue.settings import Settings
from retinue.tools.environment import ToolEnvironment

app = typer.Typer(no_args_is_help=True)
app.command("verify")(verify_tools)
app.command("search")(search_tools)
app.command("show")(show_tool)
app.command("run")(run_tool)
app.command("import")(import_tools)


def _environment() -> ToolEnvironment:
    return ToolEnvironment.beside(Home(Settings().home).cache)


@app.command()
def install() -> None:
    """Install the libraries of the tools now; the server does it by itself while it runs."""
    environment = _environment()
    install_shown(environment, "the tools' libraries")
    typer.echo(f"The tools' libraries are in {environment.folder}.")


@app.command()
def prove(
    modules: Annotated[list[str], typer.Argument(help="Categories, or modules as in text/case.")],
) -> None:
    """Run the examples of tools, for those who write them. Ends with status 1 when one does not hold."""
    log.configure("error")
    faults = asyncio.run(_faults(modules))
    for fault in faults:
        typer.echo(fault)
    if faults:
        raise typer.Exit(1)


async def _faults(modules: Iterable[str]) -> list[str]:
    from retinue.tools.compile import compiled_tools  # noqa: PLC0415 - what the server never imports
    from retinue.tools.proof import Prover, Workshop  # noqa: PLC0415

    compiled = compiled_tools(modules)
    tools = {tool.name: tool for tool in compiled if not tool.inside}
    if len(tools) < len(compiled):
        typer.echo(f"{len(compiled) - len(tools)} tools run inside the server: retinue tools verify proves them")
    async with Workshop.open(tools, str(_environment().python)) as workshop:
        faults = [fault for tool in tools.values() for fault in await Prover(workshop).faults(tool)]
    typer.echo(f"{len(tools)} tools, {sum(len(tool.examples) for tool in tools.values())} examples")
    return faults
