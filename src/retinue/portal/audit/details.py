"""The details of audit entries in words: which fields changed, and what became of a record."""

import re

from retinue.language.error_words import error_words
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop

_CHANGED = re.compile(r"(?:Replaced|Changed): ([a-z_]+(?:, [a-z_]+)*)\.")
_MODERATED = re.compile(r"^(\S{1,90}(?: \S{1,90})?(?:, |: ))(pending|published|rejected|withdrawn)\.")
_CONNECTED = re.compile(r"Connected by (\S+)\.")

FIELDS = {
    "accepts_files": gettext_noop("Visitors can attach files"),
    "appearance": gettext_noop("Appearance"),
    "base_url": gettext_noop("Address"),
    "concurrency": gettext_noop("Requests at the same time"),
    "daily_messages": gettext_noop("Messages a day, all visitors"),
    "enabled": gettext_noop("Enabled"),
    "headers": gettext_noop("Headers"),
    "key": gettext_noop("Key"),
    "models": gettext_noop("Models to offer"),
    "name": gettext_noop("Name"),
    "origins": gettext_noop("Sites"),
    "page_enabled": gettext_noop("A page with a link"),
    "plans": gettext_noop("Only accounts on these plans"),
    "query": gettext_noop("Query parameters"),
    "secret": gettext_noop("Secret"),
    "settings": gettext_noop("Settings"),
    "shared": gettext_noop("Share with all accounts"),
    "visitor_daily_messages": gettext_noop("Messages a day, one visitor"),
}
"""The fields that entries name, as the forms label them."""

_SWITCHED = {"Paused.": gettext_noop("Paused"), "Resumed.": gettext_noop("Resumed")}
_STATES = {
    "pending": gettext_noop("Pending"),
    "published": gettext_noop("Published"),
    "rejected": gettext_noop("Rejected"),
    "withdrawn": gettext_noop("Withdrawn"),
}


def detail_words(detail: str) -> str:
    """Return the detail of an entry as people read it, in the language of the page."""
    if detail in _SWITCHED:
        return _(_SWITCHED[detail])
    if changed := _CHANGED.fullmatch(detail):
        names = [_(FIELDS[name]) if name in FIELDS else name for name in changed[1].split(", ")]
        return _("Changed: {fields}").format(fields="; ".join(names))
    if state := _MODERATED.fullmatch(detail):
        return f"{state[1]}{_(_STATES[state[2]])}"
    if connected := _CONNECTED.fullmatch(detail):
        return _("Connected at {host}").format(host=connected[1])
    return error_words(detail)
