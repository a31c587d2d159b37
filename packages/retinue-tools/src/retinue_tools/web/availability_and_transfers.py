"""Availability of services, capacity of RAID arrays, and duration of data transfers."""

from math import prod
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, BoundedNumber, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_HOURS = {
    "day": 24.0,
    "week": 168.0,
    "month": 730.5,
    "30-day month": 720.0,
    "quarter": 2191.5,
    "year": 8766.0,
    "365-day year": 8760.0,
}
Period = Literal["day", "week", "month", "30-day month", "quarter", "year", "365-day year"]


class Availability(TypedDict):
    """Availability and downtime."""

    availability_percent: float
    downtime_seconds: Annotated[float, About("In the period")]
    downtime_minutes: float
    downtime_hours: float
    period_hours: float


@tool(
    tags="availability uptime downtime sla nines percent allowed outage month year mtbf mttr reliability service",
    use_when=(
        "How much downtime does 99.9 % availability allow in a 30-day month?",
        "MTBF 1200 h, MTTR 4 h: what is the availability in percent?",
        "We were down 50 minutes in a 365-day year. Which uptime is that?",
    ),
    examples=(
        Example({"percent": 99.9, "period": "30-day month"}, {"downtime_minutes": 43.2}, source="0.001 * 43200"),
        Example(
            {"mtbf_hours": 1200, "mttr_hours": 4, "period": "365-day year"},
            {"availability_percent": 99.667774},
            source="1200 / 1204",
            tolerance=1e-7,
        ),
        Example(
            {"downtime_minutes": 525.6, "period": "365-day year"},
            {"availability_percent": 99.9},
            source="525.6 / 525600",
        ),
        Refusal({}, "Give one"),
    ),
    reply=(
        "{availability_percent} % availability means {downtime_minutes} minutes of downtime in {period_hours} hours."
    ),
)
def availability_convert_downtime(
    percent: Annotated[float | None, About("Availability in percent", 99.9, minimum=0, maximum=100)] = None,
    downtime_minutes: Annotated[
        float | None, About("Downtime in the period in minutes", 50, minimum=0, maximum=1e9)
    ] = None,
    mtbf_hours: Annotated[
        float | None, About("Mean time between failures, with mttr_hours", 1200, minimum=1e-30, maximum=1e12)
    ] = None,
    mttr_hours: Annotated[float | None, About("Mean time to repair", 4, minimum=0, maximum=1e12)] = None,
    period: Annotated[
        Period, About("Period; month and year are averages: a twelfth of 365.25 days, and 365.25 days")
    ] = "year",
) -> Availability:
    """Convert availability to the downtime it allows in a period, or downtime or MTBF and MTTR to availability."""
    hours = _HOURS[period]
    shares = [
        None if percent is None else percent / 100,
        None if downtime_minutes is None else 1 - downtime_minutes / 60 / hours,
        None if mtbf_hours is None or mttr_hours is None else mtbf_hours / (mtbf_hours + mttr_hours),
    ]
    known = [share for share in shares if share is not None]
    if len(known) != 1 or known[0] < 0:
        raise ToolError(
            "Give one of percent, downtime_minutes (not longer than the period), or mtbf_hours with mttr_hours."
        )
    down = hours * (1 - known[0])
    return {
        "availability_percent": tidy(known[0] * 100),
        "downtime_seconds": tidy(down * 3600),
        "downtime_minutes": tidy(down * 60),
        "downtime_hours": tidy(down),
        "period_hours": hours,
    }


class CombinedAvailability(TypedDict):
    """Availability of combined parts."""

    availability_percent: float
    unavailability_percent: float


