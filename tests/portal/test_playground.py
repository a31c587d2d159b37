"""The playground over HTTP: streams, agents, files, conversations, and what is refused."""

import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from tests.conftest import ONE_DATABASE, NewUser, StartServer
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, reader_of, redirect
from tests.portal.test_agents import new_agent
from tests.support.client import Client, Stream, data, statuses_until_limited
from tests.support.model_server import Answer, ModelServer

pytestmark = pytest.mark.either_database

SCRIPT = {"Accept": "text/event-stream"}


def watch_requests(page: Page, path: str) -> list[Request]:
    """Return a list to which each request of the page to a path is added."""
    seen: list[Request] = []

    def note(request: Request) -> None:
        if urlsplit(request.url).path == path:
            seen.append(request)

    page.on("request", note)
    return seen


def test_an_answer_is_streamed_as_by_the_api(reader: Reader, client: Client) -> None:
    body = {"message": "Hello", "model": "alfred-default", "temperature": 0.2, "tools": []}
    answer = reader.post("/playground/chat", json=body, headers=SCRIPT, stream=True)
    chunks = list(Stream(answer).chunks())
    assert "".join(chunk["content"] for chunk in chunks[:-1]) == "You said: Hello"
    assert chunks[-1]["type"] == "done"
    conversation = chunks[-1]["conversation_id"]
    assert answer.headers["X-Conversation-Id"] == conversation
    assert answer.headers["X-Run-Id"] == str(chunks[-1]["run_id"])
    follow_up = {"message": "And again", "conversation_id": conversation}
    chunks = list(Stream(reader.post("/playground/chat", json=follow_up, headers=SCRIPT, stream=True)).chunks())
    assert chunks[-1]["conversation_id"] == conversation
    page = reader.get(f"/playground?conversation={conversation}").text
    assert "You said: Hello" in page
    assert "And again" in page
    assert conversation in reader.get("/playground/conversations").text
    assert redirect(reader.post(f"/playground/conversations/{conversation}/delete")) == "/playground"
    assert data(client.get("/chat")) == []


def test_an_error_names_the_conversation_that_has_the_message(
    reader: Reader, client: Client, model: ModelServer
) -> None:
    model.answers.append(Answer(status=400, text="The model does not feel like it"))
    answer = reader.post("/playground/chat", json={"message": "Hello"}, headers=SCRIPT)
    assert answer.status_code == 503, answer.text
    assert answer.headers["X-Conversation-Id"] == data(client.get("/chat"))[0]["conversation_id"]


def test_a_long_conversation_shows_its_end(reader: Reader, client: Client) -> None:
    conversation: str | None = None
    for number in range(51):
        body: dict[str, Any] = {"message": f"Question {number};", "tools": [], "conversation_id": conversation}
        conversation = data(client.post("/chat", body))["conversation_id"]
    page = reader.get(f"/playground?conversation={conversation}").text
    assert [f'<span class="said">Question {number};' in page for number in (0, 1, 25, 50)] == [False, True, True, True]


def test_an_agent_answers(reader: Reader, client: Client, stranger: Client) -> None:
    body = {"message": "Hello", "agent_id": new_agent(client)}
    chunks = list(Stream(reader.post("/playground/chat", json=body, headers=SCRIPT, stream=True)).chunks())
    assert (chunks[-1]["type"], chunks[-1]["agent_id"]) == ("done", body["agent_id"])
    assert data(client.get(f"/agents/{body['agent_id']}/runs"))[0]["message"] == "Hello"
    page = reader.get(f"/playground?conversation={chunks[-1]['conversation_id']}").text
    assert " selected>Ada (Generalist)" in page
    theirs = reader.post("/playground/chat", json={"message": "Hello", "agent_id": new_agent(stranger)}, headers=SCRIPT)
    assert theirs.status_code == 400
    assert " selected>Ada (Generalist)" in reader.get(f"/playground?agent={body['agent_id']}").text
    conversation = f"/playground?conversation={chunks[-1]['conversation_id']}"
    page = reader.get(conversation).text
    assert " selected>Ada (Generalist)" in page
    assert "<small>Ada · " in page
    client.delete(f"/agents/{body['agent_id']}")
    assert "You said: Hello" in reader.get(conversation).text
    assert reader.get(f"/playground?agent={body['agent_id']}").status_code == 404


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"message": ""}, 400, "must not be empty"),
        ({"message": "Hello", "model": "no-such-model"}, 400, "no model"),
        ({"message": "Hello", "temperature": 7}, 400, "temperature"),
        ({"message": "Hello", "tools": ["no_such_tool"]}, 400, "no_such_tool"),
        ({"message": "Hello", "agent_id": "7"}, 400, "agent_id"),
        ({"message": "Hello", "agent_id": 0}, 400, "agent"),
        ({"message": "Hello", "conversation_id": "conv_none"}, 404, "conversation"),
        ({"message": "Hello", "attachments": ["file_none"]}, 400, "file"),
        ([], 400, "object"),
    ],
)
def test_problems_are_described_as_by_the_api(reader: Reader, body: object, status: int, words: str) -> None:
    answer = reader.post("/playground/chat", json=body, headers=SCRIPT)
    assert answer.status_code == status, answer.text
    assert words in answer.json()["error"]["message"]


