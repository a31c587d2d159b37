"""Customers: retention by cohort, funnels and RFM segments."""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import literal, quote
from retinue_tools.data_analysis._tables import (
    Noted,
    Rows,
    Table,
    TableFile,
    column,
    moment,
    numeric,
    open_table,
    table,
    table_tool,
    value,
)

_EVENTS = [
    {"user": "a", "day": "2026-01-05", "step": "visit"},
    {"user": "a", "day": "2026-01-06", "step": "cart"},
    {"user": "a", "day": "2026-02-10", "step": "pay"},
    {"user": "b", "day": "2026-01-20", "step": "visit"},
    {"user": "c", "day": "2026-02-01", "step": "pay"},
    {"user": "c", "day": "2026-02-03", "step": "visit"},
]

User = Annotated[str, About("Column with the user or customer", "customer_id", min_length=1, max_length=200)]
Time = Annotated[str, About("Column with the date or time", "order_date", min_length=1, max_length=200)]


class Retention(Noted):
    """Retention by cohort."""

    rows: Annotated[
        list[dict[str, Any]], About("For each cohort its start, its users and percentages by period: p0, p1, …")
    ]
    cohorts: Annotated[int, About("Number of cohorts")]
    periods: Annotated[int, About("Number of periods shown after the first")]


