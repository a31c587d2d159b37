"""The navigation menu. A page group declares its entry where it declares its pages."""

from collections.abc import Iterable
from typing import NamedTuple

from retinue.auth.account.schemas import AccountView
from retinue.language.translation import gettext_noop


class MenuEntry(NamedTuple):
    """An entry of the menu. `name` is the first segment of the page's path; `icon` is one of `static/icons.svg`.

    `group` and `label` are messages of the catalogues. The command palette finds the entry by its label, in English
    and in the language of the page, and by `words`.
    """

    group: str
    name: str
    label: str
    icon: str
    words: str = ""


class MenuGroup(NamedTuple):
    """A group of the menu. One that `folds` is closed unless the reader is on one of its pages."""

    entries: tuple[MenuEntry, ...]
    folds: bool = False


_OPERATE = gettext_noop("Operate")
"""The group that only operators see."""

_GROUPS = {
    gettext_noop("Build"): False,
    gettext_noop("Automate"): False,
    gettext_noop("Connect"): False,
    gettext_noop("Developers"): True,
    gettext_noop("Account"): False,
    _OPERATE: True,
}
"""The groups in order, and whether they fold."""


class Navigation:
    """The menu with these entries, which keep their order within their groups."""

    def __init__(self, entries: Iterable[MenuEntry]) -> None:
        every = list(entries)
        self.groups = {
            name: MenuGroup(tuple(entry for entry in every if entry.group == name), folds)
            for name, folds in _GROUPS.items()
        }

    def of(self, user: AccountView) -> dict[str, MenuGroup]:
        """Return the groups that a user sees."""
        return {name: group for name, group in self.groups.items() if name != _OPERATE or user.operator}


SHORTCUTS = (
    ("o", "/overview", gettext_noop("Overview")),
    ("p", "/playground", gettext_noop("Playground")),
    ("a", "/agents", gettext_noop("Agents")),
    ("r", "/runs", gettext_noop("Runs")),
    ("k", "/knowledge", gettext_noop("Knowledge")),
    ("t", "/tools", gettext_noop("Tools")),
    ("m", "/models", gettext_noop("Models")),
    ("s", "/settings", gettext_noop("Settings")),
)
"""The pages that "g" and a letter lead to."""