def test_only_json_is_taken(reader: Reader) -> None:
    for headers, text in (({"Content-Type": "text/plain"}, "{}"), ({"Content-Type": "application/json"}, "{")):
        answer = reader.ask_with("POST", "/playground/chat", {**SCRIPT, **headers}, text)
        assert answer.status_code == 400
    big = json.dumps({"message": "x" * (1 << 20)})
    answer = reader.ask_with("POST", "/playground/chat", {**SCRIPT, "Content-Type": "application/json"}, big)
    assert answer.status_code == 400
    assert "1 MiB" in answer.json()["error"]["message"]


def test_a_file_is_kept_for_a_message(reader: Reader, client: Client) -> None:
    headers = {"Content-Type": "text/plain"}
    answer = reader.ask_with("POST", "/playground/files?name=notes.txt", headers, "Milk")
    assert answer.status_code == 201
    file = answer.json()["data"]
    assert (file["name"], file["size"]) == ("notes.txt", 4)
    assert data(client.get(f"/files/{file['id']}"))["name"] == "notes.txt"


def test_the_minute_of_the_plan_bounds_messages(start_server: StartServer, model: ModelServer) -> None:
    assert model.url
    server = start_server(RETINUE_RATE_LIMITS="on")
    server.ask("users.create", email="free@example.com", plan="free")
    reader = Reader(server).sign_in_by_link("free@example.com")
    allowed = statuses_until_limited(lambda: reader.post("/playground/chat", json={"message": ""}, headers=SCRIPT))
    assert len(allowed) >= 10
    assert set(allowed) == {400}
    part = reader.post("/agents", {"agent_name": "Ada"}, headers={"HX-Request": "true"})
    assert part.status_code == 429
    assert int(part.headers["Retry-After"]) >= 1
    assert "Try again in" in part.text
    assert reader.get("/agents").status_code == 200
    reader.close()


def test_the_palette_finds_pages_agents_fleets_and_tools(reader: Reader, client: Client, stranger: Client) -> None:
    agent = new_agent(client, agent_name="Order desk")
    fleet = data(client.post("/fleets", {"name": "Order fleet"}), 201)["id"]
    new_agent(stranger, agent_name="Order of others")
    assert 'href="/agents/new"' in reader.get("/palette").text
    found = reader.get("/palette", params={"q": "ORDER"}).text
    assert f'href="/agents/{agent}"' in found
    assert f'href="/fleets/{fleet}"' in found
    assert "others" not in found
    assert 'href="/tools/percent_solve_share"' in reader.get("/palette", params={"q": "what is x percent of y"}).text
    goals = {
        words: reader.get("/palette", params={"q": words}).text
        for words in ("create agent", "dark", "log out", "openai", "order desk", "webhooks create")
    }
    assert 'href="/agents/new"' in goals["create agent"]
    assert 'href="#theme"' in goals["dark"]
    assert 'href="#sign-out"' in goals["log out"]
    assert 'href="/models/new"' in goals["openai"]
    assert 'href="/docs/guides/webhooks#create-an-endpoint"' in goals["webhooks create"]
    assert "No results" in reader.get("/palette", params={"q": "qqqqzzzz"}).text


