"""Chooses where files are stored."""

from pathlib import Path

from retinue.core.runtime.data_dir import DataDir
from retinue.files.store import FileStore


def configured_store(url: str | None, folder: Path | None, home: DataDir) -> FileStore:
    """Return the bucket at `url`, or `folder`, which other processes may share, or a folder in the data folder."""
    if url:
        from retinue.files.bucket_store import BucketStore  # noqa: PLC0415 - only where a bucket is used

        return BucketStore(url, home.cache / "files")
    return FileStore(folder.expanduser().absolute(), shared=True) if folder else FileStore(home.files)
