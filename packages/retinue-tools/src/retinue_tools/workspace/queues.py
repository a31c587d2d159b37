"""Queues between agents."""

from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, tool
from retinue.sdk.workspace import QUEUE, QUEUE_ITEM, Queues, Row, ToolContext, format_datetime
from retinue_tools.workspace._vocabulary import Most

Queue = Annotated[str, About("Name of the queue", "to-translate", pattern=r"^[A-Za-z0-9._-]{1,64}$", max_length=64)]

ItemId = Annotated[
    str, About("ID of the item", "page-7", pattern=r"^[A-Za-z0-9._-]{1,64}$", min_length=1, max_length=64)
]


class Item(TypedDict):
    """An item of a queue."""

    item: Annotated[str, About("ID of the item")]
    value: Annotated[Any, About("Content of the item")]
    due_at: Annotated[str, About("Time from which it may be taken, in UTC")]
    taken: Annotated[int, About("Number of times it was taken and returned")]


class Popped(TypedDict):
    """A taken item."""

    found: Annotated[bool, About("False if no item is due")]
    item: Annotated[str | None, About("ID of the item")]
    value: Annotated[Any, About("Content of the item")]


class Items(TypedDict):
    """First items of a queue."""

    items: list[Item]
    total: Annotated[int, About("Number of items")]


class QueueInfo(TypedDict):
    """A queue."""

    queue: Annotated[str, About("Name of the queue")]
    items: Annotated[int, About("Number of items")]


class AllQueues(TypedDict):
    """All queues."""

    queues: list[QueueInfo]


class Cleared(TypedDict):
    """A cleared queue."""

    items: Annotated[int, About("Number of deleted items")]


class Acknowledged(TypedDict):
    """An acknowledged item."""

    item: Annotated[str, About("ID of the item")]
    deleted: Annotated[bool, About("Always true")]


def _describe(row: Row) -> Item:
    return {"item": row.name, "value": row.body["value"], "due_at": format_datetime(row.at), "taken": row.body["taken"]}


def _push(queue: str, *values: Any) -> tuple[ExampleCall, ...]:
    return tuple(ExampleCall("queue_push", {"queue": queue, "value": value}) for value in values)


@tool(
    tags="queue push enqueue add item work job message delay",
    use_when=(
        "Put these pages into the queue to-translate",
        "Enqueue a job for the other agent",
        "Add an item to the queue that may be taken in an hour",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"queue": "push-proof", "value": {"page": 7}},
            {"value": {"page": 7}, "taken": 0},
            source="by hand",
            then=(ExampleCall("queue_pop", {"queue": "push-proof"}, {"found": True, "value": {"page": 7}}),),
        ),
        Example(
            {"queue": "delay-proof", "value": "later", "delay_s": 86400},
            {"value": "later"},
            source="by hand",
            then=(ExampleCall("queue_pop", {"queue": "delay-proof"}, {"found": False}),),
        ),
        Refusal(
            {"queue": "once-proof", "value": 1, "item": "same"},
            "already an item",
            before=(ExampleCall("queue_push", {"queue": "once-proof", "value": 1, "item": "same"}),),
        ),
    ),
    reply="I put the item into the queue {args.queue}.",
)
async def queue_push(
    context: ToolContext,
    queue: Queue,
    value: Annotated[Any, About("Any JSON value, up to 16 KiB", {"page": 7})],
    delay_s: Annotated[int, About("Seconds until it may be taken", 60, minimum=0, maximum=31_536_000)] = 0,
    item: ItemId | None = None,
) -> Item:
    """Add an item to the end of a queue, for this or another agent to take.

    Use it to hand over work. The queue is created with its first item. An item with a given id is rejected while one
    with that id is waiting, so that nothing is queued twice. Returns the item with its id.
    """
    return _describe(await Queues(context.records).push(queue, value, delay_s, item or ""))


