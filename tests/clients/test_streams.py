"""Streams: typed chunks, failures, breaks, and coming back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_client import (
    APIConnectionError,
    AsyncRetinue,
    InternalServerError,
    Record,
    Retinue,
    ServiceUnavailableError,
    types,
)
from retinue_client._sse import EventReader
from tests.clients.failing import answer, running_failing_server
from tests.conftest import User
from tests.docs.cutting import cutting
from tests.support.client import Client
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server

pytestmark = pytest.mark.either_database

STORY = "Once upon a time there was a server that told stories."
FIRST = b'"content":"Once"}\n\n'
HALF = b'"content":"On'
EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
ONCE = b'id: 1-4\ndata: {"type":"text","content":"Once"}\n\n'
ENDED = b"data: [DONE]\n\n"


def text_of(chunks: list[types.StreamRunChunk]) -> str:
    return "".join(chunk.content for chunk in chunks if isinstance(chunk, types.TextChunk))


def test_a_chat_is_streamed(retinue: Retinue, model: ModelServer) -> None:
    model.answers += [Answer(STORY), Answer("It ended.")]
    with retinue.chat.create(message="Tell a story.", tools=[], stream=True) as stream:
        *said, done = stream
    assert "".join(chunk.content for chunk in said if chunk.type == "text") == STORY
    assert isinstance(done, types.ChatDoneChunk)
    reply = retinue.chat.create(message="And then?", conversation_id=done.conversation_id, tools=[])
    assert reply.reply == "It ended."
    messages = list(retinue.conversations.messages(done.conversation_id))
    assert [message.role for message in messages] == ["user", "assistant", "user", "assistant"]
    assert [one.conversation_id for one in retinue.conversations.list()] == [done.conversation_id]


async def test_tools_in_asynchronous_code(async_retinue: AsyncRetinue, model: ModelServer) -> None:
    tool = "network_calculate_subnet"
    model.answers += [Answer(tool=tool, arguments={"cidr": "10.0.0.0/8"}), Answer("Many.")]
    agent = await async_retinue.agents.create(agent_name="Netwatch", agent_role="specialist", skills=[tool])
    async with await async_retinue.agents.execute(agent.id, message="How many?", stream=True) as stream:
        chunks = [chunk async for chunk in stream]
    kinds = [chunk.type for chunk in chunks]
    assert kinds[:2] == ["tool_start", "tool_end"]
    assert kinds[-1] == "done"
    assert [chunk.tool for chunk in chunks if isinstance(chunk, types.ToolStartChunk)] == [tool]


def test_a_failure_is_raised(user: User, server: Server) -> None:
    with Retinue(api_key=user.client(test=True).key, base_url=server.url) as client:
        said: list[types.ChatChunk] = []
        with pytest.raises(ServiceUnavailableError, match="The test model failed") as caught:
            said.extend(client.chat.create(message="[[words:9]][[fail-after:2]]", stream=True))
        assert (caught.value.status, caught.value.code) == (503, "service_unavailable")
        assert len(said) >= 2


def test_a_chat_that_breaks_off_says_so() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    event = b'data: {"type":"text","content":"Once"}\n\n'
    with running_failing_server() as server, Retinue(api_key="ak_test_a_b", base_url=server.url) as client:
        for length in (b"Content-Length: 999\r\n\r\n", b"Connection: close\r\n\r\n"):
            server.answers.append(head + length + event + b'data: {"type":"te')
            said: list[types.ChatChunk] = []
            with pytest.raises(APIConnectionError):
                said.extend(client.chat.create(message="Tell a story.", stream=True))
            assert [chunk.to_dict() for chunk in said] == [{"type": "text", "content": "Once"}]
    assert len(server.requests) == 2


@pytest.mark.parametrize("cut_after", [FIRST, HALF], ids=["between events", "inside an event"])
async def test_a_run_is_followed_through_a_break(
    cut_after: bytes, server: Server, retinue: Retinue, client: Client, model: ModelServer
) -> None:
    agent = retinue.agents.create(agent_name="Scribe", agent_role="generalist")
    for asynchronous in (False, True):
        model.answers.append(Answer(STORY, hold=True))
        run = retinue.agents.execute(agent.id, message="Tell a story.", tools=[], background=True)
        with cutting(server.url, cut_after, during_second=model.release) as (cutter, address):
            if asynchronous:
                async with AsyncRetinue(api_key=client.key, base_url=address) as later:
                    chunks = [chunk async for chunk in await later.runs.watch(run.id)]
            else:
                with Retinue(api_key=client.key, base_url=address) as made:
                    chunks = list(made.runs.watch(run.id))
            assert len(cutter.heads) == 2
            assert ("last-event-id: 1-4-" in cutter.heads[1].lower()) == (cut_after == FIRST)
        assert text_of(chunks) == STORY
        assert isinstance(chunks[-1], types.DoneChunk)
        model.reset()


def test_a_stream_is_taken_up_elsewhere(retinue: Retinue, model: ModelServer) -> None:
    model.answers.append(Answer(STORY))
    agent = retinue.agents.create(agent_name="Scribe", agent_role="generalist")
    run = retinue.agents.execute(agent.id, message="Tell a story.", tools=[], background=True)
    retinue.runs.wait(run.id)
    with retinue.runs.watch(run.id) as stream:
        first = next(stream)
        place = stream.last_event_id
    rest = list(retinue.runs.watch(run.id, last_event_id=place))
    assert text_of([first, *rest]) == STORY


def run_answer(status: str) -> bytes:
    """The record of a run."""
    return answer(200, json.dumps({"data": {"id": 7, "status": status}}))


async def wait_for_run(url: str, asynchronous: bool) -> types.RunDetails:
    """Wait for a run with either client."""
    if not asynchronous:
        with Retinue(api_key="ak_test_a_b", base_url=url) as client:
            return client.runs.wait(7)
    async with AsyncRetinue(api_key="ak_test_a_b", base_url=url) as later:
        return await later.runs.wait(7)


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_waiting_for_a_run_raises_the_error_of_a_failed_reopening(asynchronous: bool) -> None:
    refused = answer(500, '{"error": {"code": "internal_error", "message": "Broken.", "status": 500}}')
    with running_failing_server() as server:
        server.answers = [EVENTS + ONCE, refused, run_answer("running")]
        with pytest.raises(InternalServerError, match="Broken"):
            await wait_for_run(server.url, asynchronous)
        assert server.headers("Last-Event-ID") == [None, "1-4"]


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_waiting_for_a_run_continues_until_it_has_ended(asynchronous: bool) -> None:
    failed = b'data: {"type":"error","code":"service_unavailable","message":"Restarting.","status":503}\n\n'
    with running_failing_server() as server:
        server.answers = [EVENTS + ONCE + failed, run_answer("running"), EVENTS + ENDED, run_answer("failed")]
        assert (await wait_for_run(server.url, asynchronous)).status == "failed"
        assert server.headers("Last-Event-ID") == [None, None, "1-4", None]


def test_a_fleet_at_work(retinue: Retinue, model: ModelServer) -> None:
    fleet = retinue.fleets.create(name="Survey")
    retinue.agents.create(agent_name="Scribe", agent_role="generalist", fleet_id=fleet.id)
    model.answers.append(Answer("Done."))
    begun = retinue.fleets.deploy(fleet.id, task="Look around.")
    chunks = list(retinue.fleets.deployments.watch(fleet.id, begun.deployment_id))
    assert [type(chunk) for chunk in chunks] == [
        types.DeploymentStarted, types.PartStarted, types.PartEnded, types.DeploymentEnded,
    ]  # fmt: skip
    details = retinue.fleets.deployments.retrieve(fleet.id, begun.deployment_id)
    assert details.status == "completed"
    assert isinstance(details.result, types.Result)


JSON = st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=4)


@given(
    st.lists(JSON, max_size=5), st.lists(st.integers(1, 30), min_size=1, max_size=40), st.sampled_from(["\n", "\r\n"])
)
def test_chunks_survive_any_cutting(sent: list[dict[str, str]], cuts: list[int], newline: str) -> None:
    events = [f"id: {n}\ndata: {json.dumps(chunk, ensure_ascii=False)}\n\n" for n, chunk in enumerate(sent)]
    stream = (": open\n\n" + "".join(events) + "data: [DONE]\n\n").replace("\n", newline).encode()
    reader = EventReader(Record)
    read: list[dict[str, object]] = []
    while stream:
        size = cuts[len(read) % len(cuts)]
        read += [chunk.to_dict() for chunk in reader.read(stream[:size])]
        stream = stream[size:]
    kept = [chunk for chunk in sent if chunk.get("type") != "error"]
    assert read == kept
    assert reader.complete
    assert reader.last_id == (str(len(sent) - 1) if sent else None)


def test_a_chunk_of_a_later_version_is_a_record() -> None:
    (chunk,) = EventReader(types.ChatChunk).read(b'data: {"type": "image", "url": "u"}\n\n')
    assert type(chunk) is Record
    assert (chunk["type"], chunk.to_dict()) == ("image", {"type": "image", "url": "u"})
