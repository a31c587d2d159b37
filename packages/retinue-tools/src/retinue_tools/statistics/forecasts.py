"""Forecasts of time series."""

from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from statsmodels.tsa.arima.model import ARIMA
from statsmodels.tsa.exponential_smoothing.ets import ETSModel
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._classics import LH
from retinue_tools.statistics._values import Confidence, Interval, Value, compute, figure, interval, number

_LINE = [10 + 2 * t for t in range(20)]
_SEASON = [100 + [8, -3, -9, 4][t % 4] for t in range(24)]
Series = Annotated[
    list[Value],
    About("Values at equal time intervals, oldest first", [112, 118, 132, 129, 121, 135, 148, 148, 136, 119],
          min_items=8, max_items=2000),
]  # fmt: skip
Steps = Annotated[int, About("Number of values to forecast", minimum=1, maximum=365)]
Order = Annotated[int, About("An order of the model", 1, minimum=0, maximum=5)]
SeasonalOrder = Annotated[int, About("A seasonal order of the model", 1, minimum=0, maximum=2)]


class Ahead(TypedDict):
    """A forecast value."""

    step: Annotated[int, About("Steps ahead, from 1")]
    forecast: Annotated[float, About("Expected value")]
    interval: Annotated[Interval, About("Prediction interval")]


class Forecast(TypedDict):
    """A forecast."""

    forecasts: Annotated[list[Ahead], About("Forecast values in order")]
    parameters: Annotated[dict[str, float], About("Estimated parameters of the model")]
    aic: Annotated[float | None, About("Akaike information criterion, for comparing models of the same series")]
    converged: Annotated[bool, About("Whether the estimation converged; otherwise do not trust the result")]
    residual_deviation: Annotated[float, About("Standard deviation of the one-step errors")]


def _forecast(fitted: Any, prediction: Any, means: np.ndarray, confidence: float) -> Forecast:
    frame = np.asarray(prediction.conf_int(alpha=1 - confidence) if hasattr(prediction, "conf_int") else prediction)
    return {
        "forecasts": [
            {"step": step, "forecast": number(mean), "interval": interval(*bounds)}
            for step, (mean, bounds) in enumerate(zip(means, frame, strict=True), 1)
        ],
        "parameters": {
            name: number(value)
            for name, value in zip(fitted.model.param_names, np.asarray(fitted.params), strict=False)
            if figure(value) is not None
        },
        "aic": figure(fitted.aic),
        "converged": bool(fitted.mle_retvals.get("converged", True)) if fitted.mle_retvals else True,
        "residual_deviation": number(np.std(fitted.resid)),
    }


@tool(
    tags="forecast arima sarima autoregressive moving average seasonal time series predict",
    use_when=(
        "Forecast the next 12 months of these sales with ARIMA",
        "Predict the next values with an AR(3) model",
        "Continue this seasonal series with SARIMA and prediction intervals",
    ),
    examples=(
        Example(
            {"values": LH, "order": [3, 0, 0], "steps": 3},
            {"forecasts": [{"forecast": 2.460173}, {"forecast": 2.270829}, {"forecast": 2.198597}],
             "aic": 64.18, "converged": True},
            source="R, predict(arima(lh, order = c(3,0,0)), n.ahead = 12)",
            tolerance=2e-3,
        ),
        Example(
            {"values": LH, "order": [1, 0, 0]},
            {"parameters": {"ar.L1": 0.5739, "const": 2.4133, "sigma2": 0.1975}, "aic": 64.76},
            source="R, arima(lh, order = c(1,0,0))",
            tolerance=2e-3,
        ),
        Refusal({"values": LH, "seasonal_order": [1, 0, 0]}, "period"),
    ),
    reply={
        "converged": "The forecast: {forecasts}",
        "": "Do not trust this forecast, as its estimation did not converge: {forecasts}",
    },
    tier="pro",
    credits=5,
    pace="long",
    memory_mb=2048,
)  # fmt: skip
@compute()
def timeseries_forecast_arima(
    values: Series,
    steps: Steps = 12,
    order: Annotated[
        list[Order] | None,
        About(
            "Autoregressive order, differences and moving-average order; default: 1, 1, 1",
            [3, 0, 0],
            min_items=3,
            max_items=3,
        ),
    ] = None,
    seasonal_order: Annotated[
        list[SeasonalOrder] | None,
        About("Seasonal orders", [0, 1, 1], min_items=3, max_items=3),
    ] = None,
    period: Annotated[int, About("Length of a season, 0 for none", minimum=0, maximum=24)] = 0,
    confidence: Confidence = 0.95,
) -> Forecast:
    """Forecast a time series by a (seasonal) ARIMA model with prediction intervals.

    Use it for series with autocorrelation, trend or season. Choose the orders by the autocorrelations, or compare AIC.
    """
    ar, differences, ma = order or (1, 1, 1)
    seasonal = seasonal_order or [0, 0, 0]
    if differences > 2 or seasonal[1] > 1:
        raise ToolError("At most two differences are allowed, and at most one seasonal difference.")
    if any(seasonal) and period < 2:
        raise ToolError("A seasonal model needs a period of 2 or more, such as 12 for months.")
    needed = 6 + ar + differences + ma + period * (1 + seasonal[1] + max(seasonal[0], seasonal[2]))
    if len(values) < needed or len(values) * max(period, 1) > 12_000:
        raise ToolError(f"The model needs at least {needed} values, and values times period below 12,000.")
    model = ARIMA(
        np.array(values, dtype=float),
        order=(ar, differences, ma),
        seasonal_order=(*seasonal, period) if any(seasonal) else (0, 0, 0, 0),
    )
    fitted = model.fit()
    prediction = fitted.get_forecast(steps)
    return _forecast(fitted, prediction, prediction.predicted_mean, confidence)


