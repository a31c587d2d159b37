"""The question of a tool's server where the tool is tried: a form under that of the tool sends the call again."""

import html
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.conftest import DATABASES, NewServer, NewUser, User
from tests.portal.chromium import DESKTOP
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, reader_of
from tests.support.client import data
from tests.support.server import Server
from tests.tools.imports.asker import running_asker
from tests.tools.imports.sdk_server import running_sdk_server
from tests.tools.imports.stand_in_mcp import StandInMcp

pytestmark = pytest.mark.either_database

TRY = "/tools/far_echo/try"
NARROW = (360, 740)
_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


@pytest.fixture(scope="module", params=DATABASES)
def server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """A server that may reach this machine."""
    running = new_server(request.param, RETINUE_ALLOWED_NETWORKS="127.0.0.0/8").start()
    yield running
    running.close()


@pytest.fixture
def far(user: User) -> Iterator[StandInMcp]:
    """A server that asks before it books, as a source of the user."""
    with running_asker() as asker:
        data(user.client().post("/tools/sources", {"kind": "mcp", "name": "far", "url": asker.url}), 201)
        yield asker


def hidden_in(page: str) -> dict[str, str]:
    """Return what the form of a question sends along."""
    return {name: html.unescape(value) for name, value in _HIDDEN.findall(page) if name.startswith(".")}


def test_an_answer_sends_the_call_again(reader: Reader, far: StandInMcp) -> None:
    asked = reader.post(TRY)
    assert asked.status_code == 200
    for part in ("Which seat?", 'name="answer.seat"', "<option>12C</option>", 'name="answer.bags" value="1"'):
        assert part in asked.text
    form = hidden_in(asked.text)
    wrong = reader.post(TRY, {**form, ".decision": "answer", "answer.seat": "12C", "answer.bags": "9"})
    assert wrong.status_code == 400
    assert "Your answer does not fit: bags: 9 is greater" in wrong.text
    assert 'name="answer.bags" value="9"' in wrong.text
    assert "inputResponses" not in far.last("tools/call").message["params"]
    done = reader.post(TRY, {**form, ".decision": "answer", "answer.seat": "12C", "answer.bags": "2"})
    assert done.status_code == 200
    given = {"action": "accept", "content": {"seat": "12C", "bags": 2}}
    assert far.last("tools/call").message["params"]["inputResponses"] == {"seat": given}
    command = "".join(html.unescape(done.text).split())
    assert f'"answers":[{{"question":"{form[".question"]}","answer":{{"seat":"12C","bags":2}}}}]' in command


def test_without_an_answer_nothing_is_called(reader: Reader, far: StandInMcp) -> None:
    form = hidden_in(reader.post(TRY).text)
    before = far.methods().count("tools/call")
    declined = reader.post(TRY, {**form, ".decision": "decline", "answer.seat": "12C"})
    assert "You did not answer, so the call was not completed." in declined.text
    for earlier in ("nonsense", "{}", '[{"question": 1}]'):
        changed = reader.post(TRY, {**form, ".earlier": earlier, ".decision": "answer", "answer.seat": "12C"})
        assert changed.status_code == 400
    assert far.methods().count("tools/call") == before
    other = reader.post(TRY, {**form, ".question": "0" * 16, ".decision": "answer", "answer.seat": "12C"})
    assert "Which seat?" in other.text
    assert "inputResponses" not in far.last("tools/call").message["params"]


def test_the_tool_of_another_user_is_not_there(server: Server, new_user: NewUser, far: StandInMcp) -> None:
    other = reader_of(new_user(server))
    assert other.post(TRY, {".decision": "answer", "answer.seat": "12C"}).status_code == 404
    assert "tools/call" not in far.methods()
    other.close()


def test_every_question_of_an_older_server_is_answered(reader: Reader, user: User) -> None:
    with running_sdk_server() as asker:
        data(user.client().post("/tools/sources", {"kind": "mcp", "name": "far", "url": asker.url("stream")}), 201)
        path, form = "/tools/far_book/try", {"city": "Oslo"}
        answers = {"Which seat to Oslo?": {"answer.seat": "12C"}, "Book 12C?": {"answer.sure": "true"}}
        page = reader.post(path, form).text
        for question, answer in answers.items():
            assert question in page
            page = reader.post(path, {**form, **hidden_in(page), ".decision": "answer", **answer}).text
    assert "Oslo 12C 1 True" in page


@pytest.mark.needs_program("chromium")
@pytest.mark.parametrize("size", [DESKTOP, NARROW], ids=["desktop", "phone"])
def test_the_question_appears_under_the_form(
    reader: Reader, arrive: Arrive, far: StandInMcp, size: tuple[int, int]
) -> None:
    visitor = arrive(reader, size=size)
    page = visitor.open("/tools/far_echo")
    run, question = page.get_by_role("button", name="Run the tool"), page.locator("#outcome .question")
    run.click()
    expect(question).to_have_text("Which seat?")
    visitor.check_accessibility()
    visitor.check_width()
    page.get_by_role("button", name="Do not answer").click()
    expect(page.locator("#outcome")).to_contain_text("You did not answer")
    run.click()
    page.get_by_label("seat").select_option("12C")
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    (response,) = far.last("tools/call").message["params"]["inputResponses"].values()
    assert response == {"action": "accept", "content": {"seat": "12C", "bags": 1}}
