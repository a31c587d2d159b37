"""Pages of lists."""

from typing import Any, cast

import pytest
import sqlalchemy as sa

from retinue.core.database.interface import Database
from retinue.core.database.statements import Statement
from retinue.core.http.envelope import Page, read_page

STATEMENT = Statement(sa.select(sa.literal(1)))


class Reads:
    """Stands in for a database, and remembers how it was read."""

    def __init__(self) -> None:
        self.made: list[tuple[str, dict[str, Any]]] = []

    async def fetch(self, _: Statement, **values: Any) -> list[Any]:
        self.made.append(("on the event loop", values))
        return []

    async def query(self, _: Statement, **values: Any) -> list[Any]:
        self.made.append(("on a thread", values))
        return []


@pytest.mark.parametrize(
    ("page", "per_page", "where"),
    [(1, 20, "on the event loop"), (10, 100, "on the event loop"), (11, 100, "on a thread"), (10**6, 1, "on a thread")],
)
async def test_far_pages_do_not_hold_the_event_loop(page: int, per_page: int, where: str) -> None:
    reads = Reads()
    await read_page(cast(Database, reads), STATEMENT, Page(page=page, per_page=per_page), account=7)
    assert reads.made == [(where, {"account": 7, "per_page": per_page, "offset": (page - 1) * per_page})]
