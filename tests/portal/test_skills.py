"""The pages of skills: importing, reading their files, choosing them for an agent, replacing and deleting."""

import html

from tests.conftest import ONE_DATABASE
from tests.portal.reader import Reader, redirect
from tests.skills.support import FILES, INSTRUCTIONS, import_zip, instructions, zip_of
from tests.support.client import Client, data

pytestmark = ONE_DATABASE


def test_a_text_is_imported_shown_and_deleted(reader: Reader, client: Client) -> None:
    assert "Teach agents how you work" in reader.get("/skills").text
    path = redirect(reader.post("/skills", {"text": INSTRUCTIONS}))
    page = reader.get(path).text
    assert "# Pirate talk" in page
    assert "name: pirate-talk" not in page
    assert "Bash(git:*)" in page
    assert "pirate-talk" in reader.get("/skills").text
    assert path in reader.get("/palette?q=pirate").text
    assert redirect(reader.post(f"{path}/delete")) == "/skills"
    assert reader.get(path).status_code == 404


def test_a_zip_is_uploaded_without_a_script_and_replaced_with_one(reader: Reader, client: Client) -> None:
    headers = {"Origin": reader.server.url}
    files = {"file": ("pirate.zip", zip_of({**FILES, "a.png": b"\x89PNG\xff"}), "application/zip")}
    path = redirect(reader._send("POST", "/skills/upload", headers=headers, files=files))
    assert "friend: matey" in reader.get(f"{path}?path=references/words.md").text
    assert "tr a-z A-Z" in html.unescape(reader.get(f"{path}?path=scripts/shout.sh").text)
    assert "is not text" in reader.get(f"{path}?path=a.png").text
    assert reader.get(f"{path}?path=none").status_code == 404
    download = reader.get(f"{path}/content?path=a.png")
    assert (download.content, download.headers["Content-Disposition"]) == (
        b"\x89PNG\xff", 'attachment; filename="a.png"',
    )  # fmt: skip
    assert download.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    by_script = {**headers, "Accept": "application/json", "Content-Type": "text/markdown"}
    new = instructions(body="Say ahoy.").encode()
    assert reader._send("POST", f"{path}/upload?name=SKILL.md", headers=by_script, data=new).status_code == 201
    refused = reader._send("POST", f"{path}/upload?name=SKILL.md", headers=by_script, data=b"x")
    assert (refused.status_code, "must begin with front matter" in refused.json()["error"]["message"]) == (400, True)
    assert "Say ahoy." in reader.get(path).text
    assert data(client.get("/skills"))[0]["version"] == 2


def test_problems_are_shown(reader: Reader) -> None:
    for form, problem in (
        ({"text": "---\nname: A\ndescription: b\n---\n"}, "lower-case letters"),
        ({"folder": "/none"}, "no files in /none"),
        ({}, "exactly one of"),
    ):
        answer = reader.post("/skills", form)
        assert (answer.status_code, problem in html.unescape(answer.text)) == (400, True), form
    headers = {"Origin": reader.server.url}
    answer = reader._send("POST", "/skills/upload", headers=headers, files={"file": ("a.zip", b"PK\x03\x04", "x/y")})
    assert (answer.status_code, "damaged" in answer.text) == (400, True)


def test_an_agent_gets_a_skill_by_its_form(reader: Reader, client: Client) -> None:
    skill = import_zip(client)["id"]
    assert f'name="agent_skills" value="{skill}"><span>pirate-talk' in reader.get("/agents/new").text
    fields = {"agent_name": "Clerk", "agent_role": "specialist", "voice_engine": "hibari", "agent_skills": str(skill)}
    path = redirect(reader.post("/agents", fields))
    assert data(client.get(path))["agent_skills"] == [skill]
    assert f'value="{skill}" checked><span>pirate-talk' in reader.get(f"{path}/edit").text
    assert f'href="/skills/{skill}"' in reader.get(path).text
    assert "1 agent<" in reader.get("/skills").text
    assert f'href="{path}">Clerk' in reader.get(f"/skills/{skill}").text
    data(client.delete(f"/skills/{skill}"))
    assert f'value="{skill}" checked><span>Skill {skill}' in reader.get(f"{path}/edit").text
    assert f'href="/skills/{skill}"' not in reader.get(path).text


def test_a_skill_of_another_account_is_not_shown(reader: Reader, stranger: Client) -> None:
    skill = import_zip(stranger)["id"]
    for path in (f"/skills/{skill}", f"/skills/{skill}/content?path=SKILL.md"):
        assert reader.get(path).status_code == 404
    assert reader.post(f"/skills/{skill}/delete").status_code == 404
    assert "pirate-talk" not in reader.get("/skills").text