@tool(
    tags="queue pop take next dequeue item work job lease",
    use_when=(
        "Take the next job of the queue to-translate",
        "What is the next item to work on?",
        "Pop an item, but let it come back if I fail",
    ),
    read_only=False,
    destructive=True,
    destroys_when={"hide_for_s": (0,)},
    idempotent=False,
    examples=(
        Example(
            {"queue": "pop-proof"},
            {"found": True, "value": "first"},
            source="by hand: the first in is the first out",
            before=_push("pop-proof", "first", "second"),
        ),
        Example(
            {"queue": "lease-proof", "hide_for_s": 3600},
            {"found": True, "value": "leased"},
            source="by hand",
            before=_push("lease-proof", "leased"),
            then=(
                ExampleCall("queue_pop", {"queue": "lease-proof"}, {"found": False}),
                ExampleCall("queue_show_items", {"queue": "lease-proof"}, {"items": [{"taken": 1}], "total": 1}),
            ),
        ),
        Refusal({"queue": ""}, "must match the pattern"),
    ),
    reply={
        "found": "The next item: {value}",
        "": "The queue {args.queue} has no item that is due.",
    },
)
async def queue_pop(
    context: ToolContext,
    queue: Queue,
    hide_for_s: Annotated[
        int,
        About("Seconds until it returns unless acknowledged; 0 deletes it now", 60, minimum=0, maximum=86_400),
    ] = 0,
) -> Popped:
    """Take the next due item of a queue. If several agents take items at once, each item goes to only one of them.

    With hide_for_s, the item is only hidden for this time: queue_acknowledge deletes it when the work is done;
    otherwise it returns. Without items, found is false.
    """
    row = await Queues(context.records).pop(queue, hide_for_s)
    if row is None:
        return {"found": False, "item": None, "value": None}
    return {"found": True, "item": row.name, "value": row.body["value"]}


@tool(
    tags="queue acknowledge done complete finish item delete",
    use_when=("The job is done, take it off the queue", "Acknowledge the item I took", "Delete this item of the queue"),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"queue": "done-proof", "item": "page-1"},
            {"deleted": True},
            source="by hand",
            before=(ExampleCall("queue_push", {"queue": "done-proof", "value": 1, "item": "page-1"}),),
        ),
        Refusal({"queue": "done-proof", "item": "nothing"}, "There is no item"),
    ),
    reply="The item is done and off the queue {args.queue}.",
)
async def queue_acknowledge(
    context: ToolContext,
    queue: Queue,
    item: ItemId,
) -> Acknowledged:
    """Delete an item that was taken with hide_for_s, once its work is done, so that it does not return."""
    await Queues(context.records).remove(queue, item)
    return {"item": item, "deleted": True}


@tool(
    tags="queue show items peek look waiting list",
    use_when=("What is waiting in the queue?", "Look at the next items without taking them", "How long is the queue?"),
    examples=(
        Example(
            {"queue": "peek-proof", "limit": 1},
            {"items": [{"value": "a"}], "total": 2},
            source="by hand",
            before=_push("peek-proof", "a", "b"),
        ),
        Example({"queue": "peek-proof"}, {"total": 2}, source="by hand: nothing was taken"),
        Refusal({"queue": "no-such-queue"}, "There is no queue"),
    ),
    reply={
        "items": "The queue {args.queue} has {total|item}: {items}",
        "": "Nothing waits in the queue {args.queue}.",
    },
)
async def queue_show_items(context: ToolContext, queue: Queue, limit: Most = 20) -> Items:
    """Show the first items of a queue without taking them, including hidden and delayed ones, and the total number."""
    rows, total = await Queues(context.records).items(queue, limit)
    return {"items": [_describe(row) for row in rows], "total": total}


@tool(
    tags="queue list all names length overview",
    use_when=("Which queues are there?", "How much work waits in all queues?", "List my queues"),
    examples=(
        Example(
            {"prefix": "listed-queue"},
            {"queues": [{"queue": "listed-queue-proof", "items": 2}]},
            source="by hand",
            before=_push("listed-queue-proof", 1, 2),
        ),
        Example({"prefix": "no-such-queue"}, {"queues": []}, source="there is none"),
        Refusal({"prefix": "x" * 65}, "at most 64 characters"),
    ),
    reply={
        "queues": "The queues: {queues}",
        "": "There are no queues.",
    },
)
async def queue_list_all(
    context: ToolContext, prefix: Annotated[str, About("Only queues with this prefix", "to-", max_length=64)] = ""
) -> AllQueues:
    """List up to 100 queues with the number of items that each has."""
    rows = await context.records.prefix(QUEUE, prefix, most=100)
    return {"queues": [{"queue": row.name, "items": await context.records.count(QUEUE_ITEM, row.id)} for row in rows]}


@tool(
    tags="queue clear empty purge delete",
    use_when=("Empty the queue to-translate", "Delete this queue with all its items", "Purge the jobs that wait"),
    read_only=False,
    destructive=True,
    examples=(
        Example({"queue": "clear-proof"}, {"items": 2}, source="by hand", before=_push("clear-proof", 1, 2)),
        Refusal({"queue": "clear-proof"}, "There is no queue"),
    ),
    reply="I deleted the queue {args.queue} with {items|item}.",
)
async def queue_clear(context: ToolContext, queue: Queue) -> Cleared:
    """Permanently delete a queue with all its items. Returns the number of items."""
    return {"items": await Queues(context.records).clear(queue)}
