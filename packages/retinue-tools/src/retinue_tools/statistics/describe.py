"""Summary of a sample."""

import math
import statistics
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Numbers, Refusal, ToolError, tool

_MAX_MODES = 10


class Description(TypedDict):
    """The usual figures of a sample."""

    count: Annotated[int, About("How many numbers")]
    sum: Annotated[float, About("Their sum")]
    mean: Annotated[float, About("Arithmetic mean")]
    median: Annotated[float, About("Middle value")]
    modes: Annotated[list[float], About("Values that occur most often; empty if every value occurs once")]
    minimum: Annotated[float, About("Smallest value")]
    maximum: Annotated[float, About("Largest value")]
    range: Annotated[float, About("Largest minus smallest")]
    population_variance: Annotated[float, About("Variance, divided by n")]
    population_deviation: Annotated[float, About("Standard deviation, divided by n")]
    quartiles: NotRequired[Annotated[list[float], About("Three cut points, interpolated linearly (R type 7)")]]
    variance: NotRequired[Annotated[float, About("Sample variance, divided by n - 1")]]
    deviation: NotRequired[Annotated[float, About("Sample standard deviation, divided by n - 1")]]


@tool(
    tags="statistics mean average median mode variance standard deviation quartile summary describe"
    " values list numbers",
    use_when=(
        "What are the mean and standard deviation of 2, 4, 4, 4, 5, 5, 7, 9?",
        "What is the median of these numbers?",
        "Summarise this list of measurements",
        "What is the average of my grades?",
        "Average of 4, 9 and 11",
        "Standard deviation of 3, 7 and 8",
    ),
    examples=(
        Example(
            {"numbers": [10000001, 10000003, 10000002]},
            {
                "mean": 10000002.0,
                "deviation": 1.0,
                "count": 3,
                "sum": 30000006.0,
                "minimum": 10000001.0,
                "maximum": 10000003.0,
                "range": 2.0,
                "quartiles": [10000001.5, 10000002.0, 10000002.5],
                "variance": 1.0,
            },
            source="NIST Statistical Reference Datasets, univariate, NumAcc1",
        ),
        Example(
            {"numbers": [2, 4, 4, 4, 5, 5, 7, 9]},
            {"mean": 5.0, "population_variance": 4.0, "population_deviation": 2.0, "median": 4.5, "modes": [4.0]},
            source="Wikipedia, Standard deviation: basic examples",
        ),
        Refusal({"numbers": [1e308, 1e308]}, "too large"),
    ),
)
def stats_describe_numbers(numbers: Numbers) -> Description:
    """Describe a list of numbers: mean, median, modes, quartiles, spread and extremes.

    Use it for any question about averages or variation of given numbers. Returns all these figures at once.
    """
    values = [float(number) for number in numbers]
    try:
        return _describe(values)
    except OverflowError as error:
        raise ToolError("The numbers are too large to be added up.") from error


def _describe(values: list[float]) -> Description:
    modes = statistics.multimode(values)
    description: Description = {
        "count": len(values),
        "sum": math.fsum(values),
        "mean": statistics.fmean(values),
        "median": statistics.median(values),
        "modes": modes[:_MAX_MODES] if len(modes) < len(values) else [],
        "minimum": min(values),
        "maximum": max(values),
        "range": max(values) - min(values),
        "population_variance": statistics.pvariance(values),
        "population_deviation": statistics.pstdev(values),
    }
    if len(values) > 1:
        description["quartiles"] = statistics.quantiles(values, method="inclusive")
        description["variance"] = statistics.variance(values)
        description["deviation"] = statistics.stdev(values)
    return description
