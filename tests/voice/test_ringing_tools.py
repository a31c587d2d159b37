"""A tool that takes its time during a call: the agent does not fall silent."""

from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from threading import Event

import pytest

from tests.support.client import Client, data
from tests.support.http_server import QuietHandler, running
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually
from tests.voice.telephone import Telephone, finish, reach, start_call, words

pytestmark = pytest.mark.timeout(180)

TOOL = "web_extract_links"


class SlowPage:
    """A page that comes once `free` is set."""

    def __init__(self) -> None:
        self.free = free = Event()

        class Handler(QuietHandler):
            def do_GET(self) -> None:
                assert free.wait(60)
                self.respond(b"<p>No links.</p>", {"Content-Type": "text/html"})

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"


@pytest.fixture
def page() -> Iterator[SlowPage]:
    made = SlowPage()
    with running(made.server):
        yield made
        made.free.set()


@pytest.mark.realtime
def test_the_agent_fills_the_time_of_a_tool(
    caller: Client, model: ModelServer, phone: Telephone, page: SlowPage
) -> None:
    body = {"agent_name": "Orchard", "agent_role": "generalist", "skills": [TOOL]}
    agent = data(caller.post("/agents", body), 201)["id"]
    model.answers += [Answer(tool=TOOL, arguments={"url": page.url}), Answer(text="Your page has no links at all.")]
    call_id = start_call(caller, phone.uri, greeting="", agent_id=agent)
    reach(caller, call_id, "in_progress")
    phone.tell("say", "How many links are on my page?")
    assert "moment" in words(phone.tell("hear", 1.0))
    assert {"still", "working"} <= words(phone.tell("hear", 1.0))
    page.free.set()
    # Whisper hears either. A slow machine may fill the time once more.
    eventually(lambda: {"link", "links"} & words(phone.tell("hear", 1.5)), within=100.0)
    phone.tell("hangup")
    *_, answer = finish(caller, call_id)["transcript"].split("\n")
    assert answer.startswith("agent: One moment, please. I am still working on it. ")
    assert answer.endswith("Your page has no links at all.")


@pytest.mark.realtime
def test_the_agent_says_goodbye_and_hangs_up(caller: Client, model: ModelServer, phone: Telephone) -> None:
    arguments = {"last_sentence": "Your order is cancelled. Goodbye!"}
    model.answers.append(Answer(tool="end_call", arguments=arguments))
    call_id = start_call(caller, phone.uri, greeting="")
    reach(caller, call_id, "in_progress")
    phone.tell("say", "Please cancel my order.")
    assert {"order", "cancelled"} & words(phone.tell("hear", 1.0))
    call = finish(caller, call_id)
    assert call["status"] == "completed"
    assert call["transcript"].endswith("\nagent: Your order is cancelled. Goodbye!")
