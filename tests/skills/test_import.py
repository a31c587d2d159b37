"""Importing skills: their records and files, versions, refusals, access, and what a kill leaves."""

from typing import Any

import pytest
import requests

from tests.conftest import DATABASES, NewUser, StartServer, User
from tests.files.support import stored, upload
from tests.skills.support import FILES, INSTRUCTIONS, content_of, import_text, import_zip, instructions, zip_of
from tests.support.client import Client, data, refuse


def test_a_zip_is_imported_with_its_files(client: Client) -> None:
    skill = import_zip(client, {**FILES, "__MACOSX/._SKILL.md": "x", ".DS_Store": "x", "logo.png": b"\x89PNG\xff"})
    files = {one["path"]: one["media_type"] for one in skill.pop("files")}
    assert files == {
        "SKILL.md": "text/markdown",
        "logo.png": "image/png",
        "references/words.md": "text/markdown",
        "scripts/shout.sh": "application/x-sh",
    }
    size = sum(map(len, FILES.values())) + len(b"\x89PNG\xff")
    assert skill == {
        "id": skill["id"],
        "name": "pirate-talk",
        "description": "Rewrites a text as a pirate would say it. Use it when the user asks for pirate style.",
        "license": "MIT",
        "compatibility": None,
        "metadata": {"author": "tests", "version": "1.2"},
        "allowed_tools": "Read Bash(git:*)",
        "has_scripts": True,
        "size": size,
        "version": 1,
        "created_at": skill["created_at"],
        "updated_at": skill["updated_at"],
    }
    assert data(client.get("/skills")) == [skill]
    assert content_of(client, skill) == INSTRUCTIONS.encode()
    assert content_of(client, skill, "references/words.md") == b"friend: matey\n"
    assert content_of(client, skill, "logo.png") == b"\x89PNG\xff"
    refuse(client.get(f"/skills/{skill['id']}/content", params={"path": "../SKILL.md"}), 404, "It has SKILL.md")


def test_a_single_text_and_a_folder_of_the_workspace_are_imported(client: Client) -> None:
    assert [one["path"] for one in import_text(client, instructions("one"))["files"]] == ["SKILL.md"]
    for path, text in {"SKILL.md": instructions("two"), "references/a.md": "A"}.items():
        data(client.post("/tools/file_write/execute", {"args": {"path": f"/mine/{path}", "text": text}}))
    made = data(client.post("/skills", {"folder": "/mine"}), 201)
    assert (made["name"], [one["path"] for one in made["files"]]) == ("two", ["SKILL.md", "references/a.md"])
    assert [one["name"] for one in data(client.get("/skills"))] == ["two", "one"]
    refuse(client.post("/skills", {"folder": "/none"}), 400, "no files in /none")


def test_replacing_makes_a_version_and_keeps_the_id(client: Client) -> None:
    skill, other = import_zip(client), import_text(client, instructions("other"))
    refuse(client.post("/skills", {"text": INSTRUCTIONS}), 400, f"Replace it with PUT /api/v1/skills/{skill['id']}")
    path = f"/skills/{skill['id']}"
    new = data(client.put(path, {"text": instructions(body="Say ahoy.")}))
    assert (new["id"], new["version"], new["has_scripts"]) == (skill["id"], 2, False)
    assert content_of(client, skill).endswith(b"Say ahoy.\n")
    refuse(client.put(path, {"text": instructions("other")}), 400, f"PUT /api/v1/skills/{other['id']}")
    refuse(client.put(path, {"text": "nothing"}), 400, "must begin with front matter")
    assert data(client.get(path)) == new
    archives = [one["name"] for one in data(client.get("/files")) if one["media_type"] == "application/zip"]
    assert sorted(archives) == ["other.zip", "pirate-talk.zip", "skill.zip"]


def test_deleting_deletes_the_files(client: Client) -> None:
    skill = import_text(client)
    (archive,) = data(client.get("/files"))
    assert data(client.delete(f"/skills/{skill['id']}")) == {"id": skill["id"], "deleted": True}
    refuse(client.get(f"/skills/{skill['id']}"), 404)
    refuse(client.get(f"/files/{archive['id']}"), 404)
    assert data(client.get("/skills")) == []


