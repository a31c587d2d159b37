"""Every page of the portal that links lead to, seen by a user who has a record of every kind and by the operator."""

import re
from collections import Counter, deque
from random import Random

import pytest

from retinue.portal.routes import GROUPS
from tests.fuzz.fuzzer import problem_of
from tests.fuzz.wire import Connection, Request
from tests.fuzz.world import World
from tests.support.server import Server

_OF_EACH_KIND = 3
"""Pages of each kind that are opened, such as pages of agents."""
_NUMBERS = re.compile(r"(?<=/)(\d+|[a-z]+_[0-9a-z]{20,}|req_\w+|[a-z]+(_[a-z0-9]+)+)(?=/|$)")


def kind_of(link: str) -> str:
    """Return a link without ids, names and values."""
    return _NUMBERS.sub("{id}", link.partition("?")[0].partition("#")[0])


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_linked_page_of_a_full_account_is_shown(server: Server) -> None:
    world = World.of(server, Random(1))
    connection = Connection(server.url)
    waiting = deque(
        ["/overview", "/health", "/users", "/moderation", *(path for one in world.paths.values() for path in one)]
    )
    opened: Counter[str] = Counter()
    problems = []
    while waiting:
        link = waiting.popleft().partition("#")[0]
        kind = kind_of(link)
        if opened[kind] >= _OF_EACH_KIND or opened[link] or link.startswith(("/docs", "/static", "/api")):
            continue
        opened[kind] += 1
        opened[link] += 1
        for cookie in (world.cookie, world.operator_cookie):
            headers = ((b"Cookie", cookie), (b"Accept", b"text/html"))
            request = Request(link, b"GET", link.encode(), headers)
            answer = connection.send(request)
            if problem := problem_of(request, answer):
                problems.append(f"{problem}: {answer.status} {request.as_command(server.url)}")
            if answer.kind == "text/html":
                world.learn_page(link.partition("?")[0], answer.body)
        waiting += [page for page in world.pages if not opened[page]]
        world.pages.clear()
    connection.close()
    assert not problems, "\n".join(problems)
    declared = {
        kind_of(re.sub(r"\{\w+(:path)?\}", "1", page.path))
        for group in GROUPS
        for page in group.declared
        if page.method == "GET"
    }
    missed = {page for page in declared - opened.keys() if not page.endswith("/live")}
    print(sorted(missed))  # noqa: T201
    assert len(opened.keys() & declared) > 50
