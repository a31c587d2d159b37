"""Concurrent writes to the same record: none is lost, and no item is handed out twice."""

from tests.conftest import User
from tests.support.client import Client
from tests.workspace.support import at_once, finish

MANY = 40


def test_every_increment_counts_and_gives_a_number_of_its_own(user: User, client: Client) -> None:
    answers = at_once(user, "kv_increment", [{"key": "count"}] * MANY)
    numbers = [answer.json()["data"]["result"]["value"] for answer in answers]
    assert sorted(numbers) == list(range(1, MANY + 1))


def test_one_of_many_wins_a_swap(user: User, client: Client) -> None:
    finish(client, "kv_set", key="lock", value="free")
    each = [{"key": "lock", "expected": "free", "value": f"agent {number}"} for number in range(MANY)]
    won = [answer.json()["data"]["result"]["swapped"] for answer in at_once(user, "kv_compare_swap", each)]
    assert won.count(True) == 1
    assert finish(client, "kv_get", key="lock")["value"] == f"agent {won.index(True)}"


def test_no_line_of_a_note_is_lost(user: User, client: Client) -> None:
    finish(client, "note_create", title="Lines")
    answers = at_once(user, "note_update", [{"note": "lines", "append": f"line {n}"} for n in range(MANY)])
    assert {answer.status_code for answer in answers} == {200}
    lines = finish(client, "note_read", note="lines")["text"].split("\n")
    assert sorted(lines) == sorted(f"line {n}" for n in range(MANY))


def test_no_edit_of_a_file_is_lost(user: User, client: Client) -> None:
    finish(client, "file_write", path="/f.txt", text="".join(f"<{n}>" for n in range(MANY)))
    each = [{"path": "/f.txt", "old": f"<{n}>", "new": f"[{n}]"} for n in range(MANY)]
    assert {answer.status_code for answer in at_once(user, "file_edit", each)} == {200}
    assert finish(client, "file_read", path="/f.txt")["text"] == "".join(f"[{n}]" for n in range(MANY))


def test_no_appended_line_of_a_new_file_is_lost(user: User, client: Client) -> None:
    each = [{"path": "/new.log", "text": f"{n}\n", "mode": "append"} for n in range(20)]
    assert {answer.status_code for answer in at_once(user, "file_write", each)} == {200}
    assert sorted(map(int, finish(client, "file_read", path="/new.log")["text"].split())) == list(range(20))


def test_one_of_many_creates_a_file(user: User, client: Client) -> None:
    each = [{"path": "/one.txt", "text": str(n), "mode": "create"} for n in range(20)]
    codes = [answer.status_code for answer in at_once(user, "file_write", each)]
    assert codes.count(200) == 1
    assert codes.count(400) == 19
    assert finish(client, "file_read", path="/one.txt")["text"] == str(codes.index(200))


def test_equal_titles_get_ids_of_their_own(user: User, client: Client) -> None:
    answers = at_once(user, "task_create", [{"title": "Stand-up"}] * 20)
    assert len({answer.json()["data"]["result"]["id"] for answer in answers}) == 20
