"""Attached images, PDFs and recordings, and images that tools return, reach the models that take them."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from retinue.core.database.interface import Database
from retinue.models.base import Media, Message, Modality, TextDelta
from retinue.runs.context_window import STEP_IMAGES
from tests.runs.driving import Driver, ScriptedModel, call, tool

PICTURE = ("cat.png", "image/png", b"PNG")
PAPER = ("paper.pdf", "application/pdf", b"PDF")
ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.mark.parametrize(
    ("takes", "shown"), [((), []), (("image",), ["cat.png"]), (("image", "pdf"), ["cat.png", "paper.pdf"])]
)
@ONE_DATABASE
async def test_a_model_receives_the_files_that_it_takes_also_in_later_messages(
    database: Database, takes: tuple[Modality, ...], shown: list[str]
) -> None:
    model = ScriptedModel()
    model.input = frozenset({"text", *takes})
    driver = Driver(database, model)
    driver.files.update(a=PICTURE, b=PAPER)
    await driver.run("Look", attachments=["a", "b"], conversation_id=1)
    await driver.run("Again", conversation_id=1)
    for request in model.requests:
        asked = request.messages[1]
        assert [one.name for one in asked.media] == shown
        assert asked.media[:1] == ((Media("image", "image/png", b"PNG", "cat.png"),) if takes else ())
        assert asked.content.count("not text") == 2 - len(shown)


# Images that tools return

FILE: dict[str, Any] = {"type": "string", "format": "file-id"}
PICTURES = {"type": "object", "properties": {"files": {"type": "array", "items": FILE}}}
HIDDEN = "which you cannot see"


def drawing(driver_of: Callable[..., Driver], *results: list[str], **fields: Any) -> Driver:
    """Return a driver with a tool that returns the next of these lists of files at each call."""
    left = list(results)

    async def draw(args: dict[str, Any]) -> dict[str, Any]:
        return {"files": left.pop(0)}

    return driver_of([tool("draw", result_schema=PICTURES, **fields)], draw=draw)


def seen_in(messages: Sequence[Message]) -> list[list[str]]:
    """Return the names of the images in each tool result."""
    return [[one.name for one in message.media] for message in messages if message.role == "tool"]


@pytest.mark.parametrize("takes", [("image",), ()])
@ONE_DATABASE
async def test_a_model_sees_the_images_that_tools_return_also_in_later_messages(
    database: Database, takes: tuple[Modality, ...]
) -> None:
    model = ScriptedModel([call("draw")], [TextDelta("Nice.")], [TextDelta("Still nice.")])
    model.input = frozenset({"text", *takes})
    driver = drawing(partial(Driver, database, model), ["a", "b", "gone"])
    driver.files.update(a=PICTURE, b=PAPER)
    await driver.run("Draw", conversation_id=1)
    await driver.run("Again", conversation_id=1)
    for request in model.requests[1:]:
        assert seen_in(request.messages) == [["cat.png"] if takes else []]
        (result,) = (message.content for message in request.messages if message.role == "tool")
        assert result.startswith('{"files":["a","b","gone"]}')
        assert (HIDDEN in result) == (not takes)
    before, after = (list(map(repr, request.messages)) for request in model.requests[1:])
    assert after[: len(before)] == before, "the beginning of the prompt has changed"


@ONE_DATABASE
async def test_it_sees_four_images_of_a_step(database: Database) -> None:
    model = ScriptedModel([call("draw", place) for place in range(3)])
    model.input = frozenset({"text", "image"})
    driver = drawing(partial(Driver, database, model), ["a", "b", "c"], ["d", "e"], ["f"])
    driver.files.update({name: (f"{name}.png", "image/png", b"PNG") for name in "abcdef"})
    await driver.run()
    results = [message for message in model.requests[1].messages if message.role == "tool"]
    assert sum(len(message.media) for message in results) == STEP_IMAGES
    assert sum(message.content.count(HIDDEN) for message in results) == 2


@ONE_DATABASE
async def test_the_images_survive_a_crash(database: Database) -> None:
    held = asyncio.Event()

    async def hold(args: dict[str, Any]) -> dict[str, Any]:
        held.set()
        await asyncio.Event().wait()
        return {}

    async def draw(args: dict[str, Any]) -> dict[str, Any]:
        return {"files": ["a"]}

    model = ScriptedModel([call("draw"), call("look", 1)])
    model.input = frozenset({"text", "image"})
    tools = [tool("draw", result_schema=PICTURES), tool("look")]
    driver = Driver(database, model, tools, draw=draw, look=hold)
    driver.files.update(a=PICTURE)
    live = await driver.begin(attached=False)
    await held.wait()
    await driver.wait_for_result(live, "draw")
    await driver.runner.drop(live.run.id)
    resumed = Driver(database, model, tools)
    resumed.files.update(a=PICTURE)
    await resumed.end(await resumed.claim(live.run.id))
    assert resumed.tools.executed == ["look"]
    assert seen_in(model.requests[1].messages) == [["cat.png"], []]


@ONE_DATABASE
async def test_large_and_old_images_are_left_out(database: Database) -> None:
    model = ScriptedModel(*([call("draw")] for _ in range(5)), window=1_000_000)
    model.input = frozenset({"text", "image"})
    driver = drawing(partial(Driver, database, model), *(["huge"] if step == 0 else ["large"] for step in range(5)))
    driver.files.update(huge=("huge.png", "image/png", bytes(4_000_000)))
    driver.files.update(large=("large.png", "image/png", bytes(3_400_000)))
    await driver.run()
    last = model.requests[-1].messages
    assert seen_in(last) == [[], [], *[["large.png"]] * 3]
    results = [message.content for message in last if message.role == "tool"]
    assert HIDDEN in results[0]
    assert "removed to save space" in results[1]


@pytest.mark.parametrize(("inside", "source"), [(True, "result of draw"), (False, None)])
@ONE_DATABASE
async def test_an_image_of_the_workspace_is_untrusted(database: Database, inside: bool, source: str | None) -> None:
    model = ScriptedModel([call("draw")])
    model.input = frozenset({"text", "image"})
    driver = drawing(partial(Driver, database, model), ["a"], inside=inside)
    driver.files.update(a=PICTURE)
    assert (await driver.run()).untrusted == source
