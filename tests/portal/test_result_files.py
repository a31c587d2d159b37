"""Files that tools made: shown with the answer, with the step of the run, and with the result of a tool."""

import pytest
from playwright.sync_api import expect

from tests.conftest import ONE_DATABASE, User
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, reader_of
from tests.portal.test_files import upload
from tests.support.client import Client, Stream, data
from tests.support.model_server import Answer, ModelServer

pytestmark = pytest.mark.either_database

TOOL = "barcode_create_matrix"
CALL = Answer(tool=TOOL, arguments={"content": "https://example.org", "kind": "qr"})


def test_a_stream_names_the_files_of_a_result(client: Client, model: ModelServer) -> None:
    model.answers += [CALL, Answer(text="Scan this code.")]
    answer = client.post("/chat", {"message": "Make a QR code", "tools": [TOOL], "stream": True}, stream=True)
    chunks = list(Stream(answer).chunks())
    (ended,) = [one for one in chunks if one["type"] == "tool_end"]
    assert ended == {"type": "tool_end", "tool": TOOL, "status": "done", "files": [data(client.get("/files"))[0]["id"]]}
    replayed = Stream(client.get(f"/runs/{chunks[-1]['run_id']}/events", stream=True)).chunks()
    assert ended in list(replayed)


def test_files_of_others_are_not_shown(reader: Reader, user: User) -> None:
    other = reader_of(User(user.server, user.server.new_user()))
    file_id = upload(other, "secret.png", b"x")
    assert "secret.png" in other.get(f"/files/previews?id={file_id}").text
    other.close()
    shown = reader.get(f"/files/previews?id={file_id}").text
    assert "secret.png" not in shown
    assert "Deleted file" in shown


def test_a_recording_can_be_listened_to(reader: Reader) -> None:
    file_id = upload(reader, "hello.wav", b"RIFF", "audio/wav")
    shown = reader.get(f"/files/previews?id={file_id}").text
    assert f'<audio controls preload="none" src="/files/{file_id}/view" aria-label="hello.wav">' in shown
    assert reader.get(f"/files/{file_id}/view").headers["Content-Type"] == "audio/wav"


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_an_answer_shows_the_files_that_its_tools_made(
    reader: Reader, arrive: Arrive, client: Client, model: ModelServer
) -> None:
    model.answers += [CALL, Answer(text="Scan this code.")]
    visitor = arrive(reader)
    page = visitor.open("/playground")
    message = page.get_by_label("Message", exact=True)
    message.fill("Make a QR code with barcode_create_matrix")
    page.keyboard.press("Enter")
    picture = page.get_by_role("img", name="code.png")
    expect(picture).to_be_visible()
    visitor.check_accessibility()
    file_id = data(client.get("/files"))[0]["id"]
    model.answers.append(Answer(text=f"It is {file_id}. Print {file_id}, or [open it]({file_id})."))
    message.fill("Where is it?")
    page.keyboard.press("Enter")
    links = page.locator(".msg.agent").last.locator(".prose a")
    expect(links).to_have_text(["code.png", "code.png"])
    page.reload()
    expect(links).to_have_text(["code.png", "code.png"])
    expect(links.first).to_have_attribute("href", f"/files/{file_id}/view")
    expect(picture).to_be_visible()
    assert picture.evaluate("picture => picture.naturalWidth") > 20
    page.get_by_role("link", name="Steps").first.click()
    expect(picture).to_be_visible()
    page.goto(f"{page.url}/steps/2")
    expect(picture).to_be_visible()
    visitor.open(f"/tools/{TOOL}")
    page.get_by_role("button", name="Run the tool").click()
    expect(picture).to_be_visible()
