"""Changing a user's plan: it holds from the next request on, for keys and sessions alike."""

import pytest

from tests.auth.signing_in import give_password
from tests.conftest import NewUser
from tests.support.client import data
from tests.support.server import Server


def test_a_change_of_plan_applies_to_the_next_request(server: Server, new_user: NewUser) -> None:
    user = new_user(server, plan="free")
    key, session = user.client(), give_password(server, user.email)
    limit = key.get("/usage").headers["X-RateLimit-Limit"]
    for plan in ("professional", "starter", "free"):
        server.ask("users.plan", email=user.email.upper(), plan=plan)
        for client in (key, session):
            assert data(client.get("/usage"))["plan"] == plan
    assert key.get("/usage").headers["X-RateLimit-Limit"] == limit
    session.close()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["users", "plan", "owner@localhost", "golden"], "no plan 'golden'"),
        (["users", "plan", "nobody@example.com", "free"], "no user nobody@example.com"),
    ],
)
def test_a_plan_or_a_user_that_does_not_exist(shared_server: Server, args: list[str], words: str) -> None:
    assert words in shared_server.cli(*args, status=1)
