"""Anchors, aliases and merge keys of YAML, and the limits of what they stand for."""

import re
import time
import tracemalloc
from contextlib import suppress
from itertools import pairwise

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.errors import ValidationFailed
from retinue.tools.imports import documents, openapi

SHARED = b"""
openapi: 3.1.0
x-parameters:
  - &page {name: page, in: query, schema: &number {type: integer, minimum: 1}}
x-common: &common
  description: It returns one page.
  parameters: [*page]
paths:
  /pets:
    get: {<<: *common, operationId: listPets}
  /toys:
    get:
      operationId: listToys
      <<: [{description: It returns all toys.}, *common]
      parameters:
        - *page
        - {name: size, in: query, schema: {<<: *number, maximum: 9}}
"""


def test_anchors_are_used_as_if_they_were_written_out() -> None:
    pets, toys = openapi.tools_of(documents.read(SHARED), openapi.DocumentSource("x", "web"))
    assert pets.description.startswith("It returns one page.")
    assert toys.description.startswith("It returns all toys.")
    assert pets.input_schema["properties"]["page"] == {
        "description": "The query parameter page.", "type": "integer", "minimum": 1,
    }  # fmt: skip
    assert toys.input_schema["properties"]["size"] == {
        "description": "The query parameter size.", "type": "integer", "minimum": 1, "maximum": 9,
    }  # fmt: skip


uses = st.sampled_from(
    ["*x", "*y", "*z", "*s", "{<<: *x, a: o}", "{b: o, <<: [*x, *y]}", "{<<: *y, <<: *x}", "[*z, *x]"]
)


@given(st.lists(uses, max_size=8))
def test_aliases_and_merge_keys_are_read_as_other_parsers_do(used: list[str]) -> None:
    anchors = "x: &x {a: v, b: v}\ny: &y {b: w, c: w}\nz: &z [p, q]\ns: &s text\n"
    raw = anchors + "".join(f"u{number}: {use}\n" for number, use in enumerate(used))
    assert documents.read(raw.encode()) == yaml.safe_load(raw)


def doubled(times: int) -> bytes:
    """Lists of two aliases each, so many deep."""
    names = [f"n{number}" for number in range(times)]
    return b"n0: &n0 [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in pairwise(names)).encode()


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (doubled(60), "more than 300,000 values"),
        (b"a: &a " + b"x" * 1_000_000 + b"\nb: [" + b"*a, " * 30 + b"]", "more than 20 MiB"),
        (
            b"a: &a {" + b"k" * 1000 + b": 1}\nb: &b [" + b"*a, " * 300 + b"]\nc: [" + b"*b, " * 100 + b"]",
            "more than 20 MiB",
        ),
        (
            b"n0: &n0 [x]\n" + "".join(f"n{n}: &n{n} [*n{n - 1}]\n" for n in range(1, 200)).encode(),
            "more than 100 levels",
        ),
        (b"a: &a [*a]", "refers to itself"),
        (b"a: 1\nb: *c", "no anchor before it"),
        (b"a: 1\n<<: 5", r"the value of << must be a mapping or a list of mappings \(line 2\)"),
        (b"a: &a x\n<<: [*a]", "the value of << must be a mapping"),
    ],
)
def test_the_expansion_of_aliases_is_limited(raw: bytes, words: str) -> None:
    """A refusal takes no more time or memory than a document of the largest size."""
    began = time.thread_time()
    tracemalloc.start()
    with pytest.raises(ValidationFailed, match=words):
        documents.read(raw)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 << 20
    assert time.thread_time() - began < 60


def test_a_quoted_merge_key_is_a_key() -> None:
    assert documents.read(b"a: {'<<': {b: 1}}") == {"a": {"<<": {"b": 1}}}


def test_doubling_below_the_limit_is_read() -> None:
    assert len(documents.read(doubled(14))) == 14


INNER_WORDS = re.compile(r"flow|block|token|scalar|node|stream|libyaml|orjson|jsonschema", re.I)


@given(st.text("a1:-[]{}&*!<>|?,'\"\n\t #%@`\\", max_size=60))
def test_a_refusal_has_no_words_of_the_parser(raw: str) -> None:
    with suppress(ValidationFailed):
        documents.read(raw.encode())
        return
    with pytest.raises(ValidationFailed) as caught:
        documents.read(raw.encode())
    assert not INNER_WORDS.search(caught.value.message)
