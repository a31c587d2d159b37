"""Changes to files and records at the level of the workspace: what happened meanwhile, and the quota."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retinue.auth.plans import Plan, RequestLimits
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, Unavailable, ValidationFailed
from retinue.files.store import FileStore
from retinue.files.upload_commit import AccountStorage
from retinue.workspace.knowledge import DOCUMENT, Knowledge
from retinue.workspace.records import NewRecord, Records, RecordTransaction
from retinue.workspace.tree import FileTree
from retinue.workspace.working_copy import WorkingCopy

ACCOUNT = 1
PLAN = Plan(tools="free", requests=RequestLimits(minute=1, hour=1, day=1), keys=1, quotas={"storage_mb": 1})


@pytest.fixture
async def tree(database: Database, tmp_path: Path) -> FileTree:
    """The files of an account that may store one MiB."""

    async def start(tx: Tx) -> None:
        for name in ("workspace_records", "files", "stored_bytes"):
            await counters.start(tx, ACCOUNT, name)

    await database.transact(start)
    store = FileStore(tmp_path / "files")
    await store.create()
    return FileTree(Records(database, AccountStorage(ACCOUNT, "free", PLAN, set())), store, 10 << 20)


async def create_again(tree: FileTree, path: str, text: str) -> None:
    """Delete a file and create another under its path, which has the same version."""
    await tree.remove(path, folders=False)
    await tree.write(path, text.encode())


@pytest.mark.parametrize("deed", [lambda file: file.write_text("changed"), lambda file: file.unlink()])
async def test_a_program_leaves_a_file_that_was_created_again(
    tree: FileTree, tmp_path: Path, deed: Callable[[Path], Any]
) -> None:
    await tree.write("/p/log.txt", b"old")
    place = tmp_path / "copy"
    place.mkdir()
    copy = await WorkingCopy.of(tree, "/p", place)
    deed(place / "log.txt")
    await create_again(tree, "/p/log.txt", "new")
    with pytest.raises(Unavailable, match="was changed while"):
        await copy.store_changes()
    assert (await tree.text("/p/log.txt"))[1] == "new"


async def test_an_edit_applies_to_a_file_that_was_created_again(
    tree: FileTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tree.write("/log.txt", b"old")
    write, calls = FileTree.write, []

    async def write_late(tree: FileTree, path: str, content: bytes, **options: Any) -> Row:
        calls.append(content)
        if len(calls) == 1:
            monkeypatch.setattr(FileTree, "write", write)
            await create_again(tree, path, "new")
        return await write(tree, path, content, **options)

    monkeypatch.setattr(FileTree, "write", write_late)
    await tree.append("/log.txt", "+")
    assert calls == [b"old+"]
    assert (await tree.text("/log.txt"))[1] == "new+"


async def test_a_revision_applies_to_a_record_that_was_created_again(tree: FileTree) -> None:
    records = tree.records
    first = await records.write(lambda writing: writing.add("note", NewRecord({"text": "old"}, "a")))

    async def create_anew(writing: RecordTransaction) -> Row:
        await writing.remove(first)
        return await writing.add("note", NewRecord({"text": "new"}, "a"))

    async def edit(row: Row) -> NewRecord:
        if row.id == first.id:
            await records.write(create_anew)
        return NewRecord({"text": row.body["text"] + "+"})

    revised = await records.revise("note", "a", edit)
    assert revised.body == {"text": "new+"}


async def test_overwriting_needs_room_for_the_new_content_alone(tree: FileTree) -> None:
    await tree.write("/a.bin", b"x" * 700_000)
    for size in (800_000, 600_000):
        assert (await tree.write("/a.bin", b"y" * size)).body["size"] == size
    with pytest.raises(ValidationFailed, match="storage_mb"):
        await tree.write("/a.bin", b"z" * 1_100_000)
    assert (await tree.get("/a.bin")).body["size"] == 600_000


async def test_changes_of_a_program_need_room_only_at_its_end(tree: FileTree, tmp_path: Path) -> None:
    await tree.write("/p/a", b"x" * 100_000)
    await tree.write("/p/b", b"x" * 800_000)
    copy = await WorkingCopy.of(tree, "/p", tmp_path / "copy")
    (tmp_path / "copy" / "a").write_bytes(b"y" * 800_000)
    (tmp_path / "copy" / "b").write_bytes(b"y" * 100_000)
    assert (await copy.store_changes()).changed == ["/p/a", "/p/b"]
    again = await WorkingCopy.of(tree, "/p", tmp_path / "again")
    (tmp_path / "again" / "b").write_bytes(b"z" * 400_000)
    with pytest.raises(ValidationFailed, match="storage_mb"):
        await again.store_changes()
    assert (await tree.get("/p/b")).body["size"] == 100_000


@pytest.mark.parametrize("target", ["/" + "x/" * 31 + "p", "/" + "x" * 200 + "/" + "y" * 200])
async def test_moving_a_folder_makes_no_path_that_is_not_valid(tree: FileTree, target: str) -> None:
    path = "/p/" + "z" * 150
    await tree.write(path, b"")
    with pytest.raises(ValidationFailed, match="A path can have at most"):
        await tree.move("/p", target)
    assert [row.name for row in await tree.within("", 9)] == [path]
    assert await tree.move("/p", "/q") == ["/q/" + "z" * 150]


class LateKnowledge(Knowledge):
    """Finds a document, which another call removes at that moment."""

    async def get(self, id_or_title: str) -> Row:
        document = await super().get(id_or_title)
        await self.records.write(lambda writing: writing.remove(document))
        return document


async def test_removing_a_document_that_another_call_has_removed_finds_none(tree: FileTree) -> None:
    await tree.records.write(lambda writing: writing.add(DOCUMENT, NewRecord({}, "a")))
    with pytest.raises(NotFound, match="was removed meanwhile"):
        await LateKnowledge(tree.records).remove("a")


async def test_removing_a_document_leaves_another_one_of_its_name(
    tree: FileTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await tree.records.write(lambda writing: writing.add(DOCUMENT, NewRecord({}, "a")))

    async def replace_document(writing: RecordTransaction, *_: Any) -> int:
        await writing.remove(document)
        await writing.add(DOCUMENT, NewRecord({}, "a"))
        return 0

    monkeypatch.setattr(RecordTransaction, "remove_within", replace_document)
    await Knowledge(tree.records).remove("a")
    assert (await tree.records.get(DOCUMENT, "a")).id != document.id
