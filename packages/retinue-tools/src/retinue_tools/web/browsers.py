"""Browsers: user agents, and recordings of requests (HAR)."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import orjson
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool


class Agent(TypedDict):
    """A parsed user agent."""

    browser: Annotated[str, About("Name of the browser or program")]
    browser_version: Annotated[str, About("Version of the browser or program")]
    engine: Annotated[str, About("Blink, WebKit, Gecko, Trident, or empty")]
    system: Annotated[str, About("Operating system")]
    system_version: Annotated[str, About("Version of the operating system, if stated")]
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
    reply={
        "bot": "It is the crawler {browser}.",
        "system, system_version": "It is {browser} {browser_version} on {system} {system_version}, a {device}.",
        "system": "It is {browser} {browser_version} on {system}, a {device}.",
        "": "It is {browser}, a {device}.",
    },
)
def useragent_parse_text(
    user_agent: Annotated[str, About("Value of User-Agent", "curl/8.4.0", min_length=1, max_length=2000)],
) -> Agent:
    """Detect browser, version, engine, operating system and kind of device from a user agent.

    Use it for logs and captured requests. A user agent may contain false information.
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


_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"


class Slow(TypedDict):
    """A recorded request."""

    url: Annotated[str, About("URL of the request")]
    method: Annotated[str, About("Method")]
    status: Annotated[int, About("Status of the response")]
    time_ms: Annotated[float, About("Duration")]
    bytes: Annotated[int, About("Size of the response in bytes")]


class Recording(TypedDict):
    """A summary of a HAR file."""

    requests: Annotated[int, About("Number of requests")]
    bytes: Annotated[int, About("Total bytes of the responses")]
    time_ms: Annotated[float, About("Total duration of the requests")]
    statuses: Annotated[dict[str, int], About("Number of responses by status")]
    hosts: Annotated[dict[str, int], About("Number of requests by host, most first, at most 100")]
    media_types: Annotated[dict[str, int], About("Bytes by media type")]
    slowest: Annotated[list[Slow], About("The ten slowest requests")]
    largest: Annotated[list[Slow], About("The ten largest responses")]
    failed: Annotated[list[Slow], About("Responses with a status of 400 or more, or without a status, at most 100")]


_HAR = json.dumps(
    {
        "log": {
            "version": "1.2",
            "entries": [
                {
                    "time": 30.5,
                    "request": {"method": "GET", "url": "https://example.com/"},
                    "response": {
                        "status": 200,
                        "content": {"size": 900, "mimeType": "text/html; charset=utf-8"},
                        "bodySize": 400,
                    },
                },
                {
                    "time": 10,
                    "request": {"method": "POST", "url": "https://api.example.com/x"},
                    "response": {"status": 500, "content": {"size": 20, "mimeType": ""}, "bodySize": -1},
                },
            ],
        }
    }
)


@tool(
    tags="har http archive file summarize requests slow performance browser network recording",
    use_when=(
        "Summarise this HAR file.",
        "Which requests of the recording were slow or failed?",
        "How many bytes did the page load according to the HAR?",
    ),
    examples=(
        Example(
            {"text": _HAR},
            {
                "requests": 2,
                "bytes": 420,
                "time_ms": 40.5,
                "statuses": {"200": 1, "500": 1},
                "hosts": {"example.com": 1, "api.example.com": 1},
                "media_types": {"text/html": 400, "unknown": 20},
                "failed": [
                    {"url": "https://api.example.com/x", "method": "POST", "status": 500, "time_ms": 10.0, "bytes": 20}
                ],
            },
            source="HAR 1.2: bodySize is -1 where it is not known, and then the size of the content counts",
        ),
        Example(
            {"file": _FILE},
            {"requests": 0},
            source="a file without entries",
            files={_FILE: "eyJsb2ciOnsiZW50cmllcyI6W119fQ=="},
        ),
        Refusal({"text": "{}"}, "not a HAR file"),
    ),
    reply={
        "failed": "The recording has {requests|request} with {bytes|byte}. Some failed: {failed}",
        "slowest": "The recording has {requests|request} with {bytes|byte}, and none failed. The slowest: {slowest}",
        "": "The recording contains no requests.",
    },
    memory_mb=1024,
)
def har_summarize_file(
    text: Annotated[
        str | None, About("Text of the file, unless file is given", '{"log": {}}', max_length=2_000_000)
    ] = None,
    file: File | None = None,
) -> Recording:
    """Summarise a HAR file, as recorded by browsers: requests, bytes, hosts, and the slow, large and failed ones.

    Use it to find out why a page is slow or fails.
    """
    if (text is None) == (file is None):
        raise ToolError("Give either text or file: the text of the recording, or the file.")
    entries = [_record(entry) for entry in _entries(text if file is None else Path(file).read_bytes())]
    requests = [request for request, _ in entries]
    kinds: Counter[str] = Counter()
    for request, kind in entries:
        kinds[kind] += request["bytes"]
    hosts = Counter(_host(request["url"]) for request in requests)
    return {
        "requests": len(requests),
        "bytes": sum(request["bytes"] for request in requests),
        "time_ms": round(sum(request["time_ms"] for request in requests), 3),
        "statuses": dict(Counter(str(request["status"]) for request in requests)),
        "hosts": dict(hosts.most_common(100)),
        "media_types": dict(kinds.most_common(100)),
        "slowest": sorted(requests, key=lambda request: -request["time_ms"])[:10],
        "largest": sorted(requests, key=lambda request: -request["bytes"])[:10],
        "failed": [request for request in requests if not 100 <= request["status"] < 400][:100],
    }


def _entries(content: str | bytes | None) -> list[dict[str, Any]]:
    try:
        log = orjson.loads(content or "")
        entries = log["log"]["entries"]
    except (ValueError, KeyError, TypeError) as error:
        raise ToolError("This is not a HAR file: it is not JSON with log and entries.") from error
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _record(entry: dict[str, Any]) -> tuple[Slow, str]:
    request, response = (_object(entry.get(name)) for name in ("request", "response"))
    content = _object(response.get("content"))
    size = _number(response.get("bodySize"))
    kind = str(content.get("mimeType") or "").partition(";")[0].strip() or "unknown"
    return {
        "url": str(request.get("url", ""))[:2000],
        "method": str(request.get("method", ""))[:20],
        "status": int(_number(response.get("status"))),
        "time_ms": max(_number(entry.get("time")), 0.0),
        "bytes": int(size if size > 0 else max(_number(content.get("size")), 0)),
    }, kind[:100]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and abs(value) < 1e15 else 0.0


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
