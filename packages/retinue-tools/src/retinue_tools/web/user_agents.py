"""Who says to be asking: user agents."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool


class Agent(TypedDict):
    """Who a user agent is."""

    browser: Annotated[str, About("Name of the browser or program")]
    browser_version: Annotated[str, About("Its version")]
    engine: Annotated[str, About("Blink, WebKit, Gecko, Trident, or empty")]
    system: Annotated[str, About("Operating system")]
    system_version: Annotated[str, About("Its version, where it is told")]
    device: Annotated[str, About("desktop, phone, tablet, bot or program")]
    bot: Annotated[bool, About("Whether it is a crawler")]


_BROWSERS = (
    ("Edge", r"Edg(?:e|A|iOS)?/([\d.]+)"),
    ("Opera", r"(?:OPR|Opera)/([\d.]+)"),
    ("Samsung Internet", r"SamsungBrowser/([\d.]+)"),
    ("Vivaldi", r"Vivaldi/([\d.]+)"),
    ("Yandex", r"YaBrowser/([\d.]+)"),
    ("Firefox", r"(?:Firefox|FxiOS)/([\d.]+)"),
    ("Chrome", r"(?:Chrome|CriOS|Chromium)/([\d.]+)"),
    ("Safari", r"Version/([\d.]+).*Safari/"),
    ("Internet Explorer", r"(?:MSIE |Trident/.*rv:)([\d.]+)"),
)
_SYSTEMS = (
    ("Windows", r"Windows NT ([\d.]+)"),
    ("iOS", r"(?:iPhone OS|CPU OS) ([\d_]+)"),
    ("macOS", r"Mac OS X ([\d_.]+)"),
    ("Android", r"Android ?([\d.]*)"),
    ("ChromeOS", r"CrOS \S+ ([\d.]+)"),
    ("Linux", r"Linux()"),
)
_WINDOWS = {"10.0": "10 or 11", "6.3": "8.1", "6.2": "8", "6.1": "7", "6.0": "Vista", "5.1": "XP"}
_BOT = r"([A-Za-z][\w .-]{0,40}?(?:bot|crawler|spider|slurp|archiver)[\w-]{0,20})(?:/v?([\d.]+))?"


@tool(
    tags="user agent parse browser operating system device bot crawler string detect",
    use_when=(
        "Which browser sends Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0?",
        "Is this user agent a bot?",
        "Phone or desktop: what device is it by its user agent?",
    ),
    examples=(
        Example(
            {
                "user_agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/120.0.0.0 Safari/537.36 Edg/120.0.2210.91"
            },
            {
                "browser": "Edge",
                "browser_version": "120.0.2210.91",
                "engine": "Blink",
                "system": "Windows",
                "system_version": "10 or 11",
                "device": "desktop",
                "bot": False,
            },
            source="the documentation of Microsoft Edge on its user agent",
        ),
        Example(
            {
                "user_agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, "
                "like Gecko) Version/17.1 Mobile/15E148 Safari/604.1"
            },
            {
                "browser": "Safari",
                "browser_version": "17.1",
                "engine": "WebKit",
                "system": "iOS",
                "system_version": "17.1",
                "device": "phone",
            },
            source="the string itself, as Safari sends it",
        ),
        Example(
            {"user_agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
            {"browser": "Googlebot", "browser_version": "2.1", "device": "bot", "bot": True},
            source="the documentation of Google's crawlers",
        ),
        Example(
            {"user_agent": "curl/8.4.0"},
            {"browser": "curl", "browser_version": "8.4.0", "device": "program"},
            source="RFC 9110, section 10.1.5",
        ),
        Refusal({"user_agent": ""}, "at least 1"),
    ),
)
def useragent_parse_text(
    user_agent: Annotated[str, About("Value of User-Agent", "curl/8.4.0", min_length=1, max_length=2000)],
) -> Agent:
    """Tell browser, version, engine, operating system and kind of device from a user agent.

    Use it on logs and captured requests. What a user agent says may be made up.
    """
    text = user_agent
    bot = re.search(_BOT, text, re.IGNORECASE)
    browser, version = ("", "") if not bot else (bot[1].strip(), bot[2] or "")
    if not bot:
        browser, version = _first(_BROWSERS, text)
        plain = re.match(r"([\w.-]+)/v?([\d.]+)", text)
        if not browser and plain and plain[1] != "Mozilla":
            browser, version = plain[1], plain[2]
    system, release = _first(_SYSTEMS, text)
    release = _WINDOWS.get(release, release) if system == "Windows" else release.replace("_", ".")
    return {
        "browser": browser,
        "browser_version": version,
        "engine": _engine(text),
        "system": system,
        "system_version": release,
        "device": "bot" if bot else _device(text),
        "bot": bot is not None,
    }


def _first(signs: tuple[tuple[str, str], ...], text: str) -> tuple[str, str]:
    for name, pattern in signs:
        if found := re.search(pattern, text):
            return name, found[1]
    return "", ""


def _engine(text: str) -> str:
    signs = {"Trident/": "Trident", "MSIE": "Trident", "Gecko/": "Gecko", "Chrome/": "Blink", "AppleWebKit/": "WebKit"}
    return next((engine for sign, engine in signs.items() if sign in text), "")


def _device(text: str) -> str:
    if not text.startswith(("Mozilla/", "Opera/")):
        return "program"
    if "iPad" in text or "Tablet" in text or ("Android" in text and "Mobile" not in text):
        return "tablet"
    return "phone" if "Mobi" in text else "desktop"
