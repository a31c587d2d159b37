"""Conversations in the portal: their list, names, pins and export, and how an opened one shows its answers."""

import base64
import re

import pytest
from playwright.sync_api import expect

from tests.conftest import ONE_DATABASE, User
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, reader_of, redirect
from tests.portal.test_look import check_in_both_themes
from tests.runs.test_approvals import ARGS, OUT
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database

PLACE = "/playground/conversations"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
CODE = """Here it is:

```python
def reverse(text):  # the whole of it
    return "".join(reversed(text))
```

- [x] written
- [ ] ~~tested~~

| Item | Price |
|------|------:|
| Pear | 2 |

See https://en.wikipedia.org/wiki/Pear_(fruit)."""


def talk(client: Client, message: str, **more: object) -> str:
    """Send a message; returns the id of its conversation."""
    return str(data(client.post("/chat", {"message": message, "tools": [], **more}))["conversation_id"])


def test_a_conversation_is_renamed_pinned_searched_and_exported(reader: Reader, client: Client) -> None:
    first, second = talk(client, "Pears and their prices"), talk(client, "100% of nothing")
    assert redirect(reader.post(f"{PLACE}/{first}/rename", {"title": "Orchard"})).endswith(first)
    assert redirect(reader.post(f"{PLACE}/{first}/pin", {"pinned": "yes"})).endswith(first)
    listed = reader.get(PLACE).text
    assert "Orchard" in listed
    assert listed.index(first) < listed.index(second)
    found = reader.get(PLACE, params={"q": "orch"}).text
    assert (first in found, second in found) == (True, False)
    assert second in reader.get(PLACE, params={"q": "100%"}).text
    talk(client, "And of plums?", conversation_id=first)
    assert first in reader.get(PLACE, params={"q": "you said: pears"}).text
    assert "No title" in reader.get(PLACE, params={"q": "0_"}).text
    export = reader.get(f"{PLACE}/{first}/export")
    assert export.headers["Content-Type"].startswith("text/markdown")
    assert export.text.startswith(
        "# Orchard\n\n## You\n\nPears and their prices\n\n## alfred-default\n\nYou said: Pears and their prices\n"
    )
    exported = reader.get(f"{PLACE}/{first}/export?format=json").json()
    assert (exported["title"], exported["pinned"], exported["conversation_id"]) == ("Orchard", True, first)
    assert exported["messages"] == data(client.get(f"/chat/{first}"))
    reader.post(f"{PLACE}/{first}/pin", {"pinned": "no"})
    assert [one["title"] for one in data(client.get("/chat"))] == ["Orchard", "100% of nothing"]
    assert reader.post(f"{PLACE}/{first}/rename", {"title": " "}).status_code == 400
    assert reader.post(f"{PLACE}/{first}/rename", {"title": "x" * 101}).status_code == 400


def test_everyone_with_the_link_reads_a_shared_conversation(
    reader: Reader, client: Client, passer_by: Reader, model: ModelServer
) -> None:
    conversation = talk(client, "Pears <b>today</b>")
    assert redirect(reader.post(f"{PLACE}/{conversation}/share")).endswith("#share")
    link = re.findall(r"/shared/[\w-]{32}", reader.get(f"/playground?conversation={conversation}").text)[0]
    talk(client, "Plums of tomorrow", conversation_id=conversation)
    shown = passer_by.get(link)
    assert "You said: Pears &lt;b&gt;today" in shown.text
    assert "Plums" not in shown.text
    assert shown.headers["X-Robots-Tag"] == "noindex"

    wrong = {"part": "much", "whole": 4250}
    model.answers += [Answer(tool="percent_solve_share", arguments=wrong), Answer(text="It did not work.")]
    data(client.post("/chat", {"message": "Share?", "conversation_id": conversation, "tools": ["percent_solve_share"]}))
    reader.post(f"{PLACE}/{conversation}/share")
    shown = passer_by.get(link)
    assert "Plums of tomorrow" in shown.text
    assert "<code>percent_solve_share</code>, which failed" in shown.text
    assert "much" not in shown.text
    actions = [entry["action"] for entry in data(client.get("/audit"))]
    assert actions.count("conversation.shared") == 2

    reader.post(f"{PLACE}/{conversation}/unshare")
    assert [passer_by.get(gone).status_code for gone in (link, "/shared/x", "/shared/%00")] == [404] * 3
    assert "/shared/" not in reader.get(f"/playground?conversation={conversation}").text


