"""Uploading: as a form or a raw body, with any name and size, and refusals."""

import hashlib
import uuid
from collections.abc import Iterator
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retinue.files.file_metadata import attachment, clean_media_type, clean_name
from tests.conftest import DATABASES, NewUser, StartServer
from tests.files.support import MIB, stored, upload, upload_bare
from tests.support.client import Client, data, refuse
from tests.support.raw import send_raw

FIELDS = {"id", "name", "media_type", "size", "sha256", "created_at"}
BOUNDARY = "xyz"
FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


def part(headers: str, content: bytes = b"x") -> bytes:
    """Return one part of a form, with the boundary before it."""
    return f"--{BOUNDARY}\r\n{headers}\r\n\r\n".encode() + content + b"\r\n"


CLOSE = f"--{BOUNDARY}--\r\n".encode()
FILE = part('Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain')


@pytest.mark.parametrize("content", [b"", b"x", b"Hello\n", b"\r\n--", bytes(range(256)) * 5000], ids=len)
def test_a_form_and_a_bare_body_are_stored_as_they_are(client: Client, content: bytes) -> None:
    for record in (
        upload(client, content),
        upload_bare(client, content, "?name=notes.txt", **{"Content-Type": "text/plain"}),
    ):
        assert record.keys() == FIELDS
        assert record["id"].startswith("file_")
        assert len(record["id"]) == 31
        assert (record["name"], record["media_type"], record["size"]) == ("notes.txt", "text/plain", len(content))
        assert record["sha256"] == hashlib.sha256(content).hexdigest()
        assert data(client.get(f"/files/{record['id']}")) == record
        assert client.get(f"/files/{record['id']}/content").content == content


def test_json_is_content_like_any_other(client: Client) -> None:
    record = upload_bare(client, b"not json", **{"Content-Type": "application/json"})
    assert record["media_type"] == "application/json"
    response = client.get(f"/files/{record['id']}/content")
    assert (response.headers["Content-Type"], response.content) == ("application/json", b"not json")


def test_nothing_at_all_is_an_empty_file(client: Client) -> None:
    record = data(client.request("POST", "/files"), 201)
    assert (record["name"], record["media_type"], record["size"]) == ("file", "application/octet-stream", 0)
    assert client.get(f"/files/{record['id']}/content").content == b""


def test_a_body_without_a_length_is_stored(client: Client) -> None:
    def pieces() -> Iterator[bytes]:
        for number in range(50):
            yield bytes([number]) * 20_000

    record = data(client.request("POST", "/files", data=pieces()), 201)
    assert record["size"] == 1_000_000


