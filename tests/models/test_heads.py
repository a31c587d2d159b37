"""Files of trained heads: written values are read back, and the shipped files are small."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from retinue.models.heads import FILE as CLASSIFIER_FILE
from retinue.models.heads import Head, read_head, write_heads
from retinue_assistant.heads.request_hints import FILE as HEADS_FILE

ROOT = Path(__file__).parents[2]
NUMBERS = st.floats(-1000, 1000, width=32, allow_subnormal=False)
TOOLS = st.dictionaries(st.text(max_size=9), st.lists(st.text(max_size=9), max_size=3), max_size=5)


@given(arrays(np.float32, (3, 2, 4), elements=NUMBERS), arrays(np.float32, 5, elements=NUMBERS), TOOLS)
def test_written_values_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: np.ndarray, vector: np.ndarray, tools: dict[str, list[str]]
) -> None:
    path = tmp_path_factory.mktemp("heads") / "heads.npz"
    write_heads({"one": Head({"rows": rows, "vector": vector}, tools), "other": Head({"rows": vector}, {})}, path)
    read = read_head("one", path)
    assert [*read.tools.items()] == [*tools.items()]
    assert read.arrays.keys() == {"rows", "vector"}
    assert np.array_equal(read.arrays["vector"], vector)
    largest = np.abs(rows).max(axis=-1, keepdims=True)
    assert (np.abs(read.arrays["rows"] - rows) <= largest / 120).all()


def test_the_trained_files_are_small_and_there_are_no_others() -> None:
    kinds = ("npz", "npy", "bin")
    found = {path for folder in ("src", "packages") for kind in kinds for path in (ROOT / folder).rglob(f"*.{kind}")}
    assert found == {CLASSIFIER_FILE, HEADS_FILE}
    assert sum(path.stat().st_size for path in found) < 1_500_000
