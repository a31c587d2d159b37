"""The pages of schedules: by a cron expression or a date, for an agent or a fleet, and what came of each due time."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

from retinue.portal.schedules.cron_words import cron_words
from tests.conftest import ONE_DATABASE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, redirect
from tests.portal.test_xss import HARMFUL, MESSAGE
from tests.support.client import Client, data
from tests.support.model_server import ModelServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database

FORM = {"name": "Report", "when": "cron", "cron": "0 9 * * MON", "timezone": "Europe/Berlin", "jitter_s": "0"}
CHOICES = {"target": "agent", "message": "Write the report.", "overlap": "skip", "missed": "once"}


@pytest.fixture
def agent(client: Client) -> int:
    """An agent's id."""
    made: int = data(client.post("/agents", {"agent_name": "Ada", "agent_role": "generalist"}), 201)["id"]
    return made


def create(reader: Reader, **fields: str) -> str:
    """Create a schedule with the form; returns its path."""
    return redirect(reader.post("/schedules", {**FORM, **CHOICES, **fields}))


def test_a_schedule_is_made_changed_paused_and_deleted(reader: Reader, client: Client, agent: int) -> None:
    assert "Start work automatically" in reader.get("/schedules").text
    path = create(reader, agent_id=str(agent))
    for page in (reader.get("/schedules").text, reader.get(path).text):
        assert "Report" in page
        assert "0 9 * * MON" in page
        assert f'href="/agents/{agent}"' in page
    edit = reader.get(f"{path}/edit").text
    assert 'value="0 9 * * MON"' in edit
    assert 'value="Europe/Berlin"' in edit
    changed = {**FORM, **CHOICES, "agent_id": str(agent), "cron": "0 10 * * *", "overlap": "queue", "jitter_s": "5"}
    assert redirect(reader.post(f"{path}/edit", changed)) == path
    found = data(client.get(path))
    assert (found["cron"], found["overlap"], found["jitter_s"]) == ("0 10 * * *", "queue", 5)
    reader.post(f"{path}/pause")
    assert "It is paused" in reader.get(path).text
    assert data(client.get(path))["next_at"] is None
    reader.post(f"{path}/resume")
    assert data(client.get(path))["next_at"]
    assert redirect(reader.post(f"{path}/delete")) == "/schedules"
    assert reader.get(path).status_code == 404


def test_a_single_date_is_in_the_zone_that_was_chosen(reader: Reader, client: Client, agent: int) -> None:
    day = (datetime.now(UTC) + timedelta(days=400)).strftime("%Y-01-15T08:30")
    path = create(reader, agent_id=str(agent), when="at", at=day)
    assert data(client.get(path))["at"].startswith(day.replace("08:30", "07:30"))  # an hour east of Greenwich
    assert f'value="{day}"' in reader.get(f"{path}/edit").text
    answer = reader.post(f"{path}/edit", {**FORM, **CHOICES, "agent_id": str(agent), "when": "at", "at": "2020-01-01"})
    assert answer.status_code == 400
    assert 'id="problem-at"' in answer.text


def test_a_fleet_is_deployed_with_its_task(reader: Reader, client: Client) -> None:
    fleet = data(client.post("/fleets", {"name": "Crew"}), 201)["id"]
    path = create(reader, target="fleet", fleet_id=str(fleet), task="Look around")
    found = data(client.get(path))
    assert (found["fleet_id"], found["task"], found["agent_id"], found["message"]) == (fleet, "Look around", None, None)
    assert f'href="/fleets/{fleet}"' in reader.get(path).text


MAIL = {"name": "work", "kind": "mail", "secret": {"password": "app-password"}}
ACCOUNT = {"user": "ann@example.com", "smtp": {"host": "mail.example.com"}}


def test_a_form_says_that_no_mail_can_be_sent(reader: Reader, client: Client, agent: int) -> None:
    asked = {"target": "agent", "message": "Mail me a summary every Monday."}
    link = 'href="/connections/new?kind=mail"'
    assert link in reader.get("/schedules/mail", params=asked).text
    assert link not in reader.get("/schedules/mail", params={**asked, "message": "Summarize my notes."}).text
    assert link in reader.get("/schedules/mail", params={"target": "fleet", "task": "Schick mir eine E-Mail"}).text
    path = create(reader, agent_id=str(agent), message=asked["message"])
    assert link in reader.get(path).text
    assert link in reader.get(f"{path}/edit").text
    data(client.post("/connections", {**MAIL, "settings": ACCOUNT}), 201)
    assert link not in reader.get(path).text + reader.get("/schedules/mail", params=asked).text


