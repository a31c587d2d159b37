"""A change of a user's plan applies to keys and sessions immediately."""

from functools import partial

import pytest

from tests.auth.signing_in import give_password
from tests.conftest import NewUser
from tests.support.client import Client, data
from tests.support.server import Server
from tests.support.waiting import eventually


def has_plan(client: Client, plan: str) -> bool:
    """Return whether the client's account is on this plan."""
    return bool(data(client.get("/usage"))["plan"] == plan)


def test_a_change_of_plan_applies_to_every_credential(server: Server, new_user: NewUser) -> None:
    user = new_user(server, plan="free")
    key, session = user.client(), give_password(server, user.email)
    for plan in ("professional", "starter", "free"):
        server.ask("users.plan", email=user.email.upper(), plan=plan)
        for client in (key, session):
            eventually(partial(has_plan, client, plan))
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
