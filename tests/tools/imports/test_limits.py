"""What may be imported: by number, by size, and as storage; and what of it stays in memory."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.core.database.interface import Database, Tx
from retinue.core.runtime.clock import now
from retinue.core.runtime.data_dir import DataDir
from retinue.migrations.database import open_database
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.imports import statements as sql
from retinue.tools.imports.account_catalogue import AccountCatalogue
from retinue.tools.imports.openapi import DocumentSource, tools_of
from tests.conftest import NewDatabase, NewUser, StartServer
from tests.support.client import Client, data, refuse
from tests.tools.imports.pets import Json, many
from tests.tools.made_up import make_tool
from tests.workspace.support import stored_mb

PLANS = {
    "free": "imports = {sources = 3, tools = 30}",
    "starter": "quotas = {storage_mb = 1}",
    "professional": "imports = {mb = 1}",
    "enterprise": "",
}
COMMON = 'tools = "free"\nrequests = {minute = 1000, hour = 10000, day = 10000}\nkeys = 5\n'


@pytest.fixture
def users(start_server: StartServer, new_user: NewUser, tmp_path: Path) -> Iterator[dict[str, Client]]:
    """A client of each plan."""
    plans = tmp_path / "plans.toml"
    plans.write_text("\n".join(f"[{name}]\n{COMMON}{limits}" for name, limits in PLANS.items()))
    server = start_server(RETINUE_PLANS_FILE=str(plans))
    yield {plan: new_user(server, plan=plan).client() for plan in PLANS}
    assert server.cli("check") == "All is well.\n"


def small(operations: int) -> Json:
    """Return a small document with this number of operations."""
    paths: Json = {f"/{number}": {"get": {}} for number in range(operations)}
    return {"openapi": "3.1.0", "servers": [{"url": "https://example.com"}], "paths": paths}


def sharing(operations: int) -> Json:
    """Return a document whose operations refer to the same parameters: 20 kB in each when they are resolved."""
    parameters = [{"name": f"q{number}", "in": "query", "description": "b " * 200} for number in range(95)]
    document = small(operations)
    document["components"] = {"parameters": {str(one["name"]): one for one in parameters}}
    for item in document["paths"].values():
        item["get"]["parameters"] = [{"$ref": f"#/components/parameters/{one['name']}"} for one in parameters]
    return document


def a_source(name: str, document: Json) -> Json:
    return {"kind": "openapi", "name": name, "document": document}


def test_tools_of_a_plan(users: dict[str, Client]) -> None:
    client = users["free"]
    refuse(client.post("/tools/sources", a_source("one", small(31))), 400, "allows 30 more imported tools")
    data(client.post("/tools/sources", a_source("one", small(20))), 201)
    refuse(client.post("/tools/sources", a_source("two", small(11))), 400, "allows 10 more imported tools")
    source = data(client.post("/tools/sources", a_source("two", small(10))), 201)
    path = f"/tools/sources/{source['id']}"
    refuse(client.post(f"{path}/refresh", {"document": small(11)}), 400, "allows 10 more")
    assert data(client.post(f"{path}/refresh", {"document": small(10)}))["changed"] == []
    assert data(client.post(f"{path}/refresh", {"document": small(4)}))["tools"] == 4
    data(client.delete(path))
    data(client.post("/tools/sources", a_source("three", small(10))), 201)


def test_sources_of_a_plan(users: dict[str, Client]) -> None:
    client = users["free"]
    for name in ("one", "two", "three"):
        source = data(client.post("/tools/sources", a_source(name, small(1))), 201)
    refuse(client.post("/tools/sources", a_source("four", small(1))), 400, "allows at most 3 sources")
    data(client.delete(f"/tools/sources/{source['id']}"))
    data(client.post("/tools/sources", a_source("four", small(1))), 201)


def test_bytes_of_a_plan(users: dict[str, Client]) -> None:
    """What is shared by reference counts for each tool that has it."""
    client = users["professional"]
    document = sharing(70)
    assert len(orjson.dumps(document)) < 500_000
    refuse(client.post("/tools/sources", a_source("one", document)), 400, "1.0 MiB")
    source = data(client.post("/tools/sources", a_source("one", sharing(40))), 201)
    assert source["size"] > 700_000
    refuse(client.post("/tools/sources", a_source("two", sharing(20))), 400, "MiB")
    data(client.post("/tools/sources", a_source("two", small(20))), 201)
    assert stored_mb(client) == 1


def test_imports_are_storage(users: dict[str, Client]) -> None:
    client = users["starter"]
    assert stored_mb(client) == 0
    source = data(client.post("/tools/sources", a_source("one", many(40))), 201)
    assert stored_mb(client) == 1
    assert source["size"] > 300_000
    refuse(client.post("/tools/sources", a_source("two", many(80))), 400, "storage_mb")
    assert [one["name"] for one in data(client.get("/tools/sources"))] == ["one"]
    path = f"/tools/sources/{source['id']}"
    refuse(client.post(f"{path}/refresh", {"document": many(150)}), 400, "storage_mb")
    assert data(client.get(path)) == source
    smaller = data(client.post(f"{path}/refresh", {"document": many(10)}))
    assert smaller["size"] < source["size"] / 3
    data(client.post("/tools/sources", a_source("two", many(60))), 201)
    for one in data(client.get("/tools/sources")):
        data(client.delete(f"/tools/sources/{one['id']}"))
    assert stored_mb(client) == 0


class Accounts:
    """Accounts with sources, in a database without a server."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def create(self, number: int) -> int:
        """An account."""
        users = Users(self.database, Plans.load())
        await users.create(f"{number}@example.com")
        return 2 * number - 1

    async def add(self, account: int, name: str, document: Json) -> int:
        """A source of it."""
        tools = {tool.name: orjson.dumps(tool).decode() for tool in tools_of(document, DocumentSource(name, "web"))}

        async def write(tx: Tx) -> int:
            row = await tx.one(
                sql.INSERT, account_id=account, kind="openapi", name=name, category="web", base_url="https://a.example",
                document_url=None, trust_hints=False, credential=None, connection_id=None,
                tools=len(tools), size=0, created_at=now(),
            )  # fmt: skip
            assert row
            for one, definition in tools.items():
                await tx.run(sql.ADD_TOOL, source_id=row.id, account_id=account, name=one, definition=definition)
            return int(row.id)

        return await self.database.transact(write)

    async def remove(self, account: int, source: int) -> None:
        """Delete it, as another node does."""

        async def write(tx: Tx) -> None:
            await tx.run(sql.DELETE, account=account, source=source)

        await self.database.transact(write)


