"""Reads and writes files of trained heads: that of the tool classifier, and those of an assistant.

A file is an NPZ with an entry `HEAD/ARRAY` for each array. Matrices are int8, and their `HEAD/ARRAY/scales` has the
scale of each row; vectors are float32. `HEAD/tools` is JSON.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Arguments = Mapping[str, Sequence[str]]
"""The argument names of each tool, in row order."""

FILE = Path(__file__).with_name("tool_classifier.npz")
"""The trained head of the tool classifier."""

_STEPS = 63
"""The largest quantised value: with 127, all files would be a seventh larger, more than their limit of 1.5 MB."""


class Head(NamedTuple):
    """The arrays of a head by name, and its tools with their arguments, in row order."""

    arrays: Mapping[str, Floats]
    tools: Arguments


def read_head(name: str, path: Path) -> Head:
    """Read one head from a file that `write_heads` wrote."""
    with np.load(path) as file:
        stored = {key.removeprefix(f"{name}/"): file[key] for key in file.files if key.startswith(f"{name}/")}
    tools = orjson.loads(stored.pop("tools").tobytes())
    arrays = {key: array * stored.get(f"{key}/scales", 1) for key, array in stored.items() if "/" not in key}
    return Head(arrays, tools)


def write_heads(heads: Mapping[str, Head], path: Path) -> None:
    """Write a file with these heads, by name."""
    stored: dict[str, NDArray[np.generic]] = {}
    for name, head in heads.items():
        stored[f"{name}/tools"] = np.frombuffer(orjson.dumps(head.tools), np.uint8)
        for key, array in head.arrays.items():
            stored |= _quantize(f"{name}/{key}", array)
    np.savez_compressed(path, **stored)  # type: ignore[arg-type]  # its type gives every keyword the type of one option


def _quantize(key: str, array: Floats) -> dict[str, NDArray[np.generic]]:
    if array.ndim == 1:
        return {key: array.astype(np.float32)}
    scales = np.abs(array).max(axis=-1, keepdims=True) / _STEPS
    steps = np.round(array / np.where(scales > 0, scales, 1))
    return {key: steps.astype(np.int8), f"{key}/scales": scales.astype(np.float32)}
