"""Every field of a result, argument and choice of every tool occurs in an example.

`uncovered_by_examples.txt` lists the exceptions, one tool a line. It may only get shorter: a new gap and an exception
that is no longer needed both fail.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.catalogue import Catalogue

EXCEPTIONS = Path(__file__).parents[1] / "uncovered_by_examples.txt"
LARGEST = 3_223
"""How many exceptions there are. Lower it when examples are added."""

NOTES = ("data_analysis", "notes")
"""All table tools get this field from one place, which `library/data_analysis/test_exports.py` tests."""

Examples = Sequence[Mapping[str, Any]]


def gaps(tool: Tool) -> list[str]:
    """The parts of a tool that none of its examples with a result has, each with its kind."""
    examples = [example for example in tool.examples if "result" in example]
    arguments = tool.input_schema["properties"].items()
    return [
        *(
            f"result.{name}"
            for name in tool.result_schema["properties"]
            if not _has(examples, "result", name) and (tool.category, name) != NOTES
        ),
        *(f"argument.{name}" for name, _ in arguments if not _has(examples, "args", name)),
        *(
            f"choice.{name}={choice}"
            for name, schema in arguments
            for choice in _unused_choices(name, schema, examples)
        ),
    ]


def _has(examples: Examples, part: str, name: str) -> bool:
    return any(name in example[part] for example in examples)


def _unused_choices(name: str, schema: Mapping[str, Any], examples: Examples) -> Iterator[Any]:
    """The choices of an argument that no example makes; one that leaves it out makes its default."""
    used = [example["args"].get(name, schema.get("default")) for example in examples]
    return (choice for choice in schema.get("enum", ()) if choice not in used)


def uncovered_lines(tools: Catalogue) -> str:
    """The content of the file of exceptions: the name of a tool and its gaps, separated by tabs."""
    named = (tool for tool in tools if not tool.alias_of)
    lines = ("\t".join([tool.name, *missing]) + "\n" for tool in named if (missing := gaps(tool)))
    return "".join(lines)


def test_examples_cover_each_field_argument_and_choice(catalogue: Catalogue) -> None:
    expected, found = EXCEPTIONS.read_text().splitlines(), uncovered_lines(catalogue).splitlines()
    new, needless = sorted({*found} - {*expected}), sorted({*expected} - {*found})
    assert (new, needless) == ([], []), f"Add examples for the new gaps, and take what is covered out of {EXCEPTIONS}"
    assert sum(line.count("\t") for line in expected) <= LARGEST


def test_a_gap_of_each_kind_is_found(catalogue: Catalogue) -> None:
    tool = catalogue.get("hash_compute_digest")
    bare = [{"args": {"text": "abc"}, "result": {}}]
    missing = gaps(Tool(**{name: getattr(tool, name) for name in tool.__slots__} | {"examples": bare}))
    assert {"result.hex", "argument.algorithm", "choice.algorithm=md5"} <= {*missing}
    assert "argument.text" not in missing
    assert "choice.algorithm=sha256" not in missing
