"""Small tables given as text, such as names with prices: products, and sums for each group."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_LONGEST = 20_000
_MARKS = "$€£¥%"
_NUMBER = re.compile(r"(?<![\w.])[-+]?[$€£¥]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*\d)")
_BETWEEN = re.compile(r"\s*(?:;|\n|,(?!\d{3}\b)|\band\b)\s*", re.IGNORECASE)
_FILLERS = frozenset(
    {"at", "worth", "x", "for", "each", "costs", "cost", "of", "is", "are", "a", "the", "to", "per", "="}
    | {"pounds", "dollars", "euros", "pence", "cents", "points", "eur", "usd", "gbp"}
)


class NamedValue(TypedDict):
    """A name and its value."""

    name: str
    value: float


class OrderValue(TypedDict):
    """Cost of items."""

    total: float
    items: Annotated[list[NamedValue], About("Cost of each line, in the order of the quantities")]
    by_name: Annotated[list[NamedValue], About("Total cost of each item, highest first")]


@tool(
    tags="prices quantities orders total value multiply lookup join names basket shopping sum product told list",
    use_when=(
        "Prices: mug 6.50, bowl 9.25, plate 7.80. Orders: bowl 3, mug 5, plate 4, bowl 2. What is it all worth?",
        "Apples cost 1.20, pears 0.80 and figs 2.50; I buy 5 apples, 7 pears and 2 figs. Total?",
        "Points: goal 3, assist 1, save 2. Mia had 4 goals, 6 assists and 1 save",
    ),
    examples=(
        Example(
            {"prices": "mug 6.50, bowl 9.25, plate 7.80", "quantities": "bowl 3, mug 5, plate 4, bowl 2"},
            {
                "total": 109.95,
                "by_name": [
                    {"name": "bowl", "value": 46.25},
                    {"name": "mug", "value": 32.5},
                    {"name": "plate", "value": 31.2},
                ],
            },
            source="by hand",
        ),
        Example(
            {"prices": "apples 1.20, pears 0.80", "quantities": "5 apples and 7 pears"},
            {"total": 11.6},
            source="by hand",
        ),
        Example(
            {"prices": "red pen 0.90 pounds, notepad 1.20", "quantities": "4 pens and 2 notepads"},
            {"total": 6.0},
            source="by hand: a word of the name is enough where it is that of one price",
        ),
        Refusal({"prices": "mug 6.50", "quantities": "cup 2"}, "is missing"),
    ),
    reply="The total is {total}. The single amounts: {items}",
)
def list_multiply_prices(
    prices: Annotated[
        str, About("Names with prices, as text", "mug 6.50, bowl 9.25", min_length=1, max_length=_LONGEST)
    ],
    quantities: Annotated[
        str, About("Names with quantities, as text", "bowl 3, mug 5, bowl 2", min_length=1, max_length=_LONGEST)
    ],
) -> OrderValue:
    """Multiply quantities by the prices of the things that they name, and add up.

    Use it for orders, baskets and points given in a sentence: the total value, and that of each item.
    """
    price_of = {_key(name): price for name, price in _pairs(prices)}
    lines = [(name, count, _price(_key(name), price_of)) for name, count in _pairs(quantities)]
    if missing := [name for name, _, price in lines if price is None]:
        raise ToolError(f"The price of {', '.join(missing)} is missing. Write each as name and number.")
    items: list[NamedValue] = [{"name": name, "value": tidy(count * (price or 0.0))} for name, count, price in lines]
    return {"total": tidy(sum(one["value"] for one in items)), "items": items, "by_name": _by_name(items)}


def _price(key: str, price_of: Mapping[str, float]) -> float | None:
    """Return the price for that name, or for the only name that shares a word with it."""
    if key in price_of:
        return price_of[key]
    near = [price for name, price in price_of.items() if set(name.split()) & set(key.split())]
    return near[0] if len(near) == 1 else None


class GroupSums(TypedDict):
    """Sums by name or group."""

    sums: Annotated[list[NamedValue], About("Sum of each name or group, highest first")]
    highest: str
    lowest: str
    total: float
    counts: Annotated[dict[str, int], About("Number of values of each")]
    means: dict[str, float]


@tool(
    tags="sum by name group total per person category told list values most highest lowest join lookup",
    use_when=(
        "Mia 3, Tom 5, Mia 4, Tom 2, Zoe 6: total of each, and who has most?",
        "Customers: c1=Ohio, c2=Texas, c3=Ohio. Orders: c2 44.10, c1 18.75, c3 62.40. How much did Ohio spend?",
        "rent 900, food 210, food 95, fun 60, rent 40: what did each category cost?",
    ),
    examples=(
        Example(
            {"values": "Mia 3, Tom 5, Mia 4, Tom 2, Zoe 6"},
            {"sums": [{"name": "Mia", "value": 7.0}, {"name": "Tom", "value": 7.0}, {"name": "Zoe", "value": 6.0}]},
            source="by hand",
        ),
        Example(
            {"values": "c2 $44.10, c1 $18.75, c3 $62.40", "groups": "c1=Ohio, c2=Texas, c3=Ohio"},
            {"sums": [{"name": "Ohio", "value": 81.15}, {"name": "Texas", "value": 44.1}], "highest": "Ohio"},
            source="by hand",
        ),
        Example(
            {"values": "run,8.2; bike,24.5; run,11.4; swim,1.6"},
            {"sums": [{"name": "bike", "value": 24.5}, {"name": "run", "value": 19.6}, {"name": "swim", "value": 1.6}]},
            source="by hand",
        ),
        Refusal({"values": "Mia and Tom"}, "no number"),
    ),
    reply="{highest} has most, and the total is {total}: {sums}",
)
def list_sum_groups(
    values: Annotated[
        str, About("Names with values, as text", "Mia 3, Tom 5, Mia 4", min_length=1, max_length=_LONGEST)
    ],
    groups: Annotated[
        str | None, About("Group of each name", "c1=Ohio, c2=Texas", min_length=1, max_length=_LONGEST)
    ] = None,
) -> GroupSums:
    """Add up values given in a sentence by their names, or by the groups that the names belong to.

    Use it for orders, expenses and scores: sums, counts and means of each, the highest and the lowest.
    """
    group_of = _groups(groups or "")
    pairs = [(group_of.get(_key(name), name), value) for name, value in _pairs(values)]
    sums = _by_name([{"name": name, "value": value} for name, value in pairs])
    counts = {one["name"]: sum(_key(name) == _key(one["name"]) for name, _ in pairs) for one in sums}
    return {
        "sums": sums,
        "highest": sums[0]["name"],
        "lowest": sums[-1]["name"],
        "total": tidy(sum(value for _, value in pairs)),
        "counts": counts,
        "means": {one["name"]: tidy(one["value"] / counts[one["name"]]) for one in sums},
    }


def _by_name(items: list[NamedValue]) -> list[NamedValue]:
    sums: dict[str, NamedValue] = {}
    for item in items:
        total = sums.setdefault(_key(item["name"]), {"name": item["name"], "value": 0.0})
        total["value"] = tidy(total["value"] + item["value"])
    return sorted(sums.values(), key=lambda one: -one["value"])


def _pairs(text: str) -> Iterator[tuple[str, float]]:
    """Return the name and number of each piece."""
    for piece in filter(str.strip, _BETWEEN.split(_one_mark(text))):
        match = _NUMBER.search(piece)
        if match is None:
            raise ToolError(
                f"There is no number in {piece.strip()!r}. Write each as name and number: mug 6.50, bowl 9.25."
            )
        value = float(match[0].translate({ord(mark): None for mark in f"{_MARKS},"}))
        yield _name(piece[: match.start()] + " " + piece[match.end() :]), value


def _one_mark(text: str) -> str:
    """Normalise `run,8.2; swim,1.6` so that only semicolons separate its pieces."""
    pieces = re.split(r"\s*[;\n]\s*", text.strip().strip(";"))
    if len(pieces) > 1 and all(re.fullmatch(r"[^,]*[^\d,\s]\s*,\s*[^,]*", piece) for piece in pieces):
        return "; ".join(piece.replace(",", " ") for piece in pieces)
    return text


def _name(piece: str) -> str:
    words = re.findall(r"[^\s:=()$€£¥]+", piece)
    remaining = [word.strip(".,") for word in words if word.casefold() not in _FILLERS]
    return " ".join(word for word in remaining if any(one.isalnum() for one in word))


def _key(name: str) -> str:
    """Return the form in which names are compared: without case and plural s."""
    return re.sub(r"(?<=\w{2})s\b", "", name.casefold())


def _groups(text: str) -> Mapping[str, str]:
    parts = (
        re.split(r"\s*[=:]\s*|\s+(?:is|in|from|are)\s+", piece.strip(), maxsplit=1) for piece in _BETWEEN.split(text)
    )
    return {_key(part[0]): part[1] for part in parts if len(part) > 1}
