"""Decide which pages and files belong to a source."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self, TypedDict

from yarl import URL

from retinue.core.database.statements import Row
from retinue.knowledge.sources.robots import Rule, is_allowed, matches

LOCATION = 2000
"""Maximum length of an address."""

_TRACKING = ("utm_", "fbclid", "gclid", "mc_cid", "mc_eid")
_NO_DOCUMENTS = frozenset(
    {
        "7z", "apk", "avi", "bmp", "bz2", "css", "deb", "dmg", "exe", "gif", "gz", "ico", "iso", "jar", "jpeg", "jpg",
        "js", "json", "map", "mov", "mp3", "mp4", "mpeg", "msi", "ogg", "otf", "png", "rar", "rpm", "rss", "svg", "tar",
        "tgz", "tif", "tiff", "ttf", "wasm", "wav", "webm", "webp", "woff", "woff2", "xml", "xz", "zip",
    }
)  # fmt: skip
"""Endings of linked addresses that are no documents to answer from."""


def selects(include: Sequence[str], exclude: Sequence[str], path: str) -> bool:
    """Return whether patterns select a path: one of `include`, if there are any, and none of `exclude`."""
    included = not include or any(matches(pattern, path) for pattern in include)
    return included and not any(matches(pattern, path) for pattern in exclude)


class Site(TypedDict):
    """What the beginning of a synchronization finds out of a website; see `knowledge_sources`."""

    origin: str
    prefix: str
    rules: Sequence[Rule]


@dataclass(frozen=True, slots=True)
class SiteScope:
    """The pages of a website that belong to a source."""

    origin: URL
    prefix: str
    rules: Sequence[Rule]
    include: Sequence[str]
    exclude: Sequence[str]

    @classmethod
    def of(cls, source: Row, site: Site | None = None) -> Self:
        """Return the scope of a source. `site` is what the beginning of a synchronization found out of the website."""
        found: Site = site or source.site
        rules = [(allowed, pattern) for allowed, pattern in found["rules"]]
        return cls(URL(found["origin"]), found["prefix"], rules, source.include, source.exclude)

    def addresses(self, links: Iterable[str]) -> list[str]:
        """Return the addresses of links that belong to the source, each once, in order."""
        return list(dict.fromkeys(address for link in links if (address := self.address(link))))

    def address(self, link: str) -> str | None:
        """Return the address of a link in its canonical form, or None if it does not belong to the source."""
        url = self._canonical(link)
        if url is None:
            return None
        path = url.raw_path_qs
        ending = url.suffix.removeprefix(".").lower()
        belongs = url.raw_path.startswith(self.prefix) and ending not in _NO_DOCUMENTS
        allowed = belongs and selects(self.include, self.exclude, path) and is_allowed(self.rules, path)
        return str(url) if allowed else None

    def on_site(self, links: Iterable[str]) -> list[str]:
        """Return the addresses of links to the website, whether or not they belong to the source."""
        return list(dict.fromkeys(str(url) for link in links if (url := self._canonical(link))))

    def _canonical(self, link: str) -> URL | None:
        """Return the address of a link to this host, without fragment and parameters for tracking."""
        try:
            url = URL(link)
        except ValueError:
            return None
        if url.scheme not in ("http", "https") or url.raw_host != self.origin.raw_host:
            return None
        if url.port != self.origin.port and not (url.is_default_port() and self.origin.is_default_port()):
            return None
        query = [(name, value) for name, value in url.query.items() if not name.lower().startswith(_TRACKING)]
        path = url.raw_path or "/"
        address = self.origin.with_path(path, encoded=True).with_query(query)
        return address if len(str(address)) <= LOCATION else None


def folder_of(path: str) -> str:
    """Return the path that the pages below an address begin with: `/docs/` for `/docs/index.html`."""
    return path.rpartition("/")[0] + "/"