@tool(
    tags="availability reliability series parallel redundancy components system combined k of n uptime sla",
    use_when=(
        "Three services of 99.9, 99.95 and 99.5 % in series: availability of all?",
        "Two servers with 99 % each in parallel",
        "A system works if 2 of 3 disks of 95 % work",
    ),
    examples=(
        Example({"percents": [99, 99], "needed": 1}, {"availability_percent": 99.99}, source="1 - 0.01^2"),
        Example({"percents": [99.9, 99.5]}, {"availability_percent": 99.4005}, source="0.999 * 0.995"),
        Example(
            {"percents": [90, 90, 90], "needed": 2}, {"availability_percent": 97.2}, source="0.9^3 + 3 * 0.9^2 * 0.1"
        ),
        Refusal({"percents": [90], "needed": 2}, "as many"),
    ),
    reply="Together they are available {availability_percent} % of the time.",
)
def availability_combine_parts(
    percents: Annotated[
        list[BoundedNumber], About("Availability of each part in percent", [99.9, 99.5], min_items=1, max_items=30)
    ],
    needed: Annotated[
        int | None,
        About("Required number of working parts: 1 for parallel; default: all, a series", 1, minimum=1, maximum=30),
    ] = None,
) -> CombinedAvailability:
    """Combine the availability of parts that fail independently: all required (series), or only some (redundancy)."""
    if needed is not None and needed > len(percents):
        raise ToolError("Give at least as many parts as are required.")
    if not all(0 <= one <= 100 for one in percents):
        raise ToolError("Availabilities must be percentages from 0 to 100.")
    shares = [one / 100 for one in percents]
    works = prod(shares) if needed is None else _at_least(needed, shares)
    return {"availability_percent": tidy(works * 100), "unavailability_percent": tidy((1 - works) * 100)}


def _at_least(needed: int, shares: list[float]) -> float:
    """Return the probability that at least this many parts work, by adding one part after the other to the
    distribution.
    """
    chances = [1.0]
    for share in shares:
        stays = [chance * (1 - share) for chance in chances] + [0.0]
        grows = [0.0] + [chance * share for chance in chances]
        chances = [one + other for one, other in zip(stays, grows, strict=True)]
    return sum(chances[needed:])


class DiskArray(TypedDict):
    """Capacity of a disk array."""

    usable_tb: float
    raw_tb: float
    efficiency_percent: float
    may_fail: Annotated[int, About("Number of disks that may fail, in any combination, without data loss")]


_LOST = {"0": 0, "5": 1, "6": 2}
_FEWEST = {"0": 1, "1": 2, "5": 3, "6": 4, "10": 4}


