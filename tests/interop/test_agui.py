"""Front ends speak AG-UI 1.0 at /agui, with an account's credential or as anonymous visitors."""

from typing import Any

import pytest
import requests

from retinue.app import operations
from tests.auth.test_scopes import path_of
from tests.conftest import ONE_DATABASE, User
from tests.interop.agui import SHOP, FrontEnd, create_key, events_of, kinds, text_of, user_says
from tests.interop.test_openai import create_agent
from tests.knowledge.support import HANDBOOK, add, new_collection
from tests.runs.test_approvals import ASK_OUT, OUT
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

CASE = "text_convert_case"
KEBAB = {"text": "two words", "style": "kebab"}


@pytest.fixture
def agent(client: Client) -> int:
    """An agent with one skill."""
    return create_agent(client, skills=[CASE], greeting="Welcome to the shop!")


@pytest.fixture
def front_end(client: Client, agent: int) -> FrontEnd:
    """A front end of the account itself."""
    return FrontEnd(client.server, client.key, agent)


@pytest.fixture
def visitor(client: Client, agent: int) -> FrontEnd:
    """An anonymous visitor of the shop."""
    return FrontEnd.of_visitor(client.server, create_key(client, agent))


def count_metered(client: Client) -> int:
    """Return the tokens that the account has used today."""
    return sum(one["tokens"] for one in data(client.get("/usage/history")))


def test_a_reply_is_streamed_and_the_thread_goes_on(front_end: FrontEnd, client: Client, model: ModelServer) -> None:
    events = front_end.run("Hello there", state={"cart": 2}, tools=[], unknown=1)
    assert kinds(events) == [
        "RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED",
    ]  # fmt: skip
    assert events[0] | {"threadId": front_end.thread, "runId": "run-1", "protocolVersion": "1.0"} == events[0]
    assert events[-1]["outcome"] == {"type": "success"}
    assert text_of(events) == "You said: Hello there"
    front_end.run("And now?")
    said = [one["content"] for one in model.requests[-1]["messages"] if one["role"] in ("user", "assistant")]
    assert "You said: Hello there" in said
    assert '"cart"' in str(model.requests[0]["messages"])
    assert [(one["role"], one["content"]) for one in front_end.history()["messages"]] == [
        ("user", "Hello there"),
        ("assistant", "You said: Hello there"),
        ("user", "And now?"),
        ("assistant", "You said: And now?"),
    ]
    (conversation,) = data(client.get("/chat"))
    assert conversation["agent_id"] == front_end.agent
    eventually(lambda: count_metered(client) > 0)
    front_end.thread = conversation["conversation_id"]
    assert len(front_end.history()["messages"]) == 4


def test_calls_of_tools_are_events_and_history(front_end: FrontEnd, model: ModelServer) -> None:
    model.answers += [Answer(text="Let me see.", tool=CASE, arguments=KEBAB), Answer(text="It is two-words.")]
    events = front_end.run("Convert it")
    assert kinds(events)[4:10] == [
        "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT", "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
    ]  # fmt: skip
    (result,) = [one for one in events if one["type"] == "TOOL_CALL_RESULT"]
    assert "two-words" in result["content"]
    roles = [one["role"] for one in front_end.history()["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant"]
    assert front_end.history()["messages"][1]["toolCalls"][0]["id"] == result["toolCallId"]


def test_an_approval_is_an_interrupt_that_the_account_resumes(client: Client) -> None:
    front_end = FrontEnd(client.server, client.key, create_agent(client, skills=[OUT], approval="required"))
    events = front_end.run(ASK_OUT)
    outcome = events[-1]["outcome"]
    (interrupt,) = outcome["interrupts"]
    assert interrupt["toolCallId"] == next(one["toolCallId"] for one in events if one["type"] == "TOOL_CALL_START")
    assert front_end.history()["status"] == "waiting"
    answer = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"approved": True}}
    resumed = front_end.run("", resume=[answer])
    assert resumed[-1]["outcome"] == {"type": "success"}
    assert [one["type"] for one in resumed].count("TOOL_CALL_START") == 0
    (result,) = [one for one in resumed if one["type"] == "TOOL_CALL_RESULT"]
    assert result["toolCallId"] == interrupt["toolCallId"]
    assert data(client.get(f"/approvals/{interrupt['id']}"))["status"] == "approved"


