"""Texts that stand behind the name of an argument."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.reading.labelled import stated_texts

TEXT = {"type": "string"}


def schema(*names: str) -> dict[str, Any]:
    """A tool that takes these texts."""
    return {"properties": dict.fromkeys(names, TEXT), "required": list(names)}


@pytest.mark.parametrize(
    ("request_", "names", "wanted"),
    [
        ("HMAC of the message 'a b' with the key \"c\"", ("message", "key"), ("a b", "c")),
        (
            r"pattern (\w+)@(\w+)\.org, replacement \2:\1, in",
            ("pattern", "replacement"),
            (r"(\w+)@(\w+)\.org", r"\2:\1"),
        ),
        ("with key = `k-1` please", ("key",), ("k-1",)),
        ("the secret_key is \u201csesame\u201d", ("key",), ("sesame",)),
        ("key word", ("key",), None),
        ("the key 'a' or the key 'b'", ("key",), None),
        ("the text 'a'", ("text", "other_text"), None),
        ("the time 10:30.", ("time",), ("10:30",)),
    ],
)
def test_what_is_named_is_taken(request_: str, names: tuple[str, ...], wanted: tuple[str, ...] | None) -> None:
    assert stated_texts(schema(*names), request_) == (dict(zip(names, wanted, strict=True)) if wanted else {})


def test_only_texts_that_an_argument_may_be_are_taken() -> None:
    taken = {"properties": {"code": {**TEXT, "pattern": "^[0-9]+$"}, "file": {**TEXT, "format": "file-id"}}}
    assert stated_texts(taken, "code 'abc' of the file 'notes.txt'") == {}
    assert stated_texts(taken, "code '123'") == {"code": "123"}


@given(st.text(max_size=400))
def test_any_request_is_read(request_: str) -> None:
    assert all(text in request_ for text in stated_texts(schema("key", "text"), request_).values())
