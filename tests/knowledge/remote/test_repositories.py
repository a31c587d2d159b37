"""Public Git repositories, read from the archive of their forge."""

import io
import tarfile

import pytest

from retinue.knowledge.sources.repositories import archive_address
from tests.knowledge.remote.sources import add_source, path_of, sync
from tests.knowledge.support import new_collection, search
from tests.support.client import Client, data
from tests.support.site import Answer, Site

_ARCHIVE = "/team/handbook/archive/HEAD.tar.gz"


def publish(site: Site, files: dict[str, str]) -> None:
    """Have the forge serve files as the repository's default branch."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(f"handbook-1a2b3c/{path}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    site.pages[_ARCHIVE] = Answer(packed.getvalue(), kind="application/gzip")


def titles(client: Client, collection: int) -> dict[str, int]:
    """Return the ids of documents by title."""
    found = data(client.get(f"/knowledge/collections/{collection}/documents", params={"per_page": "100"}))
    return {one["title"]: one["id"] for one in found}


def test_a_repository_is_kept_in_step(client: Client, site: Site) -> None:
    leave, code = "# Leave\n\nStaff have 28 days of paid leave a year.", "print('leave')"
    publish(site, {"docs/leave.md": leave, "docs/travel.md": "Hotels up to 140 euros.", "main.py": code})
    collection = new_collection(client)
    source = add_source(client, collection, kind="repository", url=f"{site.url}/team/handbook.git")
    assert (source["status"], source["error"], source["documents"]) == ("ready", None, 2)
    before = titles(client, collection)
    assert before.keys() == {"leave.md", "travel.md"}
    publish(site, {"docs/leave.md": leave.replace("28", "30"), "docs/lunch.md": "Lunch is at noon.", "main.py": code})
    assert sync(client, source)["documents"] == 2
    after = titles(client, collection)
    assert after.keys() == {"leave.md", "lunch.md"}
    assert after["leave.md"] == before["leave.md"]
    assert "30 days" in search(client, collection, "How many days of paid leave?")[0]["text"]
    del site.pages[_ARCHIVE]
    failed = sync(client, source)
    assert (failed["status"], failed["documents"]) == ("failed", 2)
    assert "no public repository" in failed["error"]
    data(client.delete(path_of(source)))
    assert titles(client, collection) == {}


@pytest.mark.parametrize(
    ("url", "archive"),
    [
        ("https://git.example/a/b", "https://git.example/a/b/archive/HEAD.tar.gz"),
        ("https://git.example/a/b.git/", "https://git.example/a/b/archive/HEAD.tar.gz"),
        ("https://gitlab.example/a/c/b", "https://gitlab.example/a/c/b/-/archive/HEAD/b-HEAD.tar.gz"),
        ("https://bitbucket.org/a/b", "https://bitbucket.org/a/b/get/HEAD.tar.gz"),
        ("https://git.example/files/b-2.1.zip", "https://git.example/files/b-2.1.zip"),
    ],
)
def test_forges_have_their_own_addresses_of_archives(url: str, archive: str) -> None:
    assert archive_address(url) == archive
