"""Chat as a stream: its chunks follow the specification, and it ends as documented."""

import pytest

from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

SUBNET = "network_calculate_subnet"
CIDR = {"cidr": "172.16.8.0/21"}
DONE = {"type", "conversation_id", "model", "tools_used", "tokens_used", "execution_time_ms"}


def last_message(client: Client) -> str:
    """Return the last message of the most recent conversation."""
    return str(client.get("/chat").json()["data"][0]["last_message"])


def test_a_reply_is_streamed(client: Client) -> None:
    with client.stream("/chat", {"message": "one two three", "stream": True}) as stream:
        payloads = list(stream.payloads())
    assert payloads[-1] == "[DONE]"
    assert payloads[0] == '{"type":"text","content":"You"}'
    with client.stream("/chat", {"message": "one two three", "stream": True}) as stream:
        *texts, done = stream.chunks()
    assert all(chunk.keys() == {"type", "content"} for chunk in texts)
    assert "".join(chunk["content"] for chunk in texts) == "You said: one two three"
    assert done["type"] == "done"
    assert done.keys() >= DONE
    assert (done["model"], done["tools_used"], done["tokens_used"]) == ("alfred-default", [], 10 + 5)
    stored = client.get(f"/chat/{done['conversation_id']}").json()["data"]
    assert stored[-1]["content"] == "You said: one two three"


def test_tools_are_told_of(client: Client, model: ModelServer) -> None:
    model.answers.extend([Answer("Let me see.", tool=SUBNET, arguments=CIDR), Answer("2046 hosts")])
    with client.stream("/chat", {"message": "How many?", "tools": [SUBNET], "stream": True}) as stream:
        chunks = list(stream.chunks())
    kinds = [chunk["type"] for chunk in chunks]
    assert kinds == ["text"] * 3 + ["tool_start", "tool_end"] + ["text"] * 2 + ["done"]
    assert chunks[3:5] == [
        {"type": "tool_start", "tool": SUBNET},
        {"type": "tool_end", "tool": SUBNET, "status": "done"},
    ]
    assert chunks[-1]["tools_used"] == [SUBNET]


def test_a_stream_continues_a_conversation(client: Client) -> None:
    conversation = data(client.post("/chat", {"message": "One"}))["conversation_id"]
    body = {"message": "Two", "conversation_id": conversation, "stream": True}
    with client.stream("/chat", body) as stream:
        assert list(stream.chunks())[-1]["conversation_id"] == conversation
    assert client.get(f"/chat/{conversation}").json()["meta"]["total"] == 4


def test_words_come_as_they_are_said(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("one two", hold=True))
    with client.stream("/chat", {"message": "Count", "stream": True}) as stream:
        chunks = stream.chunks()
        assert next(chunks) == {"type": "text", "content": "one"}
        model.release()
        assert next(chunks) == {"type": "text", "content": " two"}
        assert next(chunks)["type"] == "done"


@pytest.mark.parametrize("failing", [500, 429], ids=["down", "rate limit was exceeded"])
def test_a_failure_before_the_first_word_is_an_ordinary_error(client: Client, model: ModelServer, failing: int) -> None:
    model.answers.extend([Answer(status=failing, headers={"Retry-After": "0"})] * 3)
    refuse(client.post("/chat", {"message": "Hello", "stream": True}), 503, "gain in")


def test_a_wrong_request_is_an_ordinary_error(client: Client) -> None:
    refuse(client.post("/chat", {"message": "", "stream": True}), 400, "message")
    refuse(client.post("/chat", {"message": "a", "stream": True, "conversation_id": "conv_x"}), 404)


def test_a_failure_inside_the_stream_is_its_last_chunk(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("one two", break_off=True))
    with client.stream("/chat", {"message": "Count", "stream": True}) as stream:
        *texts, error = stream.chunks()
    assert "".join(chunk["content"] for chunk in texts) == "one two"
    assert error.keys() == {"type", "code", "message", "status"}
    assert (error["type"], error["code"], error["status"]) == ("error", "service_unavailable", 503)
    assert last_message(client) == "one two"


def test_a_disconnect_stops_the_model_and_keeps_the_partial_reply(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("one two three", hold=True))
    with client.stream("/chat", {"message": "Count", "stream": True}) as stream:
        assert next(stream.chunks())["content"] == "one"
    eventually(model.hung_up.is_set)
    eventually(lambda: last_message(client) == "one")
    conversation = client.get("/chat").json()["data"][0]["conversation_id"]
    again = data(client.post("/chat", {"message": "Go on", "conversation_id": conversation}))
    assert again["reply"] == "You said: Go on"


def test_a_conversation_deleted_in_the_middle_of_a_stream_ends_it(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("one two three", hold=True))
    other = Client(client.server, client.key)
    with client.stream("/chat", {"message": "Count", "stream": True}) as stream:
        chunks = stream.chunks()
        next(chunks)
        conversation = other.get("/chat").json()["data"][0]["conversation_id"]
        data(other.delete(f"/chat/{conversation}"))
        assert list(chunks)[-1]["type"] == "error"
    refuse(other.get(f"/chat/{conversation}"), 404)
    other.close()


def test_the_sandbox_streams_and_fails_as_it_is_told(sandbox: Client) -> None:
    with sandbox.stream("/chat", {"message": "[[words:3]] [[fail-after:2]]", "stream": True}) as stream:
        chunks = list(stream.chunks())
    assert [chunk["type"] for chunk in chunks] == ["text", "text", "error"]
    refuse(sandbox.post("/chat", {"message": "[[fail]]", "stream": True}), 503)
