"""Names of browsers, as far as their `User-Agent` tells."""

_BROWSERS = {"Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
"""In this order: Edge and Opera also call themselves Chrome, and Chrome calls itself Safari."""

_SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
"""In this order: Android also calls itself Linux, and iPhones call themselves Mac OS X."""

_SHOWN = 60


def client_name(user_agent: str) -> str:
    """Browser and system, such as `Firefox on Linux`; of other programs the beginning of what they send."""
    browser = next((name for mark, name in _BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS.items() if mark in user_agent), "")
    if browser:
        return f"{browser} on {system}" if system else browser
    return user_agent[:_SHOWN] or "A program that does not say its name"
