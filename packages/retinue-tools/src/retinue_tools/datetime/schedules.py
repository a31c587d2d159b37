"""Schedules: countdowns, shift rotas and round-robin tournaments."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Date, DateTime, Example, Refusal, TimeZone, ToolError, tool
from retinue_tools.datetime._moments import WEEKDAYS, day_of, moment_of, zone_of
from retinue_tools.datetime.dates import working_days

Name = Annotated[str, About("Name", "Ann", min_length=1, max_length=60)]


class Countdown(TypedDict):
    """Time until an event."""

    passed: Annotated[bool, About("Whether the event is over; then the numbers count the time since it")]
    days: int
    hours: Annotated[int, About("Remaining hours")]
    minutes: Annotated[int, About("Remaining minutes")]
    total_hours: float
    weeks: float
    working_days: Annotated[int, About("Mondays to Fridays from the first to the second date")]


@tool(
    tags="countdown time left until event remaining days hours since",
    use_when=(
        "How long is it from 2026-11-21T10:00 until 2026-12-24T18:00?",
        "Count down to New Year in Tokyo",
        "How many hours are left until the deadline?",
        "How long is it until Christmas?",
        "How long until Christmas?",
    ),
    idempotent=False,
    examples=(
        Example(
            {"event": "2026-12-24T18:00", "now": "2026-11-21T10:30"},
            {
                "passed": False,
                "days": 33,
                "hours": 7,
                "minutes": 30,
                "total_hours": 799.5,
                "weeks": 4.7589,
                "working_days": 23,
            },
            source="by hand: 33 days and 7.5 hours",
        ),
        Example(
            {"event": "2026-03-29T12:00", "now": "2026-03-28T12:00", "timezone": "Europe/Berlin"},
            {"days": 0, "hours": 23, "total_hours": 23.0},
            source="the day of the clock change has 23 hours",
        ),
        Refusal({"event": "christmas"}, "not a date and time"),
    ),
    reply={
        "passed": "It was {days|day}, {hours|hour} and {minutes|minute} ago.",
        "": "It is {days|day}, {hours|hour} and {minutes|minute} from now.",
    },
)
def schedule_count_down(
    event: DateTime,
    now: Annotated[str, About("Start of the countdown; default: now", "2026-11-21T10:30", max_length=40)] = "",
    timezone: TimeZone = "UTC",
) -> Countdown:
    """Count down the real time from now, or another moment, to an event.

    Use it for deadlines and holidays. Clock changes are taken into account; times without an offset are local times of
    the zone.
    """
    zone = zone_of(timezone)
    there = moment_of(event, zone)
    here = moment_of(now, zone) if now.strip() else datetime.now(UTC)
    left = there.astimezone(UTC) - here.astimezone(UTC)
    seconds = int(abs(left) / timedelta(seconds=1))
    first, last = sorted((here.astimezone(zone).date(), there.astimezone(zone).date()))
    return {
        "passed": left < timedelta(),
        "days": seconds // 86400,
        "hours": seconds // 3600 % 24,
        "minutes": seconds // 60 % 60,
        "total_hours": round(seconds / 3600, 4),
        "weeks": round(seconds / 604800, 4),
        "working_days": working_days(first, last),
    }


class RotaDay(TypedDict):
    """Shifts of a day."""

    date: str
    weekday: str
    shifts: Annotated[dict[str, str], About("Shift by person")]


class Rota(TypedDict):
    """A shift rota."""

    days: list[RotaDay]
    counts: Annotated[dict[str, dict[str, int]], About("Number of each shift for each person")]


@tool(
    tags="shift rotation rota roster schedule team pattern duty plan on-call",
    use_when=(
        "Make a rota of early, late and night shifts for three people from 2026-11-23",
        "Who is on call in which week?",
        "Plan a 4-on 4-off rotation for a month",
        "Cleaning rota for our flat",
        "Who does the dishes on which day?",
    ),
    examples=(
        Example(
            {"people": ["A", "B"], "pattern": ["early", "early", "off", "off"], "start": "2026-11-23", "days": 4},
            {
                "days": [
                    {"date": "2026-11-23", "weekday": "Monday", "shifts": {"A": "early", "B": "off"}},
                    {"shifts": {"A": "early", "B": "off"}},
                    {"shifts": {"A": "off", "B": "early"}},
                    {"shifts": {"A": "off", "B": "early"}},
                ],
                "counts": {"A": {"early": 2, "off": 2}, "B": {"early": 2, "off": 2}},
            },
            source="by hand: B is half a cycle behind",
        ),
        Example(
            {
                "people": ["A", "B"],
                "pattern": ["on call", "free"],
                "start": "2026-11-23",
                "days": 8,
                "days_per_shift": 7,
            },
            {"counts": {"A": {"on call": 7, "free": 1}, "B": {"free": 7, "on call": 1}}},
            source="by hand: weekly change",
        ),
        Refusal({"people": ["A", "A"], "pattern": ["early"], "start": "2026-11-23", "days": 4}, "twice"),
    ),
    reply="The rota: {days}",
)
def schedule_rotate_shifts(
    people: Annotated[list[Name], About("People of the team", ["Ann", "Bob", "Cem"], min_items=1, max_items=60)],
    pattern: Annotated[
        list[Name], About("Shifts of one cycle in order", ["early", "late", "night", "off"], min_items=1, max_items=60)
    ],
    start: Date,
    days: Annotated[int, About("Number of days to plan", 28, minimum=1, maximum=366)],
    days_per_shift: Annotated[
        int, About("Days before each person moves on: 7 for weekly shifts", 7, minimum=1, maximum=31)
    ] = 1,
) -> Rota:
    """Plan a rota in which everybody goes through the same cycle of shifts, evenly spaced.

    Use it for shift work and on-call duty. People start at places spread over the cycle. Returns the shifts of each day
    and the number of each person's shifts.
    """
    if len(set(people)) < len(people):
        raise ToolError("A name occurs twice. Names must be unique.")
    first = day_of(start)
    if first.year > 9990:
        raise ToolError("The start must be before the year 9991.")
    cycle = len(pattern)
    offsets = {name: -(place * cycle // len(people)) for place, name in enumerate(people)}
    rows: list[RotaDay] = []
    counts: dict[str, dict[str, int]] = {name: {} for name in people}
    for number in range(days):
        day = first + timedelta(days=number)
        shifts = {name: pattern[(number // days_per_shift + offsets[name]) % cycle] for name in people}
        for name, shift in shifts.items():
            counts[name][shift] = counts[name].get(shift, 0) + 1
        rows.append({"date": day.isoformat(), "weekday": WEEKDAYS[day.weekday()], "shifts": shifts})
    return {"days": rows, "counts": counts}


class Round(TypedDict):
    """Games that are played at the same time."""

    games: Annotated[list[str], About("Games, written A - B")]
    rests: Annotated[str | None, About("Player without a game")]


class Tournament(TypedDict):
    """A round-robin tournament."""

    round_count: int
    game_count: int
    rounds: list[Round]


@tool(
    tags="round robin tournament schedule fixtures league teams pairings matches each plays everyone timetable",
    use_when=(
        "Make a round-robin timetable for the teams A, B, C, D, E and F",
        "How many games and rounds are there if 7 teams each play each other once?",
        "League fixtures for Reds, Blues, Greens and Whites, home and away",
        "Fixtures for our darts league",
    ),
    examples=(
        Example({"players": ["A", "B", "C", "D"]}, {"round_count": 3, "game_count": 6}, source="4 * 3 / 2 games"),
        Example({"count": 7}, {"round_count": 7, "game_count": 21}, source="7 * 6 / 2; one rests each time"),
        Example({"players": ["A", "B", "C"], "legs": 2}, {"game_count": 6, "round_count": 6}, source="twice three"),
        Refusal({}, "players or count"),
    ),
    reply={
        "rounds": "It takes {round_count|round} with {game_count|game}: {rounds}",
        "": "It takes {round_count|round} with {game_count|game}.",
    },
)
def tournament_plan_rounds(
    players: Annotated[
        list[str] | None, About("Names of players or teams", ["A", "B", "C", "D"], min_items=2, max_items=200)
    ] = None,
    count: Annotated[int | None, About("Number of players without names", 7, minimum=2, maximum=200)] = None,
    legs: Annotated[int, About("Number of games of each pair: 2 for home and away", 2, minimum=1, maximum=4)] = 1,
) -> Tournament:
    """Plan a round-robin tournament in which each plays each, by the circle method; counts its rounds and games."""
    names = players or [str(number) for number in range(1, (count or 0) + 1)]
    if not names:
        raise ToolError("Give players or count.")
    rounds = [_round(names, number, leg) for leg in range(legs) for number in range(_circle(names) - 1)]
    return {
        "round_count": len(rounds),
        "game_count": sum(len(one["games"]) for one in rounds),
        "rounds": rounds,
    }


def _circle(names: list[str]) -> int:
    return len(names) + len(names) % 2


def _round(names: list[str], number: int, leg: int) -> Round:
    """Return one round: one player stays, the others rotate; an odd number is completed by an empty place."""
    size = _circle(names)
    seats: list[str | None] = [*names, None][:size] if len(names) % 2 else list(names)
    turned = [seats[0], *(seats[1 + (place - number) % (size - 1)] for place in range(size - 1))]
    pairs = [(turned[place], turned[size - 1 - place]) for place in range(size // 2)]
    games = [f"{one} - {other}" if leg % 2 == 0 else f"{other} - {one}" for one, other in pairs if one and other]
    rests = next((one or other for one, other in pairs if not (one and other)), None)
    return {"games": games, "rests": rests}
