"""Read the text files of Git repositories from the archive that their forge makes of the default branch."""

import base64
import hashlib
from dataclasses import replace
from pathlib import PurePosixPath
from urllib.parse import quote

from yarl import URL

from retinue.connections.allowed_addresses import is_within
from retinue.connections.keyring import OpenedConnection
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError, ValidationFailed
from retinue.knowledge.reading import DocumentReader, refused_page
from retinue.knowledge.sources.found_documents import Found
from retinue.knowledge.sources.scope import LOCATION, selects
from retinue.knowledge.web_pages import WebPage, fetch_page

_ARCHIVES = (".tar.gz", ".tgz", ".tar", ".zip")
_REFUSED, _REDIRECTS, _MOST_REDIRECTS = (401, 403, 404), (301, 302, 303, 307, 308), 5
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


def private_archive_address(url: str) -> str:
    """Return the address of the archive for requests with a token: GitHub and GitLab have one in their APIs.

    https://docs.github.com/en/rest/repos/contents#download-a-repository-archive-tar
    https://docs.gitlab.com/api/repositories/#retrieve-file-archive
    """
    address = URL(url)
    if address.path.endswith(_ARCHIVES):
        return url
    host, path = address.host or "", address.path.strip("/").removesuffix(".git")
    if host == "github.com":
        return f"https://api.github.com/repos/{quote(path)}/tarball"
    if host.startswith("github."):
        return f"{address.origin()}/api/v3/repos/{quote(path)}/tarball"
    if host == "gitlab.com" or host.startswith("gitlab."):
        return f"{address.origin()}/api/v4/projects/{quote(path, safe='')}/repository/archive.tar.gz"
    return archive_address(url)


async def find_repository_files(
    reader: DocumentReader, source: Row, connection: OpenedConnection | None = None
) -> list[Found]:
    """Return the text files of a repository that the patterns of its source select. Raises `RetinueError`."""
    page = await _fetch_archive(reader, source, connection)
    if page.status in _REFUSED and connection:
        raise ValidationFailed(
            f"The forge of {source.location} refused the token of the connection {connection.name} (status "
            f"{page.status}). Check that it may read this repository."
        )
    if page.status == 404:
        raise ValidationFailed(
            f"There is no public repository at {source.location}, or its forge has no archive at {page.url}. Send the "
            "address of a .tar.gz or .zip file of the repository instead, or a connection with a token."
        )
    if page.status != 200:
        raise ValidationFailed(refused_page(page))
    async with reader.open_archive(source.account_id, page.content) as archive:
        entries = {_path_of(entry): entry for entry in await archive.files()}
        chosen = [path for path in sorted(entries) if _is_text(path) and selects(source.include, source.exclude, path)]
        return [_found_text(path, await archive.read_text(entries[path])) for path in chosen[: source.max_pages]]


async def _fetch_archive(reader: DocumentReader, source: Row, connection: OpenedConnection | None) -> WebPage:
    """Fetch the archive. The token is sent only below the `base_url` of its connection, also after a redirect."""
    if connection is None:
        return await fetch_page(reader.guard, archive_address(source.location))
    url, base = private_archive_address(source.location), connection.settings["base_url"]
    if not is_within(url, base):
        raise ValidationFailed(
            f"The archive of the repository is at {URL(url).origin()}, but the connection {connection.name} sends its "
            f"token only to {base}. Create a connection with the base_url {URL(url).origin()}."
        )
    try:
        for _ in range(_MOST_REDIRECTS):
            headers = _token_headers(connection) if is_within(url, base) else {}
            page = await fetch_page(reader.guard, url, headers=headers, follows=False)
            if page.status not in _REDIRECTS or not page.location:
                # The address of the last redirect may have a token of its own.
                return replace(page, url=source.location)
            url = str(URL(url).join(URL(page.location)))
    except RetinueError as error:
        message = error.message.replace(url, source.location)
        raise ValidationFailed(connection.redaction.text(message)) from error
    raise ValidationFailed(f"{source.location} redirects too often.")


def _token_headers(connection: OpenedConnection) -> dict[str, str]:
    """Return the header that carries the token. Raises `ValidationFailed` for a token in a query."""
    kind, name, value = connection.settings["type"], connection.settings["name"], connection.secret["value"]
    match kind:
        case "bearer":
            return {"Authorization": f"Bearer {value}"}
        case "basic":
            return {"Authorization": f"Basic {base64.b64encode(f'{name}:{value}'.encode()).decode()}"}
        case "header":
            return {name: value}
        case _:
            raise ValidationFailed(
                f"The connection {connection.name} sends its token in addresses. Use one of the type bearer, basic or "
                "header for repositories."
            )


def _path_of(entry: str) -> str:
    """Return the path in the repository: archives of forges have one folder around everything."""
    return "/" + entry.partition("/")[2]


def _is_text(path: str) -> bool:
    suffix = PurePosixPath(path).suffix.lower()
    return (suffix in _TEXTS or path.rpartition("/")[2] == "README") and len(path) <= LOCATION


def _found_text(path: str, text: str) -> Found:
    digest = hashlib.sha256(text.encode()).hexdigest()
    name = path.rpartition("/")[2]
    return Found(path, {"type": "text", "path": path}, name, content_version=digest, text=text)
