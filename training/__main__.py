"""`python -m training FOLDER`: learn from all precedents with the weights in FOLDER, and write what was learned."""

import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, zip_longest
from pathlib import Path

import numpy as np

from retinue.models import directions, roles
from retinue.models.encoder import Encoded
from retinue.tools.base import Tool
from retinue.tools.catalogue import Catalogue
from retinue.tools.precedents import talk
from training.descent import Numbers
from training.directions import learned_directions
from training.encodings import encodings
from training.roles import Told, descriptions, learned_roles, told

Encode = Callable[[Sequence[str]], Iterable[Encoded]]


def main() -> None:
    """Learn, and write."""
    folder = Path(sys.argv[1]).expanduser()
    found = learned(
        [tool for tool in Catalogue.load() if tool.precedents], talk(), lambda texts: encodings(folder, texts)
    )
    directions.FILE.write_bytes(found[0].written())
    roles.FILE.write_bytes(found[1].written())


def learned(tools: Sequence[Tool], plain: Sequence[str], encode: Encode) -> tuple[directions.Directions, roles.Roles]:
    """What the precedents of tools teach, beside requests that need none (`plain`)."""
    asked = {tool.name: [request for request, _ in tool.precedents] for tool in tools} | {directions.NO_TOOL: [*plain]}
    told_of = {tool.name: [*descriptions(tool)] for tool in tools}
    found = encode([*chain.from_iterable((*asked.values(), *told_of.values()))])
    places, numbers = _read(found, tools)
    requests = sum(map(len, asked.values()))
    names = {tool.name: [*tool.input_schema.get("properties", {})] for tool in tools}
    return learned_directions(places[:requests], asked), learned_roles(numbers, names, places[requests:])


def _read(found: Iterable[Encoded], tools: Sequence[Tool]) -> tuple[Numbers, list[Told]]:
    """The places of all texts, and the numbers of precedents, which come first."""
    places: list[Numbers] = []
    numbers: list[Told] = []
    precedents = ((tool.name, arguments) for tool in tools for _, arguments in tool.precedents)
    for one, precedent in zip_longest(found, precedents):
        places.append(np.array(one.place, np.float32))
        if precedent:
            numbers += told(precedent[0], precedent[1], one)
    return np.array(places), numbers


if __name__ == "__main__":
    main()
