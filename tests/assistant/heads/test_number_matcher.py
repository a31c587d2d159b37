"""Matching numbers to arguments: the parameters are stored in a file, and similar numbers get the same argument."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.encoder import Encoded
from retinue.models.heads import Head, read_head, write_heads
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.catalogue import Catalogue
from retinue_assistant.argument_hints import NumberSpan
from retinue_assistant.heads.number_matcher import PARTS, NumberMatcher, window
from retinue_assistant.heads.request_hints import FILE


def learn() -> Head:
    """Return a head that maps a token's state to a position: prices in the east, shares in the north."""
    arrays = {
        "means": np.zeros(2),
        "deviations": np.ones(2),
        "axes": np.eye(2, 2 * PARTS, 4),
        "shifts": np.zeros(2),
        "vectors": np.array([[9.0, 0.0], [0.0, 9.0], [0.0, 0.0]]),
        "biases": np.zeros(3),
    }
    return Head({name: array.astype(np.float32) for name, array in arrays.items()}, {"shop": ["price", "share"]})


def phrase(text: str, **states: tuple[float, float]) -> Encoded:
    """Encode a text whose tokens are its words and spaces."""
    words = text.split(" ")
    ends = [len(" ".join(words[: at + 1])) for at in range(len(words))]
    return Encoded(text, ends, [states.get(f"n{word}", (0.0, 0.0)) for word in words])


def test_numbers_are_classified_by_their_nearest_examples() -> None:
    found = NumberMatcher(learn()).numbers(phrase("at 34 less 5 of 7", n34=(3, 0), n5=(0, 3), n7=(-3, -3))).of("shop")
    price, share, none = found
    assert (price.value, price.roles[0].argument) == (34, "price")
    assert (share.value, share.roles[0].argument) == (5, "share")
    assert price.roles[0].likelihood > 0.9
    assert share.roles[0].likelihood > 0.9
    assert none == NumberSpan(7, [])


def test_of_tools_that_nothing_was_learned_about() -> None:
    assert NumberMatcher(learn()).numbers(phrase("at 34", n34=(3, 0))).of("bank") == [NumberSpan(34, [])]


def test_written_values_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "heads.npz"
    write_heads({"number_matcher": learn()}, path)
    request = phrase("at 34 less 5", n34=(3, 0), n5=(0, 3))
    heads = read_head("number_matcher", path), learn()
    read, written = (NumberMatcher(head).numbers(request).of("shop") for head in heads)
    assert [(one.value, [role.argument for role in one.roles]) for one in read] == [(34, ["price"]), (5, ["share"])]
    for one, other in zip(read, written, strict=True):
        assert one.roles[0].likelihood == pytest.approx(other.roles[0].likelihood)


def test_the_arguments_of_nearly_all_tools_that_have_precedents_are_known() -> None:
    """The file may be slightly out of date, because a changed tool does not require training."""
    known, catalogue = read_head("number_matcher", FILE).tools, Catalogue.load()

    def known_arguments(tool: Tool) -> set[str]:
        """Return the known arguments, including those known by old names. Constants of aliases need not be known."""
        found = {*known.get(tool.name, [])}
        for alias in catalogue.aliases_of(tool.name):
            old = {alias.renames.get(name, name) for name in known.get(alias.name, [])}
            found |= old | alias.constants.keys()
        return found

    tools = [tool for tool in catalogue if tool.precedents and not tool.alias_of]
    stale = [tool.name for tool in tools if known_arguments(tool) != tool.input_schema["properties"].keys()]
    assert len(stale) < len(tools) / 50, stale


@given(st.integers(1, 9), st.data())
def test_a_window_is_as_wide_anywhere(tokens: int, data: st.DataObject) -> None:
    last = data.draw(st.integers(0, tokens - 1))
    first = data.draw(st.integers(0, last))
    assert window(np.array([[1.0, 2.0]] * tokens), first, last).shape == (PARTS, 2)


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [(0, 0, [0, 0, 0, 1, 2]), (1, 2, [0, 0, 2, 3, 4]), (4, 5, [2, 3, 5, 0, 0]), (4, 4, [2, 3, 4, 5, 0])],
)
def test_the_description_of_a_number(first: int, last: int, told: list[float]) -> None:
    assert window(np.arange(6.0)[:, None], first, last).ravel().tolist() == told
