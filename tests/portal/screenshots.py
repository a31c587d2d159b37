"""Takes the pictures of the portal in docs/screenshots, of a server with a few agents: `make screenshots`."""

import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page
from pysqlite3 import dbapi2 as sqlite

from tests.auth.signing_in import PASSWORD
from tests.portal.chromium import DESKTOP, PHONE, Theme, Visitor, running_chromium
from tests.portal.reader import Reader
from tests.portal.spoken import Ledger, Said, silent_wave
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer, running_model_server
from tests.support.server import Server
from tests.support.waiting import eventually

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
_LARGEST = 200_000
_DAYS = 30
Act = Callable[[Page], None]

SHARE = """\
Of 4,250 orders, 17 are late: that is **0.4 %**.

- 4,233 orders left on time
- 11 of the late ones wait for a label
- 6 were picked up a day later

Shall I write to the six customers?"""
PARTS = [
    "Three carriers were late, and all three on **days of rain**: North 9 orders, Coast 5, City 3.",
    "Of 4,250 orders 17 were late, that is **0.4 %**. In October it was 0.6 %.",
    "Late orders cost **€ 318** in refunds this month, a third less than in October.",
    "The figures fit the ledger. One order is counted twice: *4203*.",
    "Late orders fell by a third. Rain explains most of them; a second pickup on the coast would have saved five.",
    "Late orders fell by a third, to **0.4 %**, and cost € 318. Rain explains most of them; a second pickup on the "
    "coast would have saved five. Order *4203* was counted twice and is taken out.",
]
USE_SHARE = Answer(tool="percent_solve_share", arguments={"part": 17, "whole": 4250})
LATE = [{"order": 4182, "days": 2}, {"order": 4190, "days": 1}, {"order": 4203, "days": 4}]
USE_SORT = Answer(tool="table_sort_rows", arguments={"rows": LATE, "by": ["-days"]})
CREW = {"Review lead": "leader", "Order desk": "specialist", "Bookkeeper": "specialist", "Proof reader": "reviewer"}
CALL: list[Said] = [
    ("agent", "Hello, this is Bell, calling about order 4203.", {}),
    ("caller", "Yes, where is it? It was to be here on Monday.", {"transcription_ms": 312}),
    (
        "agent",
        "It left the depot this morning and is with you before noon tomorrow. I am sorry for the delay.",
        {"first_text_ms": 341, "first_audio_ms": 427},
    ),
    ("caller", "Good. Can the driver leave it with the neighbour?", {"transcription_ms": 287}),
    ("agent", "Of course. I have added that to the order. Goodbye.", {"first_text_ms": 298, "first_audio_ms": 371}),
]
ROOM = [
    "Ada: Bell, how many orders are late today?",
    "Bell: Seventeen of 4,250 orders are late, that is 0.4 percent.",
    "Grace: And how many of those wait for a label?",
    "Ada: Bell, can you tell us that?",
    "Bell: Eleven of them wait for a label. The other six were picked up a day later.",
    "Grace: Then I write to the six this afternoon.",
]
SKILLS = ["percent_solve_share", "table_sort_rows"]


def main() -> None:
    """Start a server, fill it, and write the pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running_model_server(ModelServer) as model:
        server = Server(Path(folder), {"RETINUE_MODEL_URL": model.url, "RETINUE_MODEL_NAME": "stand-in"}).start()
        reader, client = Reader(server).sign_in_by_link("owner@localhost", PASSWORD), Client(server, server.first_key)
        run, board = ask_about_orders(client, model), deploy_a_fleet(client, model)
        spoken = open_a_room(client)
        server.stop()
        add_history(server)
        add_talk(server, *spoken)
        server.start()
        with running_chromium() as browser:
            Camera(browser, server, reader.token, model).take_all(run, board, spoken[0])
        server.stop()


def ask_about_orders(client: Client, model: ModelServer) -> str:
    """A run of an agent that uses two tools; returns the path of its page."""
    for name in ("Netwatch", "Translator"):
        data(client.post("/agents", {"agent_name": name, "agent_role": "generalist"}), 201)
    agent = {"agent_name": "Dispatcher", "agent_role": "specialist", "skills": SKILLS}
    agent_id = data(client.post("/agents", agent), 201)["id"]
    model.answers.extend([USE_SHARE, USE_SORT, Answer(text=SHARE)])
    question = {"message": "Which orders are late, and how many are that of all?"}
    run = data(client.post(f"/agents/{agent_id}/execute", question))["run_id"]
    for text in ("What does RFC 9110 say about 404?", "Translate: late order", "How many hosts has 172.16.8.0/21?"):
        data(client.post("/chat", {"message": text}))
    return f"/runs/{run}"


def deploy_a_fleet(client: Client, model: ModelServer) -> str:
    """A fleet that has done its work; returns the path of the deployment's page."""
    fleet = data(client.post("/fleets", {"name": "Quarterly review", "max_agents": 5}), 201)["id"]
    for name, role in CREW.items():
        agent = {"agent_name": name, "agent_role": role, "fleet_id": fleet, "skills": SKILLS}
        data(client.post("/agents", agent), 201)
    model.answers.extend(Answer(text=text) for text in PARTS)
    order = {"task": "Say how late orders developed this month, and what they cost", "strategy": "parallel"}
    board = f"/fleets/{fleet}/deployments/{data(client.post(f'/fleets/{fleet}/deploy', order))['deployment_id']}"
    eventually(lambda: data(client.get(board))["status"] == "completed")
    return board


