"""Bonds with fixed coupons, by the street convention with 30/360 days (ISMA formulas as in spreadsheets)."""

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from dateutil.relativedelta import relativedelta
from scipy.optimize import brentq
from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Date, Example, Percent, Refusal, ToolError, tool
from retinue_tools.finance._amounts import SignedPercent, percent

Coupons = Annotated[Literal[1, 2, 4], About("Coupons per year")]
Price = Annotated[float, About("Clean price per 100 of face value", 98.5, exclusive_minimum=0, maximum=1000)]


class BondFigures(TypedDict):
    """Values of a bond on its settlement day, per 100 of face value."""

    clean_price: Annotated[float, About("Quoted price, without accrued interest")]
    accrued_interest: float
    dirty_price: Annotated[float, About("Price that the buyer pays")]
    yield_percent: Annotated[float, About("Yield to maturity per year, compounded per coupon period")]
    macaulay_duration_years: float
    modified_duration: Annotated[
        float, About("Price decrease in percent for an increase of the yield by one percentage point")
    ]
    convexity: Annotated[float, About("Convexity in years squared")]
    coupons_left: int
    next_coupon: str


@dataclass(frozen=True)
class Bond:
    """Remaining payments of a bond: `wait` is the fraction of a period until the next coupon."""

    coupon: float
    frequency: int
    left: int
    wait: float
    next_coupon: date

    @property
    def accrued(self) -> float:
        """Return the interest since the last coupon, per 100."""
        return self.coupon / self.frequency * (1 - self.wait)

    def values(self, rate: float) -> list[tuple[float, float]]:
        """Return times in periods and present values of the payments, at a yield per year."""
        growth = 1 + rate / self.frequency
        part = self.coupon / self.frequency
        times = [self.wait + place for place in range(self.left)]
        paid = [part] * (self.left - 1) + [part + 100]
        return [(time, sum_ * growth**-time) for time, sum_ in zip(times, paid, strict=True)]

    def dirty(self, rate: float) -> float:
        """Return the price with accrued interest."""
        return sum(value for _, value in self.values(rate))


def _bond(settlement: str, maturity: str, coupon: float, frequency: int) -> Bond:
    start, end = _day(settlement), _day(maturity)
    if not start < end or end.year - start.year > 100:
        raise ToolError("The maturity must be after the settlement, by at most 100 years.")
    step, left = 12 // frequency, 1
    while _coupon_day(end, step * left) > start:
        left += 1
    next_coupon = _coupon_day(end, step * (left - 1))
    wait = _days360(start, next_coupon, 30 if _is_month_end(end) else end.day) / (360 / frequency)
    return Bond(coupon, frequency, left, wait, next_coupon)


def _coupon_day(maturity: date, months: int) -> date:
    """Return the coupon day some months before the maturity: a month end if the maturity is one."""
    day: date = maturity - relativedelta(months=months)
    return day.replace(day=monthrange(day.year, day.month)[1]) if _is_month_end(maturity) else day


def _is_month_end(day: date) -> bool:
    return day.day == monthrange(day.year, day.month)[1]


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise ToolError(f"{text} is not a valid date. Write it as YYYY-MM-DD.") from error
    if day.year < 200:
        raise ToolError("Dates before the year 200 are not supported.")
    return day


def _days360(start: date, coupon: date, coupon_day: int) -> int:
    """Return the days from start to a coupon in months of 30 days. The end of a February that is too short for the
    coupon day counts as that day.
    """
    months = (coupon.year - start.year) * 12 + coupon.month - start.month
    is_cut = start.month == 2 and _is_month_end(start) and start.day < coupon_day
    return months * 30 + coupon_day - (coupon_day if is_cut else min(start.day, 30))


