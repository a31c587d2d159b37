"""Push notifications of A2A: the official client is told at its own address of the states of a task."""

from typing import Any

import pytest
from a2a.client import Client as Official
from a2a.types import a2a_pb2 as pb
from a2a.utils.errors import TaskNotFoundError
from google.protobuf.json_format import ParseDict

from tests.conftest import User
from tests.interop.a2a_clients import MODES, Mode, call, connect, http, message, says
from tests.interop.test_openai import create_agent
from tests.runs.test_approvals import ASK_OUT, HTML, OUT
from tests.support.client import Client, data
from tests.support.events import stored_events
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually
from tests.webhooks.receiver import Answer as Response
from tests.webhooks.receiver import Receiver

EVERY_MODE = pytest.mark.parametrize("mode", MODES)


@pytest.fixture
def agent(client: Client) -> int:
    """An agent that asks before it reaches outside."""
    return create_agent(client, skills=[OUT], approval="required")


def config(receiver: Receiver, path: str, **fields: Any) -> pb.TaskPushNotificationConfig:
    """Return a config with a token and credentials."""
    wanted = pb.AuthenticationInfo(scheme="Bearer", credentials="secret-1")
    return pb.TaskPushNotificationConfig(url=receiver.url(path), token="token-1", authentication=wanted, **fields)


async def start(official: Official, text: str, pushed: pb.TaskPushNotificationConfig | None = None) -> pb.Task:
    """Start a task and return it at once."""
    request = says(text)
    request.configuration.return_immediately = True
    if pushed:
        request.configuration.task_push_notification_config.CopyFrom(pushed)
    (event,) = [event async for event in official.send_message(request)]
    return event.task


@EVERY_MODE
async def test_the_states_of_a_task_arrive(client: Client, agent: int, receiver: Receiver, mode: Mode) -> None:
    path = f"/{mode.replace('+', '-')}"
    async with connect(client, agent, mode, streaming=False) as official:
        task = await start(official, ASK_OUT, config(receiver, path))
        (asked,) = receiver.receive(path, 1)
        (approval,) = data(client.get("/approvals?status=pending"))
        data(client.post(f"/approvals/{approval['id']}", {"decision": "approve"}))
        _, done = receiver.receive(path, 2)
    states = []
    for one in (asked, done):
        assert one.headers["X-A2A-Notification-Token"] == "token-1"
        assert one.headers["Authorization"] == "Bearer secret-1"
        assert not any(name.lower().startswith("x-alfred") or "signature" in name.lower() for name in one.headers)
        if mode == "0.3":
            assert (one.payload["kind"], one.payload["id"]) == ("task", task.id)
            assert one.payload["contextId"] == task.context_id
            states.append(one.payload["status"]["state"])
        else:
            told = ParseDict(one.payload, pb.StreamResponse()).status_update
            assert (told.task_id, told.context_id) == (task.id, task.context_id)
            states.append(pb.TaskState.Name(told.status.state).removeprefix("TASK_STATE_"))
    assert [state.upper().replace("-", "_") for state in states] == ["INPUT_REQUIRED", "COMPLETED"]
    assert data(client.get("/webhooks")) == [], "they are not the account's own endpoints"


@EVERY_MODE
async def test_configs_are_set_read_and_deleted(client: Client, agent: int, receiver: Receiver, mode: Mode) -> None:
    path = f"/configs-{mode.replace('+', '-')}"
    async with connect(client, agent, mode, streaming=False) as official:
        task = await start(official, ASK_OUT)
        kept = await official.create_task_push_notification_config(config(receiver, path, task_id=task.id, id="mine"))
        assert (kept.id, kept.task_id, kept.url) == ("mine", task.id, receiver.url(path))
        await official.create_task_push_notification_config(config(receiver, path, task_id=task.id, id="mine"))
        other = await official.create_task_push_notification_config(config(receiver, path, task_id=task.id))
        named = pb.GetTaskPushNotificationConfigRequest(task_id=task.id, id="mine")
        found = await official.get_task_push_notification_config(named)
        assert (found.token, found.authentication.scheme, found.authentication.credentials) == ("token-1", "Bearer", "")
        wanted = pb.ListTaskPushNotificationConfigsRequest(task_id=task.id)
        listed = await official.list_task_push_notification_configs(wanted)
        assert [one.id for one in listed.configs] == ["mine", other.id]
        for name in ("mine", other.id):
            gone = pb.DeleteTaskPushNotificationConfigRequest(task_id=task.id, id=name)
            await official.delete_task_push_notification_config(gone)
        assert not (await official.list_task_push_notification_configs(wanted)).configs
        with pytest.raises(TaskNotFoundError):
            await official.get_task_push_notification_config(named)


