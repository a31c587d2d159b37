"""Files as input of tools and models."""

import base64
import gzip
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from retinue.core.errors import ValidationFailed
from retinue.files.file_access import named_files
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.pool import ToolPool
from tests.conftest import User
from tests.files.support import upload, upload_bare
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer

DETECT = "file_detect_type"
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB")


def ask(model: ModelServer) -> str:
    """Return the user's last message to the model."""
    said: str = next(m["content"] for m in reversed(model.requests[-1]["messages"]) if m["role"] == "user")
    return said


def execute(client: Client, file_id: str) -> Any:
    """Execute the tool on a file."""
    return client.post(f"/tools/{DETECT}/execute", {"args": {"file": file_id}})


def test_a_tool_reads_a_file_by_its_id(client: Client) -> None:
    record = upload(client, PNG, "lies.txt", "text/plain")
    result = data(execute(client, record["id"]))["result"]
    assert (result["media_type"], result["size"]) == ("image/png", len(PNG))


def test_a_tool_gets_no_file_of_another(client: Client, stranger: Client) -> None:
    record = upload(stranger, PNG)
    refuse(execute(client, record["id"]), 400, record["id"])
    refuse(execute(client, "file_" + "0" * 26), 400, "no file")
    refuse(execute(client, "../../etc/passwd"), 400, "pattern")


@pytest.mark.parametrize("size", [1, 1 << 18, (1 << 19) + 1])
def test_the_output_of_a_tool_is_a_file_of_its_user(client: Client, stranger: Client, size: int) -> None:
    content = random.Random(size).randbytes(size)
    packed = upload(client, gzip.compress(content))["id"]
    call = {"args": {"file": packed, "name": "data.bin"}}
    made = data(client.post("/tools/file_decompress/execute", call))["result"]["file"]
    record = data(client.get(f"/files/{made}"))
    assert (record["name"], record["size"], record["sha256"]) == ("data.bin", size, sha256(content).hexdigest())
    assert client.get(f"/files/{made}/content").content == content
    assert [one["id"] for one in data(client.get("/files"))] == [made, packed]
    refuse(stranger.get(f"/files/{made}"), 404)


def test_an_agent_hands_files_to_tools(client: Client, model: ModelServer) -> None:
    record = upload_bare(client, PNG, "?name=a.png", **{"Content-Type": "image/png"})
    agent = data(client.post("/agents", {"agent_name": "a", "agent_role": "leader", "skills": [DETECT]}), 201)
    model.answers += [Answer(tool=DETECT, arguments={"file": record["id"]}), Answer("It is a PNG.")]
    body = {"message": "What is it?", "attachments": [record["id"]]}
    answer = data(client.post(f"/agents/{agent['id']}/execute", body))
    assert answer["tools_used"] == [DETECT]
    assert f"id {record['id']}, image/png, {len(PNG)} bytes" in ask(model)
    assert "not text" in ask(model)
    result = next(m["content"] for m in model.requests[-1]["messages"] if m["role"] == "tool")
    assert '"media_type":"image/png"' in result


def test_a_text_is_read_to_the_model_and_remembered(client: Client, model: ModelServer) -> None:
    record = upload(client, "Grüße\nzweite Zeile".encode(), "brief.txt")
    chat = data(client.post("/chat", {"message": "Read.", "attachments": [record["id"]], "tools": []}))
    assert ask(model).startswith('Read.\n\n[Attached file "brief.txt"')
    assert "\nGrüße\nzweite Zeile\n" in ask(model)
    client.post("/chat", {"message": "And?", "conversation_id": chat["conversation_id"], "tools": []})
    assert ask(model) == "And?"
    assert any("zweite Zeile" in str(message["content"]) for message in model.requests[-1]["messages"])
    first, answer, *_ = client.get(f"/chat/{chat['conversation_id']}").json()["data"]
    assert (first["content"], first["attachments"]) == ("Read.", [record["id"]])
    assert "attachments" not in answer


