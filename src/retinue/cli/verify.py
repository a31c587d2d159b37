"""`retinue tools verify`."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from retinue.cli.temporary_server import temporary_server
from retinue.core.errors import ValidationFailed
from retinue.tools.authoring.tool import CATEGORIES, Tool

if TYPE_CHECKING:
    from retinue.tools.verification.http_example_runner import ToolFaults

_LANES, _BOUNDS = 4, 6


def verify_tools(
    categories: Annotated[list[str] | None, typer.Argument(help="Only verify tools of these categories.")] = None,
    url: Annotated[str, typer.Option(help="URL of the server. By default, a temporary server is started.")] = "",
    key: Annotated[str, typer.Option(envvar="RETINUE_KEY", help="Key of a new account on that server.")] = "",
    lanes: Annotated[int, typer.Option(min=1, max=64, help="Number of tools to verify concurrently.")] = _LANES,
    bounds: Annotated[
        int,
        typer.Option(
            min=0, max=1000, help="Number of calls per tool at the bounds of its schema, in addition to the examples."
        ),
    ] = _BOUNDS,
) -> None:
    """Run all examples and refusals of the tools through the API, and calls at the bounds of their schemas.

    Exits with status 1 if one fails.
    """
    from retinue.tools.catalogue.catalogue import Catalogue

    if unknown := [category for category in categories or () if category not in CATEGORIES]:
        raise ValidationFailed(f"There is no category {unknown[0]}. There are {', '.join(CATEGORIES)}.")
    if bool(url) != bool(key):
        raise ValidationFailed("Use --url and --key together, or neither.")
    tools = [tool for tool in Catalogue.load() if not categories or tool.category in categories]
    if url:
        report = asyncio.run(_run_examples(url, key, tools, lanes, bounds))
    else:
        with temporary_server() as (own_url, own_key):
            report = asyncio.run(_run_examples(own_url, own_key, tools, lanes, bounds))
    report.print()
    if report.faults:
        raise typer.Exit(1)


async def _run_examples(url: str, key: str, tools: Sequence[Tool], lanes: int, bounds: int) -> "VerificationReport":
    from retinue.tools.verification.http_example_runner import RemoteExecutor, verify

    report = VerificationReport(sum(len(tool.examples) for tool in tools))
    async with RemoteExecutor.open(url, key) as remote:
        if any(tool.category == "workspace" for tool in tools):
            await remote.create_resources()
        await verify(tools, remote, lanes, report.add, bounds)
    return report


@dataclass
class VerificationReport:
    """Counts verified tools and examples, and shows the progress."""

    total: int
    done: int = 0
    faults: list[str] = field(default_factory=list)
    tools: Counter[str] = field(default_factory=Counter)
    examples: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    _began: float = field(default_factory=time.monotonic)
    _printed_percent: int = -1

    def add(self, outcome: "ToolFaults") -> None:
        """Count the outcome of a tool."""
        category = outcome.tool.category
        self.tools[category] += 1
        self.examples[category] += len(outcome.tool.examples)
        self.failed[category] += len(outcome.faults)
        self.faults += outcome.faults
        self.done += len(outcome.tool.examples)
        for fault in outcome.faults:
            typer.echo(f"\r{fault}")
        self._show(100 * self.done // max(self.total, 1))

    def _show(self, percent: int) -> None:
        """Overwrite one line on a terminal; elsewhere print a line for each 10 %."""
        terminal = sys.stderr.isatty()
        if percent > self._printed_percent and (terminal or percent // 10 > self._printed_percent // 10):
            self._printed_percent = percent
            line = f"{percent:3} %  {self.done:,} of {self.total:,} examples, {len(self.faults)} failed"
            typer.echo(f"\r{line}" if terminal else line, err=True, nl=not terminal or percent == 100)

    def print(self) -> None:
        """Print the counts of each category and their sums."""
        for category in filter(self.tools.get, CATEGORIES):
            _print_row(category, self.tools[category], self.examples[category], self.failed[category])
        _print_row("all", self.tools.total(), self.examples.total(), self.failed.total())
        typer.echo(f"Took {time.monotonic() - self._began:.0f} s.")


def _print_row(name: str, tools: int, examples: int, failed: int) -> None:
    typer.echo(f"{name:14} {tools:6,} tools {examples:6,} examples {failed:4} failed")
