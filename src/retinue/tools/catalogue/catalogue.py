"""The compiled catalogue: all tools by name, by filter and by question. This module never imports tool modules."""

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Self

import orjson

from retinue.core.children.processes import capture
from retinue.core.errors import NotFound
from retinue.tools.authoring.libraries import PACKAGE, import_paths
from retinue.tools.authoring.tool import CATEGORIES, Tier, Tool
from retinue.tools.catalogue.argument_validation import ArgumentChecker
from retinue.tools.catalogue.catalogue_file import CompiledCatalogue, write
from retinue.tools.catalogue.fingerprint import fingerprint, stat_hash
from retinue.tools.selection.index import Index
from retinue.tools.selection.results import results
from retinue.tools.selection.selector import Query, Ranking, ScoredQuery, rank
from retinue.tools.selection.text import TextScorer

_FILE = "catalogue.json"
_DECODED, _CHECKERS, _SCORED = 256, 256, 256
_BOOT = "import sys; sys.path += sys.argv[2:]; from retinue.tools.catalogue.build_catalogue import main; main()"


class Catalogue:
    """Holds each tool as compiled JSON and decodes it on request."""

    def __init__(self, tools: Sequence[bytes] | CompiledCatalogue) -> None:
        """`tools` are compiled, or JSON objects to compile."""
        if not isinstance(tools, CompiledCatalogue):
            tools = CompiledCatalogue.of(map(_decode, tools))
        self._lines, self._places = tools.lines, tools.places
        self.index: Index = tools.index
        scorer = TextScorer(len(tools.places), tools.index, tools.intents, tools.need, tools.missing_words)
        self.scores = lru_cache(_SCORED)(scorer.scores)
        """Text scores, cached because every step of a run asks again."""
        self._names = list(tools.places)
        self._successors = tools.successors
        self._decoded = lru_cache(_DECODED)(lambda name: _decode(self._lines[name]))
        self._checker = lru_cache(_CHECKERS)(lambda name: ArgumentChecker(self._decoded(name)))

    @classmethod
    def load(cls, cache: Path | None = None, python: str = sys.executable, *, confined: bool = False) -> Self:
        """Read the compiled catalogue; compile it first if it is missing or older than its sources.

        The file is in the package, or in the folder `cache` if the package is read-only. `python` is the interpreter
        that compiles. If `confined`, libraries of other authors are compiled only where the kernel confines that
        process. Raises `RuntimeError` if the tools do not compile.
        """
        places = [PACKAGE / _FILE, *([cache / _FILE] if cache else [])]
        for place in places:
            if (compiled := _fresh(place)) is not None:
                return cls(compiled)
        place = places[0] if os.access(PACKAGE, os.W_OK) else places[-1]
        _compile(place, python, confined)
        if (compiled := _fresh(place)) is None:
            raise RuntimeError(f"The tools changed during compilation, or {python} has another installation.")
        return cls(compiled)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[Tool]:
        """Yield all tools by name, including unlisted ones."""
        return (_decode(line) for line in self._lines.values())

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def get(self, name: str) -> Tool:
        """Return the tool of that name, or `NotFound`."""
        if name not in self._lines:
            raise NotFound(f"There is no tool named {name[:60]}. GET /api/v1/tools?search=… finds tools.")
        return self._decoded(name)

    def find(
        self, search: str | None, category: str | None, tier: Tier | None, offset: int, limit: int
    ) -> tuple[int, list[Tool]]:
        """Return the number of tools that pass the filters, and those from `offset` on, by relevance to `search`, else
        by name.
        """
        total, found = self.search(search, category, tier, offset, limit)
        return total, [tool for tool, _ in found]

    def search(
        self, search: str | None, category: str | None, tier: Tier | None, offset: int, limit: int
    ) -> tuple[int, list[tuple[Tool, float | None]]]:
        """Like `find`, but each tool comes with its score, which is None without a search."""
        every: Iterable[tuple[str, float | None]] = (
            results(search, self._names, self.scores(search))
            if search and search.strip()
            else ((name, None) for name in self._names)
        )
        found = [(name, score) for name, score in every if self.fits(name, category, tier)]
        return len(found), [(self._decoded(name), score) for name, score in found[offset : offset + limit]]

    def names(self) -> Sequence[str]:
        """Return the names of all tools that are listed, sorted."""
        return self._names

    def fits(self, name: str, category: str | None, tier: Tier | None) -> bool:
        """Return whether a tool passes the filters."""
        place = self._places[name]
        return category in (None, place[0]) and tier in (None, place[1])

    def categories(self) -> list[tuple[str, str, int]]:
        """Slug, name and number of tools of every category."""
        counts = Counter(category for category, _ in self._places.values())
        return [(slug, name, counts[slug]) for slug, name in CATEGORIES.items()]

    def rank(self, conversation: Sequence[Query], least: float = -inf) -> Ranking:
        """Return the tools that a conversation needs, its last message first; none if the evidence is below `least`."""
        return rank(self._names, [self.part(query) for query in conversation], least)

    def aliases_of(self, name: str) -> list[Tool]:
        """Return the entries of a tool's old names."""
        olds = (self._decoded(old) for old, new in self._successors.items() if new == name)
        return [old for old in olds if old.alias_of]

    def part(self, query: Query, own: Mapping[str, float] | None = None) -> ScoredQuery:
        """Return a query with its text scores, and `own` scores of tools outside the catalogue."""
        return ScoredQuery(query.with_successors(self._successors), self.scores(query.text), own or {})

    def check(self, tool: Tool, args: Mapping[str, object]) -> dict[str, object]:
        """Return the arguments with defaults filled in. Raises `ValidationFailed` naming every invalid one."""
        checker = self._checker(tool.name) if tool.name in self else ArgumentChecker(tool)
        return checker.check(args)


def _decode(line: bytes) -> Tool:
    return Tool(**orjson.loads(line))


def _fresh(path: Path) -> CompiledCatalogue | None:
    """Return the tools in a compiled file, or None if it is missing, incomplete, or not built from these sources."""
    compiled = CompiledCatalogue.read(path)
    if compiled and (compiled.stat_hash == stat_hash() or compiled.fingerprint == fingerprint()):
        return compiled
    return None


def _compile(path: Path, python: str, confined: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, _compiled_file(python, ["*"], confined))


def compile_libraries(modules: Sequence[str], *, confined: bool = False) -> list[Tool]:
    """Compile modules such as `text/lists` or `text`. See `Catalogue.load`. Raises `RuntimeError`."""
    return [Tool(**tool) for tool in orjson.loads(_compiled_file(sys.executable, modules, confined))["tools"]]


def _compiled_file(python: str, modules: Sequence[str], confined: bool) -> bytes:
    """Return the content of a file with these tools. They are imported by a process that the kernel confines."""
    with tempfile.TemporaryDirectory(prefix="retinue-compile-") as scratch:
        options = json.dumps({"scratch": scratch, "modules": [*modules], "confined": confined})
        # -E: the tools must not be checked against other packages on PYTHONPATH.
        command = [python, "-E", "-c", _BOOT, options, *import_paths(), str(PACKAGE.parents[1])]
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": scratch}
        outcome = capture(command, environment, scratch)
    if outcome.returncode:
        reason = outcome.stderr.decode(errors="replace").strip()[-2000:]
        raise RuntimeError(f"The tool catalogue does not compile: {reason}")
    return outcome.stdout
