"""Skills for MCP clients: the extension io.modelcontextprotocol/skills, and skill:// resources."""

import base64
import hashlib
from typing import Any

import mcp_types as types
import pytest
from mcp import MCPError

from tests.conftest import User
from tests.interop.mcp_clients import ask, ask_alone, connect, headers_for, key_of, post
from tests.skills.support import FILES, INSTRUCTIONS, import_text, import_zip, instructions
from tests.support.client import Client

LOGO = b"\x89PNG\xff"
URI = "skill://pirate-talk/SKILL.md"


def call(client: Client, method: str, **params: Any) -> Any:
    """Send a request that stands alone. Returns its result."""
    response = post(client.server, client.key, ask_alone(method, **params), **headers_for(method, params.get("uri")))
    assert response.status_code == 200, response.text
    return response.json()["result"]


def test_the_extension_is_declared_in_both_eras(client: Client) -> None:
    hello = ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "a", "version": "1"})
    handshake = post(client.server, client.key, hello).json()["result"]
    for told in (handshake, call(client, "server/discover")):
        assert told["capabilities"]["extensions"] == {"io.modelcontextprotocol/skills": {}}


def test_skills_are_listed_with_digests_of_all_files(client: Client) -> None:
    files: dict[str, str | bytes] = {**FILES, "logo.png": LOGO}
    import_zip(client, files)
    import_text(client, instructions("other"))
    listed = call(client, "skills/list")
    assert (listed["resultType"], listed["ttlMs"], listed["cacheScope"]) == ("complete", 0, "private")
    assert [one["uri"] for one in listed["skills"]] == ["skill://other/SKILL.md", URI]
    skill = listed["skills"][1]
    assert skill["frontmatter"] == {
        "name": "pirate-talk",
        "description": "Rewrites a text as a pirate would say it. Use it when the user asks for pirate style.",
        "license": "MIT",
        "metadata": {"author": "tests", "version": 1.2},
        "allowed-tools": "Read Bash(git:*)",
    }
    contents = {path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()}
    assert {one["uri"]: (one["digest"], one["size"]) for one in skill["resources"]} == {
        f"skill://pirate-talk/{path}": (f"sha256:{hashlib.sha256(content).hexdigest()}", len(content))
        for path, content in contents.items()
    }
    assert call(client, "skills/get", uri=URI)["skill"] == skill


async def test_an_ordinary_client_reads_skills_as_resources(client: Client, stranger: Client) -> None:
    import_zip(client, {**FILES, "logo.png": LOGO})
    async with connect(client.server, key_of(client)) as official:
        (first, *_) = (await official.list_resources()).resources
        assert (str(first.uri), first.name, first.mime_type) == (URI, "pirate-talk", "text/markdown")
        (text,) = (await official.read_resource(URI)).contents
        assert isinstance(text, types.TextResourceContents)
        assert text.text == INSTRUCTIONS
        (picture,) = (await official.read_resource("skill://pirate-talk/logo.png")).contents
        assert isinstance(picture, types.BlobResourceContents)
        assert base64.b64decode(picture.blob) == LOGO
        for uri in ("skill://pirate-talk/../SKILL.md", "skill://pirate-talk", "skill://none/SKILL.md"):
            with pytest.raises(MCPError, match="no resource"):
                await official.read_resource(uri)
    async with connect(client.server, key_of(stranger)) as official:
        with pytest.raises(MCPError, match="no resource"):
            await official.read_resource(URI)


def test_any_other_uri_is_invalid(client: Client, stranger: Client) -> None:
    import_zip(client)
    assert call(stranger, "skills/list")["skills"] == []
    for caller, uri in ((client, "skill://pirate-talk/references/words.md"), (client, "x"), (stranger, URI)):
        response = post(caller.server, caller.key, ask_alone("skills/get", uri=uri), **headers_for("skills/get", uri))
        assert (response.status_code, response.json()["error"]["code"]) == (400, -32602)


def test_skills_need_the_scope_of_agents(user: User) -> None:
    import_zip(user.client())
    others, reader = user.client(["tools:read"]), user.client(["agents:read"])
    for body in (ask("skills/list"), ask("skills/get", uri=URI), ask("resources/read", uri=URI)):
        assert post(user.server, None, body).status_code == 401
        refused = post(user.server, others.key, body)
        assert (refused.status_code, "agents:read" in refused.headers["WWW-Authenticate"]) == (403, True)
        assert "result" in post(user.server, reader.key, body).json()
    listed = post(user.server, others.key, ask("resources/list")).json()["result"]["resources"]
    assert [one["uri"] for one in listed if one["uri"].startswith("skill://")] == []
