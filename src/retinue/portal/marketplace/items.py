"""Items as the pages of the marketplace show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from retinue.marketplace.manifests import ItemType, read_manifest

TYPES: dict[ItemType, tuple[str, str]] = {
    "agent": ("Agent", "bot"),
    "fleet_template": ("Fleet", "boxes"),
    "tool": ("Tools", "wrench"),
    "extension": ("Extension", "calendar-clock"),
}
"""What people call the types of items, with an icon."""

KINDS: tuple[ItemType, ...] = get_args(ItemType)
SORTS = {"popular": "Most installed", "newest": "Newest", "rating": "Best rated"}


@dataclass(frozen=True)
class Made:
    """Something that an installation made: where it is, and what people call it."""

    label: str
    name: str
    icon: str
    path: str


def manifest_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of an item or an installation, with the defaults of what its author left out."""
    return read_manifest(record["type"], record["manifest"]).model_dump()


def made_by(installation: Mapping[str, Any]) -> list[Made]:
    """What an installation made."""
    manifest = manifest_of(installation)
    return [_make(one, manifest) for one in installation["installed"]]


def _make(one: Mapping[str, Any], manifest: Mapping[str, Any]) -> Made:
    found: tuple[str, str, str] = {
        "agent": ("Agent", "bot", f"/agents/{one['id']}"),
        "fleet": ("Fleet", "boxes", f"/fleets/{one['id']}"),
        "tool": ("Tools", "wrench", f"/tools/{_first_tool(one, manifest)}"),
        "extension": ("Schedule", "calendar-clock", f"/schedules/{one['id']}"),
    }[one["resource"]]
    label, icon, path = found
    return Made(label, one["name"], icon, path)


def _first_tool(one: Mapping[str, Any], manifest: Mapping[str, Any]) -> str:
    operations: Sequence[Mapping[str, Any]] = manifest.get("operations") or [{"name": ""}]
    return f"{one['name']}_{operations[0]['name']}"


def example_of(installation: Mapping[str, Any]) -> str:
    """A first request to try with what was made; empty where the item names none."""
    manifest = manifest_of(installation)
    agents = manifest.get("agents") or [{}]
    return str(manifest.get("example") or agents[0].get("example") or "")
