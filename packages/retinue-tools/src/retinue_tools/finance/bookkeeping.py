"""Bookkeeping: trial balance, receivables and bank reconciliation."""

import datetime
from decimal import Decimal
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, ToolError, tool
from retinue_tools.finance._amounts import AnyAmount, Cost, Label, cents, dec, money, percent


def _day(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError as error:
        raise ToolError(f"{text} is not a valid date. Write it as YYYY-MM-DD.") from error


class Posting(TypedDict):
    """A posting of a journal entry."""

    entry: Annotated[str, About("Number of the journal entry", "J-17", min_length=1, max_length=40)]
    account: Label
    debit: Cost
    credit: Cost


class AccountSum(TypedDict):
    """Sums of an account."""

    account: str
    debit: float
    credit: float
    balance: Annotated[float, About("Debit minus credit")]


class TrialBalance(TypedDict):
    """A trial balance."""

    balanced: Annotated[bool, About("Whether all entries and the total balance")]
    unbalanced_entries: Annotated[list[str], About("Journal entries whose debit differs from their credit")]
    total_debit: float
    total_credit: float
    accounts: list[AccountSum]


@tool(
    tags="trial balance journal ledger debit credit bookkeeping accounts check",
    use_when=(
        "Do these journal entries balance?",
        "Make a trial balance from my postings",
        "Which booking has a debit that is not its credit?",
    ),
    examples=(
        Example(
            {
                "postings": [
                    {"entry": "1", "account": "Cash", "debit": 100.1, "credit": 0},
                    {"entry": "1", "account": "Sales", "debit": 0, "credit": 100.1},
                    {"entry": "2", "account": "Rent", "debit": 50, "credit": 0},
                    {"entry": "2", "account": "Cash", "debit": 0, "credit": 40},
                ]
            },
            {"balanced": False, "unbalanced_entries": ["2"], "total_debit": 150.1, "total_credit": 140.1},
            source="by hand",
        ),
        Refusal({"postings": []}, "postings"),
    ),
    reply={
        "balanced": "All entries balance: debit and credit are both {total_debit}.",
        "unbalanced_entries": (
            "The books do not balance: {total_debit} debit against "
            "{total_credit} credit. Look at entry {unbalanced_entries}."
        ),
        "": "The books do not balance: {total_debit} debit against {total_credit} credit.",
    },
)
def accounting_check_trial_balance(
    postings: Annotated[
        list[Posting],
        About(
            "Journal lines",
            [{"entry": "1", "account": "Cash", "debit": 100, "credit": 0}],
            min_items=1,
            max_items=10_000,
        ),
    ],
) -> TrialBalance:
    """Check that journal entries balance and build the trial balance by account.

    Use it to find booking errors. Returns sums per account, sorted by name, and the entries that do not balance.
    """
    entries: dict[str, Decimal] = {}
    accounts: dict[str, list[Decimal]] = {}
    for line in postings:
        debit, credit = cents(dec(line["debit"])), cents(dec(line["credit"]))
        entries[line["entry"]] = entries.get(line["entry"], Decimal()) + debit - credit
        sums = accounts.setdefault(line["account"], [Decimal(), Decimal()])
        sums[0] += debit
        sums[1] += credit
    wrong = [entry for entry, rest in entries.items() if rest]
    return {
        "balanced": not wrong,
        "unbalanced_entries": wrong,
        "total_debit": float(sum((debit for debit, _ in accounts.values()), Decimal())),
        "total_credit": float(sum((credit for _, credit in accounts.values()), Decimal())),
        "accounts": [
            {"account": name, "debit": float(debit), "credit": float(credit), "balance": float(debit - credit)}
            for name, (debit, credit) in sorted(accounts.items())
        ],
    }


class OpenItem(TypedDict):
    """An unpaid invoice."""

    customer: Label
    due: Date
    amount: AnyAmount


class AgeRow(TypedDict):
    """Receivables from a customer, by age."""

    customer: str
    not_due: float
    days_1_30: float
    days_31_60: float
    days_61_90: float
    over_90: float
    total: float


class AgingReport(TypedDict):
    """Receivables by age."""

    customers: Annotated[list[AgeRow], About("Largest debt first")]
    total: AgeRow
    overdue_percent: Annotated[float, About("Overdue share of the total")]


@tool(
    tags="aging report receivables overdue invoices ageing buckets debtors 30 60 90",
    use_when=(
        "Make an ageing report of my open invoices for 2026-11-21",
        "Which customers are more than 60 days overdue?",
        "How much of my receivables is overdue?",
    ),
    examples=(
        Example(
            {
                "items": [
                    {"customer": "A", "due": "2026-11-21", "amount": 100},
                    {"customer": "A", "due": "2026-10-22", "amount": 50},
                    {"customer": "B", "due": "2026-08-01", "amount": 250},
                ],
                "as_of": "2026-11-21",
            },
            {
                "customers": [
                    {"customer": "B", "over_90": 250.0},
                    {"customer": "A", "not_due": 100.0, "days_1_30": 50.0, "total": 150.0},
                ],
                "total": {"total": 400.0},
                "overdue_percent": 75.0,
            },
            source="by hand: 30 and 112 days",
        ),
        Refusal(
            {"items": [{"customer": "A", "due": "2026-02-30", "amount": 1}], "as_of": "2026-11-21"}, "not a valid date"
        ),
    ),
    reply={
        "customers": "{overdue_percent} % is overdue: {customers}",
        "": "There are no open receivables.",
    },
)
def receivables_report_aging(
    items: Annotated[
        list[OpenItem],
        About(
            "Open invoices; credits are negative",
            [{"customer": "Shop", "due": "2026-10-01", "amount": 120}],
            min_items=1,
            max_items=10_000,
        ),
    ],
    as_of: Date,
) -> AgingReport:
    """Report open receivables by customer in the age classes not due, 1-30, 31-60, 61-90 and over 90 days.

    Use it to chase payments. An item is overdue from the day after its due date.
    """
    day = _day(as_of)
    ages: dict[str, list[Decimal]] = {}
    for item in items:
        late = (day - _day(item["due"])).days
        place = 0 if late <= 0 else min(4, (late + 29) // 30)
        ages.setdefault(item["customer"], [Decimal()] * 5)[place] += cents(dec(item["amount"]))
    rows = sorted((_age_row(name, sums) for name, sums in ages.items()), key=lambda row: -row["total"])
    total = _age_row("all", [sum(column, Decimal()) for column in zip(*ages.values(), strict=True)])
    overdue = dec(total["total"]) - dec(total["not_due"])
    share = percent(overdue / dec(total["total"])) if total["total"] > 0 else 0.0
    return {"customers": rows, "total": total, "overdue_percent": share}


def _age_row(name: str, sums: list[Decimal]) -> AgeRow:
    return {
        "customer": name,
        "not_due": float(sums[0]),
        "days_1_30": float(sums[1]),
        "days_31_60": float(sums[2]),
        "days_61_90": float(sums[3]),
        "over_90": float(sums[4]),
        "total": float(sum(sums, Decimal())),
    }


class Entry(TypedDict):
    """A line of a statement or ledger."""

    id: Annotated[str, About("Line number", "B-1", min_length=1, max_length=60)]
    date: Date
    amount: AnyAmount


class Match(TypedDict):
    """A bank line and its ledger entry."""

    bank: str
    ledger: str
    days_apart: int


class Reconciliation(TypedDict):
    """Result of a reconciliation."""

    matches: list[Match]
    only_bank: Annotated[list[str], About("Bank lines without ledger entry")]
    only_ledger: Annotated[list[str], About("Ledger entries without bank line")]
    difference: Annotated[float, About("Sum of the bank minus sum of the ledger")]


@tool(
    tags="bank reconciliation match ledger statement transactions compare",
    use_when=(
        "Match my bank statement with the ledger",
        "Which bookings are missing in the bank account?",
        "Reconcile these two lists of payments",
    ),
    examples=(
        Example(
            {
                "bank": [
                    {"id": "b1", "date": "2026-11-03", "amount": 100},
                    {"id": "b2", "date": "2026-11-05", "amount": -20},
                ],
                "ledger": [
                    {"id": "l1", "date": "2026-11-01", "amount": 100},
                    {"id": "l2", "date": "2026-11-05", "amount": -25},
                ],
            },
            {
                "matches": [{"bank": "b1", "ledger": "l1", "days_apart": 2}],
                "only_bank": ["b2"],
                "only_ledger": ["l2"],
                "difference": 5.0,
            },
            source="by hand",
        ),
        Example(
            {
                "bank": [{"id": "b1", "date": "2026-11-03", "amount": 100}],
                "ledger": [{"id": "l1", "date": "2026-11-01", "amount": 100}],
                "max_days": 1,
            },
            {"matches": [], "only_bank": ["b1"]},
            source="by hand: two days apart",
        ),
        Refusal({"bank": [{"id": "b1", "date": "2026-13-03", "amount": 1}], "ledger": []}, "not a valid date"),
    ),
    reply={
        "only_bank, only_ledger": (
            "{only_bank} is only in the bank statement and "
            "{only_ledger} only in the ledger; the difference is "
            "{difference}."
        ),
        "only_bank": "{only_bank} is missing in the ledger; the difference is {difference}.",
        "only_ledger": "{only_ledger} is missing in the bank statement; the difference is {difference}.",
        "matches": "Bank and ledger agree: {matches}",
        "": "There is nothing to match.",
    },
)
def ledger_reconcile_bank(
    bank: Annotated[
        list[Entry],
        About("Bank lines", [{"id": "b1", "date": "2026-11-03", "amount": 100}], max_items=3000),
    ],
    ledger: Annotated[
        list[Entry],
        About("Ledger entries", [{"id": "l1", "date": "2026-11-01", "amount": 100}], max_items=3000),
    ],
    max_days: Annotated[
        int, About("Maximum number of days between a bank line and its entry", 5, minimum=0, maximum=90)
    ] = 5,
) -> Reconciliation:
    """Reconcile bank lines with ledger entries of the same amount and nearby dates.

    Use it for the monthly close. Each line is matched once, the nearest dates first; unmatched lines are listed.
    """
    by_amount: dict[Decimal, list[tuple[datetime.date, int]]] = {}
    for place, entry in enumerate(ledger):
        by_amount.setdefault(cents(dec(entry["amount"])), []).append((_day(entry["date"]), place))
    days = [_day(line["date"]) for line in bank]
    pairs = sorted(
        (apart, number, place)
        for number, line in enumerate(bank)
        for day, place in by_amount.get(cents(dec(line["amount"])), [])
        if (apart := abs((days[number] - day).days)) <= max_days
    )
    used_bank: dict[int, Match] = {}
    used_ledger: set[int] = set()
    for apart, number, place in pairs:
        if number not in used_bank and place not in used_ledger:
            used_ledger.add(place)
            used_bank[number] = {"bank": bank[number]["id"], "ledger": ledger[place]["id"], "days_apart": apart}
    sums = [sum((cents(dec(line["amount"])) for line in lines), Decimal()) for lines in (bank, ledger)]
    return {
        "matches": [used_bank[number] for number in sorted(used_bank)],
        "only_bank": [line["id"] for number, line in enumerate(bank) if number not in used_bank],
        "only_ledger": [line["id"] for place, line in enumerate(ledger) if place not in used_ledger],
        "difference": money(sums[0] - sums[1]),
    }
