"""Money as text, and currency conversion."""

from decimal import Decimal
from typing import Annotated, Literal

import babel
from babel.core import UnknownLocaleError
from babel.numbers import (
    get_currency_name,
    get_currency_precision,
    get_currency_symbol,
    list_currencies,
)
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.currency_texts import currency_text
from retinue_tools.finance._amounts import AnyAmount, Currency, dec
from retinue_tools.finance._written_amounts import read_amount

LocaleName = Annotated[str, About("Language and country", "de-DE", min_length=2, max_length=20)]


class MoneyText(TypedDict):
    """A formatted amount."""

    text: str
    symbol: str
    currency_name: str
    decimals: Annotated[int, About("Decimal places of the currency")]


@tool(
    tags="money currency format locale symbol amount display babel",
    use_when=(
        "Write 1234567.5 euro the German way",
        "How is 5000 yen written in Japan?",
        "Format -19.9 dollars in accounting style",
    ),
    examples=(
        Example(
            {"amount": 1099.98, "currency": "EUR", "locale": "de-DE"},
            {"text": "1.099,98\xa0€", "symbol": "€", "currency_name": "Euro"},
            source="documentation of Babel, format_currency",
        ),
        Example(
            {"amount": -5, "currency": "USD", "locale": "en-US", "style": "accounting"},
            {"text": "($5.00)", "decimals": 2},
            source="Unicode CLDR: accounting pattern of English",
        ),
        Refusal({"amount": 1, "currency": "QQQ", "locale": "en-US"}, "not a currency"),
    ),
    reply={
        "text": "{text}",
        "": "The text: {text}",
    },
)
def money_format_text(
    amount: AnyAmount,
    currency: Currency,
    locale: LocaleName,
    style: Annotated[
        Literal["standard", "accounting", "name"], About("Plain, negatives in brackets, or with the currency's name")
    ] = "standard",
) -> MoneyText:
    """Format an amount of money by the rules of a language and country, from Unicode CLDR.

    Use it for texts, invoices and web pages. The number of decimals depends on the currency: none for yen, three for
    dinars.
    """
    place = locale_of(locale)
    if currency not in list_currencies():
        raise ToolError(f"{currency} is not a currency. Give its ISO 4217 code, such as EUR.")
    text = currency_text(dec(amount), currency, place, style)
    return {
        "text": text,
        "symbol": get_currency_symbol(currency, locale=place),
        "currency_name": get_currency_name(currency, locale=place),
        "decimals": get_currency_precision(currency),
    }


def locale_of(name: str) -> "babel.Locale":
    """Return the locale for a name such as de-DE. Raises `ToolError`."""
    try:
        return babel.Locale.parse(name.replace("-", "_"))
    except (ValueError, TypeError, UnknownLocaleError) as error:
        raise ToolError(f"{name} is not a known locale. Write it as de-DE or en-GB.") from error


class ParsedMoney(TypedDict):
    """A parsed amount."""

    amount: float
    currency: Annotated[str | None, About("ISO 4217 code; null if the text contains none")]
    ambiguous: Annotated[bool, About("Whether the symbol stands for several currencies, such as $ or kr")]
    currencies: Annotated[list[str], About("Possible currencies of the symbol, most likely first")]


