"""The page of a run: what each step shows, messages to a run, forks, and the pages of long steps."""

import json
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from retinue.portal.runs.timeline import ENDS, timeline
from retinue.portal.templating import pretty, render
from retinue.runs.schemas import StepView
from tests.conftest import ONE_DATABASE
from tests.portal.chromium import PHONE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, redirect, title
from tests.portal.test_agents import new_agent
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database

SORT = "table_sort_rows"
ROWS = [{"order": number, "town": f"Town {number} of many"} for number in range(200)]


@pytest.fixture
def run(client: Client) -> str:
    """The path of a run whose tool has long arguments and a long result."""
    about = {"agent_name": "Sorter", "agent_role": "generalist", "skills": [SORT]}
    agent = data(client.post("/agents", about), 201)["id"]
    message = f"[[tool:{SORT} {json.dumps({'rows': ROWS, 'by': ['-order']})}]]"
    return f"/runs/{data(client.post(f'/agents/{agent}/execute', {'message': message}))['run_id']}"


def test_long_steps_are_shortened(reader: Reader, client: Client, run: str) -> None:
    steps = data(client.get(run))["steps"]
    assert [step["tool"] for step in steps] == [None, SORT, None]
    page = reader.get(run).text
    timeline = page.partition('class="timeline"')[2].rpartition('<li class="model')[0]  # the last step is shown whole
    path = f"{run}/steps/{steps[1]['seq']}"
    assert f'href="{path}"' in timeline
    assert timeline.count("/steps/") == 1, "short steps must be shown whole"
    assert "Town 198 of many" in timeline
    assert "Town 50 of many" not in timeline
    whole = reader.get(path)
    assert title(whole) == f"Step {steps[1]['seq']} of run {run.rpartition('/')[2]}"
    assert "Town 50 of many" in whole.text
    assert reader.get(f"{run}/steps/{steps[0]['seq']}").status_code == 200


@pytest.mark.parametrize("seq", ["0", "999", "x", "99999999999999999999"])
def test_an_unknown_step_is_not_found(reader: Reader, run: str, seq: str) -> None:
    assert reader.get(f"{run}/steps/{seq}").status_code == 404


BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def step(kind: str, start: int, end: int | None, **fields: Any) -> StepView:
    """A step between two seconds of a run."""
    ended_at = None if end is None else BEGAN + timedelta(seconds=end)
    times = {"started_at": BEGAN + timedelta(seconds=start), "ended_at": ended_at, "duration_ms": 1000}
    unknown = dict.fromkeys(("tool", "model", "usage", "cost_usd", "finish_reason", "reasoning"))
    plain = {
        "seq": 1,
        "status": "done",
        "content": "",
        "arguments": {},
        "tokens": 5,
        "attempts": [],
        "next_attempt_at": None,
    }
    return StepView.model_validate({"type": kind, **unknown, **plain, **times, **fields})


def test_calls_that_ran_at_the_same_time_are_shown_together() -> None:
    steps = [
        step("model", 0, 1),
        step("tool", 1, 4),
        step("tool", 1, 2),
        step("tool", 3, None),
        step("model", 5, 6),
        step("tool", 6, 7),
        step("tool", 7, 8),
        step("model", 8, 9),
    ]
    ended = BEGAN + timedelta(seconds=10)
    run: Any = SimpleNamespace(created_at=BEGAN, started_at=BEGAN, ended_at=ended)
    moments = timeline(run, steps)
    assert [moment.parallel for moment in moments] == [0, 3, 0, 0, 0, 0, 0, 0]
    assert [moment.among for moment in moments] == [False, True, True, True, False, False, False, False]
    assert [moment.is_reply for moment in moments] == [False] * 7 + [True]
    assert [moment.is_last_call for moment in moments] == [False, False, False, True, False, False, True, True]
    assert (moments[2].start, moments[2].length) == (100, 100)


def test_a_step_shows_earlier_failures_and_why_it_ended(reader: Reader, client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(status=503))
    run = f"/runs/{data(client.post('/chat', {'message': 'Hello', 'tools': []}))['run_id']}"
    attempt = data(client.get(run))["steps"][0]["attempts"][0]
    page = reader.get(run).text
    assert f"<code>{attempt['model']}</code> failed: {attempt['reason']}" in page
    assert "answered." in page
    assert "Cut off" not in page
    assert "failed: " in reader.get(f"{run}/steps/1").text


