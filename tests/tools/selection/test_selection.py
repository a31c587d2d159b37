"""Which tools a conversation needs: ranking, the threshold, languages, and tools that nothing was learned about."""

from pathlib import Path
from typing import NamedTuple

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.language.text_features import features
from retinue.language.text_normalization import stem
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.catalogue.source_catalogue import SourceCatalogue
from retinue.tools.imports.account_catalogue import OwnCatalogue
from retinue.tools.plugins.tools import CompiledTool
from retinue.tools.selection.query_terms import query_terms
from retinue.tools.selection.selector import Query
from retinue.tools.selection.tool_need import ToolNeedClassifier
from tests.support.sampling import EXHAUSTIVE
from tests.tools.made_up import make_tool

HERE = Path(__file__).parents[1]
RANKED = 200
"""Tools of a ranking."""
OFFERED = 8
"""Tools that fit into the usual room for them."""


class Labelled(NamedTuple):
    """A request, its language, and the tools that answer it."""

    language: str
    request: str
    tools: set[str]


def decode(definition: bytes) -> Tool:
    """A tool that is kept as JSON."""
    return Tool(**orjson.loads(definition))


def label(file: str) -> list[Labelled]:
    """Requests that need a tool, and those that need none."""
    rows = (line.split("\t") for line in (HERE / file).read_text().splitlines())
    return [Labelled(language, request, {*tools.split(" | ")} - {"-"}) for language, request, tools in rows]


TUNING, HELD_OUT = label("selection_tuning.tsv"), label("selection_held_out.tsv")


def first(catalogue: Catalogue, *said: str) -> list[str]:
    """The tools for a conversation, the last message first; none where none is needed."""
    ranking = catalogue.rank([Query(text, 1.0 if place == 0 else 0.4) for place, text in enumerate(said)])
    return [name for name, _ in ranking.tools[:OFFERED]] if ranking.evidence >= 0 else []


@pytest.mark.parametrize(
    "request_", ["Turn this to upper case: paid an invoice", "Turn 'paid an invoice' to upper case"]
)
def test_words_of_quoted_data_weigh_less_than_those_of_the_request(request_: str) -> None:
    weights = query_terms(request_)
    assert (weights[stem("turn")], weights[stem("upper")]) == (1, 1)
    assert 0 < weights[stem("paid")] == weights[stem("invoice")] < 1


def test_every_label_is_a_tool(catalogue: Catalogue) -> None:
    assert {name for one in (*TUNING, *HELD_OUT) for name in one.tools} <= {*catalogue.names()}


def test_requests_in_english_get_their_tool_by_their_words(catalogue: Catalogue) -> None:
    asked = [one for one in HELD_OUT if one.language == "en" and one.tools]
    right = [not one.tools.isdisjoint(first(catalogue, one.request)) for one in asked]
    assert sum(right) / len(right) >= 0.95


def test_small_talk_gets_no_tools_in_any_language(catalogue: Catalogue) -> None:
    talk = [one for one in (*TUNING, *HELD_OUT) if not one.tools]
    left_alone = [first(catalogue, one.request) == [] for one in talk]
    assert sum(left_alone) / len(left_alone) >= 0.88


def test_requests_that_no_tool_serves_get_none(catalogue: Catalogue) -> None:
    rows = [line.split("\t") for line in (HERE / "colloquial.tsv").read_text().splitlines()]
    asked = [request for request, tools in rows if tools == "-"]
    assert [request for request in asked if first(catalogue, request)] == []


def test_an_imported_tool_may_add_an_ability(catalogue: Catalogue) -> None:
    """The tools of an account, and those of other authors, stand beside the catalogue."""
    asked = "What will the weather be tomorrow in Paris?"
    tool = make_tool("forecast_show_weather", description="Show the weather forecast of a place, today and tomorrow.")
    own = SourceCatalogue([CompiledTool(tool.name, orjson.dumps(tool).decode())], catalogue.index, decode)
    both = OwnCatalogue(catalogue, [own])
    assert catalogue.search(asked, None, None, 0, 5) == (0, [])
    assert both.find(asked, None, None, 0, 1)[1] == [tool]
    ranking = both.rank([Query(asked)])
    assert ranking.evidence >= 0
    assert tool.name in [name for name, _ in ranking.tools[:OFFERED]]


