"""Words the state of voice for people, in the language of the page."""

import re

from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop

_COUNTED = re.compile(r"installing, (\d+) of (\d+) packages")
_STEPS = {
    "off": gettext_noop("switched off"),
    "ready": gettext_noop("ready"),
    "installing": gettext_noop("installing"),
    "not installed": gettext_noop("not installed"),
    "starting": gettext_noop("starting"),
}
"""What `MediaService.status` begins with. A colon and the reason of a failure, which is in English, may follow."""


def status_words(status: str) -> str:
    """Return the words for a `MediaService.status`."""
    if counted := _COUNTED.fullmatch(status):
        return _("installing, {installed} of {wanted} packages").format(installed=counted[1], wanted=counted[2])
    step, colon, reason = status.partition(": ")
    return f"{_(_STEPS.get(step, step))}{colon}{reason}"
