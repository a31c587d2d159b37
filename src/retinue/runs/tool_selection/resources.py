"""What a run lends to an assistant for a small model: the search for tools, and facts that were to be remembered."""

from collections.abc import Sequence
from typing import Any, Protocol

from retinue.core.errors import RetinueError
from retinue.core.text_normalization import stems
from retinue.models.base import Candidate
from retinue.runs.run_options import Run
from retinue.runs.tool_selection.run_tools import Offers
from retinue.tools.base import Tool
from retinue.workspace.tool_context import Behalf, Lineage

_RECALLED, _CHARACTERS = 3, 300
"""Facts, and notes, that a model is reminded of, and the characters of each note."""
_LONG = 4
_COMMON = stems(
    "about does from have mine note should tell that their them there they this what when where which will with would "
    "your know like make need want remember"
)


class Toolbox(Protocol):
    """Executes tools."""

    async def execute(self, tool: Tool, args: dict[str, Any], behalf: Behalf) -> dict[str, Any]:
        """The tool's result, or an error that says what is wrong. Files among the arguments are the account's."""
        ...


def behalf_of(run: Run) -> Behalf:
    """On whose behalf a run's tools work."""
    lineage = Lineage(run.options.depth + 1, run.options.root or run.id, run.options.key_id)
    return Behalf(run.account_id, frozenset(run.options.scopes), lineage, run.attached, run.options.sandbox)


class RunResources:
    """The resources of one run. See `retinue.models.base.Resources`."""

    def __init__(self, run: Run, offers: Offers, tools: Toolbox) -> None:
        self._run, self._offers, self._tools = run, offers, tools

    async def find_tools(self, request: str) -> Sequence[Candidate]:
        """The tools that a request may mean, the likeliest first."""
        return await self._offers.rank(self._run, request)

    async def recall(self, request: str) -> Sequence[str]:
        """Facts and notes that bear on a request: of the whole account, as far as the run may use its workspace."""
        facts = [memory["text"] for memory in await self._search("memory_search", "memories", request)]
        notes = await self._search("note_search", "notes", request)
        found = [*facts, *(f"{note['title']}: {note['text'][:_CHARACTERS]}" for note in notes)]
        return [text for text in found if _words(text) & _words(request)]

    async def _search(self, name: str, field: str, request: str) -> list[dict[str, Any]]:
        """What a tool of the workspace finds; nothing where the run may not use it."""
        if (tool := await self._offers.find(self._run, name)) is None:
            return []
        try:
            result = await self._tools.execute(tool, {"query": request, "limit": _RECALLED}, behalf_of(self._run))
        except RetinueError:
            return []
        found: list[dict[str, Any]] = result[field]
        return found


def _words(text: str) -> set[str]:
    """The words of a text that say what it is about. The search finds likenesses of spelling as well."""
    return {word for word in stems(text) if len(word) >= _LONG} - _COMMON
