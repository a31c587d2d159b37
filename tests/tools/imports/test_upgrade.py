"""Sources that were imported before their size and the trust in their hints were kept."""

from functools import partial
from pathlib import Path

import orjson
import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.script import ScriptDirectory

from retinue.core.database.counters import counters
from retinue.core.database.interface import Tx
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.runtime.data_dir import DataDir
from retinue.migrations import database as storage
from retinue.migrations.database import open_database
from retinue.tools.imports import statements as sql
from retinue.tools.imports.tables import imported_tools
from tests.conftest import DATABASES
from tests.support.databases import Postgres

LOOSE = {"read_only": True, "destructive": False, "idempotent": True, "open_world": False}
STRICT = {"read_only": False, "destructive": True, "idempotent": False, "open_world": True}
WORD = "Größe"

_SOURCE = "INSERT INTO tool_sources (id, account_id, kind, name, category, base_url, tools, created_at) VALUES "
_EARLIER = (
    "INSERT INTO users (id, email, plan, created_at) VALUES (1, 'a@b.example', 'free', '2026-01-01T00:00:00.000000Z')",
    "INSERT INTO accounts (id, user_id, sandbox) VALUES (1, 1, false)",
    "INSERT INTO counters (account_id, name, value) VALUES (1, 'stored_bytes', 100)",
    _SOURCE + "(1, 1, 'mcp', 'far', 'web', 'https://example.com', 1, '2026-01-01T00:00:00.000000Z')",
    _SOURCE + "(2, 1, 'openapi', 'near', 'web', 'https://example.com', 1, '2026-01-01T00:00:00.000000Z')",
)
_ADD = Statement(sa.insert(imported_tools), ["source_id", "account_id", "name", "definition"])
_STORED = Statement(
    sa.select(counters.c.value).where(
        counters.c.account_id == sa.bindparam("account", type_=BigInt), counters.c.name == "stored_bytes"
    )
)


def the_one_before() -> str:
    """The revision before the one that is looked at."""
    config = Config()
    config.set_main_option("script_location", "retinue:migrations")
    (found,) = [one for one in ScriptDirectory.from_config(config).walk_revisions() if "limits_of_imports" in one.path]
    return str(found.down_revision)


async def _fill(tx: Tx, tools: dict[int, dict[str, object]]) -> None:
    for line in _EARLIER:
        await tx.run(Statement(sa.text(line), []))
    for source, tool in tools.items():
        definition = orjson.dumps(tool).decode()
        await tx.run(_ADD, source_id=source, account_id=1, name=f"a{source}", definition=definition)


@pytest.mark.parametrize("kind", DATABASES)
async def test_earlier_sources(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres: Postgres | None = request.getfixturevalue("postgres") if kind == "postgresql" else None
    url = postgres.new_database() if postgres else None
    home = DataDir(tmp_path / "home")
    home.create()
    tools: dict[int, dict[str, object]] = {
        number: {"name": name, "description": WORD, **LOOSE} for number, name in ((1, "far_do"), (2, "near_do"))
    }
    with monkeypatch.context() as earlier:
        earlier.setattr(storage, "HEAD", the_one_before())
        before = await open_database(url, home)
        await before.transact(partial(_fill, tools=tools))
        await before.close()
    after = await open_database(url, home)
    found = {row.id: row for row in await after.query(sql.LIST, account=1, per_page=9, offset=0)}
    assert [found[number].trust_hints for number in (1, 2)] == [False, False]
    held = 0
    for number, marks in ((1, STRICT), (2, LOOSE)):
        (row,) = await after.query(sql.TOOLS_OF, account=1, source=number)
        assert orjson.loads(row.definition) == {**tools[number], **marks}
        assert found[number].size == len(row.definition.encode())
        held += found[number].size
    assert (await after.query(_STORED, account=1))[0].value == 100 + held
    await after.close()
