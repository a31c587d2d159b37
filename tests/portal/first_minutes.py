"""Walks through the first minutes of somebody new in Chromium, and measures each job.

`python -m tests.portal.first_minutes` prints the seconds.
The walk knows only what is on the screen. The server is empty, and the included model answers; the provider is a
scripted one. The seconds are those of a program that neither reads nor thinks, so they compare versions, not people.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import requests
from playwright.sync_api import Page, expect

from tests.auth.signing_in import PASSWORD
from tests.portal.chromium import Visitor, running_chromium
from tests.support.model_server import Answer, ModelServer, running_model_server
from tests.support.server import Server
from tests.support.waiting import eventually

RULES = "# Boats\nGuests may row on Sundays. A day ticket costs 12 euros.\n\n# Dogs\nDogs are not allowed in the boats."
QUESTIONS = {
    "I bought boots 12 days ago. Can I return them?": "30 days",
    "What does delivery cost?": "4.90",
    "When are you open?": "Saturday",
}
"""Questions to the example agent, and what a right answer says."""

_FAILURE = "The quota of this key is used up"


@dataclass
class Walk:
    """One visitor's way through the portal, with the seconds of each job."""

    visitor: Visitor
    model: ModelServer
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def page(self) -> Page:
        """The visitor's page."""
        return self.visitor.page

    @contextmanager
    def measure(self, job: str) -> Iterator[Page]:
        """Note how long a job takes."""
        began = time.perf_counter()
        yield self.page
        self.seconds[job] = time.perf_counter() - began

    def walk(self, link: str) -> Mapping[str, float]:
        """Do all jobs, from the sign-in link on, and return their seconds."""
        self.get_first_answer(link)
        self.make_agent()
        self.ask_documents()
        self.connect_provider()
        self.find_failed_run()
        self.invite_colleague()
        return self.seconds

    def get_first_answer(self, link: str) -> None:
        """Open the link, choose a password, and get a useful answer."""
        address = urlsplit(link)
        with self.measure("First useful answer") as page:
            self.visitor.open(f"{address.path}?{address.query}")
            page.get_by_label("New password").fill(PASSWORD)
            page.get_by_role("button", name="Set the password").click()
            page.get_by_role("link", name="Just chat").click()
            page.get_by_role("button", name="What is 17% of 4,250?").click()
            expect(page.get_by_text("17% of 4,250 is 722.5.", exact=True)).to_be_visible()

    def make_agent(self) -> None:
        """Make an agent with instructions, and ask it three questions."""
        with self.measure("Agent with instructions answers three questions") as page:
            self._start("Talk to an agent of my own")
            page.get_by_role("button", name="Create and try").click()
            for number, (question, wanted) in enumerate(QUESTIONS.items()):
                page.get_by_label("Message to the agent").fill(question)
                page.keyboard.press("Enter")
                answer = page.locator(".msg.agent").nth(number)
                expect(answer.get_by_role("link", name="Steps")).to_be_visible()
                expect(answer).to_contain_text(wanted)

    def ask_documents(self) -> None:
        """Add a document, and get an answer with its source."""
        with self.measure("Answer from a document, with its source") as page:
            self._start("Get answers from my documents")
            page.get_by_role("textbox", name="Text").fill(RULES)
            page.get_by_role("button", name="Use this text").click()
            page.get_by_role("link", name="Ask a question").click()
            page.get_by_label("Message", exact=True).fill("What does a day ticket cost?")
            page.keyboard.press("Enter")
            expect(page.locator(".msg.agent")).to_contain_text("12 euros")
            expect(page.get_by_role("list", name="Sources")).to_contain_text("Boats")

    def connect_provider(self) -> None:
        """Connect a provider, and test it."""
        self.model.models = ["large"]
        with self.measure("Provider connected and tested") as page:
            self._start("Ollama, Azure or another server")
            page.get_by_role("link", name="Other").click()
            page.get_by_role("textbox", name="Key It is stored").fill("key-of-a-provider")
            page.get_by_role("textbox", name="Name").fill("acme")
            page.get_by_role("textbox", name="Address").fill(self.model.url)
            page.get_by_role("button", name="Add provider").click()
            page.get_by_role("button", name="Test").click()
            expect(page.get_by_text("It works.")).to_be_visible()

    def find_failed_run(self) -> None:
        """Find the run that failed meanwhile, and read why."""
        self.model.obsession = Answer(status=400, text=_FAILURE)
        self.page.goto("/start")
        self.page.evaluate(_FAIL)
        with self.measure("Failed run found and explained") as page:
            page.goto("/overview")
            page.get_by_role("link", name="Runs", exact=True).click()
            page.get_by_label("Status").select_option("failed")
            page.get_by_role("row", name="Failed").get_by_role("link").first.click()
            expect(page.get_by_text(_FAILURE).first).to_be_visible()
        self.model.obsession = None

    def invite_colleague(self) -> None:
        """Create a user, and read the link to pass on."""
        with self.measure("Colleague invited") as page:
            page.goto("/overview")
            page.keyboard.press("/")
            page.keyboard.type("invite")
            page.get_by_role("option", name="New user").click()
            page.get_by_label("E-mail").fill("colleague@example.com")
            page.get_by_role("button", name="Create user").click()
            expect(page.locator("#new-link")).to_contain_text("/sign-in/link?token=")

    def _start(self, way: str) -> None:
        self.page.goto("/start")
        self.page.get_by_role("link", name=way).click()


_FAIL = """async () => {
    const body = JSON.stringify({ message: "Order the parts", model: "acme/large" })
    const headers = { "Content-Type": "application/json" }
    await (await fetch("/playground/chat", { method: "POST", headers, body })).text()
}"""
"""Sends a message to the scripted provider, which refuses it."""


def main() -> None:
    """Start a server with the included model, walk, and print the seconds."""
    weights = str(Path("~/.cache/retinue").expanduser())
    settings = {"RETINUE_LOCAL_MODEL": "0.5b", "RETINUE_WEIGHTS_DIR": weights}
    with tempfile.TemporaryDirectory() as folder, running_model_server(ModelServer) as model:
        server = Server(Path(folder), {**settings, "RETINUE_ALLOWED_NETWORKS": "127.0.0.0/8"}).start()
        wait_for_model(server)
        with running_chromium() as browser:
            visitor = Visitor.arrive(browser, server)
            print_seconds(Walk(visitor, model).walk(server.first_link.partition(" ")[0]))
            visitor.leave()
        server.stop()


def wait_for_model(server: Server) -> None:
    """Wait until the included model is ready."""
    readiness = f"{server.url}/readyz"
    eventually(lambda: requests.get(readiness, timeout=120).json()["model"]["state"] == "ready", within=600)


def print_seconds(seconds: Mapping[str, float], write: Callable[[str], None] = print) -> None:
    """Print the seconds of each job as the rows of a table."""
    for job, took in seconds.items():
        write(f"| {job} | {took:.1f} |")


if __name__ == "__main__":
    main()
