"""The local model: its errors while it is unavailable, and real completions."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import cast

import orjson
import psutil
import pytest

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.models.base import Delta, Message, ModelRequest, TextDelta, ToolCall, ToolOffer, Usage
from retinue.models.encoder import BLOCKS
from retinue.models.known_weights import known_weights
from retinue.models.llama_process import LlamaProcess, LoadFailed
from retinue.models.local import LocalModel, order_of
from retinue.models.partial_download import Progress
from retinue.models.request_classification import NO_TOOL
from retinue.models.supervisor import Supervisor
from retinue.tools.catalogue.catalogue import Catalogue
from tests.models.fixed_tools import FixedTools
from tests.support.sampling import EXHAUSTIVE
from tests.support.waiting import until

CLOSED = "http://127.0.0.1:9"
HELLO = ModelRequest([Message("user", "Say hello.")], temperature=0, max_tokens=32)
ENDLESS = ModelRequest(
    [Message("user", "Write the numbers from 1 to 2000 in words, one on each line.")], temperature=0, max_tokens=3000
)


def offer(name: str, description: str, **properties: str) -> ToolOffer:
    schema = {name: {"type": kind} for name, kind in properties.items()}
    return ToolOffer(name, description, {"type": "object", "properties": schema, "required": list(schema)})


TOOLS = [
    offer("calculator", "Evaluate an arithmetic expression", expression="string"),
    offer("date_diff", "Number of days between two dates", start="string", end="string"),
    offer("subnet_calc", "Compute network, broadcast and host count of a CIDR block", cidr="string"),
    offer("roman_numeral", "Convert an integer to Roman numerals", number="integer"),
    offer("text_reverse", "Reverse a text", text="string"),
]


async def refuse(model: LocalModel) -> str:
    with pytest.raises(Unavailable) as caught:
        await anext(model.stream(HELLO))
    return caught.value.message


async def test_while_it_is_fetched_it_says_how_far(tmp_path: Path) -> None:
    async def slow(name: str, folder: Path, source: Path | None, progress: Progress) -> Path:
        progress(42, 100)
        await asyncio.Event().wait()
        return folder / name

    model = LocalModel(tmp_path, ["0.5b"], slow)
    await model.start()
    await until(lambda: (progress := model.status()["pulling"]) and progress["done"])
    assert "42 %" in await refuse(model)
    assert model.state == "pulling"
    await model.stop()


async def test_without_a_network_it_names_the_command(tmp_path: Path) -> None:
    async def close(name: str, folder: Path, source: Path | None, progress: Progress) -> Path:
        raise Unavailable("No source has it.")

    model = LocalModel(tmp_path, ["0.5b"], close)
    await model.start()
    await until(lambda: model.state == "missing")
    assert "retinue models pull" in await refuse(model)
    assert model.status()["reason"] == "No source has it."
    await model.stop()


async def test_weights_that_do_not_load(tmp_path: Path) -> None:
    weights = known_weights("0.5b")
    with (tmp_path / weights.file_name).open("wb") as file:
        file.truncate(weights.size)
    model = LocalModel(tmp_path, ["0.5b"])
    with pytest.raises(LoadFailed):
        await model.take_over("0.5b")
    await model.start()
    await until(lambda: model.state == "failed")
    assert "does not start" in await refuse(model)
    await model.stop()


def test_the_meaning_of_auto() -> None:
    assert order_of("auto")[0] == "0.5b"
    assert order_of("1.5b") == ["1.5b"]
    with pytest.raises(ValidationFailed):
        order_of("7b")


async def test_larger_weights_have_those_that_place_requests_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[tuple[str, bool]] = []

    async def fetch(name: str, folder: Path, source: Path | None, progress: Progress) -> Path:
        path = folder / known_weights(name).file_name
        with path.open("wb") as file:
            file.truncate(known_weights(name).size)
        return path

    async def loads(server: Supervisor, weights: str, **_options: bool) -> None:
        loaded.append((weights, known_weights("0.5b").present_in(tmp_path)))
        server.child = cast(LlamaProcess, object())

    monkeypatch.setattr(Supervisor, "take_over", loads)
    model = LocalModel(tmp_path, ["1.5b"], fetch)
    await model.start()
    await until(lambda: len(loaded) == 2)
    assert loaded == [("1.5b", False), ("1.5b", True)]
    await model.stop()


@asynccontextmanager
async def running(folder: Path, *, ready: bool = True) -> AsyncIterator[LocalModel]:
    model = LocalModel(folder, ["0.5b"])
    await model.start()
    try:
        await until(lambda: not ready or model.state == "ready")
        yield model
    finally:
        await model.stop()


def text_of(deltas: list[Delta]) -> str:
    return "".join(delta.content for delta in deltas if isinstance(delta, TextDelta))


async def record_kept(model: LocalModel, name: str, message: str) -> str:
    """Return the arguments, in lower case, that the model gives a workspace tool for a message."""
    tool = Catalogue.load().get(name)
    resources = FixedTools(ToolOffer(tool.name, tool.description, tool.input_schema))
    call = await anext(model.stream(ModelRequest([Message("user", message)], resources=resources, temperature=0)))
    assert isinstance(call, ToolCall)
    assert call.name == name
    return call.arguments.lower()


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_real_replies_and_tool_choice(weights_folder: Path) -> None:
    async with running(weights_folder, ready=False) as model:
        assert model.state == "loading"  # The first request waits.
        reply = [delta async for delta in model.stream(HELLO)]
        assert "hello" in text_of(reply).lower()
        assert len(reply) > 3
        usage = reply[-1]
        assert isinstance(usage, Usage)
        assert 0 < usage.completion_tokens <= 32

        question = Message("user", "How many usable hosts has 172.16.8.0/21?")
        call = await anext(model.stream(ModelRequest([question], TOOLS, resources=FixedTools(*TOOLS))))
        assert isinstance(call, ToolCall)
        assert call.name == "subnet_calc"
        assert orjson.loads(call.arguments) == {"cidr": "172.16.8.0/21"}
        turn = [question, Message("assistant", "", (call,)), Message("tool", '{"hosts": 2046}', (), call.id, call.name)]
        asked = ModelRequest(turn, TOOLS, temperature=0, max_tokens=60, resources=FixedTools(*TOOLS))
        answer = [delta async for delta in model.stream(asked)]
        assert "2046" in text_of(answer).replace(",", "")

        assert "milk" in await record_kept(model, "note_create", "Save a note titled groceries: milk, eggs")
        assert "4 may" in await record_kept(model, "memory_store", "Remember that my sister's birthday is 4 May")

        with pytest.raises(ValidationFailed, match="context window"):
            await anext(model.stream(ModelRequest([Message("user", "word " * 6000)])))


@EXHAUSTIVE
@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_closing_a_stream_frees_its_slot(weights_folder: Path) -> None:
    async with running(weights_folder) as model:
        streams = [model.stream(ENDLESS) for _ in range(4)]
        await asyncio.gather(*(anext(stream) for stream in streams))
        assert model.status()["active"] == 4
        for stream in streams:
            await stream.aclose()
        assert model.status()["active"] == 0
        start = time.monotonic()
        assert isinstance(await anext(model.stream(HELLO)), TextDelta)
        assert time.monotonic() - start < 300  # The others would have run for ever.


def process_of(model: LocalModel) -> int:
    """Return the process id of the running server."""
    pid = model.status()["pid"]
    assert pid is not None
    return pid


@EXHAUSTIVE
@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_server_that_dies_is_started_again_and_one_that_works_is_replaced(weights_folder: Path) -> None:
    async with running(weights_folder) as model:
        first = process_of(model)
        os.kill(first, signal.SIGKILL)
        await until(lambda: model.status()["pid"] not in (first, None))
        second = process_of(model)
        story = model.stream(ENDLESS)
        await anext(story)
        await model.take_over("0.5b")
        third = process_of(model)
        assert third != second
        assert text_of([delta async for delta in model.stream(HELLO)])
        assert isinstance(await anext(story), TextDelta)
        await story.aclose()
        await until(lambda: not psutil.pid_exists(second))

        cut_off = model.stream(ENDLESS)
        await anext(cut_off)
        await model.take_over("0.5b")
        fourth = process_of(model)
    assert not psutil.pid_exists(third)
    assert not psutil.pid_exists(fourth)
    with pytest.raises(Unavailable):
        assert [delta async for delta in cut_off]


PARENT = """
import asyncio, pathlib, sys
from retinue.models.local import LocalModel

