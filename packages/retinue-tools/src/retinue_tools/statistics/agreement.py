"""Agreement and reliability of raters, items and methods."""

import math
from typing import Annotated, Literal, NotRequired

import numpy as np
from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import (
    Interval,
    OtherSample,
    PValue,
    Sample,
    Value,
    check_same_length,
    check_varied,
    compute,
    interval,
    number,
)

_SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
_COHEN = [["yes", "yes"]] * 20 + [["yes", "no"]] * 5 + [["no", "yes"]] * 10 + [["no", "no"]] * 15
_FLEISS_COUNTS = (
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
)  # fmt: skip
_FLEISS = [
    [str(category) for category, times in enumerate(counts, 1) for _ in range(times)] for counts in _FLEISS_COUNTS
]
Table = Annotated[
    list[Annotated[list[Value], About("Ratings of one subject", [9, 2, 5, 8], min_items=2, max_items=100)]],
    About("One row for each subject, with one number for each rater or item in the same order", _SHROUT_FLEISS,
          min_items=3, max_items=2000),
]  # fmt: skip


def _table(rows: list[list[float]]) -> np.ndarray:
    if len({len(row) for row in rows}) > 1:
        raise ToolError("All rows must have the same number of values.")
    return np.array(rows, dtype=float)


class Kappa(TypedDict):
    """Agreement beyond chance."""

    kappa: Annotated[
        float, About("Cohen's kappa for two raters, Fleiss' for more: 1 is perfect agreement, 0 is chance")
    ]
    observed_agreement: Annotated[float, About("Share of agreeing pairs (weighted, if requested)")]
    expected_agreement: Annotated[float, About("Share expected by chance")]
    statistic: Annotated[str, About("cohen or fleiss")]
    interpretation: Annotated[str, About("Interpretation by Landis and Koch (1977)")]
    categories: Annotated[list[str], About("Categories in the order used by weights")]


@tool(
    tags="kappa cohen fleiss inter-rater agreement annotators weighted reliability categories",
    use_when=(
        "How well do two annotators agree on yes, no, yes and yes, yes, yes?",
        "Compute Fleiss' kappa of five raters",
        "What is the weighted kappa of these two graders?",
    ),
    examples=(
        Example(
            {"ratings": _COHEN},
            {"kappa": 0.4, "observed_agreement": 0.7, "expected_agreement": 0.5, "statistic": "cohen"},
            source="Wikipedia, Cohen's kappa: 50 grant proposals",
        ),
        Example(
            {"ratings": _FLEISS},
            {"kappa": 0.210, "observed_agreement": 0.378, "expected_agreement": 0.213, "statistic": "fleiss"},
            source="Wikipedia, Fleiss' kappa: worked example",
            tolerance=3e-3,
        ),
        Example(
            {"ratings": [["1", "1"], ["2", "2"], ["3", "1"]], "weights": "linear"},
            {"observed_agreement": 2 / 3, "expected_agreement": 5 / 9, "kappa": 0.25},
            source="by hand: weights 1, 1/2 and 0; by chance 1.5 * 2/9 + 2 * 1/9",
        ),
        Refusal({"ratings": [["a", "a"], ["a", "a"]]}, "one category"),
    ),
    reply="Kappa is {kappa} ({interpretation}), with {observed_agreement} of the pairs agreeing.",
    memory_mb=1024,
)
@compute()
def stats_measure_kappa(
    ratings: Annotated[
        list[
            Annotated[
                list[Annotated[str, About("A category", "yes", max_length=100)]],
                About("Categories by rater", ["yes", "no"], min_items=2, max_items=50),
            ]
        ],
        About("One row for each subject", [["yes", "yes"], ["no", "yes"]], min_items=2, max_items=5000),
    ],
    weights: Annotated[
        Literal["none", "linear", "quadratic"],
        About(
            "Weights for two raters and ordered categories (numbers by size, otherwise alphabetical): near misses "
            "count partly"
        ),
    ] = "none",
) -> Kappa:
    """Measure the agreement of raters on categories beyond chance: Cohen's kappa for two, Fleiss' for more raters.

    Use it for annotations, diagnoses and grades. Returns kappa, observed and chance agreement, and its interpretation.
    """
    if len({len(row) for row in ratings}) > 1:
        raise ToolError("All subjects must have the same number of raters.")
    categories = _sort_in_order({label for row in ratings for label in row})
    if len(categories) < 2:
        raise ToolError("All ratings are in one category, so kappa is not defined.")
    if len(categories) > 200:
        raise ToolError(
            "There are more than 200 categories. Kappa is for few categories; use a correlation for measurements."
        )
    places = np.array([[categories.index(label) for label in row] for row in ratings])
    cohen = places.shape[1] == 2
    if not cohen and weights != "none":
        raise ToolError("Weights are only supported for two raters.")
    observed, expected = _cohen(places, len(categories), weights) if cohen else _fleiss(places, len(categories))
    kappa = number((observed - expected) / (1 - expected))
    return {
        "kappa": kappa,
        "observed_agreement": observed,
        "expected_agreement": expected,
        "statistic": "cohen" if cohen else "fleiss",
        "interpretation": next(word for most, word in _LANDIS_KOCH if kappa < most),
        "categories": categories,
    }


