"""Word problems: journeys at a constant speed, joint work, mixtures, and two unknown numbers."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, BoundedNumber, Example, PositiveNumber, Refusal, ToolError, tool
from retinue_tools.datetime.durations import DurationText, seconds_of
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_HOUR_S = 3600.0
_MINUTES = 60.0
_MILE_KM = 1.609344
_MOST = 1e15
_SLOWEST = 1e-9
"""Below this speed difference the distance never closes."""


class Journey(TypedDict):
    """A journey at a constant speed."""

    distance_km: float
    distance_miles: float
    hours: float
    minutes: float
    duration: Annotated[str, About("Duration as h:mm:ss")]
    speed_km_h: float
    speed_mph: float
    speed_m_s: float
    pace: Annotated[str, About("Pace per kilometre as m:ss")]
    pace_per_mile: str


_STEADY: tuple[Rule, ...] = (
    ("speed", lambda distance, hours: distance / hours),
    ("distance", lambda speed, hours: speed * hours),
    ("hours", lambda distance, speed: distance / speed),
)


@tool(
    tags="speed distance time travel average journey trip drive km/h mph pace running how long how far",
    use_when=(
        "How long does it take to drive 340 km at 85 km/h?",
        "Average speed for 240 km in 2 h 30 min",
        "How far do I get in 45 minutes at 18 km/h?",
        "Pace per km for 10 km in 54 minutes",
    ),
    examples=(
        Example(
            {"distance_km": 340, "speed_km_h": 85}, {"hours": 4.0, "duration": "4:00:00"}, source="arithmetic: 340 / 85"
        ),
        Example(
            {"distance_km": 10, "duration": "54 minutes"},
            {"pace": "5:24", "speed_km_h": 11.1111111111},
            source="arithmetic: 54 / 10 minutes",
        ),
        Example({"duration": "0:45", "speed_km_h": 18}, {"distance_km": 13.5}, source="arithmetic: 18 * 0.75"),
        Refusal({"distance_km": 10}, "Too few values are given to compute hours, speed"),
    ),
    reply=("{distance_km} km at {speed_km_h} km/h takes {duration} hours, a pace of {pace} per kilometre."),
)
def journey_solve_speed(
    distance_km: Annotated[float | None, About("Distance in kilometres", 340, minimum=1e-30, maximum=_MOST)] = None,
    duration: DurationText | None = None,
    speed_km_h: Annotated[float | None, About("Speed in km/h", 85, minimum=1e-30, maximum=_MOST)] = None,
) -> Journey:
    """Solve a journey at a steady speed from two of distance, duration and speed.

    Use it for drives, runs and flights. Also returns miles and paces.
    """
    hours = None if duration is None else float(seconds_of(duration)) / _HOUR_S
    if hours is not None and hours <= 0:
        raise ToolError("The duration must be longer than zero.")
    found = complete({"distance": distance_km, "hours": hours, "speed": speed_km_h}, _STEADY)
    return {
        "distance_km": tidy(found["distance"]),
        "distance_miles": tidy(found["distance"] / _MILE_KM),
        "hours": tidy(found["hours"]),
        "minutes": tidy(found["hours"] * _MINUTES),
        "duration": _clock(found["hours"] * _HOUR_S),
        "speed_km_h": tidy(found["speed"]),
        "speed_mph": tidy(found["speed"] / _MILE_KM),
        "speed_m_s": tidy(found["speed"] / 3.6),
        "pace": _pace(_HOUR_S / found["speed"]),
        "pace_per_mile": _pace(_HOUR_S * _MILE_KM / found["speed"]),
    }


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def _pace(seconds: float) -> str:
    return f"{round(seconds) // 60}:{round(seconds) % 60:02}"


class Meeting(TypedDict):
    """Place and time of a meeting."""

    hours: Annotated[float, About("Time after the second one's start")]
    minutes: float
    duration: Annotated[str, About("The same as h:mm:ss")]
    hours_after_first: Annotated[float, About("Time after the first one's start")]
    from_first: Annotated[float, About("Distance of the first one until then")]
    from_second: Annotated[float, About("Distance of the second one until then")]


@tool(
    tags="two trains meet catch up overtake towards each other speed distance head start time word problem",
    use_when=(
        "Two trains 300 km apart drive towards each other at 80 and 120 km/h. When do they meet?",
        "Tom runs at 12 km/h, Ben cycles at 20 km/h behind him and starts 30 minutes later. When does he catch him?",
        "A police car 2 km behind does 150 km/h, the thief 120. Minutes until caught?",
    ),
    examples=(
        Example(
            {"first_speed": 80, "second_speed": 120, "apart": 300, "direction": "towards"},
            {"hours": 1.5, "from_first": 120.0, "from_second": 180.0},
            source="arithmetic: 300 / (80 + 120)",
        ),
        Example(
            {"first_speed": 12, "second_speed": 20, "head_start": "30 minutes", "direction": "same"},
            {"hours": 0.75, "minutes": 45.0, "from_second": 15.0},
            source="arithmetic: 6 / (20 - 12)",
        ),
        Refusal({"first_speed": 12, "second_speed": 10, "apart": 3, "direction": "same"}, "never"),
    ),
    reply=("They meet after {duration} hours, when the first has covered {from_first} and the second {from_second}."),
)
def journey_find_meeting(
    first_speed: Annotated[
        float, About("Speed of the one that is ahead or starts first, per hour", 80, minimum=0, maximum=_MOST)
    ],
    second_speed: Annotated[float, About("Speed of the other, in the same unit", 120, minimum=0, maximum=_MOST)],
    direction: Annotated[
        Literal["towards", "same"],
        About("Towards each other, or in the same direction with the second behind the first"),
    ],
    apart: Annotated[float, About("Distance between them at the start", 300, minimum=0, maximum=_MOST)] = 0,
    head_start: Annotated[DurationText, About("Head start of the first one", "30 minutes")] = "PT0S",
) -> Meeting:
    """Find when and where two who travel meet: towards each other, or where the faster one catches up with the slower
    one.

    Use it for trains, runners and cars at steady speeds. Speeds are distances per hour, all in the same unit.
    """
    early = float(seconds_of(head_start)) / _HOUR_S
    covered = first_speed * early
    gap, closing = (
        (apart - covered, first_speed + second_speed)
        if direction == "towards"
        else (apart + covered, second_speed - first_speed)
    )
    if closing < _SLOWEST or gap < 0:
        raise ToolError("They never meet: check speeds, distance and direction.")
    hours = gap / closing
    return {
        "hours": tidy(hours),
        "minutes": tidy(hours * _MINUTES),
        "duration": _clock(hours * _HOUR_S),
        "hours_after_first": tidy(hours + early),
        "from_first": tidy(first_speed * (hours + early)),
        "from_second": tidy(second_speed * hours),
    }


class JointWork(TypedDict):
    """Time for joint work."""

    time: Annotated[float, About("Time in the unit of the inputs")]
    share_per_unit: Annotated[float, About("Share of the work per unit of time")]
    shares: Annotated[list[BoundedNumber], About("Share of the work of each contributor")]


@tool(
    tags="work together rate pipes taps fill drain empty joint painters machines combined hours tank word problem",
    use_when=(
        "One pipe fills a tank in 3 hours, another in 5. How long together?",
        "Anna paints the fence in 6 h, Ben in 4 h. How long do both need?",
        "A tap fills the tub in 12 minutes, the drain empties it in 20. Both open: how long until full?",
    ),
    examples=(
        Example({"times": [3, 6]}, {"time": 2.0, "shares": [0.666666666667, 0.333333333333]}, "1 / (1/3 + 1/6)"),
        Example({"times": [12], "against": [20]}, {"time": 30.0}, source="1 / (1/12 - 1/20)"),
        Refusal({"times": [20], "against": [12]}, "never"),
    ),
    reply="Together they need {time}.",
)
def work_combine_times(
    times: Annotated[
        list[PositiveNumber],
        About("Time that each needs alone, all in the same unit", [3, 6], min_items=1, max_items=100),
    ],
    against: Annotated[
        list[PositiveNumber] | None,
        About("Time in which each opposing one, such as a drain, would undo the work alone", [20], max_items=100),
    ] = None,
) -> JointWork:
    """Compute how long several people or machines that work together need, from the time that each needs alone; others
    may undo the work.

    Use it for pipes, painters and machines at steady rates.
    """
    rates = _rates(times)
    total = sum(rates) - sum(_rates(against or []))
    if total <= 0:
        raise ToolError("The work is never finished: it is undone at least as fast.")
    return {
        "time": tidy(1 / total),
        "share_per_unit": tidy(total),
        "shares": [tidy(rate / total) for rate in rates],
    }


def _rates(times: Sequence[float]) -> list[float]:
    return [1 / time for time in times]


_LEAST = 1e-12


class Mixture(TypedDict):
    """Amounts for a mixture."""

    first_amount: float
    second_amount: float
    total: float
    first_share: Annotated[float, About("Share of the first, 0 to 1")]


@tool(
    tags="mixture alligation blend concentration percent solution alcohol price coffee nuts two kinds target",
    use_when=(
        "How much 40 % and 10 % acid make 6 litres of 20 %?",
        "How much water must be added to 2 l of 90 % alcohol for 70 %?",
        "Nuts at 8 and 12 a kilo are mixed to 50 kg at 9.60. How much of each?",
    ),
    examples=(
        Example(
            {"first_strength": 40, "second_strength": 10, "target": 20, "total": 6},
            {"first_amount": 2.0, "second_amount": 4.0, "first_share": 0.333333333333},
            source="by hand: 6 (20 - 10) / 30",
        ),
        Example(
            {"first_strength": 90, "second_strength": 0, "target": 60, "first_amount": 2},
            {"second_amount": 1.0, "total": 3.0},
            source="by hand: 2 (90 - 60) / 60",
        ),
        Refusal({"first_strength": 40, "second_strength": 10, "target": 50, "total": 6}, "between"),
        Refusal({"first_strength": 40, "second_strength": 10, "target": 20}, "one of"),
    ),
    reply="Take {first_amount} of the first and {second_amount} of the second, {total} in all.",
)
def mixture_solve_amounts(
    first_strength: Annotated[float, About("Percentage, price or strength of the first", 40, minimum=0, maximum=_MOST)],
    second_strength: Annotated[
        float,
        About("Percentage, price or strength of the second; 0 for water, 100 for pure", 10, minimum=0, maximum=_MOST),
    ],
    target: Annotated[float, About("Percentage, price or strength of the mixture", 20, minimum=0, maximum=_MOST)],
    total: Annotated[float | None, About("Total amount of the mixture", 6, minimum=1e-30, maximum=_MOST)] = None,
    first_amount: Annotated[
        float | None,
        About("Amount of the first, instead of a total", 2, minimum=1e-30, maximum=_MOST),
    ] = None,
    second_amount: Annotated[
        float | None, About("Amount of the second, instead of a total", 4, minimum=1e-30, maximum=_MOST)
    ] = None,
) -> Mixture:
    """Solve how much of two strengths or prices makes a mixture of a third between them.

    Use it for acids, alcohol, milk and coffee. Give the total, or the amount of one.
    """
    share = _share(first_strength, second_strength, target)
    whole = _whole(share, total, first_amount, second_amount)
    return {
        "first_amount": tidy(whole * share),
        "second_amount": tidy(whole * (1 - share)),
        "total": tidy(whole),
        "first_share": tidy(share),
    }


def _share(first: float, second: float, target: float) -> float:
    low, high = sorted((first, second))
    if not low < target < high or (target - low) / (high - low) < _LEAST:
        raise ToolError(f"The target must be between the two strengths, {low:g} and {high:g}.")
    return (target - second) / (first - second)


def _whole(share: float, total: float | None, first: float | None, second: float | None) -> float:
    totals = [one for one in (total, first and first / share, second and second / (1 - share)) if one is not None]
    if len(totals) != 1:
        raise ToolError("Give one of total, first_amount and second_amount.")
    return totals[0]


class TwoUnknowns(TypedDict):
    """Values of both unknowns."""

    first: Annotated[float, About("First unknown: its count or its price")]
    second: Annotated[float, About("Second unknown")]
    sum: float
    difference: Annotated[float, About("First minus second")]


@tool(
    tags="two unknowns equations simultaneous tickets adults children heads legs coins prices each linear system story",
    use_when=(
        "3 adult and 5 child tickets cost 49.25, 2 adults and 4 children 36.50. What is each ticket?",
        "35 heads and 94 legs: how many hens and how many rabbits?",
        "40 coins of 10 and 50 cents are worth 9.20. How many of each?",
        "Two numbers add up to 84 and differ by 18",
    ),
    examples=(
        Example(
            {"first_one": 1, "first_two": 1, "first_total": 35, "second_one": 2, "second_two": 4, "second_total": 94},
            {"first": 23.0, "second": 12.0},
            source="Sunzi Suanjing: 23 pheasants and 12 rabbits",
        ),
        Example(
            {"first_one": 2, "first_two": 1, "first_total": 7, "second_one": 1, "second_two": -1, "second_total": 2},
            {"first": 3.0, "second": 1.0, "sum": 4.0, "difference": 2.0},
            source="by hand: 2 * 3 + 1 = 7 and 3 - 1 = 2",
        ),
        Refusal(
            {"first_one": 1, "first_two": 1, "first_total": 5, "second_one": 2, "second_two": 2, "second_total": 10},
            "no unique solution",
        ),
    ),
    reply="The first is {first} and the second {second}.",
)
def math_solve_two_unknowns(
    first_one: BoundedNumber,
    first_two: BoundedNumber,
    first_total: BoundedNumber,
    second_one: BoundedNumber,
    second_two: BoundedNumber,
    second_total: BoundedNumber,
) -> TwoUnknowns:
    """Solve two unknown numbers from two totals, each a sum of multiples of the first and the second.

    Use it for tickets, coins, heads and legs: first_one and first_two are the coefficients of the first total,
    second_one and second_two those of the second. A plain sum has 1 and 1, a difference 1 and -1.
    """
    a, b, total = (Fraction(repr(one)) for one in (first_one, first_two, first_total))
    c, d, other = (Fraction(repr(one)) for one in (second_one, second_two, second_total))
    if not (divisor := a * d - b * c):
        raise ToolError("The two totals are equivalent or contradict each other: there is no unique solution.")
    first, second = (total * d - b * other) / divisor, (a * other - c * total) / divisor
    if max(abs(first), abs(second)) > Fraction(10) ** 300:
        raise ToolError("The result is too large. Check the input.")
    return {
        "first": tidy(float(first)),
        "second": tidy(float(second)),
        "sum": tidy(float(first + second)),
        "difference": tidy(float(first - second)),
    }
