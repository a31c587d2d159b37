"""Weights chosen by the operator: a local GGUF file, one on the hub, and the recommended one for a machine."""

import hashlib
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from typer.testing import CliRunner

from retinue.cli.models import app
from retinue.core.errors import Unavailable, ValidationFailed
from retinue.models.base import Message, ModelRequest, ToolCall, ToolOffer, Usage
from retinue.models.download import pull
from retinue.models.known_weights import FileWeights, HubWeights, known_weights
from retinue.models.local import LocalModel, order_of
from retinue.models.recommendation import advice
from retinue.settings import Settings
from tests.support.sampling import EXHAUSTIVE
from tests.support.waiting import until

BYTES = b"GGUF" + os.urandom(1_000_000)
NAME = "someone/some-model-GGUF:sub/some-model-q4.gguf"
FILE = "someone--some-model-GGUF--sub--some-model-q4.gguf"


class Hub:
    """A fake public hub that states the right hash of its file, a wrong one, or none."""

    def __init__(self) -> None:
        self.headers = {
            "X-Linked-Etag": f'"{hashlib.sha256(BYTES).hexdigest()}"',
            "X-Linked-Size": str(len(BYTES)),
        }
        self.address = ""

    async def get(self, request: web.Request) -> web.Response:
        return web.Response(body=BYTES, headers=self.headers)


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    stand_in = Hub()
    server = web.Application()
    server.router.add_get("/someone/some-model-GGUF/resolve/main/sub/some-model-q4.gguf", stand_in.get)
    runner = web.AppRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    stand_in.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield stand_in
    await runner.cleanup()


def test_the_meaning_of_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert known_weights("0.5b").name == "0.5b"
    assert not known_weights("1.5b").calls_tools
    found = known_weights(NAME)
    assert isinstance(found, HubWeights)
    assert (found.file_name, found.calls_tools) == (FILE, True)
    file = known_weights("some.gguf")
    assert isinstance(file, FileWeights)
    assert Path("/elsewhere") / file.file_name == tmp_path / "some.gguf"
    assert order_of("some.gguf") == [str(tmp_path / "some.gguf")]


@pytest.mark.parametrize("name", ["7b", "", "owner/repo", "owner/repo:model.bin", "a/b:../../c.safetensors"])
def test_other_names_are_refused_with_the_valid_names(name: str) -> None:
    with pytest.raises(ValidationFailed, match="GGUF file"):
        known_weights(name)


@given(st.from_regex(r"[\w.-]{1,9}/[\w.-]{1,9}:([\w.-]{1,9}/){0,2}[\w.-]{1,9}\.gguf", fullmatch=True))
def test_a_file_of_the_hub_stays_in_its_folder(name: str) -> None:
    path = Path("/models") / known_weights(name).file_name
    assert path.parent == Path("/models") or isinstance(known_weights(name), FileWeights)


@pytest.mark.parametrize("value", ["auto", "off", "1.5b", "/models/a.gguf", NAME])
def test_the_setting_takes_them(value: str) -> None:
    assert Settings(local_model=value).local_model == value


def test_the_setting_refuses_others() -> None:
    with pytest.raises(ValidationError):
        Settings(local_model="7b")


async def test_a_file_of_the_hub_is_pulled_and_checked(hub: Hub, tmp_path: Path) -> None:
    assert (await pull(NAME, tmp_path, hub=hub.address)).read_bytes() == BYTES
    assert known_weights(NAME).present_in(tmp_path)


async def test_wrong_bytes_of_the_hub_are_not_kept(hub: Hub, tmp_path: Path) -> None:
    hub.headers["X-Linked-Etag"] = f'"{hashlib.sha256(b"other").hexdigest()}"'
    with pytest.raises(Unavailable, match="SHA-256"):
        await pull(NAME, tmp_path, hub=hub.address)
    assert not known_weights(NAME).present_in(tmp_path)


async def test_a_file_without_a_hash_is_taken(hub: Hub, tmp_path: Path) -> None:
    hub.headers.clear()
    assert (await pull(NAME, tmp_path, hub=hub.address)).read_bytes() == BYTES


async def test_weights_that_the_hub_does_not_have(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="HTTP 404"):
        await pull("someone/some-model-GGUF:none.gguf", tmp_path, hub=hub.address)
    with pytest.raises(Unavailable, match="does not exist"):
        await pull(str(tmp_path / "none.gguf"), tmp_path)


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments, env={"RETINUE_WEIGHTS_DIR": str(folder)})
    return result.exit_code, result.output or str(result.exception)


def test_weights_are_listed_and_removed(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(BYTES)
    listed = run(tmp_path, "list")[1]
    assert "retinue models pull 0.5b" in listed
    assert FILE in listed
    assert run(tmp_path, "remove", NAME) == (0, f"{tmp_path / FILE} is deleted.\n")
    assert list(tmp_path.iterdir()) == []
    assert "no weights" in run(tmp_path, "remove", NAME)[1]


def test_a_file_elsewhere_is_not_removed(tmp_path: Path) -> None:
    file = tmp_path / "mine.gguf"
    file.write_bytes(BYTES)
    assert "Delete it yourself" in run(tmp_path / "models", "remove", str(file))[1]
    assert file.exists()


def test_a_model_is_recommended(tmp_path: Path) -> None:
    assert "GB of memory" in run(tmp_path, "recommend")[1]


@pytest.mark.parametrize(
    ("memory", "cores", "name"),
    [(1 << 30, 8, ""), (4 << 30, 8, "0.5b"), (64 << 30, 2, "0.5b"), (8 << 30, 4, "1.5b"), (64 << 30, 16, "1.5b")],
)
def test_the_recommendation_for_a_machine(memory: int, cores: int, name: str) -> None:
    found = advice(memory, cores)
    assert found.name == name
    assert found.largest_file <= memory


@EXHAUSTIVE
@pytest.mark.long
async def test_a_file_with_a_tool_template_calls_tools_by_itself(weights_folder: Path, tmp_path: Path) -> None:
    """The small model represents any model. It may call a tool or not, but its template receives the tools."""
    path = weights_folder / known_weights("0.5b").file_name
    model = LocalModel(tmp_path, order_of(str(path)))
    await model.start()
    try:
        await until(lambda: model.state == "ready", 240)
        assert not model.uses_resources
        schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
        plain = ModelRequest([Message("user", "What is the weather in Rome?")], temperature=0, max_tokens=48)
        offering = replace(plain, tools=[ToolOffer("get_weather", "Tells the weather.", schema)])
        spent = [[delta async for delta in model.stream(request)] for request in (plain, offering)]
        tokens = [deltas[-1] for deltas in spent]
        assert isinstance(tokens[0], Usage)
        assert isinstance(tokens[1], Usage)
        assert tokens[1].prompt_tokens > tokens[0].prompt_tokens + 50
        assert {delta.name for delta in spent[1] if isinstance(delta, ToolCall)} <= {"get_weather"}
    finally:
        await model.stop()