def _sort_in_order(labels: set[str]) -> list[str]:
    try:
        return sorted(labels, key=float)
    except ValueError:
        return sorted(labels)


def _cohen(places: np.ndarray, count: int, weights: str) -> tuple[float, float]:
    table = np.zeros((count, count))
    np.add.at(table, (places[:, 0], places[:, 1]), 1 / len(places))
    distance = np.abs(np.subtract.outer(np.arange(count), np.arange(count))) / (count - 1)
    agreement = {"none": (distance == 0) * 1.0, "linear": 1 - distance, "quadratic": 1 - distance**2}[weights]
    chance = np.outer(table.sum(axis=1), table.sum(axis=0))
    return number((agreement * table).sum()), number((agreement * chance).sum())


def _fleiss(places: np.ndarray, count: int) -> tuple[float, float]:
    counts = np.array([np.bincount(row, minlength=count) for row in places])
    raters = places.shape[1]
    observed = ((counts**2).sum(axis=1) - raters) / (raters * (raters - 1))
    return number(observed.mean()), number(((counts.sum(axis=0) / counts.sum()) ** 2).sum())


_LANDIS_KOCH = (
    (0.0, "poor"), (0.21, "slight"), (0.41, "fair"), (0.61, "moderate"), (0.81, "substantial"),
    (math.inf, "almost perfect"),
)  # fmt: skip


class Reliability(TypedDict):
    """Internal consistency of a scale."""

    alpha: Annotated[float, About("Cronbach's alpha")]
    standardized_alpha: Annotated[float, About("Alpha of the standardised items")]
    alpha_if_dropped: NotRequired[Annotated[list[float], About("Alpha without each item, for at least three items")]]
    item_total_correlations: Annotated[
        list[float | None], About("Correlation of each item with the sum of the others; null without variation")
    ]


def _alpha(table: np.ndarray) -> float:
    items = table.shape[1]
    return number(items / (items - 1) * (1 - table.var(axis=0, ddof=1).sum() / table.sum(axis=1).var(ddof=1)))


@tool(
    tags="cronbach alpha reliability questionnaire scale items internal consistency survey",
    use_when=(
        "Is my questionnaire with four items reliable?",
        "Compute Cronbach's alpha of these answers",
        "Which item should I drop from the scale?",
    ),
    examples=(
        Example(
            {"answers": _SHROUT_FLEISS},
            {"alpha": 0.909},
            source="Shrout & Fleiss (1979): ICC(3,k) = 0.91, which equals alpha; 1 - 1.02 / 11.24",
            tolerance=1e-3,
        ),
        Refusal({"answers": [[1, 1], [1, 1], [1, 1]]}, "must vary"),
    ),
    reply="Cronbach's alpha is {alpha}.",
    memory_mb=1024,
)
@compute()
def stats_measure_reliability(answers: Table) -> Reliability:
    """Measure the internal consistency of a questionnaire by Cronbach's alpha, with item statistics.

    Use it to check a scale: rows are persons, columns items. Returns alpha without each item, and item-total
    correlations.
    """
    table = _table(answers)
    if (table.var(axis=0) == 0).any() or table.sum(axis=1).var() == 0:
        raise ToolError("Every item and the sum of the answers must vary between persons.")
    items = table.shape[1]
    rest = [np.delete(table, item, axis=1) for item in range(items)]
    result: Reliability = {
        "alpha": _alpha(table),
        "standardized_alpha": _alpha(table / table.std(axis=0)),
        "item_total_correlations": [
            number(np.corrcoef(table[:, item], rest[item].sum(axis=1))[0, 1]) if rest[item].sum(axis=1).var() else None
            for item in range(items)
        ],
    }
    if items > 2 and all(part.sum(axis=1).var() for part in rest):
        result["alpha_if_dropped"] = [_alpha(part) for part in rest]
    return result


class Intraclass(TypedDict):
    """Intraclass correlations of Shrout and Fleiss (1979)."""

    icc1: Annotated[float, About("ICC(1,1): each subject has different raters")]
    icc2: Annotated[float, About("ICC(2,1): absolute agreement of random raters")]
    icc3: Annotated[float, About("ICC(3,1): consistency of these raters")]
    icc1k: Annotated[float, About("ICC(1,k): the mean of the raters instead of one")]
    icc2k: Annotated[float, About("ICC(2,k)")]
    icc3k: Annotated[float, About("ICC(3,k), equal to Cronbach's alpha")]
    f: Annotated[float, About("F of the subjects against the residual")]
    p_value: PValue