def test_links_end_with_the_credentials(
    reader: Reader, client: Client, passer_by: Reader, server: Server, user: User
) -> None:
    conversation = talk(client, "A secret of mine")
    reader.post(f"{PLACE}/{conversation}/share")
    link = re.findall(r"/shared/[\w-]+", reader.get(f"/playground?conversation={conversation}").text)[0]
    server.ask("users.suspend", email=user.email)
    assert passer_by.get(link).status_code == 404
    server.ask("users.restore", email=user.email)
    assert passer_by.get(link).status_code == 200
    server.ask("users.revoke", email=user.email)
    assert passer_by.get(link).status_code == 404


def test_a_conversation_is_renamed_and_pinned_through_the_api(client: Client, user: User) -> None:
    path = f"/chat/{talk(client, 'Pears')}"
    changed = data(client.request("PATCH", path, json={"title": "Orchard", "pinned": True}))
    assert (changed["title"], changed["pinned"]) == ("Orchard", True)
    assert data(client.get("/chat")) == [changed]
    assert data(client.request("PATCH", path, json={**changed, "pinned": False})) == {**changed, "pinned": False}
    assert client.request("PATCH", path, json={"title": " "}).status_code == 400
    assert client.request("PATCH", path, json={"subtitle": "x"}).status_code == 400
    other = User(user.server, user.server.new_user()).client()
    assert other.request("PATCH", path, json={"title": "Theirs"}).status_code == 404


def test_conversations_of_others_are_not_there(reader: Reader, client: Client, user: User) -> None:
    mine = talk(client, "A secret of mine")
    run = data(client.get(f"/chat/{mine}")) and data(client.post("/chat", {"message": "More", "conversation_id": mine}))
    other = reader_of(User(user.server, user.server.new_user()))
    for form in ("rename", "pin", "delete", "share", "unshare"):
        assert other.post(f"{PLACE}/{mine}/{form}", {"title": "Theirs", "pinned": "yes"}).status_code == 404
    assert other.get(f"{PLACE}/{mine}/export").status_code == 404
    assert other.get(f"{PLACE}/{mine}/answers/{run['run_id']}").status_code == 404
    assert "secret" not in other.get(PLACE, params={"q": "secret"}).text
    assert "A secret of mine" in reader.get(PLACE).text
    assert reader.get(f"{PLACE}/{talk(client, 'Another')}/answers/{run['run_id']}").status_code == 404
    other.close()


def test_an_opened_conversation_shows_calls_figures_and_failures(
    reader: Reader, client: Client, model: ModelServer
) -> None:
    wrong = {"part": "much", "whole": 4250}
    model.answers += [Answer(tool="percent_solve_share", arguments=wrong), Answer(text="It did not work.")]
    answer = data(client.post("/chat", {"message": "Work it out", "tools": ["percent_solve_share"]}))
    page = reader.get(f"/playground?conversation={answer['conversation_id']}").text
    assert "Used <code>percent_solve_share</code>, which failed" in page
    assert "It did not work." in page
    assert f'href="/runs/{answer["run_id"]}">Steps' in page
    assert "Completed with errors" in reader.get(f"/runs/{answer['run_id']}").text
    assert "Completed with errors" in reader.get("/overview").text

    model.answers.append(Answer(status=400, text="The model does not feel like it"))
    message = {"message": "And now?", "conversation_id": answer["conversation_id"], "tools": []}
    assert client.post("/chat", message).status_code == 503
    page = reader.get(f"/playground?conversation={answer['conversation_id']}").text
    assert page.count('class="notice bad"') == 1
    assert page.count("data-try-again") == 1