def test_a_follow_up_is_read_with_the_previous_message(catalogue: Catalogue) -> None:
    assert "unit_convert_quantity" in first(catalogue, "and 25?", "How many miles are 10 kilometres?")
    assert "unit_convert_quantity" not in first(catalogue, "and 25?")


def test_thanks_need_no_tool_whatever_came_before(catalogue: Catalogue) -> None:
    assert first(catalogue, "thanks!", "How many miles are 10 kilometres?") == []


def test_a_new_subject_does_not_get_the_tools_of_the_last_one(catalogue: Catalogue) -> None:
    found = first(catalogue, "Is 4111 1111 1111 1111 a valid card number?", "How many miles are 10 kilometres?")
    assert found[0] == "card_validate_number"


def test_a_new_tool_is_found_and_ranked_without_training(catalogue: Catalogue) -> None:
    """One declaration is all there is of it: no example requests, and the classifier does not know it."""
    tool = make_tool(
        "beehive_estimate_honey",
        description="Estimate how much honey a beehive yields in a season.",
        tags=["beehive", "honey"],
        use_when=["How much honey will 3 hives give?"],
    )
    grown = Catalogue([orjson.dumps(one) for one in (*catalogue, tool)])
    asked = "How much honey can I expect from 5 beehives this season?"
    likelihoods = dict.fromkeys(catalogue.names(), -9.0) | {"unit_convert_quantity": 1.0, "": 0.0}
    for query in (Query(asked), Query(asked, 1.0, likelihoods)):
        ranking = grown.rank([query])
        assert "beehive_estimate_honey" in [name for name, _ in ranking.tools[:3]]
        assert ranking.evidence >= 0
    assert grown.find("honey of beehives", None, None, 0, 1)[1][0].name == "beehive_estimate_honey"


def test_the_classifier_decides_where_words_are_unknown(catalogue: Catalogue) -> None:
    asked = "Quel temps de cuisson ?"
    likelihoods = dict.fromkeys(catalogue.names(), 0.0) | {"cooking_convert_measure": 20.0, "": 0.0}
    ranking = catalogue.rank([Query(asked, 1.0, likelihoods)])
    assert ranking.tools[0][0] == "cooking_convert_measure"
    assert ranking.evidence > catalogue.rank([Query(asked)]).evidence
    nothing = dict.fromkeys(catalogue.names(), 0.0) | {"": 40.0}
    assert catalogue.rank([Query(asked, 1.0, nothing)]).evidence < 0


@EXHAUSTIVE
def test_a_search_by_its_title_finds_every_tool(catalogue: Catalogue) -> None:
    def find(name: str) -> bool:
        return name in [tool.name for tool in catalogue.find(name.replace("_", " "), None, None, 0, 10)[1]]

    assert [name for name in catalogue.names() if not find(name)] == []


@given(st.text(max_size=200))
def test_any_conversation_can_be_ranked(catalogue: Catalogue, text: str) -> None:
    ranking = catalogue.rank([Query(text), Query(text[::-1], 0.4)])
    scores = [score for _, score in ranking.tools]
    assert scores == sorted(scores, reverse=True)
    names = {name for name, _ in ranking.tools}
    assert names <= {*catalogue.names()}
    assert len(names) == len(scores) == RANKED


REQUESTS = ["convert 5 km to miles", "what is 3 + 4", "convert 7 lb to kg"]
TALK = ["how are you today", "what do you think of the sea", "how is the weather today"]


@pytest.mark.parametrize(("text", "needed"), [("convert 3 oz to g", True), ("how do you like today", False)])
def test_need_is_learned_from_requests_and_talk(text: str, needed: bool) -> None:
    need = ToolNeedClassifier.of(map(features, REQUESTS), map(features, TALK))
    assert (need.of_request(features(text)) > 0) == needed


@given(st.text(max_size=100))
def test_need_is_the_same_after_keeping(text: str) -> None:
    need = ToolNeedClassifier.of(map(features, REQUESTS), map(features, TALK))
    kept = ToolNeedClassifier.restore(orjson.loads(orjson.dumps(need.store())))
    assert kept.of_request(features(text)) == pytest.approx(need.of_request(features(text)), abs=1e-5)


def test_without_requests_nothing_is_known() -> None:
    assert ToolNeedClassifier.of([], []).of_request(features("convert 5 km")) == 0
