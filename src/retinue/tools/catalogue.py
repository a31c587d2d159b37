"""The compiled catalogue: all tools by name, by filter and by question. Tool modules are never imported here."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self

import orjson

from retinue.core.errors import NotFound
from retinue.core.processes import complete
from retinue.tools.base import CATEGORIES, Tier, Tool
from retinue.tools.checking import ArgumentChecker
from retinue.tools.compiled import Compiled
from retinue.tools.intents import Intents
from retinue.tools.ranking import Hit, Ranking, unranked
from retinue.tools.search import Index
from retinue.tools.sources import PACKAGE, fingerprint, glance

_FILE = "catalogue.json"
_WORDS_SHARE, _TALK_SHARE = 0.2, 1.0
"""How the score by words counts beside the likelihood, and both of them beside the likelihood that no tool is meant."""
_CLOSE, _MEANT_SHARE = 40, 1.5
"""So many matches are reconsidered where a model tells what is meant, and what that counts beside the likelihoods."""
_DECODED, _CHECKERS = 256, 256
_BOOT = "import sys; sys.path.append(sys.argv.pop(1)); from retinue.tools.compile import main; main()"


class Match(NamedTuple):
    """A tool that a message may mean: its score by the words of the message, and by how much it leads those who mean
    no tool at all.
    """

    tool: Tool
    score: float
    lead: float


class Catalogue:
    """Holds each tool as the JSON it was compiled to, and decodes it when it is asked for."""

    def __init__(self, tools: Sequence[bytes] | Compiled) -> None:
        """`tools` are compiled, or JSON objects to compile."""
        if not isinstance(tools, Compiled):
            tools = Compiled.of(map(_decode, tools))
        self._lines, self._places = tools.lines, tools.places
        self.index: Index = tools.index
        self._intents: Intents = tools.intents
        self._names = list(tools.places)
        self._decoded = lru_cache(_DECODED)(lambda name: _decode(self._lines[name]))
        self._checker = lru_cache(_CHECKERS)(lambda name: ArgumentChecker(self._decoded(name)))

    @classmethod
    def load(cls, cache: Path | None = None, python: str = sys.executable) -> Self:
        """Read the compiled catalogue; compile it first where it is missing or older than its sources.

        It lies in the package, or in the folder `cache` where the package cannot be written. `python` is the
        interpreter that has the tools' libraries. Raises `RuntimeError` when the tools do not compile.
        """
        places = [PACKAGE / _FILE, *([cache / _FILE] if cache else [])]
        for place in places:
            if (compiled := _fresh(place)) is not None:
                return cls(compiled)
        place = places[0] if os.access(PACKAGE, os.W_OK) else places[-1]
        _compile(place, python)
        if (compiled := _fresh(place)) is None:
            raise RuntimeError(f"The tools changed while they were compiled, or {python} has another installation.")
        return cls(compiled)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[Tool]:
        """All tools, by name, also those that are not listed."""
        return (_decode(line) for line in self._lines.values())

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def get(self, name: str) -> Tool:
        """The tool of that name, or `NotFound`."""
        if name not in self._lines:
            raise NotFound(f"There is no tool named {name[:60]}. GET /api/v1/tools?search=… finds tools.")
        return self._decoded(name)

    def find(
        self, search: str | None, category: str | None, tier: Tier | None, offset: int, limit: int
    ) -> tuple[int, list[Tool]]:
        """How many tools fit the filters, and those from `offset` on, by relevance to `search`, else by name."""
        total, hits = self.search(search, category, tier, offset, limit)
        return total, [tool for tool, _ in hits]

    def search(
        self, search: str | None, category: str | None, tier: Tier | None, offset: int, limit: int
    ) -> tuple[int, list[tuple[Tool, float | None]]]:
        """As `find`, each tool with its score, which is None where nothing is searched for."""
        hits = self.ranking(search).relevant(search) if search and search.strip() else unranked(self._names)
        found = [hit for hit in hits if self.fits(hit.name, category, tier)]
        return len(found), [(self._decoded(hit.name), hit.score) for hit in found[offset : offset + limit]]

    def ranking(self, search: str) -> Ranking:
        """The tools that share a word with a search, ranked as those of `matches`; those of a single word by words."""
        likelihoods, _ = self._intents.likelihoods(search if len(search.split()) > 1 else "")
        return Ranking.of(
            Hit(self._name(place), _score(likelihoods[place], fit), fit) for place, fit in self.index.rank(search)
        )

    def _name(self, place: int) -> str:
        """The name of a tool; empty for a group of requests for what no tool does."""
        return self._names[place] if place < len(self._names) else ""

    def names(self) -> Sequence[str]:
        """The names of all tools that are listed, sorted."""
        return self._names

    def fits(self, name: str, category: str | None, tier: Tier | None) -> bool:
        """Whether a tool passes the filters."""
        place = self._places[name]
        return category in (None, place[0]) and tier in (None, place[1])

    def categories(self) -> list[tuple[str, str, int]]:
        """Slug, name and number of tools of every category."""
        counts = Counter(category for category, _ in self._places.values())
        return [(slug, name, counts[slug]) for slug, name in CATEGORIES.items()]

    def shortlist(self, message: str, k: int, allowed: Callable[[Tool], bool]) -> list[Tool]:
        """The `k` tools that fit a message best, among those allowed."""
        return [match.tool for match in self.matches(message, k, allowed)]

    def matches(
        self, message: str, k: int, allowed: Callable[[Tool], bool], meant: Callable[[str], float | None] | None = None
    ) -> list[Match]:
        """The `k` tools that a message means most likely, among those allowed.

        `meant` tells how likely it means the tool of a name, or, under an empty name, none, where a model knows.
        """
        likelihoods, talk = self._intents.likelihoods(message)
        scores = dict(self.index.rank(message))
        total = [_score(likelihoods[place], scores.get(place, 0.0)) for place in range(len(self._names))]
        found = (
            Match(tool, scores.get(place, 0.0), _TALK_SHARE * total[place] - talk)
            for place in sorted(range(len(total)), key=total.__getitem__, reverse=True)
            if allowed(tool := self._decoded(self._names[place]))
        )
        return _reconsidered(list(islice(found, max(k, _CLOSE))), meant)[:k] if meant else list(islice(found, k))

    def check(self, tool: Tool, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with defaults filled in. Raises `ValidationFailed` naming every bad one."""
        checker = self._checker(tool.name) if tool.name in self else ArgumentChecker(tool)
        return checker.check(args)


