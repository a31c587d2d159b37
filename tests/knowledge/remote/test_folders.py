"""Folders of the workspace, schedules, and who can use sources."""

from typing import Any

import pytest

from tests.knowledge.remote.sources import add_source, documents, path_of, sync
from tests.knowledge.support import Json, new_collection, search
from tests.support.client import Client, data, refuse
from tests.workspace.support import finish

LEAVE = "# Leave\n\nStaff have 28 days of paid leave a year."


def test_a_folder_is_kept_in_step(client: Client) -> None:
    finish(client, "file_write", path="/handbook/leave.md", text=LEAVE)
    finish(client, "file_write", path="/handbook/deep/travel.md", text="# Travel\n\nHotels up to 140 euros.")
    finish(client, "file_write", path="/handbook/notes.txt", text="A draft.")
    finish(client, "file_write", path="/other/rules.md", text="Not in the folder.")
    collection = new_collection(client)
    source = add_source(client, collection, kind="folder", path="/handbook/", include=["*.md"])
    assert (source["path"], source["status"], source["documents"]) == ("/handbook", "ready", 2)
    before = documents(client, collection)
    assert {path: one["title"] for path, one in before.items()} == {
        "/handbook/leave.md": "leave.md", "/handbook/deep/travel.md": "travel.md",
    }  # fmt: skip
    finish(client, "file_write", path="/handbook/leave.md", text=LEAVE.replace("28", "30"))
    finish(client, "file_delete", path="/handbook/deep/travel.md")
    finish(client, "file_write", path="/handbook/new.md", text="# Lunch\n\nLunch is at noon.")
    after = sync(client, source)
    assert (after["status"], after["documents"]) == ("ready", 2)
    changed = documents(client, collection)
    assert changed.keys() == {"/handbook/leave.md", "/handbook/new.md"}
    assert changed["/handbook/leave.md"]["id"] == before["/handbook/leave.md"]["id"]
    (best, *_) = search(client, collection, "How many days of paid leave?")
    assert "30 days" in best["text"]
    finish(client, "file_delete", path="/handbook", folders=True)
    emptied = sync(client, source)
    assert (emptied["status"], emptied["documents"]) == ("ready", 0)
    assert "/handbook" in emptied["error"]


def test_unchanged_files_are_not_read_again(client: Client) -> None:
    finish(client, "file_write", path="/rules/leave.md", text=LEAVE)
    collection = new_collection(client)
    source = add_source(client, collection, kind="folder", path="/rules")
    before = documents(client, collection)
    assert sync(client, source)["status"] == "ready"
    assert documents(client, collection) == before


@pytest.mark.parametrize(
    ("schedule", "kept"),
    [
        (None, {"every_hours": 24, "cron": None, "timezone": "UTC"}),
        ({"every_hours": 0}, {"every_hours": 0, "cron": None, "timezone": "UTC"}),
        (
            {"cron": "0 6 * * 1-5", "timezone": "Europe/Oslo"},
            {"every_hours": None, "cron": "0 6 * * 1-5", "timezone": "Europe/Oslo"},
        ),
    ],
)
def test_a_schedule_says_when_the_next_synchronization_is(client: Client, schedule: Json | None, kept: Json) -> None:
    source = add_source(client, new_collection(client), kind="folder", path="/nothing", schedule=schedule)
    assert source["schedule"] == kept
    assert (source["next_sync_at"] is None) == (kept["every_hours"] == 0)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "website"}, ["needs url"]),
        ({"kind": "folder", "url": "https://docs.example/"}, ["needs path"]),
        ({"kind": "website", "url": "https://10.1.2.3/"}, ["url", "not a public address"]),
        ({"kind": "website", "url": "ftp://docs.example/"}, ["url", "must be a URL"]),
        ({"kind": "folder", "path": "/a/../b"}, ["path"]),
        ({"kind": "folder", "path": "/a", "schedule": {"cron": "61 * * * *"}}, ["schedule.cron", "minute"]),
        ({"kind": "folder", "path": "/a", "schedule": {"every_hours": 1, "cron": "@daily"}}, ["either every_hours"]),
        ({"kind": "folder", "path": "/a", "schedule": {"cron": "@daily", "timezone": "Mars"}}, ["time zone"]),
        ({"kind": "folder", "path": "/a", "max_pages": 0}, ["max_pages"]),
    ],
)
def test_a_source_that_cannot_work_is_refused(client: Client, fields: Json, words: list[str]) -> None:
    collection = new_collection(client)
    refuse(client.post(f"/knowledge/collections/{collection}/sources", fields), 400, *words)


def test_sources_are_their_owners_alone(client: Client, sandbox: Client, stranger: Client, nobody: Client) -> None:
    collection = new_collection(client)
    source = add_source(client, collection, kind="folder", path="/nothing")
    base, own = f"/knowledge/collections/{collection}/sources", path_of(source)
    calls: list[tuple[str, str, Any]] = [
        ("GET", base, None),
        ("POST", base, {"kind": "folder", "path": "/"}),
        ("GET", own, None),
        ("PUT", own, {"max_pages": 5}),
        ("POST", f"{own}/sync", None),
        ("DELETE", own, None),
    ]
    theirs = new_collection(stranger)
    for method, path, body in calls:
        options: Json = {} if body is None else {"json": body}
        refuse(stranger.request(method, path, **options), 404)
        refuse(sandbox.request(method, path, **options), 404)
        refuse(nobody.request(method, path, **options), 401)
    refuse(stranger.get(f"/knowledge/collections/{theirs}/sources/{source['id']}"), 404)
    assert [one["id"] for one in data(client.get(base))] == [source["id"]]
    data(client.delete(f"/knowledge/collections/{collection}"))
    refuse(client.get(own), 404)


def test_a_whole_record_can_be_sent_back(client: Client) -> None:
    source = add_source(client, new_collection(client), kind="folder", path="/nothing")
    again = data(client.put(path_of(source), {**source, "url": None, "max_pages": 7}))
    assert (again["max_pages"], again["path"], again["status"]) == (7, "/nothing", "queued")
    refuse(client.put(path_of(source), {"url": "https://docs.example/"}), 400, "has no url")