def _figures(bond: Bond, rate: float) -> BondFigures:
    values = bond.values(rate)
    price = sum(value for _, value in values)
    growth = 1 + rate / bond.frequency
    macaulay = sum(time * value for time, value in values) / price / bond.frequency
    bend = sum(time * (time + 1) * value for time, value in values) / price / (growth * bond.frequency) ** 2
    return {
        "clean_price": round(price - bond.accrued, 6),
        "accrued_interest": round(bond.accrued, 6),
        "dirty_price": round(price, 6),
        "yield_percent": percent(rate, 6),
        "macaulay_duration_years": round(macaulay, 6),
        "modified_duration": round(macaulay / growth, 6),
        "convexity": round(bend, 6),
        "coupons_left": bond.left,
        "next_coupon": bond.next_coupon.isoformat(),
    }


@tool(
    tags="bond price yield to maturity ytm duration convexity coupon accrued clean dirty return fixed income",
    use_when=(
        "What is a 5.75% bond maturing 2017-11-15 worth at a yield of 6.5%?",
        "Compute the modified duration of an 8% bond until 2048",
        "How much accrued interest does the buyer of this bond pay?",
        "What is the yield to maturity of a 5.75% bond at 95.04 until 2016-11-15?",
        "What does a bond bought at 102 with a 3% coupon yield?",
        "YTM from a clean price",
    ),
    examples=(
        Example(
            {
                "settlement": "2008-02-15",
                "maturity": "2017-11-15",
                "coupon_percent": 5.75,
                "yield_percent": 6.5,
                "coupons_per_year": 2,
            },
            {"clean_price": 94.63436, "coupons_left": 20, "next_coupon": "2008-05-15"},
            source="Excel's documentation of PRICE: 94.63436 (30/360)",
            tolerance=1e-6,
        ),
        Example(
            {
                "settlement": "2018-07-01",
                "maturity": "2048-01-01",
                "coupon_percent": 8,
                "yield_percent": 9,
                "coupons_per_year": 2,
            },
            {"macaulay_duration_years": 10.9191453},
            source="Excel's documentation of DURATION: 10.9191453",
            tolerance=1e-6,
        ),
        Example(
            {
                "settlement": "2008-02-15",
                "maturity": "2016-11-15",
                "coupon_percent": 5.75,
                "clean_price": 95.04287,
                "coupons_per_year": 2,
            },
            {"yield_percent": 6.5},
            source="Excel's documentation of YIELD: 6.5 % (30/360)",
            tolerance=1e-6,
        ),
        Example(
            {
                "settlement": "2025-01-01",
                "maturity": "2026-01-01",
                "coupon_percent": 0,
                "clean_price": 80,
                "coupons_per_year": 1,
            },
            {"yield_percent": 25.0, "macaulay_duration_years": 1.0},
            source="by hand: 100 / 80",
        ),
        Refusal(
            {"settlement": "2018-07-01", "maturity": "2018-07-01", "coupon_percent": 8, "yield_percent": 9},
            "after the settlement",
        ),
        Refusal(
            {"settlement": "2025-01-01", "maturity": "2025-02-30", "coupon_percent": 0, "clean_price": 80},
            "not a valid date",
        ),
        Refusal({"settlement": "2025-01-01", "maturity": "2026-01-01", "coupon_percent": 0}, "Give yield_percent or"),
    ),
    reply=(
        "The bond costs {clean_price} at a yield of {yield_percent} %, plus "
        "{accrued_interest} accrued interest; its modified duration is {modified_duration}."
    ),
    aliases=(Alias("bond_compute_yield"),),
)
def bond_compute_price(
    settlement: Date,
    maturity: Date,
    coupon_percent: Percent,
    yield_percent: Percent | None = None,
    coupons_per_year: Coupons = 2,
    clean_price: Price | None = None,
) -> BondFigures:
    """Compute price, accrued interest, duration and convexity of a fixed-coupon bond, or its yield to maturity.

    Use it to value a bond from its yield, or for the return of a bond from its clean price. Days are counted 30/360;
    the yield is compounded once per coupon period, also in the last one. Results are per 100 of face value.
    """
    if (yield_percent is None) == (clean_price is None):
        raise ToolError("Give yield_percent or clean_price: one is computed from the other.")
    bond = _bond(settlement, maturity, coupon_percent, coupons_per_year)
    if clean_price is None:
        return _figures(bond, (yield_percent or 0.0) / 100)
    return _figures(bond, _root(lambda rate: bond.dirty(rate) - clean_price - bond.accrued, coupons_per_year))


