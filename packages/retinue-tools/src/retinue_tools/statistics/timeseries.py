"""Structure and accuracy of time series."""

import math
from typing import Annotated, NotRequired

import numpy as np
from statsmodels.stats.diagnostic import acorr_ljungbox
from statsmodels.tsa.seasonal import STL
from statsmodels.tsa.stattools import acf, adfuller, kpss, pacf
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._classics import LH
from retinue_tools.statistics._values import Sample, Value, check_varied, compute, figure, number

Series = Annotated[list[Value], About("Values at equal time intervals, oldest first", LH, min_items=8, max_items=5000)]
Period = Annotated[
    int, About("Length of a season: 12 for months, 7 for days, 4 for quarters", 12, minimum=2, maximum=366)
]

_SEASON = [3.0, -1.0, -4.0, 2.0]
_SEASONAL = [10 + 0.5 * t + _SEASON[t % 4] for t in range(32)]
_SPIKED = [value + (t * 7 % 5 - 2) / 2 + 20 * (t == 13) for t, value in enumerate(_SEASONAL)]


class Anomaly(TypedDict):
    """An anomalous point."""

    position: Annotated[int, About("Position in the series, from 1")]
    value: Annotated[float, About("Value of the point")]
    expected: Annotated[float, About("Expected value: trend plus season")]


class Decomposition(TypedDict):
    """A decomposed series, whose parts add up to it."""

    trend: Annotated[list[float], About("Trend at each point")]
    seasonal: Annotated[list[float], About("Season at each point")]
    rest: Annotated[list[float], About("Remainder at each point")]
    trend_strength: Annotated[float, About("Strength from 0 to 1")]
    seasonal_strength: Annotated[float, About("Strength from 0 to 1")]
    anomalies: Annotated[list[Anomaly], About("Points whose remainder exceeds the threshold, at most 200")]


