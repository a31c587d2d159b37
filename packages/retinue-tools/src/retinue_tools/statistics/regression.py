"""Regression with inference."""

from typing import Annotated, Any, Literal, NotRequired

import numpy as np
import statsmodels.api as sm
from statsmodels.stats.diagnostic import het_breuschpagan
from statsmodels.stats.outliers_influence import variance_inflation_factor
from statsmodels.stats.stattools import durbin_watson
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._classics import MTCARS, STACKLOSS
from retinue_tools.statistics._models import Coefficient, Predictors, coefficients_of, design
from retinue_tools.statistics._rows import Rows, Target, complete, encoding, labels, numbers
from retinue_tools.statistics._values import Confidence, PValue, compute, figure, number


class Linear(TypedDict):
    """A linear regression."""

    coefficients: Annotated[list[Coefficient], About("Coefficients, intercept first")]
    r_squared: Annotated[float, About("R squared: share of the variance explained")]
    adjusted_r_squared: Annotated[float, About("Adjusted R squared")]
    residual_error: Annotated[float, About("Residual standard error")]
    f: NotRequired[Annotated[float, About("F of the whole model")]]
    f_p_value: NotRequired[PValue]
    durbin_watson: Annotated[float | None, About("Durbin-Watson: about 2 without autocorrelation of the residuals")]
    breusch_pagan_p_value: Annotated[
        float | None, About("P-value of a heteroscedasticity test: small if the variance of the residuals varies")
    ]
    outlying_rows: Annotated[
        list[int], About("Influential rows with a Cook's distance above 4/n, from 1, among complete rows")
    ]
    predictions: NotRequired[Annotated[list[float], About("Predictions for the new rows")]]
    rows_used: Annotated[int, About("Number of complete rows")]
    aic: Annotated[float, About("Akaike information criterion")]


@tool(
    tags="linear regression ols least squares coefficients r-squared multiple robust huber quantile vif predict",
    use_when=(
        "How does consumption depend on weight and power in these cars?",
        "Fit a regression line with p-values and R squared",
        "Regress salary on experience and department",
    ),
    examples=(
        Example(
            {"rows": MTCARS, "target": "mpg", "predictors": ["wt"], "new_rows": [{"wt": 3}]},
            {"coefficients": [{"estimate": 37.2851, "standard_error": 1.8776},
                              {"term": "wt", "estimate": -5.3445, "standard_error": 0.5591, "statistic": -9.559}],
             "r_squared": 0.7528, "adjusted_r_squared": 0.7446, "residual_error": 3.046, "f": 91.38,
             "predictions": [21.25171]},
            source="R, summary(lm(mpg ~ wt, mtcars)) and predict",
            tolerance=2e-4,
        ),
        Example(
            {"rows": STACKLOSS, "target": "loss", "predictors": ["air", "water", "acid"], "method": "median"},
            {"coefficients": [{"estimate": -39.68986}, {"estimate": 0.83188}, {"estimate": 0.57391},
                              {"estimate": -0.06087}]},
            source="R, package quantreg: rq(stack.loss ~ stack.x, 0.5)",
            tolerance=1e-3,
        ),
        Example(
            {"rows": STACKLOSS, "target": "loss", "predictors": ["air", "water", "acid"], "method": "huber"},
            {"coefficients": [{"estimate": -41.0265}, {"estimate": 0.8294}, {"estimate": 0.9261},
                              {"estimate": -0.1278}]},
            source="R, package MASS: rlm(stack.loss ~ ., stackloss)",
            tolerance=3e-3,
        ),
        Refusal({"rows": MTCARS[:3], "target": "mpg", "predictors": ["hp"]}, "no column hp"),
    ),
    reply="R² is {r_squared}. The coefficients: {coefficients}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=2048,
)  # fmt: skip
@compute()
def regression_fit_linear(
    rows: Rows,
    target: Target,
    predictors: Predictors,
    method: Annotated[
        Literal["least_squares", "huber", "median"],
        About("Ordinary least squares, robust to outliers (Huber), or median (quantile) regression"),
    ] = "least_squares",
    confidence: Confidence = 0.95,
    new_rows: Annotated[
        list[dict[str, Any]] | None, About("Rows to predict", [{"weight": 3}], min_items=1, max_items=1000)
    ] = None,
) -> Linear:
    """Fit a linear regression with coefficients, p-values, R squared and diagnostics; optionally robust or median
    regression.

    Use it to explain or predict a number by one or more columns. Rows with missing values are ignored.
    """
    used = complete(rows, [target, *predictors])
    outcome = numbers(used, target)
    if np.ptp(outcome) == 0:
        raise ToolError(f"All values of {target} are equal, so there is nothing to explain.")
    matrix, terms = design(used, predictors)
    plain = sm.OLS(outcome, matrix).fit()
    fitted = {
        "least_squares": lambda: plain,
        "huber": lambda: sm.RLM(outcome, matrix, M=sm.robust.norms.HuberT()).fit(),
        "median": lambda: sm.QuantReg(outcome, matrix).fit(q=0.5, max_iter=2000),
    }[method]()
    residuals = np.asarray(fitted.resid)
    coefficients = coefficients_of(fitted, terms, confidence, ratios=False)
    for place, part in enumerate(coefficients[1:], 1):
        part["vif"] = figure(variance_inflation_factor(matrix, place)) if len(terms) > 2 else 1.0
    spread, total = float((residuals**2).sum()), float(((outcome - outcome.mean()) ** 2).sum())
    explained, free = 1 - spread / total, len(used) - len(terms)
    distances = np.nan_to_num(plain.get_influence().cooks_distance[0])
    result: Linear = {
        "coefficients": coefficients,
        "r_squared": number(explained),
        "adjusted_r_squared": number(1 - (1 - explained) * (len(used) - 1) / free),
        "residual_error": number((spread / free) ** 0.5),
        "durbin_watson": figure(durbin_watson(residuals)) if spread else None,
        "breusch_pagan_p_value": figure(het_breuschpagan(residuals, matrix)[1]) if spread else None,
        "outlying_rows": (np.flatnonzero(distances > 4 / len(used)) + 1).tolist()[:100],
        "rows_used": len(used),
        "aic": number(plain.aic),
    }
    if method == "least_squares" and figure(plain.fvalue) is not None:
        result |= {"f": number(plain.fvalue), "f_p_value": number(plain.f_pvalue)}
    if new_rows:
        added = complete(new_rows, predictors, least=len(new_rows))
        new = np.column_stack([np.ones(len(added)), encoding(used, predictors, reference=True).matrix(added)])
        result["predictions"] = [number(value) for value in new @ fitted.params]
    return result


