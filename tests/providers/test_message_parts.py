"""Images, documents and recordings in the messages of OpenAI's and Anthropic's official clients."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import User
from tests.providers.support import provide, remote
from tests.support.client import Client, data
from tests.support.http_server import QuietHandler, running
from tests.support.lazy_imports import import_lazily
from tests.support.model_server import ModelServer
from tests.support.rows import rows

if TYPE_CHECKING:
    import anthropic
    import openai
else:
    anthropic = import_lazily("anthropic")
    openai = import_lazily("openai")

PNG = b"\x89PNG\r\n\x1a\n picture"
PDF = b"%PDF-1.7 document"
WAV = b"RIFF sound WAVE"
MODEL = "mine/m1"
BASE64 = {content: b64encode(content).decode() for content in (PNG, PDF, WAV)}
PICTURE = f"data:image/png;base64,{BASE64[PNG]}"
DOCUMENT = f"data:application/pdf;base64,{BASE64[PDF]}"


class Pictures(QuietHandler):
    """Serves a picture at `/cat.png`, and nothing else."""

    def do_GET(self) -> None:
        """Answer a request."""
        found = self.path == "/cat.png"
        self.respond(PNG if found else b"", {"Content-Type": "image/png"}, 200 if found else 404)


@pytest.fixture(scope="module")
def pictures() -> Iterator[str]:
    """The address of a server with a picture."""
    with running(ThreadingHTTPServer(("127.0.0.1", 0), Pictures)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


@pytest.fixture
def seeing(client: Client, host: ModelServer) -> Client:
    """A client whose model `mine/m1` takes images, PDFs and recordings."""
    models = [{"id": "m1", "input": ["text", "image", "pdf", "audio"]}, {"id": "blind"}]
    provide(client, remote(host.url, models=models))
    return client


def of_openai(client: Client) -> openai.OpenAI:
    """OpenAI's official client."""
    return openai.OpenAI(base_url=f"{client.server.url}/v1", api_key=client.key or "", max_retries=0)


def of_anthropic(client: Client) -> anthropic.Anthropic:
    """Anthropic's official client."""
    return anthropic.Anthropic(base_url=client.server.url, api_key=client.key, max_retries=0)


def complete(client: Client, *parts: dict[str, Any], model: str = MODEL) -> None:
    """Send a message of these parts to Chat Completions."""
    message: Any = {"role": "user", "content": list(parts)}
    of_openai(client).chat.completions.create(model=model, messages=[message])


def image(url: str) -> dict[str, Any]:
    """A part of Chat Completions with an image."""
    return {"type": "image_url", "image_url": {"url": url}}


def received_parts(host: ModelServer, message: int = -1) -> list[Any]:
    """The parts of a message that the model received last, without its texts, as type and content."""
    parts = host.requests[-1]["messages"][message]["content"]
    return [_content(part) for part in parts if part["type"] != "text"]


def _content(part: dict[str, Any]) -> tuple[str, str]:
    match part["type"]:
        case "image_url":
            return "image", part["image_url"]["url"]
        case "file":
            return "file", part["file"]["file_data"]
    return "audio", part["input_audio"]["data"]


def test_parts_of_chat_completions_reach_the_model(seeing: Client, host: ModelServer, pictures: str) -> None:
    uploaded = of_openai(seeing).files.create(file=("paper.pdf", PDF, "application/pdf"), purpose="user_data").id
    complete(
        seeing,
        {"type": "text", "text": "What is this?"},
        image(f"{pictures}/cat.png"),
        {"type": "input_audio", "input_audio": {"data": BASE64[WAV], "format": "wav"}},
        {"type": "file", "file": {"file_id": uploaded}},
    )
    assert received_parts(host) == [("image", PICTURE), ("audio", BASE64[WAV]), ("file", DOCUMENT)]
    complete(seeing, {"type": "file", "file": {"file_data": DOCUMENT, "filename": "other.pdf"}})
    assert received_parts(host) == [("file", DOCUMENT)]
    complete(seeing, {"type": "text", "text": "Look"}, image(PICTURE))
    assert received_parts(host) == [("image", PICTURE)]
    assert host.requests[-1]["messages"][0]["content"][0] == {"type": "text", "text": "Look"}
    listed = data(seeing.get("/files"))
    assert sorted((one["media_type"], one["size"]) for one in listed) == [
        ("application/pdf", len(PDF)), ("audio/wav", len(WAV)), ("image/png", len(PNG)),
    ]  # fmt: skip


