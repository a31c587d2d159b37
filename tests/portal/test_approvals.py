"""The pages of approvals: what waits is seen at once, and a decision lets the run go on."""

import html
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from playwright.sync_api import expect

from retinue.portal.templating import environment
from retinue.portal.tools.fields import fields_of_schema
from tests.portal.conftest import UNFIT_JSON, Arrive
from tests.portal.reader import Reader, redirect
from tests.portal.test_xss import HARMFUL, MESSAGE
from tests.runs.test_approvals import ARGS, HTML, OUT, end, pending
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer

KEPT: dict[str, Any] = {"key": "order", "value": {"lines": [1, "a\nb"]}, "keep_for_s": 60.0}
ASK = f"[[tool:{OUT} {ARGS}]]"


@pytest.fixture
def agent(client: Client) -> str:
    """The path of an agent that asks before it acts."""
    about = {"agent_name": "Careful", "agent_role": "generalist", "skills": [OUT], "approval": "required"}
    return f"/agents/{data(client.post('/agents', about), 201)['id']}"


def start(client: Client, agent: str, message: str = ASK) -> str:
    """Have the agent begin; returns the path of its run."""
    body = {"message": message, "background": True}
    return f"/runs/{data(client.post(f'{agent}/execute', body), 202)['id']}"


class ChangeFields(HTMLParser):
    """The fields that change the values of a call, as a browser reads them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._field, self._is_value = "", False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an input, or the beginning of an area or a list."""
        given = {name: value or "" for name, value in attrs}
        if tag in ("input", "textarea", "select") and given.get("name", "").startswith("change."):
            self.values[given["name"]] = given.get("value", "")
            self._field, self._is_value = given["name"] if tag != "input" else "", tag == "textarea"
        elif tag == "option" and self._field:
            self._is_value = "selected" in given and "value" not in given
            self.values[self._field] = given.get("value", "") if "selected" in given else self.values[self._field]

    def handle_data(self, text: str) -> None:
        """Add a part of an area, or of the chosen option."""
        if self._field and self._is_value:
            self.values[self._field] += text

    def handle_endtag(self, tag: str) -> None:
        """Note the end of an area, whose first line end a browser drops, or of a list."""
        if tag == "textarea" and self._field:
            self.values[self._field] = self.values[self._field].removeprefix("\n")
        if tag in ("textarea", "select"):
            self._field, self._is_value = "", False


def values_on(page: str) -> dict[str, str]:
    """Return the fields that change the values of a call."""
    return ChangeFields(page).values


def decide(reader: Reader, approval: dict[str, Any], **fields: str) -> str:
    """Decide with the form; returns where it leads."""
    return redirect(reader.post(f"/approvals/{approval['id']}/decide", fields))


def test_a_call_is_approved(reader: Reader, client: Client, agent: str) -> None:
    assert "Nothing waits for you" in reader.get("/approvals").text
    run = start(client, agent)
    approval = pending(client, run)
    for page in (reader.get("/approvals").text, reader.get(f"/approvals/{approval['id']}").text):
        assert OUT in page
        assert "Careful" in page
        assert f'href="{run}"' in page
        assert "https://example.com/" in page
    assert decide(reader, approval, decision="approve", back="list") == "/approvals"
    assert [step["tool"] for step in end(client, run)["steps"]] == [None, OUT, None]
    assert "Nothing waits for you" in reader.get("/approvals").text
    assert OUT in reader.get("/approvals?status=approved").text
    assert "No calls here" in reader.get("/approvals?status=denied").text
    answer = reader.post(f"/approvals/{approval['id']}/decide", {"decision": "deny"})
    assert answer.status_code == 400
    assert "already approved" in answer.text


def test_a_call_is_refused_with_a_reason(reader: Reader, client: Client, agent: str, model: ModelServer) -> None:
    run = start(client, agent)
    approval = pending(client, run)
    assert decide(reader, approval, decision="deny", reason="Not on a Sunday") == run
    end(client, run)
    assert "Not on a Sunday" in str(model.requests[-1]["messages"])
    assert "Not on a Sunday" in reader.get("/approvals?status=denied").text


