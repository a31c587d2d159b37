"""Figures of a share."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.tidy import tidy


class ShareFigures(TypedDict):
    """Figures of a share; those that cannot be told are null."""

    price_earnings: Annotated[float | None, About("Price divided by earnings per share")]
    earnings_yield_percent: float | None
    dividend_yield_percent: float | None
    payout_percent: Annotated[float | None, About("Dividend in percent of earnings")]
    price_book: float | None
    yearly_dividends: Annotated[float | None, About("Dividends a year of the shares held")]
    market_value: Annotated[float | None, About("Price times shares")]


@tool(
    tags="stock share price earnings p/e ratio dividend yield payout eps book value market capitalization figures",
    use_when=(
        "P/E ratio for a price of 84 and earnings per share of 5.60",
        "Dividend yield of a share at 42.50 that pays 1.70 a year",
        "Price 60, EPS 4, dividend 1.5: P/E, yield and payout ratio",
    ),
    examples=(
        Example({"price": 84, "earnings_per_share": 5.6}, {"price_earnings": 15.0}, source="arithmetic"),
        Example(
            {"price": 60, "earnings_per_share": 4, "dividend": 1.5, "shares": 200},
            {"dividend_yield_percent": 2.5, "payout_percent": 37.5, "yearly_dividends": 300.0},
            source="arithmetic",
        ),
        Example({"price": 50, "dividend": 0.5, "dividends_a_year": 4}, {"dividend_yield_percent": 4.0}, "2 / 50"),
        Refusal({"price": 0}, "price"),
    ),
)
def stock_compute_ratios(
    price: Annotated[float, About("Price of a share", 60, minimum=1e-30, maximum=1e12)],
    earnings_per_share: Annotated[
        float | None, About("Earnings per share in a year", 4, minimum=1e-30, maximum=1e12)
    ] = None,
    dividend: Annotated[float | None, About("Dividend per share, each time", 1.5, minimum=0, maximum=1e12)] = None,
    dividends_a_year: Annotated[int, About("How often a year it is paid", 4, minimum=1, maximum=365)] = 1,
    book_value: Annotated[float | None, About("Book value per share", 30, minimum=1e-30, maximum=1e12)] = None,
    shares: Annotated[float | None, About("How many shares are held or issued", 200, minimum=0, maximum=1e15)] = None,
) -> ShareFigures:
    """Compute figures of a share: price/earnings, dividend yield, payout ratio, price/book, dividends and value."""
    yearly = None if dividend is None else dividend * dividends_a_year
    return {
        "price_earnings": _ratio(price, earnings_per_share),
        "earnings_yield_percent": _percent(earnings_per_share, price),
        "dividend_yield_percent": _percent(yearly, price),
        "payout_percent": _percent(yearly, earnings_per_share),
        "price_book": _ratio(price, book_value),
        "yearly_dividends": None if yearly is None or shares is None else tidy(yearly * shares),
        "market_value": None if shares is None else tidy(price * shares),
    }


def _ratio(part: float | None, whole: float | None) -> float | None:
    return None if part is None or whole is None else tidy(part / whole)


def _percent(part: float | None, whole: float | None) -> float | None:
    return None if part is None or whole is None else tidy(100 * part / whole)