@tool(
    tags="forecast exponential smoothing ets holt winters trend seasonal prediction interval time series",
    use_when=(
        "Forecast the next quarter from these monthly sales 112, 118, 132, 129",
        "Continue this series with Holt-Winters",
        "What visitors do I expect next week, with an interval?",
    ),
    examples=(
        Example(
            {"values": _LINE, "trend": "additive", "steps": 2},
            {"forecasts": [{"step": 1, "forecast": 50.0}, {"step": 2, "forecast": 52.0}]},
            source="by hand: a straight line goes on",
            tolerance=1e-3,
        ),
        Example(
            {"values": _SEASON, "season": "additive", "period": 4, "steps": 4},
            {"forecasts": [{"forecast": 108.0}, {"forecast": 97.0}, {"forecast": 91.0}, {"forecast": 104.0}]},
            source="by hand: a fixed season goes on",
            tolerance=1e-3,
        ),
        Refusal({"values": _LINE, "season": "additive"}, "period"),
    ),
    reply={
        "converged": "The forecast: {forecasts}",
        "": "Do not trust this forecast, as its estimation did not converge: {forecasts}",
    },
    tier="pro",
    credits=2,
    pace="normal",
    memory_mb=2048,
)
@compute()
def timeseries_forecast_smoothing(
    values: Series,
    steps: Steps = 12,
    trend: Annotated[Literal["none", "additive", "damped"], About("Trend: none, additive, or damped")] = "none",
    season: Annotated[
        Literal["none", "additive", "multiplicative"],
        About("Season: none, or constant, or proportional to the level"),
    ] = "none",
    period: Annotated[int, About("Length of a season, 0 for none", minimum=0, maximum=53)] = 0,
    confidence: Confidence = 0.95,
) -> Forecast:
    """Forecast a time series by exponential smoothing (ETS: simple, Holt, damped, Holt-Winters) with intervals.

    Use it for sales, demand and traffic with trend and season. Returns forecasts, parameters and AIC.
    """
    if season != "none" and (period < 2 or len(values) < 2 * period):
        raise ToolError("A season needs a period of 2 or more, and two complete seasons of values.")
    if season == "multiplicative" and min(values) <= 0:
        raise ToolError("A multiplicative season needs positive values. Choose additive.")
    scale = max(float(np.std(values)), 1e-9 * max(1.0, float(np.abs(values).max())))
    fitted = ETSModel(
        pd.Series(values, dtype=float),
        trend=None if trend == "none" else "add",
        damped_trend=trend == "damped",
        seasonal={"none": None, "additive": "add", "multiplicative": "mul"}[season],
        seasonal_periods=period if season != "none" else None,
    ).fit(disp=False)
    last = len(values)
    exact = fitted.get_prediction(start=last, end=last + steps - 1, simulate_repetitions=500, random_state=1)
    frame = exact.summary_frame(alpha=1 - confidence)
    bounds = np.nan_to_num(frame.iloc[:, -2:].to_numpy(), nan=scale)
    return _forecast(fitted, bounds, frame["mean"].to_numpy(), confidence)
