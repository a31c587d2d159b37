"""The overview: numbers, the latest runs, and the list of first steps that ticks itself."""

import json

import pytest

from tests.conftest import User
from tests.portal.reader import Reader, redirect
from tests.support.client import Client, data

pytestmark = pytest.mark.either_database


def test_it_begins_empty_and_teaches(reader: Reader) -> None:
    page = reader.get("/overview").text
    assert "Nothing has run yet" in page
    assert "0 of 6" in page


def test_it_shows_the_changes(reader: Reader, user: User, client: Client) -> None:
    agent = data(client.post("/agents", {"agent_name": "Ada", "agent_role": "generalist"}), 201)
    data(client.post(f"/agents/{agent['id']}/execute", {"message": "Say <b>hello</b>"}))
    data(client.post("/chat", {"message": "What is up?"}))
    page = reader.get("/overview").text
    assert "Say &lt;b&gt;hello&lt;/b&gt;" in page
    assert "<b>hello</b>" not in page
    assert "What is up?" in page
    assert "3 of 6" in page


def test_a_step_that_was_done_stays_done(reader: Reader, client: Client) -> None:
    agent = data(client.post("/agents", {"agent_name": "Ada", "agent_role": "generalist"}), 201)
    data(client.post(f"/agents/{agent['id']}/execute", {"message": "Hello"}))
    assert "2 of 6" in reader.get("/overview").text
    client.delete(f"/agents/{agent['id']}")
    for _ in range(7):  # More than the latest runs.
        data(client.post("/chat", {"message": "What is up?"}))
    assert "3 of 6" in reader.get("/overview").text


def test_the_first_steps_can_be_hidden(reader: Reader) -> None:
    assert redirect(reader.post("/overview/steps/hide")) == "/overview"
    page = reader.get("/overview").text
    assert "Get started" not in page
    assert 'href="/start"' in page


def test_the_parts_that_change_come_by_events(reader: Reader, client: Client) -> None:
    with reader.get("/overview/live", stream=True, headers={"Accept": "text/event-stream"}) as stream:
        lines = stream.iter_lines(chunk_size=1)
        first = next(line for line in lines if line.startswith(b"data: "))
        assert "Nothing has run yet" in json.loads(first[6:])
        data(client.post("/agents", {"agent_name": "Ada", "agent_role": "generalist"}), 201)
        second = next(line for line in lines if line.startswith(b"data: "))
        assert "1 of 6" in json.loads(second[6:])


def test_the_parts_end_with_the_session(reader: Reader) -> None:
    with reader.get("/overview/live", stream=True, headers={"Accept": "text/event-stream"}) as stream:
        lines = stream.iter_lines(chunk_size=1)
        assert next(line for line in lines if line.startswith(b"data: "))
        other = Reader(reader.server)
        other.session.cookies.update(reader.session.cookies)
        redirect(other.post("/sign-out"))
        other.close()
        assert not [line for line in lines if line.startswith(b"event: end")]
    answer = reader.get("/overview/live", headers={"Accept": "text/event-stream"})
    assert answer.status_code == 401


def test_runs_of_others_are_not_shown(reader: Reader, stranger: Client) -> None:
    data(stranger.post("/chat", {"message": "A secret of mine"}))
    assert "A secret of mine" not in reader.get("/overview").text
