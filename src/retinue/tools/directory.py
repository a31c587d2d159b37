"""The tools that each account may use: the catalogue, and beside it what the account imported."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from retinue.core.database import Database
from retinue.core.executors import run_on_compute_thread
from retinue.tools.base import Tier, Tool
from retinue.tools.catalogue import Catalogue, relevant
from retinue.tools.imports import statements as sql
from retinue.tools.imports.base import decode

_MOST_KEPT = 20_000
"""Imported tools of all accounts together that are kept in memory."""


class OwnCatalogue:
    """The catalogue as an account with imported tools sees it. The common tools' names come first."""

    def __init__(self, common: Catalogue, own: Catalogue) -> None:
        self._common = common
        self._own = own

    def __contains__(self, name: str) -> bool:
        return name in self._common or name in self._own

    def get(self, name: str) -> Tool:
        """See `Catalogue`."""
        return self._holder(name).get(name)

    def find(
        self, search: str | None, category: str | None, tier: Tier | None, offset: int, limit: int
    ) -> tuple[int, list[Tool]]:
        """See `Catalogue`."""
        if search and search.strip():
            scored = sorted(
                [*self._common.scored(search), *self._own.scored(search)], key=lambda one: (-one[1], one[0])
            )
            names = relevant(search, scored)
        else:
            names = sorted([*self._common.names(), *self._own.names()])
        found = [name for name in names if self._holder(name).fits(name, category, tier)]
        return len(found), [self.get(name) for name in found[offset : offset + limit]]

    def categories(self) -> list[tuple[str, str, int]]:
        """See `Catalogue`."""
        own = {slug: count for slug, _, count in self._own.categories()}
        return [(slug, name, count + own[slug]) for slug, name, count in self._common.categories()]

    def shortlist(self, message: str, k: int, allowed: Callable[[Tool], bool]) -> list[Tool]:
        """See `Catalogue`. Imported tools are never among them: they reach outside, so a caller has to name them."""
        return self._common.shortlist(message, k, allowed)

    def check(self, tool: Tool, args: Mapping[str, Any]) -> dict[str, Any]:
        """See `Catalogue`."""
        return self._holder(tool.name).check(tool, args)

    def _holder(self, name: str) -> Catalogue:
        return self._own if name in self._own and name not in self._common else self._common


AnyCatalogue: TypeAlias = Catalogue | OwnCatalogue


class Directory:
    """Finds tools for accounts. What an account imported is read once, and again when its sources are others."""

    def __init__(self, catalogue: Catalogue, database: Database) -> None:
        self.catalogue = catalogue
        self._database = database
        self._kept: OrderedDict[int, tuple[list[tuple[int, int]], int, OwnCatalogue]] = OrderedDict()

    async def of(self, account_id: int) -> AnyCatalogue:
        """All tools of an account."""
        sources = [(row.id, row.tool) for row in await self._database.fetch(sql.IDS, account=account_id)]
        if not sources:
            self._kept.pop(account_id, None)
            return self.catalogue
        kept = self._kept.get(account_id)
        if kept is None or kept[0] != sources:
            rows = await self._database.query(sql.TOOLS, account=account_id)
            lines = [row.definition.encode() for row in rows]
            own = await run_on_compute_thread(Catalogue, lines, decode, self.catalogue)
            kept = self._kept[account_id] = (sources, len(own), OwnCatalogue(self.catalogue, own))
        self._kept.move_to_end(account_id)
        self._forget_oldest()
        return kept[2]

    async def naming(self, account_id: int, names: Sequence[str]) -> AnyCatalogue:
        """Tools of an account, at least all those of these names that there are; free where the catalogue has them."""
        return self.catalogue if all(name in self.catalogue for name in names) else await self.of(account_id)

    async def tool(self, account_id: int, name: str) -> Tool:
        """The tool of that name, or `NotFound`."""
        return (await self.naming(account_id, [name])).get(name)

    def _forget_oldest(self) -> None:
        while len(self._kept) > 1 and sum(count for _, count, _ in self._kept.values()) > _MOST_KEPT:
            self._kept.popitem(last=False)