@tool(
    tags="cohort retention analysis users churn returning month week matrix",
    use_when=(
        "Build a monthly cohort retention table from these orders",
        "What share of new users comes back in the second month?",
        "How does retention differ by signup month?",
    ),
    examples=(
        Example(
            {"user": "user", "time": "day", "rows": _EVENTS},
            {
                "rows": [
                    {"cohort": "2026-01-01", "users": 2, "p0": 100.0, "p1": 50.0},
                    {"cohort": "2026-02-01", "users": 1, "p0": 100.0, "p1": 0.0},
                ],
                "cohorts": 2,
            },
            source="by hand: a came back in February, b did not",
        ),
        Example(
            {"user": "user", "time": "day", "period": "week", "rows": _EVENTS[:4]},
            {"cohorts": 2},
            source="weeks from 5 and 19 January",
        ),
        Refusal({"user": "user", "time": "step", "rows": _EVENTS}, "not dates"),
    ),
    reply="The share of each cohort, in percent, that came back after so many periods: {rows}",
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_cohort_retention(
    user: User,
    time: Time,
    period: Annotated[
        Literal["day", "week", "month", "quarter"], About("Length of a period and of a cohort")
    ] = "month",
    periods: Annotated[int, About("Maximum number of periods after the first", minimum=1, maximum=60)] = 12,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Retention:
    """Build a cohort retention matrix from events: the share of the users of each first period who came back later.

    Use it for orders, logins or visits. Returns a row for each cohort with its users and the percentage active 0, 1, 2
    … periods after the first; periods without any events count as 0.
    """
    relation = open_table(file, rows)
    who, when = quote(column(relation, user)), quote(moment(relation, time))
    step = f"date_trunc('{period}', {when})"
    active = relation.filter(f"{who} IS NOT NULL AND {when} IS NOT NULL").aggregate(
        f"{who} AS u, {step} AS s", f"{who}, {step}"
    )
    first = active.project("u, s, min(s) OVER (PARTITION BY u) AS c")
    counted = first.aggregate(
        f"c::DATE::VARCHAR AS c, date_diff('{period}', c, s) AS p, count(*) AS n", f"c, date_diff('{period}', c, s)"
    )
    cells = {(cohort, later): users for cohort, later, users in counted.fetchall()}
    cohorts = sorted({cohort for cohort, _ in cells})
    if not cohorts:
        raise ToolError("There is no row with both a user and a date.")
    if len(cohorts) > 500:
        raise ToolError("There are more than 500 cohorts. Choose a longer period.")
    last = min(periods, max(later for _, later in cells))
    lines = [_cohort(cells, cohort, last) for cohort in cohorts]
    return {"rows": lines, "cohorts": len(cohorts), "periods": last}


def _cohort(cells: dict[tuple[str, int], int], cohort: str, last: int) -> dict[str, Any]:
    users = cells[cohort, 0]
    shares = {f"p{later}": 100 * cells.get((cohort, later), 0) / users for later in range(last + 1)}
    return {"cohort": cohort, "users": users, **shares}


class Step(TypedDict):
    """One step of a funnel."""

    step: Annotated[str, About("Name of the step")]
    users: Annotated[int, About("Users who completed it, after all previous steps")]
    percent_of_first: Annotated[float, About("Share of users of the first step")]
    percent_of_previous: Annotated[float, About("Share of users of the previous step")]


class Funnel(Noted):
    """Conversion of users through a funnel."""

    steps: Annotated[list[Step], About("Steps in order")]
    conversion_percent: Annotated[float, About("Share of users of the first step who completed the last")]


@tool(
    tags="funnel conversion steps events users drop off signup checkout analytics",
    use_when=(
        "What is the conversion from visit to cart to purchase?",
        "Where do users drop off in the signup funnel?",
        "How many users who viewed an item bought it within 7 days?",
    ),
    examples=(
        Example(
            {"user": "user", "time": "day", "event": "step", "steps": ["visit", "pay"], "rows": _EVENTS},
            {
                "steps": [
                    {"step": "visit", "users": 3, "percent_of_first": 100.0},
                    {"step": "pay", "users": 1, "percent_of_previous": 100 / 3},
                ]
            },
            source="by hand: c paid before the visit, which does not count",
        ),
        Example(
            {
                "user": "user",
                "time": "day",
                "event": "step",
                "steps": ["visit", "pay"],
                "within_days": 10,
                "rows": _EVENTS,
            },
            {"conversion_percent": 0.0},
            source="by hand: a paid after 36 days",
        ),
        Refusal(
            {"user": "user", "time": "day", "event": "step", "steps": ["visit", "buy"], "rows": _EVENTS}, "no event buy"
        ),
    ),
    reply="{conversion_percent} % go through to the last step: {steps}",
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_funnel(
    user: User,
    time: Time,
    event: Annotated[str, About("Column with the event name", "event", min_length=1, max_length=200)],
    steps: Annotated[
        list[str], About("Events in the order of the funnel", ["visit", "cart", "pay"], min_items=2, max_items=20)
    ],
    within_days: Annotated[
        float | None,
        About("Days from the first step within which the others must follow", 7, exclusive_minimum=0, maximum=10_000),
    ] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Funnel:
    """Compute how many users go through the ordered steps of a funnel, from time-stamped events, and where they drop
    off.

    Use it for checkouts, signups and other paths. A step counts if it is not earlier than the previous step. Returns
    the users and conversion of each step.
    """
    relation = open_table(file, rows)
    who, when, what = (column(relation, user), moment(relation, time), column(relation, event))
    events = relation.project(f"{quote(who)}::VARCHAR, epoch({quote(when)}::TIMESTAMP), {quote(what)}::VARCHAR")
    times: dict[str, dict[str, list[float]]] = {}
    for name, at, kind in events.fetchall():
        if name is not None and at is not None and kind in steps:
            times.setdefault(kind, {}).setdefault(name, []).append(at)
    for step in steps:
        if step not in times:
            raise ToolError(f"The table has no event {step}. Check its spelling.")
    counts = _reach(times, steps, None if within_days is None else within_days * 86_400)
    steps_reached: list[Step] = [
        {
            "step": step,
            "users": count,
            "percent_of_first": 100 * count / counts[0],
            "percent_of_previous": 100 * count / before if before else 0.0,
        }
        for step, count, before in zip(steps, counts, [counts[0], *counts], strict=False)
    ]
    return {"steps": steps_reached, "conversion_percent": 100 * counts[-1] / counts[0]}


def _reach(times: dict[str, dict[str, list[float]]], steps: list[str], reach: float | None) -> list[int]:
    """Count the users who took each step after the previous one, each at the earliest possible time."""
    at = {name: min(moments) for name, moments in times[steps[0]].items()}
    limits = {name: moment + reach for name, moment in at.items()} if reach is not None else {}
    counts = [len(at)]
    for step in steps[1:]:
        later = {name: [m for m in moments if name in at and m >= at[name]] for name, moments in times[step].items()}
        at = {name: min(found) for name, found in later.items() if found and min(found) <= limits.get(name, min(found))}
        counts.append(len(at))
    return counts


class Segments(Table):
    """Customers with their scores."""

    segments: Annotated[dict[str, int], About("Number of customers in each segment")]


@tool(
    tags="rfm segmentation recency frequency monetary customers loyalty marketing score",
    use_when=(
        "Segment my customers by recency, frequency and amount",
        "Who are our best customers, and who is about to leave?",
        "Compute RFM scores from this order list",
    ),
    examples=(
        Example(
            {
                "customer": "c",
                "time": "d",
                "amount": "a",
                "reference_date": "2026-02-01",
                "groups": 2,
                "rows": [
                    {"c": "x", "d": "2026-01-31", "a": 50},
                    {"c": "x", "d": "2026-01-01", "a": 70},
                    {"c": "y", "d": "2025-02-01", "a": 9},
                ],
            },
            {
                "rows": [
                    {
                        "customer": "x",
                        "recency_days": 1,
                        "frequency": 2,
                        "monetary": 120,
                        "r": 2,
                        "f": 2,
                        "m": 2,
                        "segment": "champions",
                    },
                    {
                        "customer": "y",
                        "recency_days": 365,
                        "frequency": 1,
                        "monetary": 9,
                        "r": 1,
                        "f": 1,
                        "m": 1,
                        "segment": "lost",
                    },
                ],
                "segments": {"champions": 1, "lost": 1},
            },
            source="by hand",
        ),
        Example(
            {"customer": "user", "time": "day", "amount": "n", "rows": [{**event, "n": 1} for event in _EVENTS]},
            {"row_count": 3},
            source="three users",
        ),
        Refusal({"customer": "user", "time": "day", "amount": "step", "rows": _EVENTS}, "not numbers"),
    ),
    reply={
        "file, rows": (
            "The segments have these sizes: {segments}. All customers are in {file}. The first ones: {rows}"
        ),
        "rows": "The customers with their segments: {rows}",
        "": "There are no customers in the table.",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_rfm_segments(
    customer: User,
    time: Time,
    amount: Annotated[str, About("Column with the amount of an order", "amount", min_length=1, max_length=200)],
    reference_date: Annotated[
        Date | None, About("Reference day for recency, as YYYY-MM-DD; default: the day of the last order", "2026-11-21")
    ] = None,
    groups: Annotated[int, About("Number of score levels, the highest is best", 5, minimum=2, maximum=10)] = 5,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Segments:
    """Score customers by recency, frequency and monetary value of their orders (RFM), and assign them to segments.

    Use it to find the best, the new and the leaving customers. Returns a row for each customer with the three figures,
    their scores and a segment: champions, loyal, new, promising, at_risk or lost.
    """
    relation = open_table(file, rows)
    who, when, much = (
        quote(column(relation, customer)),
        quote(moment(relation, time)),
        quote(numeric(relation, amount)),
    )
    orders = relation.filter(f"{who} IS NOT NULL AND {when} IS NOT NULL")
    last = reference_date or str(value(orders, f"max({when})::DATE"))
    recency = f"date_diff('day', max({when})::DATE, {literal(last)}::DATE)"
    figures = (
        f"{who} AS customer, {recency} AS recency_days, count(*) AS frequency, coalesce(sum({much}), 0) AS monetary"
    )
    summed = orders.aggregate(figures, who)
    share = "least({0}, 1 + floor({0} * percent_rank() OVER (ORDER BY {1})))::BIGINT"
    scores = [
        f"{share.format(groups, order)} AS {name}"
        for name, order in (("r", "recency_days DESC"), ("f", "frequency"), ("m", "monetary"))
    ]
    scored = summed.project(f"*, {', '.join(scores)}")
    high, low = f"> {groups} / 2.0 + 0.5", f"<= {groups} / 2.0"
    cases = (
        f"CASE WHEN r = {groups} AND f {high} AND m {high} THEN 'champions' WHEN r {high} AND f {high} THEN 'loyal' "
        f"WHEN r {high} AND frequency = 1 THEN 'new' WHEN r {high} THEN 'promising' "
        f"WHEN r {low} AND (f {high} OR m {high}) THEN 'at_risk' ELSE 'lost' END AS segment"
    )
    segmented = scored.project(f"*, {cases}")
    sizes = dict(segmented.aggregate("segment, count(*)", "segment").order("segment").fetchall())
    return {**table(segmented.order("r + f + m DESC, monetary DESC, customer"), "rfm.csv"), "segments": sizes}
