"""Public Git repositories, read from the archive of their forge."""

import io
import tarfile

import pytest

from retinue.knowledge.sources.repositories import archive_address, private_archive_address
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


def test_a_private_repository_is_read_with_the_token_of_a_connection(client: Client, site: Site, other: Site) -> None:
    token = "glpat-1234567890"
    publish(site, {"docs/leave.md": "Staff have 28 days of leave."})
    other.pages["/packed"] = site.pages[_ARCHIVE]
    site.pages[_ARCHIVE] = Answer("", 302, location=f"{other.url}/packed?signed=1234")
    other.pages["/packed?signed=1234"] = other.pages["/packed"]
    forge = {"name": "forge", "kind": "http", "settings": {"base_url": f"{site.url}/team"}, "secret": {"value": token}}
    data(client.post("/connections", forge), 201)
    collection = new_collection(client)
    place = {"kind": "repository", "url": f"{site.url}/team/handbook.git", "connection": "forge"}
    source = add_source(client, collection, **place)
    assert (source["status"], source["error"], source["documents"]) == ("ready", None, 1)
    assert site.headers[-1]["Authorization"] == f"Bearer {token}"
    assert "Authorization" not in other.headers[-1]
    other.pages["/packed?signed=1234"] = Answer("no", 403)
    failed = sync(client, source)
    assert (failed["status"], "refused the token of the connection forge" in failed["error"]) == ("failed", True)
    elsewhere = add_source(client, collection, **(place | {"url": f"{site.url}/others/handbook"}))
    assert "sends its token only to" in elsewhere["error"]
    assert site.headers[-1].get("Authorization") == f"Bearer {token}"
    shown = str([data(client.get(path_of(one))) for one in (source, elsewhere)]) + client.server.tail()
    assert token not in shown
    assert "signed=1234" not in shown


@pytest.mark.parametrize(
    ("url", "archive"),
    [
        ("https://github.com/team/handbook.git", "https://api.github.com/repos/team/handbook/tarball"),
        ("https://github.example/a/b", "https://github.example/api/v3/repos/a/b/tarball"),
        ("https://gitlab.com/a/c/b", "https://gitlab.com/api/v4/projects/a%2Fc%2Fb/repository/archive.tar.gz"),
        ("https://git.example/a/b", "https://git.example/a/b/archive/HEAD.tar.gz"),
        ("https://git.example/files/b-2.1.zip", "https://git.example/files/b-2.1.zip"),
    ],
)
def test_forges_have_archives_for_requests_with_a_token(url: str, archive: str) -> None:
    assert private_archive_address(url) == archive
