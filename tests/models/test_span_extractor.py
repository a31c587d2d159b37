"""Extracting the spans for arguments: the parameters are stored in a file, and apply to every request."""

from pathlib import Path

import numpy as np
import pytest

from retinue.models.encoder import Encoded
from retinue.models.heads import write_heads
from retinue.models.span_candidates import KINDS
from retinue.models.span_extractor import BEFORE, Axes, Learned, Texts
from retinue.tools.catalogue import Catalogue

TOKENS = ["turn", " no", " lemon", " round"]
STATES = {" no": (1.0, 0.0), " lemon": (0.0, 1.0)}


def learn() -> Texts:
    """Return parameters that depend only on a token's state: spans begin at axis one and end at axis two."""

    def nothing(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.float32)

    at = [np.concatenate([np.eye(2, dtype=np.float32) * (place == 0) for place in beside]) for beside in [BEFORE]]
    begin = at[0].T
    end = np.roll(begin, -2, axis=1)  # Features of an end include one token before it, those of a beginning two.
    places = np.array([[[99, 0], [0, 99], [0, 0]]], np.float32)
    return Texts(
        Learned(
            means=nothing(2),
            spreads=nothing(2) + 1,
            axes=Axes(
                down=np.eye(2, dtype=np.float32),
                down_shift=nothing(2),
                begin=begin,
                begin_shift=nothing(2),
                begin_kinds=nothing(3, KINDS, 2),
                end=end,
                end_shift=nothing(2),
                end_kinds=nothing(3, KINDS, 2),
                inside=nothing(2, 2),
                inside_shift=nothing(2),
                pairs=nothing(KINDS, KINDS),
            ),
            places=places,
            nowhere=nothing(1) + 50,
        ),
        {"turn": ["text"]},
    )


def phrase(*tokens: str) -> Encoded:
    ends = [len("".join(tokens[: at + 1])) for at in range(len(tokens))]
    return Encoded("".join(tokens), ends, [STATES.get(token, (0.0, 0.0)) for token in tokens])


def test_a_text_between_its_boundaries() -> None:
    (found,) = learn().passages(phrase(*TOKENS)).of("turn")
    assert (found.argument, found.text, found.begin) == ("text", "no lemon", 5)
    assert found.likelihood > 0.9


def test_where_nothing_of_the_kind_is_said() -> None:
    assert learn().passages(phrase("turn", " it")).of("turn") == []


def test_of_tools_that_nothing_was_learned_about() -> None:
    assert learn().passages(phrase(*TOKENS)).of("other") == []


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_requests_of_nothing(text: str) -> None:
    assert learn().passages(Encoded(text, [len(text)], [(0.0, 0.0)])).of("turn") == []


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "heads.npz"
    write_heads({"span_extractor": learn().to_head()}, path)
    assert Texts.read(path).tools == {"turn": ["text"]}
    (read,), (written,) = (some.passages(phrase(*TOKENS)).of("turn") for some in (Texts.read(path), learn()))
    assert (read.argument, read.text, read.begin) == (written.argument, written.text, written.begin)
    assert read.likelihood == pytest.approx(written.likelihood)


def test_the_arguments_that_are_known_are_those_of_tools_of_today() -> None:
    tools = {tool.name: tool for tool in Catalogue.load()}
    known = Texts.read().tools
    assert len(known) > 500
    for tool, names in known.items():
        assert {*names} <= tools[tool].input_schema["properties"].keys()
