"""The pages of voice rooms: opening, inviting, closing."""

import re
from typing import Any

import pytest
import requests

from tests.conftest import ONE_DATABASE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, redirect
from tests.portal.test_xss import HARMFUL
from tests.support.client import Client, data

pytestmark = pytest.mark.either_database

NASTY = "<img src=x onerror=alert(1)>"
BLOCKED = """() => {
    navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("", "NotAllowedError") }
}"""
"""What a browser does where its user has blocked the microphone. The tests' browser grants it to every page."""


def new_room(reader: Reader, **fields: str) -> str:
    """Open a room with the form; returns its path."""
    return redirect(reader.post("/voice-rooms", {"name": "Stand-up", "max_participants": "10", **fields}))


def test_a_room_is_opened_listed_and_closed(reader: Reader, client: Client) -> None:
    assert "Talk with an agent" in reader.get("/voice-rooms").text
    agent = data(client.post("/agents", {"agent_name": "Bell", "agent_role": "leader", "voice_engine": "kokoro"}), 201)
    path = new_room(reader, agent_id=str(agent["id"]), max_participants="4")
    page = reader.get(path).text
    for text in (
        "Stand-up",
        "No people are here yet.",
        "0 of 4",
        "Nothing was said yet",
        "agent, Kokoro",
        "RETINUE_SIP",
    ):
        assert text in page
    assert path in reader.get("/voice-rooms").text
    assert redirect(reader.post(f"{path}/close")) == path
    page = reader.get(path).text
    assert "The room is closed." in page
    assert "Join in the browser" not in page
    assert path not in reader.get("/voice-rooms").text
    assert path in reader.get("/voice-rooms?state=closed").text
    for verb in ("join", "invite"):
        answer = reader.post(f"{path}/{verb}", {"name": "Grace"})
        assert (answer.status_code, "The room is closed. Create a new one." in answer.text) == (400, True)


def test_errors_are_shown_beside_their_field(reader: Reader) -> None:
    answer = reader.post("/voice-rooms", {"name": "", "max_participants": "500", "agent_id": "999999"})
    assert answer.status_code == 400
    for field in ("name", "max_participants"):
        assert f'id="problem-{field}"' in answer.text
    answer = reader.post("/voice-rooms", {"name": "a", "agent_id": "999999"})
    assert (answer.status_code, 'id="problem-agent_id"' in answer.text) == (400, True)
    answer = reader.post(f"{new_room(reader)}/invite", {"name": ""})
    assert (answer.status_code, 'id="problem-name"' in answer.text) == (400, True)


def test_the_reader_is_led_into_the_room_and_a_guest_gets_a_link(reader: Reader) -> None:
    path = new_room(reader)
    number = path.rpartition("/")[2]
    assert re.fullmatch(rf"/rooms/{number}#room_\S+", redirect(reader.post(f"{path}/join")))
    invitation = reader.post(f"{path}/invite", {"name": "Grace"}).text
    link = re.search(r'id="join-link"[^>]*>([^<]+)<', invitation)
    assert link
    address, _, token = link[1].partition("#")
    state = requests.get(f"{address}/state", headers={"Authorization": f"Bearer {token}"}, timeout=120)
    assert (state.status_code, state.headers["Cache-Control"]) == (200, "no-store")
    shown = state.json()
    assert (shown["name"], shown["you"], shown["status"]) == ("Stand-up", "Grace", "active")
    assert (shown["participants"], shown["ice_servers"]) == ([], [])
    for headers in ({}, {"Authorization": f"Bearer {token[:-4]}AAAA"}):
        assert requests.get(f"{address}/state", headers=headers, timeout=120).status_code == 401
    other = f"{reader.server.url}/rooms/{new_room(reader).rpartition('/')[2]}/state"
    assert requests.get(other, headers={"Authorization": f"Bearer {token}"}, timeout=120).status_code == 404


