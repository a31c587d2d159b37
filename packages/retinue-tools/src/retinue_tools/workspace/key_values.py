"""Key-value store, for agents that keep state or count."""

from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.workspace import NEVER, KeyValueStore, Row, ToolContext, format_datetime
from retinue_tools.workspace._vocabulary import Most

Namespace = Annotated[
    str, About("Namespace, which separates unrelated keys", "default", pattern=r"^[A-Za-z0-9._-]{1,64}$", max_length=64)
]
Key = Annotated[str, About("Key", "last-invoice-number", min_length=1, max_length=200)]
Value = Annotated[Any, About("Any JSON value, up to 16 KiB", {"step": 3})]
KeepFor = Annotated[int, About("Seconds until it expires; default: never", 3600, minimum=1, maximum=10**9)]


class KeptValue(TypedDict):
    """A stored value."""

    key: Annotated[str, About("Key")]
    value: Annotated[Any, About("Stored value")]
    found: Annotated[bool, About("False if there is none, or if it has expired")]
    expires_at: Annotated[str | None, About("Expiry time, in UTC; null for never")]


class KeptValues(TypedDict):
    """Some values."""

    values: list[KeptValue]


class Swapped(TypedDict):
    """Result of a swap."""

    swapped: Annotated[bool, About("Whether the value was replaced")]
    value: Annotated[Any, About("Current value; null if there is none")]


class DeletedKey(TypedDict):
    """A deleted key."""

    key: Annotated[str, About("Key")]
    deleted: Annotated[bool, About("Always true")]


def _describe(row: Row) -> KeptValue:
    return {
        "key": row.name.partition("/")[2],
        "value": row.body["value"],
        "found": True,
        "expires_at": None if row.at == NEVER else format_datetime(row.at),
    }


@tool(
    tags="kv key value set store save state cache variable",
    use_when=(
        "Remember that the last invoice number was 1043",
        "Store this JSON under the key session for one hour",
        "Keep the state of my workflow",
    ),
    read_only=False,
    destructive=True,
    destroys_when={"only_new": (False,)},
    examples=(
        Example(
            {"key": "proof-set", "value": {"step": 3}},
            {"key": "proof-set", "value": {"step": 3}, "expires_at": None},
            source="by hand",
            then=(ExampleCall("kv_get", {"key": "proof-set"}, {"value": {"step": 3}, "found": True}),),
        ),
        Example(
            {"key": "proof-set", "value": [1, "two"], "namespace": "proof.set", "keep_for_s": 1_000_000},
            {"value": [1, "two"]},
            source="by hand",
            then=(ExampleCall("kv_get", {"key": "proof-set", "namespace": "proof.set"}, {"value": [1, "two"]}),),
        ),
        Refusal({"key": "x", "value": 1, "namespace": "a/b"}, "must match the pattern"),
        Refusal(
            {"key": "proof-once", "value": 2, "only_new": True},
            "already has a value",
            before=(ExampleCall("kv_set", {"key": "proof-once", "value": 1}),),
        ),
    ),
    reply={
        "expires_at": "I stored the value of {args.key} until {expires_at}.",
        "": "I stored the value of {args.key}.",
    },
)
async def kv_set(
    context: ToolContext,
    key: Key,
    value: Value,
    namespace: Namespace = "default",
    keep_for_s: KeepFor | None = None,
    only_new: Annotated[bool, About("Whether to reject an existing value", False)] = False,
) -> KeptValue:
    """Store (keep) a JSON value under a key, replacing an existing one, with an optional expiry in seconds.

    Use it for state that later runs or other agents need. Namespaces separate unrelated keys.
    """
    return _describe(await KeyValueStore(context.records).put(namespace, key, value, keep_for_s, only_new=only_new))


@tool(
    tags="kv key value get read state variable look up",
    use_when=(
        "What was the last invoice number?",
        "Read the value stored under session",
        "Has the workflow state been saved?",
    ),
    examples=(
        Example(
            {"key": "proof-get"},
            {"value": 1043, "found": True},
            source="by hand",
            before=(ExampleCall("kv_set", {"key": "proof-get", "value": 1043}),),
        ),
        Example({"key": "proof-never-set"}, {"value": None, "found": False}, source="it was never set"),
        Refusal({"key": ""}, "key must have at least 1 character"),
    ),
    reply={
        "found": "The value of {args.key} is {value}.",
        "found, value": "The value of {args.key}: {value}",
        "": "There is no value for {args.key}.",
    },
)
async def kv_get(context: ToolContext, key: Key, namespace: Namespace = "default") -> KeptValue:
    """Read the value of a key. A key without a value is not an error: then found is false, and the value null.

    Use it for state that was stored with kv_set or counted with kv_increment.
    """
    row = await KeyValueStore(context.records).get(namespace, key)
    return _describe(row) if row else {"key": key, "value": None, "found": False, "expires_at": None}


