"""Marketplace items in the form that templates use."""

from dataclasses import dataclass
from typing import get_args

from retinue.language.translation import gettext_noop
from retinue.marketplace.manifests import (
    AgentManifest,
    ExtensionManifest,
    FleetManifest,
    ItemType,
    Manifest,
    ToolManifest,
    read_manifest,
)
from retinue.marketplace.tables import InstallationRow, MadeResource

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


def made_by(installation: InstallationRow) -> list[CreatedResource]:
    """Return the resources that an installation created."""
    manifest = _manifest_of(installation)
    return [_make(one, manifest) for one in installation.installed]


def _make(one: MadeResource, manifest: Manifest) -> CreatedResource:
    found: tuple[str, str, str] = {
        "agent": (gettext_noop("Agent"), "bot", f"/agents/{one['id']}"),
        "fleet": (gettext_noop("Fleet"), "boxes", f"/fleets/{one['id']}"),
        "tool": (gettext_noop("Tools"), "wrench", f"/tools/{_first_tool(one, manifest)}"),
        "extension": (gettext_noop("Schedule"), "calendar-clock", f"/schedules/{one['id']}"),
        "webhook": (gettext_noop("Endpoint"), "webhook", f"/webhooks/{one['id']}"),
    }[one["resource"]]
    label, icon, path = found
    return CreatedResource(label, one["name"], icon, path)


def _first_tool(one: MadeResource, manifest: Manifest) -> str:
    operation = manifest.operations[0].name if isinstance(manifest, ToolManifest) else ""
    return f"{one['name']}_{operation}"


def example_of(installation: InstallationRow) -> str:
    """Return a first request to try with the installed agents, or an empty string."""
    match manifest := _manifest_of(installation):
        case AgentManifest():
            return manifest.example
        case FleetManifest():
            return manifest.example or manifest.agents[0].example
        case ExtensionManifest():
            return manifest.agents[0].example
    return ""


def _manifest_of(installation: InstallationRow) -> Manifest:
    return read_manifest(installation.type, installation.manifest)
