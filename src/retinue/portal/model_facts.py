"""Format what is known of a model: window, price and abilities."""

from collections.abc import Mapping
from typing import Any

_INPUTS = {"image": "images", "pdf": "PDF", "audio": "audio"}


def abilities(model: Mapping[str, Any]) -> list[str]:
    """Return what a model can do beside reading and writing text, as short words."""
    inputs = [_INPUTS[kind] for kind in model["input"] if kind in _INPUTS]
    return [*(["tools"] if model["tools"] else []), *inputs, *(["reasoning"] if model["reasoning"] else [])]


def window(tokens: int | None) -> str:
    """Return a number of tokens in a few characters, such as 128K."""
    if tokens is None:
        return "unknown"
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.1f}M".replace(".0M", "M")
    return f"{round(tokens / 1000)}K" if tokens >= 1000 else str(tokens)


def price(model: Mapping[str, Any]) -> str:
    """Return the prices of a million tokens read and written, in USD."""
    prices = model["price"]
    return f"${prices['input']} / ${prices['output']}" if prices else ""
