"""The events of the marketplace."""

from collections.abc import Mapping, Sequence

from pydantic import Field

from retinue.core.work.events import Event


class MarketplaceInstalled(Event):
    """A marketplace item was installed."""

    event_name = "marketplace.installed"
    installation_id: int = Field(description="ID of the installation.", examples=[3])
    item_id: int = Field(description="ID of the marketplace item.", examples=[2])
    type: str = Field(description="Type of the item.", examples=["agent"])
    name: str = Field(description="Name of the item.", examples=["Research desk"])
    version: str = Field(description="Version of the item.", examples=["1.0.0"])
    installed: Sequence[Mapping[str, object]] = Field(
        description="The resources that were created: `resource`, `id` and `name` of each.",
        examples=[[{"resource": "agent", "id": 1, "name": "Research desk"}]],
    )
