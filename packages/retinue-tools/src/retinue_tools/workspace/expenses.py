"""Expenses."""

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, ExampleCall, Refusal, tool
from retinue.sdk.workspace import RecordKind, ToolContext, parse_datetime
from retinue_tools.workspace._vocabulary import Deleted, Id, Kept, Title


class Expense(Kept):
    """An expense."""

    description: Annotated[str, About("Description of the expense")]
    amount: Annotated[str, About("Amount, as a decimal number")]
    currency: Annotated[str, About("Currency, three-letter code; empty if none was given")]
    category: Annotated[str, About("Category")]
    date: Annotated[str, About("Date as YYYY-MM-DD")]


class ExpenseGroup(TypedDict):
    """Expenses of a group in one currency."""

    group: Annotated[str, About("Category or month")]
    currency: Annotated[str, About("The currency; empty if none was given")]
    total: Annotated[str, About("Sum, as a decimal number")]
    expenses: Annotated[int, About("Number of expenses")]


class ExpenseReport(TypedDict):
    """Expenses of a period."""

    groups: list[ExpenseGroup]


EXPENSES: RecordKind[Expense] = RecordKind("expense", "description", ("description", "category"), at="date")

Currency = Annotated[str, About("Currency, three-letter code", "EUR", pattern=r"^[A-Z]{3}$", max_length=3)]
Category = Annotated[str, About("Category", "food", min_length=1, max_length=50)]


@tool(
    tags="expense log record spend cost money receipt budget",
    use_when=(
        "I spent 12.50 euros on lunch today",
        "Log an expense of 80 dollars for fuel",
        "Record this receipt in the category travel",
        "I spent 20 euros on groceries",
        "Write down what I spent",
        "I spent 12.40 on lunch",
        "I paid 30 for a taxi",
        "Bought coffee for 4.50",
        "I paid 85 euros for groceries",
        "Spent 40 on petrol yesterday",
        "Lunch cost me 15 dollars",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"description": "Lunch proof", "amount": "12.50", "category": "food", "date": "2085-03-01"},
            {
                "id": "lunch-proof",
                "description": "Lunch proof",
                "amount": "12.50",
                "currency": "",
                "category": "food",
                "date": "2085-03-01",
            },
            source="by hand",
        ),
        Example(
            {"description": "Fuel proof", "amount": "80", "currency": "USD", "date": "2085-03-02"},
            {"currency": "USD", "category": "other"},
            source="by hand",
        ),
        Refusal({"description": "x", "amount": "1,50"}, "must match the pattern"),
    ),
    reply={
        "currency": "I recorded {amount} {currency} for \u201c{description}\u201d on {date} under {category}.",
        "": "I recorded {amount} for \u201c{description}\u201d on {date} under {category}.",
    },
)
async def expense_log(
    context: ToolContext,
    description: Annotated[Title, About("Description of the expense")],
    amount: Annotated[
        str, About("Amount with a decimal point", "12.50", pattern=r"^[0-9]{1,12}(\.[0-9]{1,4})?$", max_length=17)
    ],
    currency: Currency | None = None,
    category: Category = "other",
    date: Date | None = None,
) -> Expense:
    """Record an expense (money that was spent) with a category and a date, today by default. Returns the expense with
    its id.
    """
    day = date or context.now().date().isoformat()
    parse_datetime(day, "date")
    fields = {
        "description": description,
        "amount": amount,
        "currency": currency or "",
        "category": category,
        "date": day,
    }
    return await context.items(EXPENSES).add(fields)


@tool(
    tags="expense report sum total spending category month budget money",
    use_when=(
        "How much did I spend on food in March?",
        "Sum my expenses of this year by month",
        "What did the trip cost by category?",
        "How much money did I spend this month?",
        "My household spending",
        "How much have I spent this month?",
        "What did I spend last week?",
        "My expenses this month",
        "How much money went to food this month?",
        "What were my expenses last month?",
    ),
    examples=(
        Example(
            {"since": "2084-03-01", "until": "2084-03-31"},
            {
                "groups": [
                    {"group": "food", "currency": "", "total": "0.30", "expenses": 2},
                    {"group": "food", "currency": "GBP", "total": "5", "expenses": 1},
                ]
            },
            source="by hand: 0.10 + 0.20, reckoned in decimals",
            before=(
                ExampleCall(
                    "expense_log", {"description": "a", "amount": "0.10", "category": "food", "date": "2084-03-01"}
                ),
                ExampleCall(
                    "expense_log", {"description": "b", "amount": "0.20", "category": "food", "date": "2084-03-31"}
                ),
                ExampleCall(
                    "expense_log",
                    {"description": "c", "amount": "5", "currency": "GBP", "category": "food", "date": "2084-03-09"},
                ),
            ),
        ),
        Example(
            {"since": "2083-01-01", "until": "2083-12-31", "group_by": "month"},
            {"groups": [{"group": "2083-05", "currency": "", "total": "7", "expenses": 1}]},
            source="by hand",
            before=(ExampleCall("expense_log", {"description": "d", "amount": "7", "date": "2083-05-05"}),),
        ),
        Refusal({"since": "2083-02-30", "until": "2083-12-31"}, "is not a date or time"),
    ),
    reply={
        "groups.1": "The expenses: {groups}",
        "groups.0.currency": "You spent {groups.0.total} {groups.0.currency} on {groups.0.group}.",
        "groups": "You spent {groups.0.total} on {groups.0.group}.",
        "": "There are no expenses in this period.",
    },
)
async def expense_report(
    context: ToolContext,
    since: Date,
    until: Date,
    group_by: Annotated[Literal["category", "month"], About("Grouping")] = "category",
) -> ExpenseReport:
    """Sum the expenses from one date to another, both included, by category or by month, per currency."""
    first, last = parse_datetime(since, "since"), parse_datetime(f"{until}T23:59:59.999999", "until")
    key: Callable[[Expense], str] = (
        (lambda one: one["category"]) if group_by == "category" else (lambda one: one["date"][:7])
    )
    sums: dict[tuple[str, str], list[Decimal]] = {}
    for expense in await context.items(EXPENSES).between(first, last):
        sums.setdefault((key(expense), expense["currency"]), []).append(Decimal(expense["amount"]))
    groups: list[ExpenseGroup] = [
        {"group": group, "currency": currency, "total": str(sum(amounts)), "expenses": len(amounts)}
        for (group, currency), amounts in sorted(sums.items())
    ]
    return {"groups": groups}


@tool(
    tags="expense delete remove wrong",
    use_when=("Delete the expense for lunch", "That receipt was entered twice, remove one", "Remove the fuel expense"),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"expense": "Doomed expense"},
            {"id": "doomed-expense", "deleted": True},
            source="by hand",
            before=(
                ExampleCall("expense_log", {"description": "Doomed expense", "amount": "1", "date": "2082-01-01"}),
            ),
        ),
        Refusal({"expense": "doomed-expense"}, "There is no expense"),
    ),
    reply="I deleted the expense \u201c{args.expense}\u201d.",
)
async def expense_delete(
    context: ToolContext, expense: Annotated[Id, About("ID as shown in lists, or the exact description")]
) -> Deleted:
    """Permanently delete an expense, by its id or its exact description. Returns the id of the deleted expense."""
    return {"id": (await context.items(EXPENSES).remove(expense))["id"], "deleted": True}
