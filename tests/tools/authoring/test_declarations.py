"""The rules that every declared tool keeps, and what happens to one that does not."""

from typing import Annotated, Any, Literal, NotRequired

import pytest
from typing_extensions import TypedDict

from retinue.tools.authoring.declare import About, Declaration, Example, Refusal
from retinue.tools.authoring.schema_from_function import DeclarationError, entry, input_schema, result_schema
from retinue.tools.authoring.tool import CATEGORIES
from retinue.tools.catalogue.catalogue import Catalogue

Size = Annotated[int, About("How large", 3, minimum=1, maximum=9)]


class Part(TypedDict):
    """A part."""

    name: Annotated[str, About("Its name", "bolt")]


class Made(TypedDict):
    """What was made."""

    parts: list[Part]
    note: NotRequired[str]


def thing_make_parts(
    size: Size,
    parts: Annotated[list[Part], About("Parts", [])],
    shape: Literal["round", "flat"],
    label: Annotated[str | None, About("A label", "x")] = None,
) -> Made:
    """Make parts of a thing, for tests of the schema."""
    return {"parts": parts}


def declaration(function: Any = thing_make_parts, **changes: Any) -> Declaration:
    function.__module__ = "retinue_tools.text.anything"
    fields = {"tags": ["t"], "use_when": ["why"], "examples": [Example({}, {}, "by hand")]}
    return Declaration(function, **{**fields, **changes})


def test_arguments_become_a_schema_without_references_titles_or_nulls() -> None:
    assert input_schema(thing_make_parts) == {
        "type": "object",
        "additionalProperties": False,
        "required": ["size", "parts", "shape"],
        "properties": {
            "size": {"type": "integer", "description": "How large", "examples": [3], "minimum": 1, "maximum": 9},
            "parts": {
                "type": "array",
                "description": "Parts",
                "examples": [[]],
                "items": {
                    "type": "object",
                    "description": "A part.",
                    "additionalProperties": False,
                    "properties": {"name": {"type": "string", "description": "Its name", "examples": ["bolt"]}},
                    "required": ["name"],
                },
            },
            "shape": {"type": "string", "enum": ["round", "flat"]},
            "label": {"type": "string", "description": "A label", "examples": ["x"]},
        },
    }


def test_an_optional_argument_keeps_its_own_description_and_the_bounds_of_its_type() -> None:
    def measure(gap: Annotated[Size | None, About("How far apart")] = None) -> None: ...

    assert input_schema(measure)["properties"]["gap"] == {
        "type": "integer",
        "description": "How far apart",
        "examples": [3],
        "minimum": 1,
        "maximum": 9,
    }


def test_the_result_becomes_a_schema() -> None:
    schema = result_schema(thing_make_parts)
    assert schema["required"] == ["parts"]
    assert schema["properties"]["note"] == {"type": "string"}


def test_all_faults_are_told_at_once() -> None:
    def bad(first: int) -> int:
        """Short."""
        return first

    with pytest.raises(DeclarationError) as broken:
        entry(declaration(bad, tags=[], examples=[Refusal({}, "no")]))
    for part in ("name", "docstring", "tags", "Example", "argument first needs a description", "TypedDict"):
        assert part in str(broken.value)


def test_an_argument_without_description_is_a_fault() -> None:
    with pytest.raises(DeclarationError, match="argument shape needs a description"):
        entry(declaration())


def test_every_tool_is_well_described(catalogue: Catalogue) -> None:
    tools = list(catalogue)
    assert len({tool.name for tool in tools}) == len({tool.description for tool in tools}) == len(tools) >= 10
    for tool in tools:
        assert tool.category in CATEGORIES
        assert len(tool.description) >= 20
        assert len(tool.name) <= 48
        assert tool.module.startswith(f"retinue_tools.{tool.category}.")
        for schema in tool.input_schema["properties"].values():
            assert schema["description"]


def test_every_example_names_its_source_and_every_tool_has_one(catalogue: Catalogue) -> None:
    for tool in catalogue:
        examples = [example for example in tool.examples if "result" in example]
        assert examples
        assert all(example["source"] for example in examples)
        # What is random has no value to expect: its schema, and what other tools read in it, prove it.
        assert not tool.idempotent or all(example["result"] or example["then"] for example in examples), tool.name