def _reconsidered(found: Sequence[Match], meant: Callable[[str], float | None]) -> list[Match]:
    """Matches by their lead and by what a model says together, the best first; those that it does not know, last."""
    nothing = meant("") or 0.0
    weighed = [
        (match._replace(lead=match.lead + _MEANT_SHARE * (said - nothing)), True)
        if (said := meant(match.tool.name)) is not None
        else (match, False)
        for match in found
    ]
    return [match for match, known in sorted(weighed, key=lambda one: (one[1], one[0].lead), reverse=True)]


def _score(likelihood: float, words: float) -> float:
    """How well a tool fits: how likely a request means it, and how well its words fit."""
    return likelihood + _WORDS_SHARE * words


def _decode(line: bytes) -> Tool:
    return Tool(**orjson.loads(line))


def _fresh(path: Path) -> Compiled | None:
    """The tools in a compiled file, or None if it is not there, not whole, or not of these sources."""
    compiled = Compiled.read(path)
    if compiled and (compiled.glance == glance() or compiled.fingerprint == fingerprint()):
        return compiled
    return None


def _compile(path: Path, python: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # -E: whatever else is on PYTHONPATH is not what the tools are checked against.
    command = [python, "-E", "-c", _BOOT, str(PACKAGE.parents[1]), str(path)]
    outcome = complete(command)
    if outcome.returncode:
        raise RuntimeError(f"The tool catalogue does not compile: {outcome.stderr.strip()[-2000:]}")