def test_a_deleted_resource_is_reported_as_deleted(client: Client, model: ModelServer) -> None:
    record = upload(client, b"secret")
    model.answers.append(Answer("Read it."))
    chat = data(client.post("/chat", {"message": "Read.", "attachments": [record["id"]], "tools": []}))
    client.delete(f"/files/{record['id']}")
    client.post("/chat", {"message": "And?", "conversation_id": chat["conversation_id"], "tools": []})
    told = [str(message["content"]) for message in model.requests[-1]["messages"]]
    assert any("has been deleted" in text for text in told)
    assert not any("[Attached file" in text or "\nsecret" in text for text in told)


def test_long_texts_are_shortened_to_the_limit_of_the_model(client: Client, model: ModelServer) -> None:
    long = upload(client, "ü".encode() * 50_000, "long.txt")
    others = [upload(client, b"y" * 60_000, f"{number}.txt") for number in range(8)]
    data(client.post("/chat", {"message": "Read.", "attachments": [long["id"]], "tools": []}))
    assert ask(model).count("ü") == 32_768
    assert "[Shortened: these are the first 65,536 bytes.]" in ask(model)
    ids = [record["id"] for record in (long, *others)]
    data(client.post("/chat", {"message": "Read.", "attachments": ids, "tools": []}))
    assert 32_000 < len(ask(model).encode()) < 70_000
    assert ask(model).count("[Shortened:") == 9


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"a\x00b", b"\xc3"])
def test_invalid_utf_8_is_not_text(client: Client, model: ModelServer, content: bytes) -> None:
    record = upload(client, content)
    data(client.post("/chat", {"message": "Read.", "attachments": [record["id"]], "tools": []}))
    assert "not text" in ask(model)


def test_attachments_are_checked(client: Client, stranger: Client, user: User) -> None:
    theirs, ours = upload(stranger, b"x")["id"], upload(client, b"x")["id"]
    agent = data(client.post("/agents", {"agent_name": "a", "agent_role": "leader"}), 201)["id"]
    for path in ("/chat", f"/agents/{agent}/execute"):
        refuse(client.post(path, {"message": "a", "attachments": [ours, theirs, "file_x"]}), 400, theirs, "file_x")
        refuse(client.post(path, {"message": "a", "attachments": [ours] * 11}), 400, "attachments", "10")
        refuse(client.post(path, {"message": "a", "attachments": [5]}), 400, "attachments")
        data(client.post(path, {"message": "a", "attachments": []}))
        data(client.post(path, {"message": "a", "attachments": None}))
    blind = user.client(["chat:write"])
    refuse(blind.post("/chat", {"message": "a", "attachments": [ours]}), 403, "tools:read")


def test_a_background_run_has_its_attachments(client: Client, model: ModelServer) -> None:
    record = upload(client, b"Hello")
    agent = data(client.post("/agents", {"agent_name": "a", "agent_role": "leader"}), 201)["id"]
    body = {"message": "Read.", "attachments": [record["id"]], "background": True, "tools": []}
    run = data(client.post(f"/agents/{agent}/execute", body), 202)["id"]
    assert client.get(f"/runs/{run}/events").status_code == 200
    assert "\nHello\n" in ask(model)


@pytest.fixture
async def pool(tmp_path: Path) -> Any:
    """A pool with one worker."""
    tools = ToolPool(1, scratch=tmp_path / "scratch")
    await tools.start()
    yield tools
    await tools.stop()


async def test_files_for_a_call_are_copies_that_are_deleted_with_it(pool: ToolPool, tmp_path: Path) -> None:
    tool = Catalogue.load().get(DETECT)
    original = tmp_path / "original"
    original.write_bytes(PNG)
    for _ in range(20):
        result = await pool.execute(tool, {"file": "file_a"}, {"file_a": original})
        assert result["media_type"] == "image/png"
        assert [path for path in (tmp_path / "scratch").rglob("*") if path.is_file()] == []
    assert original.stat().st_nlink == 1
    original.unlink()
    with pytest.raises(ValidationFailed, match="deleted"):
        await pool.execute(tool, {"file": "file_a"}, {"file_a": original})


def test_files_are_found_among_arguments() -> None:
    one: dict[str, Any] = {"type": "string", "format": "file-id"}
    schema = {"properties": {"a": one, "b": {"type": "array", "items": one}, "c": {"type": "string"}, "d": one}}
    assert named_files(schema, {"a": "1", "b": ["2", "3"], "c": "4"}) == ["1", "2", "3"]
    assert named_files({}, {"a": "1"}) == []