def _root(excess: Callable[[float], float], frequency: int) -> float:
    low, high = -0.9 * frequency, 100.0
    try:
        return float(brentq(excess, low, high, xtol=1e-13))
    except (ValueError, OverflowError) as error:
        raise ToolError("No yield gives this price. Check the price per 100 of face value.") from error


class ParRate(TypedDict):
    """A quoted par rate."""

    years: Annotated[int, About("Maturity in whole years", 2, minimum=1, maximum=60)]
    rate_percent: SignedPercent


class CurvePoint(TypedDict):
    """A point of the zero curve."""

    years: int
    par_percent: Annotated[float, About("Par rate, interpolated if none was quoted")]
    zero_percent: Annotated[float, About("Zero-coupon rate, compounded yearly")]
    forward_percent: Annotated[float, About("Forward rate for the year that ends there")]
    discount_factor: float


class Curve(TypedDict):
    """Zero-coupon rates by year."""

    points: list[CurvePoint]


@tool(
    tags="yield curve bootstrap zero coupon spot rate forward discount factor par swap",
    use_when=(
        "Bootstrap zero rates from par rates of 1, 2 and 3 years",
        "What is the one-year forward rate in two years?",
        "Which discount factors follow from these swap rates?",
    ),
    examples=(
        Example(
            {"par_rates": [{"years": 1, "rate_percent": 5}, {"years": 2, "rate_percent": 6}]},
            {
                "points": [
                    {"zero_percent": 5.0, "forward_percent": 5.0, "discount_factor": 0.952381},
                    {"zero_percent": 6.0302, "discount_factor": 0.889488},
                ]
            },
            source="by hand: (1 - 0.06 / 1.05) / 1.06 = 0.889488, to the power -1/2 1.060302",
            tolerance=1e-4,
        ),
        Refusal({"par_rates": [{"years": 2, "rate_percent": 6}]}, "one year"),
    ),
    reply="The zero and forward rates: {points}",
)
def yield_curve_bootstrap_zeros(
    par_rates: Annotated[
        list[ParRate],
        About(
            "Par rates with yearly coupons, the first of one year",
            [{"years": 1, "rate_percent": 3.1}, {"years": 5, "rate_percent": 3.4}],
            min_items=1,
            max_items=60,
        ),
    ],
) -> Curve:
    """Bootstrap zero-coupon, forward rates and discount factors of every year from par bond or swap rates.

    Use it to discount cash flows with the market's curve. Par rates between the quoted years are interpolated linearly.
    """
    quotes = {quote["years"]: quote["rate_percent"] for quote in par_rates}
    if 1 not in quotes:
        raise ToolError("The curve starts at one year: add a par rate with years 1.")
    points: list[CurvePoint] = []
    factors = [1.0]
    for year in range(1, max(quotes) + 1):
        par = _interpolate(quotes, year) / 100
        factor = (1 - par * sum(factors[1:])) / (1 + par)
        if not 0 < factor < 1e6:
            raise ToolError(f"The par rates give no positive discount factor for year {year}. Check them.")
        points.append(
            {
                "years": year,
                "par_percent": percent(par, 6),
                "zero_percent": percent(factor ** (-1 / year) - 1, 6),
                "forward_percent": percent(factors[-1] / factor - 1, 6),
                "discount_factor": round(factor, 9),
            }
        )
        factors.append(factor)
    return {"points": points}


def _interpolate(quotes: dict[int, float], year: int) -> float:
    low = max(known for known in quotes if known <= year)
    high = min(known for known in quotes if known >= year)
    if low == high:
        return quotes[low]
    return quotes[low] + (quotes[high] - quotes[low]) * (year - low) / (high - low)
