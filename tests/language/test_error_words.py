"""Errors of services in the reader's language: templates, their values, and messages without a translation."""

from collections.abc import Iterator

import pytest

from retinue.language.error_words import error_words
from retinue.language.translation import current_language


@pytest.fixture
def german() -> Iterator[None]:
    token = current_language.set("de")
    yield
    current_language.reset(token)


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("There is no agent 7 in your account.", "In Ihrem Konto gibt es keinen Agenten 7."),
        (
            "url: must be a URL such as https://example.com.",
            "url: Muss eine URL wie https://example.com sein.",
        ),
        ("name must not be empty; at is required.", "name: Darf nicht leer sein. at: Bitte ausfüllen."),
        ("Missing required fields: name, url.", "Pflichtfelder fehlen: name, url."),
        (
            "Arguments of text_cut: text is missing; rows[2].length must be an integer, not true or false.",
            "text: Fehlt. rows[2].length: Muss eine ganze Zahl sein, nicht wahr oder falsch.",
        ),
        ("missed must be one of 'once' or 'skip'.", "missed: Muss eines von diesen sein: 'once' oder 'skip'."),
        (
            "The document has 2,000,001 characters; the limit is 2,000,000. Split it into parts.",
            "Das Dokument hat 2.000.001 Zeichen; das Limit ist 2.000.000. Teilen Sie es auf.",
        ),
        (
            "model: there is no model 'x'. Use one of: a, b. GET /api/v1/models lists all of them.",
            "model: Es gibt kein Modell 'x'. Verwenden Sie eines von diesen: a, b. Die Seite „Modelle“ zeigt alle.",
        ),
        (
            "The model provider rejected the key. Check the key of the provider 'shop' (PUT /api/v1/providers/{id} "
            "changes it).",
            "Der Modellanbieter hat den Schlüssel abgelehnt. Prüfen Sie den Schlüssel des Anbieters 'shop' (auf der "
            "Seite „Modelle“).",
        ),
        (
            "https://example.com/a could not be fetched: 404.",
            "https://example.com/a konnte nicht abgerufen werden: 404.",
        ),
        (
            "The reply does not fit the output schema: it is no poem.",
            "Die Antwort passt nicht zum Ausgabeschema: it is no poem.",
        ),
        (
            "https://example.com/a could not be fetched: there was no answer within 20 seconds.",
            "https://example.com/a konnte nicht abgerufen werden: innerhalb von 20 Sekunden kam keine Antwort.",
        ),
        (
            "Batch 3 is not a draft: it is completed.",
            "Die Anrufserie 3 hat nicht den Status \u201eEntwurf\u201c, sondern \u201eAbgeschlossen\u201c.",
        ),
        (
            "There is no agent 7 in your account. The batch was paused.",
            "In Ihrem Konto gibt es keinen Agenten 7. Die Anrufserie wurde pausiert.",
        ),
        (
            "connection: you have no connection 'x'. You have no connections of the kind http.",
            "connection: Sie haben keine Verbindung 'x'. Sie haben keine Verbindungen der Art http.",
        ),
        ("Stopped on request.", "Auf Wunsch angehalten."),
        ("Something that no service says about GET /api/v1/agents.", None),
        ("There is no agent 7 in your account. " * 100, None),
    ],
)
def test_a_message_is_translated_with_its_values(message: str, wanted: str | None) -> None:
    untranslated = message.replace("GET /api/v1/agents", "the page Agenten")
    assert error_words(message) == (wanted or untranslated)


def test_in_english_the_message_stays_but_for_requests_of_the_api() -> None:
    assert error_words("There is no agent 7 in your account.") == "There is no agent 7 in your account."
    assert error_words("agents: you have no agent 7. See GET /api/v1/agents.").endswith("See the page Agents.")


@pytest.mark.usefixtures("german")
def test_messages_within_messages_are_translated_to_three_levels() -> None:
    """The search of deeper ones would take exponential time with hostile text."""
    nested = "there is no agent 7 in your account"
    for _ in range(5):
        nested = f"The MCP server failed: {nested}"
    words = error_words(nested)
    assert words.count("The MCP server failed") == 2
    assert "there is no agent 7 in your account" in words
