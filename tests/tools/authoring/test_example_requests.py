"""Requests that people make, as the catalogue keeps them."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from retinue.tools.authoring.example_requests import FILE, precedents, talk
from retinue.tools.authoring.libraries import libraries
from retinue.tools.catalogue.catalogue import Catalogue

QUESTIONS = Path(__file__).parents[3] / "bench/questions"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.load()


def requests() -> Iterator[tuple[str, str]]:
    """Each request with the category whose file it is in."""
    for path in (path for library in libraries() for path in library.folder.glob(f"*/{FILE}")):
        with path.open(newline="") as file:
            yield from ((row[1], path.parent.name) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_every_tool_takes_the_arguments_of_its_precedents(catalogue: Catalogue) -> None:
    assert len(precedents()) > 900
    for name, known in precedents().items():
        tool = catalogue.get(name)
        assert [*map(tuple, tool.precedents)] == [*map(tuple, known)]
        for _, arguments in known:
            catalogue.check(tool, orjson.loads(arguments))


def test_precedents_stand_with_their_category(catalogue: Catalogue) -> None:
    homes = dict(requests())
    for name, known in precedents().items():
        assert {homes[request] for request, _ in known} == {catalogue.get(name).category}


def test_no_request_is_there_twice_or_among_those_that_measure() -> None:
    measuring = {
        line.split("\t")[1].casefold() for path in QUESTIONS.glob("*/*.tsv") for line in path.read_text().splitlines()
    }
    asked = Counter(request.casefold() for request in [*(request for request, _ in requests()), *talk()])
    assert [request for request, count in asked.items() if count > 1] == []
    assert asked.keys() & measuring == set()
