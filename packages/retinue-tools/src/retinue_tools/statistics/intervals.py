"""Confidence intervals, and survey sizes for a margin of error."""

import math
from typing import Annotated, Literal

import numpy as np
from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, Refusal, ToolError, tool
from retinue_tools.statistics._classics import SLEEP_1
from retinue_tools.statistics._values import Confidence, Interval, Sample, Seed, check_varied, compute, interval, number


class MeanInterval(TypedDict):
    """A mean with its precision."""

    mean: Annotated[float, About("Mean of the sample")]
    interval: Annotated[Interval, About("Confidence interval of the mean")]
    margin: Annotated[float, About("Half the width of the interval")]
    standard_error: Annotated[float, About("Standard error of the mean")]
    critical: Annotated[
        float, About("Quantile of Student's t, or of the normal distribution if the deviation is known")
    ]
    deviation_interval: Annotated[Interval, About("Confidence interval of the standard deviation of normal data")]


@tool(
    tags="confidence interval mean standard error margin deviation precision summary sd n size published t z",
    use_when=(
        "What is the 95 % confidence interval of the mean of 5.1, 4.9, 6.2, 5.8, 6.0?",
        "How precise is this average?",
        "What is the margin of error of my measurements?",
        "What is the 95 % confidence interval if the mean is 100, the standard deviation 15 and n 36?",
        "Confidence interval from mean, SD and sample size, without the values",
        "How precise is a published average of 7.2 (SD 1.1, n = 50)?",
    ),
    examples=(
        Example(
            {"values": SLEEP_1},
            {"mean": 0.75, "interval": [-0.5297804, 2.0297804]},
            source="R, t.test of the first group of the data set sleep",
            tolerance=1e-6,
        ),
        Example(
            {"values": [0, 2], "confidence": 0.5},
            {"mean": 1.0, "standard_error": 1.0, "margin": 1.0, "interval": [0.0, 2.0]},
            source="by hand: the quartile of t with one degree of freedom (Cauchy) is 1",
        ),
        Example(
            {"mean": 100, "deviation": 15, "size": 25},
            {"standard_error": 3.0, "critical": 2.063899, "margin": 6.191696, "interval": [93.808304, 106.191696]},
            source="table of Student's t: 2.0639 for 24 degrees of freedom",
            tolerance=1e-6,
        ),
        Example(
            {"mean": 0, "deviation": 10, "size": 100, "deviation_known": True},
            {"margin": 1.959964, "standard_error": 1.0, "deviation_interval": [10.0, 10.0]},
            source="table of the normal distribution: 1.959964",
            tolerance=1e-6,
        ),
        Refusal({"values": [1, 1]}, "are equal, so there is no variation to test"),
        Refusal({"mean": 5, "deviation": 1, "size": 1}, "at least 2"),
        Refusal({"mean": 5, "deviation": 1}, "Give values, or mean, deviation and size"),
    ),
    reply=("The mean is {mean}, with a confidence interval from {interval.0} to {interval.1}, a margin of {margin}."),
    memory_mb=1024,
    aliases=(Alias("stats_estimate_summary_interval"),),
)
@compute()
def stats_estimate_mean_interval(
    values: Sample | None = None,
    confidence: Confidence = 0.95,
    mean: Annotated[
        float | None, About("Mean of the sample, instead of its values", 52.3, minimum=-1e15, maximum=1e15)
    ] = None,
    deviation: Annotated[
        float | None, About("Standard deviation of the sample or the population", 8.1, minimum=0, maximum=1e15)
    ] = None,
    size: Annotated[int | None, About("Number of values", 40, minimum=2, maximum=10**12)] = None,
    deviation_known: Annotated[
        bool, About("Whether the deviation is that of the population (z), not of the sample (t)")
    ] = False,
) -> MeanInterval:
    """Estimate a mean with its confidence interval, margin of error and standard error.

    Use it to state the precision of an average: give the values, or mean, standard deviation and size from a paper or
    report. Also returns an interval of the standard deviation.
    """
    if values is not None and (mean, deviation, size) == (None, None, None):
        check_varied(values)
        mean, deviation, size = number(np.mean(values)), number(np.std(values, ddof=1)), len(values)
    elif values is not None or mean is None or deviation is None or size is None:
        raise ToolError("Give values, or mean, deviation and size.")
    tail = (1 - confidence) / 2
    critical = float(stats.norm.isf(tail) if deviation_known else stats.t.isf(tail, size - 1))
    error = deviation / math.sqrt(size)
    if not math.isfinite(critical):
        raise ToolError("This confidence cannot be reached with so few values.")
    ratios = [1.0, 1.0] if deviation_known else (size - 1) / stats.chi2.isf([tail, 1 - tail], size - 1)
    low, high = (deviation * math.sqrt(ratio) for ratio in ratios)
    return {
        "mean": mean,
        "interval": interval(mean - critical * error, mean + critical * error),
        "margin": number(critical * error),
        "standard_error": error,
        "critical": critical,
        "deviation_interval": interval(low, high),
    }


