"""What is sent again, after how long, and with which idempotency key."""

import time
from collections.abc import Iterator
from email.utils import formatdate

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_client import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    AsyncRetinue,
    AuthenticationError,
    InternalServerError,
    RateLimitError,
    Retinue,
    RetinueError,
    ServiceUnavailableError,
)
from retinue_client._calls import Call
from retinue_client._options import Options, retry_after
from retinue_client._retries import FIRST_S, LONGEST_S, Attempts
from tests.clients.failing import HANG_UP, FailingServer, answer, running_failing_server

AGENT = '{"data": {"id": 7, "agent_name": "Netwatch", "new_field": {"a": [1]}}}'
BUSY = '{"error": {"code": "rate_limit_exceeded", "message": "Too many requests.", "status": 429}}'
AWAY = '{"error": {"code": "service_unavailable", "message": "The model is away.", "status": 503}}'
SECRET = '{"data": {"id": 1, "key": "ak_live_x", "secret": "s"}}'


@pytest.fixture
def failing() -> Iterator[FailingServer]:
    with running_failing_server() as server:
        yield server


@pytest.fixture
def to_failing(failing: FailingServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Retinue]:
    monkeypatch.setattr("retinue_client._retries.FIRST_S", 0.01)
    with Retinue(api_key="ak_test_a_b", base_url=failing.url, max_retries=2) as client:
        yield client


@pytest.mark.parametrize("fault", [HANG_UP, answer(502, "<html>"), answer(503, AWAY), answer(504)])
def test_a_get_is_sent_again(fault: bytes, failing: FailingServer, to_failing: Retinue) -> None:
    failing.answers = [fault, fault, answer(200, AGENT)]
    assert to_failing.agents.retrieve(7).agent_name == "Netwatch"
    assert len(failing.requests) == 3


@pytest.mark.parametrize("fault", [HANG_UP, answer(502, "<html>"), answer(503, AWAY)])
def test_attempts_at_a_post_share_a_key_that_no_other_call_has(
    fault: bytes, failing: FailingServer, to_failing: Retinue
) -> None:
    failing.answers = [fault, answer(201, AGENT), answer(201, AGENT)]
    for _ in range(2):
        to_failing.agents.create(agent_name="Netwatch", agent_role="leader")
    first, second, other = failing.headers("Idempotency-Key")
    assert first == second != other
    assert first is not None
    assert len(first) == 36


def test_the_key_may_be_chosen(failing: FailingServer, to_failing: Retinue) -> None:
    failing.answers = [answer(201, AGENT)]
    to_failing.agents.create(agent_name="Netwatch", agent_role="leader", idempotency_key="order-17")
    assert failing.headers("Idempotency-Key") == ["order-17"]


@pytest.mark.parametrize("fault", [HANG_UP, answer(502), answer(503, AWAY), answer(504)])
def test_a_post_that_may_have_been_carried_out_is_not_repeated_without_a_key(
    fault: bytes, failing: FailingServer, to_failing: Retinue
) -> None:
    failing.answers = [fault, fault]
    with pytest.raises(APIError if fault else APIConnectionError):
        to_failing.keys.create(name="a key")
    with pytest.raises(APIError if fault else APIConnectionError):
        to_failing.chat.create(message="Hello.", stream=True)
    assert failing.headers("Idempotency-Key") == [None, None]


def test_a_post_without_a_key_is_repeated_where_it_was_refused(failing: FailingServer, to_failing: Retinue) -> None:
    failing.answers = [answer(429, BUSY), answer(201, SECRET)]
    assert to_failing.keys.create(name="a key").id == 1


def test_retry_after_is_obeyed(failing: FailingServer, to_failing: Retinue) -> None:
    failing.answers = [answer(429, BUSY, Retry_After="1"), answer(200, AGENT)]
    began = time.monotonic()
    to_failing.agents.retrieve(7)
    assert time.monotonic() - began >= 1


async def test_retry_after_is_obeyed_by_the_asynchronous_client(failing: FailingServer) -> None:
    failing.answers = [HANG_UP, answer(429, BUSY, Retry_After="1"), answer(201, AGENT)]
    began = time.monotonic()
    async with AsyncRetinue(api_key="ak_test_a_b", base_url=failing.url) as client:
        agent = await client.agents.create(agent_name="Netwatch", agent_role="leader")
    assert time.monotonic() - began >= 1
    assert agent.id == 7
    assert len(set(failing.headers("Idempotency-Key"))) == 1


