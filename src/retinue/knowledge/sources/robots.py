"""Rules for crawlers: robots.txt (RFC 9309)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from string import punctuation
from urllib.parse import quote

CRAWLER = "retinue"
"""The name by which a robots.txt can address this crawler."""

Rule = tuple[bool, str]
"""Whether a path is allowed, and its pattern."""

_MOST_RULES, _MOST_LINES = 1000, 20_000
_ENCODED = punctuation + "%"
_OURS = frozenset({CRAWLER, "*"})
"""The names of groups whose rules may be ours."""


@dataclass(slots=True)
class Robots:
    """The rules for this crawler, and the site maps that the site names."""

    rules: list[Rule] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)


def parse_robots(text: str) -> Robots:
    """Return the rules of the groups for this crawler, else of those for all crawlers."""
    found = Robots()
    groups: dict[str, list[Rule]] = {}
    agents: set[str] = set()
    naming = False
    for line in text.lstrip("\ufeff").splitlines()[:_MOST_LINES]:
        name, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        match name.lower():
            case "user-agent":
                agents = (agents if naming else set()) | ({value.lower().partition("/")[0]} & _OURS)
                for agent in agents:
                    groups.setdefault(agent, [])
            case "allow" | "disallow" if value:
                for agent in agents:
                    if len(groups[agent]) < _MOST_RULES:
                        groups[agent].append((name.lower() == "allow", quote(value, safe=_ENCODED)))
            case "sitemap" if value:
                found.sitemaps.append(value)
        naming = name.lower() == "user-agent" or (naming and not name)
    found.rules = groups.get(CRAWLER, groups.get("*", []))
    return found


def is_allowed(rules: Sequence[Rule], path: str) -> bool:
    """Return whether the rules allow a path with its query. The longest matching pattern decides."""
    matching = [(len(pattern), allowed) for allowed, pattern in rules if _covers(pattern, path)]
    return max(matching, default=(0, True))[1]


def _covers(pattern: str, path: str) -> bool:
    return matches(pattern[:-1], path) if pattern.endswith("$") else matches(f"{pattern}*", path)


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern, in which `*` stands for any characters, matches the whole text. Never backtracks."""
    first, *parts = pattern.split("*")
    if not parts:
        return text == pattern
    if not text.startswith(first):
        return False
    at = len(first)
    for part in parts[:-1]:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(text) - len(parts[-1]) >= at and text.endswith(parts[-1])
