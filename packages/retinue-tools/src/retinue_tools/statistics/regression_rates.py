"""Regression of counts and of censored times."""

from typing import Annotated, Literal

import numpy as np
import statsmodels.api as sm
from statsmodels.duration.hazard_regression import PHReg
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._classics import AML_EVENTS, AML_GROUPS, AML_TIMES
from retinue_tools.statistics._models import Coefficient, Predictors, coefficients_of, design
from retinue_tools.statistics._rows import Name, Rows, Target, complete, numbers
from retinue_tools.statistics._values import Confidence, compute, number

_DOBSON = [
    {"counts": count, "outcome": "abc"[place % 3], "treatment": "xyz"[place // 3]}
    for place, count in enumerate((18, 17, 15, 20, 10, 20, 25, 13, 12))
]
_AML = [
    {"time": time, "status": event, "x": group}
    for time, event, group in zip(AML_TIMES, AML_EVENTS, AML_GROUPS, strict=True)
]


class Counting(TypedDict):
    """A regression of counts."""

    coefficients: Annotated[list[Coefficient], About("Coefficients on the log scale; ratio is the rate ratio")]
    deviance: Annotated[float, About("Residual deviance")]
    residual_degrees_of_freedom: Annotated[int, About("Rows minus coefficients")]
    dispersion: Annotated[
        float, About("Pearson's chi-squared divided by degrees of freedom: well above 1 means overdispersion")
    ]
    aic: Annotated[float, About("Akaike information criterion")]
    rows_used: Annotated[int, About("Number of complete rows")]


@tool(
    tags="poisson regression negative binomial counts rate ratio glm log-linear exposure",
    use_when=(
        "How do accidents depend on traffic and weather?",
        "Fit a Poisson regression of counts on outcome and treatment",
        "Model the number of calls per customer",
    ),
    examples=(
        Example(
            {"rows": _DOBSON, "target": "counts", "predictors": ["outcome", "treatment"]},
            {"coefficients": [{"estimate": 3.045, "standard_error": 0.1709}, {"estimate": -0.4543},
                              {"estimate": -0.2930}, {"term": "treatment=y"}, {"term": "treatment=z"}],
             "deviance": 5.1291, "residual_degrees_of_freedom": 4, "aic": 56.76},
            source="R, summary(glm(counts ~ outcome + treatment, poisson)): Dobson (1990), page 93",
            tolerance=2e-4,
        ),
        Example(
            {"rows": [{"n": n, "g": g, "t": t} for n, g, t in ((2, 0, 1), (4, 0, 2), (12, 1, 2), (6, 1, 1))],
             "target": "n", "predictors": ["g"], "exposure": "t"},
            {"coefficients": [{"ratio": 2.0}, {"term": "g", "ratio": 3.0}]},
            source="by hand: 6 in 3 units, 18 in 3 units",
            tolerance=1e-6,
        ),
        Refusal({"rows": [{"n": -1, "g": 0}] * 4, "target": "n", "predictors": ["g"]}, "counts"),
    ),
    reply="The coefficients, with the rate ratios: {coefficients}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=2048,
)  # fmt: skip
@compute()
def regression_fit_counts(
    rows: Rows,
    target: Target,
    predictors: Predictors,
    family: Annotated[
        Literal["poisson", "negative_binomial"], About("Negative binomial (dispersion 1) for overdispersed counts")
    ] = "poisson",
    exposure: Annotated[str, About("Column with the time or size to which each count refers", max_length=200)] = "",
    confidence: Confidence = 0.95,
) -> Counting:
    """Fit a Poisson or negative binomial regression of counts, with rate ratios, p-values and dispersion.

    Use it for numbers of events such as accidents, calls or visits, optionally over an exposure.
    """
    full_rows = complete(rows, [target, *predictors, *([exposure] if exposure else [])])
    outcome = numbers(full_rows, target)
    if (outcome < 0).any() or (outcome > 1e9).any() or (outcome % 1).any() or not outcome.any():
        raise ToolError(f"{target} must contain counts: whole numbers from 0, not all of them 0.")
    base = numbers(full_rows, exposure) if exposure else np.ones(len(full_rows))
    if (base <= 0).any():
        raise ToolError(f"{exposure} must be greater than 0 in every row.")
    matrix, terms = design(full_rows, predictors)
    kind = sm.families.Poisson() if family == "poisson" else sm.families.NegativeBinomial(alpha=1.0)
    fitted = sm.GLM(outcome, matrix, family=kind, exposure=base).fit(maxiter=200)
    return {
        "coefficients": coefficients_of(fitted, terms, confidence, ratios=True),
        "deviance": number(fitted.deviance),
        "residual_degrees_of_freedom": int(fitted.df_resid),
        "dispersion": number(fitted.pearson_chi2 / fitted.df_resid),
        "aic": number(fitted.aic),
        "rows_used": len(full_rows),
    }


class Hazards(TypedDict):
    """A Cox regression."""

    coefficients: Annotated[list[Coefficient], About("Coefficients on the log scale; ratio is the hazard ratio")]
    log_likelihood: Annotated[float, About("Partial log-likelihood")]
    events: Annotated[int, About("Number of events")]
    rows_used: Annotated[int, About("Number of complete rows")]


@tool(
    tags="cox proportional hazards survival regression hazard ratio censored time-to-event",
    use_when=(
        "How do age and treatment change the risk of death over time?",
        "Which hazard ratio has the treatment in these censored data?",
        "Fit a Cox regression",
    ),
    examples=(
        Example(
            {"rows": _AML, "time": "time", "event": "status", "predictors": ["x"]},
            {"coefficients": [{"term": "x=not maintained", "estimate": 0.9155, "standard_error": 0.5119,
                               "p_value": 0.0737, "ratio": 2.498}], "events": 18, "rows_used": 23},
            source="R, package survival: coxph(Surv(time, status) ~ x, aml)",
            tolerance=2e-3,
        ),
        Example(
            {"rows": [{"t": 1, "d": 1, "x": 0}, {"t": 2, "d": 1, "x": 1}, {"t": 3, "d": 1, "x": 0}], "time": "t",
             "event": "d", "predictors": ["x"], "confidence": 0.9},
            {"coefficients": [{"estimate": 0.346574, "ratio": 1.414214}]},
            source="by hand: 1/(2 + r) * r/(r + 1) is largest at r = sqrt 2",
            tolerance=1e-4,
        ),
        Refusal({"rows": [{"t": 1, "d": 2, "x": 0}] * 4, "time": "t", "event": "d", "predictors": ["x"]}, "0 or 1"),
    ),
    reply="The coefficients, with the hazard ratios: {coefficients}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=2048,
)  # fmt: skip
@compute()
def survival_fit_cox(
    rows: Rows, time: Name, event: Name, predictors: Predictors, confidence: Confidence = 0.95
) -> Hazards:
    """Fit a Cox proportional hazards regression (ties by Efron), with hazard ratios, p-values and intervals.

    Use it for censored times with columns that may change the risk. The event column contains 1, or 0 if censored.
    """
    full_rows = complete(rows, [time, event, *predictors])
    times, happened = numbers(full_rows, time), numbers(full_rows, event)
    if not np.isin(happened, (0, 1)).all() or not happened.any() or (times < 0).any():
        raise ToolError(f"{event} must be 0 or 1 in every row, at least once 1, and {time} must not be negative.")
    if len(full_rows) > 2000:
        raise ToolError("A Cox regression supports at most 2000 rows.")
    matrix, terms = design(full_rows, predictors)
    fitted = PHReg(times, matrix[:, 1:], status=happened, ties="efron").fit(disp=0)
    if np.abs(fitted.params).max() * np.ptp(matrix[:, 1:], axis=0).max() > 1e6 or (fitted.bse > 1e3).any():
        raise ToolError("The predictors separate the events, so no hazard ratio exists. Use fewer of them.")
    return {
        "coefficients": coefficients_of(fitted, terms[1:], confidence, ratios=True),
        "log_likelihood": number(fitted.llf),
        "events": int(happened.sum()),
        "rows_used": len(full_rows),
    }
