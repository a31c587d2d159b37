"""Shared by the regressions: the design matrix, and coefficients in readable form."""

from typing import Annotated, Any, NotRequired

import numpy as np
from typing_extensions import TypedDict

from retinue.sdk import About, ToolError
from retinue_tools.statistics._rows import Names, encoding
from retinue_tools.statistics._values import Interval, PValue, figure, interval, number

Predictors = Annotated[
    Names, About("Predictor columns; text columns are compared with their first level", ["weight", "power"])
]


class Coefficient(TypedDict):
    """A term of the model."""

    term: Annotated[str, About("intercept, a column, or column=level")]
    estimate: Annotated[float, About("Estimated coefficient")]
    standard_error: Annotated[float, About("Standard error of the coefficient")]
    statistic: Annotated[float, About("t or z statistic")]
    p_value: PValue
    interval: Annotated[Interval, About("Confidence interval of the coefficient")]
    ratio: NotRequired[
        Annotated[float | None, About("Exponential of the coefficient: odds, rate or hazard ratio; null if too large")]
    ]
    vif: NotRequired[
        Annotated[
            float | None, About("Variance inflation factor: above 5 or 10 indicates collinearity; null if infinite")
        ]
    ]


def design(rows: list[dict[str, Any]], predictors: list[str]) -> tuple[np.ndarray, list[str]]:
    """Return the matrix with an intercept and the names of its columns. Raises `ToolError`."""
    coded = encoding(rows, predictors, reference=True)
    matrix = np.column_stack([np.ones(len(rows)), coded.matrix(rows)])
    if len(rows) <= matrix.shape[1]:
        raise ToolError(
            f"There are {len(rows)} complete rows for {matrix.shape[1]} coefficients. More rows are needed."
        )
    if np.linalg.matrix_rank(matrix / np.maximum(np.abs(matrix).max(axis=0), 1e-300)) < matrix.shape[1]:
        raise ToolError("A predictor is constant, or completely determined by others. Omit it.")
    return matrix, ["intercept", *coded.terms]


def coefficients_of(fitted: Any, terms: list[str], confidence: float, *, ratios: bool) -> list[Coefficient]:
    bounds = np.asarray(fitted.conf_int(alpha=1 - confidence))
    found: list[Coefficient] = []
    for place, term in enumerate(terms):
        part: Coefficient = {
            "term": term,
            "estimate": number(fitted.params[place]),
            "standard_error": number(fitted.bse[place]),
            "statistic": number(fitted.tvalues[place]),
            "p_value": number(fitted.pvalues[place]),
            "interval": interval(*bounds[place]),
        }
        if ratios:
            part["ratio"] = figure(np.exp(min(part["estimate"], 1000.0)))
        found.append(part)
    return found
