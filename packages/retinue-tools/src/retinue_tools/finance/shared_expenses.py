"""Bill splitting between people, and settlement of debts."""

from decimal import Decimal
from functools import cache
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Money, Refusal, ToolError, tool
from retinue_tools.finance._amounts import Cost, Label, cents, dec, shares_of


class BillItem(TypedDict):
    """An item of a bill."""

    price: Money
    people: Annotated[list[Label], About("People who share it; empty for all", ["Ann", "Bob"], max_items=50)]


class BillPart(TypedDict):
    """Part of one person."""

    name: str
    items: Annotated[float, About("Own share of the items")]
    extra: Annotated[float, About("Share of tip and tax")]
    total: float


class SplitBill(TypedDict):
    """A bill in parts that add up to the cent."""

    total: float
    parts: list[BillPart]


@tool(
    tags="split bill restaurant tip share friends expenses divide tab",
    use_when=(
        "Split a bill of 84.50 with 10% tip among three people",
        "Ann had the 30 steak, Bob and Cem shared wine for 25: who pays what?",
        "Divide 100 by three without losing a cent",
    ),
    examples=(
        Example(
            {"people": ["A", "B", "C"], "items": [{"price": 100, "people": []}]},
            {
                "total": 100.0,
                "parts": [{"name": "A", "total": 33.34}, {"name": "B", "total": 33.33}, {"name": "C", "total": 33.33}],
            },
            source="by hand",
        ),
        Example(
            {
                "people": ["A", "B"],
                "items": [{"price": 30, "people": ["A"]}, {"price": 20, "people": ["A", "B"]}],
                "tip_percent": 10,
            },
            {"total": 55.0, "parts": [{"items": 40.0, "extra": 4.0, "total": 44.0}, {"total": 11.0}]},
            source="by hand",
        ),
        Refusal({"people": ["A"], "items": [{"price": 30, "people": ["Z"]}]}, "is not in people"),
    ),
    reply="The bill of {total} is split like this: {parts}",
)
def bill_split_items(
    people: Annotated[list[Label], About("All people", ["Ann", "Bob", "Cem"], min_items=1, max_items=50)],
    items: Annotated[
        list[BillItem],
        About("Ordered items", [{"price": 84.5, "people": []}], min_items=1, max_items=200),
    ],
    tip_percent: Annotated[float, About("Tip or service in percent", 10, minimum=0, maximum=100)] = 0,
) -> SplitBill:
    """Split a bill by who had what, with the tip in proportion.

    Use it after a dinner or trip. Shared items are divided evenly, and the parts add up to the total exactly.
    """
    if unknown := sorted({name for item in items for name in item["people"]} - set(people)):
        raise ToolError(f"{unknown[0]} is not in people. Write each name as in people.")
    if len(set(people)) < len(people):
        raise ToolError("A name occurs twice in people. Names must be unique.")
    own = dict.fromkeys(people, Decimal())
    for item in items:
        sharing = list(dict.fromkeys(item["people"])) or people
        parts = shares_of(cents(dec(item["price"])), [Decimal(1)] * len(sharing))
        for name, part in zip(sharing, parts, strict=True):
            own[name] += part
    subtotal = sum(own.values(), Decimal())
    tip = cents(subtotal * dec(tip_percent) / 100)
    extras = shares_of(tip, list(own.values())) if subtotal else [Decimal()] * len(people)
    return {
        "total": float(subtotal + tip),
        "parts": [
            {"name": name, "items": float(part), "extra": float(extra), "total": float(part + extra)}
            for (name, part), extra in zip(own.items(), extras, strict=True)
        ],
    }


_MOST_EXACT = 12


class Expense(TypedDict):
    """Payments of a person."""

    name: Label
    paid: Annotated[Cost, About("Total paid by this person; 0 for nothing", 120)]


class Transfer(TypedDict):
    """A payment between two people."""

    payer: str
    recipient: str
    amount: float


class Balance(TypedDict):
    """Balance of a person."""

    name: str
    balance: Annotated[float, About("Paid minus share: positive to receive, negative to pay")]


class Settlement(TypedDict):
    """Settlement of shared expenses."""

    total: float
    share: Annotated[float, About("Equal share of each person, to the cent")]
    payments: Annotated[list[Transfer], About("Minimum number of payments that settle everything")]
    balances: list[Balance]