@ONE_DATABASE
@pytest.mark.parametrize("answer", [{"status": "cancelled"}, {"status": "resolved", "payload": "sure"}])
def test_anything_but_a_plain_yes_denies(client: Client, answer: dict[str, Any]) -> None:
    front_end = FrontEnd(client.server, client.key, create_agent(client, skills=[OUT], approval="required"))
    (interrupt,) = front_end.run(ASK_OUT)[-1]["outcome"]["interrupts"]
    assert front_end.run("", resume=[{"interruptId": interrupt["id"], **answer}])[-1]["type"] == "RUN_FINISHED"
    assert data(client.get(f"/approvals/{interrupt['id']}"))["status"] == "denied"


@ONE_DATABASE
def test_failures_are_told_to_the_account_and_not_to_visitors(
    front_end: FrontEnd, visitor: FrontEnd, model: ModelServer
) -> None:
    for who, told in ((front_end, "told to fail"), (visitor, "cannot answer right now")):
        model.answers.append(Answer(status=400, text="told to fail: secret-host"))
        response = who.post(user_says("Hello"))
        text = response.text
        assert told in text
        assert ("secret-host" in text) == (who is front_end)


def test_a_run_ends_with_its_client_unless_it_keeps_running(front_end: FrontEnd, model: ModelServer) -> None:
    model.answers.append(Answer(text="One two three", hold=True))
    response = front_end.post(user_says("Count"), forwardedProps={"keepRunning": True})
    assert next(events_of(response))["type"] == "RUN_STARTED"
    response.close()
    followed = front_end.request("GET", f"/threads/{front_end.thread}/events", stream=True)
    events = events_of(followed)
    told = [next(events), next(events)]
    assert [one["content"] for one in told[1]["messages"]] == ["Count"]
    model.release()
    told += events
    assert text_of(told) == "One two three"
    assert told[-1]["outcome"] == {"type": "success"}
    assert front_end.request("GET", f"/threads/{front_end.thread}/events").status_code == 404
    model.reset()
    model.answers.append(Answer(text="One two three", hold=True))
    response = front_end.post(user_says("Count"))
    assert next(events_of(response))["type"] == "RUN_STARTED"
    response.close()
    eventually(lambda: front_end.history()["status"] == "idle")


def test_a_run_is_cancelled_on_request(visitor: FrontEnd, model: ModelServer) -> None:
    model.answers.append(Answer(text="One two three", hold=True))
    response = visitor.post(user_says("Count"), forwardedProps={"keepRunning": True})
    events = events_of(response)
    assert [next(events)["type"], next(events)["type"]] == ["RUN_STARTED", "TEXT_MESSAGE_START"]
    assert visitor.request("POST", f"/threads/{visitor.thread}/cancel").json()["cancelled"] == 1
    assert list(events)[-1]["outcome"] == {"type": "cancelled"}


@ONE_DATABASE
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"messages": []}, "last message"),
        ({"messages": [{"role": "assistant", "content": "Hi"}]}, "last message"),
        ({"messages": [user_says("x" * 10_001)]}, "10,000"),
        ({"messages": [user_says("Hi")], "resume": [{"interruptId": "x", "status": "cancelled"}]}, "thread"),
        ({"messages": "no"}, "messages"),
        ({"messages": [user_says("Hi")], "state": {"note": "x" * 65_536}}, "64 KiB"),
    ],
)
def test_unfit_requests_are_refused(front_end: FrontEnd, body: dict[str, Any], words: str) -> None:
    response = front_end.request("POST", json={"threadId": "t", "runId": "r", **body})
    assert response.status_code in (400, 404)
    assert words in response.json()["error"]["message"]


@ONE_DATABASE
def test_other_credentials_get_nothing(client: Client, user: User, stranger: Client, agent: int) -> None:
    def status(key: str | None, path: str = "", method: str = "POST") -> int:
        body = {"json": {"threadId": "t", "runId": "r", "messages": [user_says("Hi")]}} if method == "POST" else {}
        return FrontEnd(client.server, key, agent).request(method, path, **body).status_code

    for method, path in (("POST", ""), ("GET", ""), ("GET", "/threads/t"), ("POST", "/threads/t/cancel")):
        assert status(None, path, method) == 401
        assert status(stranger.key, path, method) == 404
        assert status(user.client(["usage:read"]).key, path, method) == 403


