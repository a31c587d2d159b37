"""How long data take on their way."""

from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_SIZES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
_SIZES |= {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
_LONGEST_S = 1e6 * 365.25 * 86_400
_SPEEDS = {"kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "kB/s": 8e3, "MB/s": 8e6, "GB/s": 8e9}


class Transfer(TypedDict):
    """How long a transfer takes."""

    seconds: Annotated[float, About("How long it takes")]
    duration: Annotated[str, About("The same as hours:minutes:seconds, rounded up")]
    bytes: Annotated[float, About("What is carried, in bytes")]
    throughput_mbit_s: Annotated[float, About("What is carried in a second, overhead taken off")]
    one_connection_mbit_s: Annotated[
        float | None, About("What one TCP connection can carry at most with that window and delay")
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
)
def net_estimate_transfer(
    size: Annotated[float, About("Size of what is carried", 50, exclusive_minimum=0, maximum=1e9)],
    speed: Annotated[float, About("Speed of the line", 100, exclusive_minimum=0, maximum=1e9)],
    size_unit: Annotated[
        Literal["B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"], About("Unit of the size")
    ] = "GB",
    speed_unit: Annotated[
        Literal["kbit/s", "Mbit/s", "Gbit/s", "kB/s", "MB/s", "GB/s"], About("Unit of the speed")
    ] = "Mbit/s",
    overhead_percent: Annotated[float, About("What headers take of the line", minimum=0, maximum=90)] = 0,
    round_trip_ms: Annotated[
        float | None, About("Delay there and back, for the limit of one connection", 40, minimum=0.01, maximum=10_000)
    ] = None,
    window_kib: Annotated[float, About("Receive window of the connection in KiB", minimum=1, maximum=1_048_576)] = 4096,
) -> Transfer:
    """Estimate how long a download, upload or copy takes over a line of a given speed.

    Use it to plan transfers. With a delay, the limit that a TCP window sets for one connection counts too.
    """
    bits = size * _SIZES[size_unit] * 8
    line = speed * _SPEEDS[speed_unit] * (1 - overhead_percent / 100)
    limit = None if round_trip_ms is None else window_kib * 1024 * 8 / (round_trip_ms / 1000)
    rate = line if limit is None else min(line, limit)
    if bits >= rate * _LONGEST_S:
        raise ToolError("That takes more than a million years. Check the size, the speed and their units.")
    seconds = bits / rate
    whole = -int(-seconds // 1)
    return {
        "seconds": seconds,
        "duration": f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}",
        "bytes": bits / 8,
        "throughput_mbit_s": rate / 1e6,
        "one_connection_mbit_s": None if limit is None else limit / 1e6,
    }
