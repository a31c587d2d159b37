"""Readers of the portal: by HTTP, and in Chromium."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser

from tests.conftest import User
from tests.connections.echo import Echo, running_echo
from tests.portal.chromium import DESKTOP, Theme, Visitor, running_chromium
from tests.portal.reader import Reader, reader_of
from tests.support.server import Server

UNFIT_JSON = [('{"a": ' * 70 + "1" + "}" * 70, "at most 64 levels"), ('{"a": ["\\u0000"]}', "NUL")]
"""JSON that cannot be stored or forwarded, with a part of the message that says so."""
PAGES = [
    "/start",
    "/start/documents",
    "/start/api",
    "/start/telephone",
    "/overview",
    "/playground",
    "/runs",
    "/runs?status=failed&q=moon",
    "/agents",
    "/agents/new",
    "/simulations",
    "/simulations/new",
    "/fleets",
    "/fleets/new",
    "/models",
    "/models/new",
    "/models/new?vendor=anthropic",
    "/tools",
    "/keys",
    "/keys/new",
    "/webhooks",
    "/webhooks/new",
    "/webhooks/events",
    "/connections",
    "/connections/new",
    "/connections/new?kind=http",
    "/connections/new?kind=mail",
    "/sources",
    "/sources/new",
    "/files",
    "/knowledge",
    "/skills",
    "/memory",
    "/memory?q=moon",
    "/records",
    "/records?kind=event",
    "/knowledge/workspace",
    "/knowledge/workspace?q=moon",
    "/settings",
    "/settings/second-factor",
    "/settings/delete",
    "/usage",
    "/usage?days=364&resource=chat",
    "/tools/percent_solve_share",
    "/marketplace",
    "/marketplace/installed",
    "/marketplace/own",
    "/marketplace/publish",
    "/approvals",
    "/schedules",
    "/schedules/new",
    "/calls",
    "/calls/new",
    "/calls/batches",
    "/calls/batches/new",
    "/calls/do-not-call",
    "/voice-rooms",
    "/voice-rooms?state=closed",
    "/voice-rooms/new",
    "/requests",
    "/requests?mode=test",
    "/audit",
    "/apps",
    "/apps/new",
    "/apps/grants",
]
"""Pages without an id. Each is checked by axe in both themes, on a desk and on a phone."""


@pytest.fixture
def reader(user: User) -> Iterator[Reader]:
    """A fresh user, signed in."""
    made = reader_of(user)
    yield made
    made.close()


@pytest.fixture
def passer_by(server: Server) -> Iterator[Reader]:
    """Somebody who is not signed in."""
    made = Reader(server)
    yield made
    made.close()


@pytest.fixture
def echo() -> Iterator[Echo]:
    """An API whose responses the test sets."""
    with running_echo() as running:
        yield running


@dataclass(frozen=True)
class Running:
    """The browser, and the event loop by which Playwright speaks to it."""

    browser: Browser
    loop: asyncio.AbstractEventLoop


@pytest.fixture(scope="session")
def running_browser() -> Iterator[Running]:
    """One browser for all tests. Between them its event loop is hidden: asynchronous tests run one of their own."""
    with running_chromium() as browser:
        running = Running(browser, asyncio.get_running_loop())
        asyncio._set_running_loop(None)
        yield running
        asyncio._set_running_loop(running.loop)


@pytest.fixture
def chromium(running_browser: Running) -> Iterator[Browser]:
    """The browser, to be driven in this test."""
    asyncio._set_running_loop(running_browser.loop)
    yield running_browser.browser
    asyncio._set_running_loop(None)


Arrive = Callable[..., Visitor]


@pytest.fixture
def arrive(chromium: Browser) -> Iterator[Arrive]:
    """Makes visitors: `arrive(reader, theme="dark", size=PHONE)`. What goes wrong in their pages fails the test."""
    with ExitStack() as stack:

        def make(reader: Reader, theme: Theme = "light", size: tuple[int, int] = DESKTOP) -> Visitor:
            visitor = Visitor.arrive(chromium, reader.server, reader.token, theme, size)
            stack.callback(visitor.leave)
            return visitor

        yield make
