"""Product sales: ABC classes and market baskets."""

from itertools import combinations
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import quote
from retinue_tools.data_analysis._tables import (
    Noted,
    Rows,
    Table,
    TableFile,
    column,
    numeric,
    open_table,
    table,
    table_tool,
    value,
)

_MOST_BASKETS, _MOST_ITEMS = 200_000, 30


class Classes(Table):
    """Items classified by their share of the value."""

    classes: Annotated[dict[str, int], About("Number of items in each class")]
    total: Annotated[float, About("Total value of all items")]


@tool(
    tags="abc analysis pareto 80/20 inventory products share of revenue cumulative classes",
    use_when=(
        "Which products make 80 % of our revenue?",
        "Do an ABC analysis of the stock by value",
        "Make a Pareto table of the causes of defects",
    ),
    examples=(
        Example(
            {
                "item": "p",
                "amount": "v",
                "rows": [{"p": "x", "v": 80}, {"p": "y", "v": 12}, {"p": "z", "v": 5}, {"p": "w", "v": 3}],
            },
            {
                "rows": [
                    {"item": "x", "value": 80, "percent": 80.0, "cumulative_percent": 80.0, "class": "A"},
                    {"item": "y", "value": 12, "percent": 12.0, "cumulative_percent": 92.0, "class": "B"},
                    {"item": "z", "value": 5, "percent": 5.0, "cumulative_percent": 97.0, "class": "B"},
                    {"item": "w", "value": 3, "percent": 3.0, "cumulative_percent": 100.0, "class": "C"},
                ],
                "classes": {"A": 1, "B": 2, "C": 1},
                "total": 100.0,
            },
            source="by hand: z crosses the bound of 95 %, w begins behind it",
        ),
        Example(
            {"item": "p", "rows": [{"p": "x"}, {"p": "x"}, {"p": "y"}]},
            {"total": 3.0, "classes": {"A": 2}},
            source="by hand: rows are counted, and the second item crosses 80 %",
        ),
        Refusal({"item": "p", "amount": "v", "rows": [{"p": "x", "v": -1}]}, "not be negative"),
    ),
    reply={
        "file": "The total is {total}; all items are in {file}. The first ones: {rows}",
        "": "The total is {total}: {rows}",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_abc_analysis(
    item: Annotated[str, About("Column with the item", "product", min_length=1, max_length=200)],
    amount: Annotated[
        str | None, About("Column with the value; if omitted, rows are counted", "revenue", max_length=200)
    ] = None,
    a_percent: Annotated[float, About("Share of the total value for class A", 80, minimum=1, maximum=99)] = 80,
    b_percent: Annotated[
        float, About("Share of the total value for A and B together", 95, minimum=1, maximum=100)
    ] = 95,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Classes:
    """Classify items as A, B or C by their share of the total value, the largest first (Pareto analysis).

    Use it to find the few items, customers or causes that matter most. The item that crosses a bound belongs to the
    better class. Returns the items with shares, cumulative shares and classes.
    """
    if b_percent < a_percent:
        raise ToolError("b_percent must be at least a_percent.")
    relation = open_table(file, rows)
    name = quote(column(relation, item))
    worth = f"coalesce(sum({quote(numeric(relation, amount))}), 0)" if amount else "count(*)"
    summed = relation.aggregate(f"{name} AS item, {worth} AS value", name)
    total, least = value(summed, "sum(value)::DOUBLE"), value(summed, "min(value)")
    if not total or least < 0:
        raise ToolError("The values must not be negative, and not all 0.")
    window = "(ORDER BY value DESC, item ROWS UNBOUNDED PRECEDING)"
    shares = summed.project(
        f"*, 100.0 * value / {total!r} AS percent, 100.0 * sum(value) OVER {window} / {total!r} AS cumulative_percent"
    )
    before = "round(cumulative_percent - percent, 9)"
    cases = f"CASE WHEN {before} < {a_percent} THEN 'A' WHEN {before} < {b_percent} THEN 'B' ELSE 'C' END AS class"
    classed = shares.project(f"*, {cases}")
    sizes = dict(classed.aggregate("class, count(*)", "class").order("class").fetchall())
    return {**table(classed.order("value DESC, item"), "abc.csv"), "classes": sizes, "total": total}


class Rule(TypedDict):
    """An association rule of two items."""

    if_item: Annotated[str, About("First item")]
    then_item: Annotated[str, About("Second item")]
    baskets: Annotated[int, About("Number of baskets with both")]
    support_percent: Annotated[float, About("Share of all baskets with both")]
    confidence_percent: Annotated[float, About("Share of baskets with the first item that also have the second")]
    lift: Annotated[float, About("Ratio to the frequency expected by chance")]


class Rules(Noted):
    """Association rules of items."""

    rules: Annotated[list[Rule], About("Strongest rules by lift, at most 100")]
    baskets: Annotated[int, About("Number of baskets")]


@tool(
    tags="basket analysis association rules apriori bought together cross selling lift support confidence",
    use_when=(
        "Which products are often bought together?",
        "Find association rules in these receipts",
        "Who buys bread also buys what?",
    ),
    examples=(
        Example(
            {
                "basket": "b",
                "item": "i",
                "minimum_baskets": 2,
                "rows": [
                    {"b": b, "i": i}
                    for b, i in ((1, "bread"), (1, "milk"), (2, "bread"), (2, "milk"), (3, "milk"), (4, "tea"))
                ],
            },
            {
                "rules": [
                    {
                        "if_item": "bread",
                        "then_item": "milk",
                        "baskets": 2,
                        "support_percent": 50.0,
                        "confidence_percent": 100.0,
                        "lift": 4 / 3,
                    },
                    {
                        "if_item": "milk",
                        "then_item": "bread",
                        "baskets": 2,
                        "confidence_percent": 200 / 3,
                        "lift": 4 / 3,
                    },
                ],
                "baskets": 4,
            },
            source="by hand: lift = 2 * 4 / (2 * 3)",
        ),
        Example(
            {"basket": "b", "item": "i", "rows": [{"b": 1, "i": "tea"}]},
            {"rules": [], "baskets": 1},
            source="one item has no partner",
        ),
        Refusal({"basket": "x", "item": "i", "rows": [{"b": 1, "i": "tea"}]}, "no column x"),
    ),
    reply={
        "rules": "In {baskets|basket} these belong together most often: {rules}",
        "": "In {baskets|basket} I found no items that belong together.",
    },
    tier="pro",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_find_baskets(
    basket: Annotated[str, About("Column with the order or receipt", "order_id", min_length=1, max_length=200)],
    item: Annotated[str, About("Column with the item", "product", min_length=1, max_length=200)],
    minimum_baskets: Annotated[
        int, About("Minimum number of baskets with both items", 5, minimum=1, maximum=1_000_000)
    ] = 2,
    minimum_confidence_percent: Annotated[float, About("Minimum confidence of a rule", 20, minimum=0, maximum=100)] = 0,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Rules:
    """Find pairs of items that occur together in baskets: association rules with support, confidence and lift.

    Use it for cross-selling and recommendations. The table has one row for each item of a basket. Returns the strongest
    rules. Only the first 30 different items of a basket count.
    """
    relation = open_table(file, rows)
    group, thing = quote(column(relation, basket)), quote(column(relation, item))
    known = relation.filter(f"{group} IS NOT NULL AND {thing} IS NOT NULL")
    lists = known.aggregate(f"list(DISTINCT {thing}::VARCHAR) AS items", group).fetchall()
    if len(lists) > _MOST_BASKETS:
        raise ToolError(f"There are more than {_MOST_BASKETS:,} baskets. Send a sample.")
    single: dict[str, int] = {}
    pairs: dict[tuple[str, str], int] = {}
    for (items,) in lists:
        chosen = sorted(items)[:_MOST_ITEMS]
        for one in chosen:
            single[one] = single.get(one, 0) + 1
        for pair in combinations(chosen, 2):
            pairs[pair] = pairs.get(pair, 0) + 1
    rules = [
        _rule(one, two, count, single, len(lists))
        for pair, count in pairs.items()
        if count >= minimum_baskets
        for one, two in (pair, pair[::-1])
    ]
    confident = [rule for rule in rules if rule["confidence_percent"] >= minimum_confidence_percent]
    confident.sort(key=lambda rule: (-rule["lift"], -rule["confidence_percent"], rule["if_item"], rule["then_item"]))
    return {"rules": confident[:100], "baskets": len(lists)}


def _rule(one: str, two: str, count: int, single: dict[str, int], total: int) -> Rule:
    return {
        "if_item": one,
        "then_item": two,
        "baskets": count,
        "support_percent": 100 * count / total,
        "confidence_percent": 100 * count / single[one],
        "lift": count * total / (single[one] * single[two]),
    }
