"""The client against the real server: records, lists, files, errors, approvals, and both kinds of code."""

import io
from pathlib import Path

import pytest

from retinue_client import AsyncRetinue, NotFoundError, Page, PermissionDeniedError, Retinue, ValidationError, types
from tests.conftest import User
from tests.support.model_server import Answer, ModelServer

pytestmark = pytest.mark.either_database

MANY = 250


def test_an_agent_from_beginning_to_end(retinue: Retinue, model: ModelServer) -> None:
    agent = retinue.agents.create(agent_name="Netwatch", agent_role="specialist")
    assert isinstance(agent, types.Agent)
    assert (agent.task, agent.skills, agent.status) == (None, [], "idle")
    assert "task" not in agent.to_dict()
    assert retinue.agents.retrieve(agent.id) == agent
    assert retinue.agents.update(agent.id, task="Count hosts.").task == "Count hosts."
    assert retinue.agents.update(agent.id, task=None).task is None
    model.answers.append(Answer("Done."))
    answer = retinue.agents.execute(agent.id, message="Do it.")
    assert isinstance(answer, types.Executed)
    assert answer.reply == "Done."
    run = retinue.runs.retrieve(answer.run_id)
    assert [step.type for step in run.steps] == ["model"]
    assert isinstance(run.steps[0], types.Step)
    assert [one.id for one in retinue.agents.runs.list(agent.id)] == [run.id]
    assert retinue.agents.delete(agent.id).deleted
    with pytest.raises(NotFoundError) as caught:
        retinue.agents.retrieve(agent.id)
    assert (caught.value.status, caught.value.code) == (404, "resource_not_found")
    assert str(caught.value.request_id) in str(caught.value)


async def test_the_same_in_asynchronous_code(async_retinue: AsyncRetinue, model: ModelServer) -> None:
    agent = await async_retinue.agents.create(agent_name="Netwatch", agent_role="specialist", task="Count.")
    model.answers.append(Answer("Done."))
    deployed = await async_retinue.agents.deploy(agent.id)
    assert deployed.status == "working"
    runs = await async_retinue.agents.runs.list(agent.id).page()
    run = await async_retinue.runs.wait(runs.data[0].id)
    assert (run.status, run.reply) == ("completed", "Done.")
    with pytest.raises(ValidationError, match="agent_role"):
        await async_retinue.agents.update(agent.id, agent_role="king")  # type: ignore[arg-type] # no role
    assert (await async_retinue.agents.delete(agent.id)).deleted


async def test_lists_of_many_pages(retinue: Retinue, async_retinue: AsyncRetinue) -> None:
    made = [retinue.schedules.create(name=f"s{n}", at="2040-01-01T00:00:00Z", agent_id=agent_id, message="Go.").id
            for agent_id in [retinue.agents.create(agent_name="Netwatch", agent_role="leader").id]
            for n in range(MANY)]  # fmt: skip
    newest_first = made[::-1]
    assert [one.id for one in retinue.schedules.list(per_page=100)] == newest_first
    assert [one.id for one in retinue.schedules.list(per_page=100, page=3)] == newest_first[200:]
    assert [one.id async for one in async_retinue.schedules.list(per_page=50)] == newest_first
    page = retinue.schedules.list(per_page=100).page(2)
    assert isinstance(page, Page)
    assert (page.total, page.page, page.total_pages, len(page.data)) == (MANY, 2, 3, 100)
    pages = [len(page.data) async for page in async_retinue.schedules.list(per_page=100).pages()]
    assert pages == [100, 100, 50]
    assert list(retinue.fleets.list()) == []