class ProportionInterval(TypedDict):
    """A proportion with its precision."""

    proportion: Annotated[float, About("Observed share")]
    interval: Annotated[Interval, About("Confidence interval of the proportion")]


@tool(
    tags="confidence interval proportion wilson clopper-pearson agresti-coull survey poll percentage margin of error",
    use_when=(
        "520 of 1000 voters said yes: what is the margin of error?",
        "What is the confidence interval of 12 conversions in 200 visits?",
        "Nobody of 30 patients had side effects: how high may the rate be?",
    ),
    examples=(
        Example(
            {"successes": 81, "trials": 263},
            {"proportion": 81 / 263, "interval": [0.2553, 0.3662]},
            source="Newcombe (1998), Statistics in Medicine 17, table I: score method without correction, 81/263",
            tolerance=3e-4,
        ),
        Example(
            {"successes": 81, "trials": 263, "method": "exact"},
            {"interval": [0.2527, 0.3676]},
            source="Newcombe (1998), table I: Clopper-Pearson, 81/263",
            tolerance=3e-4,
        ),
        Example(
            {"successes": 0, "trials": 30, "method": "exact"},
            {"interval": [0.0, 1 - 0.025 ** (1 / 30)]},
            source="by hand: (1 - p)^30 = 0.025",
        ),
        Refusal({"successes": 5, "trials": 4}, "more successes"),
    ),
    reply="The share is {proportion}, with a confidence interval from {interval.0} to {interval.1}.",
    memory_mb=1024,
)
@compute()
def stats_estimate_proportion_interval(
    successes: Annotated[int, About("Number of successes", 520, minimum=0, maximum=1_000_000_000)],
    trials: Annotated[int, About("Number of trials", 1000, minimum=1, maximum=1_000_000_000)],
    method: Annotated[
        Literal["wilson", "exact", "agresti_coull", "wald", "normal", "jeffreys"],
        About("Wilson's score interval, exact (Clopper-Pearson), normal approximation (also called Wald), or another"),
    ] = "wilson",
    confidence: Confidence = 0.95,
) -> ProportionInterval:
    """Estimate a proportion with its confidence interval, by Wilson's score or another method.

    Use it for surveys, conversion and error rates. Wilson's method is suitable for small samples and shares near 0 or
    1.
    """
    if successes > trials:
        raise ToolError("There are more successes than trials.")
    low, high = _proportion_bounds(successes, trials, method, confidence)
    return {"proportion": successes / trials, "interval": interval(max(0.0, low), min(1.0, high))}


def _proportion_bounds(successes: int, trials: int, method: str, confidence: float) -> tuple[float, float]:
    share, tail = successes / trials, (1 - confidence) / 2
    z = float(stats.norm.isf(tail))
    match method:
        case "exact" | "jeffreys":
            add = (0, 1) if method == "exact" else (0.5, 0.5)
            failures = trials - successes
            low = stats.beta.ppf(tail, successes + add[0], failures + add[1]) if successes else 0.0
            high = stats.beta.isf(tail, successes + add[1], failures + add[0]) if failures else 1.0
            return float(low), float(high)
        case "wilson":
            centre = (successes + z * z / 2) / (trials + z * z)
            margin = z * math.sqrt(trials) / (trials + z * z) * math.sqrt(share * (1 - share) + z * z / (4 * trials))
        case "agresti_coull":
            centre = (successes + z * z / 2) / (trials + z * z)
            margin = z * math.sqrt(centre * (1 - centre) / (trials + z * z))
        case _:
            centre, margin = share, z * math.sqrt(share * (1 - share) / trials)
    return centre - margin, centre + margin


class BootstrapInterval(TypedDict):
    """A bootstrap estimate."""

    estimate: Annotated[float, About("Statistic of the sample")]
    interval: Annotated[Interval, About("Bootstrap confidence interval")]
    standard_error: Annotated[float, About("Bootstrap standard error")]