def test_the_palette_finds_records_by_their_names(reader: Reader, client: Client, stranger: Client) -> None:
    collection = data(client.post("/knowledge/collections", {"name": "Harbour rules"}), 201)["id"]
    run = data(client.post("/chat", {"message": "When does the harbour open?"}))["run_id"]
    data(client.post("/webhooks", {"url": "https://harbour.example.com/hook", "events": ["agent.deployed"]}), 201)
    other = data(stranger.post("/chat", {"message": "Is the harbour closed?"}))["run_id"]
    found = reader.get("/palette", params={"q": "harbour"}).text
    assert f'href="/knowledge/collections/{collection}"' in found
    assert "https://harbour.example.com/hook" in found
    assert 'href="/playground?conversation=' in found
    assert "closed" not in found
    assert f'href="/runs/{run}"' in reader.get("/palette", params={"q": f"run {run}"}).text
    assert f'href="/runs/{other}"' not in reader.get("/palette", params={"q": f"run {other}"}).text
    assert 'href="/users#new-user"' not in reader.get("/palette", params={"q": "invite"}).text


def test_without_a_model_the_playground_gives_advice(start_server: StartServer) -> None:
    server = start_server(RETINUE_MODEL_URL="")
    server.ask("users.create", email="a@example.com", plan="enterprise")
    reader = Reader(server).sign_in_by_link("a@example.com")
    assert "RETINUE_MODEL_URL" in reader.get("/playground").text
    answer = reader.post("/playground/chat", json={"message": "Hello"}, headers=SCRIPT)
    assert answer.status_code == 503
    reader.close()


def test_users_do_not_see_each_other(reader: Reader, stranger: Client) -> None:
    data(stranger.post("/chat", {"message": "A secret of mine"}))
    assert "A secret of mine" not in reader.get("/playground").text


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_a_conversation_goes_on_after_a_stopped_answer(
    reader: Reader, arrive: Arrive, model: ModelServer, client: Client
) -> None:
    page = arrive(reader).open("/playground")
    model.answers.append(Answer(text="A long answer of many words", hold=True))
    page.get_by_label("Message", exact=True).fill("Go on and on")
    page.keyboard.press("Enter")
    expect(page.locator(".msg.agent")).to_contain_text("A")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped.")).to_be_visible()
    page.get_by_label("Message", exact=True).fill("What did I say?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Steps")).to_be_visible()
    (conversation,) = data(client.get("/chat"))
    assert page.url.endswith(f"?conversation={conversation['conversation_id']}")


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_a_retry_sends_the_same_files_and_waits_for_another_answer(
    reader: Reader, arrive: Arrive, model: ModelServer, client: Client
) -> None:
    page = arrive(reader).open("/playground")
    sent = watch_requests(page, "/playground/chat")
    page.locator("input[type=file]").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"Milk"})
    expect(page.locator(".attached li:not([aria-busy])")).to_have_count(1)
    model.answers.append(Answer(status=400, text="The model does not feel like it"))
    page.get_by_label("Message", exact=True).fill("What is in the file?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()

    model.answers.append(Answer(text="A long answer of many words", hold=True))
    page.get_by_label("Message", exact=True).fill("Go on and on")
    page.keyboard.press("Enter")
    expect(page.locator(".msg.agent").last).to_contain_text("A")
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped.")).to_be_visible()
    assert len(sent) == 2

    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("link", name="Steps")).to_be_visible()
    file = data(client.get("/files"))[0]["id"]
    first, _, second = (request.post_data_json for request in sent)
    assert first
    assert second == first | {"conversation_id": data(client.get("/chat"))[0]["conversation_id"]}
    assert (first["message"], first["attachments"]) == ("What is in the file?", [file])