def open_a_room(client: Client) -> tuple[int, int, str]:
    """A room with an agent; returns its id, the agent's, and that of a file to be a call's recording."""
    agent = {"agent_name": "Bell", "agent_role": "generalist", "skills": SKILLS}
    agent_id = data(client.post("/agents", agent), 201)["id"]
    room = data(client.post("/voice/rooms", {"name": "Late orders", "agent_id": agent_id}), 201)["id"]
    files = {"file": ("call-3.wav", silent_wave(94), "audio/wav")}
    return room, agent_id, data(client.post("/files", files=files), 201)["id"]


def add_talk(server: Server, room: int, agent: int, recording: str) -> None:
    """Calls of the last days, and what was said in the room."""
    ledger = Ledger(server, _account(server))
    busy: dict[str, Any] = {"answered_at": None, "duration_seconds": 0, "status": "busy", "error": "486 Busy Here"}
    ledger.add_call(ago=timedelta(days=2), to_address="+441632960177", voice_engine="kokoro")
    ledger.add_call(ago=timedelta(hours=9), agent_id=agent, **busy)
    inbound: dict[str, Any] = {
        "direction": "inbound",
        "from_address": "sip:front-desk@example.com",
        "to_address": "agent-7",
    }
    ledger.add_call(CALL[:3], timedelta(hours=3), agent_id=agent, **inbound)
    ledger.add_call(CALL, agent_id=agent, record=1, recording_file_id=recording)
    ledger.add_lines(room, ROOM, [("Ada", "browser"), ("Grace", "browser"), ("+441632960123", "phone")])


def _account(server: Server) -> int:
    with sqlite.connect(server.home / "retinue.db") as connection:
        ((account,),) = connection.execute("SELECT id FROM accounts WHERE sandbox = 0 LIMIT 1").fetchall()
    connection.close()
    return int(account)


def add_history(server: Server) -> None:
    """Use of the last month, as it would have been written day by day."""
    numbers, today, account = random.Random(7), datetime.now(UTC).date(), _account(server)
    with sqlite.connect(server.home / "retinue.db") as connection:
        for ago in range(1, _DAYS):
            day = today - timedelta(days=ago)
            weight = (0.45 if day.weekday() > 4 else 1) * (1.2 - ago / 60)
            for resource, usual in (("chat", 320), ("agents", 190), ("tools", 260)):
                count = round(usual * weight * numbers.uniform(0.7, 1.3))
                connection.execute(
                    "INSERT INTO usage_days (account_id, day, resource, count, errors, tokens, credits, milliseconds) "
                    "VALUES (?, ?, ?, ?, ?, ?, 0, ?)",
                    (account, day.isoformat(), resource, count, count // 170, count * 410, count * 900),
                )
    connection.close()


@dataclass(frozen=True)
class Camera:
    """Takes pictures as one user sees the server."""

    browser: Browser
    server: Server
    token: str
    model: ModelServer

    def take_all(self, run: str, board: str, room: int) -> None:
        """Every picture."""
        self.take("sign-in", "/sign-in", token="")
        self.take("overview", "/overview")
        self.take("overview-dark", "/overview", theme="dark")
        self.take("playground", "/playground", self._chat)
        self.take("agent", "/agents/new", _describe_an_agent)
        self.take("run", run, lambda page: page.get_by_text("Arguments and result").last.click())
        self.take("fleet-dark", board, theme="dark")
        self.take("tool", "/tools/percent_solve_share", _try_it)
        self.take("calls", "/calls")
        self.take("call", "/calls/4")
        self.take("room-dark", f"/voice-rooms/{room}", theme="dark")
        self.take("palette-dark", "/agents", _search, theme="dark")
        self.take("phone", "/overview", size=PHONE)
        self.take("phone-playground-dark", "/playground", self._chat, "dark", PHONE)

    def take(
        self,
        name: str,
        path: str,
        act: Act | None = None,
        theme: Theme = "light",
        size: tuple[int, int] = DESKTOP,
        token: str | None = None,
    ) -> None:
        """A picture of a page after what is done in it."""
        visitor = Visitor.arrive(self.browser, self.server, self.token if token is None else token, theme, size)
        page = visitor.open(path)
        if act:
            act(page)
        page.wait_for_timeout(800)
        picture = page.screenshot(path=FOLDER / f"{name}.png")
        assert len(picture) <= _LARGEST, (name, len(picture))
        visitor.leave()

    def _chat(self, page: Page) -> None:
        self.model.answers.extend([USE_SHARE, Answer(text=SHARE)])
        page.get_by_label("Message", exact=True).fill("17 of 4,250 orders are late. How many per cent is that?")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Steps").wait_for()


def _describe_an_agent(page: Page) -> None:
    page.get_by_role("textbox", name="Name").fill("Order desk")
    page.get_by_role("textbox", name="Task").fill("Look for late orders every morning")
    page.get_by_role("searchbox", name="Search tools by their").fill("sort a table")
    page.locator("[data-pick=table_sort_rows]").click()


def _try_it(page: Page) -> None:
    page.get_by_role("button", name="Run the tool").click()
    page.get_by_role("heading", name="Result").wait_for()


def _search(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("order")
    page.locator("#palette .goals a", has_text="Order desk").wait_for()


if __name__ == "__main__":
    main()
