"""The navigation menu: all finished page groups, in order."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """An entry of the menu. `name` is the first segment of the page's path; `icon` is one of `static/icons.svg`.

    The command palette finds it by its label and by `words`.
    """

    name: str
    label: str
    icon: str
    words: str = ""


class Group(NamedTuple):
    """A group of the menu. One that `folds` is closed unless the reader is on one of its pages."""

    entries: tuple[Entry, ...]
    folds: bool = False


OPERATE = "Operate"
"""The menu group that only operators see."""

NAVIGATION: dict[str, Group] = {
    "Build": Group(
        (
            Entry("overview", "Overview", "layout-dashboard", "home dashboard"),
            Entry("playground", "Playground", "message-square", "chat conversation"),
            Entry("agents", "Agents", "bot"),
            Entry("fleets", "Fleets", "boxes", "teams"),
            Entry("knowledge", "Knowledge", "file-text", "documents collections rag"),
            Entry("tools", "Tools", "wrench", "skills functions"),
            Entry("models", "Models", "cpu", "providers openai anthropic gemini ollama"),
            Entry("marketplace", "Marketplace", "store", "install"),
        )
    ),
    "Automate": Group(
        (
            Entry("runs", "Runs", "list-checks", "traces history errors failed"),
            Entry("schedules", "Schedules", "calendar-clock", "cron"),
            Entry("approvals", "Approvals", "hand"),
            Entry("calls", "Calls", "phone", "telephone voice"),
            Entry("voice-rooms", "Rooms", "audio-lines", "voice talk"),
        )
    ),
    "Connect": Group(
        (
            Entry("connections", "Connections", "plug", "mail slack telegram credentials"),
            Entry("sources", "Tool sources", "download", "import openapi mcp"),
            Entry("files", "Files", "folder", "uploads"),
        )
    ),
    "Developers": Group(
        (
            Entry("keys", "API keys", "key-round", "tokens"),
            Entry("webhooks", "Webhooks", "webhook", "events deliveries"),
            Entry("apps", "OAuth apps", "app-window"),
            Entry("requests", "Requests", "terminal", "log"),
            Entry("audit", "Audit log", "scroll-text", "who changed"),
            Entry("docs", "API reference", "book-open", "documentation"),
        ),
        folds=True,
    ),
    "Account": Group(
        (
            Entry("usage", "Usage", "chart-column", "costs tokens limits quota"),
            Entry("settings", "Settings", "settings", "password name sessions profile"),
        )
    ),
    OPERATE: Group(
        (
            Entry("users", "Users", "users", "invite colleague"),
            Entry("moderation", "Moderation", "shield-check"),
            Entry("health", "Health", "activity", "status"),
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
