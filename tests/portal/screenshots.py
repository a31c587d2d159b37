"""Takes the pictures of the portal in docs/screenshots: `make screenshots`.

Every reply in them is one that the included model gave.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import requests
from playwright.sync_api import Browser, Page

from retinue.portal.agents.example import EXAMPLE
from tests.auth.signing_in import PASSWORD
from tests.portal.chromium import DESKTOP, PHONE, Theme, Visitor, running_chromium
from tests.portal.reader import Reader
from tests.support.client import Client, data
from tests.support.server import Server
from tests.support.waiting import eventually

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
_LARGEST = 200_000
_MODEL = {"RETINUE_LOCAL_MODEL": "0.5b", "RETINUE_WEIGHTS_DIR": "~/.cache/retinue"}
Act = Callable[[Page], None]

SUBNET = "How many usable hosts has 172.16.8.0/21?"
SHOPPING = ["I bought a rain jacket 12 days ago. Can I return it?", "What does delivery cost?"]
QUESTIONS = ["Which day of the week was 9 November 1989?", "What is 15% of 240?"]
INSTRUCTIONS = "You plan networks. Say how many hosts each subnet has, and ask for the mask if it is missing."
SKILLS = ["network_calculate_subnet"]


def main() -> None:
    """Start a server, fill it, and write the pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        weights = {"RETINUE_WEIGHTS_DIR": str(Path(_MODEL["RETINUE_WEIGHTS_DIR"]).expanduser())}
        server = Server(Path(folder), {**_MODEL, **weights}).start()
        readiness = f"{server.url}/readyz"
        eventually(lambda: requests.get(readiness, timeout=10).json()["model"]["state"] == "ready", within=600)
        reader, client = Reader(server).sign_in_by_link("owner@localhost", PASSWORD), Client(server, server.first_key)
        run = ask_questions(client)
        with running_chromium() as browser:
            Camera(browser, server, reader.token).take_all(run)
        server.stop()


def ask_questions(client: Client) -> str:
    """Chat, and have an agent use a tool; returns the path of its run's page."""
    for question in QUESTIONS:
        data(client.post("/chat", {"message": question}))
    data(client.post("/agents", {**EXAMPLE, "agent_role": "generalist"}), 201)
    agent = {"agent_name": "Netwatch", "agent_role": "specialist", "task": SUBNET, "skills": SKILLS}
    agent_id = data(client.post("/agents", agent), 201)["id"]
    return f"/runs/{data(client.post(f'/agents/{agent_id}/execute', {'message': SUBNET}))['run_id']}"


@dataclass(frozen=True)
class Camera:
    """Takes pictures as one user sees the server."""

    browser: Browser
    server: Server
    token: str

    def take_all(self, run: str) -> None:
        """Every picture."""
        self.take("sign-in", "/sign-in", token="")
        self.take("overview", "/overview")
        self.take("overview-dark", "/overview", theme="dark")
        self.take("playground", "/playground?agent=1", _chat)
        self.take("agent", "/agents/new", _describe_an_agent)
        self.take("run", run, lambda page: page.get_by_text("Arguments and result").last.click())
        self.take("tool", "/tools/percent_solve_share", _try_it)
        self.take("palette-dark", "/agents", _search, theme="dark")
        self.take("reference-dark", "/docs/api/agents", theme="dark", token="")
        self.take("reference-search", "/docs/api/agents", _search_reference, token="")
        self.take("phone", "/overview", size=PHONE)
        self.take("phone-playground-dark", "/playground?agent=1", _chat, "dark", PHONE)

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


def _chat(page: Page) -> None:
    for number, question in enumerate(SHOPPING):
        page.get_by_label("Message", exact=True).fill(question)
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Steps").nth(number).wait_for(timeout=120_000)


def _describe_an_agent(page: Page) -> None:
    page.get_by_role("textbox", name="Name").fill("Netwatch")
    page.get_by_role("textbox", name="Instructions").fill(INSTRUCTIONS)
    page.get_by_role("searchbox", name="Search tools by their").fill("subnet")
    page.locator("[data-pick=network_calculate_subnet]").click()


def _try_it(page: Page) -> None:
    page.get_by_role("button", name="Run the tool").click()
    page.get_by_role("heading", name="Result").wait_for()


def _search(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("netw")
    page.locator("#palette .goals a", has_text="Netwatch").wait_for()


def _search_reference(page: Page) -> None:
    page.get_by_role("button", name="Search").wait_for()
    page.keyboard.press("/")
    page.get_by_label("Search operations and guides").fill("webhook")
    page.get_by_role("link", name="List webhooks").wait_for()


if __name__ == "__main__":
    main()
