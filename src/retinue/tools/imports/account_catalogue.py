"""The tools that each account may use: the catalogue, tools added by the operator, and the account's imports."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf
from typing import TypeAlias
from weakref import WeakValueDictionary

from retinue.core.database.interface import Database
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.tools.authoring.tool import Tier, Tool
from retinue.tools.catalogue.argument_validation import ArgumentChecker
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.catalogue.source_catalogue import SourceCatalogue
from retinue.tools.imports import statements as sql
from retinue.tools.plugins.tools import PluginTools
from retinue.tools.selection.results import results
from retinue.tools.selection.selector import Query, Ranking, ScoredQuery, rank

MOST_BYTES = 128 << 20
"""Memory limit in bytes for the imported tools of all accounts together. The most recently used account's tools
always stay: its plan limits them.
"""


class OwnCatalogue:
    """The catalogue, the tools that the operator added, and the tools that an account imported. If a name occurs
    twice, the first in this order wins.
    """

    def __init__(self, common: Catalogue, own: Sequence[SourceCatalogue]) -> None:
        self._common = common
        self._own = own

    def __contains__(self, name: str) -> bool:
        return name in self._common or any(name in source for source in self._own)

    def get(self, name: str) -> Tool:
        """See `Catalogue`."""
        return self._holder(name).get(name)

    def find(
        self, search: str | None, category: str | None, tier: Tier | None, offset: int, limit: int
    ) -> tuple[int, list[Tool]]:
        """See `Catalogue`."""
        total, found = self.search(search, category, tier, offset, limit)
        return total, [tool for tool, _ in found]

    def search(
        self, search: str | None, category: str | None, tier: Tier | None, offset: int, limit: int
    ) -> tuple[int, list[tuple[Tool, float | None]]]:
        """See `Catalogue`."""
        every: Iterable[tuple[str, float | None]]
        if search and search.strip():
            own = [match for source in self._own for match in source.score(search)]
            every = results(search, self._common.names(), self._common.scores(search), own)
        else:
            every = ((name, None) for name in self.names())
        found = [(name, score) for name, score in every if self._holder(name).fits(name, category, tier)]
        return len(found), [(self.get(name), score) for name, score in found[offset : offset + limit]]

    def names(self) -> Sequence[str]:
        """See `Catalogue`."""
        holders: list[Catalogue | SourceCatalogue] = [self._common, *self._own]
        return sorted(name for holder in holders for name in holder.names())

    def categories(self) -> list[tuple[str, str, int]]:
        """See `Catalogue`."""
        own = Counter(category for source in self._own for category in source.categories())
        return [(slug, name, count + own[slug]) for slug, name, count in self._common.categories()]

    def aliases_of(self, name: str) -> list[Tool]:
        """See `Catalogue`. The classifier knows no other tools."""
        return self._common.aliases_of(name)

    def rank(self, conversation: Sequence[Query], least: float = -inf) -> Ranking:
        """See `Catalogue`."""
        return rank(self._common.names(), [self._part(query) for query in conversation], least)

    def _part(self, query: Query) -> ScoredQuery:
        own = {name: score for source in self._own for name, score in source.score(query.text)}
        return self._common.part(query, own)

    def check(self, tool: Tool, args: Mapping[str, object]) -> dict[str, object]:
        """See `Catalogue`."""
        return self._common.check(tool, args) if tool.name in self._common else ArgumentChecker(tool).check(args)

    def _holder(self, name: str) -> Catalogue | SourceCatalogue:
        if name in self._common:
            return self._common
        return next((source for source in self._own if name in source), self._common)


AnyCatalogue: TypeAlias = Catalogue | OwnCatalogue

_CachedSources: TypeAlias = dict[int, tuple[int, SourceCatalogue]]
"""The cached sources of an account: source id to the id of any one of its tools and the source's catalogue."""


class AccountCatalogue:
    """Finds tools for accounts. It reads a source once, and again when its tools change. Beyond `most_bytes`, it
    evicts the least recently used account.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        database: Database,
        most_bytes: int = MOST_BYTES,
        added: PluginTools | None = None,
    ) -> None:
        self.catalogue = catalogue
        self._added = added
        self._database = database
        self._most_bytes = most_bytes
        self._cache: OrderedDict[int, _CachedSources] = OrderedDict()
        self._turns: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self.memory = 0
        """Approximate bytes that the cached imported tools take."""

    async def of(self, account_id: int) -> AnyCatalogue:
        """Return all tools of an account."""
        sources = {row.id: row.tool for row in await self._database.fetch(sql.IDS, account=account_id)}
        self._forget_others(account_id, sources)
        added = [self._added.catalogue] if self._added and self._added.catalogue else []
        if not sources:
            return OwnCatalogue(self.catalogue, added) if added else self.catalogue
        turn = self._turns.setdefault(account_id, asyncio.Lock())
        async with turn:  # concurrent requests load new sources only once
            own = [await self._source(account_id, source_id, tool) for source_id, tool in sources.items()]
        self._forget_oldest()
        return OwnCatalogue(self.catalogue, [*added, *own])

    async def naming(self, account_id: int, names: Sequence[str]) -> AnyCatalogue:
        """Return the tools of an account, including at least those with these names that exist; free if the catalogue
        has them all.
        """
        return self.catalogue if all(name in self.catalogue for name in names) else await self.of(account_id)

    async def tool(self, account_id: int, name: str) -> Tool:
        """Return the tool of that name, or `NotFound`."""
        return (await self.naming(account_id, [name])).get(name)

    def forget(self, account_id: int, source_id: int) -> None:
        """Evict the cached tools of a source."""
        sources = self._cache.get(account_id, {})
        if cached := sources.pop(source_id, None):
            self.memory -= cached[1].memory
        if not sources:
            self._cache.pop(account_id, None)

    async def _source(self, account_id: int, source_id: int, tool: int) -> SourceCatalogue:
        """Return the tools of a source; `tool` is the id of any one of them."""
        cached = self._cache.get(account_id, {}).get(source_id)
        if cached is None or cached[0] != tool:
            rows = await self._database.query(sql.TOOLS_OF, account=account_id, source=source_id)
            source = await run_on_compute_thread(SourceCatalogue, rows, self.catalogue.index)
            self.forget(account_id, source_id)
            cached = self._cache.setdefault(account_id, {})[source_id] = (tool, source)
            self.memory += source.memory
        self._cache.move_to_end(account_id)
        return cached[1]

    def _forget_others(self, account_id: int, sources: Collection[int]) -> None:
        """Evict the sources that no longer exist. Another node may have deleted them."""
        for source_id in self._cache.get(account_id, {}).keys() - set(sources):
            self.forget(account_id, source_id)

    def _forget_oldest(self) -> None:
        """Evict the least recently used accounts."""
        while self.memory > self._most_bytes and len(self._cache) > 1:
            _, sources = self._cache.popitem(last=False)
            self.memory -= sum(source.memory for _, source in sources.values())
