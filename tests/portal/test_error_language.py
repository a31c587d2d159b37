"""Errors of forms and pages are in the language of the page. The log of requests keeps English."""

from retinue.core.errors import RetinueError
from retinue.language.error_words import as_sentence
from scripts.error_messages import ERRORS
from scripts.translations import extract_messages
from tests.portal.reader import Reader
from tests.portal.test_language_choice import GERMAN

ENDPOINT = {"url": "nonsense", "which": "all"}
CONNECTION = {"kind": "ntfy", "name": "alerts", "settings.server": "https://ntfy.sh", "secret.token": "tk_secret"}


def test_a_form_explains_a_mistake_under_its_field(reader: Reader) -> None:
    page = reader.post("/webhooks", ENDPOINT, headers=GERMAN)
    assert page.status_code == 400
    assert '<span class="problem" id="problem-url">Muss eine URL wie https://example.com/hook sein.</span>' in page.text
    assert "ust be a URL" not in page.text
    assert "Must be a URL such as https://example.com/hook." in reader.post("/webhooks", ENDPOINT).text


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


def test_the_messages_of_services_are_collected() -> None:
    kinds = {one.__name__ for one in RetinueError.__subclasses__() if one.__module__ == "retinue.core.errors"}
    assert kinds - ERRORS == {"MethodNotAllowed"}
    messages = [str(one.id) for one in extract_messages("errors") if one.id]
    assert "There is no agent {agent_id} in your account." in messages
    assert "Must have at least {min_length} characters." in messages
    assert [one for one in messages if as_sentence(one) != one] == []