class Logistic(TypedDict):
    """A logistic regression."""

    coefficients: Annotated[list[Coefficient], About("Coefficients on the scale of log odds; ratio is the odds ratio")]
    modelled: Annotated[str, About("Value of the target whose probability is modelled")]
    pseudo_r_squared: Annotated[float, About("McFadden's pseudo R squared")]
    log_likelihood: Annotated[float, About("Log-likelihood")]
    model_p_value: Annotated[float, About("P-value of the likelihood-ratio test of all predictors")]
    accuracy_percent: Annotated[
        float, About("Share of rows classified correctly at a probability of 0.5, on these rows")
    ]
    rows_used: Annotated[int, About("Number of complete rows")]
    aic: Annotated[float, About("Akaike information criterion")]


@tool(
    tags="logistic regression logit odds ratio binary yes no probability classification",
    use_when=(
        "How does the chance of buying depend on age and income?",
        "Which odds ratio has smoking for the illness in these rows?",
        "Fit a logistic regression of am on weight",
    ),
    examples=(
        Example(
            {"rows": MTCARS, "target": "am", "predictors": ["wt"]},
            {"coefficients": [{"estimate": 12.040, "standard_error": 4.510, "p_value": 0.00759},
                              {"estimate": -4.024, "standard_error": 1.436, "p_value": 0.00509}],
             "aic": 23.176, "modelled": "1"},
            source="R, summary(glm(am ~ wt, binomial, mtcars))",
            tolerance=1e-3,
        ),
        Example(
            {"rows": [{"y": y, "g": g} for y, g in zip("yyyn" + "ynnn", "a" * 4 + "b" * 4, strict=True)],
             "target": "y", "predictors": ["g"], "positive": "y", "confidence": 0.9},
            {"coefficients": [{"ratio": 3.0}, {"term": "g=b", "ratio": 1 / 9}], "accuracy_percent": 75.0},
            source="by hand: odds 3 and 1/3",
            tolerance=1e-6,
        ),
        Refusal({"rows": MTCARS, "target": "wt", "predictors": ["mpg"]}, "two different values"),
    ),
    reply=(
        "{accuracy_percent} % of the rows are classified correctly. The coefficients, with the odds ratios: "
        "{coefficients}"
    ),
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=2048,
)  # fmt: skip
@compute()
def regression_fit_logistic(
    rows: Rows,
    target: Target,
    predictors: Predictors,
    positive: Annotated[
        str, About("Value of the target whose probability to model; default: the alphabetically last", max_length=200)
    ] = "",
    confidence: Confidence = 0.95,
) -> Logistic:
    """Fit a logistic regression of a yes/no column, with odds ratios, p-values and intervals.

    Use it to explain which columns make an outcome more likely. It reports if the outcome is separated perfectly.
    """
    full_rows = complete(rows, [target, *predictors])
    classes = labels(full_rows, target)
    levels = sorted(set(classes))
    modelled = positive or levels[-1]
    if len(levels) != 2 or modelled not in levels:
        raise ToolError(f"{target} must have two different values, one of which is modelled. Found: {levels[:5]}.")
    outcome = np.array([label == modelled for label in classes], dtype=float)
    matrix, terms = design(full_rows, predictors)
    fitted = sm.Logit(outcome, matrix).fit(disp=0, maxiter=200)
    if not fitted.mle_retvals["converged"] or np.abs(fitted.fittedvalues).min() > 12:
        raise ToolError("The predictors separate the outcome perfectly, so no odds ratio exists. Use fewer of them.")
    return {
        "coefficients": coefficients_of(fitted, terms, confidence, ratios=True),
        "modelled": modelled,
        "pseudo_r_squared": number(fitted.prsquared),
        "log_likelihood": number(fitted.llf),
        "model_p_value": number(fitted.llr_pvalue),
        "accuracy_percent": number(100 * ((fitted.predict() >= 0.5) == (outcome == 1)).mean()),
        "rows_used": len(full_rows),
        "aic": number(fitted.aic),
    }
