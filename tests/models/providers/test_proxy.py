"""The proxy of the environment: the operator's endpoint is reached through it, the providers of accounts are not."""

import aiohttp
import pytest

from retinue.models.base import Message, ModelRequest
from retinue.models.providers.endpoint import Endpoint, ModelLimits
from retinue.models.providers.openai import OpenAIModel
from tests.models.provider import serving

HELLO = ModelRequest([Message("user", "Hello")])


@pytest.mark.parametrize("direct", [True, False])
async def test_a_direct_endpoint_is_reached_without_the_proxy(monkeypatch: pytest.MonkeyPatch, direct: bool) -> None:
    for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    async with serving() as provider, serving() as proxy, aiohttp.ClientSession() as session:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        endpoint = Endpoint(provider.url, "key", direct=direct)
        model = OpenAIModel("mine", "m1", endpoint, session, ModelLimits(8192))
        assert [delta async for delta in model.stream(HELLO)]
        asked = (len(provider.bodies), len(proxy.bodies))
    assert asked == ((1, 0) if direct else (0, 1))
