"""Marketplace items in the form that templates use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from retinue.language.translation import gettext_noop
from retinue.marketplace.manifests import ItemType, read_manifest

TYPES: dict[ItemType, tuple[str, str]] = {
    "agent": (gettext_noop("Agent"), "bot"),
    "fleet_template": (gettext_noop("Fleet"), "boxes"),
    "tool": (gettext_noop("Tools"), "wrench"),
    "extension": (gettext_noop("Extension"), "calendar-clock"),
}
"""Label and icon of each type of item."""

KINDS: tuple[ItemType, ...] = get_args(ItemType)
SORTS = {
    "popular": gettext_noop("Most installed"),
    "newest": gettext_noop("Newest"),
    "rating": gettext_noop("Best rated"),
}


@dataclass(frozen=True)
class CreatedResource:
    """A resource that an installation created, with its label and its path."""

    label: str
    name: str
    icon: str
    path: str


def manifest_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest of an item or installation, with defaults filled in."""
    return read_manifest(record["type"], record["manifest"]).model_dump()


def made_by(installation: Mapping[str, Any]) -> list[CreatedResource]:
    """Return the resources that an installation created."""
    manifest = manifest_of(installation)
    return [_make(one, manifest) for one in installation["installed"]]


def _make(one: Mapping[str, Any], manifest: Mapping[str, Any]) -> CreatedResource:
    found: tuple[str, str, str] = {
        "agent": (gettext_noop("Agent"), "bot", f"/agents/{one['id']}"),
        "fleet": (gettext_noop("Fleet"), "boxes", f"/fleets/{one['id']}"),
        "tool": (gettext_noop("Tools"), "wrench", f"/tools/{_first_tool(one, manifest)}"),
        "extension": (gettext_noop("Schedule"), "calendar-clock", f"/schedules/{one['id']}"),
    }[one["resource"]]
    label, icon, path = found
    return CreatedResource(label, one["name"], icon, path)


def _first_tool(one: Mapping[str, Any], manifest: Mapping[str, Any]) -> str:
    operations: Sequence[Mapping[str, Any]] = manifest.get("operations") or [{"name": ""}]
    return f"{one['name']}_{operations[0]['name']}"


def example_of(installation: Mapping[str, Any]) -> str:
    """Return a first request to try with the installed agents, or an empty string."""
    manifest = manifest_of(installation)
    agents = manifest.get("agents") or [{}]
    return str(manifest.get("example") or agents[0].get("example") or "")
