"""Surveys: how many people to ask, and what a mean that others published tells."""

import math
from typing import Annotated

from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import Confidence, Interval, compute, interval, number


class SurveySize(TypedDict):
    """How many answers a survey needs."""

    answers: Annotated[int, About("Answers that are needed")]
    invitations: Annotated[int, About("People to ask, so that so many answer")]
    answers_without_limit: Annotated[int, About("Answers that would be needed of an endless population")]
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
    memory_mb=1024,
)
@compute()
def stats_plan_survey_size(
    margin_percent: Annotated[
        float, About("Margin of error, in percentage points up and down", 5, minimum=0.01, maximum=50)
    ],
    population: Annotated[
        int | None, About("How many people there are in all; none given for very many", 8000, minimum=1, maximum=10**10)
    ] = None,
    expected_percent: Annotated[
        float, About("Share that is expected to say yes; 50 is the safe choice", minimum=0.1, maximum=99.9)
    ] = 50,
    response_percent: Annotated[float, About("Share of those asked who answer", minimum=0.1, maximum=100)] = 100,
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


class SummaryInterval(TypedDict):
    """How precise a mean is."""

    interval: Annotated[Interval, About("Confidence interval of the mean")]
    margin: Annotated[float, About("Half its width")]
    standard_error: Annotated[float, About("Standard error of the mean")]
    critical: Annotated[float, About("Quantile of Student's t, or of the normal distribution")]


@tool(
    tags="confidence interval mean summary sd standard deviation n size margin of error published t z",
    use_when=(
        "What is the 95 % confidence interval if the mean is 100, the standard deviation 15 and n 36?",
        "Confidence interval from mean, SD and sample size, without the values",
        "How precise is a published average of 7.2 (SD 1.1, n = 50)?",
    ),
    examples=(
        Example(
            {"mean": 100, "deviation": 15, "size": 25},
            {"standard_error": 3.0, "critical": 2.063899, "margin": 6.191696, "interval": [93.808304, 106.191696]},
            source="table of Student's t: 2.0639 for 24 degrees of freedom",
            tolerance=1e-6,
        ),
        Example(
            {"mean": 0, "deviation": 10, "size": 100, "deviation_known": True},
            {"margin": 1.959964, "standard_error": 1.0},
            source="table of the normal distribution: 1.959964",
            tolerance=1e-6,
        ),
        Refusal({"mean": 5, "deviation": 1, "size": 1}, "at least 2"),
    ),
    memory_mb=1024,
)
@compute()
def stats_estimate_summary_interval(
    mean: Annotated[float, About("Mean of the sample", 52.3, minimum=-1e15, maximum=1e15)],
    deviation: Annotated[float, About("Standard deviation", 8.1, minimum=0, maximum=1e15)],
    size: Annotated[int, About("Number of values", 40, minimum=2, maximum=10**12)],
    deviation_known: Annotated[
        bool, About("Whether the deviation is that of the population (z), and not of the sample (t)")
    ] = False,
    confidence: Confidence = 0.95,
) -> SummaryInterval:
    """Estimate the confidence interval of a mean from its mean, standard deviation and size, without the values.

    Use it for figures out of a paper or report; stats_estimate_mean_interval takes the values themselves.
    """
    tail = (1 - confidence) / 2
    critical = float(stats.norm.isf(tail) if deviation_known else stats.t.isf(tail, size - 1))
    error = deviation / math.sqrt(size)
    if not math.isfinite(critical):
        raise ToolError("This confidence cannot be reached with so few values.")
    return {
        "interval": interval(mean - critical * error, mean + critical * error),
        "margin": number(critical * error),
        "standard_error": number(error),
        "critical": critical,
    }