def test_a_visitor_chats_and_the_owner_sees_it(visitor: FrontEnd, client: Client, model: ModelServer) -> None:
    model.answers += [Answer(text="Let me see.", tool=CASE, arguments=KEBAB), Answer(text="It is two-words.")]
    events = visitor.run("Convert it")
    assert kinds(events) == [
        "RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "STEP_STARTED",
        "STEP_FINISHED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED",
    ]  # fmt: skip
    assert CASE not in str(events)
    assert CASE not in str(visitor.history())
    assert visitor.request("GET").json()["greeting"] == "Welcome to the shop!"
    (conversation,) = data(client.get("/chat"))
    (key,) = data(client.get(f"/publishable-keys?agent_id={visitor.agent}"))
    assert conversation["publishable_key_id"] == key["id"]
    assert (key["messages"], key["messages_today"], key["conversations"]) == (1, 1, 1)
    assert key["last_used_at"]
    assert data(client.get("/usage"))["tools_executed"]["used"] == 1
    eventually(lambda: count_metered(client) > 0)


def test_a_visitor_sees_only_the_own_thread(visitor: FrontEnd, client: Client) -> None:
    visitor.run("My secret")
    other = FrontEnd.of_visitor(client.server, {"key": visitor.key, "agent_id": visitor.agent})
    public_id = data(client.get("/chat"))[0]["conversation_id"]
    for thread in (visitor.thread, public_id):
        for method, path in (("GET", ""), ("GET", "/events"), ("POST", "/cancel")):
            assert other.request(method, f"/threads/{thread}{path}").status_code == 404
    other.thread = public_id
    assert other.post(user_says("Hi")).status_code == 404
    other.thread = visitor.thread
    other.run("Another")
    assert "My secret" not in str(other.history())
    other.visitor = None
    assert "X-Visitor-Token" in other.request("GET", f"/threads/{other.thread}").json()["error"]["message"]


def test_the_owner_decides_about_approvals_of_visitors(client: Client) -> None:
    agent = create_agent(client, skills=[OUT], approval="required")
    visitor = FrontEnd.of_visitor(client.server, create_key(client, agent))
    (interrupt,) = visitor.run(ASK_OUT)[-1]["outcome"]["interrupts"]
    assert OUT not in str(interrupt)
    (approval,) = data(client.get("/approvals?status=pending"))
    for name in (interrupt["id"], str(approval["id"])):
        answer = {"interruptId": name, "status": "resolved", "payload": {"approved": True}}
        assert visitor.post(resume=[answer]).status_code == 403
    assert visitor.history()["status"] == "waiting"
    data(client.post(f"/approvals/{approval['id']}", {"decision": "approve"}))
    eventually(lambda: visitor.history()["status"] == "idle")
    assert visitor.history()["messages"][-1]["role"] == "assistant"


@ONE_DATABASE
def test_untrusted_words_of_visitors_taint_the_run(client: Client, model: ModelServer) -> None:
    """An agent whose skills do not call for approvals asks for one in the runs of visitors."""
    agent = create_agent(client, skills=[OUT])
    visitor = FrontEnd.of_visitor(client.server, create_key(client, agent))
    assert visitor.run(ASK_OUT)[-1]["outcome"]["type"] == "interrupt"
    (approval,) = data(client.get("/approvals"))
    assert "anonymous visitor" in approval["untrusted"]


@ONE_DATABASE
def test_an_agent_without_skills_offers_visitors_no_tools(client: Client, model: ModelServer) -> None:
    visitor = FrontEnd.of_visitor(client.server, create_key(client, create_agent(client)))
    visitor.run("Convert two words to kebab case")
    assert not model.requests[-1].get("tools")