@tool(
    tags="who owes whom settle expenses trip group fewest payments debts shared costs equal flatmates split",
    use_when=(
        "Ann paid 120, Bob 30 and Cid nothing on our trip. Who owes whom, with the fewest payments?",
        "Settle the shared costs of three flatmates who paid different sums",
        "We split everything equally: who has to give money to whom?",
        "Who owes whom after the trip?",
        "Share the costs of our holiday",
    ),
    examples=(
        Example(
            {"expenses": [{"name": "Ann", "paid": 120}, {"name": "Bob", "paid": 30}, {"name": "Cid", "paid": 0}]},
            {
                "total": 150.0,
                "share": 50.0,
                "payments": [
                    {"payer": "Cid", "recipient": "Ann", "amount": 50.0},
                    {"payer": "Bob", "recipient": "Ann", "amount": 20.0},
                ],
            },
            source="by hand: a third of 150 is 50",
        ),
        Example(
            {
                "expenses": [
                    {"name": "A", "paid": 90}, {"name": "B", "paid": 10},
                    {"name": "C", "paid": 70}, {"name": "D", "paid": 30},
                ]
            },
            {
                "payments": [
                    {"payer": "B", "recipient": "A", "amount": 40.0},
                    {"payer": "D", "recipient": "C", "amount": 20.0},
                ]
            },
            source="by hand: shares of 50, and two pairs that settle among themselves",
        ),
        Refusal({"expenses": [{"name": "A", "paid": 90}, {"name": "A", "paid": 10}]}, "occurs twice"),
    ),
    reply={
        "payments.1": "Each pays {share}. These payments settle everything: {payments}",
        "payments": (
            "{payments.0.payer} pays {payments.0.recipient} {payments.0.amount}; then everybody has paid {share}."
        ),
        "": "Nobody owes anything; everybody has paid {share}.",
    },
)  # fmt: skip
def expenses_settle_debts(
    expenses: Annotated[
        list[Expense],
        About(
            "All people with their payments, including those who paid nothing",
            [{"name": "Ann", "paid": 120}, {"name": "Bob", "paid": 30}, {"name": "Cid", "paid": 0}],
            min_items=2,
            max_items=50,
        ),
    ],
) -> Settlement:
    """Settle shared expenses equally: who pays whom how much, with the fewest payments.

    Use it after trips and in shared flats. The number of payments is minimal for up to 12 people with a balance.
    """
    names = [expense["name"] for expense in expenses]
    if len(set(names)) < len(names):
        raise ToolError("A name occurs twice. Add up what each person paid.")
    paid = [cents(dec(expense["paid"])) for expense in expenses]
    total = sum(paid, Decimal())
    shares = shares_of(total, [Decimal(1)] * len(names))
    balances = {name: own - share for name, own, share in zip(names, paid, shares, strict=True)}
    return {
        "total": float(total),
        "share": float(cents(total / len(names))),
        "payments": [transfer for group in _groups(balances) for transfer in _transfers(group)],
        "balances": [{"name": name, "balance": float(balance)} for name, balance in balances.items()],
    }


def _groups(balances: dict[str, Decimal]) -> list[dict[str, Decimal]]:
    """Return as many groups as possible that can settle among themselves: each saves a payment. One group for many
    people.
    """
    open_ones = {name: balance for name, balance in balances.items() if balance}
    names = list(open_ones)
    if len(names) > _MOST_EXACT:
        return [open_ones]
    everybody = (1 << len(names)) - 1
    sums = [
        sum((open_ones[names[n]] for n in range(len(names)) if mask >> n & 1), Decimal())
        for mask in range(1 + everybody)
    ]

    @cache
    def most(mask: int) -> tuple[int, ...]:
        """Return the balanced groups, as masks, of these people; as many as possible."""
        lowest = mask & -mask
        best: tuple[int, ...] = (mask,)
        part = (mask - 1) & mask
        while part:
            if part & lowest and not sums[part]:
                best = max(best, (part, *most(mask ^ part)), key=len)
            part = (part - 1) & mask
        return best

    groups = most(everybody) if names else ()
    return [{name: open_ones[name] for n, name in enumerate(names) if group >> n & 1} for group in groups]


def _transfers(group: dict[str, Decimal]) -> list[Transfer]:
    """Return the payments within a group: the largest debtor pays the largest creditor until all are even."""
    left, transfers = dict(group), list[Transfer]()
    while any(left.values()):
        payer, recipient = min(left, key=lambda name: left[name]), max(left, key=lambda name: left[name])
        amount = min(-left[payer], left[recipient])
        left[payer] += amount
        left[recipient] -= amount
        transfers.append({"payer": payer, "recipient": recipient, "amount": float(amount)})
    return transfers
