"""The form of arguments that the model still has to fill in."""

from datetime import date

import orjson

from retinue.models.base import Candidate, ToolOffer
from retinue_assistant.argument_hints import ArgumentHints, NumberSpan, SlotScore
from retinue_assistant.arguments import form_again, form_for, move_address, write_shares

SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "kind": {"enum": ["md5", "sha256"], "default": "sha256"},
        "rounds": {"type": "integer"},
        "seed": {"type": "integer"},
        "mode": {"const": "create"},
    },
    "required": ["text"],
}
EXAMPLES = [
    ("the hash of cat", '{"text":"cat","kind":"md5"}'),
    ("the hash of dog in 3 rounds", '{"text":"dog","kind":"md5","rounds":3}'),
]
TODAY = date(2026, 11, 29)
TOOL = Candidate(ToolOffer("hash", "Hashes.", SCHEMA), examples=EXAMPLES)


def test_examples_settle_choices_and_the_request_overrules_them() -> None:
    assert form_for("the hash of cow", TOOL, TODAY).settled == {"mode": "create", "kind": "md5"}
    assert form_for("the SHA-256 hash of cow", TOOL, TODAY).settled == {"mode": "create", "kind": "sha256"}


def test_only_arguments_of_similar_requests_are_asked_for() -> None:
    form = form_for("the hash of cow in 4 rounds", TOOL, TODAY)
    assert form.missing["rounds"]["enum"] == [4]
    assert form.schema()["required"] == ["text"]
    assert [one.content for one in form.prompt()[-3:]] == [*_show(EXAMPLES[1]), "the hash of cow in 4 rounds"]


def test_no_number_is_given_twice() -> None:
    number = NumberSpan(4, [SlotScore("rounds", 0.9)])
    candidate = Candidate(TOOL.tool, examples=EXAMPLES, hints=ArgumentHints([number]))
    form = form_for("the hash of a brown cow in 4 rounds", candidate, TODAY)
    assert form.settled["rounds"] == 4
    assert form.complete({"text": "a brown cow", "seed": 4}) == {**form.settled, "text": "a brown cow"}
    assert form.complete({"text": "a brown cow", "seed": 5})["seed"] == 5


def test_no_date_is_given_twice() -> None:
    schema = {"properties": {"event": {"type": "string"}, "now": {"type": "string"}}, "required": ["event"]}
    form = form_for("How long until 2026-12-25?", Candidate(ToolOffer("count_down", "Counts.", schema)), TODAY)
    assert form.complete({"event": "2026-12-25", "now": "2026-12-25"}) == {"event": "2026-12-25"}
    assert form.complete({"event": "2026-12-25", "now": "2026-12-24"})["now"] == "2026-12-24"


def test_refused_arguments_are_all_asked_for_again() -> None:
    form = form_for("the hash of cow", TOOL, TODAY, mistaken=True)
    assert {"text", "kind"} <= form.missing.keys()
    assert "it was refused" in form.prompt("it was refused")[-1].content


def test_a_repeated_call_has_the_arguments_of_the_one_before() -> None:
    form = form_again("And dog?", TOOL, [("cat in 3 rounds", '{"text":"cat","rounds":3}')])
    assert [*form.missing] == ["text", "rounds"]


def _show(example: tuple[str, str]) -> tuple[str, str]:
    """Return an example without the argument that is already chosen."""
    meant = {name: value for name, value in orjson.loads(example[1]).items() if name != "kind"}
    return example[0], orjson.dumps(meant).decode()


def test_an_option_that_the_model_leaves_blank_is_not_sent() -> None:
    form = form_for("the hash of cow in 4 rounds", TOOL, TODAY)
    assert form.complete({"text": "", "seed": "", "rounds": 4}) == {
        "mode": "create",
        "kind": "md5",
        "text": "",
        "rounds": 4,
    }


def test_an_address_in_the_place_of_a_page_is_its_address() -> None:
    schema = {"properties": {"url": {"type": "string"}, "html": {"type": "string"}}}
    assert move_address({"html": "https://example.com?", "most": 3}, schema) == {
        "url": "https://example.com",
        "most": 3,
    }
    page = {"html": "<a href='https://example.com'>x</a>"}
    assert move_address(page, schema) == page
    assert move_address({"html": "https://a.example", "url": "https://b.example"}, schema)["url"] == "https://b.example"
    assert move_address({"text": "https://a.example"}, {"properties": {"text": {}}}) == {"text": "https://a.example"}


def test_a_share_is_no_remainder() -> None:
    found = {"expression": "15%1640", "other": "7 % 3", "count": 3}
    assert write_shares(found, "Work out 15% of 1,640") == {**found, "expression": "15% of 1640"}
    assert write_shares(found, "What is 15%1640?") == found
