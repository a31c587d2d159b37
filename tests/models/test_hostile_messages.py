"""A hostile message takes no longer than any other of its length, from its arrival to the tool call."""

import time
from typing import Any, cast

import pytest

from retinue.models.base import TEXT_ONLY, Message, ModelRequest, Persona, Usage
from retinue.runs.run_options import Run, RunOptions
from retinue.runs.tool_selection.resources import RunResources
from retinue.runs.tool_selection.run_tools import ToolSelector
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.imports.account_catalogue import AccountCatalogue
from retinue_assistant.assistant import Assistant

CHARACTERS = 10_000
GROWTH = 6.0
"""The maximum ratio of the time for a hostile message to that for a harmless one of the same length."""

_LEAST_S = 0.02
"""A shorter time for a harmless message is taken as this one: it says little."""

UNITS = ["1,", "1.", "(-", "\u2018a ", "\u201c", "{", "say ", "1 ", "a@", ", and ", " ", "is ", "'a", "1+"]


class Base:
    """A model that always calls the first tool without arguments."""

    name = "base"
    context_tokens = 4096
    max_output_tokens: int | None = None
    input = TEXT_ONLY
    uses_resources = False

    async def generate(self, messages: Any, schema: Any, max_tokens: int) -> tuple[dict[str, Any], Usage]:
        choosing = schema["properties"].get("tool")
        return {"tool": choosing["enum"][0]} if choosing else {}, Usage(1, 1)

    async def stream(self, request: ModelRequest) -> Any:
        return
        yield


class Kept:
    """The tools of an empty workspace, and an account's catalogue without additional tools."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    async def of(self, account_id: int) -> Catalogue:
        return self.catalogue

    async def naming(self, account_id: int, names: Any) -> Catalogue:
        return self.catalogue

    async def execute(self, tool: Any, args: Any, principal: Any) -> dict[str, Any]:
        return {"memories": [], "notes": []}


KIOSK = Persona("kiosk", instructions="You sell tea.\nTea costs 2 euros.\nWe are in the north.\nMail: tea@example.com")


async def seconds(catalogue: Catalogue, message: str, persona: Persona | None = None) -> float:
    """Return the CPU seconds from a message to the tool call."""
    options = RunOptions(may_execute=True, tier="enterprise", sandbox=True)
    run = Run(1, 1, 1, None, None, False, "base", message, options)
    kept = Kept(catalogue)
    offers = ToolSelector(cast("AccountCatalogue", kept))
    catalogue.scores.cache_clear()
    began = time.process_time()
    request = ModelRequest(
        [Message("user", message)],
        resources=RunResources(run, offers, kept, list[str | None]().append),
        persona=persona,
    )
    async for _ in Assistant(cast("Any", Base())).stream(request):
        pass
    return time.process_time() - began


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    """The catalogue that comes with the server."""
    return Catalogue.load()


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("question", ["Calculate the mean of these numbers: ", "What is "])
async def test_a_hostile_message_takes_no_longer_than_another(catalogue: Catalogue, question: str, unit: str) -> None:
    plain = (question + "the price of tea in the towns of the north " * CHARACTERS)[:CHARACTERS]
    hostile = (question + unit * CHARACTERS)[:CHARACTERS]
    usual = min([await seconds(catalogue, plain) for _ in range(2)])
    took = min([await seconds(catalogue, hostile) for _ in range(3)])
    assert took < GROWTH * max(usual, 0.05), (took, usual)


@pytest.mark.parametrize("unit", UNITS)
async def test_nor_does_it_for_an_agent_with_instructions(catalogue: Catalogue, unit: str) -> None:
    plain = ("Where is the price of tea in the towns of the north " * CHARACTERS)[:CHARACTERS]
    hostile = ("Where is " + unit * CHARACTERS)[:CHARACTERS]
    usual = min([await seconds(catalogue, plain, KIOSK) for _ in range(2)])
    assert min([await seconds(catalogue, hostile, KIOSK) for _ in range(2)]) < GROWTH * max(usual, _LEAST_S)