@tool(
    tags="decompose stl trend seasonality residual time series anomaly outlier seasonal adjustment",
    use_when=(
        "Split these monthly sales into trend, season and rest",
        "Which days are anomalies after the weekly season is removed?",
        "How strong is the seasonality of this series?",
    ),
    examples=(
        Example(
            {"values": _SEASONAL, "period": 4},
            {"trend_strength": 1.0, "seasonal_strength": 1.0, "anomalies": []},
            source="by hand: a line plus a fixed season, without rest",
            tolerance=1e-3,
        ),
        Example(
            {"values": _SPIKED, "period": 4, "threshold": 6},
            {"anomalies": [{"position": 14, "value": 35.0}]},
            source="by hand: the same with a little noise, and 20 added to the 14th value",
        ),
        Refusal({"values": [1, 2, 3, 4, 5, 6, 7, 8], "period": 12}, "two complete seasons"),
    ),
    reply={
        "anomalies": (
            "The trend has a strength of {trend_strength} and the season "
            "{seasonal_strength}. The anomalies: {anomalies}"
        ),
        "": (
            "The trend has a strength of {trend_strength} and the season {seasonal_strength}; there are no anomalies."
        ),
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=2048,
)
@compute()
def timeseries_decompose_seasonal(
    values: Series,
    period: Period,
    threshold: Annotated[
        float, About("Threshold for anomalies in robust deviations of the remainder", minimum=1, maximum=100)
    ] = 4,
) -> Decomposition:
    """Decompose a time series into trend, season and remainder (rest) by robust STL, and find its anomalies.

    Use it to see the season, adjust for it, or find unusual points. It needs two complete seasons.
    """
    if len(values) < 2 * period:
        raise ToolError(f"The series must have two complete seasons, at least {2 * period} values.")
    parts = STL(np.array(values, dtype=float), period=period, robust=True).fit()
    rest = np.asarray(parts.resid)
    scale = 1.4826 * float(np.median(np.abs(rest - np.median(rest))))
    limit = max(threshold * scale, 1e-9 * max(map(abs, values)))
    odd = np.flatnonzero(np.abs(rest - np.median(rest)) > limit)[:200]
    return {
        "trend": [number(value) for value in parts.trend],
        "seasonal": [number(value) for value in parts.seasonal],
        "rest": [number(value) for value in rest],
        "trend_strength": _strength(rest, parts.trend),
        "seasonal_strength": _strength(rest, parts.seasonal),
        "anomalies": [
            {"position": int(k) + 1, "value": float(values[k]), "expected": number(parts.trend[k] + parts.seasonal[k])}
            for k in odd
        ],
    }


def _strength(rest: np.ndarray, part: np.ndarray) -> float:
    """Return the strength of a component by Wang, Smith and Hyndman (2006)."""
    whole = float(np.var(rest + part))
    return max(0.0, 1 - float(np.var(rest)) / whole) if whole else 0.0


class Stationarity(TypedDict):
    """Two tests with opposite null hypotheses."""

    adf_statistic: Annotated[float, About("Augmented Dickey-Fuller: below about -2.9 indicates stationarity")]
    adf_p_value: Annotated[float, About("P-value, small if the series is stationary")]
    kpss_statistic: Annotated[float, About("KPSS: above about 0.46 indicates non-stationarity")]
    kpss_p_value: Annotated[float, About("P-value, small if the series is not stationary; tabulated from 0.01 to 0.1")]
    verdict: Annotated[str, About("stationary, not_stationary or unclear, at 5 %")]
    suggested_differences: Annotated[int, About("Number of differences until it is stationary, at most 2")]


@tool(
    tags="stationarity unit root adf dickey-fuller kpss differencing time series arima",
    use_when=(
        "Is this series stationary, or must I take differences?",
        "Run an ADF and a KPSS test",
        "Does this price follow a random walk?",
    ),
    examples=(
        Example(
            {"values": LH},
            {"verdict": "stationary", "suggested_differences": 0},
            source="Diggle (1990): the hormone series lh is modelled as a stationary autoregression",
        ),
        Example(
            {"values": [t * t + (-1) ** t * (t % 3) for t in range(60)]},
            {"verdict": "not_stationary"},
            source="by hand: the mean grows with the square of time",
        ),
        Refusal({"values": [1] * 12}, "are equal, so there is no variation to test"),
    ),
    reply={
        "suggested_differences": (
            "The series does not look stationary as it is; take "
            "{suggested_differences|difference}. The p-values are "
            "{adf_p_value} (ADF) and {kpss_p_value} (KPSS)."
        ),
        "": "The series is {verdict}, with p-values of {adf_p_value} (ADF) and {kpss_p_value} (KPSS).",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=2048,
)
@compute()
def timeseries_test_stationarity(
    values: Annotated[Series, About("Values at equal time intervals", LH, min_items=12, max_items=5000)],
) -> Stationarity:
    """Test whether a time series is stationary, by the augmented Dickey-Fuller and the KPSS test.

    Use it before ARIMA. Returns both tests, a conclusion, and the number of differences to take.
    """
    first = _both(np.array(values, dtype=float))
    verdict = _verdict(first)
    series, differences = np.array(values, dtype=float), 0
    while differences < 2 and _verdict(_both(series)) == "not_stationary":
        series, differences = np.diff(series), differences + 1
        if np.ptp(series) <= 1e-9 * max(1.0, float(np.abs(series).max())):
            break
    return {
        "adf_statistic": first[0],
        "adf_p_value": first[1],
        "kpss_statistic": first[2],
        "kpss_p_value": first[3],
        "verdict": verdict,
        "suggested_differences": differences,
    }


def _both(series: np.ndarray) -> tuple[float, float, float, float]:
    check_varied(series.tolist(), "series")
    adf, root = adfuller(series)[:2]
    statistic, p_value = kpss(series, nlags="auto")[:2]
    return number(adf), number(root), number(statistic), number(p_value)


def _verdict(found: tuple[float, float, float, float]) -> str:
    rejected, accepted = found[1] < 0.05, found[3] >= 0.05
    return "stationary" if rejected and accepted else "unclear" if rejected or accepted else "not_stationary"


class Autocorrelation(TypedDict):
    """Autocorrelation of a series."""

    lags: Annotated[list[int], About("Lags from 1")]
    autocorrelation: Annotated[list[float], About("Autocorrelation at each lag")]
    partial_autocorrelation: Annotated[
        list[float | None], About("Partial autocorrelation at each lag, by Levinson and Durbin")
    ]
    limit: Annotated[float, About("Significance bound: larger absolute values are significant at 5 % (white noise)")]
    ljung_box_p_value: Annotated[
        float | None, About("P-value of Ljung-Box, small if the series is not white noise up to the last lag")
    ]
    strongest_lag: Annotated[int, About("Lag with the largest absolute autocorrelation")]


@tool(
    tags="autocorrelation acf pacf partial lag correlogram ljung-box seasonality time series white noise",
    use_when=(
        "At which lag does this series repeat?",
        "Show ACF and PACF of these values",
        "Are my residuals white noise?",
    ),
    examples=(
        Example(
            {"values": [1, 2, 3, 4, 5, 6, 7, 8], "lags": 2},
            {"autocorrelation": [0.625, 0.27380952], "limit": 1.96 / math.sqrt(8), "lags": [1, 2]},
            source="by hand: sums 26.25 and 11.5 over 42",
            tolerance=1e-4,
        ),
        Example(
            {"values": [1, -1] * 10, "lags": 1},
            {"autocorrelation": [-0.95], "partial_autocorrelation": [-0.95], "strongest_lag": 1},
            source="by hand: -19 / 20",
        ),
        Refusal({"values": [2] * 8}, "are equal, so there is no variation to test"),
    ),
    reply=(
        "The strongest lag is {strongest_lag}. The autocorrelations from lag 1 on are "
        "{autocorrelation}; they are significant beyond {limit}."
    ),
    tier="starter",
    memory_mb=2048,
)
@compute()
def timeseries_compute_autocorrelation(
    values: Series, lags: Annotated[int, About("Number of lags", minimum=1, maximum=200)] = 12
) -> Autocorrelation:
    """Compute autocorrelation and partial autocorrelation of a time series, with the Ljung-Box test.

    Use it to find seasons, to choose the orders of an ARIMA model, or to check residuals.
    """
    check_varied(values, "series")
    series = np.array(values, dtype=float)
    count = min(lags, len(values) // 2 - 1)
    plain = acf(series, nlags=count, fft=False)[1:]
    return {
        "lags": list(range(1, count + 1)),
        "autocorrelation": [number(value) for value in plain],
        "partial_autocorrelation": [figure(value) for value in pacf(series, nlags=count, method="ldb")[1:]],
        "limit": 1.96 / math.sqrt(len(values)),
        "ljung_box_p_value": figure(acorr_ljungbox(series, lags=[count])["lb_pvalue"].iloc[0]),
        "strongest_lag": int(np.argmax(np.abs(plain))) + 1,
    }


class Accuracy(TypedDict):
    """Errors of a forecast."""

    mae: Annotated[float, About("Mean absolute error")]
    rmse: Annotated[float, About("Root mean squared error")]
    bias: Annotated[float, About("Bias: mean of forecast minus actual")]
    mape_percent: Annotated[float | None, About("Mean absolute percentage error; null if an actual value is 0")]
    smape_percent: Annotated[float, About("Symmetric percentage error, from 0 to 200")]
    wape_percent: Annotated[float | None, About("WAPE: sum of absolute errors divided by the sum of absolute values")]
    mase: NotRequired[
        Annotated[float, About("MASE: MAE divided by that of the (seasonal) naive forecast on the training values")]
    ]
    theil_u: Annotated[
        float | None, About("Theil's U: RMSE divided by that of the no-change forecast; below 1 is better")
    ]


@tool(
    tags="forecast accuracy mae rmse mape smape mase wape bias error metrics evaluation",
    use_when=(
        "How good was my forecast 100, 110, 120 against actual 105, 108, 130?",
        "Compute MAPE and RMSE",
        "Is the forecast better than a naive one?",
    ),
    examples=(
        Example(
            {"actual": [100, 200], "forecast": [110, 180], "training": [1, 3, 5]},
            {"mae": 15.0, "rmse": math.sqrt(250), "bias": -5.0, "mape_percent": 10.0, "mase": 7.5,
             "wape_percent": 10.0, "smape_percent": 50 * (20 / 210 + 40 / 380), "theil_u": 0.2},
            source="by hand",
        ),
        Example(
            {"actual": [0, 2], "forecast": [1, 1], "training": [1, 5, 2, 7], "period": 2},
            {"mape_percent": None, "mae": 1.0, "mase": 1 / 1.5},
            source="by hand: seasonal differences 1 and 2",
        ),
        Refusal({"actual": [1, 2], "forecast": [1, 2, 3]}, "the same number"),
    ),
    reply={
        "mape_percent": (
            "The mean absolute error is {mae} and the RMSE {rmse}, with a MAPE of {mape_percent} % and a bias of "
            "{bias}."
        ),
        "": "The mean absolute error is {mae} and the RMSE {rmse}, with a bias of {bias}.",
    },
    memory_mb=2048,
)  # fmt: skip
@compute()
def timeseries_measure_accuracy(
    actual: Annotated[Sample, About("Actual values", [105, 108, 130])],
    forecast: Annotated[Sample, About("Forecast values", [100, 110, 120])],
    training: Annotated[Sample | None, About("Earlier values, for MASE", [90, 95, 99, 104])] = None,
    period: Annotated[int, About("Season of the naive forecast in MASE", minimum=1, maximum=366)] = 1,
) -> Accuracy:
    """Measure the accuracy of a forecast against what happened (actual values): MAE, RMSE, bias, MAPE, sMAPE, WAPE,
    MASE, Theil's U.

    Use it to compare forecasting methods.
    """
    if len(actual) != len(forecast):
        raise ToolError("There must be the same number of forecasts and actual values.")
    real, error = np.array(actual, dtype=float), np.subtract(forecast, actual).astype(float)
    sizes, naive = np.abs(real), np.diff(real)
    both = sizes + np.abs(forecast)
    result: Accuracy = {
        "mae": number(np.abs(error).mean()),
        "rmse": number(math.sqrt((error**2).mean())),
        "bias": number(error.mean()),
        "mape_percent": number(100 * (np.abs(error) / sizes).mean()) if sizes.all() else None,
        "smape_percent": number(200 * np.divide(np.abs(error), both, out=np.zeros(len(real)), where=both > 0).mean()),
        "wape_percent": number(100 * np.abs(error).sum() / sizes.sum()) if sizes.any() else None,
        "theil_u": number(math.sqrt((error[1:] ** 2).sum() / (naive**2).sum())) if naive.any() else None,
    }
    if training is not None:
        steps = np.abs(np.subtract(training[period:], training[:-period]))
        if not len(steps) or not steps.any():
            raise ToolError("The training values must cover more than one season, and must vary.")
        result["mase"] = number(np.abs(error).mean() / steps.mean())
    return result
