"""The tools that a run is offered: named ones, matching ones, and those that its model searched for."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retinue.core.runtime.data_dir import DataDir
from retinue.migrations.database import open_database
from retinue.models.base import Message
from retinue.models.request_classification import NO_TOOL, RequestClassification
from retinue.runs.context_window import RunConversation
from retinue.runs.run_options import Run, RunOptions
from retinue.runs.tool_selection.conversation import found_tools
from retinue.runs.tool_selection.run_tools import ToolSelector
from retinue.runs.tool_selection.tool_offers import candidate_of, sized_offer
from retinue.tools.authoring.skeleton import skeleton
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.confinement import Confinement
from retinue.tools.imports.account_catalogue import AccountCatalogue
from retinue.tools.plugins.tools import PluginTools
from retinue_assistant.argument_hints import NumberSpan, SlotScore, TextSpan, hints_of
from retinue_assistant.heads.request_hints import MatchedArguments
from tests.conftest import NewDatabase
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer

ASKED = "How many kilometres are 5 miles?"
SEARCH = "tool_search"
WINDOW = 32_768


class Classifier:
    """Classifies every request as the same tool, or as none."""

    def __init__(self, tool: str) -> None:
        self.tool = tool
        self.asked: list[str] = []

    async def meaning(self, request: str) -> RequestClassification | None:
        self.asked.append(request)
        return RequestClassification({"unit_convert_quantity": 0.0, NO_TOOL: 0.0, self.tool: 40.0})


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    """The catalogue that comes with the server."""
    return Catalogue.load()


@pytest.fixture
def added(catalogue: Catalogue, tmp_path: Path) -> PluginTools:
    """The tools of modules in a folder that is empty at first."""
    return PluginTools(tmp_path / "tools.d", catalogue, catalogue.index, Confinement())


@pytest.fixture
async def directory(
    catalogue: Catalogue, added: PluginTools, new_database: NewDatabase, tmp_path: Path
) -> AsyncIterator[AccountCatalogue]:
    database = await open_database(new_database("sqlite", tmp_path), DataDir(tmp_path))
    yield AccountCatalogue(catalogue, database, added=added)
    await database.close()


def run_of(message: str = ASKED, number: int = 1, **options: Any) -> Run:
    wanted = RunOptions(may_execute=True, scopes=["tools:read"], tier="enterprise", **options)
    return Run(number, 1, 1, None, None, False, "alfred-default", message, wanted)


async def offer(offers: ToolSelector, run: Run, *history: Message) -> list[str]:
    thread = RunConversation("", list(history), [Message("user", run.message)])
    return [tool.name for tool in await offers.to(run, thread, WINDOW)]


async def test_matching_tools_are_offered_beside_the_search(directory: AccountCatalogue) -> None:
    names = await offer(ToolSelector(directory), run_of())
    assert names[0] == "unit_convert_quantity"
    assert names[-1] == SEARCH
    assert 5 <= len(names) <= 21


async def test_tools_of_other_authors_are_offered_where_they_fit(
    directory: AccountCatalogue, added: PluginTools
) -> None:
    added.folder.mkdir()
    (added.folder / "honey.py").write_text(skeleton("beehive_estimate_honey", "math"))
    await added.refresh()
    asked = run_of("Estimate the honey of my beehive, please")
    assert "beehive_estimate_honey" in await offer(ToolSelector(directory), asked)


async def test_talk_is_offered_the_search_alone(directory: AccountCatalogue) -> None:
    assert await offer(ToolSelector(directory), run_of("thanks!")) == [SEARCH]
    assert await offer(ToolSelector(directory, Classifier(NO_TOOL)), run_of("Hello there")) == [SEARCH]


async def test_named_tools_are_offered_as_they_are(directory: AccountCatalogue) -> None:
    named = ["text_convert_case", "unit_convert_quantity"]
    assert await offer(ToolSelector(directory), run_of("thanks!", tools=named)) == named
    assert await offer(ToolSelector(directory), run_of(tools=[])) == []


@pytest.mark.parametrize("tokens", [0, 300, 1000, 2000])
async def test_tools_stay_within_their_tokens(directory: AccountCatalogue, tokens: int) -> None:
    names = [name for name in await offer(ToolSelector(directory, None, tokens), run_of()) if name != SEARCH]
    tools = [directory.catalogue.get(name) for name in names]
    sizes = [sized_offer(tool, brief=place > 0)[1] for place, tool in enumerate(tools)]
    assert sum(sizes) <= tokens
    assert bool(sizes) == (tokens > 0)


async def test_the_first_tool_is_described_in_full_and_the_others_in_brief(directory: AccountCatalogue) -> None:
    thread = RunConversation("", [], [Message("user", ASKED)])
    first, second, *_ = await ToolSelector(directory).to(run_of(), thread, WINDOW)
    assert first.description == directory.catalogue.get(first.name).description
    whole = directory.catalogue.get(second.name)
    assert whole.description.startswith(second.description)
    assert second.description.endswith(".")
    assert second.description != whole.description


def test_models_are_told_all_arguments_of_every_tool(catalogue: Catalogue) -> None:
    def texts(schema: dict[str, Any]) -> bool:
        return all("description" in schema["properties"][name] for name in schema["required"])

    for tool in catalogue:
        offers = [sized_offer(tool, brief=brief) for brief in (False, True)]
        assert offers[0][1] >= offers[1][1]
        for offer, _ in offers:
            kept = tool.input_schema["properties"].keys() - tool.destroys_when.keys()
            assert offer.input_schema["properties"].keys() >= kept
            assert offer.input_schema["required"] == tool.input_schema["required"]
            assert texts(dict(offer.input_schema))


async def test_sums_from_a_schoolbook_are_offered_to_models_that_cannot_do_them(directory: AccountCatalogue) -> None:
    asked = "Convert the Roman numeral XIV to a number"
    assert "number_convert_roman" not in await offer(ToolSelector(directory), run_of(asked))
    assert "number_convert_roman" in await offer(ToolSelector(directory), run_of(asked, sandbox=True))
    assert "number_convert_roman" in [one.tool.name for one in await ToolSelector(directory).rank(run_of(asked), asked)]


async def test_a_small_window_gets_fewer_tools(directory: AccountCatalogue) -> None:
    thread = RunConversation("", [], [Message("user", ASKED)])
    few, many = [await ToolSelector(directory).to(run_of(), thread, window) for window in (2048, WINDOW)]
    assert 1 < len(few) < len(many)


async def test_the_classifier_is_asked_once_a_message_and_counts(directory: AccountCatalogue) -> None:
    classifier = Classifier("cooking_convert_measure")
    offers = ToolSelector(directory, classifier)
    assert (await offer(offers, run_of()))[0] == "cooking_convert_measure"
    await offer(offers, run_of())
    await offer(offers, run_of(number=2))
    assert classifier.asked == [ASKED]


class Learned:
    """Knows one number and one text, by the arguments that were learned for an old name."""

    def __init__(self, found: list[NumberSpan] | list[TextSpan]) -> None:
        self._found = found

    def of(self, tool: str) -> Any:
        return self._found if tool == "web_select_by_xpath" else []


def test_examples_of_an_old_name_fill_the_arguments_of_its_successor(catalogue: Catalogue) -> None:
    tool = catalogue.get("web_select_elements")
    numbers: Any = Learned([NumberSpan(5.0, [SlotScore("most", 0.9)])])
    texts: Any = Learned([TextSpan("xpath", 0.9, "//a", 0)])
    hints = MatchedArguments(numbers, texts)
    meaning = RequestClassification({"web_select_by_xpath": 9.0, "web_select_by_css": 8.0}, hints)
    found = hints_of(candidate_of(tool, 1.0, meaning, catalogue.aliases_of(tool.name)))
    assert [one.argument for one in found.texts] == ["expression"]
    assert [role.argument for number in found.numbers for role in number.roles] == ["most"]
    assert hints_of(candidate_of(tool, 1.0, meaning)) == ([], [])


async def test_a_sandbox_is_the_same_with_and_without_a_classifier(directory: AccountCatalogue) -> None:
    classifier = Classifier("cooking_convert_measure")
    names = await offer(ToolSelector(directory, classifier), run_of(sandbox=True))
    assert names == await offer(ToolSelector(directory), run_of(sandbox=True))
    assert classifier.asked == []


async def test_a_follow_up_has_the_tools_of_the_previous_message(directory: AccountCatalogue) -> None:
    before = [Message("user", ASKED), Message("assistant", "8.05 km")]
    assert "unit_convert_quantity" in await offer(ToolSelector(directory), run_of("and 25?"), *before)


async def test_candidates_for_small_models_have_a_lead(directory: AccountCatalogue) -> None:
    offers = ToolSelector(directory)
    first, *rest = await offers.rank(run_of(), ASKED)
    assert first.tool.name == "unit_convert_quantity"
    assert first.examples
    assert all(one.lead <= first.lead for one in rest)
    assert await offers.rank(run_of(), "thanks!") == []


async def test_tools_that_keep_things_are_found_where_they_destroy_nothing(directory: AccountCatalogue) -> None:
    offers = ToolSelector(directory)
    note, *_ = await offers.rank(run_of(), "Save a note titled Fruit: plums")
    assert (note.tool.name, note.allowed) == ("note_create", True)
    kept, *_ = await offers.rank(run_of(), "Store these notes of a meeting in a file")
    assert kept.tool.name == "file_write"
    assert kept.tool.input_schema["properties"]["mode"] == {"const": "create"}
    assert await offers.find(run_of(), "file_write")
    assert await offers.find(run_of(), "note_delete") is None


@pytest.mark.parametrize(
    ("request_", "tool"),
    [
        ("Send a message to my team on Slack that the build is done", "notify_chat_webhook"),
        ("Delete my note Fruit", "note_delete"),
        ("Deploy my fleet", "fleet_run_task"),
    ],
)
async def test_tools_that_go_out_or_destroy_are_found_but_not_allowed(
    directory: AccountCatalogue, request_: str, tool: str
) -> None:
    found = await ToolSelector(directory).rank(run_of(), request_)
    assert [(one.tool.name, one.allowed) for one in found] == [(tool, False)]


async def test_named_tools_are_all_that_is_found(directory: AccountCatalogue) -> None:
    found = await ToolSelector(directory).rank(run_of(tools=["file_write", "text_reverse_order"]), ASKED)
    assert [one.tool.name for one in found] == ["file_write", "text_reverse_order"]
    assert "overwrite" in found[0].tool.input_schema["properties"]["mode"]["enum"]


async def test_named_tools_that_the_classifier_knows_have_a_lead(directory: AccountCatalogue) -> None:
    named = run_of(tools=["text_reverse_order", "math_evaluate_expression"])
    first, other = await ToolSelector(directory, Classifier("math_evaluate_expression")).rank(named, ASKED)
    assert (first.tool.name, other.tool.name) == ("math_evaluate_expression", "text_reverse_order")
    assert first.lead > 0 == other.lead
    assert [one.lead for one in await ToolSelector(directory, Classifier(NO_TOOL)).rank(named, "thanks!")] == [0.0, 0.0]


def names_in(request: dict[str, Any]) -> list[str]:
    return [tool["function"]["name"] for tool in request.get("tools", ())]


def test_a_tool_that_the_model_found_can_be_called_in_its_next_step(client: Client, model: ModelServer) -> None:
    model.answers += [
        Answer(tool=SEARCH, arguments={"query": "Roman numerals"}),
        Answer(tool="number_convert_roman", arguments={"number": "XIV"}),
        Answer("It is 14."),
    ]
    reply = data(client.post("/chat", {"message": "你好"}))
    assert names_in(model.requests[0]) == [SEARCH]
    assert "number_convert_roman" in names_in(model.requests[1])
    assert reply["tools_used"] == [SEARCH, "number_convert_roman"]


def test_a_tool_that_has_to_be_named_is_refused_with_the_reason(client: Client, model: ModelServer) -> None:
    model.answers += [Answer(tool="note_delete", arguments={"note_id": 1}), Answer("I may not.")]
    data(client.post("/chat", {"message": "Delete my note"}))
    assert "The caller must name it" in model.requests[1]["messages"][-1]["content"]


@given(name=st.text())
@example(name="a_tool")
@example(name="tool_search_again")
def test_only_a_search_finds_tools(name: str) -> None:
    result = '{"tools": [{"name": "file_delete"}]}'
    thread = RunConversation("", [], [Message("tool", result, tool_name=name), Message("user", result)])
    assert found_tools(thread) == (["file_delete"] if name == SEARCH else [])
    assert found_tools(RunConversation("", [], [Message("tool", result, tool_name=SEARCH)])) == ["file_delete"]
