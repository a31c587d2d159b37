"""Partitions of integers and of sets."""

import itertools
from collections.abc import Iterator
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.math.combinatorics import Item

_MOST = 5000


class Partitions(TypedDict):
    """Partitions of a whole number."""

    count: Annotated[str, About("Number of partitions")]
    partitions: Annotated[list[list[int]], About("First partitions, largest parts first")]


class Blocks(TypedDict):
    """Partitions of a set."""

    count: Annotated[str, About("Number of partitions: a Bell or Stirling number")]
    partitions: Annotated[list[list[list[str]]], About("First partitions, each a list of blocks")]


@tool(
    tags="integer partition sums parts coin change ways",
    use_when=(
        "In how many ways can 100 be written as a sum?",
        "List the partitions of 5",
        "How many ways are there to change 2 pounds into coins?",
    ),
    examples=(
        Example({"number": 100}, {"count": "190569292"}, source="OEIS A000041"),
        Example(
            {"number": 4, "parts": [1, 2]},
            {"count": "3", "partitions": [[2, 2], [2, 1, 1], [1, 1, 1, 1]]},
            source="by hand",
        ),
        Example(
            {"number": 200, "parts": [1, 2, 5, 10, 20, 50, 100, 200]},
            {"count": "73682"},
            source="Project Euler, problem 31",
        ),
        Refusal({"number": 5, "parts": [0]}, "at least 1"),
    ),
    reply={
        "partitions": "There are {count|way} to write {args.number} as a sum: {partitions}",
        "": "There are {count|way} to write {args.number} as a sum.",
    },
)
def combinatorics_partition_integer(
    number: Annotated[int, About("Number to partition", 5, minimum=1, maximum=2000)],
    parts: Annotated[
        list[Annotated[int, About("Part", minimum=1, maximum=2000)]] | None,
        About("Allowed parts, such as coins; default: all", [1, 2, 5], min_items=1, max_items=100),
    ] = None,
    limit: Annotated[int, About("Maximum number to list", minimum=0, maximum=_MOST)] = 100,
) -> Partitions:
    """Count and list the ways to write a whole number as a sum of parts, regardless of their order.

    Use it for partitions and coin change. Returns the exact count and the first ones.
    """
    allowed = sorted(set(parts or range(1, number + 1)), reverse=True)
    ways = [1] + [0] * number
    for part in allowed:
        for total in range(part, number + 1):
            ways[total] += ways[total - part]
    reach = _reachable(number, allowed)
    found = list(itertools.islice(_partitions(number, allowed, 0, reach), limit)) if number <= 300 else []
    return {"count": str(ways[number]), "partitions": found}


def _reachable(number: int, allowed: list[int]) -> list[list[bool]]:
    """Return the totals that the parts from a position on can make."""
    rows = [[True] + [False] * number]
    for part in reversed(allowed):
        row = list(rows[0])
        for total in range(part, number + 1):
            row[total] = row[total] or row[total - part]
        rows.insert(0, row)
    return rows


def _partitions(left: int, allowed: list[int], place: int, reach: list[list[bool]]) -> Iterator[list[int]]:
    if not left:
        yield []
        return
    for later in range(place, len(allowed)):
        part = allowed[later]
        if part <= left and reach[later][left - part]:
            for rest in _partitions(left - part, allowed, later, reach):
                yield [part, *rest]


@tool(
    tags="set partition blocks groups bell stirling",
    use_when=("In which ways can 4 people form groups?", "How many ways are there to split 10 items into 3 groups?"),
    examples=(
        Example({"items": ["a", "b", "c"]}, {"count": "5"}, source="Bell number B3"),
        Example({"items": ["a", "b", "c", "d"], "blocks": 2}, {"count": "7"}, source="Stirling number S(4, 2)"),
        Refusal({"items": ["a", "a"]}, "twice"),
    ),
    reply={
        "partitions": "There are {count|way} to form groups: {partitions}",
        "": "There are {count|way} to form groups.",
    },
)
def combinatorics_partition_set(
    items: Annotated[list[Item], About("Distinct items", ["a", "b", "c"], min_items=1, max_items=50)],
    blocks: Annotated[int | None, About("Number of groups; default: any", 2, minimum=1, maximum=50)] = None,
    limit: Annotated[int, About("Maximum number to list", minimum=0, maximum=1000)] = 100,
) -> Blocks:
    """Count and list the ways to split a set of items into non-empty groups.

    Use it to enumerate groupings. Returns the exact count (Bell or Stirling number) and the first ones.
    """
    if len(set(items)) != len(items):
        raise ToolError("An item occurs twice.")
    stirling = [1]
    for _ in items:
        stirling = [0] + [
            stirling[k - 1] + k * (stirling[k] if k < len(stirling) else 0) for k in range(1, len(stirling) + 1)
        ]
    count = sum(stirling) if blocks is None else stirling[blocks] if blocks < len(stirling) else 0
    every = _set_partitions(items, 0, [], blocks)
    return {"count": str(count), "partitions": list(itertools.islice(every, limit if count else 0))}


def _set_partitions(
    items: list[str], place: int, partition: list[list[str]], blocks: int | None
) -> Iterator[list[list[str]]]:
    if place == len(items):
        yield [list(block) for block in partition]
        return
    missing = 0 if blocks is None else blocks - len(partition)
    if len(items) - place > missing:
        for block in partition:
            block.append(items[place])
            yield from _set_partitions(items, place + 1, partition, blocks)
            block.pop()
    if blocks is None or missing > 0:
        partition.append([items[place]])
        yield from _set_partitions(items, place + 1, partition, blocks)
        partition.pop()
