"""Read the objects of buckets at Amazon S3 and compatible services, below a prefix."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote_plus
from xml.etree import ElementTree as ET

from yarl import URL

from retinue.connections.keyring import ConnectionKeyring, OpenedConnection
from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.errors import RetinueError, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.knowledge.reading import DocumentReader, DocumentText, check_size
from retinue.knowledge.sources import statements as sql
from retinue.knowledge.sources.aws_signature import AwsCredential, canonical_query, signed_headers, uri_encode
from retinue.knowledge.sources.found_documents import Found
from retinue.knowledge.sources.scope import LOCATION, selects
from retinue.knowledge.web_pages import WebPage, fetch_page

_MOST_LISTINGS = 100
"""Pages of 1,000 objects that are looked through."""

_CODE = re.compile(r"<Code>([A-Za-z0-9.]{1,60})</Code>")


@dataclass(frozen=True, slots=True)
class ObjectListing:
    """A page of a bucket's objects: their keys with the ETags, and where the next page begins."""

    objects: Mapping[str, str]
    following: str | None


@dataclass(frozen=True)
class Bucket:
    """A bucket at an endpoint, with the address `s3://bucket/prefix`."""

    reader: DocumentReader
    connection: OpenedConnection
    name: str
    prefix: str

    @classmethod
    def of(cls, reader: DocumentReader, connection: OpenedConnection, location: str) -> Self:
        """Return the bucket of a source."""
        name, _, prefix = location.removeprefix("s3://").partition("/")
        return cls(reader, connection, name, prefix)

    async def find(self, source: Row) -> list[Found]:
        """Return the objects that the patterns of a source select. Raises `RetinueError`."""
        found: list[Found] = []
        following: str | None = None
        for _ in range(_MOST_LISTINGS):
            page = await self._list(following)
            for key, tag in page.objects.items():
                path = f"/{key}"
                if not key.endswith("/") and len(path) <= LOCATION and selects(source.include, source.exclude, path):
                    title = path.rpartition("/")[2]
                    found.append(Found(path, {"type": "object", "path": path}, title, content_version=tag))
            following = page.following
            if following is None or len(found) >= source.max_pages:
                break
        return found[: source.max_pages]

    async def read(self, document: Row) -> DocumentText:
        """Return the text of an object. Raises `RetinueError`."""
        page = await self._get(document.location.removeprefix("/"), {})
        text = await self.reader.read_page(document.account_id, page)
        check_size(text, "If it is a scan, use a sharper one.")
        return text

    async def _list(self, following: str | None) -> ObjectListing:
        query = {"list-type": "2", "encoding-type": "url", "prefix": self.prefix}
        page = await self._get("", query | ({"continuation-token": following} if following else {}))
        return await run_on_compute_thread(_parse_listing, page.content)

    async def _get(self, key: str, query: Mapping[str, str]) -> WebPage:
        """Send a signed request; the endpoint must not lead elsewhere. Raises `ValidationFailed`."""
        settings, secret = self.connection.settings, self.connection.secret
        endpoint = URL(settings["endpoint"])
        path = f"{endpoint.raw_path.rstrip('/')}/{self.name}{'/' if key else ''}{uri_encode(key, safe='/')}"
        query_string = canonical_query(query)
        url = URL(f"{endpoint.origin()}{path}{'?' if query_string else ''}{query_string}", encoded=True)
        credential = AwsCredential(secret["access_key_id"], secret["secret_access_key"], settings["region"])
        host = url.host_subcomponent if url.is_default_port() else f"{url.host_subcomponent}:{url.port}"
        headers = signed_headers(credential, host or "", path, query_string, now())
        try:
            page = await fetch_page(self.reader.guard, url, headers=headers, follows=False)
        except RetinueError as error:
            raise ValidationFailed(self.connection.redaction.text(error.message)) from error
        if page.status != 200:
            code = _CODE.search(page.beginning(2000))
            raise ValidationFailed(
                f"The bucket {self.name} at {endpoint.origin()} answered with status {page.status}"
                f"{f' ({code[1]})' if code else ''}. Check the bucket, and the endpoint, the region and the key of the "
                f"connection {self.connection.name}."
            )
        return page


class BucketReader:
    """Reads the objects of documents for the worker of documents."""

    def __init__(self, database: Database, reader: DocumentReader, keyring: ConnectionKeyring) -> None:
        self._database, self._reader, self._keyring = database, reader, keyring

    async def read(self, document: Row) -> DocumentText:
        """Return the text of the object of a document. Raises `RetinueError`."""
        source = await self._database.lookup(sql.GET_SCOPE, source=document.source_id) if document.source_id else None
        if source is None:
            raise ValidationFailed("Its bucket is no longer a source of the collection, so it cannot be read again.")
        connection = await self._keyring.open_by_id(document.account_id, source.connection_id)
        return await Bucket.of(self._reader, connection, source.location).read(document)


def _parse_listing(content: bytes) -> ObjectListing:
    """Parse an answer of ListObjectsV2 with quoted keys. Raises `ValidationFailed`."""
    try:
        # Without declarations, no entity can grow; a listing has none.
        root = ET.fromstring(content.replace(b"<!", b""))  # noqa: S314 - see above
        space = root.tag.rpartition("ListBucketResult")[0]
        objects = {
            unquote_plus(_text(one, f"{space}Key")): _text(one, f"{space}ETag") for one in root.iter(f"{space}Contents")
        }
        more = root.findtext(f"{space}IsTruncated") == "true"
        return ObjectListing(objects, _text(root, f"{space}NextContinuationToken") if more else None)
    except (ET.ParseError, ValueError) as error:
        raise ValidationFailed("The endpoint did not answer with a list of objects. Check its address.") from error


def _text(element: ET.Element, name: str) -> str:
    found = element.findtext(name)
    if not found:
        raise ValueError(f"{name} is missing")
    return found
