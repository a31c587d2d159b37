"""`retinue top`."""

import asyncio
import contextlib
import select
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from retinue.cli.configuration import load_settings
from retinue.cli.output import colour_of
from retinue.control.client import ask_server
from retinue.core.errors import Unavailable
from retinue.core.runtime.data_dir import DataDir

_EVERY_S = 1.0
_RUNS = ("queued", "running", "waiting")
_USED = {"api": "Requests", "chat": "Chat", "agents": "Agents", "tools": "Tools", "voice": "Voice"}


def top(once: Annotated[bool, typer.Option("--once", help="Print one page and exit.")] = False) -> None:
    """Show the current work of the server, updated every second. q exits."""
    home = DataDir(load_settings().home)
    first = LoadSample.take(home)
    if once or not (sys.stdin.isatty() and sys.stdout.isatty()):
        _print_plain(first)
        return
    with _keys() as pressed, Live(_page(first, first), screen=True, auto_refresh=False) as live:
        before = first
        while not pressed(_EVERY_S):
            reading = LoadSample.take(home)
            live.update(_page(before, reading), refresh=True)
            before = reading


@dataclass(frozen=True)
class LoadSample:
    """The state of the server at one time, in monotonic seconds."""

    at: float
    load: Mapping[str, Any]

    @classmethod
    def take(cls, home: DataDir) -> "LoadSample":
        """Query the running server. Raises `Unavailable` if none runs."""
        try:
            load = asyncio.run(ask_server(home, "overview", {}))
        except (ConnectionError, FileNotFoundError) as error:
            raise Unavailable(f"No server is running on {home.folder}. Start one with: retinue serve") from error
        return cls(time.monotonic(), load)

    def usage_of(self, resource: str, amount: str) -> int:
        """Return today's usage of a resource."""
        return int(self.load["today"].get(resource, {}).get(amount, 0))

    def queues(self) -> list[tuple[str, int]]:
        """Return the names and lengths of the queues."""
        runs = [(f"Runs {status}", self.load["runs"].get(status, 0)) for status in _RUNS]
        names = {"deployments": "Deployments", "deliveries": "Webhook deliveries", "schedules_due": "Schedules due"}
        rest = [(title, self.load[name]) for name, title in names.items()]
        return [*runs, *rest, ("Servers at work", self.load["servers_at_work"])]


def _print_plain(reading: LoadSample) -> None:
    for name, length in reading.queues():
        typer.echo(f"{name}\t{length}")
    for resource, title in _USED.items():
        amounts = "\t".join(
            f"{reading.usage_of(resource, amount)} {amount}" for amount in ("count", "errors", "tokens")
        )
        typer.echo(f"{title} today\t{amounts}")


def _page(before: LoadSample, reading: LoadSample) -> Group:
    """Render the page. Rates cover the time since the reading `before`."""
    queues = Table("Queue", "Now", box=None, header_style="bold")
    for name, length in reading.queues():
        status = name.removeprefix("Runs ")
        queues.add_row(name, Text(f"{length:,}", style=colour_of(status) if length else "dim"))
    used = Table("Today", "Count", "Per second", "Errors", "Tokens", box=None, header_style="bold")
    seconds = max(reading.at - before.at, _EVERY_S)
    for resource, title in _USED.items():
        rate = max(0, reading.usage_of(resource, "count") - before.usage_of(resource, "count")) / seconds
        errors = reading.usage_of(resource, "errors")
        used.add_row(
            title, f"{reading.usage_of(resource, 'count'):,}", f"{rate:.1f}",
            Text(f"{errors:,}", style="red" if errors else "dim"), f"{reading.usage_of(resource, 'tokens'):,}",
        )  # fmt: skip
    return Group(Text("Retinue    q ends", style="bold"), "", queues, "", used)


@contextlib.contextmanager
def _keys() -> Iterator[Callable[[float], bool]]:
    """Yield a function that waits up to some seconds for the key q. Restores the terminal settings on exit."""
    attributes = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)

    def is_quit_pressed(seconds: float) -> bool:
        ready, _, _ = select.select([sys.stdin], [], [], seconds)
        return bool(ready) and sys.stdin.read(1) in ("q", "Q", "\x04", "")

    try:
        yield is_quit_pressed
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, attributes)
