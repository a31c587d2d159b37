"""One attempt to deliver, without a server."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest

from retinue.webhooks.attempts import ClaimedDelivery
from retinue.webhooks.sender import Sender
from retinue.webhooks.signing import new_secret
from tests.webhooks.receiver import Answer, Receiver

DELIVERY = ClaimedDelivery(1, 1, "dlv_1", 7, 1, "webhook.test", "evt_1", "", (new_secret(),), b"{}", ())
VAULT: Any = SimpleNamespace(open_sealed=lambda secret, _: secret)


@pytest.mark.parametrize(("status", "seconds"), [(200, 0), (299, 0), (429, 60), (503, 60)])
async def test_only_a_refusal_has_to_be_waited_for(receiver: Receiver, status: int, seconds: float) -> None:
    receiver.always["/"] = Answer(status, headers={"Retry-After": "60"})
    async with aiohttp.ClientSession() as session:
        attempt = await Sender(session, VAULT).send(replace(DELIVERY, url=receiver.url("/")))
    assert (attempt.status, attempt.retry_after_s) == (status, seconds)
