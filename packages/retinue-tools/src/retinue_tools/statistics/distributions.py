"""Probability distributions."""

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NotRequired, cast

import numpy as np
from scipy import stats
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._values import Sample, Value, check_varied, compute, figure, number

Family = Literal[
    "normal", "t", "chi_square", "f", "uniform", "exponential", "gamma", "beta", "lognormal", "weibull", "pareto",
    "logistic", "laplace", "cauchy", "gumbel", "triangular", "binomial", "poisson", "geometric", "negative_binomial",
    "hypergeometric", "discrete_uniform",
]  # fmt: skip

_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "normal": ("mean", "deviation"),
    "t": ("degrees of freedom",),
    "chi_square": ("degrees of freedom",),
    "f": ("first degrees of freedom", "second degrees of freedom"),
    "uniform": ("lower bound", "upper bound"),
    "exponential": ("rate",),
    "gamma": ("shape", "scale"),
    "beta": ("alpha", "beta"),
    "lognormal": ("mean of the logarithm", "deviation of the logarithm"),
    "weibull": ("shape", "scale"),
    "pareto": ("minimum", "shape"),
    "logistic": ("location", "scale"),
    "laplace": ("location", "scale"),
    "cauchy": ("location", "scale"),
    "gumbel": ("location", "scale"),
    "triangular": ("minimum", "mode", "maximum"),
    "binomial": ("trials", "chance of success"),
    "poisson": ("mean",),
    "geometric": ("chance of success",),
    "negative_binomial": ("successes", "chance of success"),
    "hypergeometric": ("population", "successes in it", "draws"),
    "discrete_uniform": ("lowest", "highest"),
}
_WHOLE = ("trials", "population", "successes in it", "draws", "lowest", "highest")
_POSITIVE = ("deviation", "degrees of freedom", "first degrees of freedom", "second degrees of freedom", "rate",
             "shape", "scale", "alpha", "beta", "deviation of the logarithm",
             "successes")  # fmt: skip


def _freeze(family: str, parameters: list[float]) -> Any:
    """Return the distribution with its parameters. Raises `ToolError`."""
    names = _PARAMETERS[family]
    if len(parameters) != len(names):
        raise ToolError(f"{family} needs {len(names)} parameters: {', '.join(names)}.")
    for name, value in zip(names, parameters, strict=True):
        if name in _POSITIVE and value <= 0:
            raise ToolError(f"The {name} must be greater than 0.")
        if name in _WHOLE and value != int(value):
            raise ToolError(f"The {name} must be a whole number.")
    known = _distribution(family, parameters)
    if not math.isfinite(known.cdf(known.median())):
        raise ToolError(f"These parameters are not valid for {family}: {', '.join(names)}.")
    return known


def _distribution(family: str, p: list[float]) -> Any:
    """Return SciPy's distribution, some parameters of which are defined differently."""
    known: dict[str, Callable[[], tuple[str, tuple[float, ...]]]] = {
        "uniform": lambda: ("uniform", (p[0], p[1] - p[0])),
        "exponential": lambda: ("expon", (0, 1 / p[0])),
        "gamma": lambda: ("gamma", (p[0], 0, p[1])),
        "lognormal": lambda: ("lognorm", (p[1], 0, math.exp(min(p[0], 700)))),
        "weibull": lambda: ("weibull_min", (p[0], 0, p[1])),
        "pareto": lambda: ("pareto", (p[1], 0, p[0])),
        "triangular": lambda: ("triang", ((p[1] - p[0]) / ((p[2] - p[0]) or math.nan), p[0], p[2] - p[0])),
        "hypergeometric": lambda: ("hypergeom", tuple(map(int, p))),
        "discrete_uniform": lambda: ("randint", (int(p[0]), int(p[1]) + 1)),
    }
    name, arguments = known[family]() if family in known else (_SCIPY.get(family, family), tuple(p))
    return getattr(stats, name)(*arguments)


_SCIPY = {"normal": "norm", "chi_square": "chi2", "gumbel": "gumbel_r", "binomial": "binom", "geometric": "geom",
          "negative_binomial": "nbinom"}  # fmt: skip


class Probability(TypedDict):
    """Probabilities of a value, and properties of the distribution."""

    below: NotRequired[Annotated[float, About("Probability of at most the value")]]
    above: NotRequired[Annotated[float, About("Probability of more than the value")]]
    at_least: NotRequired[Annotated[float, About("Probability of the value or more; only for discrete distributions")]]
    less_than: NotRequired[
        Annotated[float, About("Probability of less than the value; only for discrete distributions")]
    ]
    density: NotRequired[Annotated[float | None, About("Density at the value, or probability of exactly the value")]]
    between: NotRequired[Annotated[float, About("Probability of at least the value and at most the upper value")]]
    quantile: NotRequired[
        Annotated[float | None, About("Quantile: value below which the given share lies; null if unbounded")]
    ]
    mean: Annotated[float | None, About("Mean; null if not defined")]
    deviation: Annotated[float | None, About("Standard deviation; null if not defined")]
    median: Annotated[float, About("Median")]


