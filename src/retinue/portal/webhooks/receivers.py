"""Receivers that verify deliveries, as the guide has them."""

from functools import cache
from importlib.resources import files

_FENCES = {"Python": "```python\n", "Node.js": "```javascript\n"}


@cache
def receivers() -> dict[str, str]:
    """Return a whole program for each language, from the guide on webhooks."""
    guide = files("retinue.reference").joinpath("guides/webhooks.md").read_text()
    return {name: guide.partition(fence)[2].partition("\n```")[0] for name, fence in _FENCES.items()}
