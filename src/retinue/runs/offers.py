"""Which tools a run may use, step by step."""

import re
from collections import OrderedDict
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

from retinue.auth.plans import ToolTier, tier_includes
from retinue.bubbles import machine
from retinue.models.base import ToolOffer
from retinue.models.directions import Meaning
from retinue.runs.options import Run
from retinue.runs.thread import Thread
from retinue.tools.base import Tool
from retinue.tools.directory import Directory

_SHORTLIST = 5
_CALCULATOR = "math_evaluate_expression"
"""Offered beside the best matches wherever two numbers are: it answers what no other tool is made for."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_EXAMPLE_CHARACTERS = 400
"""Longer examples would fill the window of a small model."""
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
    what reads a closed world and runs no program of a caller: text that came from outside may try to steer the model,
    and finds nothing to steer.
    """

    def __init__(self, directory: Directory, meanings: Meanings | None = None) -> None:
        self._directory = directory
        self._meanings = meanings
        self._by_words = lru_cache(_REMEMBERED)(self._shortlist)
        self._by_meaning: OrderedDict[tuple[str, ToolTier], list[ToolOffer]] = OrderedDict()
        self._common = lru_cache(_REMEMBERED)(lambda name: _offer(directory.catalogue.get(name)))

    async def to(self, run: Run, thread: Thread) -> list[ToolOffer]:
        """The tools for the next model call."""
        if not run.options.may_execute or thread.steps >= run.options.budget.steps - 1:
            return []
        if run.options.tools is not None:
            known = await self._directory.naming(run.account_id, run.options.tools)
            named = (known.get(name) for name in run.options.tools if name in known)
            return [self._named(tool) for tool in named if _included(run, tool)]
        return await self._found(run.message, run.options.tier, run.options.sandbox)

    async def _found(self, message: str, tier: ToolTier, sandbox: bool) -> list[ToolOffer]:
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

    def _named(self, tool: Tool) -> ToolOffer:
        return self._common(tool.name) if tool.name in self._directory.catalogue else _offer(tool)

    def _shortlist(self, message: str, tier: ToolTier, meaning: Meaning | None = None) -> list[ToolOffer]:
        catalogue = self._directory.catalogue
        matches = catalogue.matches(
            message,
            _SHORTLIST,
            lambda tool: _harmless(tool) and tier_includes(tier, tool.tier),
            meaning.of if meaning else None,
        )
        found = [_offer(match.tool, match.score, match.lead) for match in matches]
        if len(_NUMBER.findall(message)) > 1 and _CALCULATOR not in [tool.name for tool in found]:
            found.append(_offer(catalogue.get(_CALCULATOR), 0.0))
        return [_understood(offer, meaning) for offer in found] if meaning else found

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


def _offer(tool: Tool, fit: float | None = None, lead: float = 0.0) -> ToolOffer:
    """A tool as a model is shown it, with the shortest example of what it takes."""
    taken = [example["args"] for example in tool.examples if "refusal" not in example]
    shortest = min(taken, key=lambda args: len(str(args)), default=None)
    shown = shortest if shortest and len(str(shortest)) <= _EXAMPLE_CHARACTERS else None
    known = [(request, arguments) for request, arguments in tool.precedents]
    return ToolOffer(tool.name, tool.description, tool.input_schema, tool.use_when, shown, fit, lead, known)


def _understood(offer: ToolOffer, meaning: Meaning) -> ToolOffer:
    """An offer with what numbers and texts of the request may be for it."""
    return replace(offer, numbers=meaning.numbers(offer.name), texts=meaning.texts(offer.name))


def _harmless(tool: Tool) -> bool:
    runs_here = not tool.needs or not (tool.inside or machine.lacking(tool.needs))
    return tool.read_only and not tool.open_world and runs_here


def _included(run: Run, tool: Tool) -> bool:
    return tier_includes(run.options.tier, tool.tier)