@tool(
    tags="distribution probability cdf pdf pmf quantile normal binomial poisson t chi-square f gamma weibull z-score",
    use_when=(
        "What is the chance of at least 8 heads in 10 throws?",
        "IQ is normal with mean 100 and deviation 15: what share is above 130?",
        "What is the critical t value for 10 degrees of freedom at 97.5 %?",
        "With 3 calls an hour, how likely are exactly 5?",
        "Which percentile is a test score, given mean and standard deviation of a normal distribution?",
        "What is the chance of at least two heads in five throws?",
        "Probability of exactly 3 heads when a fair coin is tossed 5 times",
    ),
    examples=(
        Example(
            {"distribution": "normal", "parameters": [0, 1], "value": 1.96},
            {"below": 0.9750021, "above": 0.0249979, "density": 0.0584409, "mean": 0.0, "deviation": 1.0},
            source="table of the standard normal distribution",
            tolerance=1e-6,
        ),
        Example(
            {"distribution": "binomial", "parameters": [10, 0.5], "value": 8, "upper": 10},
            {"density": 45 / 1024, "between": 56 / 1024, "mean": 5.0, "median": 5.0},
            source="by hand: 45, 10 and 1 of 1024",
        ),
        Example(
            {"distribution": "binomial", "parameters": [10, 0.5], "value": 8},
            {"at_least": 56 / 1024, "less_than": 968 / 1024, "above": 11 / 1024, "below": 1013 / 1024},
            source="by hand: 45, 10 and 1 of 1024",
        ),
        Example(
            {"distribution": "t", "parameters": [10], "share": 0.975},
            {"quantile": 2.228139},
            source="table of Student's t",
            tolerance=1e-6,
        ),
        Example(
            {"distribution": "hypergeometric", "parameters": [52, 4, 5], "value": 0},
            {"density": 0.658842},
            source="Poker: no ace in five cards, C(48,5) / C(52,5)",
            tolerance=1e-5,
        ),
        Refusal({"distribution": "normal", "parameters": [0], "value": 1}, "mean, deviation"),
        Refusal({"distribution": "normal", "parameters": [0, 0], "value": 1}, "must be greater than 0"),
    ),
    reply={
        "args.upper": "The probability from {args.value} to {args.upper} is {between}.",
        "args.share": "The quantile is {quantile}.",
        "at_least": (
            "The probability of at most {args.value} is {below}, of at least {args.value} {at_least}, and of exactly "
            "{args.value} {density}."
        ),
        "args.value, below, above": "The probability of at most {args.value} is {below}, and of more {above}.",
        "quantile": "The quantile is {quantile}.",
        "": "The mean is {mean} and the standard deviation {deviation}.",
    },
    memory_mb=1024,
)  # fmt: skip
@compute()
def stats_compute_probability(
    distribution: Annotated[Family, About("Family of distributions")],
    parameters: Annotated[
        list[Value],
        About(
            "normal mean, deviation; t, chi_square df; f df1, df2; uniform low, high; exponential rate; gamma, "
            "weibull shape, scale; beta a, b; lognormal mu, sigma; pareto minimum, shape; logistic, laplace, cauchy, "
            "gumbel location, scale; triangular min, mode, max; binomial n, p; poisson mean; geometric p; "
            "negative_binomial successes, p; hypergeometric population, successes, draws; discrete_uniform low, high",
            [100, 15],
            min_items=1,
            max_items=3,
        ),
    ],
    value: Annotated[Value | None, About("Value whose probabilities to compute", 130)] = None,
    upper: Annotated[Value | None, About("Upper value, for the probability between the two", 145)] = None,
    share: Annotated[
        float | None, About("Share whose quantile to compute, such as 0.975", 0.975, minimum=0, maximum=1)
    ] = None,
) -> Probability:
    """Compute probabilities, densities and quantiles of 22 probability distributions.

    Use it instead of tables: probabilities (chances) below, above and between values, critical values, mean and
    deviation.
    """  # fmt: skip
    known = _freeze(distribution, parameters)
    figures: dict[str, float | None] = {}
    if value is not None:
        figures |= _probabilities(known, value, upper)
    if share is not None:
        figures["quantile"] = figure(known.ppf(share))
    moments = {"mean": figure(known.mean()), "deviation": figure(known.std()), "median": number(known.median())}
    return cast("Probability", figures | moments)


