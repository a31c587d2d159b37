"""The page of files: uploading with and without a script, downloading, deleting."""

import pytest
from playwright.sync_api import FilePayload

from retinue.portal.files.sizes import size_text
from tests.conftest import ONE_DATABASE, User
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, reader_of, redirect
from tests.support.client import Client, data

pytestmark = pytest.mark.either_database

WITHOUT_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
"""What a browser has on a page without HTTPS. The tests' addresses count as secure."""
NASTY = '"><img src=x onerror=alert(1)>.html'


def upload(reader: Reader, name: str, content: bytes, media_type: str = "text/plain") -> str:
    """Upload a file as a form without a script does; returns its id."""
    headers = {"Origin": reader.server.url}
    answer = reader._send("POST", "/files", headers=headers, files={"file": (name, content, media_type)})
    assert redirect(answer) == "/files"
    listed = data(Client(reader.server, reader.token).get("/files"))
    return str(listed[0]["id"])


def test_a_file_is_uploaded_downloaded_and_deleted(reader: Reader) -> None:
    assert "Give your agents files to work with" in reader.get("/files").text
    file_id = upload(reader, "orders.csv", b"id,days\n4182,2\n")
    page = reader.get("/files").text
    assert "orders.csv is uploaded." in page
    assert "15 bytes" in page
    answer = reader.get(f"/files/{file_id}/content")
    assert answer.content == b"id,days\n4182,2\n"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="orders.csv"'
    assert redirect(reader.post(f"/files/{file_id}/delete")) == "/files"
    assert reader.get(f"/files/{file_id}/content").status_code == 404
    assert reader.post(f"/files/{file_id}/delete").status_code == 404


def test_a_file_that_means_to_be_a_page_is_data(reader: Reader) -> None:
    file_id = upload(reader, NASTY, b"<script>alert(1)</script>", "text/html")
    assert NASTY not in reader.get("/files").text
    answer = reader.get(f"/files/{file_id}/content")
    assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_range_and_a_known_file_are_answered_as_by_the_api(reader: Reader) -> None:
    file_id = upload(reader, "a.txt", b"0123456789")
    part = reader.get(f"/files/{file_id}/content", headers={"Range": "bytes=2-4"})
    assert (part.status_code, part.content) == (206, b"234")
    known = reader.get(f"/files/{file_id}/content", headers={"If-None-Match": part.headers["ETag"]})
    assert known.status_code == 304


def test_invalid_input_is_refused_by_the_page_and_by_json(reader: Reader) -> None:
    form = {"Content-Type": "multipart/form-data; boundary=x", "Origin": reader.server.url}
    answer = reader._send("POST", "/files", headers=form, data=b"--x--\r\n")
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert 'enctype="multipart/form-data"' in answer.text
    refusal = reader.ask_with("POST", "/files", form, "--x--\r\n")
    assert refusal.status_code == 400
    assert refusal.json()["error"]["code"] == "validation_error"


def test_a_script_gets_the_record(reader: Reader) -> None:
    sent = {"Content-Type": "text/csv", "Accept": "application/json"}
    answer = reader.ask_with("POST", "/files?name=a%20b.csv", sent, "1,2")
    assert answer.status_code == 201
    record = answer.json()["data"]
    assert (record["name"], record["media_type"], record["size"]) == ("a b.csv", "text/csv", 3)


def test_another_site_uploads_nothing(reader: Reader) -> None:
    headers = {"Origin": "https://evil.example"}
    answer = reader._send("POST", "/files", headers=headers, files={"file": ("a.txt", b"x", "text/plain")})
    assert answer.status_code == 403
    assert data(Client(reader.server, reader.token).get("/files")) == []


def test_files_of_others_are_not_there(reader: Reader, user: User) -> None:
    other = reader_of(User(user.server, user.server.new_user()))
    file_id = upload(other, "of-another.txt", b"x")
    assert "of-another" not in reader.get("/files").text
    assert reader.get(f"/files/{file_id}/content").status_code == 404
    assert reader.post(f"/files/{file_id}/delete").status_code == 404
    assert other.get(f"/files/{file_id}/content").content == b"x"
    other.close()


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1023 bytes"),
        (1024, "1.0 KiB"),
        ((1 << 20) - 1, "1.0 MiB"),
        (5 << 30, "5.0 GiB"),
        (1 << 60, "1048576.0 TiB"),
    ],
)
def test_sizes_are_short(size: int, text: str) -> None:
    assert size_text(size) == text


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_several_files_are_uploaded_and_one_deleted_in_a_browser(
    reader: Reader, arrive: Arrive, client: Client
) -> None:
    visitor = arrive(reader)
    page = visitor.open("/files")
    page.get_by_label("Choose files").set_input_files(
        [
            FilePayload(name="<b>one.txt", mimeType="text/plain", buffer=b"1"),
            FilePayload(name="two.csv", mimeType="text/csv", buffer=b"2" * 100_000),
        ]
    )
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("link", name="<b>one.txt").wait_for()
    page.get_by_role("link", name="two.csv").wait_for()
    visitor.check_accessibility()
    page.evaluate(WITHOUT_CLIPBOARD)
    page.get_by_role("button", name="Copy the id of two.csv").click()
    page.get_by_text("Selected. Copy it with Ctrl+C.").wait_for()
    (file_id,) = [file["id"] for file in data(client.get("/files")) if file["name"] == "two.csv"]
    assert page.evaluate("getSelection().toString()") == file_id
    with page.expect_download() as download:
        page.get_by_role("link", name="two.csv").click()
    assert download.value.suggested_filename == "two.csv"
    page.get_by_role("button", name="Delete two.csv").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete file").click()
    page.get_by_text("The file is deleted.").wait_for()
    assert page.get_by_role("link", name="two.csv").count() == 0
