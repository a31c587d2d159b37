"""Other agents speak A2A 1.0 and 0.3 with the agents of an account, by the official client and by plain requests."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from a2a.client.errors import A2AClientError
from a2a.helpers import get_data_parts, get_message_text
from a2a.types import a2a_pb2 as pb
from a2a.utils.errors import (
    MethodNotFoundError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)

from tests.conftest import ONE_DATABASE, NewUser, StartServer, User
from tests.interop.a2a_clients import (
    CARD,
    MODES,
    NEW,
    Mode,
    ask,
    call,
    connect,
    http,
    message,
    send,
    states_of,
    streamed_text,
    texts_of,
)
from tests.interop.agui import create_key
from tests.interop.test_openai import create_agent
from tests.runs.test_approvals import ASK_OUT, HTML, OUT
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

CASE = "text_convert_case"
TONE = "audio_generate_tone"
KEBAB = {"text": "two words", "style": "kebab"}
EVERY_MODE = pytest.mark.parametrize("mode", MODES)


@pytest.fixture
def agent(client: Client) -> int:
    """An agent with one skill."""
    return create_agent(client, skills=[CASE], task="Formats names.")


@EVERY_MODE
async def test_a_task_is_a_run_and_its_context_goes_on(
    client: Client, agent: int, model: ModelServer, mode: Mode
) -> None:
    async with connect(client, agent, mode, streaming=False) as official:
        task = await ask(official, "Hello")
        assert pb.TaskState.Name(task.status.state) == "TASK_STATE_COMPLETED"
        assert texts_of(task) == {"reply": "You said: Hello"}
        assert [get_message_text(one) for one in task.history] == ["Hello"]
        again = await ask(official, "And now?", context_id=task.context_id)
        assert (again.context_id, again.id != task.id) == (task.context_id, True)
        assert "You said: Hello" in str(model.requests[-1]["messages"])
        found = await official.get_task(pb.GetTaskRequest(id=task.id))
        assert (found.artifacts, found.history) == (task.artifacts, task.history)
    run = data(client.get(f"/runs/{task.id}"))
    assert (run["agent_id"], run["reply"]) == (agent, "You said: Hello")
    assert data(client.get("/chat"))[0]["conversation_id"] == task.context_id
    eventually(lambda: sum(day["tokens"] for day in data(client.get("/usage/history"))) > 0)


@EVERY_MODE
async def test_a_task_is_streamed(client: Client, agent: int, model: ModelServer, mode: Mode) -> None:
    model.answers += [Answer(text="Let me see.", tool=CASE, arguments=KEBAB), Answer(text="It is two-words.")]
    async with connect(client, agent, mode) as official:
        events = await send(official, "Convert it")
        assert events[0].HasField("task")
        assert states_of(events)[-2:] == ["WORKING", "COMPLETED"]
        assert streamed_text(events) == "It is two-words."
        assert any(CASE in str(one.status_update.status.message) for one in events)
        with pytest.raises(UnsupportedOperationError, match="has ended"):
            [one async for one in official.subscribe(pb.SubscribeToTaskRequest(id=events[0].task.id))]


@EVERY_MODE
async def test_a_running_task_is_followed_and_cancelled(
    client: Client, agent: int, model: ModelServer, mode: Mode
) -> None:
    model.answers.append(Answer(text="one two three", hold=True))
    async with connect(client, agent, mode, streaming=False, polling=True) as poller:
        task = await ask(poller, "Count")
    async with connect(client, agent, mode) as official:
        assert pb.TaskState.Name(task.status.state) in ("TASK_STATE_SUBMITTED", "TASK_STATE_WORKING")
        eventually(lambda: model.requests)
        followed = official.subscribe(pb.SubscribeToTaskRequest(id=task.id))
        assert (await anext(followed)).task.id == task.id
        cancelled = await official.cancel_task(pb.CancelTaskRequest(id=task.id))
        assert pb.TaskState.Name(cancelled.status.state) == "TASK_STATE_CANCELED"
        assert states_of([one async for one in followed])[-1] == "CANCELED"
        other = (await send(official, "Hello"))[0].task
        with pytest.raises(TaskNotCancelableError):
            await official.cancel_task(pb.CancelTaskRequest(id=other.id))


@EVERY_MODE
async def test_an_approval_is_required_input(client: Client, mode: Mode) -> None:
    agent = create_agent(client, skills=[OUT], approval="required")
    async with connect(client, agent, mode) as official:
        events = await send(official, ASK_OUT)
        assert states_of(events)[-1] == "INPUT_REQUIRED"
        status = events[-1].status_update.status
        assert OUT in get_message_text(status.message)
        (asked,) = get_data_parts(status.message.parts)
        (approval,) = asked["approvals"]
        told = await send(official, "Yes.", task_id=events[0].task.id)
        assert told[0].task.id == events[0].task.id
        assert states_of(told)[-1] == "COMPLETED"
        assert data(client.get(f"/approvals/{approval['approvalId']}"))["status"] == "approved"


@ONE_DATABASE
@pytest.mark.parametrize(
    ("part", "status", "reason"),
    [
        ({"data": {"approved": True}}, "approved", None),
        ({"data": {"approved": "yes"}}, "denied", None),
        ({"text": "No, the other page."}, "denied", "No, the other page."),
        ({"data": {"approvals": [{"approved": False, "reason": "Too soon"}]}}, "denied", "Too soon"),
    ],
)
def test_anything_but_a_plain_yes_denies(client: Client, part: dict[str, Any], status: str, reason: str | None) -> None:
    agent = create_agent(client, skills=[OUT], approval="required")
    task = call(client, agent, "SendMessage", message(ASK_OUT))["result"]["task"]
    assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    (approval,) = task["status"]["message"]["parts"][1]["data"]["approvals"]
    unknown = {"data": {"approvalId": "0", "approved": True}}
    for parts, words in (([unknown], "approvalId"), ([{"text": "yes"}], "contextId")):
        context = {} if parts == [unknown] else {"contextId": "another"}
        refused = call(client, agent, "SendMessage", message(taskId=task["id"], parts=parts, **context))
        assert words in refused["error"]["message"]
    call(client, agent, "SendMessage", message(taskId=task["id"], parts=[part]))
    decided = data(client.get(f"/approvals/{approval['approvalId']}"))
    assert (decided["status"], decided["reason"]) == (status, reason)


@ONE_DATABASE
def test_a_message_with_a_wrong_decision_decides_nothing(client: Client, model: ModelServer) -> None:
    agent = create_agent(client, skills=[OUT], approval="required")
    model.answers.append(Answer(tool=OUT, arguments=HTML, times=2))
    task = call(client, agent, "SendMessage", message("Links, please."))["result"]["task"]
    first, second = [one["approvalId"] for one in task["status"]["message"]["parts"][1]["data"]["approvals"]]
    for other, words in (("0", "does not wait for"), (first, "twice")):
        decisions = [{"approvalId": name, "approved": True} for name in (first, other)]
        sent = message(taskId=task["id"], parts=[{"data": {"approvals": decisions}}])
        assert words in call(client, agent, "SendMessage", sent)["error"]["message"]
        assert {data(client.get(f"/approvals/{name}"))["status"] for name in (first, second)} == {"pending"}
    decisions = [{"approvalId": first, "approved": True}, {"approvalId": second, "approved": False}]
    call(client, agent, "SendMessage", message(taskId=task["id"], parts=[{"data": {"approvals": decisions}}]))
    decided = [data(client.get(f"/approvals/{name}"))["status"] for name in (first, second)]
    assert decided == ["approved", "denied"]


def test_a_message_to_a_running_task_reaches_it(client: Client, agent: int, model: ModelServer) -> None:
    model.answers.append(Answer(text="one two three", hold=True))
    nowait = {"configuration": {"returnImmediately": True}}
    task = call(client, agent, "SendMessage", message("Count", contextId="mine") | nowait)["result"]["task"]
    assert task["contextId"] == "mine"
    busy = call(client, agent, "SendMessage", message("Another", contextId="mine"))["error"]
    assert (busy["code"], f"Task {task['id']}" in busy["message"]) == (-32004, True)
    assert busy["data"][0]["reason"] == "UNSUPPORTED_OPERATION"
    eventually(lambda: model.requests)  # else one request has both messages
    call(client, agent, "SendMessage", message("Faster", taskId=task["id"]) | nowait)
    model.release()
    eventually(lambda: data(client.get(f"/runs/{task['id']}"))["status"] == "completed")
    ended = call(client, agent, "GetTask", {"id": task["id"]})["result"]
    assert ended["artifacts"][0]["parts"] == [{"text": "You said: Faster"}]
    assert [one["parts"][0]["text"] for one in ended["history"]] == ["Count", "Faster"]
    shorter = call(client, agent, "GetTask", {"id": task["id"], "historyLength": 1})["result"]
    assert [one["parts"][0]["text"] for one in shorter["history"]] == ["Faster"]
    assert "history" not in call(client, agent, "GetTask", {"id": task["id"], "historyLength": 0})["result"]
    late = call(client, agent, "SendMessage", message("Late", taskId=task["id"]))["error"]
    assert (late["code"], "contextId" in late["message"]) == (-32004, True)


def test_tasks_are_listed_with_the_last_change_first(client: Client, agent: int, model: ModelServer) -> None:
    def tasks(**query: Any) -> dict[str, Any]:
        listed: dict[str, Any] = http(client, agent, "GET", "/tasks", params=query).json()
        return listed

    assert tasks() == {"tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0}
    made = [http(client, agent, "POST", "/message:send", json=message(str(n))).json()["task"] for n in range(3)]
    model.answers.append(Answer(text="one two three", hold=True))
    nowait = {"configuration": {"returnImmediately": True}}
    made.append(http(client, agent, "POST", "/message:send", json=message("3") | nowait).json()["task"])
    ids = [one["id"] for one in made[::-1]]
    whole = tasks()
    assert ([one["id"] for one in whole["tasks"]], whole["totalSize"]) == (ids, 4)
    assert all("artifacts" not in one and "history" not in one for one in whole["tasks"])
    first = tasks(pageSize=3)
    rest = tasks(pageSize=3, pageToken=first["nextPageToken"], includeArtifacts="true")
    assert [one["id"] for one in first["tasks"] + rest["tasks"]] == ids
    assert (rest["nextPageToken"], rest["tasks"][0]["artifacts"][0]["artifactId"]) == ("", "reply")
    assert [one["id"] for one in tasks(contextId=made[1]["contextId"])["tasks"]] == [made[1]["id"]]
    assert tasks(contextId="unknown")["tasks"] == tasks(status="TASK_STATE_REJECTED")["tasks"] == []
    assert tasks(status="TASK_STATE_COMPLETED")["totalSize"] == 3
    since = http(client, agent, "GET", f"/tasks/{ids[1]}").json()["status"]["timestamp"]
    assert {one["id"] for one in tasks(statusTimestampAfter=since)["tasks"]} >= {ids[0], ids[1]}
    for query in ({"pageToken": "x"}, {"pageSize": 0}, {"statusTimestampAfter": "soon"}):
        refused = http(client, agent, "GET", "/tasks", params=query)
        assert (refused.status_code, refused.json()["error"]["status"]) == (400, "INVALID_ARGUMENT")
    model.release()


def test_data_and_files_go_in_and_come_out(client: Client, model: ModelServer) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    agent = create_agent(client, output_schema=schema)
    model.answers.append(Answer(text='{"city": "Oslo"}'))
    parts = [
        {"text": "Where?"},
        {"data": {"country": "Norway"}},
        {"raw": "aGVsbG8=", "mediaType": "text/plain", "filename": "note.txt"},
    ]
    task = call(client, agent, "SendMessage", message(parts=parts))["result"]["task"]
    (output,) = [one for one in task["artifacts"] if one["artifactId"] == "output"]
    assert output["parts"] == [{"data": {"city": "Oslo"}, "mediaType": "application/json"}]
    sent = str(model.requests[0]["messages"])
    assert '"country":"Norway"' in sent
    assert "note.txt" in sent
    assert task["history"][0]["parts"][1]["url"].startswith(f"{client.server.url}/api/v1/files/file_")
    maker = create_agent(client, skills=[TONE])
    model.answers.append(Answer(tool=TONE, arguments={"duration_s": 0.1}))
    task = call(client, maker, "SendMessage", message("Beep"))["result"]["task"]
    (file,) = [one for one in task["artifacts"] if one["artifactId"].startswith("file_")]
    (part,) = file["parts"]
    assert part["mediaType"] == "audio/x-wav"
    assert client.get(part["url"].partition("/api/v1")[2]).content.startswith(b"RIFF")


def test_the_card_is_public_while_its_agent_has_a_page(client: Client, nobody: Client, agent: int) -> None:
    hidden = http(nobody, agent, "GET", CARD)
    assert (hidden.status_code, hidden.json()["error"]["status"]) == (401, "UNAUTHENTICATED")
    own = http(client, agent, "GET", CARD)
    assert own.json()["description"] == "Formats names."
    key = create_key(client, agent, page_enabled=True, appearance={"title": "Shop", "subtitle": "Ask about orders"})
    shown = http(nobody, agent, "GET", CARD)
    card = shown.json()
    assert (card["name"], card["description"]) == ("Shop", "Ask about orders")
    assert "Formats names." not in shown.text
    assert [one["protocolVersion"] for one in card["supportedInterfaces"]] == ["1.0", "1.0", "0.3"]
    again = http(nobody, agent, "GET", CARD, headers={"If-None-Match": shown.headers["ETag"]})
    assert (again.status_code, again.headers["ETag"]) == (304, shown.headers["ETag"])
    client.delete(f"/publishable-keys/{key['id']}")
    assert http(nobody, agent, "GET", CARD).status_code == 401
    assert http(nobody, 999_999, "GET", CARD).status_code == 401


@EVERY_MODE
@ONE_DATABASE
async def test_the_extended_card_lists_the_tools(client: Client, agent: int, mode: Mode) -> None:
    async with connect(client, agent, mode) as official:
        card = await official.get_extended_agent_card(pb.GetExtendedAgentCardRequest())
    assert [one.id for one in card.skills] == ["chat", CASE]
    assert card.security_schemes["bearer"].http_auth_security_scheme.scheme == "bearer"


@EVERY_MODE
async def test_tasks_belong_to_their_account_and_agent(
    client: Client, stranger: Client, nobody: Client, user: User, agent: int, mode: Mode
) -> None:
    async with connect(client, agent, mode, streaming=False) as official:
        task = await ask(official, "Hello")
    other = create_agent(client)
    async with connect(client, other, mode, streaming=False) as official:
        for name in (task.id, "999999", "x"):
            with pytest.raises(TaskNotFoundError):
                await official.get_task(pb.GetTaskRequest(id=name))
            with pytest.raises(TaskNotFoundError):
                await official.cancel_task(pb.CancelTaskRequest(id=name))
    create_key(client, agent, page_enabled=True)  # so that everybody finds the address
    for method, params in (("GetTask", {"id": task.id}), ("SendMessage", message()), ("ListTasks", {})):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        assert http(stranger, agent, "POST", json=body).status_code == 404
        assert http(nobody, agent, "POST", json=body).status_code == 401
    scopes = {"GetTask": "agents:read", "SendMessage": "chat:write", "CancelTask": "agents:write"}
    for method, scope in scopes.items():
        lacks = user.client(sorted({"agents:read", "agents:write", "chat:write"} - {scope}))
        params = message() if method == "SendMessage" else {"id": task.id}
        refused = http(lacks, agent, "POST", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert (refused.status_code, refused.json()["error"]["status"]) == (403, "PERMISSION_DENIED")
        assert scope in refused.headers["WWW-Authenticate"]
    async with connect(stranger, agent, mode, streaming=False) as official:
        with pytest.raises((A2AClientError, MethodNotFoundError)):
            await ask(official, "Hello")


@ONE_DATABASE
def test_the_version_decides_about_methods_and_shapes(client: Client, agent: int) -> None:
    new = call(client, agent, "SendMessage", message())["result"]
    assert set(new) == {"task"}
    old_message = {
        "message": {"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "Hi"}]}
    }
    for version in ("", "0.3", "0.3.0"):
        old = call(client, agent, "message/send", old_message, **{"A2A-Version": version})["result"]
        assert (old["kind"], old["status"]["state"]) == ("task", "completed")
    for method, version, code, words in (
        ("SendMessage", "", -32601, "A2A-Version: 1.0"),
        ("message/send", "1.0", -32601, "SendMessage"),
        ("Nonsense", "1.0", -32601, "Nonsense"),
        ("SendMessage", "0.5", -32009, "A2A-Version: 1.0"),
        ("CreateTaskPushNotificationConfig", "1.0", -32602, "url"),
        ("tasks/pushNotificationConfig/set", "0.3", -32602, "url"),
        ("SendMessage", "1.0", -32602, "message"),
        ("GetTask", "1.0", -32602, "id"),
    ):
        error = call(client, agent, method, {}, **{"A2A-Version": version})["error"]
        assert (error["code"], words in error["message"]) == (code, True), error
    refused = http(client, agent, "POST", "/message:send", json=message(), headers={"A2A-Version": ""})
    assert refused.status_code == 400
    assert refused.json()["error"]["details"][0]["reason"] == "VERSION_NOT_SUPPORTED"


@ONE_DATABASE
@pytest.mark.parametrize(
    ("params", "words"),
    [
        (message(parts=[]), "parts"),
        (message(parts=[{}]), "text, raw, url, data"),
        (message("x" * 100_001), "100,000"),
        (message(role="ROLE_AGENT"), "ROLE_USER"),
        (message(parts=[{"raw": "not base64!"}]), "base64"),
        (message(parts=[{"url": "file:///etc/passwd"}]), "http"),
        (message(contextId="conv_unknown"), "conversation"),
        ({"message": "no"}, "message"),
    ],
)
def test_unfit_messages_are_refused(client: Client, agent: int, params: dict[str, Any], words: str) -> None:
    error = call(client, agent, "SendMessage", params)["error"]
    assert (error["code"], words in error["message"]) == (-32602, True), error
    plain = http(client, agent, "POST", "/message:send", json=params)
    assert plain.status_code in (400, 404)
    assert words in plain.json()["error"]["message"]


@ONE_DATABASE
def test_bodies_that_are_no_requests_are_refused(client: Client, agent: int) -> None:
    for body, code in ((b"{", -32700), (b"[]", -32700), (b"{}", -32600)):
        refused = http(client, agent, "POST", data=body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, code)
    assert http(client, agent, "POST", "/tasks/1:sing").status_code == 404


def test_a_repeated_message_has_one_effect(client: Client, agent: int, model: ModelServer) -> None:
    key = {"Idempotency-Key": "once"}
    params = message()
    first = call(client, agent, "SendMessage", params, **key)
    assert call(client, agent, "SendMessage", params, **key) == first
    plain = [http(client, agent, "POST", "/message:send", json=params, headers=key).json() for _ in range(2)]
    assert plain[0] == plain[1] != first["result"]
    assert len(model.requests) == 2
    wrong = message(contextId="conv_unknown")
    errors = [call(client, agent, "SendMessage", wrong, **{"Idempotency-Key": "wrong"})["error"] for _ in range(2)]
    assert errors[0]["message"] == errors[1]["message"]


def test_tasks_for_which_clients_wait_fill_no_place_of_the_queue(
    start_server: StartServer, new_user: NewUser, model: ModelServer
) -> None:
    server = start_server("sqlite", RETINUE_RUN_CONCURRENCY="1")
    waiting, other = new_user(server).client(), new_user(server).client()
    agents = [create_agent(one) for one in (waiting, other)]
    model.answers.append(Answer(text="one two three", hold=True))
    with ThreadPoolExecutor(1) as clients:
        reply = clients.submit(call, waiting, agents[0], "SendMessage", message(), **NEW)
        eventually(lambda: model.requests)
        run = data(other.post(f"/agents/{agents[1]}/execute", {"message": "Hello", "background": True}), 202)["id"]
        eventually(lambda: data(other.get(f"/runs/{run}"))["status"] == "completed")
        assert not reply.done()
        model.release()
        assert reply.result()["result"]["task"]["status"]["state"] == "TASK_STATE_COMPLETED"


def test_a_task_whose_client_waits_survives_a_kill(
    start_server: StartServer, new_user: NewUser, model: ModelServer
) -> None:
    server = start_server("sqlite")
    client = new_user(server).client()
    agent = create_agent(client)
    model.answers.append(Answer(text="one two three", hold=True))
    with ThreadPoolExecutor(1) as waiting:
        lost = waiting.submit(call, client, agent, "SendMessage", message())
        eventually(lambda: model.requests)
        server.kill()
        assert lost.exception() is not None
    server.start()
    completed = {"status": "TASK_STATE_COMPLETED", "includeArtifacts": True}
    (task,) = eventually(lambda: call(client, agent, "ListTasks", completed, **NEW)["result"]["tasks"])
    assert task["artifacts"][0]["parts"] == [{"text": "You said: Hello"}]


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_a_task_survives_a_kill(start_server: StartServer, new_user: NewUser, model: ModelServer) -> None:
    server = start_server("sqlite")
    client = new_user(server).client()
    agent = create_agent(client)
    model.answers.append(Answer(text="one two three", hold=True))
    async with connect(client, agent, streaming=False, polling=True) as official:
        task = await ask(official, "Hello")
    eventually(lambda: model.requests)
    server.kill()
    server.start()
    async with connect(client, agent) as official:
        eventually(lambda: data(client.get(f"/runs/{task.id}"))["status"] == "completed")
        found = await official.get_task(pb.GetTaskRequest(id=task.id))
    assert (texts_of(found), found.context_id) == ({"reply": "You said: Hello"}, task.context_id)
