"""The file of the trained heads (`tool_classifier`, `number_matcher`, `span_extractor`), and maths that they share.

The file is an NPZ with an entry `HEAD/ARRAY` for each array. Matrices are int8, and their `HEAD/ARRAY/scales` has the
scale of each row; vectors are float32. `HEAD/tools` is JSON. `training/` writes the file.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Arguments = Mapping[str, Sequence[str]]
"""The argument names of each tool, in row order."""

FILE = Path(__file__).with_name("heads.npz")
_STEPS = 63
"""The largest quantised value: with 127, the file would be a seventh larger, more than the 1.5 MB that it may have."""


class Head(NamedTuple):
    """The arrays of a head by name, and its tools with their arguments, in row order."""

    arrays: Mapping[str, Floats]
    tools: Arguments


def read_head(name: str, path: Path = FILE) -> Head:
    """Read one head from a file that `write_heads` wrote."""
    with np.load(path) as file:
        stored = {key.removeprefix(f"{name}/"): file[key] for key in file.files if key.startswith(f"{name}/")}
    tools = orjson.loads(stored.pop("tools").tobytes())
    arrays = {key: array * stored.get(f"{key}/scales", 1) for key, array in stored.items() if "/" not in key}
    return Head(arrays, tools)


def write_heads(heads: Mapping[str, Head], path: Path) -> None:
    """Write a file with these heads, by name."""
    stored: dict[str, NDArray[Any]] = {}
    for name, head in heads.items():
        stored[f"{name}/tools"] = np.frombuffer(orjson.dumps(head.tools), np.uint8)
        for key, array in head.arrays.items():
            stored |= _quantize(f"{name}/{key}", array)
    np.savez_compressed(path, **stored)  # type: ignore[arg-type]  # its type gives every keyword the type of one option


def _quantize(key: str, array: Floats) -> dict[str, NDArray[Any]]:
    if array.ndim == 1:
        return {key: array.astype(np.float32)}
    scales = np.abs(array).max(axis=-1, keepdims=True) / _STEPS
    steps = np.round(array / np.where(scales > 0, scales, 1))
    return {key: steps.astype(np.int8), f"{key}/scales": scales.astype(np.float32)}


def argument_rows(tools: Arguments) -> dict[str, dict[str, int]]:
    """Map each tool to the rows of its arguments."""
    rows: dict[str, dict[str, int]] = {}
    first = 0
    for tool, names in tools.items():
        rows[tool] = {name: first + place for place, name in enumerate(names)}
        first += len(names)
    return rows


def similarity_scale(axes: int) -> float:
    """Return the scale of a dot product of two vectors with `axes` dimensions."""
    return float(2 / np.sqrt(axes))


def softmax(scores: Floats) -> Floats:
    """Return the softmax of `scores` along the last axis."""
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return shares