def test_limits_of_a_day_hold_for_a_visitor_and_for_all(client: Client, agent: int) -> None:
    key = create_key(client, agent, daily_messages=3, visitor_daily_messages=2)
    first, second = (FrontEnd.of_visitor(client.server, key) for _ in range(2))
    first.run()
    first.run()
    refuse(first.post(user_says("Hi")), 429, "come back tomorrow")
    first.thread = "another"
    refuse(first.post(user_says("Hi")), 429, "You have reached")
    second.run()
    refuse(second.post(user_says("Hi")), 429, "This chat")
    data(client.put(f"/publishable-keys/{key['id']}", {"daily_messages": 4}))
    second.run()
    assert data(client.get(f"/publishable-keys/{key['id']}"))["messages_today"] == 4


@ONE_DATABASE
def test_only_pages_of_its_origins_use_a_key(client: Client, agent: int) -> None:
    key = create_key(client, agent, page_enabled=False)
    visitor = FrontEnd.of_visitor(client.server, key)
    response = visitor.post(user_says("Hi"))
    assert response.headers["Access-Control-Allow-Origin"] == SHOP
    assert "Origin" in response.headers["Vary"]
    for origin in ("https://evil.example", f"{SHOP}:8443", "http://shop.example", "null", None, client.server.url):
        visitor.origin = origin
        refuse(visitor.post(user_says("Hi")), 403, "Add the origin")
    data(client.put(f"/publishable-keys/{key['id']}", {"page_enabled": True}))
    eventually(lambda: visitor.post(user_says("Hi")).status_code == 200)
    visitor.origin = None
    assert visitor.request("GET").status_code == 200
    refuse(visitor.post(user_says("Hi")), 403, "unknown origin")


@ONE_DATABASE
def test_browsers_send_preflight_requests(visitor: FrontEnd, client: Client) -> None:
    asked = {"Origin": SHOP, "Access-Control-Request-Method": "POST"}
    response = requests.options(f"{client.server.url}/agui/{visitor.agent}", headers=asked, timeout=60)
    assert response.status_code == 204
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "x-visitor-token" in response.headers["Access-Control-Allow-Headers"]
    other = requests.options(f"{client.server.url}/v1/models", headers=asked, timeout=60)
    assert "Access-Control-Allow-Origin" not in other.headers
    own = FrontEnd(client.server, client.key, visitor.agent, SHOP).request("GET")
    assert "Access-Control-Allow-Origin" not in own.headers


@ONE_DATABASE
def test_a_publishable_key_opens_nothing_else(client: Client, agent: int) -> None:
    key = create_key(client, agent)
    other = create_agent(client)
    public = Client(client.server, key["key"])
    for operation in operations():
        response = public.request(operation.method, path_of(operation), headers={"Origin": SHOP})
        refuse(response, 403, "publishable key")
    endpoints: list[tuple[str, Any]] = [
        ("/v1/chat/completions", {"model": f"agent:{agent}", "messages": []}),
        ("/v1/messages", {"model": f"agent:{agent}", "messages": []}),
        ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}),
    ]
    for path, body in endpoints:
        response = requests.post(
            client.server.url + path,
            json=body,
            headers={"Authorization": f"Bearer {key['key']}", "Origin": SHOP},
            timeout=60,
        )
        assert response.status_code == 403, (path, response.text)
    assert FrontEnd.of_visitor(client.server, {**key, "agent_id": other}).request("GET").status_code == 404
    public.close()


def test_revoked_and_rotated_keys(client: Client, agent: int) -> None:
    key = create_key(client, agent)
    visitor = FrontEnd.of_visitor(client.server, key)
    visitor.run("First")
    new = data(client.post(f"/publishable-keys/{key['id']}/rotate", {"overlap_days": 1}), 201)
    assert new["origins"] == key["origins"]
    assert visitor.request("GET").status_code == 200
    refuse(client.post(f"/publishable-keys/{key['id']}/rotate", {}), 400, "already been replaced")
    visitor.key = new["key"]
    assert visitor.history()["messages"][0]["content"] == "First"
    data(client.delete(f"/publishable-keys/{new['id']}"))
    eventually(lambda: visitor.request("GET").status_code == 401)
    refuse(client.get(f"/publishable-keys/{new['id']}"), 404)
    actions = {entry["action"] for entry in data(client.get("/audit"))}
    assert {f"publishable_key.{one}" for one in ("created", "rotated", "revoked")} <= actions


