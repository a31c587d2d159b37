"""Deployments followed live, and the same events afterwards."""

from collections.abc import Iterator

import pytest

from tests.conftest import StartServer
from tests.fleets.support import Json, add_agent, carried_out, deploy, ended, make_fleet
from tests.support.client import Client, Stream, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

Event = tuple[str, Json]


def follow(client: Client, deployment: str, last: str | None = None) -> Iterator[Event]:
    """Yield the events with their ids, up to the end of the stream."""
    headers = {} if last is None else {"Last-Event-ID": last}
    stream = Stream(client.get(f"{deployment}/events", stream=True, headers=headers))
    for chunk in stream.chunks():
        yield stream.ids[-1], chunk


def path_of(done: Json) -> str:
    """Return the path of a deployment."""
    return f"/fleets/{done['fleet_id']}/deployments/{done['deployment_id']}"


def of(done: Json, event: Json) -> Json:
    """Return the event's fields as the ended deployment, or its part, shows them."""
    told = done["parts"][event["number"] - 1] if "number" in event else done
    return {name: told[name] for name in event if name != "type"}


def test_every_part_is_told_and_cuts_change_nothing(sandbox: Client) -> None:
    fleet = make_fleet(sandbox)
    for name, role in (("Lea", "leader"), ("Sue", "specialist"), ("Rex", "reviewer")):
        add_agent(sandbox, fleet, name, role)
    path = deploy(sandbox, fleet, task="[[sleep:0.2]][[words:3]]")
    heard = list(follow(sandbox, path))
    done = ended(sandbox, path)
    kinds = [(event["type"], event.get("kind")) for _, event in heard]
    assert kinds[0] == ("deployment_start", None)
    assert kinds[1:7] == [("part_start", "work")] * 3 + [("part_end", "work")] * 3
    last = [(name, kind) for kind in ("synthesis", "review") for name in ("part_start", "part_end")]
    assert kinds[7:] == [*last, ("deployment_end", None)]
    assert all(event == {"type": event["type"], **of(done, event)} for _, event in heard)
    for place, (event_id, _) in enumerate(heard, start=1):
        assert list(follow(sandbox, path, event_id)) == heard[place:]
    assert list(follow(sandbox, path, "nonsense")) == heard


def test_a_part_is_told_when_it_begins(client: Client, model: ModelServer) -> None:
    fleet = make_fleet(client)
    agent = add_agent(client, fleet, "Gus")
    model.answers.append(Answer("one two", hold=True))
    events = follow(client, deploy(client, fleet, task="Count"))
    (_, start), (_, part) = next(events), next(events)
    assert (start["type"], start["agents"]) == ("deployment_start", [agent])
    assert (part["type"], part["agent_name"], part["task"]) == ("part_start", "Gus", "Count")
    model.release()
    (_, over), (_, end) = events
    assert (over["type"], over["run_id"], over["reply"]) == ("part_end", part["run_id"], "one two")
    assert (end["status"], end["result"]["reply"]) == ("completed", "one two")


def test_copies_are_told(sandbox: Client) -> None:
    fleet = make_fleet(sandbox, auto_scale=True, max_agents=3)
    add_agent(sandbox, fleet, "Gus")
    done = carried_out(sandbox, fleet, task="[[sleep:0.3]] a\nb\nc", strategy="round-robin")
    begun = [event["is_copy"] for _, event in follow(sandbox, path_of(done)) if event["type"] == "part_start"]
    assert sorted(begun) == sorted(part["is_copy"] for part in done["parts"])
    assert any(begun)


def test_a_cancelled_deployment_ends_its_events(sandbox: Client) -> None:
    fleet = make_fleet(sandbox)
    for name in ("Gus", "Sue"):
        add_agent(sandbox, fleet, name)
    path = deploy(sandbox, fleet, task="[[sleep:50]]", strategy="sequential")
    events = follow(sandbox, path)
    begun = [next(events), next(events)]
    data(sandbox.post(f"{path}/cancel"))
    rest = [event for _, event in events]
    assert [event["type"] for event in rest] == ["part_end", "part_end", "deployment_end"]
    assert sorted(event["run_id"] is None for event in rest[:2]) == [False, True]
    assert {event["status"] for event in rest} == {"cancelled"}
    assert [event for _, event in follow(sandbox, path, begun[-1][0])] == rest


def test_a_fleet_that_is_deleted_ends_the_events_of_its_deployment(sandbox: Client) -> None:
    fleet = make_fleet(sandbox)
    add_agent(sandbox, fleet, "Gus")
    events = follow(sandbox, deploy(sandbox, fleet, task="[[sleep:50]]"))
    next(events)
    data(sandbox.delete(fleet))
    last = list(events)[-1][1]
    assert (last["type"], last["status"]) == ("deployment_end", "cancelled")


def test_a_deployment_of_another_fleet_is_not_found(sandbox: Client) -> None:
    fleet, other = make_fleet(sandbox), make_fleet(sandbox)
    add_agent(sandbox, fleet, "Gus")
    number = carried_out(sandbox, fleet, task="Hello")["deployment_id"]
    refuse(sandbox.get(f"{other}/deployments/{number}/events"), 404)


@pytest.mark.slow
def test_a_deployment_is_followed_at_another_node_after_a_kill(start_server: StartServer) -> None:
    first = start_server("postgresql")
    second = start_server(RETINUE_DATABASE_URL=first.env["RETINUE_DATABASE_URL"])
    here = Client(first, first.new_key(first.new_user(), test=True))
    there = Client(second, here.key)
    fleet = make_fleet(here)
    for name, role in (("Lea", "leader"), ("Sue", "specialist"), ("Rex", "reviewer")):
        add_agent(here, fleet, name, role)
    path = deploy(here, fleet, task="[[sleep:1]][[words:3]]", strategy="sequential")
    events = follow(there, path)
    heard = [next(events) for _ in range(4)]
    first.kill()
    heard += events
    assert [event["type"] for _, event in heard[1:-1]] == ["part_start", "part_end"] * 3
    done = eventually(lambda: data(there.get(path)))
    assert done["status"] == "completed"
    for place, (event_id, _) in enumerate(heard, start=1):
        assert list(follow(there, path, event_id)) == heard[place:]
