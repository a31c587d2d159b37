"""Counting and listing of arrangements, and permutations."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

Selection = Literal[
    "permutations", "combinations", "permutations_with_repetition", "combinations_with_repetition", "derangements"
]
Item = Annotated[str, About("Item", max_length=100)]
_MOST = 5000


class Counted(TypedDict):
    """A number of selections."""

    count: Annotated[str, About("Exact number in digits")]
    formula: Annotated[str, About("Formula")]


class Listed(TypedDict):
    """Arrangements."""

    arrangements: Annotated[list[list[str]], About("First arrangements, up to the limit")]
    count: Annotated[str, About("Total number")]


class Permutation(TypedDict):
    """Properties of a permutation."""

    cycles: Annotated[list[list[int]], About("Cycles, without fixed points")]
    order: Annotated[int, About("Order: number of applications that give the identity")]
    parity: Annotated[Literal["even", "odd"], About("Parity: whether it is an even or odd number of swaps")]
    inversions: Annotated[int, About("Inversions: pairs in the wrong order")]
    inverse: Annotated[list[int], About("Inverse permutation")]
    next: Annotated[list[int] | None, About("Next one in lexicographic order, null for the last")]
    rank: Annotated[str, About("Rank in lexicographic order, from 0")]


@tool(
    tags="permutations combinations count binomial multiset probability lottery",
    use_when=(
        "How many ways are there to choose 6 out of 49?",
        "How many different words are in the letters of MISSISSIPPI?",
        "In how many orders can 3 of 10 runners win medals?",
    ),
    examples=(
        Example(
            {"kind": "combinations", "items": 49, "chosen": 6},
            {"count": "13983816", "formula": "49! / (6! (49 - 6)!)"},
            source="lottery 6 of 49",
        ),
        Example({"kind": "permutations", "items": 10, "chosen": 3}, {"count": "720"}, source="10 * 9 * 8"),
        Example(
            {"kind": "permutations", "items": 11, "multiplicities": [1, 4, 4, 2]},
            {"count": "34650"},
            source="MISSISSIPPI, 11!/(4! 4! 2!)",
        ),
        Example(
            {"kind": "combinations", "items": 9, "chosen": 3, "other_items": 7, "other_chosen": 2},
            {"count": "1764"},
            source="84 * 21",
        ),
        Example({"kind": "derangements", "items": 6}, {"count": "265"}, source="OEIS A000166"),
        Refusal({"kind": "permutations", "items": 5, "multiplicities": [1, 2]}, "add up"),
    ),
    reply="There are {count|possibility|possibilities}: {formula}.",
)
def combinatorics_count_selections(
    kind: Annotated[Selection, About("Whether the order matters, and whether items may be repeated")],
    items: Annotated[int, About("Number of items", 49, minimum=0, maximum=2000)],
    chosen: Annotated[int | None, About("Number of chosen items; default: all", 6, minimum=0, maximum=2000)] = None,
    multiplicities: Annotated[
        list[Annotated[int, About("Number of identical items", minimum=1, maximum=2000)]] | None,
        About("For permutations of all items: numbers of identical items of each kind", [1, 4, 4, 2], max_items=200),
    ] = None,
    other_items: Annotated[
        int | None, About("Number of items in an optional second group", 7, minimum=0, maximum=2000)
    ] = None,
    other_chosen: Annotated[
        int | None, About("Number of chosen items of the second group", 2, minimum=0, maximum=2000)
    ] = None,
) -> Counted:
    """Count permutations or combinations, with or without repetition, or of items some of which are identical (alike).

    Use it for probabilities, arrangements and committees of two groups. Returns the exact number and the formula.
    """
    if other_items is not None and other_chosen is not None:
        first = combinatorics_count_selections(kind, items, chosen, multiplicities)
        return _product(first, combinatorics_count_selections(kind, other_items, other_chosen))
    taken = items if chosen is None else chosen
    if multiplicities:
        if kind != "permutations" or taken != items or sum(multiplicities) != items:
            raise ToolError(
                "For identical items, the kind must be permutations, and multiplicities must add up to items."
            )
        ways = math.factorial(items) // math.prod(map(math.factorial, multiplicities))
        return {"count": str(ways), "formula": f"{items}! / ({' '.join(f'{one}!' for one in multiplicities)})"}
    count, formula = _count(kind, items, taken)
    if count.bit_length() > 12_000:
        raise ToolError("The number has more than 3,600 digits. Choose a smaller selection.")
    return {"count": str(count), "formula": formula}


def _product(first: Counted, second: Counted) -> Counted:
    count = int(first["count"]) * int(second["count"])
    return {"count": str(count), "formula": f"({first['formula']}) * ({second['formula']})"}


def _count(kind: Selection, items: int, taken: int) -> tuple[int, str]:
    match kind:
        case "permutations":
            return math.perm(items, taken), f"{items}! / ({items} - {taken})!"
        case "combinations":
            return math.comb(items, taken), f"{items}! / ({taken}! ({items} - {taken})!)"
        case "derangements":
            return _derangements(items), f"subfactorial !{items}: no item stays in its place"
        case "permutations_with_repetition":
            return items**taken, f"{items}^{taken}"
    ways = math.comb(items + taken - 1, taken) if items else int(not taken)
    return ways, f"({items} + {taken} - 1)! / ({taken}! ({items} - 1)!)"


class LetterArrangements(TypedDict):
    """Number of arrangements of letters."""

    count: Annotated[str, About("Distinct orders, treating equal letters as identical")]
    formula: str
    letters: Annotated[dict[str, int], About("Number of occurrences of each letter")]


@tool(
    tags="arrange letters word anagrams distinct permutations multinomial mississippi banana rearrange orders",
    use_when=(
        "How many different arrangements have the letters of BANANA?",
        "In how many ways can the letters of the word LEVEL be rearranged?",
        "Distinct permutations of the letters in MISSISSIPPI",
    ),
    examples=(
        Example({"word": "Mississippi"}, {"count": "34650", "formula": "11! / (4! 4! 2!)"}, source="11!/(4! 4! 2!)"),
        Example({"word": "cat"}, {"count": "6", "formula": "3!"}, source="3!"),
        Refusal({"word": "--"}, "letters"),
    ),
    reply="The letters of {args.word} have {count|different arrangement}: {formula}.",
)
def combinatorics_arrange_letters(
    word: Annotated[str, About("Word, or digits", "BANANA", min_length=1, max_length=500)],
) -> LetterArrangements:
    """Count the different orders (arrangements) of the letters of a word, treating equal letters as identical."""
    letters = Counter(one for one in word.upper() if one.isalnum())
    if not letters:
        raise ToolError("The word has no letters.")
    alike = sorted((count for count in letters.values() if count > 1), reverse=True)
    ways = math.factorial(letters.total()) // math.prod(map(math.factorial, alike))
    below = f" / ({' '.join(f'{one}!' for one in alike)})" if alike else ""
    return {"count": str(ways), "formula": f"{letters.total()}!{below}", "letters": dict(letters)}


def _derangements(items: int) -> int:
    """Euler's recurrence: !n = n !(n - 1) + (-1)^n."""
    count = 1
    for size in range(1, items + 1):
        count = size * count + (-1) ** size
    return count


