"""The client sends no request again that has begun a run."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from retinue_client import Retinue, RunCancelledError, ServiceUnavailableError
from tests.idempotency.test_effects import DOWN, NOTE, notes, runs
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually


def create_agent(retinue: Retinue) -> int:
    """Create an agent with a tool that changes something. Returns its id."""
    agent = retinue.agents.create(agent_name="Ada", agent_role="leader", skills=["note_create"], approval="none")
    return agent.id


def test_a_tool_is_called_once_whatever_the_model_does_afterwards(
    client: Client, retinue: Retinue, model: ModelServer
) -> None:
    agent = create_agent(retinue)
    model.answers.extend([NOTE, *DOWN])
    with pytest.raises(ServiceUnavailableError) as caught:
        retinue.agents.execute(agent, message="Hello")
    assert [run["id"] for run in runs(client)] == [caught.value.run_id]
    assert notes(client) == 1


def test_the_retries_of_the_client_store_a_message_once(client: Client, retinue: Retinue, model: ModelServer) -> None:
    conversation = retinue.chat.create(message="Hello").conversation_id
    model.answers.extend(DOWN)
    with pytest.raises(ServiceUnavailableError):
        retinue.chat.create(message="Again", conversation_id=conversation)
    said = [message["content"] for message in data(client.get(f"/chat/{conversation}")) if message["role"] == "user"]
    assert said == ["Hello", "Again"]


def test_a_run_that_is_cancelled_is_not_started_again_by_the_client(
    client: Client, retinue: Retinue, model: ModelServer
) -> None:
    agent = create_agent(retinue)
    model.answers.append(Answer("one two three", hold=True))
    with ThreadPoolExecutor(1) as clients:
        waiting = clients.submit(retinue.agents.execute, agent, message="Hello")
        eventually(lambda: model.requests and runs(client)[0]["status"] == "running")
        data(client.post(f"/agents/{agent}/stop"))
        with pytest.raises(RunCancelledError, match="stopped"):
            waiting.result()
    assert [run["status"] for run in runs(client)] == ["cancelled"]
