"""Stores files in a bucket of Amazon S3 or a compatible service, which servers with the same database share.

The folder holds copies of recently used files, because tools and programs read files by their paths.
"""

import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import obstore
import structlog
from obstore.exceptions import BaseError
from obstore.store import S3Store

from retinue.core.errors import Unavailable
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.store import FileStore, Upload

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig

_log = structlog.get_logger()
_CLIENT: "ClientConfig" = {"allow_http": True, "connect_timeout": "5s", "timeout": "120s"}
"""Plain HTTP is for services inside a private network; `AWS_ENDPOINT_URL` decides."""

_RETRIES: "RetryConfig" = {"max_retries": 3, "retry_timeout": timedelta(seconds=15)}
_PAGE = 1000
"""Objects in one page of a listing: the maximum of S3."""

_ANY_SIZE = 1 << 62
"""The limit of downloads: a file was accepted when it was stored."""

_ID = re.compile(r"file_\w+")

_PART = 1 << 20
"""Minimum bytes of one read from the service."""


@contextmanager
def _service() -> Iterator[None]:
    """Raise `Unavailable` when the service fails: the caller is not at fault, and an operator can fix it."""
    try:
        yield
    except BaseError as error:
        _log.error("files.bucket_failed", reason=_reason(error))
        raise Unavailable("The file storage does not respond. Nothing was changed. Try again.") from error


def _reason(error: BaseError) -> str:
    """Return the first line of an error; the others are a dump of internal state."""
    return str(error).partition("\n")[0][:500]


class BucketStore(FileStore):
    """A bucket. `url` is `s3://bucket` or `s3://bucket/prefix`, and `folder` is for copies.

    Credentials, region and endpoint come from the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
    `AWS_REGION`, `AWS_ENDPOINT_URL` and the others of the AWS SDKs.
    """

    is_remote = True

    def __init__(self, url: str, folder: Path) -> None:
        super().__init__(folder, shared=True)
        self._url = url
        bucket, _, prefix = url.removeprefix("s3://").partition("/")
        self._bucket = S3Store(bucket, prefix=prefix or None, client_options=_CLIENT, retry_config=_RETRIES)

    async def create(self) -> None:
        """Create the folder, and check that the bucket can be listed. Raises `Unavailable`."""
        await super().create()
        try:
            await anext(aiter(obstore.list(self._bucket, chunk_size=1)), None)
        except BaseError as error:
            raise Unavailable(
                f"Cannot use {self._url}: {_reason(error)}. Check RETINUE_FILES_URL, AWS_ACCESS_KEY_ID, "
                "AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL."
            ) from error

    async def locate(self, file_id: str) -> Path:
        """Return the path of a copy, which is downloaded if it is missing. It stays for an hour after its last use."""
        path = self._path(file_id)
        if not await run_on_disk_thread(_touch, path):
            with suppress(FileNotFoundError):
                await self._download(file_id)
        return path

    async def keep(self, upload: Upload, file_id: str) -> None:
        """Store a finished upload in the bucket, and keep the copy."""
        with _service():
            await obstore.put_async(self._bucket, file_id, upload.path)
        await super().keep(upload, file_id)

    async def folders(self) -> list[Path]:
        """Return no folder: the files are in the bucket."""
        return []

    async def remove(self, file_id: str) -> None:
        """Delete a file whose row is gone. If this fails, the sweep deletes it later."""
        await super().remove(file_id)
        try:
            await obstore.delete_async(self._bucket, file_id)
        except BaseError as error:
            _log.warning("files.not_removed", file_id=file_id, reason=_reason(error))

    async def size(self, file_id: str) -> int | None:
        """Return the size of a file in bytes; None if it does not exist."""
        try:
            with _service():
                return (await obstore.head_async(self._bucket, file_id))["size"]
        except FileNotFoundError:
            return None

    async def written_before(self, moment: float) -> AsyncIterator[list[str]]:
        """Yield batches of the ids of files last written before that time, in Unix seconds.

        The bucket may hold objects of others: only names that are ids of files count, because the sweep deletes them.
        """
        limit = datetime.fromtimestamp(moment, UTC)
        with _service():
            async for page in obstore.list(self._bucket, chunk_size=_PAGE):
                yield [one["path"] for one in page if one["last_modified"] < limit and _ID.fullmatch(one["path"])]

    async def clear(self, before: float) -> int:
        """Delete uploads last written and copies last used before that time; returns the number of uploads."""
        async for names in super().written_before(before):
            for name in names:
                await super().remove(name)
        return await super().clear(before)

    async def _download(self, file_id: str) -> None:
        async with self.receive(_ANY_SIZE) as copy:
            with _service():
                content = await obstore.get_async(self._bucket, file_id)
                async for part in content.stream(min_chunk_size=_PART):
                    await copy.write(bytes(part))
            await copy.finish()
            await super().keep(copy, file_id)


def _touch(path: Path) -> bool:
    """Set the time of last use to now. Returns False if there is no copy."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return True
