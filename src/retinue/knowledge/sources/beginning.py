"""Where a synchronization begins: the pages that a website starts with, or the files of the other kinds."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from yarl import URL

from retinue.connections.keyring import ConnectionKeyring, OpenedConnection
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError, ValidationFailed
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.knowledge.reading import DocumentReader, refused_page
from retinue.knowledge.sources.buckets import Bucket
from retinue.knowledge.sources.found_documents import Found, found_page
from retinue.knowledge.sources.repositories import find_repository_files
from retinue.knowledge.sources.robots import Robots, is_allowed, parse_robots
from retinue.knowledge.sources.scope import Site, SiteScope, folder_of, selects
from retinue.knowledge.web_pages import WebPage, fetch_page
from retinue.workspace.tree import FileTree

_MOST_SITEMAPS = 5
_ROBOTS_BYTES = 500 << 10

TreeOf = Callable[[int], Awaitable[FileTree]]


@dataclass(slots=True)
class Beginning:
    """The first documents of a synchronization, and what was found out of a website; see `knowledge_sources`."""

    found: list[Found] = field(default_factory=list)
    site: Site | None = None


class Beginnings:
    """Finds the beginning of the synchronization of a source. Raises `RetinueError` if it cannot be read."""

    def __init__(self, reader: DocumentReader, tree_of: TreeOf, keyring: ConnectionKeyring) -> None:
        self._reader, self._tree_of, self._keyring = reader, tree_of, keyring

    async def of(self, source: Row) -> Beginning:
        """Return the beginning of the synchronization of a source."""
        match source.kind:
            case "folder":
                return await self._of_folder(source)
            case "repository":
                return Beginning(await find_repository_files(self._reader, source, await self._connection(source)))
            case "bucket":
                connection = await self._keyring.open_by_id(source.account_id, source.connection_id)
                return Beginning(await Bucket.of(self._reader, connection, source.location).find(source))
            case _:
                return await self._of_website(source)

    async def _connection(self, source: Row) -> OpenedConnection | None:
        if source.connection_id is None:
            return None
        return await self._keyring.open_by_id(source.account_id, source.connection_id)

    async def _of_folder(self, source: Row) -> Beginning:
        tree = await self._tree_of(source.account_id)
        rows = await tree.within(source.location)
        return Beginning([_found_file(row) for row in rows if selects(source.include, source.exclude, row.name)])

    async def _of_website(self, source: Row) -> Beginning:
        page, robots = await self._first_page(source.location)
        url = URL(page.url)
        is_sitemap = _is_sitemap(page)
        folder, first = folder_of(URL(source.location).raw_path), folder_of(url.raw_path)
        prefix = "/" if is_sitemap else folder if first.startswith(folder) else first
        site: Site = {"origin": str(url.origin()), "prefix": prefix, "rules": robots.rules}
        scope = SiteScope.of(source, site)
        if is_sitemap:
            pages = [found_page(one, source.max_depth) for one in await self._sitemap_pages(source, scope, page.url)]
        else:
            pages = [found_page(one, 0) for one in scope.addresses([page.url])]
            for sitemap in robots.sitemaps[:_MOST_SITEMAPS] if source.max_depth else ():
                pages += [found_page(one, 1) for one in await self._named_by_robots(source, scope, sitemap)]
        if not pages:
            raise ValidationFailed(f"The patterns, or the robots.txt of {url.host}, select no page of {page.url}.")
        return Beginning(list({one.location: one for one in reversed(pages)}.values())[::-1], site)

    async def _first_page(self, address: str) -> tuple[WebPage, Robots]:
        """Return the first page with the rules of its site, which is another one if the address redirects to it."""
        origin = URL(address).origin()
        robots = await self._robots(origin, address)
        page = await fetch_page(self._reader.guard, address)
        if page.status != 200:
            raise ValidationFailed(refused_page(page))
        if URL(page.url).origin() != origin:
            robots = await self._robots(URL(page.url).origin(), page.url)
        return page, robots

    async def _robots(self, origin: URL, address: str) -> Robots:
        """Return the rules of a site. Raises `ValidationFailed` if they forbid the first page, or cannot be read."""
        page = await fetch_page(self._reader.guard, str(origin.with_path("/robots.txt")))
        if page.status >= 500 or page.status == 429:
            raise ValidationFailed(
                f"{page.url} answered with status {page.status}, so what the site allows is unknown. Try again later."
            )
        robots = Robots()
        if page.status == 200 and not page.is_html:
            robots = await run_on_compute_thread(lambda: parse_robots(page.beginning(_ROBOTS_BYTES)))
        if not is_allowed(robots.rules, URL(address).raw_path_qs or "/"):
            raise ValidationFailed(
                f"The robots.txt of {origin.host} does not allow {address} to be read. If the site is yours, add the "
                "lines `User-agent: retinue` and `Allow: /` to it."
            )
        return robots

    async def _named_by_robots(self, source: Row, scope: SiteScope, sitemap: str) -> list[str]:
        """Return the pages of a site map. One that cannot be read has none: links lead to the pages as well."""
        try:
            return await self._sitemap_pages(source, scope, sitemap)
        except RetinueError:
            return []

    async def _sitemap_pages(self, source: Row, scope: SiteScope, sitemap: str) -> list[str]:
        urls = await self._reader.read_sitemap(source.account_id, sitemap)
        return scope.addresses(urls)[: source.max_pages]


def _found_file(row: Row) -> Found:
    source = {"type": "file", "file_id": row.body["file"], "path": row.name}
    return Found(row.name, source, row.name.rpartition("/")[2], content_version=row.body["sha256"])


def _is_sitemap(page: WebPage) -> bool:
    begin = page.content[:2048]
    packed = begin.startswith(b"\x1f\x8b") and page.url.endswith(".gz")
    return packed or b"<urlset" in begin or b"<sitemapindex" in begin