def test_a_summary_and_an_ending_are_shown_as_such() -> None:
    priced = {"model": "mine/m1", "cost_usd": "0.0125"}
    steps = [
        step("compaction", 0, 1, seq=1, content="What happened so far", finish_reason="stop", **priced),
        step("model", 1, 2, seq=2, content="Half of a", finish_reason="length", **priced),
    ]
    run: Any = SimpleNamespace(
        id=7, status="completed", message="Go on", execution_time_ms=2000, tokens_used=10, error=None,
        cost_usd="0.025", usage={"input_tokens": 6, "output_tokens": 4}, finish_reason="length",
        tools_used=[], citations=[], created_at=BEGAN, started_at=BEGAN, ended_at=BEGAN,
    )  # fmt: skip
    values = {"run": run, "steps": steps, "moments": timeline(run, steps), "ends": ENDS, "approvals": []}
    shown = render("runs/_timeline.html", said="", agent=None, **values)
    assert "Summary of earlier steps" in shown
    assert "<summary>What the model keeps of them</summary>" in shown
    assert shown.count("Cut off at its limit of tokens") == 2  # the run and its last step
    assert shown.count("$0.0125") == 0
    assert shown.count("$0.012") == 2
    assert "6 in, 4 out" in shown


def test_a_message_reaches_a_running_run(reader: Reader, client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(text="A long answer", hold=True))
    path = redirect(reader.post(f"/agents/{new_agent(client)}/run", {"message": "Begin"}))
    eventually(lambda: data(client.get(path))["status"] == "running")
    assert f'action="{path}/messages"' in reader.get(path).text
    empty = reader.post(f"{path}/messages", {"message": " "})
    assert empty.status_code == 400
    assert 'id="problem-message"' in empty.text
    assert redirect(reader.post(f"{path}/messages", {"message": "Be brief"})) == path
    script = {"headers": {"Accept": "application/json"}}
    assert reader.post(f"{path}/messages", {"message": "In German"}, **script).status_code == 204
    model.release()
    eventually(lambda: data(client.get(path))["status"] == "completed")
    page = reader.get(path).text
    assert "Message to the run" in page
    assert "Be brief" in page
    assert "In German" in page
    assert f'action="{path}/messages"' not in page
    late = reader.post(f"{path}/messages", {"message": "Too late"})
    assert late.status_code == 400
    assert "has ended" in late.text


def test_a_run_is_forked_from_a_step(reader: Reader, client: Client, run: str) -> None:
    steps = data(client.get(run))["steps"]
    page = reader.get(run).text
    assert page.count(f'action="{run}/fork"') == 2, "the calls of an answer are shared together with it"
    refused = reader.post(f"{run}/fork", {"step": str(steps[-1]["seq"]), "message": ""})
    assert refused.status_code == 400
    assert "Send a message to go on from it" in refused.text
    assert reader.post(f"{run}/fork", {"step": "x"}).status_code == 400
    assert reader.post(f"{run}/fork", {"step": "99"}).status_code == 400
    forked = redirect(reader.post(f"{run}/fork", {"step": str(steps[1]["seq"]), "message": "And now?"}))
    assert forked != run
    eventually(lambda: data(client.get(forked))["status"] == "completed")
    assert "And now?" in reader.get(forked).text


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_a_step_fits_a_phone(reader: Reader, arrive: Arrive, run: str) -> None:
    visitor = arrive(reader, "dark", PHONE)
    page = visitor.open(run)
    page.get_by_text("Arguments and result").click()
    page.get_by_role("link", name="Show the whole step").click()
    page.get_by_role("heading", name="Result").wait_for()
    visitor.check_width()
    visitor.check_accessibility()


def test_text_that_is_nested_too_deep_to_format_is_shown_as_it_is() -> None:
    deep = "[" * 20_000 + "]" * 20_000
    assert pretty(deep) == deep
    assert pretty('{"a":[1]}') == '{\n  "a": [\n    1\n  ]\n}'


def test_runs_are_listed_by_status_and_words(reader: Reader, client: Client, stranger: Client) -> None:
    for message in ("Pears of 50%", "Plums"):
        data(client.post("/chat", {"message": message, "tools": []}))
    data(stranger.post("/chat", {"message": "Pears of others", "tools": []}))
    page = reader.get("/runs").text
    assert ("Pears of 50%" in page, "Plums" in page, "others" in page) == (True, True, False)
    found = reader.get("/runs", params={"q": "pEARS of 50%", "status": "completed"}).text
    assert ("Pears of 50%" in found, "Plums" in found) == (True, False)
    assert "No run matches" in reader.get("/runs", params={"status": "failed"}).text
    assert "No run matches" in reader.get("/runs?before=1").text


def test_a_run_that_waits_for_its_model_says_why_and_when_it_is_called_again(
    client: Client, reader: Reader, model: ModelServer
) -> None:
    model.obsession = Answer(status=500, headers={"Retry-After": "0"})
    started = client.post(f"/agents/{new_agent(client)}/execute", {"message": "Hi", "background": True})
    run = f"/runs/{data(started, 202)['id']}"
    page = eventually(lambda: found if "Next try" in (found := reader.get(run).text) else None)
    assert "The model provider failed (HTTP 500)." in page.partition("Next try")[0].rpartition("notice warn")[2]
    data(client.post(f"{run}/cancel"))
    assert "Next try" not in reader.get(run).text
