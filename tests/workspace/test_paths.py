"""Malicious paths, and paths that differ only in spelling."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.errors import ValidationFailed
from retinue.workspace.paths import MOST_CHARACTERS, ancestors, normalize_path
from tests.files.support import stored
from tests.support.client import Client
from tests.workspace.support import decline, finish

HOSTILE = [
    "/../etc/passwd",
    "../up",
    "/a/./b",
    "/a//b",
    "/a/\x00b",
    "/a\nb",
    "/a\\..\\b",
    "/a/\u202egnp.exe",
    "/a/\u200b",
    "/a/ b",
    "/a/b ",
    "/" + "a/" * 40 + "b",
    "/" + "a" * 201,
]


@pytest.mark.parametrize("path", HOSTILE)
def test_a_hostile_path_is_refused(path: str) -> None:
    with pytest.raises(ValidationFailed):
        normalize_path(path)


@given(st.text(max_size=60))
def test_accepted_values_have_one_spelling(path: str) -> None:
    try:
        found = normalize_path(path)
    except ValidationFailed:
        return
    assert normalize_path(found) == found
    assert found == unicodedata.normalize("NFC", found)
    assert found == "" or found.startswith("/")
    assert not {"", ".", ".."} & set(found.split("/")[1:])
    assert all(found.startswith(folder + "/") for folder in ancestors(found))


def test_hostile_paths_do_nothing_through_the_api(client: Client) -> None:
    before = len(stored(client.server))
    for path in [*HOSTILE, "/", "/folder/", "/" + "x" * MOST_CHARACTERS]:
        decline(client, "file_write", path=path, text="x")
        decline(client, "file_read", path=path)
        decline(client, "file_delete", path=path, folders=True)
    assert len(stored(client.server)) == before
    assert finish(client, "file_list")["entries"] == []


def test_composed_and_decomposed_letters_are_one_path(client: Client) -> None:
    finish(client, "file_write", path="/caf\u0065\u0301.txt", text="one")
    assert finish(client, "file_read", path="/caf\u00e9.txt")["text"] == "one"
    finish(client, "file_write", path="caf\u00e9.txt", text="two")
    assert [entry["name"] for entry in finish(client, "file_list")["entries"]] == ["caf\u00e9.txt"]


def test_a_folder_is_no_file_and_a_file_no_folder(client: Client) -> None:
    finish(client, "file_write", path="/a/b", text="x")
    decline(client, "file_write", "is a folder", path="/a", text="x")
    decline(client, "file_write", "already a file /a/b", path="/a/b/c", text="x")
    decline(client, "file_move", "into itself", path="/a/b", target="/a/b/c/d")


def test_names_that_begin_alike_are_different_folders(client: Client) -> None:
    finish(client, "file_write", path="/ab/x", text="x")
    finish(client, "file_write", path="/abc/x", text="x")
    finish(client, "file_write", path="/ab.c/x", text="x")
    assert finish(client, "file_delete", path="/ab", folders=True)["paths"] == ["/ab/x"]
    assert [entry["name"] for entry in finish(client, "file_list")["entries"]] == ["ab.c/", "abc/"]
