"""Debian's Chromium, driven by Playwright. A visitor's page fails its test by errors and by requests to other hosts."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from retinue.auth.sessions.browser import COOKIE
from tests.support.programs import chromium
from tests.support.server import Server

Theme = Literal["light", "dark"]
DESKTOP = (1440, 900)
PHONE = (390, 844)
_PATIENCE_MS = 120_000
expect.set_options(timeout=_PATIENCE_MS)
_AXE = Path(__file__).parent / "vendor" / "axe.min.js"
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules among these tags that depend on colours."""
_RUN_AXE = """async (rules) => {
    const found = await axe.run({ runOnly: rules, resultTypes: ["violations"] })
    return [found.violations, found.passes.length]
}"""
"""What is broken, and how many rules are kept: to describe every element that keeps them takes half the time."""
_EXPECTED = "Failed to load resource: the server responded with a status of "
"""What Chromium says of every answer that refuses something; tests expect such answers."""


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """A browser without a window. Its microphone, which every page gets without asking, beeps."""
    with sync_playwright() as playwright:
        args = ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
        browser = playwright.chromium.launch(executable_path=chromium(), args=args)
        yield browser
        browser.close()


@dataclass
class Visitor:
    """One page of a browser, and what went wrong in it."""

    server: Server
    context: BrowserContext
    page: Page
    problems: list[str] = field(default_factory=list)

    @classmethod
    def arrive(
        cls,
        browser: Browser,
        server: Server,
        token: str = "",
        theme: Theme = "light",
        size: tuple[int, int] = DESKTOP,
        locale: str = "en-GB",
    ) -> "Visitor":
        """A new visitor; `token` is that of a session."""
        viewport: Any = {"width": size[0], "height": size[1]}
        context = browser.new_context(
            base_url=server.url,
            viewport=viewport,
            color_scheme=theme,
            locale=locale,
            reduced_motion="reduce",  # Half-faded text has too little contrast for the accessibility check.
        )
        context.set_default_timeout(_PATIENCE_MS)
        if token:
            context.add_cookies([{"name": COOKIE, "value": token, "url": server.url, "httpOnly": True}])
        visitor = cls(server, context, context.new_page())
        visitor._watch()
        return visitor

    def _watch(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.problems.append(f"error in the page: {error}"))
        self.page.on("request", self._note)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(_EXPECTED):
            self.problems.append(f"console: {message.text}")

    def _note(self, request: Request) -> None:
        if urlsplit(request.url).netloc not in (urlsplit(self.server.url).netloc, ""):
            self.problems.append(f"request to another host: {request.url}")

    def open(self, path: str) -> Page:
        """Go to a page, to its end."""
        self.page.goto(path)
        return self.page

    def resize(self, size: tuple[int, int]) -> None:
        """Change the size of the window without loading the page again."""
        self.page.set_viewport_size({"width": size[0], "height": size[1]})

    def check_accessibility(self) -> None:
        """Fail for each rule of WCAG 2.2 AA, and of good practice, that the page breaks."""
        self._check_rules({"type": "tag", "values": _TAGS})

    def check_colours(self) -> None:
        """Fail for each of these rules that depends on colours and that the page breaks: for a second theme."""
        self._check_rules({"type": "rule", "values": _RULES_OF_COLOURS})

    def _check_rules(self, rules: dict[str, Any]) -> None:
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(_axe())
        self.page.evaluate("scrollTo(0, 0)")  # Beneath the header, a target counts as smaller than it is.
        violations, passes = self.page.evaluate(_RUN_AXE, rules)
        broken = [
            (violation["id"], [node["target"] for node in violation["nodes"]], violation["help"])
            for violation in violations
        ]
        assert not broken, (self.page.url, broken)
        assert passes

    def check_width(self) -> None:
        """Fail if the page is wider than the window."""
        wide = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, (self.page.url, wide)

    def leave(self) -> None:
        """Close the page; anything that went wrong fails the test."""
        self.context.close()
        assert not self.problems, self.problems


@cache
def _axe() -> str:
    return _AXE.read_text(encoding="utf-8")
