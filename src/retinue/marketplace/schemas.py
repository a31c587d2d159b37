"""What callers send and see of the marketplace."""

from typing import Annotated, Any, Literal

from pydantic import Field

from retinue.auth.plans import ToolTier
from retinue.core.envelope import Body, Page, Timestamp, View
from retinue.marketplace.manifests import ItemType, Needs
from retinue.webhooks.schemas import Address

Status = Literal["pending", "published", "rejected", "withdrawn"]
Tag = Annotated[str, Field(min_length=1, max_length=40)]
Sort = Literal["popular", "newest", "rating", "relevance"]
Version = Annotated[str, Field(pattern=r"^\d{1,6}\.\d{1,6}\.\d{1,6}$", description="As in 1.2.0.")]


class ItemQuery(Page):
    """Which items."""

    search: str = Field("", max_length=200, description="Words in the name, the tags, the description or the readme.")
    type: ItemType | None = Field(None, description="Only items of this type.")
    sort: Sort | None = Field(
        None,
        description="By installs, by age, by rating, or by relevance to `search`: words in the name count most, then "
        "tags, description and readme. By default `relevance` with a search, else `popular`.",
    )

    @property
    def order(self) -> Sort:
        """How the items are sorted."""
        return self.sort or ("relevance" if self.search.strip() else "popular")


class ItemPublish(Body):
    """An item to publish. It is seen by its author alone until the operator has looked at it."""

    type: ItemType = Field(description="What it is.")
    name: Annotated[str, Field(min_length=1, max_length=100)] = Field(description="What it is called.")
    slug: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)] = Field(
        description="Its name in addresses."
    )
    description: Annotated[str, Field(min_length=20, max_length=500)] = Field(description="What it does.")
    version: Version = "1.0.0"
    tags: Annotated[list[Tag], Field(max_length=10)] = Field(default_factory=list, description="Words to find it by.")
    readme: str = Field("", max_length=50_000, description="A longer text, in Markdown.")
    manifest: dict[str, Any] = Field(description="What it is made of.")


class ItemChange(Body):
    """A new version of an item."""

    description: Annotated[str, Field(min_length=20, max_length=500)] | None = Field(None, description="What it does.")
    version: Version = Field(description="Higher than the one before.")
    tags: Annotated[list[Tag], Field(max_length=10)] | None = Field(None, description="Words to find it by.")
    readme: Annotated[str, Field(max_length=50_000)] | None = Field(None, description="A longer text, in Markdown.")
    manifest: dict[str, Any] | None = Field(None, description="What it is made of.")


class ItemView(View):
    """An item of the marketplace."""

    id: int = Field(description="The item's id.")
    type: ItemType = Field(description="What it is.")
    name: str = Field(description="What it is called.")
    slug: str = Field(description="Its name in addresses.")
    description: str = Field(description="What it does.")
    author: str = Field(description="Who published it.")
    version: str = Field(description="Its newest version.")
    tier: ToolTier = Field(description="The tier that a plan must include to install it.")
    tags: list[str] = Field(description="Words to find it by.")
    status: Status = Field(description="`published`; others see nothing of an item with another status.")
    pending_version: str | None = Field(description="A newer version that waits for the operator; null for none.")
    rating: float = Field(description="The mean of its ratings, 0 to 5.")
    ratings_count: int = Field(description="How many have rated it.")
    installs: int = Field(description="How often it was installed.")
    created_at: Timestamp = Field(description="When it was published.")
    updated_at: Timestamp = Field(description="When its newest version was published.")


class SignatureView(View):
    """Who vouches for a manifest. What is signed is the JSON object of `slug`, `type`, `version` and `manifest`."""

    algorithm: Literal["ed25519", "sha256"] = Field(
        description="`ed25519`: a signature by the publisher's key. `sha256`: a checksum, of an item that ships."
    )
    key_id: str | None = Field(description="The publisher's key: 16 digits of the SHA-256 of the public key.")
    public_key: str | None = Field(description="The public key, 32 bytes in base 64.")
    value: str = Field(description="The signature in base 64, or the checksum in hexadecimal.")


class ItemDetails(ItemView):
    """An item with everything that it is made of."""

    readme: str = Field(description="A longer text, in Markdown.")
    manifest: dict[str, Any] = Field(description="What it is made of.")
    signature: SignatureView | None = Field(
        description="It is checked when the item is installed. Null: published before manifests were signed; such an "
        "item is not installed."
    )


class InstallRequest(Body):
    """How to install it."""

    connection: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        None, description="For a tool whose API wants a credential: a connection of yours of the kind `http`."
    )
    webhook_url: Address | None = Field(
        None,
        description="For an extension with webhooks: where its events go. The endpoints are off until you enable them.",
    )
    name: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        None, description="What the agent or the fleet is to be called here; not for tools and extensions."
    )


class InstalledResource(View):
    """Something that an installation made."""

    resource: Literal["agent", "fleet", "tool", "extension", "webhook"] = Field(description="What it is.")
    id: int = Field(description="Its id; of a tool, that of its source; of an extension, that of its schedule.")
    name: str = Field(description="What it is called.")


class InstallationView(View):
    """What an item made in your account."""

    id: int = Field(description="The installation's id.")
    item_id: int = Field(description="The item.")
    type: ItemType = Field(description="What the item is.")
    name: str = Field(description="What the item is called.")
    version: str = Field(description="The version that was installed.")
    installed: list[InstalledResource] = Field(description="What it made.")
    needs: Needs = Field(description="Whether the API of a tool wants a credential: install it with a connection.")
    installed_at: Timestamp = Field(description="When it was installed.")


class InstallationDeleted(View):
    """The id of what is gone."""

    id: int = Field(description="The installation's id.")
    deleted: Literal[True]


class Rating(Body):
    """Your rating of an item; it replaces an earlier one of yours."""

    stars: int = Field(ge=1, le=5, description="From 1 to 5.")


class Moderation(Body):
    """The operator's decision on an item, or its author's to withdraw it."""

    status: Literal["published", "rejected", "withdrawn"] = Field(description="What becomes of it.")