def test_a_key_ends_with_its_agent(client: Client, agent: int) -> None:
    key = create_key(client, agent)
    visitor = FrontEnd.of_visitor(client.server, key)
    visitor.run()
    data(client.delete(f"/agents/{agent}"))
    eventually(lambda: visitor.request("GET").status_code == 401)
    assert data(client.get("/publishable-keys")) == []


@ONE_DATABASE
@pytest.mark.parametrize("origin", ["shop.example", "https://shop.example/path", "ftp://a.example", "*", "https://a b"])
def test_origins_are_origins(client: Client, agent: int, origin: str) -> None:
    refuse(client.post("/publishable-keys", {"agent_id": agent, "origins": [origin]}), 400, "origins", "https://")


@ONE_DATABASE
def test_origins_are_kept_as_browsers_write_them(client: Client, agent: int) -> None:
    key = create_key(
        client, agent, origins=["HTTPS://Shop.Example:443/", "http://localhost:3000", "https://bücher.example"]
    )
    assert key["origins"] == ["https://shop.example", "http://localhost:3000", "https://xn--bcher-kva.example"]


@ONE_DATABASE
def test_a_part_of_the_appearance_is_changed(client: Client, agent: int) -> None:
    key = create_key(client, agent, appearance={"title": "Help", "position": "left"})
    changed = data(client.put(f"/publishable-keys/{key['id']}", {"appearance": {"color": "#1b6753", "theme": None}}))
    assert changed["appearance"] == {**key["appearance"], "color": "#1b6753"}
    assert data(client.get(f"/publishable-keys/{key['id']}"))["appearance"]["title"] == "Help"


def test_keys_are_for_agents_of_the_account(client: Client, stranger: Client, agent: int) -> None:
    refuse(stranger.post("/publishable-keys", {"agent_id": agent}), 400, "agent_id")
    key = create_key(client, agent)
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/rotate")):
        refuse(stranger.request(method, f"/publishable-keys/{key['id']}{path}"), 404)


@ONE_DATABASE
def test_files_of_visitors(client: Client, agent: int, model: ModelServer) -> None:
    key = create_key(client, agent)
    visitor = FrontEnd.of_visitor(client.server, key)
    note = {"type": "data", "value": "VGhlIGNvZGUgaXMgNDI=", "mimeType": "text/plain"}
    part = {"type": "document", "source": note, "metadata": {"name": "note.txt"}}
    said = {"id": "1", "role": "user", "content": [{"type": "text", "text": "Read it"}, part]}
    refuse(visitor.post(said), 400, "takes no files")
    data(client.put(f"/publishable-keys/{key['id']}", {"accepts_files": True}))
    assert text_of(list(events_of(visitor.post(said)))).startswith("You said: Read it")
    assert "The code is 42" in str(model.requests[-1]["messages"])
    assert visitor.history()["messages"][0]["metadata"] == {"files": 1}
    mine = data(client.get("/files"))[0]["id"]
    for source in ({"type": "file", "value": mine}, {"type": "url", "value": "https://example.com/a.png"}):
        said["content"] = [{"type": "document", "source": source}]
        refuse(visitor.post(said), 400, "with its content")


@ONE_DATABASE
def test_sources_without_quotations_are_for_visitors(client: Client, model: ModelServer) -> None:
    collection = new_collection(client)
    add(client, collection, text=HANDBOOK)
    agent = create_agent(client, knowledge=[collection])
    own, visitor = (
        FrontEnd(client.server, client.key, agent),
        FrontEnd.of_visitor(client.server, create_key(client, agent)),
    )
    for who, has_quote in ((own, True), (visitor, False)):
        model.answers.append(Answer(text="28 days [1]."))
        events = who.run("How many days of paid leave do I get?")
        (source,) = next(one["value"] for one in events if one["type"] == "CUSTOM")
        assert (source["number"], source["title"]) == (1, "Staff handbook")
        assert ("quote" in source) == ("document_id" in source) == has_quote
        assert who.history()["messages"][-1]["metadata"] == {"sources": [source]}
