"""Extraction from running text: addresses, links and tags."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Annotated
from urllib.parse import urlsplit

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, tool
from retinue_tools.text._marks import MARK

_EMAIL = re.compile(
    r"(?<![\w.+%-])[A-Za-z0-9_][\w.+%'-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![\w@-])"
)
_URL = re.compile(r"(?:(?:https?|ftp)://|(?<![\w@./])www\.)[^\s<>\"\u201c\u201d\u00ab\u00bb{}|\\^`]+", re.IGNORECASE)
_HASHTAG = re.compile(rf"(?<![\w&/#])#(?=\d*[^\W\d_])((?:(?!\d\ufe0f?\u20e3)\w|{MARK}){{1,100}})")
_MENTION = re.compile(r"(?<![\w@./])@([A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,58}[A-Za-z0-9_])?)(?![\w@])")
_PICTURES = (
    "\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2600-\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f004\U0001f0cf\U0001f18e"
    "\U0001f191-\U0001f19a\U0001f201\U0001f21a\U0001f22f\U0001f232-\U0001f236\U0001f238-\U0001f23a\U0001f250\U0001f251"
    "\U0001f300-\U0001faff"
)
_SIGNS = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u2328\u23cf\u23ed-\u23ef\u23f1\u23f2\u23f8-\u23fa\u24c2"
    "\u25aa\u25ab\u25b6\u25c0\u25fb\u25fc\u2934\u2935\u2b05-\u2b07\u3030\u303d\u3297\u3299\U0001f170\U0001f171\U0001f17e"
    "\U0001f17f\U0001f202\U0001f237"
)
"""Signs that are emoji only before a variation selector (emoji-data.txt of Unicode)."""
_PICTURE = f"(?:[{_PICTURES}][\ufe0f\U0001f3fb-\U0001f3ff]?|[{_SIGNS}]\ufe0f)"
_EMOJI = re.compile(f"[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3|{_PICTURE}(?:\u200d{_PICTURE}){{0,6}}")
_MOST = 2000


class Addresses(TypedDict):
    """E-mail addresses in a text."""

    emails: Annotated[list[str], About("Each address once, in text order, with the domain in lower case")]
    domains: Annotated[dict[str, int], About("Number of addresses by domain")]
    count: Annotated[int, About("Number of distinct addresses")]


class Link(TypedDict):
    """A link of a text."""

    url: Annotated[str, About("URL; www. is prefixed with https://")]
    host: Annotated[str, About("Host in lower case")]
    position: Annotated[int, About("Start position in the text, from 0")]


class Links(TypedDict):
    """Links in a text."""

    urls: Annotated[list[Link], About("Each URL once, in text order")]
    count: Annotated[int, About("Number of distinct URLs")]


class Tags(TypedDict):
    """Tags in a post."""

    hashtags: Annotated[list[str], About("Hashtags without #, each once")]
    mentions: Annotated[list[str], About("Mentions without @, each once")]
    emoji: Annotated[list[str], About("Emoji, each once")]
    text_without: Annotated[str, About("Text without them")]


@tool(
    tags="extract email addresses mail contacts find parse list",
    use_when=(
        "Get all e-mail addresses from this page",
        "Which mail domains occur in this list?",
        "Collect the contacts out of a signature",
        "Get the email addresses out of a text",
    ),
    examples=(
        Example(
            {"text": "Mail jane.doe+news@Example.org, or <info@example.co.uk>. Not @handle or a@b. INFO@example.co.uk"},
            {
                "emails": ["jane.doe+news@example.org", "info@example.co.uk"],
                "domains": {"example.org": 1, "example.co.uk": 1},
                "count": 2,
            },
            source="by hand, after RFC 5321",
        ),
        Refusal({"text": 5}, "text"),
    ),
    reply={
        "emails.1": "I found {count|address|addresses}: {emails}",
        "emails": "The e-mail address is {emails.0}.",
        "": "There is no e-mail address in the text.",
    },
)
def text_extract_emails(text: Text) -> Addresses:
    """Extract the e-mail addresses of a text, each once.

    Returns the addresses and the number of addresses by domain. Addresses with quotation marks or in other scripts are
    not found.
    """
    found: dict[str, str] = {}
    for match in _EMAIL.finditer(text):
        local, _, domain = match[0].rpartition("@")
        found.setdefault(f"{local}@{domain}".lower(), f"{local}@{domain.lower()}")
    emails = list(found.values())
    domains: dict[str, int] = {}
    for email in emails:
        domain = email.rpartition("@")[2]
        domains[domain] = domains.get(domain, 0) + 1
    return {"emails": emails[:_MOST], "domains": domains, "count": len(emails)}


@tool(
    tags="extract urls links web addresses http hosts find",
    use_when=(
        "List all links in this text",
        "Which websites does this mail point to?",
        "Pull the URLs out of a chat log",
    ),
    examples=(
        Example(
            {"text": "See https://Example.org/a_(b)?q=1, (www.example.com/x). http://example.org!"},
            {
                "urls": [
                    {"url": "https://Example.org/a_(b)?q=1", "host": "example.org", "position": 4},
                    {"url": "https://www.example.com/x", "host": "www.example.com", "position": 36},
                    {"url": "http://example.org", "host": "example.org"},
                ],
                "count": 3,
            },
            source="by hand: punctuation at the end belongs to the sentence, RFC 3986 appendix C",
        ),
        Refusal({"text": None}, "text"),
    ),
    reply={
        "urls.1": "I found {count|address|addresses}: {urls}",
        "urls": "The address is {urls.0.url}.",
        "": "There is no web address in the text.",
    },
)
def text_extract_urls(text: Text) -> Links:
    """Extract the web addresses of a text (http, https, ftp and www.), without the punctuation around them.

    Returns each address once with its host and position.
    """
    links: dict[str, Link] = {}
    for match in _URL.finditer(text):
        bare = _without_ending(match[0])
        url = bare if "://" in bare else f"https://{bare}"
        if host := _host(url):
            links.setdefault(url, {"url": url, "host": host, "position": match.start()})
    return {"urls": list(links.values())[:_MOST], "count": len(links)}


@tool(
    tags="hashtags mentions emoji social media post tags handles twitter instagram",
    use_when=(
        "Which hashtags and @mentions are in this post?",
        "Strip the emoji and hashtags from a caption",
        "List the handles that this tweet names",
    ),
    examples=(
        Example(
            {
                "text": "Hi @ada_l! Mail a@b.org #Python3 #100 #caf\u00e9 \U0001f44d\U0001f3fd"
                " \U0001f1eb\U0001f1f7 #Python3"
            },
            {
                "hashtags": ["Python3", "caf\u00e9"],
                "mentions": ["ada_l"],
                "emoji": ["\U0001f44d\U0001f3fd", "\U0001f1eb\U0001f1f7"],
                "text_without": "Hi ! Mail a@b.org #100",
            },
            source="by hand: a hashtag holds a letter, an address is no mention",
        ),
        Refusal({"text": ["#a"]}, "text"),
    ),
    reply={
        "hashtags, mentions": "The hashtags are {hashtags} and the mentions {mentions}.",
        "hashtags": "The hashtags are {hashtags}.",
        "mentions": "The mentions are {mentions}.",
        "emoji": "The emoji are {emoji}.",
        "": "There are no hashtags, mentions or emoji in the text.",
    },
)
def text_extract_social_tags(text: Text) -> Tags:
    """Extract the hashtags, @mentions and emoji of a post, and the text without them.

    Returns each once, in text order.
    """
    without = _EMOJI.sub("", _MENTION.sub("", _HASHTAG.sub("", text)))
    return {
        "hashtags": _unique(unicodedata.normalize("NFC", tag) for tag in _HASHTAG.findall(text)),
        "mentions": _unique(_MENTION.findall(text)),
        "emoji": _unique(match[0] for match in _EMOJI.finditer(text)),
        "text_without": re.sub(r"[ \t]{2,}", " ", without).strip(),
    }


def _without_ending(url: str) -> str:
    """Remove punctuation at the end, and closing brackets without an opening one."""
    while url:
        if url[-1] in ".,;:!?'*_~\u2019\u2026" or (
            url[-1] in ")]" and url.count(url[-1]) > url.count({")": "(", "]": "["}[url[-1]])
        ):
            url = url[:-1]
        else:
            break
    return url


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _unique(values: Iterator[str] | Sequence[str]) -> list[str]:
    return list(dict.fromkeys(values))[:_MOST]
