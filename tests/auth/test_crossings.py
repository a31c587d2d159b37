"""Users and sandboxes are isolated: random calls to every operation, with each other's ids mixed in."""

import os

import pytest

from tests.auth.crossings import Crossings
from tests.conftest import NewUser
from tests.support.model_server import ModelServer
from tests.support.server import Server

CALLS = int(os.environ.get("RETINUE_TEST_CROSSINGS", "400"))
SEED = int(os.environ.get("RETINUE_TEST_SEED", "20261124"))


@pytest.mark.long
@pytest.mark.timeout(120)
def test_no_call_reads_or_changes_the_data_of_another_user(
    server: Server, new_user: NewUser, model: ModelServer
) -> None:
    players = Crossings((new_user(server), new_user(server)), SEED)
    players.play(CALLS)
    print(f"{CALLS} calls, {players.foreign} with foreign ids: {dict(sorted(players.statuses.items()))}")
    assert players.foreign > CALLS // 5
    assert players.statuses[200] > CALLS // 10
