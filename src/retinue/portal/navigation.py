"""The navigation menu: all finished page groups, in order."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class MenuEntry(NamedTuple):
    """An entry of the menu. `name` is the first segment of the page's path; `icon` is one of `static/icons.svg`.

    The command palette finds it by its label and by `words`.
    """

    name: str
    label: str
    icon: str
    words: str = ""


class Group(NamedTuple):
    """A group of the menu. One that `folds` is closed unless the reader is on one of its pages."""

    entries: tuple[MenuEntry, ...]
    folds: bool = False


OPERATE = "Operate"
"""The menu group that only operators see."""

NAVIGATION: dict[str, Group] = {
    "Build": Group(
        (
            MenuEntry("overview", "Overview", "layout-dashboard", "home dashboard"),
            MenuEntry("playground", "Playground", "message-square", "chat conversation"),
            MenuEntry("agents", "Agents", "bot"),
            MenuEntry("fleets", "Fleets", "boxes", "teams"),
            MenuEntry("knowledge", "Knowledge", "file-text", "documents collections rag"),
            MenuEntry("skills", "Skills", "sparkles", "instructions scripts skill.md"),
            MenuEntry("memory", "Memory", "history", "facts remember users"),
            MenuEntry("tools", "Tools", "wrench", "functions"),
            MenuEntry("models", "Models", "cpu", "providers openai anthropic gemini ollama"),
            MenuEntry("marketplace", "Marketplace", "store", "install"),
        )
    ),
    "Automate": Group(
        (
            MenuEntry("runs", "Runs", "list-checks", "traces history errors failed"),
            MenuEntry("schedules", "Schedules", "calendar-clock", "cron"),
            MenuEntry("approvals", "Approvals", "hand"),
            MenuEntry("calls", "Calls", "phone", "telephone voice"),
            MenuEntry("voice-rooms", "Rooms", "audio-lines", "voice talk"),
        )
    ),
    "Connect": Group(
        (
            MenuEntry("connections", "Connections", "plug", "mail slack telegram credentials"),
            MenuEntry("sources", "Tool sources", "download", "import openapi mcp"),
            MenuEntry("files", "Files", "folder", "uploads"),
        )
    ),
    "Developers": Group(
        (
            MenuEntry("keys", "API keys", "key-round", "tokens"),
            MenuEntry("webhooks", "Webhooks", "webhook", "events deliveries"),
            MenuEntry("apps", "OAuth apps", "app-window"),
            MenuEntry("requests", "Requests", "terminal", "log"),
            MenuEntry("audit", "Audit log", "scroll-text", "who changed"),
            MenuEntry("docs", "API reference", "book-open", "documentation"),
        ),
        folds=True,
    ),
    "Account": Group(
        (
            MenuEntry("usage", "Usage", "chart-column", "costs tokens limits quota"),
            MenuEntry("settings", "Settings", "settings", "password name sessions profile"),
        )
    ),
    OPERATE: Group(
        (
            MenuEntry("users", "Users", "users", "invite colleague"),
            MenuEntry("moderation", "Moderation", "shield-check"),
            MenuEntry("health", "Health", "activity", "status"),
        ),
        folds=True,
    ),
}
"""The groups of the menu. Add an entry only when its page group is finished."""

SHORTCUTS = (
    ("o", "/overview", "Overview"),
    ("p", "/playground", "Playground"),
    ("a", "/agents", "Agents"),
    ("r", "/runs", "Runs"),
    ("k", "/knowledge", "Knowledge"),
    ("t", "/tools", "Tools"),
    ("m", "/models", "Models"),
    ("s", "/settings", "Settings"),
)
"""The pages that "g" and a letter lead to."""


def navigation_of(user: Mapping[str, Any]) -> dict[str, Group]:
    """Return the menu groups that a user sees."""
    return {name: group for name, group in NAVIGATION.items() if name != OPERATE or user["operator"]}