@pytest.mark.parametrize("how", ["task", "run", "agent", "working task"])
def test_a_cancelled_task_is_told_once(client: Client, receiver: Receiver, model: ModelServer, how: str) -> None:
    """Two calls that wait are one interruption. However the run is cancelled, one notification follows."""
    agent = create_agent(client, skills=[OUT], approval="required")
    path = f"/cancelled-{how.replace(' ', '-')}"
    waits = how != "working task"
    model.answers.append(Answer(tool=OUT, arguments=HTML, times=2) if waits else Answer(text="one two", hold=True))
    task = push(client, agent, receiver, path, "Begin")
    if waits:
        receiver.receive(path, 1)
    else:
        eventually(lambda: model.requests)
    if "task" in how:
        call(client, agent, "CancelTask", {"id": task})
    else:
        data(client.post(f"/agents/{agent}/stop" if how == "agent" else f"/runs/{task}/cancel"))
    expected = ["INPUT_REQUIRED", "CANCELED"] if waits else ["CANCELED"]
    receiver.receive(path, len(expected))
    data(client.post(f"/agents/{agent}/stop"))
    data(client.post(f"/runs/{task}/cancel"))
    push(client, agent, receiver, f"{path}-later", "Hello")
    receiver.receive(f"{path}-later", 1)
    assert [state_of(one) for one in receiver.receive(path, len(expected))] == expected


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("deleted", ["agent", "conversation"])
def test_a_task_that_ends_by_a_deletion_is_told_once(
    client: Client, receiver: Receiver, model: ModelServer, deleted: str, waits: bool
) -> None:
    agent = create_agent(client, skills=[OUT], approval="required")
    path = f"/deleted-{deleted}-{waits}"
    model.answers.append(Answer(tool=OUT, arguments=HTML) if waits else Answer(text="one two", hold=True))
    task = push(client, agent, receiver, path, "Begin")
    if waits:
        receiver.receive(path, 1)
    else:
        eventually(lambda: model.requests)
    (conversation,) = [one["conversation_id"] for one in data(client.get("/chat")) if one["agent_id"] == agent]
    data(client.delete(f"/agents/{agent}" if deleted == "agent" else f"/chat/{conversation}"))
    expected = ["INPUT_REQUIRED", "CANCELED"] if waits else ["CANCELED"]
    assert [state_of(one) for one in receiver.receive(path, len(expected))] == expected
    told = [one for one in stored_events(client.server, "agent.cancelled") if one["run_id"] == int(task)]
    assert [one["agent_id"] for one in told] == [agent]


def push(client: Client, agent: int, receiver: Receiver, path: str, text: str) -> str:
    """Start a task whose states are pushed. Returns its id."""
    wanted = {"taskPushNotificationConfig": {"url": receiver.url(path)}, "returnImmediately": True}
    answer = call(client, agent, "SendMessage", message(text) | {"configuration": wanted})
    return str(answer["result"]["task"]["id"])


def state_of(delivery: Any) -> str:
    """Return the state in a notification."""
    return str(delivery.payload["statusUpdate"]["status"]["state"]).removeprefix("TASK_STATE_")


def test_a_failed_task_is_told_again_until_it_arrives(client: Client, receiver: Receiver, model: ModelServer) -> None:
    agent = create_agent(client)
    receiver.answers["/failing"].append(Response(status=500))
    model.answers.append(Answer(status=400, text="broken"))
    pushed = {"configuration": {"taskPushNotificationConfig": {"url": receiver.url("/failing")}}}
    call(client, agent, "SendMessage", message() | pushed)
    first, second = receiver.receive("/failing", 2)
    assert first.body == second.body
    assert first.payload["statusUpdate"]["status"]["state"] == "TASK_STATE_FAILED"
    assert "X-A2A-Notification-Token" not in first.headers
    assert "Authorization" not in first.headers


def test_who_may_set_configs_and_where_to(
    client: Client, user: User, stranger: Client, agent: int, receiver: Receiver
) -> None:
    task = call(client, agent, "SendMessage", message(text=ASK_OUT))["result"]["task"]["id"]
    path = f"/tasks/{task}/pushNotificationConfigs"
    body = {"url": receiver.url("/refused")}
    assert http(client, agent, "POST", path, json=body).status_code == 200
    for method, where in (("POST", path), ("GET", path), ("DELETE", f"{path}/x"), ("GET", f"{path}/x")):
        given = {"json": body} if method == "POST" else {}
        assert http(stranger, agent, method, where, **given).status_code == 404
        assert http(user.client(["usage:read"]), agent, method, where, **given).status_code == 403
        assert http(Client(client.server, None), agent, method, where, **given).status_code == 401
    reader = user.client(["agents:read", "chat:write"])
    assert http(reader, agent, "POST", path, json=body).status_code == 403
    pushed = {"configuration": {"taskPushNotificationConfig": body}}
    assert http(reader, agent, "POST", "/message:send", json=message() | pushed).status_code == 403
    for url in ("http://169.254.169.254/", "ftp://example.com", "https://user:word@example.com/"):
        assert http(client, agent, "POST", path, json={"url": url}).status_code == 400
    for fields in ({"token": "a\r\nb"}, {"authentication": {"scheme": "Bearer", "credentials": "a\r\nb"}}):
        assert http(client, agent, "POST", path, json={**body, **fields}).status_code == 400