def test_values_matter_only_for_an_approval(reader: Reader, client: Client) -> None:
    path = ask_for(client, "kv_set", KEPT)
    assert reader.post(f"{path}/decide", {"decision": "approve", "change.value": '"\\u0000"'}).status_code == 400
    assert reader.post(f"{path}/decide", {"decision": "deny", "change.value": '"\\u0000"'}).status_code == 303
    assert data(client.get(path))["status"] == "denied"


def test_values_are_changed_in_the_fields_of_the_tool(reader: Reader, client: Client, agent: str) -> None:
    run = start(client, agent)
    approval = pending(client, run)
    fields = values_on(reader.get(f"/approvals/{approval['id']}").text)
    assert fields["change.html"] == HTML["html"]
    decide(reader, approval, **{**fields, "change.html": '<a href="https://example.org/">Two</a>'}, decision="approve")
    end(client, run)
    changed = data(client.get(f"/approvals/{approval['id']}"))["arguments"]
    assert changed == {**HTML, "html": '<a href="https://example.org/">Two</a>'}


@pytest.mark.parametrize(
    ("tool", "arguments"), [("kv_set", KEPT), ("file_write", {"path": "/plan.md", "text": "\n\n One\n"})]
)
def test_unchanged_values_stay_exactly_as_they_are(
    reader: Reader, client: Client, tool: str, arguments: dict[str, Any]
) -> None:
    path = ask_for(client, tool, arguments)
    fields = values_on(reader.get(path).text)
    sent = {name: value.replace("\n", "\r\n") for name, value in fields.items()}
    assert reader.post(f"{path}/decide", {**sent, "decision": "approve"}).status_code == 303
    assert data(client.get(path))["arguments"] == arguments


def test_an_error_keeps_the_typed_values(reader: Reader, client: Client) -> None:
    path = ask_for(client, "kv_set", KEPT)
    for value in (text for text, _ in UNFIT_JSON):
        answer = reader.post(f"{path}/decide", {"decision": "approve", "change.value": value, "reason": "kept"})
        assert answer.status_code == 400
        assert values_on(answer.text)["change.value"] == value
        assert "kept" in answer.text
    assert reader.post(f"{path}/decide", {"decision": "perhaps"}).status_code == 400
    assert data(client.get(path))["status"] == "pending"


def test_approvals_of_others_are_not_there(reader: Reader, stranger: Client, model: ModelServer) -> None:
    about = {"agent_name": "Theirs", "agent_role": "generalist", "skills": [OUT], "approval": "required"}
    other = f"/agents/{data(stranger.post('/agents', about), 201)['id']}"
    approval = pending(stranger, start(stranger, other))
    assert "Nothing waits for you" in reader.get("/approvals").text
    assert reader.get(f"/approvals/{approval['id']}").status_code == 404
    assert reader.post(f"/approvals/{approval['id']}/decide", {"decision": "approve"}).status_code == 404
    assert data(stranger.get(f"/approvals/{approval['id']}"))["status"] == "pending"


@pytest.mark.needs_program("chromium")
def test_a_call_appears_at_once_and_its_run_goes_on(
    reader: Reader, client: Client, agent: str, arrive: Arrive, model: ModelServer
) -> None:
    visitor = arrive(reader)
    page = visitor.open("/approvals")
    visitor.page.on("dialog", lambda dialog: visitor.problems.append(f"a dialog: {dialog.message}"))
    model.answers.append(Answer(tool=OUT, arguments={**HTML, "html": MESSAGE}))
    run = start(client, agent, MESSAGE)
    expect(page.get_by_role("button", name="Approve")).to_be_visible()
    expect(page.locator("main")).to_contain_text("<script>alert(1)</script>")
    assert page.evaluate(HARMFUL) == 0
    visitor.check_accessibility()
    page.get_by_role("link", name="List the links of a web page").click()
    page.get_by_text("Change the values before you approve").click()
    expect(page.locator('[name="change.html"]')).to_have_value(MESSAGE)
    assert page.evaluate(HARMFUL) == 0
    visitor.check_accessibility()
    page.get_by_role("button", name="Approve").click()
    page.wait_for_url(f"**{run}")
    expect(page.get_by_text("Completed")).to_be_visible()
    end(client, run)


