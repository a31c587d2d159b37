"""Files of each kind are read with their places, or refused with a sentence that helps."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import ONE_DATABASE
from tests.files.support import upload
from tests.knowledge.support import add, new_collection, passages
from tests.support.client import Client, data
from tests.tools.execution.test_out_of_memory import swelling_pdf

pytestmark = ONE_DATABASE

MARKDOWN = "# Rules\n\nIntroduction.\n\n## Hotels\n\nA night may cost 140 euros.\n"
SHEET = [{"name": "Prices", "rows": [["Item", "Price"], ["Croissant", 1.9]]}]
HTML = b"<html><body><h1>Returns</h1><p>Goods go back within thirty days.</p></body></html>"
MAIL = (
    b"From: a@example.com\nTo: b@example.com\nSubject: Meeting\nDate: Mon, 1 Jun 2026 10:00:00 +0000\n"
    b"Message-ID: <1@example.com>\nContent-Type: text/plain; charset=utf-8\n\nThe board meets in room 12.\n"
)


def make_file(client: Client, tool: str, **args: Any) -> str:
    """Create a file with a tool, and return its id."""
    result = data(client.post(f"/tools/{tool}/execute", {"args": args}))["result"]
    return str(result["file"])


@pytest.mark.parametrize(
    ("tool", "args", "place", "words"),
    [
        ("docx_create_from_markdown", {"markdown": MARKDOWN}, (None, "Rules / Hotels"), "140 euros"),
        ("pptx_create_from_markdown", {"markdown": MARKDOWN}, (2, "Hotels"), "140 euros"),
        ("xlsx_create_workbook", {"sheets": SHEET}, (None, "Prices"), "Item: Croissant; Price: 1.9"),
    ],
)
def test_office_files_keep_their_places(
    client: Client, tool: str, args: dict[str, Any], place: tuple[int | None, str], words: str
) -> None:
    document = add(client, new_collection(client), file_id=make_file(client, tool, **args))
    assert (document["status"], document["error"]) == ("ready", None)
    (found,) = [one for one in passages(client, document) if words in one["text"]]
    assert (found["page"], found["section"]) == place


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("page.html", HTML, "thirty days"),
        ("mail.eml", MAIL, "room 12"),
        ("latin.txt", "Größe 12".encode("cp1252"), "Größe"),
    ],
)
def test_other_texts_are_read(client: Client, name: str, content: bytes, words: str) -> None:
    document = add(client, new_collection(client), file_id=upload(client, content, name)["id"])
    assert words in "".join(one["text"] for one in passages(client, document))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("broken.pdf", lambda: b"%PDF-1.7 broken", "damaged"),
        ("data.bin", lambda: bytes(range(256)) * 10, "type is unknown"),
        ("bomb.pdf", swelling_pdf, "memory"),
    ],
)
def test_an_unreadable_document_says_why(client: Client, name: str, content: Callable[[], bytes], reason: str) -> None:
    document = add(client, new_collection(client), file_id=upload(client, content(), name)["id"])
    assert (document["status"], document["passages"]) == ("failed", 0)
    assert reason in document["error"]
