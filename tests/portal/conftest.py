"""Readers of the portal: by HTTP, and in Chromium."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser

from tests.conftest import User
from tests.portal.chromium import DESKTOP, Theme, Visitor, running_chromium
from tests.portal.reader import Reader, reader_of
from tests.support.server import Server

PAGES = [
    "/overview",
    "/playground",
    "/agents",
    "/agents/new",
    "/fleets",
    "/fleets/new",
    "/tools",
    "/keys",
    "/keys/new",
    "/webhooks",
    "/webhooks/new",
    "/webhooks/events",
    "/tools/percent_solve_share",
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


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser of the portal's tests. Its event loop stands in the way of asynchronous tests: have none here."""
    with running_chromium() as browser:
        yield browser


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