async def main():
    model = LocalModel(pathlib.Path(sys.argv[1]), ["0.5b"])
    await model.start()
    while model.state != "ready":
        await asyncio.sleep(0.05)
    print("child", model.status()["pid"], flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kill_9_of_the_parent_leaves_no_child(weights_folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(weights_folder)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as parent:
        assert parent.stdout
        line = next(line for line in parent.stdout if line.startswith(b"child "))
        child = psutil.Process(int(line.split()[1]))
        parent.kill()
    with suppress(psutil.NoSuchProcess):
        child.wait(120)
    assert not child.is_running()


@EXHAUSTIVE
@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_it_recognizes_the_intent_of_requests(weights_folder: Path) -> None:
    async with running(weights_folder) as model:
        sums = "We were 7 at dinner, the bill was 182 euros and we tipped 10 %. What did each of us pay?"
        asked = {"unit_convert_quantity": "How many kilometres are 5 miles?", "math_evaluate_expression": sums}
        for tool, request in asked.items():
            meaning = await model.meaning(request)
            assert meaning
            likelihoods = {name: meaning.of(name) or 0.0 for name in (*asked, NO_TOOL)}
            assert max(likelihoods, key=likelihoods.__getitem__) == tool
        talk = await model.meaning("Hello, how are you today?")
        assert talk
        assert (talk.of(NO_TOOL) or 0.0) > max(talk.of(tool) or 0.0 for tool in asked)
    assert await model.meaning(sums) is None


@EXHAUSTIVE
@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_an_encoder_that_does_not_load_takes_nothing_else_down(weights_folder: Path, tmp_path: Path) -> None:
    weights = weights_folder / known_weights("0.5b").file_name
    (tmp_path / weights.name).symlink_to(weights)
    (tmp_path / f"{weights.stem}-first-{BLOCKS}.gguf").write_bytes(b"rubbish")
    async with running(tmp_path) as model:
        assert await model.meaning("How many kilometres are 5 miles?") is None
        assert "hello" in text_of([delta async for delta in model.stream(HELLO)]).lower()
