"""Retries, fallbacks and circuit breakers, with models that fail as the test says."""

from collections.abc import AsyncGenerator, Sequence

import pytest

from retinue.core.errors import RetinueError, Unavailable
from retinue.models.base import (
    TEXT_ONLY,
    AnsweringModel,
    ContextExceeded,
    Delta,
    FailedAttempt,
    Message,
    ModelRequest,
    Price,
    ProviderFailed,
    TextDelta,
    ToolCall,
    Usage,
)
from retinue.models.failover import CircuitBreaker, ModelTarget, RetryPolicy, RoutedModel

HELLO = ModelRequest([Message("user", "Hello")])
AT_ONCE = RetryPolicy(first_pause=0.0)
BUSY = ProviderFailed("Busy.", may_retry=True)
WRONG = ProviderFailed("The key is wrong.", may_retry=False)
REPLY: Sequence[Delta] = (TextDelta("Hi"), Usage(1, 1))


class Scripted:
    """A model that answers each request with the next of `outcomes`: an error, or deltas that may end in one."""

    def __init__(self, *outcomes: RetinueError | Sequence[Delta | RetinueError]) -> None:
        self.name = "scripted"
        self.context_tokens = 1000
        self.max_output_tokens: int | None = 100
        self.input = TEXT_ONLY
        self.uses_resources = False
        self.requests: list[ModelRequest] = []
        self._outcomes = list(outcomes)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """See `Model`."""
        self.requests.append(request)
        outcome = self._outcomes.pop(0) if self._outcomes else REPLY
        for delta in [outcome] if isinstance(outcome, RetinueError) else outcome:
            if isinstance(delta, RetinueError):
                raise delta
            yield delta


def target(name: str, model: Scripted, breaker: CircuitBreaker | None = None) -> ModelTarget:
    """Return a target at a provider of its own."""
    return ModelTarget(f"{name}/m", model, name, Price("1", "2"), breaker=breaker or CircuitBreaker())


async def ask(*targets: ModelTarget, request: ModelRequest = HELLO, policy: RetryPolicy = AT_ONCE) -> list[Delta]:
    """Return the deltas of one reply."""
    return [delta async for delta in RoutedModel("wanted", targets, policy=policy).stream(request)]


async def test_a_reply_begins_with_its_source() -> None:
    assert await ask(target("a", Scripted())) == [AnsweringModel("a/m", Price("1", "2")), *REPLY]


@pytest.mark.parametrize("failures", [1, 2])
async def test_a_refusal_before_the_reply_is_retried_twice(failures: int) -> None:
    model = Scripted(*[BUSY] * failures)
    refused = [FailedAttempt("a/m", "Busy.")] * failures
    answer = await ask(target("a", model), target("b", Scripted()))
    assert answer == [*refused, AnsweringModel("a/m", Price("1", "2")), *REPLY]
    assert len(model.requests) == failures + 1


@pytest.mark.parametrize(
    ("error", "attempts"),
    [
        (BUSY, 3),
        (Unavailable("Nobody listens."), 3),
        (WRONG, 1),
        (ProviderFailed("Busy.", may_retry=True, retry_after=11), 1),
    ],
)
async def test_then_the_next_model_answers(error: RetinueError, attempts: int) -> None:
    first, second = Scripted(*[error] * 3), Scripted()
    refused = [FailedAttempt("a/m", error.message)] * attempts
    answer = await ask(target("a", first), target("b", second))
    assert answer == [*refused, AnsweringModel("b/m", Price("1", "2")), *REPLY]
    assert (len(first.requests), len(second.requests)) == (attempts, 1)


async def test_the_last_failure_names_every_reason_once() -> None:
    with pytest.raises(ProviderFailed, match=r"None of the 2 models answered\. Busy\. The key is wrong\.") as caught:
        await ask(target("a", Scripted(BUSY, BUSY, BUSY)), target("b", Scripted(WRONG)))
    assert caught.value.may_retry
    with pytest.raises(ProviderFailed, match=r"^The key is wrong\.$"):
        await ask(target("a", Scripted(WRONG)))


@pytest.mark.parametrize("begun", [TextDelta("H"), ToolCall("1", "add", "{}")])
async def test_nothing_is_tried_again_once_the_reply_has_begun(begun: Delta) -> None:
    first, second = Scripted([begun, BUSY]), Scripted()
    deltas = RoutedModel("wanted", [target("a", first), target("b", second)]).stream(HELLO)
    assert [await anext(deltas), await anext(deltas)] == [AnsweringModel("a/m", Price("1", "2")), begun]
    with pytest.raises(ProviderFailed, match="Busy"):
        await anext(deltas)
    assert (len(first.requests), len(second.requests)) == (1, 0)


async def test_a_full_context_of_the_first_model_is_for_the_caller() -> None:
    second = Scripted()
    with pytest.raises(ContextExceeded):
        await ask(target("a", Scripted(ContextExceeded("Too long."))), target("b", second))
    assert second.requests == []
    answer = await ask(
        target("a", Scripted(WRONG)), target("b", Scripted(ContextExceeded("Long."))), target("c", second)
    )
    assert answer[2:] == [AnsweringModel("c/m", Price("1", "2")), *REPLY]


async def test_a_provider_that_failed_five_times_in_a_row_is_skipped_for_half_a_minute() -> None:
    now = 1000.0
    breaker = CircuitBreaker(lambda: now)
    first, second = Scripted(*[BUSY] * 6), Scripted()
    targets = target("a", first, breaker), target("b", second)
    await ask(*targets)
    assert not breaker.seconds_left
    await ask(*targets)
    assert (breaker.seconds_left, len(first.requests)) == (30.0, 6)
    assert await ask(*targets) == [
        FailedAttempt("a/m", "Skipped for 30 more seconds, because its provider failed repeatedly."),
        AnsweringModel("b/m", Price("1", "2")),
        *REPLY,
    ]
    assert len(first.requests) == 6
    now += 30.0
    source, *_ = await ask(*targets)
    assert isinstance(source, AnsweringModel)
    assert source.model == "a/m"
    assert not breaker.seconds_left


async def test_a_broken_provider_is_asked_where_no_other_remains() -> None:
    breaker = CircuitBreaker()
    for _ in range(5):
        breaker.fail()
    assert await ask(target("a", Scripted(), breaker)) == [AnsweringModel("a/m", Price("1", "2")), *REPLY]


async def test_requests_that_are_at_fault_do_not_break_the_provider() -> None:
    breaker = CircuitBreaker()
    for _ in range(6):
        with pytest.raises(ProviderFailed):
            await ask(target("a", Scripted(WRONG), breaker))
    assert not breaker.seconds_left


def test_pauses_grow_with_jitter_and_obey_the_provider() -> None:
    policy = RetryPolicy()
    for number, least, most in ((0, 0.25, 0.75), (1, 0.5, 1.5)):
        pauses = {policy.pause(number, None) for _ in range(50)}
        assert len(pauses) > 1
        assert all(pause is not None and least <= pause <= most for pause in pauses)
    assert policy.pause(2, None) is None
    assert policy.pause(0, 0) == 0.0
    asked_for = policy.pause(0, 10)
    assert asked_for is not None
    assert 10.0 <= asked_for <= 10.2
    assert policy.pause(0, 11) is None


async def test_errors_name_the_provider_without_its_id() -> None:
    said = ProviderFailed("Check the key of the provider 'a:17'.", may_retry=False)
    with pytest.raises(ProviderFailed, match="Check the key of the provider 'a'"):
        await ask(ModelTarget("a/m", Scripted(said), "a:17", breaker=CircuitBreaker()))