def test_the_last_result_is_shown_and_tells_that_no_mail_was_sent(
    reader: Reader, client: Client, agent: int, model: ModelServer
) -> None:
    path = create(reader, agent_id=str(agent), message="Mail me a summary.")
    assert "Last result" not in reader.get(path).text
    reader.post(f"{path}/run")
    (entry,) = eventually(lambda: [one for one in data(client.get(f"{path}/runs")) if one["outcome"] == "completed"])
    page = reader.get(path).text
    reply = data(client.get(f"/runs/{entry['run_id']}"))["reply"]
    assert f'<div class="prose" data-markdown>{reply}</div>' in page
    assert f'<a href="/runs/{entry["run_id"]}">' in page.partition("History")[0]
    assert "No e-mail was sent: the task asks for one" in page
    assert ">Completed with errors</span>" in page
    assert "kind mail" in entry["reason"]
    german = reader.get(path, headers={"Accept-Language": "de"}).text
    assert "Es wurde keine E-Mail gesendet" in german


def test_errors_are_shown_beside_their_field(reader: Reader, agent: int) -> None:
    wrong = {"cron": "at noon", "timezone": "Mars/Base", "message": "", "jitter_s": "soon", "name": ""}
    answer = reader.post("/schedules", {**FORM, **CHOICES, "agent_id": str(agent), **wrong})
    assert answer.status_code == 400
    for name in wrong:
        assert f'id="problem-{name}"' in answer.text, name
    assert 'value="at noon"' in answer.text
    never = reader.post("/schedules", {**FORM, **CHOICES, "agent_id": str(agent), "cron": "0 0 30 2 *"})
    assert never.status_code == 400
    assert 'id="problem-cron"' in never.text
    assert reader.post("/schedules", {**FORM, **CHOICES}).status_code == 400


def test_schedules_of_others_are_not_there(reader: Reader, stranger: Client) -> None:
    other = data(stranger.post("/agents", {"agent_name": "Theirs", "agent_role": "generalist"}), 201)["id"]
    new = {"name": "Secret plan", "cron": "0 9 * * *", "agent_id": other, "message": "Go"}
    path = f"/schedules/{data(stranger.post('/schedules', new), 201)['id']}"
    assert "Secret plan" not in reader.get("/schedules").text
    assert reader.get(path).status_code == reader.get(f"{path}/edit").status_code == 404
    for verb in ("edit", "pause", "resume", "run", "delete"):
        assert reader.post(f"{path}/{verb}", {**FORM, **CHOICES, "agent_id": str(other)}).status_code == 404, verb
    answer = reader.post("/schedules", {**FORM, **CHOICES, "agent_id": str(other)})
    assert answer.status_code in (400, 404)
    data(stranger.get(path))


REPETITIONS = [
    ({"repeat": "minutes", "every": "15"}, "*/15 * * * *", "Every 15 minutes"),
    ({"repeat": "hourly", "past": "5"}, "5 * * * *", "Every hour, 5 minutes past"),
    ({"repeat": "daily", "time": "08:30"}, "30 8 * * *", "Every day at 08:30"),
    ({"repeat": "weekdays", "time": "09:00"}, "0 9 * * MON-FRI", "Weekdays at 09:00"),
    ({"repeat": "weekly", "time": "16:00", "days": ["FRI", "MON"]}, "0 16 * * MON,FRI", "Mondays and Fridays at 16:00"),
    ({"repeat": "monthly", "time": "07:00", "day": "31"}, "0 7 31 * *", "On day 31 of each month at 07:00"),
    ({"repeat": "cron", "cron": "0 9 * * MON#1"}, "0 9 * * MON#1", "0 9 * * MON#1"),
]


@pytest.mark.parametrize(("chosen", "cron", "words"), REPETITIONS)
def test_a_repetition_is_chosen_without_cron(
    reader: Reader, client: Client, agent: int, chosen: dict[str, Any], cron: str, words: str
) -> None:
    preview = reader.get("/schedules/preview", params={**chosen, "timezone": "Europe/Berlin"}).text
    assert f"<b>{words}</b>, Berlin time" in preview
    assert preview.count("<time ") == 6
    path = redirect(reader.post("/schedules", {**FORM, **CHOICES, "agent_id": str(agent), "cron": "", **chosen}))
    assert data(client.get(path))["cron"] == cron
    edit = reader.get(f"{path}/edit").text
    assert f'<option value="{chosen["repeat"]}" selected>' in edit
    assert re.findall(r'name="days" value="(\w+)" checked', edit) == ["MON", *(["FRI"] if "days" in chosen else [])]