@tool(
    tags="list permutations combinations enumerate arrangements subsets cartesian product",
    use_when=("List all orders of red, green and blue", "Which pairs can be made of Ann, Bob and Cid?"),
    examples=(
        Example(
            {"kind": "combinations", "items": ["a", "b", "c"], "chosen": 2},
            {"arrangements": [["a", "b"], ["a", "c"], ["b", "c"]], "count": "3"},
            source="by hand",
        ),
        Example({"kind": "permutations", "items": ["a", "b", "c"], "limit": 1}, {"count": "6"}, source="3!"),
        Example(
            {"kind": "derangements", "items": ["a", "b", "c"]},
            {"arrangements": [["b", "c", "a"], ["c", "a", "b"]], "count": "2"},
            source="by hand: no letter is where it was",
        ),
        Refusal(
            {"kind": "combinations", "items": ["a"], "chosen": 2}, "Without repetition, at most all items can be chosen"
        ),
    ),
    reply="There are {count}: {arrangements}",
)
def combinatorics_list_selections(
    kind: Annotated[Selection, About("Whether the order matters, and whether items may be repeated")],
    items: Annotated[list[Item], About("Items to arrange", ["red", "green", "blue"], min_items=1, max_items=100)],
    chosen: Annotated[int | None, About("Number of chosen items; default: all", 2, minimum=1, maximum=100)] = None,
    limit: Annotated[int, About("Maximum number to list", minimum=1, maximum=_MOST)] = 1000,
) -> Listed:
    """List permutations or combinations of items in the order of the items.

    Use it to enumerate cases. Returns the first ones up to `limit`, and the total number.
    """
    taken = len(items) if chosen is None else chosen
    if taken > len(items) and not kind.endswith("repetition"):
        raise ToolError("Without repetition, at most all items can be chosen.")
    makers: dict[str, Callable[[], Iterable[tuple[str, ...]]]] = {
        "permutations": lambda: itertools.permutations(items, taken),
        "combinations": lambda: itertools.combinations(items, taken),
        "permutations_with_repetition": lambda: itertools.product(items, repeat=taken),
        "combinations_with_repetition": lambda: itertools.combinations_with_replacement(items, taken),
        "derangements": lambda: _list_derangements(items),
    }
    if kind == "derangements" and taken < len(items):
        raise ToolError("Derangements move all items: omit chosen.")
    found = [list(one) for one in itertools.islice(makers[kind](), limit)]
    return {"arrangements": found, "count": str(_count(kind, len(items), taken)[0])}


