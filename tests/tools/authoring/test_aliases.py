"""Old names of tools: calls by them get an answer, under the old names of arguments."""

from typing import Annotated, Any, Literal

import pytest
from typing_extensions import TypedDict

from retinue.core.errors import ValidationFailed
from retinue.tools.authoring.aliases import entries
from retinue.tools.authoring.declare import About, Alias, Declaration, Example, Refusal
from retinue.tools.authoring.schema_from_function import DeclarationError
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.argument_validation import ArgumentChecker
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.catalogue.catalogue_file import CompiledCatalogue
from retinue.tools.selection.selector import Query
from tests.support.client import Client, data, refuse


class Shown(TypedDict):
    """What is shown."""

    text: Annotated[str, About("The text")]


def thing_show_text(
    text: Annotated[str, About("The text", "hello", max_length=20)],
    form: Annotated[Literal["plain", "loud"], About("How it is shown")] = "plain",
) -> Shown:
    """Show a text as it is, or loud, for tests of aliases."""
    return {"text": text.upper() if form == "loud" else text}


def declare_tool(*aliases: Alias, **options: Any) -> list[Tool]:
    thing_show_text.__module__ = "retinue_tools.text.anything"
    examples: list[Example | Refusal] = [
        Example({"text": "a"}, {"text": "a"}, "by hand"),
        Example({"text": "a", "form": "loud"}, {"text": "A"}, "by hand"),
        Refusal({"text": 1}, "text must be text"),
    ]
    return entries(Declaration(thing_show_text, ["t"], ["Show it"], examples, aliases=aliases, **options))


LOUD = Alias("thing_shout_words", {"words": "text"}, {"form": "loud"})
PLAIN = Alias("thing_show_words", {"words": "text"}, {"form": "plain"})


def test_an_alias_has_the_old_arguments_and_the_examples_that_it_can_make() -> None:
    tool, loud, plain = declare_tool(LOUD, PLAIN)
    assert (loud.name, loud.superseded_by, loud.function, loud.module) == (
        "thing_shout_words",
        tool.name,
        tool.name,
        tool.module,
    )
    assert [*loud.input_schema["properties"]] == loud.input_schema["required"] == ["words"]
    assert [example["args"] for example in loud.examples] == [{"words": "a"}]
    assert [example["result"] for example in plain.examples] == [{"text": "a"}]
    assert (loud.use_when, tool.superseded_by) == ([], None)


def test_old_arguments_and_constants_become_those_of_the_function() -> None:
    _, loud = declare_tool(LOUD)
    checked = ArgumentChecker(loud).check({"words": "hello"})
    assert loud.function_arguments(checked) == {"text": "hello", "form": "loud"}
    with pytest.raises(ValidationFailed, match="form is not known"):
        ArgumentChecker(loud).check({"words": "hello", "form": "plain"})


@pytest.mark.parametrize(
    ("alias", "reason"),
    [
        (Alias("Shout"), "two or more lower-case words"),
        (Alias("thing_shout_words", {"words": "letters"}), "has no argument letters"),
        (Alias("thing_shout_words", {}, {"volume": 11}), "has no argument volume"),
        (Alias("thing_shout_words", {}, {"form": "quiet"}), "'quiet' is no choice of form"),
        (Alias("thing_shout_words", {"form": "text"}), "cannot have the same name"),
        (Alias("thing_shout_words", {"a": "text", "b": "text"}), "cannot have the same name"),
        (Alias("thing_shout_words", {}, {"text": "never"}), "no example"),
    ],
)
def test_a_mistake_in_an_alias_is_told(alias: Alias, reason: str) -> None:
    with pytest.raises(DeclarationError, match=reason):
        declare_tool(alias)


def test_the_classifier_maps_an_old_name_to_its_successor() -> None:
    catalogue = Catalogue(CompiledCatalogue.of(declare_tool(LOUD)))
    asked = Query("anything", 1.0, {"thing_shout_words": 5.0, "": 0.0})
    assert catalogue.part(asked).query.likelihoods == {"thing_show_text": 5.0, "": 0.0}
    both = Query("anything", 1.0, {"thing_shout_words": 5.0, "thing_show_text": 5.0, "": 0.0})
    assert (catalogue.part(both).query.likelihoods or {})["thing_show_text"] == pytest.approx(5.693147)
    assert [*catalogue.names()] == ["thing_show_text"]


def test_a_call_by_an_old_name_is_answered(client: Client) -> None:
    call = {"args": {"document": {"a": 1}}}
    assert data(client.post("/tools/json_convert_to_toml/execute", call))["result"] == {"text": "a = 1\n"}
    shown = data(client.get("/tools/json_convert_to_toml"))
    assert shown["superseded_by"] == "json_convert_to_settings"
    assert shown["input_schema"]["required"] == ["document"]
    listed = data(client.get("/tools", params={"search": "json_convert_to_toml"}))
    assert "json_convert_to_toml" not in [tool["name"] for tool in listed]
    wrong = {"args": {"document": {"a": 1}, "form": "ini"}}
    refuse(client.post("/tools/json_convert_to_toml/execute", wrong), 400, "form is not known")
