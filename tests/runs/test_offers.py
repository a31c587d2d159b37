"""Which tools a run is offered where a model tells what its request means."""

from array import array
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from retinue.core.home import Home
from retinue.models.base import Message, ToolOffer
from retinue.models.directions import NO_TOOL, Direction, Directions, Meaning
from retinue.runs.offers import Offers
from retinue.runs.options import Run, RunOptions
from retinue.runs.thread import Thread
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


async def offered(offers: Offers, sandbox: bool = False) -> list[ToolOffer]:
    options = RunOptions(may_execute=True, sandbox=sandbox)
    run = Run(1, 1, 1, None, None, False, "alfred-default", ASKED, options)
    return await offers.to(run, Thread("", [], [Message("user", ASKED)]))


async def first(offers: Offers, sandbox: bool = False) -> str:
    return (await offered(offers, sandbox))[0].name


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
