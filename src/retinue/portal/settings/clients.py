"""Name browsers by their `User-Agent` header."""

from retinue.language.translation import gettext as _

_BROWSERS = {"Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
"""The order matters: Edge and Opera also claim to be Chrome, and Chrome claims to be Safari."""

_SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
"""The order matters: Android also claims to be Linux, and iPhones claim to be Mac OS X."""

_MOST_CHARACTERS = 60


def client_name(user_agent: str) -> str:
    """Return browser and system, such as `Firefox on Linux`, or the beginning of the header for other programs."""
    browser = next((name for mark, name in _BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS.items() if mark in user_agent), "")
    if browser:
        return _("{browser} on {system}").format(browser=browser, system=system) if system else browser
    return user_agent[:_MOST_CHARACTERS] or _("An unidentified program")
