"""Following a run from several nodes: every node sends the same events, however often the client reconnects."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.faults.load import TOOLS
from tests.support.chunks import merge
from tests.support.client import Client, Stream, data
from tests.support.model_server import Answer, ModelServer
from tests.support.sampling import EXHAUSTIVE
from tests.support.waiting import eventually

WORK = (
    '[[tool:math_evaluate_expression {"expression": "6 * 7"}]][[sleep:0.5]]'
    '[[tool:text_convert_case {"text": "two words", "style": "kebab"}]][[pace:0.05]][[words:80]]'
)
REPLY = " ".join(f"word{number}" for number in range(1, 81))
TOLD = ["tool_start", "tool_end", "tool_start", "tool_end", "text", "done"]
Event = tuple[str, dict[str, Any]]


def follow(client: Client, run: int, last: str | None = None) -> Iterator[Event]:
    """Yield the run's events with their ids, up to the end of the stream."""
    headers = {} if last is None else {"Last-Event-ID": last}
    stream = Stream(client.get(f"/runs/{run}/events", stream=True, headers=headers))
    for chunk in stream.chunks():
        yield stream.ids[-1], chunk


def hop(clients: list[Client], run: int, chance: random.Random) -> list[dict[str, Any]]:
    """Follow a run to its end, reading a few events from one node, then a few from another."""
    heard: list[Event] = []
    while not heard or heard[-1][0] != "end":
        events = follow(chance.choice(clients), run, heard[-1][0] if heard else None)
        heard += [event for _, event in zip(range(chance.randint(1, 9)), events, strict=False)]
    return [chunk for _, chunk in heard]


def new_run(client: Client, message: str) -> int:
    """Start an agent's background run. Returns its id."""
    agent = data(client.post("/agents", {"agent_name": "worker", "agent_role": "generalist", "skills": TOOLS}), 201)
    body = {"message": message, "background": True}
    return int(data(client.post(f"/agents/{agent['id']}/execute", body), 202)["id"])


@pytest.mark.slow
def test_a_run_is_followed_live_at_a_node_that_does_not_work_on_it(
    start_server: StartServer, model: ModelServer
) -> None:
    first = start_server("postgresql")
    here = Client(first, first.new_key(first.new_user()))
    model.answers.append(Answer("one two three", hold=True))
    run = new_run(here, "Count")
    eventually(lambda: model.requests)
    there = Client(start_server(RETINUE_DATABASE_URL=first.env["RETINUE_DATABASE_URL"]), here.key)
    events = follow(there, run)
    begun = next(events)
    assert begun[1] == {"type": "text", "content": "one"}
    model.release()
    heard = [begun, *events]
    whole = merge([chunk for _, chunk in heard])
    assert [chunk["type"] for chunk in whole] == ["text", "done"]
    assert whole[0]["content"] == "one two three"
    for place, (event_id, _) in enumerate(heard, start=1):
        for client in (here, there):
            rest = [chunk for _, chunk in follow(client, run, event_id)]
            assert merge([*(chunk for _, chunk in heard[:place]), *rest]) == whole


@EXHAUSTIVE
@pytest.mark.slow
def test_hopping_between_nodes_one_of_which_dies_changes_nothing(start_server: StartServer) -> None:
    first = start_server("postgresql")
    second = start_server(RETINUE_DATABASE_URL=first.env["RETINUE_DATABASE_URL"])
    here = Client(first, first.new_key(first.new_user(), test=True))
    there = Client(second, here.key)
    chance = random.Random("hopping")
    whole = [merge([chunk for _, chunk in follow(client, new_run(here, WORK))]) for client in (here, there)]
    whole += [merge(hop([here, there], new_run(here, WORK), chance)) for _ in range(2)]
    runs = [new_run(here, WORK) for _ in range(4)]
    streams = [follow(there, run) for run in runs]
    begun = [[next(stream) for _ in range(5)] for stream in streams]
    first.kill()
    whole += [merge([chunk for _, chunk in [*start, *rest]]) for start, rest in zip(begun, streams, strict=True)]
    whole += [merge(hop([there], run, chance)) for run in runs]
    for chunks in whole:
        assert [chunk["type"] for chunk in chunks] == TOLD
        assert chunks[4]["content"] == REPLY
    assert second.ask("check") == []
