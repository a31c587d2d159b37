"""Binary search trees and Huffman codes."""

import heapq
import math
from collections import Counter
from dataclasses import dataclass
from itertools import count
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_DEEPEST = 500


class Traversals(TypedDict):
    """Traversals of a binary search tree."""

    in_order: list[float]
    pre_order: list[float]
    post_order: list[float]
    level_order: list[float]
    height: Annotated[int, About("Height: edges from the root to the deepest leaf")]
    leaves: Annotated[list[float], About("Leaves, from left to right")]


class Code(TypedDict):
    """The code of a symbol."""

    symbol: str
    weight: float
    code: str


class HuffmanCodes(TypedDict):
    """A Huffman code."""

    codes: Annotated[list[Code], About("Heaviest symbol first")]
    total_bits: Annotated[float, About("Length of the coded text: sum of weights times lengths")]
    average_bits: Annotated[float, About("Bits per symbol on average")]
    entropy_bits: Annotated[float, About("Entropy: least possible average (Shannon)")]
    encoded: Annotated[str | None, About("Encoded text; null without a text or for more than 1,000 letters")]


@dataclass(slots=True)
class _Leaf:
    """A node of a binary search tree."""

    value: float
    depth: int
    left: "_Leaf | None" = None
    right: "_Leaf | None" = None


@tool(
    tags="binary search tree bst insert traversal inorder preorder postorder level order height",
    use_when=(
        "Insert 50, 30, 70, 20, 40 into a binary search tree and give the preorder",
        "Postorder traversal of the BST built from 8, 3, 10, 1, 6, 14",
        "How high is the search tree of these keys?",
    ),
    examples=(
        Example(
            {"values": [8, 3, 10, 1, 6, 14, 4, 7, 13]},
            {
                "in_order": [1.0, 3.0, 4.0, 6.0, 7.0, 8.0, 10.0, 13.0, 14.0],
                "pre_order": [8.0, 3.0, 1.0, 6.0, 4.0, 7.0, 10.0, 14.0, 13.0],
                "post_order": [1.0, 4.0, 7.0, 6.0, 3.0, 13.0, 14.0, 10.0, 8.0],
                "height": 3,
                "leaves": [1.0, 4.0, 7.0, 13.0],
            },
            source="Wikipedia, Binary search tree: the figure of size 9 and depth 3",
        ),
        Example({"values": [2, 1, 3]}, {"level_order": [2.0, 1.0, 3.0], "height": 1}, source="by hand"),
        Refusal({"values": [2, 2]}, "occurs twice"),
    ),
    reply="In order: {in_order}; preorder: {pre_order}; postorder: {post_order}.",
)
def tree_traverse_search(
    values: Annotated[
        list[Annotated[float, About("A key", 8, minimum=-1e15, maximum=1e15)]],
        About("Keys in insertion order", [8, 3, 10, 1, 6, 14], min_items=1, max_items=5000),
    ],
) -> Traversals:
    """Build a binary search tree by inserting keys in order, without balancing, and list its traversals.

    Use it for exercises on data structures. Returns in-order, pre-order, post-order and level order with the height.
    """
    nodes = _search_tree(values)
    visits: dict[str, list[float]] = {"in": [], "pre": [], "post": []}
    _visit(nodes[0], visits)
    order = {value: place for place, value in enumerate(visits["in"])}
    levels = sorted(nodes, key=lambda node: (node.depth, order[node.value]))
    ends = {node.value for node in nodes if not (node.left or node.right)}
    return {
        "in_order": visits["in"],
        "pre_order": visits["pre"],
        "post_order": visits["post"],
        "level_order": [node.value for node in levels],
        "height": levels[-1].depth,
        "leaves": [value for value in visits["in"] if value in ends],
    }


def _search_tree(values: list[float]) -> list[_Leaf]:
    """Return the nodes of the tree in insertion order, the root first."""
    if len(set(values)) < len(values):
        raise ToolError("A key occurs twice. Give each key once.")
    nodes = [_Leaf(values[0], 0)]
    for value in values[1:]:
        parent: _Leaf | None = nodes[0]
        while parent:
            last, parent = parent, parent.left if value < parent.value else parent.right
        nodes.append(_Leaf(value, last.depth + 1))
        if nodes[-1].depth > _DEEPEST:
            raise ToolError(f"The tree grows deeper than {_DEEPEST}. Give fewer sorted keys.")
        if value < last.value:
            last.left = nodes[-1]
        else:
            last.right = nodes[-1]
    return nodes


