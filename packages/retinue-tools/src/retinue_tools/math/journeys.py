"""Journeys at a steady speed, and work that is done together."""

from collections.abc import Sequence
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Bounded, Example, Positive, Refusal, ToolError, tool
from retinue_tools.datetime.durations import DurationText, seconds_of
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_HOUR_S = 3600.0
_MINUTES = 60.0
_MILE_KM = 1.609344
_MOST = 1e15
_SLOWEST = 1e-9
"""Below it the distance never closes."""


class Journey(TypedDict):
    """A journey at a steady speed."""

    distance_km: float
    distance_miles: float
    hours: float
    minutes: float
    duration: Annotated[str, About("As h:mm:ss")]
    speed_km_h: float
    speed_mph: float
    speed_m_s: float
    pace: Annotated[str, About("Time for a kilometre as m:ss")]
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
        Refusal({"distance_km": 10}, "Too little"),
    ),
)
def journey_solve_speed(
    distance_km: Annotated[float | None, About("Distance in kilometres", 340, minimum=1e-30, maximum=_MOST)] = None,
    duration: DurationText | None = None,
    speed_km_h: Annotated[float | None, About("Speed in km/h", 85, minimum=1e-30, maximum=_MOST)] = None,
) -> Journey:
    """Solve a journey at a steady speed from two of distance, duration and speed.

    Use it for drives, runs and flights. Returns miles and paces too.
    """
    hours = None if duration is None else float(seconds_of(duration)) / _HOUR_S
    if hours is not None and hours <= 0:
        raise ToolError("The duration must be longer than nothing.")
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
    """Where and when two meet."""

    hours: Annotated[float, About("After the second one's start")]
    minutes: float
    duration: Annotated[str, About("As h:mm:ss, after the second one's start")]
    hours_after_first: Annotated[float, About("After the first one's start")]
    from_first: Annotated[float, About("Distance that the first one has gone then")]
    from_second: Annotated[float, About("Distance that the second one has gone then")]


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
)
def journey_find_meeting(
    first_speed: Annotated[float, About("Speed of the one ahead or first off, an hour", 80, minimum=0, maximum=_MOST)],
    second_speed: Annotated[float, About("Speed of the other, in the same unit", 120, minimum=0, maximum=_MOST)],
    direction: Annotated[
        Literal["towards", "same"], About("towards each other, or in the same direction, the second behind the first")
    ],
    apart: Annotated[float, About("Distance between them at the start", 300, minimum=0, maximum=_MOST)] = 0,
    head_start: Annotated[DurationText, About("How much earlier the first one starts", "30 minutes")] = "PT0S",
) -> Meeting:
    """Find when and where two who travel meet: towards each other, or where the faster one catches the slower one up.

    Use it for trains, runners and cars at steady speeds. Speeds are distances an hour, all in one unit.
    """
    early = float(seconds_of(head_start)) / _HOUR_S
    gone = first_speed * early
    gap, closing = (
        (apart - gone, first_speed + second_speed)
        if direction == "towards"
        else (apart + gone, second_speed - first_speed)
    )
    if closing < _SLOWEST or gap < 0:
        raise ToolError("They never meet: look at speeds, distance and direction.")
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
    """How long it takes together."""

    time: Annotated[float, About("In the unit of the times")]
    share_per_unit: Annotated[float, About("What part is done in one unit of time")]
    shares: Annotated[list[Bounded], About("What part each of those that do it has done in the end")]


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
)
def work_combine_times(
    times: Annotated[
        list[Positive], About("Time that each needs alone, all in one unit", [3, 6], min_items=1, max_items=100)
    ],
    against: Annotated[
        list[Positive] | None,
        About("Time in which each of those that undo it would alone, as drains", [20], max_items=100),
    ] = None,
) -> JointWork:
    """Compute how long several who work together need, from the time that each needs alone; others may undo it.

    Use it for pipes, painters and machines at steady rates.
    """
    rates = _rates(times)
    total = sum(rates) - sum(_rates(against or []))
    if total <= 0:
        raise ToolError("It never gets done: what undoes it is as fast or faster.")
    return {
        "time": tidy(1 / total),
        "share_per_unit": tidy(total),
        "shares": [tidy(rate / total) for rate in rates],
    }


def _rates(times: Sequence[float]) -> list[float]:
    return [1 / time for time in times]
