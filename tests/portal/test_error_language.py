"""Errors are in the language of the reader: in forms and pages, in a running chat, in rooms and in the widget.

The log of requests and stored runs keep English.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from retinue.core.errors import RetinueError
from retinue.language.error_words import as_sentence
from scripts.error_messages import ERRORS, extract_errors, find_composed
from scripts.translations import NOT_SHOWN, ROOT, extract_messages
from tests.interop.agui import FrontEnd, create_key, user_says
from tests.interop.test_openai import create_agent
from tests.portal.reader import Reader
from tests.portal.test_language_choice import GERMAN
from tests.support.client import Client, Stream, data
from tests.support.model_server import Answer, ModelServer
from tests.support.sampling import sample

ENDPOINT = {"url": "nonsense", "which": "all"}
HELLO = user_says("Hello")
BROKEN = Answer("one two", break_off=True)
LATER = "Der Assistent kann gerade nicht antworten. Bitte versuchen Sie es in einigen Minuten noch einmal."
PLACES = {
    "a running chat": ["agents", "chat", "core/database", "core/work", "models", "providers", "runs", "usage"],
    "the page of a room": ["voice/media", "voice/rooms"],
    "the widget": ["gate", "interop/agui", "sharing"],
}
"""The packages whose errors people read there, beside those that all pages share."""
PASSED_ON = {
    "_describe_exhaustion(answer)",
    "_describe_mismatch(answer)",
    "error.message",
    "f'agent_id: {error.message}'",
    "f'base_url: {error}.'",
    "run.error or f'The run was {run.status}.'",
    "reason",
    "str(error)",
}
"""Messages of other errors, and one that only programs read."""
CONNECTION = {"kind": "ntfy", "name": "alerts", "settings.server": "https://ntfy.sh", "secret.token": "tk_secret"}


def test_a_form_explains_a_mistake_under_its_field(reader: Reader) -> None:
    page = reader.post("/webhooks", ENDPOINT, headers=GERMAN)
    assert page.status_code == 400
    assert '<span class="problem" id="problem-url">Muss eine URL wie https://example.com sein.</span>' in page.text
    assert "ust be a URL" not in page.text
    assert "Must be a URL such as https://example.com." in reader.post("/webhooks", ENDPOINT).text


def test_a_form_shows_why_a_service_refused_it(reader: Reader) -> None:
    assert reader.post("/connections", CONNECTION).status_code == 303
    page = reader.post("/connections", CONNECTION, headers=GERMAN)
    assert page.status_code == 400
    assert "Sie haben bereits eine Verbindung namens alerts." in page.text
    assert "already" not in page.text


def test_an_error_page_is_translated_and_the_log_is_not(reader: Reader) -> None:
    page = reader.post("/webhooks/999999/test", headers=GERMAN)
    assert page.status_code == 404
    assert "<p>In Ihrem Konto gibt es keinen Webhook-Endpunkt 999999.</p>" in page.text
    logged = reader.get(f"/requests/{page.headers['X-Request-ID']}")
    assert "There is no webhook endpoint 999999 in your account." in logged.text


def test_scripts_of_a_page_get_errors_in_its_language(reader: Reader) -> None:
    answer = reader.ask("GET", "/agents/999999", GERMAN)
    assert answer.json()["error"]["message"] == "In Ihrem Konto gibt es keinen Agenten 999999."


def test_an_error_in_a_running_chat_is_translated(reader: Reader, client: Client, model: ModelServer) -> None:
    model.answers.append(BROKEN)
    headers = {**GERMAN, "Accept": "text/event-stream"}
    answer = reader.post("/playground/chat", json={"message": "Hello", "tools": []}, headers=headers, stream=True)
    *_, last = Stream(answer).chunks()
    assert last["type"] == "error"
    assert last["message"].startswith("Die Verbindung zum Modellanbieter ist fehlgeschlagen.")
    conversation = answer.headers["X-Conversation-Id"]
    assert last["message"] in reader.get(f"/playground?conversation={conversation}", headers=GERMAN).text
    run = data(client.get(f"/runs/{answer.headers['X-Run-Id']}"))
    assert run["error"].startswith("The connection to the model provider failed.")


def test_a_room_answers_its_page_in_the_language_of_the_page(reader: Reader, client: Client) -> None:
    first, second = (data(client.post("/voice/rooms", {"name": "a"}), 201)["id"] for _ in range(2))
    token = data(client.post(f"/voice/rooms/{first}/join", {"name": "Ada"}))["token"]
    headers = {**GERMAN, "Authorization": f"Bearer {token}"}
    state = reader.ask("GET", f"/rooms/{first}/state", headers).json()
    assert (state["voice"], state["voice_state"]) == ("off", "ausgeschaltet")
    elsewhere = reader.ask("GET", f"/rooms/{second}/state", headers)
    assert elsewhere.json()["error"]["message"] == "Das Token gilt für einen anderen Raum."
    refused = reader.ask_with("POST", f"/rooms/{first}/whip", {**headers, "Content-Type": "text/plain"}, "v=0")
    assert refused.json()["error"]["message"] == "Senden Sie das SDP-Angebot als application/sdp."
    page = reader.get("/rooms/one", headers=GERMAN)
    assert (page.status_code, "Diesen Raum gibt es nicht." in page.text) == (404, True)


def test_visitors_read_errors_in_their_language(client: Client, model: ModelServer) -> None:
    agent = create_agent(client)
    visitor = FrontEnd.of_visitor(client.server, create_key(client, agent, visitor_daily_messages=2))
    visitor.language = "de-AT,en;q=0.5"
    model.answers += [Answer(status=400), BROKEN]
    assert visitor.post(HELLO).json()["error"] == {"code": "service_unavailable", "message": LATER, "status": 503}
    *_, last = visitor.run()
    assert (last["type"], last["message"]) == ("RUN_ERROR", LATER)
    limit = visitor.post(HELLO)
    assert limit.json()["error"]["message"].startswith("Sie haben die Zahl der Nachrichten für heute erreicht.")
    model.answers.append(Answer(status=400))
    own = FrontEnd(client.server, client.key, agent, language="de")
    assert own.post(HELLO).json()["error"]["message"].startswith("The model provider rejected the request")


@pytest.mark.parametrize("place", sample(PLACES, 3))
def test_every_error_that_people_read_in_a_place_is_collected(place: str) -> None:
    collected = {one.id for one in extract_messages("errors")}
    found, composed = set(), set()
    for path in modules_of(place):
        with path.open("rb") as module:
            found |= {message for _, _, message, _ in extract_errors(module, None, None, None)}
            module.seek(0)
            composed |= set(find_composed(module))
    assert found
    assert found - collected == set()
    assert composed - PASSED_ON == set()


def modules_of(place: str) -> Iterator[Path]:
    """Yield the modules whose errors people read in a place."""
    for folder in PLACES[place]:
        paths = (ROOT / folder).rglob("*.py")
        yield from (path for path in paths if str(path.relative_to(ROOT)) not in NOT_SHOWN)


def test_the_messages_of_services_are_collected() -> None:
    kinds = {one.__name__ for one in RetinueError.__subclasses__() if one.__module__ == "retinue.core.errors"}
    assert kinds - ERRORS == {"MethodNotAllowed"}
    messages = [str(one.id) for one in extract_messages("errors") if one.id]
    assert "There is no agent {agent_id} in your account." in messages
    assert "Must have at least {min_length} characters." in messages
    assert "The deployment timed out after {timeout} seconds." in messages
    assert "There was no answer within {fetch_s} seconds." in messages
    assert [one for one in messages if as_sentence(one) != one] == []