def _visit(node: _Leaf | None, visits: dict[str, list[float]]) -> None:
    """Record the nodes of a subtree in all three orders."""
    if node is None:
        return
    visits["pre"].append(node.value)
    _visit(node.left, visits)
    visits["in"].append(node.value)
    _visit(node.right, visits)
    visits["post"].append(node.value)


@tool(
    tags="huffman code coding compression prefix tree frequencies symbols bits average length encode",
    use_when=(
        "Huffman codes for A 45, B 13, C 12, D 16, E 9, F 5",
        "How many bits does 'mississippi' take in Huffman coding?",
        "Average code length of a Huffman code with the probabilities 0.4, 0.3, 0.2, 0.1",
    ),
    examples=(
        Example(
            {"symbols": ["a", "b", "c", "d", "e", "f"], "weights": [45, 13, 12, 16, 9, 5]},
            {"total_bits": 224.0, "average_bits": 2.24},
            source="Cormen et al., Introduction to Algorithms, section on Huffman codes: 224,000 bits",
        ),
        Example(
            {"text": "aab"},
            {"total_bits": 3.0, "codes": [{"symbol": "a", "code": "0"}, {"symbol": "b", "code": "1"}],
             "encoded": "001"},
            source="by hand: two symbols take a bit each",
        ),
        Refusal({"symbols": ["a", "b"], "weights": [1]}, "the same number of weights"),
    ),
    reply="The coded text takes {total_bits} bits, {average_bits} per symbol: {codes}",
)  # fmt: skip
def huffman_build_codes(
    text: Annotated[
        str, About("Text whose letters are counted, instead of symbols", "mississippi", max_length=100_000)
    ] = "",
    symbols: Annotated[
        list[Annotated[str, About("A symbol", "A", min_length=1, max_length=60)]] | None,
        About("Symbols, if there is no text", ["A", "B", "C"], min_items=1, max_items=1000),
    ] = None,
    weights: Annotated[
        list[Annotated[float, About("A weight", 45, exclusive_minimum=0, maximum=1e15)]] | None,
        About("Frequency or probability of each symbol, in the same order", [45, 13, 12], min_items=1, max_items=1000),
    ] = None,
) -> HuffmanCodes:
    """Build a Huffman code for the letters of a text, or for symbols with frequencies, and compute its length in bits.

    Use it for exercises on compression. Other implementations may give different codes, but with the same total length.
    """
    counts = _weights(text, symbols, weights)
    codes = _codes(counts)
    total, bits = math.fsum(counts.values()), math.fsum(counts[one] * len(code) for one, code in codes.items())
    return {
        "codes": [
            {"symbol": one, "weight": float(counts[one]), "code": codes[one]}
            for one in sorted(counts, key=lambda one: (-counts[one], one))
        ],
        "total_bits": bits,
        "average_bits": bits / total,
        "entropy_bits": -math.fsum(weight / total * math.log2(weight / total) for weight in counts.values()) + 0.0,
        "encoded": "".join(codes[letter] for letter in text) if 0 < len(text) <= 1000 else None,
    }


def _weights(text: str, symbols: list[str] | None, weights: list[float] | None) -> dict[str, float]:
    """Return the weight of each symbol. Raises `ToolError` unless either a text or symbols with weights are given."""
    if text and not symbols:
        return dict(Counter(text))
    if text or not symbols:
        raise ToolError("Give either a text, or symbols with their weights.")
    if len(symbols) != len(weights or []) or len(set(symbols)) < len(symbols):
        raise ToolError("Give the same number of weights and symbols, and each symbol once.")
    return dict(zip(symbols, weights or [], strict=True))


def _codes(counts: dict[str, float]) -> dict[str, str]:
    """Build codes by joining the two lightest groups until one is left; the heavier one gets 0, and of equal ones the
    older.
    """
    order = count()
    heap = [(weight, next(order), [symbol]) for symbol, weight in sorted(counts.items())]
    heapq.heapify(heap)
    codes = dict.fromkeys(counts, "0" if len(counts) == 1 else "")
    while len(heap) > 1:
        light, heavy = heapq.heappop(heap), heapq.heappop(heap)
        first, second = (light, heavy) if light[0] == heavy[0] else (heavy, light)
        for group, digit in ((first, "0"), (second, "1")):
            for symbol in group[2]:
                codes[symbol] = digit + codes[symbol]
        heapq.heappush(heap, (light[0] + heavy[0], next(order), light[2] + heavy[2]))
    return codes