@tool(
    tags="money parse amount currency text price extract number locale symbol",
    use_when=(
        "Which amount is '1.234,56 €'?",
        "Read the price 'USD 1,299.00' into number and currency",
        "Parse '(45.10) £' as a negative amount",
    ),
    examples=(
        Example(
            {"text": "1.234,56 €", "locale": "de-DE"},
            {"amount": 1234.56, "currency": "EUR", "ambiguous": False},
            source="German notation, by hand",
        ),
        Example(
            {"text": "($1,299.00)"},
            {"amount": -1299.0, "currency": "USD", "ambiguous": True},
            source="accounting notation, by hand",
        ),
        Example({"text": "1.234,56 €"}, {"amount": 1234.56, "currency": "EUR"}, source="by hand: the last sign is ,"),
        Example({"text": "12,50 €"}, {"amount": 12.5, "currency": "EUR"}, source="by hand: groups have three digits"),
        Example({"text": "R$ 1.234,56"}, {"amount": 1234.56, "currency": "BRL", "ambiguous": False}, "Portuguese"),
        Example({"text": "US$ 1.5 million"}, {"amount": 1500000.0, "currency": "USD"}, source="by hand"),
        Example({"text": "2k dollars"}, {"amount": 2000.0, "currencies": ["USD", "CAD", "AUD"]}, source="by hand"),
        Example({"text": "1 234,50 €", "locale": "fr-FR"}, {"amount": 1234.5}, source="French notation, by hand"),
        Refusal({"text": "1.234"}, "Give locale"),
        Refusal({"text": "12,50 €", "locale": "en-US"}, "not a number as en-US writes it"),
        Refusal({"text": "from 10 to 20 €"}, "2 numbers"),
        Refusal({"text": "about a dozen"}, "no number"),
    ),
    reply={
        "currency, ambiguous": "The amount is {amount}, most likely in {currency}.",
        "currency": "The amount is {amount} {currency}.",
        "": "The amount is {amount}; no currency is named.",
    },
)
def money_parse_text(
    text: Annotated[str, About("Text with one amount", "1.234,56 €", min_length=1, max_length=100)],
    locale: LocaleName | None = None,
) -> ParsedMoney:
    """Parse a written amount of money into number and ISO currency code.

    Use it for prices in documents. Words such as k, million or Mrd. are recognised; a minus sign or brackets make it
    negative. Without a locale, digits that mean different numbers in different countries, such as 1.234, are rejected.
    """
    value, currencies = read_amount(text, locale_of(locale) if locale else None)
    return {
        "amount": float(value) + 0.0,
        "currency": currencies[0] if currencies else None,
        "ambiguous": len(currencies) > 1,
        "currencies": list(currencies),
    }


class ExchangeRate(TypedDict):
    """A rate against the base currency."""

    currency: Currency
    rate: Annotated[float, About("Amount of this currency per unit of the base", 1.0872, minimum=1e-12, maximum=1e12)]


class Converted(TypedDict):
    """Money in another currency."""

    amount: Annotated[float, About("Rounded half up to the decimals of the currency")]
    currency: str
    rate: Annotated[float, About("Target units for one source unit, after the fee")]
    fee: Annotated[float, About("Fee in the target currency")]


@tool(
    tags="currency convert exchange rate money forex cross rate fee",
    use_when=(
        "Convert 250 USD to GBP with EUR rates 1.0872 and 0.8561",
        "How many yen are 100 euro at 162.5?",
        "What do I get for 1,000 francs with a 1.5% exchange fee?",
    ),
    examples=(
        Example(
            {
                "amount": 200,
                "source": "USD",
                "target": "GBP",
                "base": "EUR",
                "rates": [{"currency": "USD", "rate": 1.25}, {"currency": "GBP", "rate": 0.8}],
            },
            {"amount": 128.0, "currency": "GBP", "rate": 0.64},
            source="cross rate by hand: 0.8 / 1.25",
        ),
        Example(
            {
                "amount": 10.5,
                "source": "EUR",
                "target": "JPY",
                "base": "EUR",
                "rates": [{"currency": "JPY", "rate": 162.5}],
                "fee_percent": 2,
            },
            {"amount": 1672.0, "fee": 34.0},
            source="by hand: 1,706.25 less 2 %, yen have no decimals",
        ),
        Example(
            {
                "amount": 200,
                "source": "EUR",
                "target": "USD",
                "base": "EUR",
                "rates": [{"currency": "USD", "rate": 1.1}],
                "fee_percent": 3,
                "fee_kind": "added",
            },
            {"amount": 226.6, "fee": 6.6},
            source="by hand: 220 and 3 % of it",
        ),
        Refusal(
            {"amount": 1, "source": "USD", "target": "GBP", "base": "EUR", "rates": [{"currency": "USD", "rate": 1}]},
            "no rate for GBP",
        ),
    ),
    reply={
        "fee": "It comes to {amount} {currency}, after a fee of {fee}.",
        "": "{args.amount} {args.source} is {amount} {currency}.",
    },
)
def money_convert_currency(
    amount: AnyAmount,
    source: Currency,
    target: Currency,
    base: Currency,
    rates: Annotated[
        list[ExchangeRate],
        About("Rates against the base", [{"currency": "USD", "rate": 1.0872}], min_items=1, max_items=300),
    ],
    fee_percent: Annotated[float, About("Exchange fee in percent", 1.5, minimum=0, maximum=50)] = 0,
    fee_kind: Annotated[
        Literal["deducted", "added"], About("Deducted from the result, or added to the amount")
    ] = "deducted",
) -> Converted:
    """Convert money between currencies with exchange rates that you give against one base currency.

    Use it with rates that you have looked up; none are built in. Cross rates are computed through the base. The result
    has as many decimals as the currency.
    """
    table = {entry["currency"]: dec(entry["rate"]) for entry in rates} | {base: Decimal(1)}
    for code in (source, target):
        if code not in table:
            raise ToolError(f"There is no rate for {code}. Add it relative to {base}.")
    rate = table[target] / table[source]
    fee_factor = 1 + (dec(fee_percent) if fee_kind == "added" else -dec(fee_percent)) / 100
    step = Decimal(1).scaleb(-get_currency_precision(target))
    gross = dec(amount) * rate
    if abs(gross) >= Decimal(10) ** 20:
        raise ToolError("The result is larger than 10^20. Check amount and rates.")
    return {
        "amount": float((gross * fee_factor).quantize(step, "ROUND_HALF_UP")) + 0.0,
        "currency": target,
        "rate": float(rate * fee_factor),
        "fee": float((gross * dec(fee_percent) / 100).quantize(step, "ROUND_HALF_UP")) + 0.0,
    }


