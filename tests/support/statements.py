"""Every statement of the platform, and the full scans in its query plan."""

import importlib
import json
import pkgutil
import re
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

import retinue
from retinue.core.database.owned import Owned
from retinue.core.database.statements import Statement
from retinue.core.work.leases import Leases
from retinue.core.work.retention import EndedRecords
from retinue.platform.resource_declaration import Resource

_SEPARATE_PROCESSES = (
    "retinue.tools.speech.whisper",
    "retinue.sdk.transcription",
    "retinue.tools.execution.worker",
    "retinue.models.local_server",
    "retinue.voice.worker.",
    "retinue.migrations.",
)
"""Modules that the server process itself does not import."""

MAY_SCAN = {
    "retinue.auth.service._USERS": "the operator's list of all users",
    "retinue.auth.service._PAGE": "the operator's search for users, on a reader thread",
    "retinue.auth.service._COUNT": "the operator's search for users, on a reader thread",
    "retinue.auth.service._ANY_USER": "stops at the first row",
    "retinue.auth.operators._ACTIVE": "all users, when an operator is suspended, demoted or deleted",
    "retinue.auth.second_factor._ANY_SECRET": "stops at the first row",
    "retinue.connections.statements.ANY_SECRET": "stops at the first row",
    "retinue.providers.statements.ANY_SECRET": "stops at the first row",
    "retinue.providers.statements.SHARED": "an index of the shared providers alone",
    "retinue.providers.statements.CHOICE": "one row for each switch of the local model",
    "retinue.providers.statements.PROVEN_CHOICE": "one row for each switch of the local model",
    "retinue.providers.statements.LAST_ACTIVATION": "one row for each switch of the local model",
    "retinue.knowledge.statements.RETARGET_ALL": "the collections of all accounts, when an operator changes the model",
    "retinue.knowledge.statements.RETARGET_INCLUDED": "the collections of all accounts, once for other code of vectors",
    "retinue.marketplace.statements.ANY_KEY": "stops at the first row",
    "retinue.marketplace.statements.COUNT": "the entries of an index, on a reader thread",
    "retinue.marketplace.statements.COUNT_FOUND": "a search over all items, on a reader thread",
    "retinue.marketplace.statements.LISTS[popular]": "an index in the order of the list, to the end of the page",
    "retinue.marketplace.statements.LISTS[newest]": "an index in the order of the list, to the end of the page",
    "retinue.marketplace.statements.LISTS[rating]": "an index in the order of the list, to the end of the page",
    "retinue.marketplace.statements.SEARCHES[popular]": "a search over all items, on a reader thread",
    "retinue.marketplace.statements.SEARCHES[newest]": "a search over all items, on a reader thread",
    "retinue.marketplace.statements.SEARCHES[rating]": "a search over all items, on a reader thread",
    "retinue.marketplace.statements.SEARCHES[relevance]": "a search over all items, on a reader thread",
    "retinue.control.server_load._USAGE": "`retinue top`, which the operator runs, on a reader thread",
    "retinue.webhooks.statements.ANY_SECRET": "stops at the first row",
    "retinue.tools.imports.statements.ANY_CREDENTIAL": "stops at the first row",
    "retinue.usage.groups.COUNT[key]": "the groups of one account's days, which an index finds, on a reader thread",
    "retinue.usage.groups.COUNT[agent]": "the groups of one account's days, which an index finds, on a reader thread",
    "retinue.usage.groups.COUNT[model]": "the groups of one account's days, which an index finds, on a reader thread",
    "retinue.usage.groups.COUNT[user]": "the groups of one account's days, which an index finds, on a reader thread",
    "retinue.usage.thresholds._LIVE": "every account, once at the start, on a reader thread",
}
"""Statements that may scan a whole table, and why. Those of `retinue check`, which compares everything, also may."""

_NO_TABLE = re.compile(
    r"SCAN (CONSTANT ROW|\d+-ROW VALUES|json_each|due\w*$|postings$|\w+ USING (COVERING )?INDEX ix_\w+_open_)"
)


def _modules() -> Iterator[ModuleType]:
    for module in pkgutil.walk_packages(retinue.__path__, "retinue."):
        if not module.name.startswith(_SEPARATE_PROCESSES) and not module.name.endswith("__main__"):
            yield importlib.import_module(module.name)


def _within(name: str, value: Any) -> Iterator[tuple[str, Statement]]:
    """Yield the statements in a module's attribute, including those in mappings, leases and retention rules."""
    if isinstance(value, Statement):
        yield name, value
    elif isinstance(value, Leases | EndedRecords):
        yield from ((f"{name}.{key}", part) for key, part in vars(value).items() if isinstance(part, Statement))
    elif isinstance(value, Owned):
        parts = {"removal": value.removal, "page": value.page, "parents": value.parents}
        yield from ((f"{name}[{value.table.name}].{key}", part) for key, part in parts.items() if part)
    elif isinstance(value, tuple):
        yield from (found for part in value if isinstance(part, Owned) for found in _within(name, part))
    elif isinstance(value, Resource):
        yield from _within(f"{name}.leases", value.leases)
    elif isinstance(value, Mapping):
        yield from ((f"{name}[{key}]", part) for key, part in value.items() if isinstance(part, Statement))


def _collect() -> dict[str, Statement]:
    named = {
        found: statement
        for module in _modules()
        for name, value in list(vars(module).items())
        for found, statement in _within(f"{module.__name__}.{name}", value)
    }
    return {name: statement for statement, name in {s: n for n, s in sorted(named.items(), reverse=True)}.items()}


STATEMENTS = _collect()


def may_scan(name: str) -> bool:
    """Return whether the statement with this name may scan a whole table."""
    return name in MAY_SCAN or name.startswith("retinue.check.")


def scanned_on_sqlite(connection: Any, statement: Statement) -> set[str]:
    """Return the full scans in the plan. Partial indexes do not count, because they hold only the few open rows."""
    sql = statement.compile("sqlite").sql
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))]
    return {step for step in plan if step.startswith("SCAN") and not _NO_TABLE.match(step)}


async def scanned_on_postgres(connection: Any, statement: Statement) -> set[str]:
    """Return the tables that the generic plan scans sequentially."""
    sql = statement.compile("postgresql").sql
    values = ", ".join(["NULL"] * len(set(re.findall(r"\$\d+", sql))))
    await connection.execute(f"SET plan_cache_mode = force_generic_plan; PREPARE explained AS {sql}")
    plan = await connection.fetchval(f"EXPLAIN (FORMAT JSON) EXECUTE explained{values and f'({values})'}")
    await connection.execute("DEALLOCATE explained")
    return set(_sequential(json.loads(plan)[0]["Plan"]))


def _sequential(node: dict[str, Any]) -> Iterator[str]:
    by_index = node["Node Type"] in ("Index Scan", "Index Only Scan")
    unbounded = by_index and "Index Cond" not in node and "_open_" not in node["Index Name"]
    if node["Node Type"] == "Seq Scan" or unbounded:
        yield node["Relation Name"]
    for below in node.get("Plans", ()):
        yield from _sequential(below)
