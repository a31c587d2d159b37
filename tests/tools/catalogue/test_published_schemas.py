"""The arguments, results, effects and prices of tools are those on record: a changed bound breaks callers."""

from dataclasses import replace

from retinue.tools.catalogue.catalogue import Catalogue
from tests.tools.published_schemas import SNAPSHOT, tool_lines


def test_the_schemas_of_tools_match_the_record(catalogue: Catalogue) -> None:
    difference = SNAPSHOT.difference(tool_lines(catalogue))
    assert not difference, difference


def test_another_bound_is_a_difference_and_other_words_are_none(catalogue: Catalogue) -> None:
    tool = catalogue.get("stats_compute_coincidence")
    properties = tool.input_schema["properties"]
    reworded = {**properties, "items": {**properties["items"], "description": "How many"}}
    changed = {**properties, "items": {**properties["items"], "minimum": 3}}
    lines = [
        tool_lines([replace(tool, input_schema={"properties": each})])[0] for each in (properties, reworded, changed)
    ]
    assert lines[0] == lines[1] != lines[2]