@tool(
    tags="bootstrap resampling confidence interval median bca percentile nonparametric",
    use_when=(
        "What is a bootstrap confidence interval of the median of these prices?",
        "How uncertain is the standard deviation of this sample?",
        "Bootstrap the trimmed mean with 5000 resamples",
    ),
    examples=(
        Example(
            {"values": [1, 2, 3, 4, 5], "statistic": "median"},
            {"estimate": 3.0},
            source="by hand",
        ),
        Example(
            {"values": [5] * 500 + [7] * 500, "statistic": "mean", "method": "percentile", "resamples": 4000},
            {"estimate": 6.0, "interval": [5.938, 6.062], "standard_error": 0.0316},
            source="by hand: standard error 1 / sqrt(1000), 1.96 of which to each side",
            tolerance=0.05,
        ),
        Refusal({"values": [2, 2, 2]}, "are equal, so there is no variation to test"),
    ),
    reply="The estimate is {estimate}, with a confidence interval from {interval.0} to {interval.1}.",
    pace="normal",
    memory_mb=1024,
)
@compute()
def stats_bootstrap_interval(
    values: Sample,
    statistic: Annotated[
        Literal["mean", "median", "deviation", "variance", "trimmed_mean", "skewness"], About("Statistic to estimate")
    ] = "mean",
    method: Annotated[Literal["bca", "percentile", "basic"], About("Kind of bootstrap interval")] = "bca",
    resamples: Annotated[int, About("Number of resamples", minimum=100, maximum=20_000)] = 5000,
    confidence: Confidence = 0.95,
    seed: Seed = 1,
) -> BootstrapInterval:
    """Estimate a statistic of a sample with a bootstrap confidence interval, repeatable by its seed.

    Use it for medians, deviations and skewed data, for which there is no simple formula.
    """
    check_varied(values)
    if resamples * len(values) > 50_000_000:
        raise ToolError("Resamples times values must be below 50 million. Use fewer resamples.")
    function = {
        "mean": np.mean,
        "median": np.median,
        "deviation": lambda a, axis: np.std(a, axis=axis, ddof=1),
        "variance": lambda a, axis: np.var(a, axis=axis, ddof=1),
        "trimmed_mean": lambda a, axis: stats.trim_mean(a, 0.1, axis=axis),
        "skewness": stats.skew,
    }[statistic]
    outcome = stats.bootstrap(
        (values,),
        function,
        n_resamples=resamples,
        batch=max(1, 2_000_000 // len(values)),
        confidence_level=confidence,
        method={"bca": "BCa"}.get(method, method),
        rng=np.random.default_rng(seed),
    )
    return {
        "estimate": number(function(np.array(values), axis=0)),
        "interval": interval(*outcome.confidence_interval),
        "standard_error": number(outcome.standard_error),
    }


class SurveySize(TypedDict):
    """Required size of a survey."""

    answers: Annotated[int, About("Required number of answers")]
    invitations: Annotated[int, About("Number of people to invite, given the response rate")]
    answers_without_limit: Annotated[int, About("Required number of answers for an infinite population")]
    z: Annotated[float, About("Quantile of the normal distribution for the confidence")]


@tool(
    tags="survey sample size margin of error population poll questionnaire respondents how many people ask cochran",
    use_when=(
        "How many of our 3,000 members must answer for a margin of error of 3 percent?",
        "Which sample size does a poll need at 99 % confidence?",
        "How many invitations shall I send if one in five answers?",
        "How large must a questionnaire's sample be?",
    ),
    examples=(
        Example(
            {"margin_percent": 5},
            {"answers": 385, "answers_without_limit": 385, "invitations": 385, "z": 1.959964},
            source="Cochran (1977), Sampling Techniques: 1.96^2 * 0.25 / 0.05^2 = 384.1",
            tolerance=1e-6,
        ),
        Example(
            {"margin_percent": 5, "population": 1000},
            {"answers": 278},
            source="Krejcie and Morgan (1970), table: 278 of 1,000",
        ),
        Example(
            {"margin_percent": 3, "expected_percent": 20, "response_percent": 25},
            {"answers": 683, "invitations": 2732},
            source="by hand: 1.959964^2 * 0.16 / 0.0009 = 682.9, and four times that",
        ),
        Refusal({"margin_percent": 0}, "margin_percent must be"),
    ),
    reply={
        "args.response_percent": "You need {answers|answer}, so invite {invitations} people.",
        "": "You need {answers|answer}.",
    },
    memory_mb=1024,
)
@compute()
def stats_plan_survey_size(
    margin_percent: Annotated[
        float, About("Margin of error, in percentage points in each direction", 5, minimum=0.01, maximum=50)
    ],
    population: Annotated[
        int | None, About("Size of the population; omit it for very large ones", 8000, minimum=1, maximum=10**10)
    ] = None,
    expected_percent: Annotated[
        float, About("Expected share of yes answers; 50 is the safe choice", minimum=0.1, maximum=99.9)
    ] = 50,
    response_percent: Annotated[float, About("Response rate", minimum=0.1, maximum=100)] = 100,
    confidence: Confidence = 0.95,
) -> SurveySize:
    """Plan how many people to survey for a margin of error at a confidence level, also in a small population.

    Use it before polls and questionnaires that estimate shares. Returns answers and invitations, rounded up.
    """
    z = float(stats.norm.isf((1 - confidence) / 2))
    share = expected_percent / 100
    endless = z * z * share * (1 - share) / (margin_percent / 100) ** 2
    needed = endless if population is None else endless / (1 + (endless - 1) / population)
    answers = max(1, math.ceil(needed - 1e-9))
    return {
        "answers": answers,
        "invitations": math.ceil(answers * 100 / response_percent - 1e-9),
        "answers_without_limit": max(1, math.ceil(endless - 1e-9)),
        "z": number(z),
    }
