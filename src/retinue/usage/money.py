"""Amounts in USD, exact: decimal strings for people, and pairs of integers for the ledger, which SQL sums.

A float would lose digits, and SQLite has no other type for fractions. The finest price, of a ten-billionth USD per
million tokens, makes a token cost 1e-16 USD.
"""

from decimal import Decimal

_REST = 10**10
"""Parts of 1e-16 USD in a millionth of a USD."""

_LARGEST = Decimal(10**9)
"""The largest amount of one record, so that sums of records fit into 64 bits."""


def split_cost(cost: Decimal) -> tuple[int, int]:
    """Return an amount in millionths of a USD, and the rest of it in parts of 1e-16 USD."""
    return divmod(int(min(cost, _LARGEST).scaleb(16)), _REST)


def join_cost(micros: int, rest: int) -> Decimal:
    """Return the amount of a pair, or of the sums of pairs."""
    return Decimal(int(micros) * _REST + int(rest)).scaleb(-16)


def cost_text(cost: Decimal | None) -> str | None:
    """Write an amount in USD without an exponent and without trailing zeros."""
    if cost is None:
        return None
    text = f"{cost:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