@tool(
    tags="raid capacity usable disks drives storage nas raid5 raid6 raid10 mirror terabyte array",
    use_when=(
        "How many TB are usable in RAID 6 with six 8 TB drives?",
        "Usable capacity of four 4 TB disks in RAID 10",
        "RAID 5 with 5 disks of 12 TB: capacity, and how many may fail?",
    ),
    examples=(
        Example({"level": "6", "disks": 6, "size_tb": 8}, {"usable_tb": 32.0, "may_fail": 2}, source="(6 - 2) * 8"),
        Example({"level": "10", "disks": 4, "size_tb": 4}, {"usable_tb": 8.0, "may_fail": 1}, source="half of 16"),
        Refusal({"level": "6", "disks": 3, "size_tb": 8}, "at least 4"),
    ),
    reply="{usable_tb} TB are usable ({efficiency_percent} %), and {may_fail|disk} may fail.",
)
def raid_compute_capacity(
    level: Annotated[Literal["0", "1", "5", "6", "10"], About("RAID level", "6")],
    disks: Annotated[int, About("Number of disks", 6, minimum=1, maximum=1000)],
    size_tb: Annotated[float, About("Size of the smallest disk in TB", 8, minimum=1e-30, maximum=1e6)],
) -> DiskArray:
    """Compute the usable capacity of a RAID array of equal disks, and how many may fail without loss."""
    if disks < _FEWEST[level]:
        raise ToolError(f"RAID {level} needs at least {_FEWEST[level]} disks.")
    if level == "10" and disks % 2:
        raise ToolError("RAID 10 needs an even number of disks.")
    used = {"1": 1, "10": disks // 2}.get(level, disks - _LOST.get(level, 0))
    return {
        "usable_tb": tidy(used * size_tb),
        "raw_tb": tidy(disks * size_tb),
        "efficiency_percent": tidy(100 * used / disks),
        "may_fail": {"1": disks - 1, "10": 1}.get(level, _LOST.get(level, 0)),
    }


_SIZES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
_SIZES |= {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
_LONGEST_S = 1e6 * 365.25 * 86_400
_SPEEDS = {"kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "kB/s": 8e3, "MB/s": 8e6, "GB/s": 8e9}


class Transfer(TypedDict):
    """Duration of a transfer."""

    seconds: Annotated[float, About("Duration")]
    duration: Annotated[str, About("Duration as hours:minutes:seconds, rounded up")]
    bytes: Annotated[float, About("Size in bytes")]
    throughput_mbit_s: Annotated[float, About("Throughput per second, without overhead")]
    one_connection_mbit_s: Annotated[
        float | None, About("Maximum throughput of one TCP connection with this window and delay")
    ]


@tool(
    tags="transfer time download upload bandwidth throughput file size mbit duration tcp window",
    use_when=(
        "How long does a 50 GB download take at 100 Mbit/s?",
        "When is the upload of 2 TiB over 1 Gbit/s done?",
        "Why do I get only 5 Mbit/s over a link with 100 ms delay?",
    ),
    examples=(
        Example(
            {"size": 50, "size_unit": "GB", "speed": 100},
            {"seconds": 4000.0, "duration": "1:06:40", "bytes": 5e10, "one_connection_mbit_s": None},
            source="by hand: 400 Gbit / 100 Mbit/s",
        ),
        Example(
            {"size": 1, "size_unit": "GiB", "speed": 1, "speed_unit": "Gbit/s", "round_trip_ms": 100, "window_kib": 64},
            {"one_connection_mbit_s": 5.24288, "throughput_mbit_s": 5.24288, "seconds": 1638.4},
            source="RFC 7323, section 1.1: a window of 64 KiB a round trip; 8,192 Mibit / 5 Mibit/s",
        ),
        Refusal({"size": 0, "speed": 100}, "more than 0"),
        Refusal({"size": 1, "speed": 5e-324}, "more than a million years"),
    ),
    reply={
        "one_connection_mbit_s": (
            "It takes {duration} (hours:minutes:seconds); one connection reaches {one_connection_mbit_s} Mbit/s."
        ),
        "": "It takes {duration} (hours:minutes:seconds).",
    },
)
def net_estimate_transfer(
    size: Annotated[float, About("Size of the data", 50, exclusive_minimum=0, maximum=1e9)],
    speed: Annotated[float, About("Speed of the line", 100, exclusive_minimum=0, maximum=1e9)],
    size_unit: Annotated[
        Literal["B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"], About("Unit of the size")
    ] = "GB",
    speed_unit: Annotated[
        Literal["kbit/s", "Mbit/s", "Gbit/s", "kB/s", "MB/s", "GB/s"], About("Unit of the speed")
    ] = "Mbit/s",
    overhead_percent: Annotated[float, About("Overhead of headers", minimum=0, maximum=90)] = 0,
    round_trip_ms: Annotated[
        float | None, About("Round-trip time, for the limit of one connection", 40, minimum=0.01, maximum=10_000)
    ] = None,
    window_kib: Annotated[float, About("Receive window of the connection in KiB", minimum=1, maximum=1_048_576)] = 4096,
) -> Transfer:
    """Estimate how long a download, upload or copy takes over a line of a given speed.

    Use it to plan transfers. With a delay, the limit of the TCP window for one connection is taken into account.
    """
    bits = size * _SIZES[size_unit] * 8
    line = speed * _SPEEDS[speed_unit] * (1 - overhead_percent / 100)
    limit = None if round_trip_ms is None else window_kib * 1024 * 8 / (round_trip_ms / 1000)
    rate = line if limit is None else min(line, limit)
    if bits >= rate * _LONGEST_S:
        raise ToolError("The transfer would take more than a million years. Check the size, the speed and their units.")
    seconds = bits / rate
    whole = -int(-seconds // 1)
    return {
        "seconds": seconds,
        "duration": f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}",
        "bytes": bits / 8,
        "throughput_mbit_s": rate / 1e6,
        "one_connection_mbit_s": None if limit is None else limit / 1e6,
    }
