"""Extracting the spans for arguments: the parameters are stored in a file, and apply to every request."""

from pathlib import Path

import numpy as np
import pytest

from retinue.models.encoder import Encoded
from retinue.models.heads import Head, read_head, write_heads
from retinue.tools.catalogue.catalogue import Catalogue
from retinue_assistant.heads.request_hints import FILE
from retinue_assistant.heads.span_candidates import KINDS
from retinue_assistant.heads.span_extractor import SIDES, SpanExtractor

TOKENS = ["turn", " no", " lemon", " round"]
STATES = {" no": (1.0, 0.0), " lemon": (0.0, 1.0)}


def learn() -> Head:
    """Return a head that depends only on a token's state: spans begin at axis one and end at axis two."""
    own = [np.concatenate([np.eye(2, dtype=np.float32) * (place == 0) for place in side], axis=1) for side in SIDES]
    return Head(
        {
            "means": np.zeros(2, np.float32),
            "deviations": np.ones(2, np.float32),
            "down": np.eye(2, dtype=np.float32),
            "beside": np.array(own),
            "kinds": np.zeros((2, 2, 3 * KINDS), np.float32),
            "vectors": np.array([[[99, 0], [0, 99]]], np.float32),
            "absent": np.array([50], np.float32),
        },
        {"turn": ["text"]},
    )


def phrase(*tokens: str) -> Encoded:
    ends = [len("".join(tokens[: at + 1])) for at in range(len(tokens))]
    return Encoded("".join(tokens), ends, [STATES.get(token, (0.0, 0.0)) for token in tokens])


def test_a_text_between_its_boundaries() -> None:
    (found,) = SpanExtractor(learn()).spans(phrase(*TOKENS)).of("turn")
    assert (found.argument, found.text, found.begin) == ("text", "no lemon", 5)
    assert found.likelihood > 0.9


def test_where_nothing_of_the_kind_is_said() -> None:
    assert SpanExtractor(learn()).spans(phrase("turn", " it")).of("turn") == []


def test_of_tools_that_nothing_was_learned_about() -> None:
    assert SpanExtractor(learn()).spans(phrase(*TOKENS)).of("other") == []


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_requests_of_nothing(text: str) -> None:
    assert SpanExtractor(learn()).spans(Encoded(text, [len(text)], [(0.0, 0.0)])).of("turn") == []


def test_written_values_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "heads.npz"
    write_heads({"span_extractor": learn()}, path)
    heads = read_head("span_extractor", path), learn()
    (read,), (written,) = (SpanExtractor(head).spans(phrase(*TOKENS)).of("turn") for head in heads)
    assert (read.argument, read.text, read.begin) == (written.argument, written.text, written.begin)
    assert read.likelihood == pytest.approx(written.likelihood)


def test_the_arguments_that_are_known_are_those_of_tools_of_today() -> None:
    tools = {tool.name: tool for tool in Catalogue.load()}
    known = read_head("span_extractor", FILE).tools
    assert len(known) > 500
    for tool, names in known.items():
        assert {*names} <= tools[tool].input_schema["properties"].keys()