@pytest.mark.parametrize(
    ("cron", "repeat"),
    [
        ("@daily", "daily"),
        ("0 9 * * 1-5", "weekdays"),
        ("* * * * *", "minutes"),
        ("0 8 * * 0,SAT", "weekly"),
        ("*/7 * * * *", "cron"),
        ("0 8,17 * * *", "cron"),
        ("0 9 1 1 *", "cron"),
        ("0 9 1 * MON", "cron"),
    ],
)
def test_a_schedule_opens_in_the_simplest_choice(
    reader: Reader, client: Client, agent: int, cron: str, repeat: str
) -> None:
    schedule = {"name": "Report", "cron": cron, "agent_id": agent, "message": "Go"}
    edit = reader.get(f"/schedules/{data(client.post('/schedules', schedule), 201)['id']}/edit").text
    assert re.findall(r'<select name="repeat">.*?value="(\w+)" selected', edit) == [repeat]


@pytest.mark.parametrize(
    ("chosen", "field"),
    [
        ({"repeat": "minutes", "every": "45"}, "every"),
        ({"repeat": "hourly", "past": "60"}, "past"),
        ({"repeat": "daily", "time": "24:00"}, "time"),
        ({"repeat": "weekly", "time": "09:00"}, "days"),
        ({"repeat": "monthly", "time": "09:00", "day": "0"}, "day"),
    ],
)
def test_an_unusable_repetition_is_refused(reader: Reader, agent: int, chosen: dict[str, str], field: str) -> None:
    answer = reader.post("/schedules", {**FORM, **CHOICES, "agent_id": str(agent), **chosen})
    assert answer.status_code == 400
    assert f'id="problem-{field}"' in answer.text
    assert reader.get("/schedules/preview", params={**chosen, "timezone": "UTC"}).text.strip() == ""


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_in_a_browser(reader: Reader, client: Client, agent: int, arrive: Arrive, model: ModelServer) -> None:
    visitor = arrive(reader)
    page = visitor.open("/schedules")
    page.on("dialog", lambda dialog: visitor.problems.append(f"a dialog: {dialog.message}"))
    page.get_by_role("link", name="New schedule").first.click()
    page.get_by_role("textbox", name="Name").fill(MESSAGE[:100])
    page.get_by_label("How often").select_option("On certain days of the week")
    expect(page.get_by_label("Cron expression")).to_be_hidden()
    page.get_by_role("checkbox", name="Monday").press("Space")
    page.get_by_role("checkbox", name="Friday").press("Space")
    page.get_by_label("Time of day").fill("16:00")
    expect(page.locator(".preview")).to_contain_text("Fridays at 16:00, ")
    expect(page.locator(".preview li")).to_have_count(3)
    expect(page.locator(".preview li").first).to_contain_text("Fri")
    page.get_by_label("Message").fill("Say hello")
    visitor.check_accessibility()
    visitor.check_width()
    page.get_by_role("button", name="Create schedule").click()
    expect(page.get_by_text("It has not run yet")).to_be_visible()
    expect(page.get_by_text(re.compile(r"In your time zone, \S+\."))).to_be_visible()
    expect(page.locator(".upcoming li").first).to_contain_text("Fri")
    page.get_by_role("button", name="Run now").click()
    expect(page.locator("table").get_by_text("Completed")).to_be_visible()
    assert page.evaluate(HARMFUL) == 0
    visitor.check_accessibility()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text("<script>alert(1)</script>")
    page.get_by_role("dialog").get_by_role("button", name="Delete schedule").click()
    expect(page.get_by_text("Start work automatically")).to_be_visible()


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("0 9 * * MON-FRI", "Weekdays at 09:00"),
        ("30 8 * * 1-5", "Weekdays at 08:30"),
        ("@daily", "Every day at 00:00"),
        ("0 8,17 * * *", "Every day at 08:00 and 17:00"),
        ("*/15 * * * *", "Every 15 minutes"),
        ("5 * * * *", "Every hour, 5 minutes past"),
        ("0 */2 * * SAT,SUN", "Saturdays and Sundays every 2 hours"),
        ("0 16 * * FRI", "Fridays at 16:00"),
        ("0 7 1 * ?", "On day 1 of each month at 07:00"),
        ("* * * * *", "Every minute"),
        ("0 9 1 1 *", "Every 1 January at 09:00"),
        ("0 9 24 DEC *", "Every 24 December at 09:00"),
        ("0 9 29 2 *", "Every 29 February at 09:00"),
        ("0 9 31 2 *", "0 9 31 2 *"),
        ("*/10 * * * SUN", "Sundays every 10 minutes"),
        ("0 6,12,18 * * *", "Every day at 06:00, 12:00 and 18:00"),
        ("0 9 1 1,7 *", "0 9 1 1,7 *"),
        ("0 9 * * MON#1", "0 9 * * MON#1"),
        ("0-10 9 * * *", "0-10 9 * * *"),
        ("0 9 LW * *", "0 9 LW * *"),
    ],
)
def test_common_times_are_said_in_words(expression: str, words: str) -> None:
    assert cron_words(expression) == words
