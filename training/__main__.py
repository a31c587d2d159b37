"""`python -m training FOLDER`: learn the directions of all tools with the weights in FOLDER, and write their file."""

import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from retinue.models.directions import FILE, LENGTH, NO_TOOL, Direction, Directions
from retinue.tools.catalogue import Catalogue
from retinue.tools.precedents import talk
from training.places import places
from training.regression import Learned, Numbers, learned

_BALANCE = 0.6
"""The share of the logarithm of how many requests a tool has, that it gains nothing by."""
_STEPS, _DIGITS, _TOLD_EVERY = 127, 5, 200


def main() -> None:
    """Learn from all precedents, and write."""
    asked = {tool.name: [request for request, _ in tool.precedents] for tool in Catalogue.load() if tool.precedents}
    asked[NO_TOOL] = list(talk())
    FILE.write_bytes(directions(Path(sys.argv[1]).expanduser(), asked).written())


def directions(weights_folder: Path, asked: Mapping[str, Sequence[str]]) -> Directions:
    """Of each tool the direction, learned from its requests."""
    texts = list(chain.from_iterable(asked.values()))
    rows = np.array(list(_told(places(weights_folder, texts), len(texts))), np.float32)
    means, spreads = rows.mean(axis=0), rows.std(axis=0)
    centred = (rows - means) / spreads
    classes = np.repeat(np.arange(len(asked)), [len(requests) for requests in asked.values()])
    found = learned(centred * (LENGTH / np.linalg.norm(centred, axis=1, keepdims=True)), classes, len(asked))
    found = found._replace(biases=found.biases - _advantages(asked))
    return Directions(_rounded(means), _rounded(spreads), dict(zip(asked, _kept(found), strict=True)))


def _told(found: Iterable[list[float]], number: int) -> Iterator[list[float]]:
    """The same, with word of how far it is: two cores place five requests a second."""
    for count, place in enumerate(found, 1):
        if count % _TOLD_EVERY == 0:
            print(f"{count} of {number} requests placed", flush=True)
        yield place


def _advantages(asked: Mapping[str, Sequence[str]]) -> Numbers:
    """What is taken off those tools that have many requests: that they do says little of how often they are meant."""
    numbers = np.array([len(requests) for requests in asked.values()], np.float32)
    tools = np.array([name != NO_TOOL for name in asked])
    return np.where(tools, _BALANCE * np.log(numbers / np.median(numbers[tools])), 0.0)


def _kept(found: Learned) -> list[Direction]:
    """Each direction in whole steps."""
    scales = np.abs(found.directions).max(axis=0) / _STEPS
    steps = np.round(found.directions / scales).astype(np.int8)
    return [
        Direction(array("b", steps[:, place].tobytes()), float(scale), float(bias))
        for place, (scale, bias) in enumerate(zip(scales, found.biases, strict=True))
    ]


def _rounded(numbers: Numbers) -> Sequence[float]:
    return [round(float(one), _DIGITS) for one in numbers]


if __name__ == "__main__":
    main()
