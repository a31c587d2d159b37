"""Which tools a run may use, step by step."""

from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol

from retinue.auth.plans import ToolTier, tier_includes
from retinue.bubbles import machine
from retinue.models.base import Candidate, ToolOffer
from retinue.models.directions import Meaning
from retinue.runs.options import Run
from retinue.runs.thread import Thread
from retinue.tools.base import Tool
from retinue.tools.catalogue import Match
from retinue.tools.directory import Directory

_SHORTLIST = 5
_PLAIN, _PLAIN_IF_ALLOWED = 24.0, 19.0
"""From which score by words on a tool is plainly meant that no example request teaches; no talk scores as high."""
_SHARE = 5.0
"""What such a score counts as a lead."""
_REMEMBERED = 256
"""Messages whose matches are kept: every step of a run asks anew, and so does every run of the same task."""


class Meanings(Protocol):
    """What tells what a request means."""

    async def meaning(self, request: str) -> Meaning | None:
        """What it means; None where nobody can tell."""
        ...


class Offers:
    """Chooses tools for runs.

    Tools that the caller named are offered as they are. Otherwise the catalogue's best matches are, and of those only
    what reads a closed world and runs no program of a caller, and what adds to the caller's own workspace: text that
    came from outside may try to steer the model, and finds nothing to steer that would destroy or go out.
    """

    def __init__(self, directory: Directory, meanings: Meanings | None = None) -> None:
        self._directory = directory
        self._meanings = meanings
        self._by_words = lru_cache(_REMEMBERED)(self._shortlist)
        self._by_meaning: OrderedDict[tuple[str, ToolTier], list[Candidate]] = OrderedDict()

    async def to(self, run: Run, thread: Thread) -> list[ToolOffer]:
        """The tools for the next call of a model that calls tools by itself."""
        if not self._may_call(run, thread):
            return []
        if run.options.tools is not None:
            return await self.named(run, thread)
        found = await self._found(run.message, run.options.tier, run.options.sandbox)
        return [one.tool for one in found if one.allowed]

    async def named(self, run: Run, thread: Thread) -> list[ToolOffer]:
        """The tools that the caller named."""
        if not self._may_call(run, thread):
            return []
        return [_offer(tool) for tool in await self._named(run)]

    async def ranked(self, run: Run, request: str) -> list[Candidate]:
        """The tools that a request of a run may mean, the likeliest first; those that the caller named, if it did."""
        if run.options.tools is None:
            return await self._found(request, run.options.tier, run.options.sandbox)
        return [Candidate(_offer(tool), examples=_examples(tool)) for tool in await self._named(run)]

    async def _named(self, run: Run) -> list[Tool]:
        names = run.options.tools or []
        known = await self._directory.naming(run.account_id, names)
        return [tool for tool in (known.get(name) for name in names if name in known) if _included(run, tool)]

    def _may_call(self, run: Run, thread: Thread) -> bool:
        return run.options.may_execute and thread.steps < run.options.budget.steps - 1

    async def _found(self, message: str, tier: ToolTier, sandbox: bool) -> list[Candidate]:
        """The best matches, by what a model says as well where one can. A sandbox must not depend on whether it can."""
        if sandbox or self._meanings is None:
            return self._by_words(message, tier)
        if found := self._by_meaning.get((message, tier)):
            return found
        if (meaning := await self._meanings.meaning(message)) is None:
            return self._by_words(message, tier)
        found = self._by_meaning[message, tier] = self._shortlist(message, tier, meaning)
        if len(self._by_meaning) > _REMEMBERED:
            self._by_meaning.popitem(last=False)
        return found

    def _shortlist(self, message: str, tier: ToolTier, meaning: Meaning | None = None) -> list[Candidate]:
        matches = self._directory.catalogue.matches(
            message,
            _SHORTLIST,
            lambda tool: _harmless(tool) and tier_includes(tier, tool.tier),
            meaning.of if meaning else None,
        )
        return [*(_candidate(match, meaning) for match in matches), *self._unlearned(message)]

    def _unlearned(self, message: str) -> list[Candidate]:
        """The best match by words, if it is plain and nothing was learned of that tool: it writes or goes out."""
        catalogue = self._directory.catalogue
        scored = catalogue.scored(message)
        if not scored or (tool := catalogue.get(scored[0][0])).precedents or (tool.read_only and not tool.open_world):
            return []
        score, allowed = scored[0][1], _harmless(tool)
        plain = _PLAIN_IF_ALLOWED if allowed else _PLAIN
        return [_candidate(Match(tool, score, score / _SHARE), None, allowed=allowed)] if score >= plain else []

    async def credits_of(self, run: Run, name: str) -> int:
        """What a call of that tool costs."""
        known = await self._directory.naming(run.account_id, [name])
        return known.get(name).credits if name in known else 0

    async def find(self, run: Run, name: str) -> Tool | None:
        """The tool of a call that the model made, if it is among those it may use."""
        named = run.options.tools
        if not run.options.may_execute or (named is not None and name not in named):
            return None
        known = await self._directory.naming(run.account_id, named or [])
        tool = known.get(name) if name in known else None
        if tool is None or not _included(run, tool):
            return None
        return tool if named is not None or _harmless(tool) else None


def _offer(tool: Tool) -> ToolOffer:
    return ToolOffer(tool.name, tool.description, tool.input_schema)


def _candidate(match: Match, meaning: Meaning | None, *, allowed: bool = True) -> Candidate:
    """A match with what the requests of the past say of the tool, and what numbers and texts may be for it."""
    tool = match.tool
    offer = ToolOffer(tool.name, tool.description, _keeping(tool))
    numbers, texts = (meaning.numbers(tool.name), meaning.texts(tool.name)) if meaning else ((), ())
    return Candidate(offer, match.lead, _examples(tool), allowed, numbers, texts)


def _examples(tool: Tool) -> list[tuple[str, str]]:
    return [(request, arguments) for request, arguments in tool.precedents]


def _keeping(tool: Tool) -> Mapping[str, Any]:
    """The schema of a tool's arguments, held to what destroys nothing."""
    if not tool.destroys_when:
        return tool.input_schema
    properties = dict(tool.input_schema["properties"])
    for name, values in tool.destroys_when.items():
        schema = properties.pop(name)
        choices = schema.get("enum", (True, False) if schema.get("type") == "boolean" else ())
        kept = [value for value in choices if value not in values]
        if values and kept:
            properties[name] = {"const": kept[0]}
    return {**tool.input_schema, "properties": properties}


def may_write(tool: Tool) -> bool:
    """Whether a tool adds to the caller's own workspace, and can do so without destroying anything there."""
    keeps = not tool.destructive or bool(tool.destroys_when)
    return tool.inside and tool.category == "workspace" and not tool.open_world and keeps


def _harmless(tool: Tool) -> bool:
    if tool.open_world:
        return False
    if not tool.read_only:
        return may_write(tool)
    return not tool.needs or not (tool.inside or machine.lacking(tool.needs))


def _included(run: Run, tool: Tool) -> bool:
    return tier_includes(run.options.tier, tool.tier)