@tool(
    tags="kv key value list prefix namespace show all",
    use_when=(
        "List all keys of the namespace",
        "List everything under the prefix order:",
        "Show the namespace crawler",
    ),
    examples=(
        Example(
            {"namespace": "list-proof", "prefix": "a"},
            {"values": [{"key": "a/1", "value": 1}, {"key": "ab", "value": 2}]},
            source="by hand: keys sort by their code points",
            before=(
                ExampleCall("kv_set", {"namespace": "list-proof", "key": "ab", "value": 2}),
                ExampleCall("kv_set", {"namespace": "list-proof", "key": "a/1", "value": 1}),
                ExampleCall("kv_set", {"namespace": "list-proof", "key": "b", "value": 3}),
            ),
        ),
        Example({"namespace": "list-proof-none"}, {"values": []}, source="nothing was set there"),
        Refusal({"namespace": "no spaces"}, "must match the pattern"),
    ),
    reply={
        "values": "The stored values: {values}",
        "": "There are no such keys.",
    },
)
async def kv_list(
    context: ToolContext,
    namespace: Namespace = "default",
    prefix: Annotated[str, About("Only keys with this prefix", "order:", max_length=200)] = "",
    limit: Most = 100,
) -> KeptValues:
    """List the keys of a namespace with their values, by key, all or those with a prefix.

    Use it to find stored values. Expired values are omitted.
    """
    return {"values": [_describe(row) for row in await KeyValueStore(context.records).all(namespace, prefix, limit)]}


@tool(
    tags="kv key value delete remove forget clear",
    use_when=("Delete the key session", "Forget the stored invoice number", "Remove this value from the store"),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"key": "proof-delete"},
            {"key": "proof-delete", "deleted": True},
            source="by hand",
            before=(ExampleCall("kv_set", {"key": "proof-delete", "value": 1}),),
            then=(ExampleCall("kv_get", {"key": "proof-delete"}, {"found": False}),),
        ),
        Example(
            {"key": "proof-delete", "namespace": "proof.delete"},
            {"deleted": True},
            source="by hand",
            before=(ExampleCall("kv_set", {"key": "proof-delete", "namespace": "proof.delete", "value": 1}),),
        ),
        Refusal({"key": "proof-not-there"}, "There is no key"),
    ),
    reply="I deleted {args.key}.",
)
async def kv_delete(context: ToolContext, key: Key, namespace: Namespace = "default") -> DeletedKey:
    """Permanently delete a key with its value. A missing key is an error."""
    await KeyValueStore(context.records).remove(namespace, key)
    return {"key": key, "deleted": True}


@tool(
    tags="kv counter increment count add number atomic decrement",
    use_when=(
        "Count one more visitor",
        "Take the next invoice number",
        "Subtract 5 from the stock of apples",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"key": "proof-count", "amount": 5},
            {"value": 15},
            source="by hand",
            before=(ExampleCall("kv_set", {"key": "proof-count", "value": 10}),),
        ),
        Example({"key": "proof-first", "namespace": "proof.count"}, {"value": 1}, source="nothing counts as 0"),
        Refusal(
            {"key": "proof-text"},
            "is not a number",
            before=(ExampleCall("kv_set", {"key": "proof-text", "value": "ten"}),),
        ),
    ),
    reply="The value of {args.key} is now {value}.",
)
async def kv_increment(
    context: ToolContext,
    key: Key,
    amount: Annotated[int, About("Amount to add; negative subtracts", 1, minimum=-(10**12), maximum=10**12)] = 1,
    namespace: Namespace = "default",
    keep_for_s: KeepFor | None = None,
) -> KeptValue:
    """Add to the number under a key and return the sum; a key without a value counts as 0.

    Use it for counters and running numbers: concurrent callers all get different numbers. The expiry time counts from
    the first call.
    """
    return _describe(await KeyValueStore(context.records).add(namespace, key, amount, keep_for_s))


@tool(
    tags="kv compare swap atomic lock claim state transition cas",
    use_when=(
        "Set the state to running only if it is still idle",
        "Claim this job unless another agent has it",
        "Change the value if nobody else changed it meanwhile",
    ),
    read_only=False,
    destructive=True,
    idempotent=False,
    examples=(
        Example(
            {"key": "proof-swap", "expected": "idle", "value": "running"},
            {"swapped": True, "value": "running"},
            source="by hand",
            before=(ExampleCall("kv_set", {"key": "proof-swap", "value": "idle"}),),
        ),
        Example(
            {"key": "proof-no-swap", "expected": 1, "value": 2, "namespace": "proof.swap"},
            {"swapped": False, "value": 7},
            source="by hand",
            before=(ExampleCall("kv_set", {"key": "proof-no-swap", "value": 7, "namespace": "proof.swap"}),),
        ),
        Refusal({"key": "proof-swap", "expected": 1, "value": 1}, "are equal"),
    ),
    reply={
        "swapped": "The value of {args.key} is now {value}.",
        "value": "The value of {args.key} was not the expected one; it is still {value}.",
        "": "The value of {args.key} was not the expected one.",
    },
)
async def kv_compare_swap(
    context: ToolContext,
    key: Key,
    expected: Annotated[Any, About("Expected current value; null for none", "idle")],
    value: Value,
    namespace: Namespace = "default",
) -> Swapped:
    """Replace the value of a key only if it is the expected one, in one atomic step.

    Use it for locks and state changes among several agents. Returns whether it was replaced, and the current value.
    """
    if expected == value:
        raise ToolError("The expected and the new value are equal: there is nothing to swap.")
    swapped, now = await KeyValueStore(context.records).swap(namespace, key, expected, value)
    return {"swapped": swapped, "value": now}