async def test_an_iteration_yields_no_record_twice_while_the_list_grows(
    retinue: Retinue, async_retinue: AsyncRetinue
) -> None:
    made = [retinue.agents.create(agent_name=f"a{n}", agent_role="leader").id for n in range(5)]
    found = []
    for agent in retinue.agents.list(per_page=3):
        found.append(agent.id)
        if len(found) in (1, 2):
            retinue.agents.create(agent_name="new", agent_role="leader")
    assert found == made[::-1]
    newest_first = [agent.id for agent in retinue.agents.list()]
    found = []
    async for agent in async_retinue.agents.list(per_page=3):
        found.append(agent.id)
        if len(found) == 1:
            await async_retinue.agents.create(agent_name="new", agent_role="leader")
    assert found == newest_first


def test_a_run_in_the_background(user: User) -> None:
    with Retinue(api_key=user.client(test=True).key, base_url=user.server.url) as client:
        agent = client.agents.create(agent_name="Netwatch", agent_role="specialist")
        run = client.agents.execute(agent.id, message="[[sleep:60]]", background=True)
        assert isinstance(run, types.Run)
        client.runs.cancel(run.id)
        ended = client.runs.wait(run.id)
    assert ended.status == "cancelled"
    assert ended.error


def test_tools_are_searched_and_executed(retinue: Retinue) -> None:
    found = retinue.tools.search("usable hosts of a subnet", per_page=5).page()
    assert "network_calculate_subnet" in [tool.name for tool in found.data]
    assert found.data == retinue.tools.list(search="usable hosts of a subnet", per_page=5).page().data
    assert retinue.tools.retrieve("network_calculate_subnet").input_schema["required"] == ["cidr"]
    assert len(list(retinue.tools.categories())) == 17
    result = retinue.tools.execute("network_calculate_subnet", args={"cidr": "172.16.8.0/21"})
    assert result.result["usable_hosts"] == 2046
    with pytest.raises(ValidationError, match="cidr"):
        retinue.tools.execute("network_calculate_subnet", args={})


async def test_files_are_uploaded_and_downloaded(retinue: Retinue, async_retinue: AsyncRetinue, tmp_path: Path) -> None:
    content = bytes(range(256)) * 1000
    path = tmp_path / "größe 1.bin"
    path.write_bytes(content)
    opened = io.BytesIO(b"skipped" + content)
    opened.seek(7)
    files = [
        retinue.files.upload(path),
        retinue.files.upload(content, name=path.name, media_type="application/pdf"),
        retinue.files.upload(opened, name=path.name),
        await async_retinue.files.upload(str(path)),
    ]
    assert {file.name for file in files} == {path.name}
    assert files[1].media_type == "application/pdf"
    for file in files:
        assert file.size == len(content)
        assert retinue.files.download(file.id) == content
    retinue.files.save(files[0].id, tmp_path / "saved")
    await async_retinue.files.save(files[0].id, tmp_path / "saved too")
    assert (tmp_path / "saved").read_bytes() == (tmp_path / "saved too").read_bytes() == content
    assert await async_retinue.files.download(files[0].id) == content
    assert [file.id for file in retinue.files.list()] == [file.id for file in files[::-1]]


async def test_usage_is_exported(retinue: Retinue, async_retinue: AsyncRetinue) -> None:
    assert isinstance(retinue.usage.retrieve().api_calls, types.Metric)
    assert retinue.usage.export().startswith(b"date,")
    assert (await async_retinue.usage.export(format="json")).startswith(b'{"data"')
    assert list(retinue.usage.history(resource_type="voice")) == []


def test_a_scope_that_is_missing(user: User) -> None:
    with Retinue(api_key=user.client(scopes=["agents:read"]).key, base_url=user.server.url) as client:
        assert list(client.agents.list()) == []
        with pytest.raises(PermissionDeniedError, match="agents:write"):
            client.agents.create(agent_name="Netwatch", agent_role="leader")


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_a_path_is_not_changed_by_an_id(name: str, retinue: Retinue) -> None:
    with pytest.raises(ValueError, match="empty or consists of dots"):
        retinue.tools.retrieve(name)


def test_an_id_is_escaped(retinue: Retinue) -> None:
    with pytest.raises(NotFoundError):
        retinue.conversations.delete("../agents?x=1")
