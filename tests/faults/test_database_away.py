"""PostgreSQL closes every connection repeatedly: requests fail with a clear error, and work continues afterwards."""

import asyncio
from functools import partial
from typing import Any

import pytest

from retinue.core.database.postgres import connect_once
from tests.conftest import StartServer
from tests.faults.load import TOOLS, WORK, WORK_DONE
from tests.support.client import Client, data
from tests.support.server import Server
from tests.support.waiting import eventually

_TIMES = 20
_END_OTHERS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def end_connections(server: Server) -> None:
    """Close the server's connections, as a restart of PostgreSQL does."""

    async def end() -> None:
        connection = await connect_once(server.env["RETINUE_DATABASE_URL"])
        await connection.execute(_END_OTHERS)
        await connection.close()

    asyncio.run(end())


@pytest.mark.slow
def test_work_goes_on_after_the_database_was_away(start_server: StartServer) -> None:
    server = start_server("postgresql")
    server.tolerated.append(r"run\.end_not_written")
    client = Client(server, server.new_key(server.new_user(), test=True))
    agent = data(client.post("/agents", {"agent_name": "worker", "agent_role": "leader", "skills": TOOLS}), 201)["id"]
    accepted = []
    for _ in range(_TIMES):
        response = client.post(f"/agents/{agent}/execute", {"message": WORK, "background": True})
        end_connections(server)
        assert response.status_code in {202, 503}, response.text
        if response.status_code == 202:
            accepted.append(data(response, 202)["id"])
    assert accepted
    ended = [eventually(partial(_complete, client, run), within=60) for run in accepted]
    assert {run["reply"] for run in ended} == {WORK_DONE}
    assert server.ask("check") == []


def _complete(client: Client, run_id: int) -> dict[str, Any]:
    response = client.get(f"/runs/{run_id}")
    assert response.status_code == 200, response.text
    run: dict[str, Any] = data(response)
    assert run["status"] == "completed", run
    return run