@pytest.mark.parametrize("database", DATABASES)
def test_the_limit_is_exact(database: str, start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(database, RETINUE_MAX_FILE_MB="1")
    client = new_user(server).client()
    assert upload(client, b"x" * MIB)["size"] == MIB
    assert upload_bare(client, b"x" * MIB)["size"] == MIB
    for more in (MIB + 1, 3 * MIB, 40 * MIB):
        refuse(client.request("POST", "/files", data=b"x" * more), 400, "1 MiB")
        refuse(client.request("POST", "/files", files={"file": ("a", b"x" * more)}), 400, "1 MiB")
    assert len(stored(server)) == 2
    assert "All is well." in server.cli("check")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("report.txt", "report.txt"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\report.txt", "report.txt"),
        ("/", "file"),
        ("..", "file"),
        ('say "hi".txt', 'say "hi".txt'),
        ("Überstunden 2026 日本語 🎉.txt", "Überstunden 2026 日本語 🎉.txt"),
        ("two\r\nlines.txt", "twolines.txt"),
        ("right\u202eleft.txt", "rightleft.txt"),
        ("x" * 300 + ".txt", "x" * 251 + ".txt"),
        (" ", "file"),
    ],
)
def test_names_are_kept_but_for_folders_and_control_characters(client: Client, given: str, kept: str) -> None:
    for record in (upload(client, b"x", given), data(client.request("POST", "/files", params={"name": given}), 201)):
        assert record["name"] == kept
        disposition = client.get(f"/files/{record['id']}/content").headers["Content-Disposition"]
        assert disposition.startswith('attachment; filename="')
        assert disposition.isascii()


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="report.txt"', "report.txt"),
        ("attachment; filename=report.txt", "report.txt"),
        ("attachment; filename*=UTF-8''na%C3%AFve%20file.txt", "naïve file.txt"),
        ('attachment; filename="a\\"b.txt"', 'a"b.txt'),
        ("attachment", "file"),
        ("nonsense;;=;", "file"),
        ('attachment; filename="' + ";" * 60_000, "file"),
        ("attachment; filename*" + "9" * 5000 + "=x", "file"),
    ],
)
def test_a_bare_body_may_be_named_by_its_disposition(client: Client, disposition: str, name: str) -> None:
    assert upload_bare(client, b"x", **{"Content-Disposition": disposition})["name"] == name
    assert upload_bare(client, b"x", "?name=other.txt", **{"Content-Disposition": disposition})["name"] == "other.txt"


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        ("text/plain; charset=utf-8", "text/plain; charset=utf-8"),
        ("image/svg+xml", "image/svg+xml"),
        ("nonsense", "application/octet-stream"),
        ("text/html<script>", "application/octet-stream"),
        ("a/" + "b" * 300, "application/octet-stream"),
    ],
)
def test_a_media_type_is_kept_if_it_is_one(client: Client, kind: str, kept: str) -> None:
    assert upload_bare(client, b"\0", **{"Content-Type": kind})["media_type"] == kept
    assert upload(client, b"\0", "a.bin", kind)["media_type"] == kept


@pytest.mark.parametrize(
    ("name", "content", "guessed"),
    [
        ("notes.md", b"# Notes", "text/markdown"),
        ("REPORT.PDF", b"anything", "application/pdf"),
        ("report", b"%PDF-1.7\n", "application/pdf"),
        ("photo", b"\x89PNG\r\n\x1a\n\0", "image/png"),
        ("sound", b"RIFF\x24\0\0\0WAVEfmt ", "audio/wav"),
        ("table.csv.gz", b"\x1f\x8b\x08\0", "application/gzip"),
        ("README", "größe\n".encode() + b"x" * 600, "text/plain"),
        ("cut", b"x" * 511 + "ö".encode(), "text/plain"),
        ("page.html", b"<script>alert(1)</script>", "text/plain"),
        ("picture.svg", b"<svg onload='alert(1)'/>", "text/plain"),
        ("data", b"\0\1\2", "application/octet-stream"),
        ("data", b"caf\xe9 au lait", "application/octet-stream"),
    ],
)
@pytest.mark.parametrize("kind", ["application/octet-stream", "application/x-www-form-urlencoded", ""])
def test_a_missing_media_type_is_guessed(client: Client, name: str, content: bytes, guessed: str, kind: str) -> None:
    record = upload_bare(client, content, f"?name={name}", **{"Content-Type": kind})
    assert record["media_type"] == guessed
    headers = client.get(f"/files/{record['id']}/content").headers
    assert (headers["Content-Type"], headers["X-Content-Type-Options"]) == (guessed, "nosniff")
    assert headers["Content-Disposition"].startswith("attachment")


def test_the_media_type_of_a_part_of_a_form_is_guessed_too(client: Client) -> None:
    assert upload(client, b"# Notes", "notes.md", "application/octet-stream")["media_type"] == "text/markdown"
    assert upload(client, b"# Notes", "notes.md", "text/plain")["media_type"] == "text/plain"


