"""No tool that runs in the server's process blocks the event loop, however large the account's data is."""

import gc
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from retinue.auth.caller import Caller
from retinue.core.database.interface import Tx
from retinue.core.database.statements import Row, Statement
from retinue.core.runtime.watchdog import STALL_S
from retinue.files.file_metadata import FileMetadata
from retinue.files.service import Files
from retinue.platform.platform import Platform
from retinue.server import running_platform
from retinue.settings import Settings
from retinue.tools.authoring.tool import Tool
from retinue.tools.service import Tools
from retinue.tools.verification.example_runner import ExampleRunner
from retinue.workspace.records import MOST_ALIKE
from retinue.workspace.tables import records, vectors, words
from tests.support.loop_time import LoopTime, measured_loop
from tests.support.sampling import EXHAUSTIVE

DAILY = {"title": "Daily", "start": "2026-01-01T00:00", "minutes": 1, "recurrence": "FREQ=DAILY"}
WIDE = {"since": "2026-01-02", "until": "2026-04-10"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("calendar_find_slots", {**WIDE, "minutes": 1440, "hours": "00-24"}),
    ("calendar_find_slots", {**WIDE, "minutes": 5, "limit": 200}),
    ("calendar_list_events", {**WIDE, "limit": 200}),
    ("calendar_show_agenda", {"day": "2026-12-31"}),
    ("task_list", {"status": "all", "limit": 200}),
    ("task_show_overview", {"days": 365}),
    ("expense_report", {"since": "1900-01-01", "until": "2200-01-01", "group_by": "month"}),
    ("time_entry_report", {"since": "1900-01-01", "until": "2200-01-01", "group_by": "day"}),
    ("note_search", {"tag": "no-such-tag"}),
    ("note_search", {"query": "proof of the notes", "tag": "no-such-tag"}),
    ("folder_show_tree", {}),
]
"""Calls in addition to the tools' examples, which process less data."""


