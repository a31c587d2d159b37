"""Verification of deliveries: those that the server really sends, and those that somebody has changed."""

import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.webhooks import signing
from retinue_client import Retinue, WebhookVerificationError, types, webhooks
from tests.conftest import StartServer
from tests.webhooks.receiver import Received, Receiver, running_receiver

SECRET = signing.new_secret()
NOW = 1_795_000_000
BODY = b'{"id":"evt_1","event":"agent.created","timestamp":"2026-11-18T10:26:40+00:00","data":{"agent_id":1}}'


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as running:
        yield running
        running.let_go()


def headers_of(body: bytes = BODY, secret: str = SECRET, timestamp: int = NOW) -> dict[str, str]:
    """The headers that the server sends."""
    return signing.headers(
        body,
        event="agent.created",
        event_id="evt_1",
        delivery_id="whd_1",
        secrets_in_force=[secret],
        timestamp=timestamp,
    )


def body_signature_alone(headers: dict[str, str]) -> dict[str, str]:
    """What a receiver of the specification alone looks at."""
    return {name: value for name, value in headers.items() if name.startswith("X-")}


def refuse(body: bytes, headers: dict[str, str], secret: str = SECRET, now: float = NOW) -> bool:
    """Whether the delivery is refused."""
    try:
        webhooks.verify(body, headers, secret, now=now)
    except WebhookVerificationError:
        return True
    return False


def test_real_deliveries(start_server: StartServer, receiver: Receiver) -> None:
    server = start_server(RETINUE_ALLOWED_NETWORKS="127.0.0.1/32")
    key = server.new_key(server.new_user())
    with Retinue(api_key=key, base_url=server.url) as client:
        hook = client.webhooks.create(url=receiver.url("/hook"), events=["agent.created", "webhook.test"])
        agent = client.agents.create(agent_name="Netwatch", agent_role="leader")
        first = receiver.receive("/hook", at_least=1)[0]
        check_delivery(first, hook.secret, agent.id)
        rotated = client.webhooks.rotate(hook.id)
        client.webhooks.test(hook.id)
        second = receiver.receive("/hook", at_least=2)[1]
        for secret in (hook.secret, rotated.secret):
            assert webhooks.verify(second.body, second.headers, secret).event == "webhook.test"
        deliveries = list(client.webhooks.deliveries.list(hook.id))
        assert len(deliveries) == 2


def check_delivery(delivery: Received, secret: str, agent_id: int) -> None:
    """The event is typed, and its signatures hold for it alone."""
    event = webhooks.verify(delivery.body, delivery.headers, secret)
    assert isinstance(event.data, types.AgentCreated)
    assert (event.event, event.data["agent_id"]) == ("agent.created", agent_id)
    plain = {"x-webhook-signature": {k.lower(): v for k, v in delivery.headers.items()}["x-webhook-signature"]}
    assert webhooks.verify(delivery.body, plain, secret) == event
    for headers in (dict(delivery.headers), plain):
        assert refuse(delivery.body + b" ", headers, secret, time.time())
        assert refuse(delivery.body, headers, SECRET, time.time())


def test_signatures_of_the_server_verify() -> None:
    assert not refuse(BODY, headers_of())
    assert not refuse(BODY, {name.upper(): value for name, value in headers_of().items()})
    assert not refuse(BODY, body_signature_alone(headers_of()))


def test_old_and_early_deliveries_are_refused() -> None:
    assert not refuse(BODY, headers_of(), now=NOW + 300)
    assert refuse(BODY, headers_of(), now=NOW + 301)
    assert refuse(BODY, headers_of(), now=NOW - 301)
    assert not refuse(BODY, body_signature_alone(headers_of()), now=NOW + 4 * 24 * 3600)
    assert refuse(BODY, body_signature_alone(headers_of()), now=NOW + 6 * 24 * 3600)


@pytest.mark.parametrize("change", [
    {"webhook-timestamp": str(NOW + 1)}, {"webhook-timestamp": "soon"}, {"webhook-timestamp": "²"},
    {"webhook-id": "evt_2"}, {"webhook-signature": ""}, {"webhook-signature": "v1,ä v2,x"},
])  # fmt: skip
def test_a_changed_header_is_refused(change: dict[str, str]) -> None:
    assert refuse(BODY, headers_of() | change)


def test_no_signature_is_no_delivery() -> None:
    assert refuse(BODY, {})
    assert refuse(BODY, {"X-Webhook-Signature": "sha256="})
    assert refuse(BODY, headers_of(), secret="whsec_%%%")
    assert refuse(b"[]", headers_of(b"[]"))
    assert refuse(b"not json", headers_of(b"not json"))


@given(st.integers(0, len(BODY) - 1), st.integers(1, 255), st.booleans())
def test_any_changed_byte_is_refused(place: int, change: int, plain: bool) -> None:
    changed = bytearray(BODY)
    changed[place] ^= change
    headers = headers_of()
    assert refuse(bytes(changed), body_signature_alone(headers) if plain else headers)


def test_an_unknown_event_is_a_record() -> None:
    body = BODY.replace(b"agent.created", b"agent.promoted")
    event = webhooks.verify(body, headers_of(body), SECRET, now=NOW)
    assert event.data.to_dict() == {"agent_id": 1}
