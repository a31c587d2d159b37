"""Limits of the records of an account hold for requests that are sent at the same time."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count, islice
from typing import Any

import pytest

from tests.connections.support import api
from tests.interop.test_openai import create_agent
from tests.marketplace.test_items import item_of, unique
from tests.providers.support import remote
from tests.skills.support import instructions
from tests.support.client import Client

_AT_ONCE = 16


def _bodies(path: str, client: Client) -> Iterator[dict[str, Any]]:
    """Yield requests that create different records of one kind."""
    agent, slug = create_agent(client), unique(client)
    for number in count():
        name = f"number-{number}"
        yield {
            "/connections": api(name=name),
            "/knowledge/collections": {"name": name},
            "/marketplace": item_of(f"{slug}-{number}"),
            "/oauth/apps": {"name": name, "scopes": ["usage:read"]},
            "/providers": remote(name=name),
            "/publishable-keys": {"agent_id": agent},
            "/skills": {"text": instructions(name)},
            "/webhooks": {"url": f"https://example.com/{number}"},
        }[path]


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("/connections", 100),
        ("/knowledge/collections", 100),
        ("/marketplace", 100),
        ("/oauth/apps", 100),
        ("/providers", 50),
        ("/publishable-keys", 100),
        ("/skills", 100),
        ("/webhooks", 20),
    ],
)
def test_requests_at_the_same_time_do_not_exceed_a_limit_together(client: Client, path: str, limit: int) -> None:
    bodies = islice(_bodies(path, client), limit + _AT_ONCE)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        answers = list(threads.map(lambda body: client.post(path, body), bodies))
    assert [answer.json() for answer in answers if answer.status_code not in (201, 400)] == []
    assert sum(answer.status_code == 201 for answer in answers) == limit
    refused = next(answer for answer in answers if answer.status_code == 400)
    assert str(limit) in refused.json()["error"]["message"]
