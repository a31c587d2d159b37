"""`retinue tools verify`: every example through the API of a server, its own or a named one."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import requests

from retinue.cli.temporary_server import temporary_server
from retinue.core.errors import RetinueError, Unavailable
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.verification.http_example_runner import RemoteExecutor, ToolFaults, verify
from tests.conftest import NewServer
from tests.support.server import Server


@pytest.fixture(scope="module")
def server(new_server: NewServer) -> Iterator[Server]:
    server = new_server(RETINUE_ALLOWED_NETWORKS="127.0.0.0/8")
    server.start()
    yield server
    server.close()


@pytest.fixture(scope="module")
def key(server: Server) -> str:
    return server.new_key(server.new_user("enterprise"))


def test_a_category_is_proved_on_a_named_server(server: Server, key: str, catalogue: Catalogue) -> None:
    printed = server.cli("tools", "verify", "graphs", "--url", server.url, "--key", key)
    tools = [tool for tool in catalogue if tool.category == "graphs"]
    examples = sum(len(tool.examples) for tool in tools)
    assert f"100 %  {examples} of {examples} examples, 0 failed" in printed
    assert [line.split() for line in printed.splitlines() if line.startswith(("graphs", "all"))] == [
        [name, str(len(tools)), "tools", str(examples), "examples", "0", "failed"] for name in ("graphs", "all")
    ]


async def test_a_failed_example_is_reported_with_the_expected_result(
    server: Server, key: str, catalogue: Catalogue
) -> None:
    tool = catalogue.get("number_convert_roman")
    wrong = {**tool.examples[0], "result": {"roman": "wrong"}}
    strict = replace(tool, examples=[wrong, *tool.examples[1:]])
    outcomes: list[ToolFaults] = []
    async with RemoteExecutor.open(server.url, key) as remote:
        await verify([strict], remote, 1, outcomes.append)
    ((fault,),) = [outcome.faults for outcome in outcomes]
    assert fault.startswith("number_convert_roman, example 1: wanted {'roman': 'wrong'}, got {")


async def test_a_key_that_is_refused_and_a_server_that_is_away_say_so(server: Server) -> None:
    async with RemoteExecutor.open(server.url, "ak_live_none") as remote:
        with pytest.raises(RetinueError, match="401: "):
            await remote.execute("number_convert_roman", {"number": 4})
    async with RemoteExecutor.open("http://127.0.0.1:1", "ak_live_none") as remote:
        with pytest.raises(Unavailable, match="does not respond"):
            await remote.execute("number_convert_roman", {"number": 4})


def test_meaningless_values_are_refused(server: Server) -> None:
    assert "There is no category poetry" in server.cli("tools", "verify", "poetry", status=1)
    assert "--key" in server.cli("tools", "verify", "--url", server.url, status=1)


def test_a_server_of_its_own_is_gone_afterwards() -> None:
    with temporary_server() as (url, key):
        answer = requests.get(f"{url}/api/v1/tools", headers={"Authorization": f"Bearer {key}"}, timeout=30)
        assert answer.status_code == 200
    with pytest.raises(requests.ConnectionError):
        requests.get(url, timeout=5)
