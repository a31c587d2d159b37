"""File format and maths of the trained heads (`number_matcher`, `span_extractor`): arrays with a row per argument."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Arguments = Mapping[str, Sequence[str]]
"""The argument names of each tool, in row order."""


def read_arrays(path: Path) -> tuple[dict[str, Floats], Arguments]:
    """Read a file that `to_bytes` wrote."""
    with np.load(path) as file:
        tools: dict[str, list[str]] = {}
        for tool, argument in file["arguments"]:
            tools.setdefault(str(tool), []).append(str(argument))
        return {name: file[name].astype(np.float32) for name in file.files if name != "arguments"}, tools


def to_bytes(arrays: Mapping[str, Floats], tools: Arguments) -> bytes:
    """Serialise arrays by name (as float16 NPZ), with the tool and argument of each row."""
    file = BytesIO()
    halved: dict[str, Any] = {name: array.astype(np.float16) for name, array in arrays.items()}
    names = [(tool, argument) for tool, arguments in tools.items() for argument in arguments]
    np.savez_compressed(file, arguments=np.array(names), **halved)
    return file.getvalue()


def argument_rows(tools: Arguments) -> dict[str, dict[str, int]]:
    """Map each tool to the rows of its arguments."""
    rows: dict[str, dict[str, int]] = {}
    first = 0
    for tool, names in tools.items():
        rows[tool] = {name: first + place for place, name in enumerate(names)}
        first += len(names)
    return rows


def nearness(axes: int) -> float:
    """Return the scale of a dot product of two vectors with `axes` dimensions."""
    return float(2 / np.sqrt(axes))


def softmax(scores: Floats) -> Floats:
    """Return the softmax of `scores` along the last axis."""
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return shares
