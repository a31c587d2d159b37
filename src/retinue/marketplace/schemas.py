"""Request and response schemas of the marketplace."""

from typing import Annotated, Any, Literal

from pydantic import Field

from retinue.auth.plans import ToolTier
from retinue.core.http.envelope import Body, Page, Timestamp, View
from retinue.marketplace.manifests import ItemType, Needs
from retinue.webhooks.schemas import Address

Status = Literal["pending", "published", "rejected", "withdrawn"]
Tag = Annotated[str, Field(min_length=1, max_length=40)]
Sort = Literal["popular", "newest", "rating", "relevance"]
Version = Annotated[str, Field(pattern=r"^\d{1,6}\.\d{1,6}\.\d{1,6}$", description="Version, such as 1.2.0.")]


class ItemQuery(Page):
    """Which items."""

    search: str = Field("", max_length=200, description="Words in the name, the tags, the description or the readme.")
    type: ItemType | None = Field(None, description="Only return items of this type.")
    sort: Sort | None = Field(
        None,
        description="Sort order: by number of installations, age, rating, or relevance to `search`. Relevance "
        "weights the name highest, then tags, description and readme. Defaults to `relevance` with a "
        "search, otherwise `popular`.",
    )

    @property
    def order(self) -> Sort:
        """Filter, sort order and page of the list of items."""
        return self.sort or ("relevance" if self.search.strip() else "popular")


class ItemPublish(Body):
    """Request body for publishing an item. Only its author sees it until the operator has reviewed it."""

    type: ItemType = Field(description="Type of the item.")
    name: Annotated[str, Field(min_length=1, max_length=100)] = Field(description="Name.")
    slug: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)] = Field(description="Name in URLs.")
    description: Annotated[str, Field(min_length=20, max_length=500)] = Field(description="Short description.")
    version: Version = "1.0.0"
    tags: Annotated[list[Tag], Field(max_length=10)] = Field(default_factory=list, description="Search keywords.")
    readme: str = Field("", max_length=50_000, description="Long description in Markdown.")
    manifest: dict[str, Any] = Field(description="Manifest: the content of the item.")


class ItemChange(Body):
    """Request body for publishing a new version of an item."""

    description: Annotated[str, Field(min_length=20, max_length=500)] | None = Field(
        None, description="Short description."
    )
    version: Version = Field(description="Version number, higher than the current one.")
    tags: Annotated[list[Tag], Field(max_length=10)] | None = Field(None, description="Search keywords.")
    readme: Annotated[str, Field(max_length=50_000)] | None = Field(None, description="Long description in Markdown.")
    manifest: dict[str, Any] | None = Field(None, description="Manifest: the content of the item.")


class ItemView(View):
    """A marketplace item."""

    id: int = Field(description="ID of the item.")
    type: ItemType = Field(description="Type of the item.")
    name: str = Field(description="Name.")
    slug: str = Field(description="Name in URLs.")
    description: str = Field(description="Short description.")
    author: str = Field(description="Name of the author.")
    version: str = Field(description="Latest version.")
    tier: ToolTier = Field(description="Lowest tier whose plans can install the item.")
    tags: list[str] = Field(description="Search keywords.")
    status: Status = Field(description="Status. Only `published` items are visible to other users.")
    pending_version: str | None = Field(description="Newer version that is waiting for review; null if there is none.")
    rating: float = Field(description="Average rating, 0 to 5.")
    ratings_count: int = Field(description="Number of ratings.")
    installs: int = Field(description="Number of installations.")
    created_at: Timestamp = Field(description="Time of the first publication.")
    updated_at: Timestamp = Field(description="Time at which the latest version was published.")


class SignatureView(View):
    """The signature of a manifest. It covers the JSON object of `slug`, `type`, `version` and `manifest`."""

    algorithm: Literal["ed25519", "sha256"] = Field(
        description="`ed25519` for a signature by the publisher's key, `sha256` for the checksum of a bundled item."
    )
    key_id: str | None = Field(description="ID of the publisher's key: 16 digits of the SHA-256 of the public key.")
    public_key: str | None = Field(description="Public key, 32 bytes in Base64.")
    value: str = Field(description="Signature in Base64, or checksum in hexadecimal.")


class ItemDetails(ItemView):
    """A marketplace item with its readme, manifest and signature."""

    readme: str = Field(description="Long description in Markdown.")
    manifest: dict[str, Any] = Field(description="Manifest: the content of the item.")
    revision: str = Field(
        description="Digest of the content that an approval would publish: the pending version, or the item if "
        "there is none."
    )
    signature: SignatureView | None = Field(
        description="Signature of the manifest, which is verified during installation. Null for items published "
        "before signatures existed; these cannot be installed."
    )


class InstallRequest(Body):
    """Request body for installing an item."""

    connection: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        None, description="Name of a connection of the kind `http`, for tools whose API requires a credential."
    )
    webhook_url: Address | None = Field(
        None,
        description="URL for the events of an extension with webhooks. The endpoints are disabled until you "
        "enable them.",
    )
    name: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        None, description="Name of the new agent or fleet. Not used for tools and extensions."
    )


class InstalledResource(View):
    """An object that an installation created."""

    resource: Literal["agent", "fleet", "tool", "extension", "webhook"] = Field(description="Type of the item.")
    id: int = Field(description="ID of the object; for a tool, of its source; for an extension, of its schedule.")
    name: str = Field(description="Name.")


class InstallationView(View):
    """An installation: the objects that an item created in your account."""

    id: int = Field(description="ID of the installation.")
    item_id: int = Field(description="The item.")
    type: ItemType = Field(description="Type of the item.")
    name: str = Field(description="Name of the item.")
    version: str = Field(description="Installed version.")
    installed: list[InstalledResource] = Field(description="Objects that the installation created.")
    needs: Needs = Field(
        description="Whether the API of a tool requires a credential. If so, install it with a connection."
    )
    installed_at: Timestamp = Field(description="Time of the installation.")


class InstallationDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the installation.")
    deleted: Literal[True]


class Rating(Body):
    """Request body for rating an item. It replaces your earlier rating."""

    stars: int = Field(ge=1, le=5, description="Stars, from 1 to 5.")


class Moderation(Body):
    """Request body for moderating an item, or for withdrawing your own item."""

    status: Literal["published", "rejected", "withdrawn"] = Field(description="Decision.")
    revision: str | None = Field(
        None,
        description="The item's `revision` when you reviewed it. The request fails if the author has changed the "
        "item since.",
    )
