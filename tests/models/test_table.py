"""Names to models, for each way to configure one."""

from pathlib import Path

import pytest

from retinue.core.errors import Unavailable
from retinue.models.base import Message, ModelRequest, Text
from retinue.models.routing import RoutedModel
from retinue.models.table import DEFAULT, LOCAL, Models
from tests.models.provider import serving

HELLO = ModelRequest([Message("user", "Hello")])


async def test_an_endpoint() -> None:
    async with serving() as provider:
        models = Models(Path("unused"), url=provider.url, key="sk-hidden", model_name="wire-1", context_tokens=9000)
        await models.start()
        try:
            assert models.names() == [DEFAULT, "wire-1"]
            model = models.get(DEFAULT)
            assert model
            assert model is models.get("wire-1")
            assert model.context_tokens == 9000
            assert await anext(model.stream(HELLO)) == Text("Hello ")
            assert models.get("other") is None
            assert "sk-hidden" not in str(models.status())
            assert models.status()["kind"] == "remote"
        finally:
            await models.stop()


async def test_an_endpoint_that_is_routed() -> None:
    models = Models(Path("unused"), url="http://127.0.0.1:9/v1", tools="routed")
    await models.start()
    assert isinstance(models.get(DEFAULT), RoutedModel)
    assert models.names() == [DEFAULT]
    await models.stop()


async def test_no_model_says_how_to_have_one() -> None:
    models = Models(Path("unused"), local="off")
    await models.start()
    model = models.get(DEFAULT)
    assert model
    with pytest.raises(Unavailable, match="retinue models pull"):
        await anext(model.stream(HELLO))
    assert models.status() == {"kind": "none", "state": "missing"}
    await models.stop()


async def test_the_local_model_has_a_name(tmp_path: Path) -> None:
    models = Models(tmp_path, local="0.5b")
    assert models.names() == []
    assert models.status()["kind"] == "local"
    assert LOCAL not in models.names()


async def test_the_test_model_is_always_there() -> None:
    deltas = [delta async for delta in Models(Path("unused"), local="off").test.stream(HELLO)]
    assert deltas[0] == Text("You ")