_UNITS = {"wei": -18, "gwei": -9, "ether": 0, "satoshi": -8, "millibitcoin": -3, "bitcoin": 0, "lamport": -9, "sol": 0}
_CHAINS = (("wei", "gwei", "ether"), ("satoshi", "millibitcoin", "bitcoin"), ("lamport", "sol"))
CryptoUnit = Annotated[
    Literal["wei", "gwei", "ether", "satoshi", "millibitcoin", "bitcoin", "lamport", "sol"], About("Unit of a coin")
]


class CoinAmounts(TypedDict):
    """An exact amount in every unit of its coin."""

    amounts: Annotated[dict[str, str], About("Exact decimal text by unit")]


@tool(
    tags="crypto ether wei gwei bitcoin satoshi lamport unit convert",
    use_when=(
        "How many ether are 1500000000000000000 wei?",
        "Convert 0.00012345 bitcoin to satoshi",
        "What is 30 gwei in ether?",
    ),
    examples=(
        Example(
            {"amount": "1500000000000000000", "unit": "wei"},
            {"amounts": {"ether": "1.5", "gwei": "1500000000"}},
            source="1 ether is 10^18 wei (Ethereum yellow paper)",
        ),
        Example(
            {"amount": "0.00012345", "unit": "bitcoin"},
            {"amounts": {"satoshi": "12345", "millibitcoin": "0.12345"}},
            source="1 bitcoin is 10^8 satoshi",
        ),
        Refusal({"amount": "0.5", "unit": "satoshi"}, "smallest unit"),
    ),
    reply={
        "amounts.ether": "That is {amounts.ether} ether, {amounts.gwei} gwei or {amounts.wei} wei.",
        "amounts.satoshi": "That is {amounts.bitcoin} bitcoin or {amounts.satoshi} satoshi.",
        "": "In the other units: {amounts}",
    },
)
def crypto_convert_units(
    amount: Annotated[
        str, About("Amount as decimal text", "1500000000", pattern=r"^[0-9]{1,40}(\.[0-9]{1,30})?$", max_length=71)
    ],
    unit: CryptoUnit,
) -> CoinAmounts:
    """Convert an amount between the units of ether, bitcoin or sol, exactly and as text.

    Use it for on-chain values that floating-point numbers cannot represent. The amount must be a whole number of the
    smallest unit.
    """
    chain = next(units for units in _CHAINS if unit in units)
    digits, _, rest = amount.partition(".")
    shift = _UNITS[unit] - _UNITS[chain[0]]
    if rest.rstrip("0")[shift:]:
        raise ToolError(f"The amount is not a whole number of the smallest unit, {chain[0]}. Round it first.")
    smallest = int(digits + rest[:shift].ljust(shift, "0"))
    return {"amounts": {name: _scale(smallest, _UNITS[name] - _UNITS[chain[0]]) for name in chain}}


def _scale(value: int, places: int) -> str:
    digits = str(value).rjust(places + 1, "0")
    whole, rest = digits[: len(digits) - places], digits[len(digits) - places :].rstrip("0")
    return f"{whole}.{rest}" if rest else whole