def test_parts_of_responses_reach_the_model_and_are_remembered(seeing: Client, host: ModelServer, user: User) -> None:
    client = of_openai(seeing)
    parts: list[Any] = [
        {"type": "input_text", "text": "What is this?"},
        {"type": "input_image", "image_url": PICTURE, "detail": "auto"},
        {"type": "input_file", "filename": "paper.pdf", "file_data": BASE64[PDF]},
    ]
    first = client.responses.create(model=MODEL, input=[{"role": "user", "content": parts}])
    assert received_parts(host) == [("image", PICTURE), ("file", DOCUMENT)]
    chat_only = of_openai(user.client(["chat:read", "chat:write"]))
    chat_only.responses.create(model=MODEL, input="And now?", previous_response_id=first.id)
    assert received_parts(host, 0) == [("image", PICTURE), ("file", DOCUMENT)]


def test_blocks_of_messages_reach_the_model(seeing: Client, host: ModelServer, pictures: str) -> None:
    document = {"type": "base64", "media_type": "application/pdf", "data": BASE64[PDF]}
    source = {"type": "base64", "media_type": "image/png", "data": BASE64[PNG]}
    messages: list[Any] = [
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "url", "url": f"{pictures}/cat.png"}},
                {"type": "document", "source": document, "title": "paper.pdf"},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "plain words"}},
            ],
        },
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "image", "source": source}]},
            ],
        },
    ]
    of_anthropic(seeing).messages.create(model=MODEL, max_tokens=100, messages=messages)
    assert received_parts(host, 0) == [("image", PICTURE), ("file", DOCUMENT)]
    assert "plain words" in str(host.requests[-1]["messages"][0])
    assert PICTURE in str(host.requests[-1]["messages"][1:])
    counted = of_anthropic(seeing).messages.count_tokens(model=MODEL, messages=messages[:1])
    assert counted.input_tokens > 3000


def test_a_text_file_is_read_as_text(seeing: Client, host: ModelServer) -> None:
    text = b64encode(b"Opening hours: 9 to 5").decode()
    complete(seeing, {"type": "file", "file": {"file_data": text, "filename": "hours.txt"}}, model="mine/blind")
    assert "Opening hours: 9 to 5" in host.requests[-1]["messages"][-1]["content"]


def test_an_agent_treats_a_file_as_untrusted(seeing: Client, host: ModelServer) -> None:
    agent = data(seeing.post("/agents", {"agent_name": "Iris", "agent_role": "specialist", "model": MODEL}), 201)
    complete(seeing, image(PICTURE), model=f"agent:{agent['id']}")
    assert received_parts(host) == [("image", PICTURE)]
    (run,) = data(seeing.get(f"/agents/{agent['id']}/runs"))
    assert run["status"] == "completed"
    (stored,) = rows(seeing.server, f"SELECT untrusted FROM runs WHERE id = {run['id']}")
    assert stored["untrusted"] == "an attached file"


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        (image("data:image/png;base64,A"), "not valid base64"),
        (image("data:image/png,AAAA"), "must be in base64"),
        (image("http://169.254.169.254/latest"), "not a public address"),
        (image("http://nowhere.invalid/cat.png"), "could not be fetched"),
        ({"type": "file", "file": {"file_id": "file_nothing"}}, "you have no file"),
        ({"type": "video"}, "'video' are not supported"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(seeing: Client, part: dict[str, Any], reason: str) -> None:
    with pytest.raises(openai.BadRequestError, match=reason):
        complete(seeing, part)


def test_unsupported_content_of_a_model_is_refused(seeing: Client, pictures: str) -> None:
    with pytest.raises(openai.BadRequestError, match="mine/blind takes no images"):
        complete(seeing, image(PICTURE), model="mine/blind")
    with pytest.raises(openai.BadRequestError, match="status 404"):
        complete(seeing, image(f"{pictures}/dog.png"))


def test_a_file_of_another_user_is_not_read(seeing: Client, stranger: Client, host: ModelServer, user: User) -> None:
    uploaded = of_openai(seeing).files.create(file=("paper.pdf", PDF, "application/pdf"), purpose="user_data").id
    part = {"type": "file", "file": {"file_id": uploaded}}
    provide(stranger, remote(host.url))
    with pytest.raises(openai.BadRequestError, match="you have no file"):
        complete(stranger, part)
    with pytest.raises(openai.PermissionDeniedError, match="tools:read"):
        complete(user.client(["chat:write"]), part)
    complete(user.client(["chat:write"]), image(PICTURE))
    assert received_parts(host) == [("image", PICTURE)]
