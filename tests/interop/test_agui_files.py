"""Files that tools made for a visitor: listed with the reply, and downloaded by that visitor alone."""

import secrets

import pytest

from tests.interop.agui import FrontEnd, create_key, text_of
from tests.interop.test_openai import create_agent
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer

CODE = "barcode_create_matrix"
CALL = Answer(tool=CODE, arguments={"content": "https://example.org", "kind": "qr"})

pytestmark = pytest.mark.either_database


@pytest.fixture
def visitor(client: Client) -> FrontEnd:
    """An anonymous visitor of an agent that draws codes."""
    return FrontEnd.of_visitor(client.server, create_key(client, create_agent(client, skills=[CODE])))


def test_a_visitor_downloads_a_file_that_a_tool_made(visitor: FrontEnd, client: Client, model: ModelServer) -> None:
    uploaded = data(client.post("/files", files={"file": ("private.txt", b"secret", "text/plain")}), 201)["id"]
    model.answers += [CALL, Answer(text="Here is your code.")]
    events = visitor.run("Draw a code")
    assert text_of(events) == "Here is your code."
    (made,) = [one["value"] for one in events if one["type"] == "CUSTOM"]
    (file,) = made
    assert (file["name"], file["mimeType"]) == ("code.png", "image/png")
    assert visitor.history()["messages"][-1]["metadata"] == {"artifacts": made}
    address = f"/threads/{visitor.thread}/files/{file['id']}"
    content = visitor.request("GET", address)
    assert content.content.startswith(b"\x89PNG")
    assert len(content.content) == file["size"]
    assert content.headers["Access-Control-Allow-Origin"] == visitor.origin
    assert visitor.request("GET", f"/threads/{visitor.thread}/files/{uploaded}").status_code == 404
    owner = FrontEnd(client.server, client.key, visitor.agent)
    other = FrontEnd(visitor.server, visitor.key, visitor.agent, visitor.origin, f"vis_{secrets.token_urlsafe(32)}")
    stranger = FrontEnd(visitor.server, None, visitor.agent, visitor.origin)
    assert [one.request("GET", address).status_code for one in (owner, other, stranger)] == [404, 404, 401]


def test_another_users_key_opens_no_file(
    visitor: FrontEnd, client: Client, stranger: Client, model: ModelServer
) -> None:
    model.answers += [CALL, Answer(text="Here is your code.")]
    events = visitor.run("Draw a code")
    (file,) = next(one["value"] for one in events if one["type"] == "CUSTOM")
    theirs = FrontEnd(client.server, stranger.key, visitor.agent)
    assert theirs.request("GET", f"/threads/{visitor.thread}/files/{file['id']}").status_code == 404
    data(client.delete(f"/files/{file['id']}"))
    assert "metadata" not in visitor.history()["messages"][-1]
    assert visitor.request("GET", f"/threads/{visitor.thread}/files/{file['id']}").status_code == 404
