"""The interface of tools that run inside the server: the context, which gives access to the data of the calling
account.

Such a tool is an `async def` whose first parameter is `context: ToolContext`. It must not block the event loop: long
work runs
through `run_on_compute_thread` or `run_on_disk_thread`. Only libraries that the operator installed next to the server
can have such tools.
"""

from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, Unavailable, ValidationFailed
from retinue.core.runtime.executors import run_on_compute_thread, run_on_disk_thread
from retinue.workspace.data_tables import ROW as DATA_TABLE_ROW
from retinue.workspace.data_tables import TABLE as DATA_TABLE
from retinue.workspace.data_tables import DataTables
from retinue.workspace.data_tables import Operator as FilterOperator
from retinue.workspace.data_tables import Type as ColumnType
from retinue.workspace.datetimes import NEVER, check_zone, day_bounds, find_zone, format_datetime, parse_datetime
from retinue.workspace.exporting import count_kinds, export_pages
from retinue.workspace.key_value import KeyValueStore
from retinue.workspace.knowledge import DOCUMENT, Knowledge
from retinue.workspace.occurrences import Interval, Occurrence, earliest, free_times, occurrences, working_hours
from retinue.workspace.paths import normalize_path as normal_path
from retinue.workspace.queues import ITEM as QUEUE_ITEM
from retinue.workspace.queues import QUEUE, Queues
from retinue.workspace.records import NewRecord, RecordTransaction
from retinue.workspace.recurrence import RecurrenceRule
from retinue.workspace.tool_context import ToolContext
from retinue.workspace.tree import TEXT_BYTES as MOST_TEXT_BYTES
from retinue.workspace.typed_records import RecordKind

__all__ = [
    "DATA_TABLE",
    "DATA_TABLE_ROW",
    "DOCUMENT",
    "MOST_TEXT_BYTES",
    "NEVER",
    "QUEUE",
    "QUEUE_ITEM",
    "ColumnType",
    "DataTables",
    "FilterOperator",
    "Interval",
    "KeyValueStore",
    "Knowledge",
    "NewRecord",
    "NotFound",
    "Occurrence",
    "Queues",
    "RecordKind",
    "RecordTransaction",
    "RecurrenceRule",
    "Row",
    "ToolContext",
    "Unavailable",
    "ValidationFailed",
    "check_zone",
    "count_kinds",
    "day_bounds",
    "earliest",
    "export_pages",
    "find_zone",
    "format_datetime",
    "free_times",
    "normal_path",
    "occurrences",
    "parse_datetime",
    "run_on_compute_thread",
    "run_on_disk_thread",
    "working_hours",
]
