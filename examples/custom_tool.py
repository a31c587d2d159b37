"""A tool of your own: how long a file takes to download.

Check it, then copy it into the data folder. A running server loads it within a few seconds.

    retinue tools prove custom_tool.py
    mkdir -p ~/.retinue/tools.d && cp custom_tool.py ~/.retinue/tools.d/
"""

from retinue.sdk import About, Annotated, Example, Refusal, TypedDict, tool

BITS = 8
MEGA = 1_000_000


class Download(TypedDict):
    """How long a download takes."""

    seconds: Annotated[float, About("Duration in seconds")]


@tool(
    category="data_formats",
    tags="download time bandwidth transfer duration megabit",
    use_when=("How long does a download of 500 MB take at 40 Mbit/s?",),
    examples=(
        Example({"megabytes": 500, "megabits_per_second": 40}, {"seconds": 100.0}, source="500 MB * 8 / 40 Mbit/s"),
        Refusal({"megabytes": 500, "megabits_per_second": 0}, "megabits_per_second"),
    ),
)
def download_compute_duration(
    megabytes: Annotated[float, About("Size of the file in MB (10^6 bytes)", 500, minimum=0)],
    megabits_per_second: Annotated[float, About("Bandwidth in Mbit/s", 40, exclusive_minimum=0)],
) -> Download:
    """Compute how long a download takes from its size and the bandwidth. Returns the seconds."""
    return {"seconds": megabytes * MEGA * BITS / (megabits_per_second * MEGA)}