def ask_for(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    """Have an agent ask for a call; returns the path of the approval's page."""
    about = {"agent_name": "Careful", "agent_role": "generalist", "skills": [tool], "approval": "required"}
    agent = f"/agents/{data(client.post('/agents', about), 201)['id']}"
    return f"/approvals/{pending(client, start(client, agent, f'[[tool:{tool} {json.dumps(arguments)}]]'))['id']}"


def execute(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool; returns its result."""
    result: dict[str, Any] = data(client.post(f"/tools/{tool}/execute", {"args": arguments}))["result"]
    return result


def rows(page: str, kind: str) -> list[str]:
    """The lines of a comparison of that kind."""
    return [html.unescape(line) for line in re.findall(rf'<tr class="{kind}">.*?</td><td>(.*?)</td></tr>', page)]


def test_a_change_of_a_file_is_shown_line_by_line(reader: Reader, client: Client) -> None:
    execute(client, "file_write", {"path": "/plan.md", "text": "One\nTwo\n<b>Three</b>\n"})
    page = reader.get(ask_for(client, "file_write", {"path": "/plan.md", "text": "One\n2\n<b>Three</b>\n"})).text
    assert "<h1>Overwrite /plan.md with 19 bytes</h1>" in page
    assert (rows(page, "removed"), rows(page, "added")) == (["Two"], ["2"])
    assert "It deletes or overwrites data." in page
    assert "Started by</dt><dd>The API key" in page
    assert rows(page, "same") == ["One", "<b>Three</b>"]
    page = reader.get(ask_for(client, "file_edit", {"path": "/plan.md", "old": "Two", "new": "Zwei"})).text
    assert (rows(page, "removed"), rows(page, "added")) == (["Two"], ["Zwei"])
    page = reader.get(ask_for(client, "file_write", {"path": "/new.md", "text": "Hello"})).text
    assert ("Create /new.md with 5 bytes" in page, rows(page, "added")) == (True, ["Hello"])
    page = reader.get(ask_for(client, "file_delete", {"path": "/plan.md"})).text
    assert ("Permanently delete /plan.md" in page, len(rows(page, "removed"))) == (True, 3)
    page = reader.get("/approvals").text
    assert "Overwrite /plan.md with 19 bytes" in page


def test_a_change_of_a_record_is_shown_field_by_field(reader: Reader, client: Client) -> None:
    execute(client, "task_create", {"title": "Renew passport", "due": "2099-01-01"})
    page = reader.get(ask_for(client, "task_update", {"task": "Renew passport", "status": "done"})).text
    assert "<h1>Change the task Renew passport</h1>" in page
    assert re.search(r'Status</th><td class="removed">todo</td><td class="added">done</td>', page)
    page = reader.get(ask_for(client, "task_delete", {"task": "renew-passport"})).text
    assert "<h1>Permanently delete the task Renew passport</h1>" in page
    assert re.search(r'Due</th><td class="removed">2099-01-01</td><td class="added"></td>', page)
    page = reader.get(ask_for(client, "task_delete", {"task": "no such task"})).text
    assert "<h1>Permanently delete a task</h1>" in page


def test_the_values_of_a_call_are_shown_in_words(reader: Reader, client: Client) -> None:
    mail = {"connection": "mail", "to": ["ann@example.com", "bo@example.com"], "subject": "News", "text": "One\n\nTwo"}
    page = reader.get(ask_for(client, "email_send_smtp", mail)).text
    assert '<dt title="to">To</dt><dd class="lines">ann@example.com, bo@example.com</dd>' in page
    assert "One\n\nTwo</dd>" in page


def test_a_value_that_is_none_of_the_choices_stays() -> None:
    schema = {
        "properties": {"mode": {"enum": ["fast", "slow"]}, "dry": {"type": "boolean"}},
        "required": ["mode", "dry"],
    }
    fields = fields_of_schema(schema, {"mode": "other"})
    source = '{% from "macros.html" import argument_field with context %}{{ argument_field(fields[0], "change.") }}'
    source += '{{ argument_field(fields[1], "change.") }}'
    page = environment().from_string(source).render(fields=fields)
    assert values_on(page) == {"change.mode": "other", "change.dry": ""}