@dataclass
class MeasuredExecutor:
    """Executes tools as one caller while it measures the event loop."""

    platform: Platform
    caller: Caller
    taken: LoopTime

    async def lend(self, name: str, content: bytes) -> str:
        """Upload a file."""

        files = self.platform.services.of(Files, self.caller)
        async with files.receiving(len(content)) as upload:
            await upload.write(content)
            await upload.finish()
            return str((await files.add(upload, FileMetadata(name, "application/octet-stream"))).id)

    async def connect(self, connection: Mapping[str, Any]) -> int:
        """Fail: no tool in the server's process uses a connection."""
        raise AssertionError(connection)

    async def disconnect(self, connection_id: int) -> None:
        """Fail, like `connect`."""
        raise AssertionError(connection_id)

    async def execute(self, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Execute a tool and label its callbacks."""
        self.taken.now = tool
        try:
            return await self.platform.services.of(Tools, self.caller).execute(tool, args)
        finally:
            self.taken.now = ""

    async def name_of(self, file_id: str) -> str:
        """Return the id: any name will do, because results are not compared."""
        return file_id

    async def try_all(self, tools: list[Tool]) -> None:
        """Run every example. Some may fail because the account is at its limits."""
        for tool in tools:
            await ExampleRunner(self).faults(tool)

    async def measure(self, tools: list[Tool]) -> dict[str, float]:
        """Run the tools' calls and examples. Returns the tools that blocked the loop too long, with their seconds."""
        self.taken.longest.clear()
        names = {tool.name for tool in tools}
        for name, args in CALLS:
            if name in names:
                await self.execute(name, args)
        await self.try_all(tools)
        return self.taken.over(STALL_S)


_account = sa.bindparam("account", type_=sa.BigInteger)
_template, _copies = sa.bindparam("template", type_=sa.BigInteger), sa.bindparam("copies", type_=sa.Integer)
_number = sa.select(sa.literal(1).label("number")).cte("numbers", recursive=True)
_number = _number.union_all(sa.select(_number.c.number + 1).where(_number.c.number < _copies))
_FIRST_COPY, _ROOM = 1000, 100
_named = sa.func.printf(sa.bindparam("pattern", type_=sa.String), _number.c.number + _FIRST_COPY)

TEMPLATES = Statement(
    sa.select(
        records.c.kind,
        records.c.parent,
        sa.func.max(records.c.id).label("id"),
        sa.func.max(records.c.name).label("name"),
        sa.func.count().label("held"),
    )
    .where(records.c.account_id == _account)
    .group_by(records.c.kind, records.c.parent, records.c.state)
)
"""The newest record of each kind, state and parent."""


def _copy_rows(table: sa.Table, key: str, *where: sa.ColumnElement[bool], **changed: Any) -> sa.Insert:
    """Return an insert of copies of a template's rows."""
    names = [column.name for column in table.columns if column.name != "id"]
    values = [changed.get(name, table.c[name]) for name in names]
    return sa.insert(table).from_select(names, sa.select(*values).where(table.c[key] == _template, *where))


_copy, _of_template = sa.alias(records, "copy"), sa.alias(records, "template")
_BESIDE = (
    _of_template.c.id == _template,
    _copy.c.id > sa.bindparam("last", type_=sa.BigInteger),
    *(_copy.c[name] == _of_template.c[name] for name in ("account_id", "kind", "parent", "state")),
)
COPY_RECORDS = Statement(_copy_rows(records, "id", name=_named), [])
COPY_WORDS = Statement(_copy_rows(words, "record_id", *_BESIDE, record_id=_copy.c.id), [])
COPY_VECTORS = Statement(_copy_rows(vectors, "record_id", *_BESIDE, record_id=_copy.c.id), [])
LAST = Statement(sa.select(sa.func.max(records.c.id).label("id")))


async def fill(platform: Platform, account_id: int) -> None:
    """Copy the account's records until it reaches its limits."""

    async def copy(template: Row, copies: int) -> None:
        async def work(tx: Tx) -> None:
            last = await tx.one(LAST)
            digits = template.name.isdigit()
            pattern = f"%0{len(template.name)}d" if digits else template.name + "~%05d"
            await tx.run(COPY_RECORDS, template=template.id, copies=copies, pattern=pattern)
            assert last is not None
            for more in (COPY_WORDS, COPY_VECTORS):
                await tx.run(more, template=template.id, last=last.id)

        await platform.database.transact(work)

    templates = await platform.database.query(TEMPLATES, account=account_id)
    for template in templates:
        alike = [other for other in templates if (other.kind, other.parent) == (template.kind, template.parent)]
        await copy(template, (MOST_ALIKE - _ROOM) // len(alike) - template.held)


@pytest.fixture
async def executor(tmp_path: Path) -> AsyncIterator[MeasuredExecutor]:
    """The platform in this process, with one account."""
    settings = Settings(
        home=tmp_path / "home", local_model="off", rate_limits="off", allowed_networks=(ip_network("127.0.0.0/8"),)
    )
    with measured_loop() as taken:
        async with running_platform(settings) as lifecycle:
            platform = lifecycle.platform
            await platform.users_admin.create("someone@example.com")
            key = await platform.users_admin.create_key("someone@example.com")
            caller = await platform.credentials.authenticate(str(key))
            yield MeasuredExecutor(platform, caller, taken)


@EXHAUSTIVE
@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_no_tool_holds_the_loop_at_the_limits_of_an_account(executor: MeasuredExecutor) -> None:
    catalogue = executor.platform.catalogue
    tools = sorted((tool for tool in catalogue if tool.inside and not tool.needs), key=lambda tool: tool.destructive)
    assert {name for name, _ in CALLS} <= {tool.name for tool in tools}
    await executor.execute("calendar_create_event", DAILY)
    await executor.try_all(tools)
    await fill(executor.platform, executor.caller.account_id)
    gc.collect()
    gc.disable()  # A collection would traverse the tests' own objects.
    try:
        # A busy machine inflates even CPU times. A tool that really blocks the loop does so every time.
        slow = await executor.measure(tools)
        for _ in range(2):
            again = await executor.measure([tool for tool in tools if tool.name in slow])
            slow = {name: took for name, took in slow.items() if name in again}
    finally:
        gc.enable()
    assert slow == {}
