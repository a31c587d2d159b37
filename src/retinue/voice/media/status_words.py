"""Words the states of parts of the server for people, in the language of the page."""

import re

from retinue.language.error_words import error_words
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop

_COUNTED = re.compile(r"installing, (\d+) of (\d+) packages")
_STEPS = {
    "off": gettext_noop("switched off"),
    "ready": gettext_noop("ready"),
    "installing": gettext_noop("installing"),
    "not confined": gettext_noop("not confined"),
    "not installed": gettext_noop("not installed"),
    "starting": gettext_noop("starting"),
}
"""What the status of a part of the server begins with. A colon and the reason of a failure may follow."""


def status_words(status: str) -> str:
    """Return the words for the status of voice, of libraries, or of a sandbox."""
    if counted := _COUNTED.fullmatch(status):
        return _("installing, {installed} of {wanted} packages").format(installed=counted[1], wanted=counted[2])
    step, colon, reason = status.partition(": ")
    return f"{_(_STEPS[step])}{colon}{error_words(reason)}" if step in _STEPS else error_words(status)
