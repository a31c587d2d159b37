"""The interface of tools that run inside the server: the desk, which gives access to the data of the calling account.

Such a tool is an `async def` whose first parameter is `desk: Desk`. It must not block the event loop: long work runs
through `run_on_compute_thread` or `run_on_disk_thread`. Only libraries that the operator installed next to the server
can have such tools.
"""

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, Unavailable, ValidationFailed
from retinue.core.runtime.executors import run_on_compute_thread, run_on_disk_thread
from retinue.workspace.data_tables import ROW as SHEET_ROW
from retinue.workspace.data_tables import TABLE as SHEET
from retinue.workspace.data_tables import Operator as SheetOperator
from retinue.workspace.data_tables import Sheets
from retinue.workspace.data_tables import Type as SheetType
from retinue.workspace.exporting import counted_kinds as count_kinds
from retinue.workspace.exporting import everything as export_pages
from retinue.workspace.key_value import Values
from retinue.workspace.knowledge import DOCUMENT, Knowledge
from retinue.workspace.moments import NEVER, bounds_of, check_zone, format_moment, moment, zone_of
from retinue.workspace.occurrences import Interval, Occurrence, earliest, free_times, occurrences, working_hours
from retinue.workspace.paths import normal as normal_path
from retinue.workspace.queues import ITEM as QUEUE_ITEM
from retinue.workspace.queues import QUEUE, Queues
from retinue.workspace.records import Draft, Writing
from retinue.workspace.recurrence import Rule
from retinue.workspace.tool_context import Desk
from retinue.workspace.tree import TEXT_BYTES as MOST_TEXT_BYTES
from retinue.workspace.typed_records import Kind

__all__ = [
    "DOCUMENT",
    "MOST_TEXT_BYTES",
    "NEVER",
    "QUEUE",
    "QUEUE_ITEM",
    "SHEET",
    "SHEET_ROW",
    "Desk",
    "Draft",
    "Interval",
    "Kind",
    "Knowledge",
    "NotFound",
    "Occurrence",
    "Queues",
    "Row",
    "Rule",
    "SheetOperator",
    "SheetType",
    "Sheets",
    "Unavailable",
    "ValidationFailed",
    "Values",
    "Writing",
    "bounds_of",
    "check_zone",
    "count_kinds",
    "earliest",
    "export_pages",
    "format_moment",
    "free_times",
    "moment",
    "normal_path",
    "occurrences",
    "run_on_compute_thread",
    "run_on_disk_thread",
    "working_hours",
    "zone_of",
]
