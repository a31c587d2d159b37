"""The pages of calls on a server that makes none: they teach, and refuse with what has to be set."""

import pytest

from retinue.portal.calls.forms import filters_of, order_of
from retinue.portal.forms import Form, InvalidForm
from retinue.portal.voice import clock_length
from tests.portal.reader import Reader

pytestmark = pytest.mark.either_database


def test_it_is_empty_at_first_and_names_the_settings(reader: Reader) -> None:
    page = reader.get("/calls").text
    for text in ("Let an agent make a phone call", "Calls are disabled", "RETINUE_SIP_DESTINATIONS"):
        assert text in page
    assert "RETINUE_SIP=0.0.0.0:5060" in reader.get("/calls/new").text


def test_a_call_that_cannot_be_made_keeps_the_form(reader: Reader) -> None:
    form = {"to": "+441632960123", "opening": "own", "greeting": "Hello <there>.", "record": "on", "max_seconds": "60"}
    answer = reader.post("/calls", form)
    assert answer.status_code == 503
    assert "The operator can enable them with RETINUE_SIP" in answer.text
    for kept in ('value="+441632960123"', "Hello &lt;there&gt;.", 'value="60"', 'name="record" checked'):
        assert kept in answer.text


def test_errors_are_shown_beside_their_field(reader: Reader) -> None:
    answer = reader.post("/calls", {"to": "alice", "opening": "name"})
    assert (answer.status_code, 'id="problem-to"' in answer.text, "E.164" in answer.text) == (400, True, True)
    answer = reader.post("/calls", {"to": "+441632960123", "agent_id": "999999", "opening": "name"})
    assert (answer.status_code, 'id="problem-agent_id"' in answer.text) == (400, True)
    answer = reader.post("/calls", {"to": "+441632960123", "max_seconds": "a while", "opening": "name"})
    assert (answer.status_code, 'id="problem-max_seconds"' in answer.text) == (400, True)


@pytest.mark.parametrize(("opening", "greeting"), [("name", None), ("own", "Good day."), ("none", ""), ("x", None)])
def test_who_speaks_first(opening: str, greeting: str | None) -> None:
    form = Form.of({"to": "+441632960123", "opening": opening, "greeting": "Good day."})
    assert order_of(form).greeting == greeting


@pytest.mark.parametrize("chosen", ["", "enable", "hangup", "detect_message_end"])
def test_an_answering_machine(reader: Reader, chosen: str) -> None:
    form = {"to": "+441632960123", "opening": "name", "machine_detection": chosen}
    assert order_of(Form.of(form)).machine_detection == (chosen or None)
    assert f'value="{chosen}" selected' in reader.post("/calls", form).text


def test_a_form_without_a_destination_is_refused() -> None:
    with pytest.raises(InvalidForm) as caught:
        order_of(Form())
    assert "to" in caught.value.fields


@pytest.mark.parametrize("query", ["?status=busy", "?direction=inbound&agent=4", "?status=completed&page=2"])
def test_filters_that_fit_nothing(reader: Reader, query: str) -> None:
    page = reader.get(f"/calls{query}").text
    assert "No results" in page
    assert "Show every call" in page


def test_filters_that_there_are_not_count_as_none(reader: Reader) -> None:
    page = reader.get("/calls?status=loud&direction=up&agent=99999999999999999999&page=x").text
    assert "Let an agent make a phone call" in page
    filters = filters_of(Form.of({"status": "no_answer", "agent": 7}))
    assert (filters.query, filters_of(Form()).query) == ("status=no_answer&agent=7&", "")


@pytest.mark.parametrize("path", ["/calls/999999", "/calls/999999/live", "/calls/999999/recording", "/calls/x"])
def test_a_call_that_there_is_not(reader: Reader, path: str) -> None:
    assert reader.get(path).status_code == 404
    assert reader.post("/calls/999999/hangup").status_code == 404


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (42, "0:42"), (725, "12:05"), (3760, "1:02:40"), (-3, "0:00")]
)
def test_lengths_are_those_of_a_telephone(seconds: int, text: str) -> None:
    assert clock_length(seconds) == text