@pytest.mark.needs_program("chromium")
def test_the_error_of_a_refused_key_links_to_its_provider(
    start_server: StartServer, new_user: NewUser, arrive: Arrive, model: ModelServer
) -> None:
    user = new_user(start_server(RETINUE_ALLOWED_NETWORKS="127.0.0.0/8"))
    provider = {
        "name": "mine",
        "kind": "openai",
        "base_url": model.url,
        "key": "sk-wrong-1234",
        "models": [{"id": "m1"}],
    }
    made = data(user.client().post("/providers", provider), 201)["id"]
    data(user.client().put("/models/default", {"model": "mine/m1"}))
    page = arrive(reader_of(user)).open("/playground")
    model.answers.append(Answer(status=401, text="Wrong key"))
    page.get_by_label("Message", exact=True).fill("Hello")
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_role("link", name="Open the provider mine").click()
    page.wait_for_url(f"**/models/{made}")
    expect(page.get_by_text("Key refused")).to_be_visible()


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_a_message_is_kept_when_the_session_has_ended(reader: Reader, arrive: Arrive) -> None:
    visitor = arrive(reader)
    page = visitor.open("/playground")
    refreshed = watch_requests(page, "/playground/conversations")
    session = visitor.context.cookies()
    visitor.context.clear_cookies()
    message = page.get_by_label("Message", exact=True)
    message.fill("A long question")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Your session has ended.")
    expect(message).to_have_value("A long question")

    visitor.context.add_cookies([{"name": one["name"], "value": one["value"], "url": page.url} for one in session])
    with page.expect_response("**/playground/conversations*"):
        page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("link", name="Steps")).to_be_visible()
    expect(message).to_have_value("")
    assert len(refreshed) == 1


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_a_message_is_edited_and_answered_again(reader: Reader, arrive: Arrive, client: Client) -> None:
    page = arrive(reader).open("/playground")
    page.locator("textarea[name=message]").fill("First")
    page.locator("#send").click()
    mine = page.locator(".msg.user")
    expect(page.locator(".msg.agent .prose")).to_have_text("You said: First")
    mine.get_by_label("Edit this message").click()
    expect(page.locator("textarea[name=message]")).to_have_value("First")
    page.locator("textarea[name=message]").fill("Second")
    page.locator("#send").click()
    expect(page.locator(".msg.agent .prose")).to_have_text("You said: Second")
    expect(mine).to_have_count(1)
    mine.get_by_label("Answer this message again").click()
    expect(page.locator(".msg.agent .meta a")).to_have_text("Steps")
    conversation = data(client.get("/chat"))[0]["conversation_id"]
    told = [(one["content"], one["replaced"]) for one in data(client.get(f"/chat/{conversation}"))]
    assert told[0] == ("First", True)
    assert [text for text, replaced in told if not replaced] == ["Second", "You said: Second"]
    page.reload()
    expect(mine).to_have_count(1)


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_two_partners_answer_the_same_message(reader: Reader, arrive: Arrive, client: Client) -> None:
    agent = new_agent(client, agent_name="Rival")
    visitor = arrive(reader)
    page = visitor.open("/playground")
    page.get_by_role("button", name="Compare").click()
    page.get_by_label("Compare with").select_option(label="Rival (Generalist)")
    for message in ("Hello", "And again"):
        page.get_by_label("Message", exact=True).fill(message)
        page.keyboard.press("Enter")
        for column in ("#messages", "#messages-2"):
            expect(page.locator(f"{column} .msg.agent").last).to_contain_text(f"You said: {message}")
            expect(page.locator(f"{column} .msg.agent .meta").last).to_contain_text("tokens")
    visitor.check_accessibility()
    visitor.check_width()
    talks = data(client.get("/chat"))
    assert sorted(talk["agent_id"] or 0 for talk in talks) == [0, agent]
    for talk in talks:
        told = [one["content"] for one in data(client.get(f"/chat/{talk['conversation_id']}"))]
        assert told[::2] == ["Hello", "And again"]


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_a_message_reaches_a_reply_that_uses_tools(
    reader: Reader, arrive: Arrive, client: Client, model: ModelServer
) -> None:
    page = arrive(reader).open("/playground")
    call = {"part": 17, "whole": 4250}
    model.answers += [Answer(tool="percent_solve_share", arguments=call), Answer(text="Half of it", hold=True)]
    text = page.locator("#chat-form textarea")
    text.fill("Work it out")
    page.keyboard.press("Enter")
    expect(page.locator(".msg.agent .prose")).to_contain_text("Half")
    expect(text).to_have_attribute("placeholder", "Add something to the running reply")
    text.fill("In German, please")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Sent to the running reply")).to_be_visible()
    model.release()
    expect(page.get_by_role("link", name="Steps")).to_be_visible()
    (conversation,) = data(client.get("/chat"))
    told = data(client.get(f"/chat/{conversation['conversation_id']}"))
    assert [one["content"] for one in told if one["role"] == "user"] == ["Work it out", "In German, please"]
    assert told[-1]["content"] == "You said: In German, please"