def _list_derangements(items: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """List orders in which no item is in its place, position by position, so that dead ends are left early."""

    def place(at: int, left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if at == len(items):
            yield ()
        for one in left:
            if one != at:
                yield from ((one, *rest) for rest in place(at + 1, tuple(other for other in left if other != one)))

    return (tuple(items[one] for one in order) for order in place(0, tuple(range(len(items)))))


@tool(
    tags="permutation cycles order parity inverse rank group",
    use_when=("What are the cycles of the permutation 2 3 1 5 4?", "Is the permutation 3 1 2 even?"),
    examples=(
        Example(
            {"permutation": [2, 3, 1, 5, 4]},
            {"cycles": [[1, 2, 3], [4, 5]], "order": 6, "parity": "odd", "inverse": [3, 1, 2, 5, 4], "inversions": 3},
            source="by hand",
        ),
        Example({"permutation": [3, 2, 1]}, {"next": None, "rank": "5"}, source="last of the six of three"),
        Refusal({"permutation": [1, 1]}, "each once"),
    ),
    reply={
        "inversions, cycles": (
            "It is an {parity} permutation of order {order} with {inversions|inversion}. Its cycles: {cycles}"
        ),
        "": "It is an {parity} permutation of order {order} without cycles.",
    },
)
def combinatorics_analyze_permutation(
    permutation: Annotated[
        list[Annotated[int, About("Number", minimum=1, maximum=1000)]],
        About("Numbers 1 to n in their new order", [2, 3, 1], min_items=1, max_items=1000),
    ],
) -> Permutation:
    """Describe a permutation: cycles, order, parity, inversions, inverse, rank and lexicographic successor.

    Use it in group theory and for shuffles. The number in position k is the image of k.
    """
    size = len(permutation)
    if sorted(permutation) != list(range(1, size + 1)):
        raise ToolError("Give the numbers from 1 to n, each once.")
    cycles, smaller = _cycles(permutation), _smaller_after(permutation)
    inverse = [0] * size
    for place, value in enumerate(permutation, 1):
        inverse[value - 1] = place
    return {
        "cycles": cycles,
        "order": math.lcm(*(len(cycle) for cycle in cycles)),
        "parity": "odd" if sum(len(cycle) - 1 for cycle in cycles) % 2 else "even",
        "inversions": sum(smaller),
        "inverse": inverse,
        "next": _successor(permutation),
        "rank": str(_rank(smaller)),
    }


def _cycles(permutation: list[int]) -> list[list[int]]:
    seen: set[int] = set()
    found = []
    for start in range(1, len(permutation) + 1):
        cycle, place = [], start
        while place not in seen:
            seen.add(place)
            cycle.append(place)
            place = permutation[place - 1]
        if len(cycle) > 1:
            found.append(cycle)
    return found


def _smaller_after(permutation: list[int]) -> list[int]:
    """Return the Lehmer code: for each position, the number of smaller numbers after it."""
    return [sum(later < value for later in permutation[place:]) for place, value in enumerate(permutation, 1)]


def _rank(code: list[int]) -> int:
    rank = 0
    for place, digit in enumerate(code):
        rank = rank * (len(code) - place) + digit
    return rank


def _successor(permutation: list[int]) -> list[int] | None:
    found = list(permutation)
    pivot = max((place for place in range(len(found) - 1) if found[place] < found[place + 1]), default=None)
    if pivot is None:
        return None
    swap = max(place for place in range(pivot + 1, len(found)) if found[place] > found[pivot])
    found[pivot], found[swap] = found[swap], found[pivot]
    return found[: pivot + 1] + found[:pivot:-1]