def _probabilities(known: Any, value: float, upper: float | None) -> dict[str, float | None]:
    """Return the probabilities of a value: of a discrete distribution, that of exactly the value first."""
    discrete = hasattr(known.dist, "pmf")
    density = {"density": figure(known.pmf(value) if discrete else known.pdf(value))}
    figures: dict[str, float | None] = {"below": number(known.cdf(value)), "above": number(known.sf(value))}
    figures = density | figures if discrete else figures | density
    before = known.cdf(math.ceil(value) - 1 if discrete else value)
    if discrete:
        figures |= {"at_least": number(known.sf(math.ceil(value) - 1)), "less_than": number(before)}
    if upper is not None:
        if upper < value:
            raise ToolError("The upper value must not be below the value.")
        figures["between"] = max(0.0, number(known.cdf(upper) - before))
    return figures


class Fit(TypedDict):
    """A distribution fitted to the sample."""

    distribution: Annotated[str, About("Family")]
    parameters: Annotated[dict[str, float], About("Parameters by maximum likelihood, in SciPy's terms")]
    aic: Annotated[float, About("Akaike information criterion: smaller is better")]
    ks_distance: Annotated[float, About("Kolmogorov-Smirnov distance: smaller is better")]


class Fits(TypedDict):
    """Fitted distributions."""

    fits: Annotated[list[Fit], About("Best first, by AIC")]
    left_out: Annotated[list[str], About("Families that do not allow these values")]


_FITTED = {
    "normal": ("norm", False), "exponential": ("expon", True), "gamma": ("gamma", True),
    "lognormal": ("lognorm", True), "weibull": ("weibull_min", True), "uniform": ("uniform", False),
    "logistic": ("logistic", False), "laplace": ("laplace", False), "gumbel": ("gumbel_r", False),
}  # fmt: skip


@tool(
    tags="fit distribution maximum likelihood aic best weibull lognormal gamma estimate parameters",
    use_when=(
        "Which distribution fits these waiting times best?",
        "Fit a Weibull distribution to these lifetimes",
        "Are these incomes lognormal rather than normal?",
    ),
    examples=(
        Example(
            {"values": [1, 2, 3, 4, 10], "families": ["exponential"]},
            {
                "fits": [
                    {
                        "distribution": "exponential",
                        "parameters": {"loc": 0.0, "scale": 4.0},
                        "aic": 2 + 10 * (1 + math.log(4)),
                    }
                ]
            },
            source="by hand: the mean is 4, AIC 2 + 2 * 5 (ln 4 + 1)",
        ),
        Example(
            {"values": [-1, 1, 3, 5], "families": ["normal", "gamma"]},
            {
                "fits": [{"distribution": "normal", "parameters": {"loc": 2.0, "scale": math.sqrt(5)}}],
                "left_out": ["gamma"],
            },
            source="by hand",
        ),
        Refusal({"values": [1, 1, 1]}, "are equal, so there is no variation to test"),
    ),
    reply={
        "fits.1": "The {fits.0.distribution} distribution fits best: {fits}",
        "fits": "The {fits.0.distribution} distribution has the parameters {fits.0.parameters}.",
        "": "No distribution fits these values.",
    },
    pace="normal",
    memory_mb=1024,
)
@compute()
def stats_fit_distributions(
    values: Sample,
    families: Annotated[
        list[
            Literal[
                "normal", "exponential", "gamma", "lognormal", "weibull", "uniform", "logistic", "laplace", "gumbel"
            ]
        ]
        | None,
        About("Families to try; default: all", ["normal", "lognormal"], min_items=1, max_items=9),
    ] = None,
) -> Fits:
    """Fit families of distributions to a sample by maximum likelihood, and rank them by AIC.

    Use it to choose a model for simulation or risk. Families of positive values start at zero and are omitted if any
    value is not positive.
    """  # fmt: skip
    check_varied(values)
    chosen = dict.fromkeys(families or _FITTED)
    possible = [name for name in chosen if min(values) > 0 or not _FITTED[name][1]]
    if not possible:
        raise ToolError("These families need positive values. Choose normal, logistic, laplace, gumbel or uniform.")
    fits = sorted((_fit(name, values) for name in possible), key=lambda fit: fit["aic"])
    return {"fits": fits, "left_out": [name for name in chosen if name not in possible]}


def _fit(name: str, values: list[float]) -> Fit:
    scipy_name, positive = _FITTED[name]
    family = getattr(stats, scipy_name)
    found = family.fit(values, **({"floc": 0} if positive else {}))
    names = [*(family.shapes.split(", ") if family.shapes else []), "loc", "scale"]
    free = len(names) - positive
    return {
        "distribution": name,
        "parameters": {part: number(value) for part, value in zip(names, found, strict=True)},
        "aic": number(2 * free - 2 * np.sum(family.logpdf(values, *found))),
        "ks_distance": number(stats.kstest(values, family(*found).cdf).statistic),
    }
