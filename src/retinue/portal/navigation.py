"""The navigation menu: all finished page groups, in order."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """An entry of the menu. `name` is the first segment of the page's path; `icon` is one of `static/icons.svg`."""

    name: str
    label: str
    icon: str


OPERATE = "Operate"
"""The menu group that only operators see."""

NAVIGATION: dict[str, tuple[Entry, ...]] = {
    "Build": (
        Entry("overview", "Overview", "layout-dashboard"),
        Entry("playground", "Playground", "message-square"),
        Entry("agents", "Agents", "bot"),
        Entry("fleets", "Fleets", "boxes"),
        Entry("models", "Models", "cpu"),
        Entry("tools", "Tools", "wrench"),
        Entry("marketplace", "Marketplace", "store"),
    ),
    "Voice": (
        Entry("calls", "Calls", "phone"),
        Entry("voice-rooms", "Rooms", "audio-lines"),
    ),
    "Automate": (
        Entry("runs", "Runs", "list-checks"),
        Entry("schedules", "Schedules", "calendar-clock"),
        Entry("approvals", "Approvals", "hand"),
    ),
    "Connect": (
        Entry("keys", "API keys", "key-round"),
        Entry("webhooks", "Webhooks", "webhook"),
        Entry("connections", "Connections", "plug"),
        Entry("sources", "Tool sources", "download"),
        Entry("files", "Files", "folder"),
        Entry("knowledge", "Knowledge", "file-text"),
        Entry("memory", "Memory", "history"),
        Entry("apps", "OAuth apps", "app-window"),
        Entry("docs", "API reference", "book-open"),
    ),
    "Account": (
        Entry("usage", "Usage", "chart-column"),
        Entry("requests", "Requests", "terminal"),
        Entry("audit", "Audit log", "scroll-text"),
        Entry("settings", "Settings", "settings"),
    ),
    OPERATE: (
        Entry("users", "Users", "users"),
        Entry("moderation", "Moderation", "shield-check"),
        Entry("health", "Health", "activity"),
    ),
}
"""The groups of the menu. Add an entry only when its page group is finished."""


def navigation_of(user: Mapping[str, Any]) -> dict[str, tuple[Entry, ...]]:
    """Return the menu groups that a user sees."""
    return {name: group for name, group in NAVIGATION.items() if name != OPERATE or user["operator"]}