def test_a_skill_whose_archive_was_deleted_says_so(client: Client) -> None:
    skill = import_text(client)
    (archive,) = data(client.get("/files"))
    data(client.delete(f"/files/{archive['id']}"))
    refuse(client.get(f"/skills/{skill['id']}/content"), 404, "Import it again")
    data(client.put(f"/skills/{skill['id']}", {"text": INSTRUCTIONS}))
    assert content_of(client, skill) == INSTRUCTIONS.encode()


def test_a_refused_import_leaves_nothing(client: Client) -> None:
    refuse(client.post("/skills", {}), 400, "exactly one of file_id, text and folder")
    refuse(client.post("/skills", {"file_id": "file_x"}), 400, "you have no file")
    file = upload(client, zip_of({"../SKILL.md": INSTRUCTIONS}), name="skill.zip", kind="application/zip")
    refuse(client.post("/skills", {"file_id": file["id"]}), 400, "leads out of the skill")
    bomb = upload(client, zip_of({**FILES, "zeros": bytes(17 << 20)}), name="bomb.zip", kind="application/zip")
    assert bomb["size"] < 1 << 20
    refuse(client.post("/skills", {"file_id": bomb["id"]}), 400, "more than 16 MiB in total")
    assert data(client.get("/skills")) == []
    assert {one["id"] for one in data(client.get("/files"))} == {file["id"], bomb["id"]}


def test_a_skill_is_its_owners_alone(client: Client, stranger: Client, nobody: Client) -> None:
    skill = import_text(client)
    path = f"/skills/{skill['id']}"
    requests: list[tuple[str, str, Any]] = [
        ("GET", path, None),
        ("GET", f"{path}/content", None),
        ("PUT", path, {"text": INSTRUCTIONS}),
        ("DELETE", path, None),
    ]
    for method, place, body in requests:
        options: dict[str, Any] = {} if body is None else {"json": body}
        refuse(stranger.request(method, place, **options), 404)
        refuse(nobody.request(method, place, **options), 401)
    assert data(stranger.get("/skills")) == []
    assert import_text(stranger)["id"] != skill["id"]
    file = upload(client, INSTRUCTIONS.encode(), name="SKILL.md")
    refuse(stranger.post("/skills", {"file_id": file["id"]}), 400, "you have no file")
    assert data(client.get(path)) == skill


def test_skills_are_read_and_imported_within_scopes(user: User) -> None:
    skill = import_text(user.client())
    reader, writer = user.client(["agents:read"]), user.client(["agents:write"])
    path = f"/skills/{skill['id']}"
    data(reader.get(path))
    for method, place in (("POST", "/skills"), ("PUT", path), ("DELETE", path)):
        refuse(reader.request(method, place, json={"text": INSTRUCTIONS}), 403, "agents:write")
    refuse(user.client(["tools:read", "tools:execute"]).get(path), 403, "agents:read")
    refuse(writer.post("/skills", {"folder": "/mine"}), 403, "tools:read")
    refuse(writer.post("/skills", {"file_id": "file_x"}), 403, "tools:read")
    data(writer.put(path, {"text": INSTRUCTIONS}))


@pytest.mark.slow
@pytest.mark.parametrize("database", DATABASES)
def test_a_kill_during_an_import_leaves_no_part(database: str, start_server: StartServer, new_user: NewUser) -> None:
    """The archive is in place and no skill has it: the next start removes it, and the same request imports it once."""
    server = start_server(database, RETINUE_CRASH_AT="skills.kept:2")
    client = new_user(server).client()
    skill = import_text(client)
    order: dict[str, Any] = {"json": {"text": instructions("other")}, "headers": {"Idempotency-Key": "import-other"}}
    with pytest.raises(requests.ConnectionError):
        client.request("POST", "/skills", **order)
    server.has_died()
    server.start(RETINUE_CRASH_AT="")
    assert (len(stored(server)), [one["id"] for one in data(client.get("/skills"))]) == (1, [skill["id"]])
    made = data(client.request("POST", "/skills", **order), 201)
    assert data(client.request("POST", "/skills", **order), 201) == made
    assert [one["name"] for one in data(client.get("/skills"))] == ["other", "pirate-talk"]
    assert (len(stored(server)), content_of(client, skill)) == (2, INSTRUCTIONS.encode())
    assert "All is well." in server.cli("check")
