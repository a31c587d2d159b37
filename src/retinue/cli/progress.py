"""Show the progress of long work on standard error: a bar on a terminal, a line for each 10 % elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress

Show = Callable[[float, float, str], None]
"""Called with the amount done, the total and a short text."""


@contextmanager
def progress_bar() -> Iterator["Progress"]:
    """Show a progress bar on standard error until the work is done. It is disabled unless that is a terminal."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
    )  # fmt: skip
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress


@contextmanager
def showing(title: str) -> Iterator[Show]:
    """Show the progress of work under a title."""
    if not Console(stderr=True).is_terminal:
        yield _Lines(title).show
        return
    with progress_bar() as progress:
        bar = progress.add_task(title, total=None, state="")
        yield lambda done, total, state: progress.update(bar, completed=done, total=total, state=state)


class _Lines:
    def __init__(self, title: str) -> None:
        self._title = title
        self._tenth = 0

    def show(self, done: float, total: float, state: str) -> None:
        """Print a line for each further 10 %."""
        tenth = int(10 * done / total) if total else 0
        if tenth > self._tenth:
            self._tenth = tenth
            typer.echo(f"{self._title}: {10 * tenth} % {state}".rstrip(), err=True)
