"""The rules of robots.txt, patterns, and which addresses belong to a website."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.knowledge.sources.robots import is_allowed, matches, parse_robots
from retinue.knowledge.sources.scope import SiteScope

ROBOTS = """User-agent: foobot
Disallow: *

User-agent: retinue
User-agent: barbot/2.0
Disallow: /example/
Allow: /example/page.html # the longest match decides
Disallow: /*.gif$

User-agent: *
Disallow: /

Sitemap: https://docs.example/sitemap.xml
"""


def test_the_longest_rule_of_the_own_group_decides() -> None:
    robots = parse_robots(ROBOTS)
    assert robots.sitemaps == ["https://docs.example/sitemap.xml"]
    wanted = {"/": True, "/example/x": False, "/example/page.html": True, "/a.gif": False, "/a.gif?x": True}
    assert {path: is_allowed(robots.rules, path) for path in wanted} == wanted


def test_rules_for_all_hold_where_no_group_is_for_this_crawler() -> None:
    robots = parse_robots("Disallow: /lost\nUser-agent: *\nDisallow: /private\nDisallow:\n")
    assert (is_allowed(robots.rules, "/private/x"), is_allowed(robots.rules, "/lost")) == (False, True)


@given(st.lists(st.text("ab", max_size=4), min_size=1, max_size=5), st.data())
def test_stars_match_any_characters(parts: list[str], drawn: Any) -> None:
    text = parts[0] + "".join(drawn.draw(st.text("abc", max_size=4)) + part for part in parts[1:])
    assert matches("*".join(parts), text)


@pytest.mark.parametrize(
    ("pattern", "text"), [("/a*", "/b"), ("*.md", "/a.txt"), ("a*a", "a"), ("ab*bc", "abc"), ("/a", "/a/b")]
)
def test_a_pattern_does_not_match_more(pattern: str, text: str) -> None:
    assert not matches(pattern, text)


def test_many_stars_cost_no_time() -> None:
    assert not matches("*a" * 500 + "b", "a" * 5000)


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("https://docs.example/guide/a#part", "https://docs.example/guide/a"),
        ("http://docs.example/guide/a?utm_source=x&b=1", "https://docs.example/guide/a?b=1"),
        ("https://DOCS.example/guide/%C3%A9", "https://docs.example/guide/%C3%A9"),
        ("https://docs.example/other", None),
        ("https://www.docs.example/guide/a", None),
        ("https://docs.example:8443/guide/a", None),
        ("https://docs.example/guide/a.png", None),
        ("mailto:a@docs.example", None),
        ("https://[", None),
        ("https://docs.example/guide/" + "a" * 2000, None),
    ],
)
def test_addresses_of_a_site_are_canonical(link: str, address: str | None) -> None:
    site = {"origin": "https://docs.example", "prefix": "/guide/", "rules": []}
    source: Any = SimpleNamespace(site=site, include=[], exclude=[])
    assert SiteScope.of(source).address(link) == address


def test_repeated_names_and_rules_of_a_robots_txt_are_read_once() -> None:
    robots = parse_robots("User-agent: *\n" * 9_000 + "Disallow: /private\n" * 10_000)
    assert len(robots.rules) == 1000
    assert set(robots.rules) == {(False, "/private")}