def test_a_stopped_answer_can_be_tried_again(reader: Reader, client: Client) -> None:
    assert "data-try-again" not in reader.get(f"/playground?conversation={talk(client, 'Done')}").text
    about = {"agent_name": "Careful", "agent_role": "generalist", "skills": [OUT], "approval": "required"}
    agent = data(client.post("/agents", about), 201)["id"]
    begun = data(client.post("/chat", {"message": f"[[tool:{OUT} {ARGS}]]", "agent_id": agent}), 202)
    data(client.post(f"/runs/{begun['run_id']}/cancel"))
    page = reader.get(f"/playground?conversation={begun['conversation_id']}").text
    assert "Stopped on request." in page
    assert page.count("data-try-again") == 1


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_a_call_is_approved_in_the_chat(reader: Reader, arrive: Arrive, client: Client) -> None:
    about = {"agent_name": "Careful", "agent_role": "generalist", "skills": [OUT], "approval": "required"}
    agent = data(client.post("/agents", about), 201)["id"]
    visitor = arrive(reader)
    page = visitor.open(f"/playground?agent={agent}")
    page.get_by_label("Message", exact=True).fill(f"[[tool:{OUT} {ARGS}]]")
    page.keyboard.press("Enter")
    expect(page.locator(".decision")).to_contain_text(OUT)
    visitor.check_accessibility()
    page.reload()
    expect(page.get_by_role("link", name="Approvals 1 waiting")).to_be_visible()
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".msg.agent .calls")).to_contain_text(f"Used {OUT}")
    expect(page.locator(".decision")).to_have_count(0)
    expect(page.get_by_role("link", name="Steps")).to_be_visible()
    eventually(lambda: data(client.get("/approvals?status=approved")))


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_formulas_pictures_and_a_shared_page(
    reader: Reader, arrive: Arrive, client: Client, model: ModelServer
) -> None:
    files = [
        data(client.post("/files", files={"file": (name, content, kind)}), 201)["id"]
        for name, content, kind in (("dot.png", PNG, "image/png"), ("a.pdf", b"%PDF-1.4", "application/pdf"))
    ]
    model.answers.append(Answer(text="It is $x^2$, or\n\n$$\n\\frac{1}{2}\n$$\n\nfor $5 and $6."))
    conversation = talk(client, "Pears", attachments=files)
    visitor = arrive(reader)
    page = visitor.open(f"/playground?conversation={conversation}")
    expect(page.locator(".msg.agent math")).to_have_count(2)
    expect(page.locator(".msg.agent .prose")).to_contain_text("for $5 and $6.")
    expect(page.locator(".msg.user img")).to_have_js_property("naturalWidth", 1)
    assert reader.get(f"/files/{files[1]}/view").headers["Content-Disposition"] == "inline"
    page.get_by_label("More about this conversation").click()
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Create a link").click()
    expect(page.get_by_role("dialog")).to_contain_text("/shared/")
    visitor.check_accessibility()
    check_in_both_themes(visitor, page.locator("#share-link").inner_text())
    expect(page.locator("math")).to_have_count(2)
    expect(page.locator("img")).to_have_count(0)


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_an_answer_is_read_copied_and_regenerated(reader: Reader, arrive: Arrive, model: ModelServer) -> None:
    visitor = arrive(reader)
    page = visitor.open("/playground")
    visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    model.answers.append(Answer(text=CODE))
    message = page.get_by_label("Message", exact=True)
    message.fill("Reverse a text")
    page.keyboard.press("Enter")
    answer = page.locator(".msg.agent")
    expect(answer.get_by_role("link", name="Steps")).to_be_visible()
    expect(answer.locator(".code-keyword")).to_have_text(["def", "return"])
    expect(answer.locator(".code-comment")).to_have_text("# the whole of it")
    expect(answer.get_by_role("checkbox", name="Done")).to_be_checked()
    expect(answer.locator("del")).to_have_text("tested")
    expect(answer.locator("td.right")).to_have_text("2")
    expect(answer.get_by_role("link", name="wikipedia")).to_have_attribute(
        "href", "https://en.wikipedia.org/wiki/Pear_(fruit)"
    )
    visitor.check_accessibility()
    visitor.check_width()
    answer.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("#toast")).to_have_text("Copied")
    assert str(page.evaluate("navigator.clipboard.readText()")).startswith("def reverse(text):")
    answer.get_by_role("button", name="Copy this answer").click()
    page.wait_for_function("text => navigator.clipboard.readText().then(copied => copied === text)", arg=CODE)

    message.fill("Begun and kept")
    page.reload()
    expect(message).to_have_value("Begun and kept")
    page.get_by_role("button", name="Regenerate this answer").click()
    expect(answer.locator(".prose")).to_have_text("You said: Reverse a text")
    expect(answer).to_have_count(1)


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_a_failed_answer_is_tried_again_after_a_reload(
    reader: Reader, arrive: Arrive, client: Client, model: ModelServer
) -> None:
    model.answers.append(Answer(status=400, text="The model does not feel like it"))
    assert client.post("/chat", {"message": "Well?", "tools": []}).status_code == 503
    (conversation,) = data(client.get("/chat"))
    page = arrive(reader).open(f"/playground?conversation={conversation['conversation_id']}")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".msg.agent .prose")).to_have_text("You said: Well?")
    expect(page.locator(".msg.user")).to_have_count(1)
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_the_menu_of_a_conversation(reader: Reader, arrive: Arrive, client: Client) -> None:
    conversation = talk(client, "Pears")
    visitor = arrive(reader, "dark", (390, 844))
    page = visitor.open(f"/playground?conversation={conversation}")
    more = page.get_by_label("More about this conversation")
    more.press("Enter")
    visitor.check_accessibility()
    visitor.check_width()
    page.get_by_role("button", name="Rename").press("Enter")
    page.get_by_label("Title").fill("Orchard")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Orchard")
    page.get_by_role("button", name="List", exact=True).click()
    page.get_by_role("searchbox", name="Search conversations").fill("nothing like it")
    expect(page.locator("#conversations")).to_contain_text("No title")
    visitor.check_accessibility()
