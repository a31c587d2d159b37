"""Which tools a run is offered where a model tells what its request means."""

from array import array
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from retinue.core.home import Home
from retinue.models.base import Candidate
from retinue.models.directions import NO_TOOL, Direction, Directions, Meaning
from retinue.runs.offers import Offers
from retinue.runs.options import Run, RunOptions
from retinue.storage import open_database
from retinue.tools.catalogue import Catalogue
from retinue.tools.directory import Directory

ASKED = "How many kilometres are 5 miles?"
FAR = Directions(
    [0.0],
    [1.0],
    {name: Direction(array("b", [steps]), 1.0, 0.0) for name, steps in (("cooking_convert_measure", 9), (NO_TOOL, 1))},
).meaning([1.0])


class Teller:
    """Tells what it is given to tell, one after the other."""

    def __init__(self, *told: Meaning | None) -> None:
        self.told = list(told)

    async def meaning(self, request: str) -> Meaning | None:
        assert request == ASKED
        return self.told.pop(0)


@pytest.fixture
async def directory(tmp_path: Path) -> AsyncIterator[Directory]:
    database = await open_database(None, Home(tmp_path))
    yield Directory(Catalogue.load(), database)
    await database.close()


def a_run(sandbox: bool = False, tools: list[str] | None = None) -> Run:
    options = RunOptions(may_execute=True, sandbox=sandbox, tools=tools)
    return Run(1, 1, 1, None, None, False, "alfred-default", ASKED, options)


async def offered(offers: Offers, sandbox: bool = False) -> list[Candidate]:
    return await offers.ranked(a_run(sandbox), ASKED)


async def first(offers: Offers, sandbox: bool = False) -> str:
    return (await offered(offers, sandbox))[0].tool.name


async def test_what_is_found_is_not_looked_for_at_every_step(directory: Directory) -> None:
    for offers in (Offers(directory), Offers(directory, Teller(None, None)), Offers(directory, Teller(FAR))):
        assert await offered(offers) is await offered(offers)


async def test_what_the_model_tells_counts_and_is_remembered(directory: Directory) -> None:
    teller = Teller(FAR)
    offers = Offers(directory, teller)
    assert await first(offers) == await first(offers) == "cooking_convert_measure"
    assert await first(Offers(directory)) == "unit_convert_quantity"


async def test_what_is_found_without_the_model_is_looked_for_again(directory: Directory) -> None:
    offers = Offers(directory, Teller(None, FAR))
    assert await first(offers) == "unit_convert_quantity"
    assert await first(offers) == "cooking_convert_measure"


async def test_a_sandbox_is_the_same_with_and_without_a_model(directory: Directory) -> None:
    offers = Offers(directory, Teller(FAR))
    assert await first(offers, sandbox=True) == "unit_convert_quantity"
    assert await first(offers) == "cooking_convert_measure"
    assert await first(offers, sandbox=True) == "unit_convert_quantity"


async def test_tools_that_keep_things_are_found_where_they_destroy_nothing(directory: Directory) -> None:
    offers = Offers(directory)
    note = next(one for one in await offers.ranked(a_run(), "Save a note titled Fruit: plums") if one.allowed)
    assert note.tool.name == "note_create"
    found = {one.tool.name: one for one in await offers.ranked(a_run(), "Store these notes of a meeting in a file")}
    assert found["file_write"].tool.input_schema["properties"]["mode"] == {"const": "create"}
    assert await offers.find(a_run(), "file_write")
    assert await offers.find(a_run(), "note_delete") is None


@pytest.mark.parametrize(
    "request_", ["Send a message to my team on Slack that the build is done", "Delete my note Fruit"]
)
async def test_tools_that_go_out_or_destroy_are_found_but_not_allowed(directory: Directory, request_: str) -> None:
    found = max(await Offers(directory).ranked(a_run(), request_), key=lambda one: one.lead)
    assert not found.allowed


async def test_named_tools_are_all_that_is_found(directory: Directory) -> None:
    offers = Offers(directory)
    found = await offers.ranked(a_run(tools=["file_write", "text_reverse_order"]), ASKED)
    assert [one.tool.name for one in found] == ["file_write", "text_reverse_order"]
    assert "overwrite" in found[0].tool.input_schema["properties"]["mode"]["enum"]
