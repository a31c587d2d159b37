"""Format the facts of a model: window, price and abilities."""

from decimal import Decimal

from retinue.language.formats import format_usd
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.models.hosting import ModelFacts

_INPUTS = {"image": gettext_noop("images"), "pdf": "PDF", "audio": gettext_noop("audio")}


def abilities(model: ModelFacts) -> list[str]:
    """Return what a model can do beside reading and writing text, as short words."""
    inputs = [_(_INPUTS[kind]) for kind in model["input"] if kind in _INPUTS]
    return [*([_("tools")] if model["tools"] else []), *inputs, *([_("reasoning")] if model["reasoning"] else [])]


def window(tokens: int | None) -> str:
    """Return a number of tokens in a few characters, such as 128K."""
    if tokens is None:
        return _("unknown")
    kilo = 1000 if tokens % 1000 == 0 or tokens % 1024 else 1024  # Windows are round in one or the other.
    if tokens >= kilo**2:
        return f"{tokens / kilo**2:.1f}M".replace(".0M", "M")
    return f"{round(tokens / kilo)}K" if tokens >= kilo else str(tokens)


def price(model: ModelFacts) -> str:
    """Return the prices of a million tokens read and written, in USD."""
    prices = model["price"]
    return f"{usd(prices['input'])} / {usd(prices['output'])}" if prices else ""


def usd(amount: str | Decimal | None) -> str:
    """Format a price in USD: whole cents, and two digits of what is less; "price unknown" for None."""
    if amount is None:
        return _("price unknown")
    exact = Decimal(amount)
    digits = 2 if not exact or exact >= 1 else max(1 - exact.adjusted(), 2)
    return format_usd(exact, digits)
