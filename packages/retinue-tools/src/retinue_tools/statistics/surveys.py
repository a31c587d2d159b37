"""Surveys: how many people to ask."""

import math
from typing import Annotated

from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.statistics._values import Confidence, compute, number


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
