"""Which tools a run may use, step by step."""

from collections.abc import Callable
from typing import Protocol

from retinue.auth.plans import tier_includes
from retinue.runs.options import Run
from retinue.runs.thread import Thread
from retinue.tools.base import Tool

_SHORTLIST = 5


class ToolIndex(Protocol):
    """Finds tools."""

    def __contains__(self, name: str) -> bool: ...

    def get(self, name: str) -> Tool:
        """The tool of that name, or `NotFound`."""
        ...

    def shortlist(self, message: str, k: int, allowed: Callable[[Tool], bool]) -> list[Tool]:
        """The `k` tools that fit a message best."""
        ...


class Offers:
    """Chooses tools for runs.

    Tools that the caller named are offered as they are. Otherwise the catalogue's best matches are, and of those only
    what reads a closed world: text that came from outside may try to steer the model, and finds nothing to steer.
    """

    def __init__(self, catalogue: ToolIndex) -> None:
        self._catalogue = catalogue

    def to(self, run: Run, thread: Thread) -> list[Tool]:
        """The tools for the next model call."""
        if not run.options.may_execute or thread.steps >= run.options.budget.steps - 1:
            return []
        if run.options.tools is not None:
            named = (self._catalogue.get(name) for name in run.options.tools if name in self._catalogue)
            return [tool for tool in named if _included(run, tool)]
        return self._catalogue.shortlist(run.message, _SHORTLIST, lambda tool: _harmless(tool) and _included(run, tool))

    def credits_of(self, name: str) -> int:
        """What a call of that tool costs."""
        return self._catalogue.get(name).credits if name in self._catalogue else 0

    def find(self, run: Run, name: str) -> Tool | None:
        """The tool of a call that the model made, if it is among those it may use."""
        if name not in self._catalogue or not run.options.may_execute:
            return None
        tool = self._catalogue.get(name)
        if not _included(run, tool):
            return None
        allowed = _harmless(tool) if run.options.tools is None else name in run.options.tools
        return tool if allowed else None


def _harmless(tool: Tool) -> bool:
    return tool.read_only and not tool.open_world


def _included(run: Run, tool: Tool) -> bool:
    return tier_includes(run.options.tier, tool.tier)
