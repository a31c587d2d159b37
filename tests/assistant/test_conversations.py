"""The conversations that `bench.conversations` has with a real model are well formed."""

from pathlib import Path

FOLDER = Path(__file__).with_name("conversations")
KINDS = {"compound", "chained", "followup", "context", "language", "prose", "everyday", "honest"}


def test_each_line_has_a_kind_messages_and_an_expected_result() -> None:
    rows = [line.split("\t") for path in FOLDER.glob("*.txt") for line in path.read_text().splitlines()]
    assert len(rows) >= 80
    for kind, messages, wanted in rows:
        assert kind in KINDS
        assert all(one.strip() for part in messages.split("##") for one in part.split("||"))
        assert bool(wanted.strip()) == (kind != "prose")


def test_no_message_is_in_both_parts() -> None:
    built, held = ({row.split("\t")[1] for row in (FOLDER / f"{part}.txt").open()} for part in ("built", "held"))
    assert not built & held