def test_rooms_of_others_are_not_there(reader: Reader, stranger: Client) -> None:
    room = data(stranger.post("/voice/rooms", {"name": "of a stranger"}), 201)["id"]
    assert "of a stranger" not in reader.get("/voice-rooms").text
    for end in ("", "/live", "/transcript"):
        assert reader.get(f"/voice-rooms/{room}{end}").status_code == 404
    for verb in ("join", "invite", "close"):
        assert reader.post(f"/voice-rooms/{room}/{verb}", {"name": "a"}).status_code == 404
    assert data(stranger.get(f"/voice/rooms/{room}"))["status"] == "active"
    data(stranger.delete(f"/voice/rooms/{room}"))
    assert "of a stranger" not in reader.get("/voice-rooms?state=closed").text


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_in_a_browser(reader: Reader, arrive: Arrive) -> None:
    visitor = arrive(reader)
    page = visitor.open("/voice-rooms/new")
    page.get_by_role("textbox", name="Name").fill(NASTY)
    page.get_by_role("button", name="Open the room").click()
    page.get_by_role("heading", name=NASTY).wait_for()
    page.get_by_label("Their name").fill(NASTY)
    visitor.check_accessibility()
    page.get_by_role("button", name="Create a link").click()
    page.get_by_role("heading", name=f"A link for {NASTY}").wait_for()
    assert page.evaluate(HARMFUL) == 0
    visitor.check_accessibility()
    path = page.get_by_role("link", name="Back to the room").get_attribute("href")
    assert path
    assert f'href="{path}"' in reader.get("/palette?q=onerror").text
    visitor.open(path)
    page.get_by_role("button", name="Close", exact=True).click()
    page.get_by_role("button", name="Close room").click()
    page.get_by_text("Nobody can join it any more.").wait_for()
    assert page.evaluate(HARMFUL) == 0


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_join_page_shows_the_problem(reader: Reader, arrive: Arrive, theme: str) -> None:
    path = new_room(reader, name=NASTY)
    address = redirect(reader.post(f"{path}/join"))
    visitor = arrive(reader, theme)
    page = visitor.open(address)
    page.evaluate(BLOCKED)
    page.get_by_role("heading", name=NASTY).wait_for()
    page.get_by_text("Nobody is here yet.").wait_for()
    page.get_by_role("button", name="Join").focus()
    page.keyboard.press("Enter")
    page.get_by_text("blocks the microphone on this page").wait_for()
    assert page.get_by_role("button", name="Join").evaluate("node => node === document.activeElement")
    visitor.check_accessibility()
    reader.post(f"{path}/close")
    page.reload()
    page.get_by_text("The room is closed.").wait_for()
    assert page.get_by_role("button").count() == 0
    visitor.check_accessibility()
    for bad, text in (("", "This link has no token"), ("#room_x", "This link is no longer valid")):
        page.goto("about:blank")
        visitor.open(address.partition("#")[0] + bad)
        page.get_by_text(text).wait_for()


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_the_page_that_joins_waits_for_the_installation(reader: Reader, arrive: Arrive) -> None:
    visitor = arrive(reader)
    page = visitor.page
    state: dict[str, Any] = {"name": "Stand-up", "status": "active", "participants": [], "ice_servers": []}
    state |= dict.fromkeys(("voice", "voice_state"), "installing, 12 of 32 packages")
    page.route("**/state*", lambda route: route.fulfill(json=state))
    busy = {"error": {"code": "unavailable", "message": "Voice is not ready on this server."}}
    page.route("**/whip", lambda route: route.fulfill(status=503, json=busy))
    visitor.open(redirect(reader.post(f"{new_room(reader)}/join")))
    page.get_by_role("button", name="Join").click()
    page.get_by_text("installing, 12 of 32 packages").wait_for()
    progress = page.get_by_role("progressbar")
    assert progress.evaluate("node => [node.value, node.max]") == [12, 32]
    visitor.check_accessibility()
    page.get_by_role("button", name="Leave").click()
    page.get_by_text("You have left the room.").wait_for()
    assert page.get_by_role("button", name="Join").is_visible()
