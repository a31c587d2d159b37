"""Read the text files of Git repositories from the archive that their forge makes of the default branch."""

import hashlib
from pathlib import PurePosixPath

from yarl import URL

from retinue.core.database.statements import Row
from retinue.core.errors import ValidationFailed
from retinue.knowledge.reading import DocumentReader, refused_page
from retinue.knowledge.sources.found_documents import Found
from retinue.knowledge.sources.scope import LOCATION, selects
from retinue.knowledge.web_pages import fetch_page

_ARCHIVES = (".tar.gz", ".tgz", ".tar", ".zip")
_TEXTS = frozenset({".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".org", ".txt"})


def archive_address(url: str) -> str:
    """Return the address of the archive of a repository's default branch. The address of an archive stays as it is."""
    address = URL(url)
    if address.path.endswith(_ARCHIVES):
        return url
    path = address.raw_path.rstrip("/").removesuffix(".git")
    host = address.host or ""
    if host == "gitlab.com" or host.startswith("gitlab."):
        ending = f"/-/archive/HEAD/{path.rpartition('/')[2]}-HEAD.tar.gz"
    else:
        ending = "/get/HEAD.tar.gz" if host == "bitbucket.org" else "/archive/HEAD.tar.gz"
    return str(address.with_path(path + ending, encoded=True))


async def find_repository_files(reader: DocumentReader, source: Row) -> list[Found]:
    """Return the text files of a repository that the patterns of its source select. Raises `RetinueError`."""
    page = await fetch_page(reader.guard, archive_address(source.location))
    if page.status == 404:
        raise ValidationFailed(
            f"There is no public repository at {source.location}, or its forge has no archive at {page.url}. Send the "
            "address of a .tar.gz or .zip file of the repository instead."
        )
    if page.status != 200:
        raise ValidationFailed(refused_page(page))
    async with reader.open_archive(source.account_id, page.content) as archive:
        entries = {_path_of(entry): entry for entry in await archive.files()}
        chosen = [path for path in sorted(entries) if _is_text(path) and selects(source.include, source.exclude, path)]
        return [_found_text(path, await archive.read_text(entries[path])) for path in chosen[: source.max_pages]]


def _path_of(entry: str) -> str:
    """Return the path in the repository: archives of forges have one folder around everything."""
    return "/" + entry.partition("/")[2]


def _is_text(path: str) -> bool:
    suffix = PurePosixPath(path).suffix.lower()
    return (suffix in _TEXTS or path.rpartition("/")[2] == "README") and len(path) <= LOCATION


def _found_text(path: str, text: str) -> Found:
    digest = hashlib.sha256(text.encode()).hexdigest()
    name = path.rpartition("/")[2]
    return Found(path, {"type": "text", "path": path}, name, sha256=digest, text=text)
