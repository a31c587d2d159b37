"""Gives the small-model assistant access to a run's resources: tool search, remembered facts and notes."""

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, Protocol

from retinue.core.errors import RetinueError
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.knowledge import embedding
from retinue.language.language_detection import language_of_request
from retinue.language.reply_templates import ReplyTemplates
from retinue.language.translation import SOURCE
from retinue.models.base import Candidate
from retinue.runs.run_options import Run
from retinue.runs.tool_selection.run_tools import ToolSelector
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.reply_translations import translate_replies
from retinue.tools.selection.query_terms import significant_stems
from retinue.workspace.records import UntrustedNotes
from retinue.workspace.tool_context import Principal, RunAncestry

_RECALLED, _CHARACTERS = 3, 300
"""The maximum number of facts, and of notes, to recall, and the maximum length of a note."""
_ANSWERING = 2
"""The minimum number of significant words in a question that a fact answers."""
_COMMON = frozenset(significant_stems("again hello hi know make mine note read remember say show tell want write"))
"""Words that say nothing of the subject of a question about facts and notes."""
_NOTE = re.compile(r"\bnotes?\b", re.IGNORECASE)
_OWN = re.compile(
    r"^\W*(?:and )?(?:what|when|where|who)(?:'s| is| are| was) (?P<thing>my \w+(?: \w+)?)\W*$", re.IGNORECASE
)
"""Matches a question such as "What's my name?", which "my name is Ada" answers."""
_CHANGING = re.compile(
    r"^\W*(?:(?:please|can you|could you)\W+){0,2}(?:add|book|buy|cancel|change|correct|create|delete|erase|forget|make"
    r"|mark|move|put|remove|rename|replace|send|set|update|write)\b",
    re.IGNORECASE,
)
"""Matches a request to change something, which no fact answers."""
_SAID = {
    "en": ("You told me: {}", "Your note {}"),
    "de": ("Sie haben mir gesagt: {}", "Ihre Notiz {}"),
    "es": ("Usted me dijo: {}", "Su nota {}"),
    "fr": ("Vous m'avez dit\u00a0: {}", "Votre note {}"),
}
"""How to quote a fact and a note."""
_BEING = (" is ", " are ", " was ", ": ")


class ToolExecutor(Protocol):
    """Executes tools."""

    async def execute(self, tool: Tool, args: dict[str, object], principal: Principal) -> dict[str, Any]:
        """Return the tool's result. Raises `RetinueError`. File arguments must belong to the account."""
        ...


def principal_of(run: Run) -> Principal:
    """Return the account, scopes and lineage on whose behalf the run's tools act."""
    ancestry = RunAncestry(
        run.options.depth + 1, run.options.root or run.id, run.options.key_id, run.untrusted, run.options.user
    )
    notes = UntrustedNotes(untrusted=run.untrusted is not None)
    return Principal(run.account_id, frozenset(run.options.scopes), ancestry, run.attached, run.options.sandbox, notes)


class RunResources:
    """The resources of one run. See `retinue.models.base.AssistantResources`.

    `offered` has the names of the tools that were found. `note_untrusted` receives the source of untrusted facts.
    `remembered` are the facts of the agent's memory that fit the message; without one, facts are those of the account.
    """

    def __init__(
        self,
        run: Run,
        offers: ToolSelector,
        tools: ToolExecutor,
        note_untrusted: Callable[[str | None], None],
        remembered: Sequence[str] = (),
    ) -> None:
        self._run, self._offers, self._tools, self._note_untrusted = run, offers, tools, note_untrusted
        self.moment = now()
        self.today = date.fromisoformat(run.options.day) if run.options.day else self.moment.date()
        self.first_message = run.message
        self.remembered_facts = remembered
        self.offered: set[str] = set()

    async def find_tools(self, request: str) -> Sequence[Candidate]:
        """Return the tools that the request may mean, most likely first."""
        found = await self._offers.rank(self._run, request)
        self.offered.update(one.tool.name for one in found if one.allowed)
        return found

    async def reply_templates(self, tool: str, language: str) -> ReplyTemplates:
        """Return the sentences that word the result of a tool, in a language if they are translated into it."""
        found = await self._offers.find(self._run, tool)
        if found is None or language == SOURCE:
            return ReplyTemplates(SOURCE, found.reply if found else {})
        return await run_on_compute_thread(translate_replies, found.reply, language)

    async def saved_answer(self, request: str) -> str:
        """Quote the facts and notes that contain the significant words of the request. One of three or more may be
        missing, but not where the request names a note. A request to change something has no such answer.
        """
        if _CHANGING.match(request):
            return ""
        words, names_note = _words(request), _NOTE.search(request) is not None
        told, note = _SAID.get(language_of_request(request) or "", _SAID[SOURCE])
        if own := _OWN.match(request):
            beginnings = tuple(f"{own['thing'].lower()}{being}" for being in _BEING)
            if facts := [one for one in await self._facts(request) if one.lower().startswith(beginnings)]:
                return told.format("; ".join(facts))
        if len(words) < (1 if names_note else _ANSWERING):
            return ""
        allowed = int(len(words) > _ANSWERING and not names_note)
        facts = [] if names_note else [one for one in await self._facts(request) if len(words - _words(one)) <= allowed]
        notes = [note.format(one) for one in await self._notes(request) if len(words - _words(one)) <= allowed]
        return "\n\n".join([told.format("; ".join(facts)), *notes] if facts else notes)

    async def recall(self, request: str) -> Sequence[str]:
        """Return the account's facts and notes that share a word with the request, if the run may search them."""
        found = await self._notes(request)
        if self._run.options.memory == "none":
            found = [*await self._facts(request), *found]
        return [*self.remembered_facts, *(text for text in found if _words(text) & _words(request))]

    async def similarities(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the cosines of texts with a question by the included embedding model; nothing without it."""
        return await embedding.similarities(question, texts) if embedding.included_model() else ()

    async def _notes(self, request: str) -> list[str]:
        notes = await self._search("note_search", "notes", request)
        return [f"{note['title']}: {note['text'][:_CHARACTERS]}" for note in notes]

    async def _facts(self, request: str) -> list[str]:
        if self._run.options.memory != "none":
            return list(self.remembered_facts)
        return [memory["text"] for memory in await self._search("memory_search", "memories", request)]

    async def _search(self, name: str, field: str, request: str) -> list[dict[str, Any]]:
        """Return the results of a workspace search tool, or an empty list if the run may not use it or it fails."""
        if (tool := await self._offers.find(self._run, name)) is None:
            return []
        principal = principal_of(self._run)
        try:
            result = await self._tools.execute(tool, {"query": request, "limit": _RECALLED}, principal)
        except RetinueError:
            return []
        self._note_untrusted(principal.notes.read)
        found: list[dict[str, Any]] = result[field]
        return found


def _words(text: str) -> set[str]:
    """Return the stems of a text's significant words. They filter out results that only have a similar spelling."""
    return {word for word in significant_stems(text) if len(word) > 1} - _COMMON