@pytest.fixture
async def accounts(new_database: NewDatabase, tmp_path: Path) -> Accounts:
    """The accounts of an empty database."""
    return Accounts(await open_database(new_database("sqlite", tmp_path), DataDir(tmp_path)))


async def test_deleted_records_are_released(accounts: Accounts) -> None:
    directory = AccountCatalogue(Catalogue([orjson.dumps(make_tool("do_sums"))]), accounts.database)
    account = await accounts.create(1)
    first, second = [await accounts.add(account, name, many(50)) for name in ("one", "two")]
    assert directory.memory == 0
    found = await directory.of(account)
    assert found.find("change the thing number 7", None, None, 0, 5)[1]
    both = directory.memory
    assert both > 50_000
    await accounts.remove(account, first)
    directory.forget(account, first)
    half = directory.memory
    assert 0.45 < half / both < 0.55
    assert "one_things_change_7" not in await directory.of(account)
    assert directory.memory == half
    await accounts.remove(account, second)
    assert "two_things_change_7" not in await directory.of(account)
    assert directory.memory == 0
    await accounts.database.close()


async def test_accounts_that_were_not_asked_for_longest_are_let_go_of(accounts: Accounts) -> None:
    common = Catalogue([orjson.dumps(make_tool("do_sums"))])
    numbers = [await accounts.create(number) for number in (1, 2, 3)]
    for account in numbers:
        await accounts.add(account, "one", many(30))
    measured = AccountCatalogue(common, accounts.database)
    await measured.of(numbers[0])
    each = measured.memory
    directory = AccountCatalogue(common, accounts.database, most_bytes=each * 2)
    kept = {account: await directory.of(account) for account in numbers}
    assert directory.memory == each * 2
    assert (await directory.of(numbers[1])).get("one_things_change_7") == kept[numbers[0]].get("one_things_change_7")
    await accounts.add(numbers[2], "two", many(90))
    assert "two_things_change_80" in await directory.of(numbers[2])
    assert directory.memory > each * 2  # that of the latest is kept in any case
    await directory.of(numbers[0])
    assert directory.memory == each
    await accounts.database.close()