@tool(
    tags="icc intraclass correlation raters reliability measurements agreement consistency shrout fleiss",
    use_when=(
        "How reliable are the measurements of four raters on six subjects?",
        "Compute the ICC(2,1) of these ratings",
        "Do two devices measure the same subjects consistently?",
    ),
    examples=(
        Example(
            {"ratings": _SHROUT_FLEISS},
            {"icc1": 0.17, "icc2": 0.29, "icc3": 0.71, "icc1k": 0.44, "icc2k": 0.62, "icc3k": 0.91},
            source="Shrout & Fleiss (1979), table 4",
            tolerance=0.03,
        ),
        Refusal({"ratings": [[1, 1], [1, 1], [1, 1]]}, "must differ"),
    ),
    reply=(
        "ICC(1,1) is {icc1}, ICC(2,1) {icc2} and ICC(3,1) {icc3}; for the mean of the "
        "raters they are {icc1k}, {icc2k} and {icc3k}."
    ),
    memory_mb=1024,
)
@compute()
def stats_measure_intraclass(ratings: Table) -> Intraclass:
    """Measure how reliably raters or devices measure the same subjects: all six intraclass correlations.

    Use it for continuous ratings: rows are subjects, columns raters. Choose ICC(2) for agreement, ICC(3) for
    consistency.
    """
    table = _table(ratings)
    subjects, raters = table.shape
    grand = table.mean()
    rows = raters * ((table.mean(axis=1) - grand) ** 2).sum()
    columns = subjects * ((table.mean(axis=0) - grand) ** 2).sum()
    rest = max(0.0, float(((table - grand) ** 2).sum() - rows - columns))
    if rows == 0:
        raise ToolError("The means of the subjects must differ.")
    between, raters_square = rows / (subjects - 1), columns / (raters - 1)
    error = rest / ((subjects - 1) * (raters - 1))
    within = (columns + rest) / (subjects * (raters - 1))
    if error <= 1e-12 * between:
        raise ToolError("The ratings agree without any residual, so the coefficients are 1 or not defined.")
    excess = (raters_square - error) / subjects
    free = (subjects - 1, (subjects - 1) * (raters - 1))
    return {
        "icc1": number((between - within) / (between + (raters - 1) * within)),
        "icc2": number((between - error) / (between + (raters - 1) * error + raters * excess)),
        "icc3": number((between - error) / (between + (raters - 1) * error)),
        "icc1k": number((between - within) / between),
        "icc2k": number((between - error) / (between + excess)),
        "icc3k": number((between - error) / between),
        "f": number(between / error),
        "p_value": number(stats.f.sf(between / error, *free)),
    }


class Limits(TypedDict):
    """Bland-Altman analysis."""

    bias: Annotated[float, About("Mean of first minus second")]
    bias_interval: Annotated[Interval, About("95 % confidence interval of the bias")]
    limits: Annotated[Interval, About("95 % limits of agreement: bias minus and plus 1.96 deviations")]
    deviation: Annotated[float, About("Standard deviation of the differences")]
    outside_percent: Annotated[float, About("Share of pairs outside the limits")]
    proportional_bias_p_value: Annotated[
        float | None,
        About("P-value of the correlation between difference and mean: small if the bias depends on the size"),
    ]


@tool(
    tags="bland-altman agreement limits methods devices bias measurement comparison",
    use_when=(
        "Do two blood pressure devices agree: 120, 135, 110 and 122, 131, 115?",
        "What are the limits of agreement of the old and the new method?",
        "Is there a bias between two instruments?",
    ),
    examples=(
        Example(
            {"first": [10, 12, 14, 16], "second": [9, 13, 13, 17]},
            {"bias": 0.0, "deviation": 2 / math.sqrt(3), "limits": [-2.263171, 2.263171], "outside_percent": 0.0},
            source="by hand: differences 1, -1, 1, -1; 1.959964 * 1.154701",
            tolerance=1e-6,
        ),
        Refusal({"first": [1, 2, 3], "second": [2, 3, 4]}, "are equal, so there is no variation to test"),
    ),
    reply=(
        "The bias is {bias}, and the limits of agreement go from {limits.0} to {limits.1}; "
        "{outside_percent} % of the pairs are outside."
    ),
    memory_mb=1024,
)
@compute()
def stats_measure_agreement(
    first: Annotated[Sample, About("Measurements by the first method", [120, 135, 110], min_items=3, max_items=10_000)],
    second: Annotated[OtherSample, About("Measurements by the second method")],
) -> Limits:
    """Measure how well two methods of measurement agree (Bland-Altman): bias and limits of agreement.

    Use it to compare instruments; a correlation does not show agreement.
    """
    check_same_length(first, second)
    differences = np.subtract(first, second)
    check_varied(differences.tolist(), "differences")
    middle = np.add(first, second) / 2
    bias, spread = number(differences.mean()), number(differences.std(ddof=1))
    margin = float(stats.t.ppf(0.975, len(first) - 1)) * spread / math.sqrt(len(first))
    reach = float(stats.norm.ppf(0.975)) * spread
    outside = np.abs(differences - bias) > reach
    return {
        "bias": bias,
        "bias_interval": interval(bias - margin, bias + margin),
        "limits": interval(bias - reach, bias + reach),
        "deviation": spread,
        "outside_percent": number(100 * outside.mean()),
        "proportional_bias_p_value": number(stats.pearsonr(middle, differences).pvalue) if np.ptp(middle) else None,
    }