@pytest.mark.parametrize("space", ["\u2003", "\u00a0", "\n"])
def test_a_media_type_that_fits_in_no_header_is_not_kept(client: Client, space: str) -> None:
    headers = f'Content-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: text/plain{space};a=b'
    made = data(client.request("POST", "/files", data=part(headers, b"\0") + CLOSE, headers=FORM), 201)
    assert made["media_type"] == "application/octet-stream"
    assert client.get(f"/files/{made['id']}/content").status_code == 200


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b"", "closing boundary"),
        (CLOSE, ""),
        (FILE, "closing boundary"),
        (FILE + FILE + CLOSE, "more than one"),
        (part('Content-Disposition: form-data; name="purpose"') + FILE + CLOSE, "purpose"),
        (part("Content-Type: text/plain") + CLOSE, "known field"),
        (part("Content-Disposition: form-data") + CLOSE, "known field"),
        (b"rubbish" + FILE + CLOSE, "malformed"),
        (part("X: " + "y" * 100_000) + CLOSE, "malformed"),
        (part("\r\n".join(f"X-{number}: y" for number in range(100))) + CLOSE, "malformed"),
    ],
)
def test_a_form_without_exactly_one_file_is_refused(client: Client, body: bytes, word: str) -> None:
    refuse(client.request("POST", "/files", data=body, headers=FORM), 400, word)


@pytest.mark.parametrize("kind", ["multipart/form-data", "multipart/form-data; boundary=", "Multipart/Form-Data ;x=y"])
def test_a_form_needs_a_boundary(client: Client, kind: str) -> None:
    refuse(client.request("POST", "/files", data=FILE + CLOSE, headers={"Content-Type": kind}), 400, "boundary")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=200) | st.binary(max_size=80).map(lambda middle: FILE[:60] + middle + CLOSE))
def test_no_form_makes_the_server_fail(client: Client, body: bytes) -> None:
    response = client.request("POST", "/files", data=body, headers=FORM)
    assert response.status_code in {201, 400}, response.text


@settings(max_examples=300)
@given(text=st.text(max_size=400))
def test_any_name_becomes_one_of_a_file_in_a_folder(text: str) -> None:
    name = clean_name(text)
    assert 0 < len(name) <= 255
    assert not {"/", "\\", "\n", "\r", "\0"} & set(name)
    assert name not in {".", ".."}
    assert clean_name(name) == name
    name.encode()


@pytest.mark.parametrize("name", ["👩🏽\u200d🚀.txt", "\u0645\u06cc\u200c\u062e.txt", "履歴書 \u2019final\u2019.pdf"])
def test_names_keep_the_joiners_of_emoji_and_letters(name: str) -> None:
    assert clean_name(f"\u202e\u200b\ufeff{name}") == name
    assert unquote(attachment(name).partition("filename*=UTF-8''")[2]) == name


@settings(max_examples=300)
@given(text=st.text(max_size=300))
def test_any_media_type_can_be_sent_as_a_header(text: str) -> None:
    kind = clean_media_type(text)
    assert kind.isascii()
    assert kind.isprintable()
    assert "/" in kind


@pytest.mark.parametrize("framing", ["Content-Length: 99\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"])
def test_an_upload_that_breaks_off_is_not_kept(client: Client, framing: str) -> None:
    head = f"POST /api/v1/files HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {client.key}\r\n"
    answer = send_raw(client.server, (head + framing).encode())
    assert b" 400 " in answer.partition(b"\r\n")[0]
    assert client.get("/files").json()["meta"]["total"] == 0


def test_a_key_stands_for_content_and_name(client: Client) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first = client.request("POST", "/files?name=a.txt", data=b"one", headers=key)
    again = client.request("POST", "/files?name=a.txt", data=b"one", headers=key)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert data(again, 201) == data(first, 201)
    refuse(client.request("POST", "/files?name=a.txt", data=b"two", headers=key), 400, "Idempotency-Key")
    refuse(client.request("POST", "/files?name=b.txt", data=b"one", headers=key), 400, "Idempotency-Key")
    assert client.get("/files").json()["meta"]["total"] == 1
