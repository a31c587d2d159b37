"""The events of the marketplace."""

from typing import Any

from retinue.core.work.events import Event


class MarketplaceInstalled(Event):
    """A marketplace item was installed."""

    event_name = "marketplace.installed"
    installation_id: int
    item_id: int
    type: str
    name: str
    version: str
    installed: list[dict[str, Any]]