def test_a_quota_that_is_used_up_for_days_is_not_waited_for(failing: FailingServer, to_failing: Retinue) -> None:
    failing.answers = [answer(429, BUSY, Retry_After="86400", X_Request_ID="req_1")]
    with pytest.raises(RateLimitError) as caught:
        to_failing.agents.retrieve(7)
    error = caught.value
    assert (error.retry_after, error.request_id, error.status) == (86400, "req_1", 429)
    assert str(error) == "429 rate_limit_exceeded: Too many requests. (request req_1)"


def test_the_last_refusal_is_raised(failing: FailingServer, to_failing: Retinue) -> None:
    failing.answers = [answer(503, AWAY)] * 3
    with pytest.raises(ServiceUnavailableError, match="The model is away"):
        to_failing.agents.retrieve(7)
    assert len(failing.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 404, 500])
def test_permanent_errors_are_not_retried(status: int, failing: FailingServer, to_failing: Retinue) -> None:
    failing.answers = [answer(status, "{}")]
    with pytest.raises(APIError) as caught:
        to_failing.agents.retrieve(7)
    assert caught.value.status == status
    assert isinstance(caught.value, InternalServerError) == (status == 500)


def test_a_response_that_asks_for_no_retry_is_not_repeated(failing: FailingServer, to_failing: Retinue) -> None:
    failing.answers = [answer(503, AWAY, X_Should_Retry="false", X_Run_Id="17")]
    with pytest.raises(ServiceUnavailableError) as caught:
        to_failing.agents.execute(7, message="Hello.")
    assert (caught.value.should_retry, caught.value.run_id) == (False, 17)
    assert len(failing.requests) == 1


def test_options_of_a_call_change_the_retries(failing: FailingServer, to_failing: Retinue) -> None:
    failing.answers = [answer(503, AWAY)]
    with pytest.raises(ServiceUnavailableError):
        to_failing.with_options(max_retries=0).agents.retrieve(7)
    assert len(failing.requests) == 1


def test_nobody_listens(failing: FailingServer) -> None:
    client = Retinue(api_key="ak_test_a_b", base_url="http://127.0.0.1:9", max_retries=0)
    with client, pytest.raises(APIConnectionError, match=r"Cannot connect to http://127\.0\.0\.1:9"):
        client.agents.retrieve(7)


def test_an_answer_in_time(failing: FailingServer) -> None:
    def late(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("late", request=request)

    transport = httpx.Client(transport=httpx.MockTransport(late))
    with pytest.raises(APITimeoutError):
        Retinue(api_key="ak_test_a_b", http_client=transport, max_retries=0).agents.retrieve(7)


def test_answers_of_other_servers_are_not_trusted(failing: FailingServer, to_failing: Retinue) -> None:
    failing.answers = [answer(200, "<html>"), answer(200, "[]")]
    for _ in range(2):
        with pytest.raises(APIConnectionError, match="not that of a Retinue server"):
            to_failing.agents.retrieve(7)


def test_the_key_is_needed_and_never_shown(monkeypatch: pytest.MonkeyPatch, failing: FailingServer) -> None:
    monkeypatch.delenv("RETINUE_API_KEY", raising=False)
    monkeypatch.delenv("RETINUE_KEY", raising=False)
    with pytest.raises(RetinueError, match="RETINUE_API_KEY"):
        Retinue()
    monkeypatch.setenv("RETINUE_API_KEY", "ak_test_hidden_secret")
    monkeypatch.setenv("RETINUE_URL", failing.url)
    failing.answers = [answer(401, '{"error": {"code": "auth_required", "message": "No.", "status": 401}}')]
    with Retinue() as client:
        with pytest.raises(AuthenticationError) as caught:
            client.agents.retrieve(7)
        assert "secret" not in f"{client!r} {client._transport.options!r} {caught.value!r}"
    assert failing.headers("Authorization") == ["Bearer ak_test_hidden_secret"]


@given(st.integers(0, 60))
def test_delays_are_bounded(attempt: int) -> None:
    attempts = Attempts(Call("GET", "/agents"), Options("k", "http://x", 1.0, 100))
    attempts._failed = attempt
    delay = attempts.delay_after_failure(httpx.ConnectError("refused"))
    assert 0 <= delay <= min(LONGEST_S, FIRST_S * 2**attempt)


@given(st.text(max_size=30))
def test_any_retry_after_is_read_or_ignored(value: str) -> None:
    seconds = retry_after({"retry-after": value})
    assert seconds is None or seconds >= 0


def test_retry_after_may_be_a_date() -> None:
    assert retry_after({"retry-after": formatdate(time.time() + 100, usegmt=True)}) == pytest.approx(100, abs=5)
    assert retry_after({"retry-after": formatdate(time.time() - 100, usegmt=True)}) == 0
    assert retry_after({}) is None
