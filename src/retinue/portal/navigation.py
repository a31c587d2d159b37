"""The navigation menu: all finished page groups, in order."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class MenuEntry(NamedTuple):
    """An entry of the menu. `name` is the first segment of the page's path; `icon` is one of `static/icons.svg`."""

    name: str
    label: str
    icon: str


OPERATE = "Operate"
"""The menu group that only operators see."""

NAVIGATION: dict[str, tuple[MenuEntry, ...]] = {
    "Build": (
        MenuEntry("overview", "Overview", "layout-dashboard"),
        MenuEntry("playground", "Playground", "message-square"),
        MenuEntry("agents", "Agents", "bot"),
        MenuEntry("fleets", "Fleets", "boxes"),
        MenuEntry("models", "Models", "cpu"),
        MenuEntry("tools", "Tools", "wrench"),
        MenuEntry("marketplace", "Marketplace", "store"),
    ),
    "Voice": (
        MenuEntry("calls", "Calls", "phone"),
        MenuEntry("voice-rooms", "Rooms", "audio-lines"),
    ),
    "Automate": (
        MenuEntry("runs", "Runs", "list-checks"),
        MenuEntry("schedules", "Schedules", "calendar-clock"),
        MenuEntry("approvals", "Approvals", "hand"),
    ),
    "Connect": (
        MenuEntry("keys", "API keys", "key-round"),
        MenuEntry("webhooks", "Webhooks", "webhook"),
        MenuEntry("connections", "Connections", "plug"),
        MenuEntry("sources", "Tool sources", "download"),
        MenuEntry("files", "Files", "folder"),
        MenuEntry("knowledge", "Knowledge", "file-text"),
        MenuEntry("apps", "OAuth apps", "app-window"),
        MenuEntry("docs", "API reference", "book-open"),
    ),
    "Account": (
        MenuEntry("usage", "Usage", "chart-column"),
        MenuEntry("requests", "Requests", "terminal"),
        MenuEntry("audit", "Audit log", "scroll-text"),
        MenuEntry("settings", "Settings", "settings"),
    ),
    OPERATE: (
        MenuEntry("users", "Users", "users"),
        MenuEntry("moderation", "Moderation", "shield-check"),
        MenuEntry("health", "Health", "activity"),
    ),
}
"""The groups of the menu. Add an entry only when its page group is finished."""


def navigation_of(user: Mapping[str, Any]) -> dict[str, tuple[MenuEntry, ...]]:
    """Return the menu groups that a user sees."""
    return {name: group for name, group in NAVIGATION.items() if name != OPERATE or user["operator"]}
