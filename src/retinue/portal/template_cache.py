"""Keeps compiled templates in the data folder: compiling all of them takes more than two seconds of CPU time."""

from contextlib import suppress
from pathlib import Path

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket


class TemplateCache(FileSystemBytecodeCache):
    """The folder of compiled templates. What cannot be read is compiled again, and what cannot be kept is not."""

    def __init__(self, folder: Path) -> None:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        super().__init__(str(folder))

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read a compiled template, unless it is missing, damaged or older than its source."""
        try:
            super().load_bytecode(bucket)
        except Exception:  # noqa: BLE001 - pickle raises many kinds of errors for the bytes that a power cut left
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template, unless the disk is full or read-only."""
        with suppress(OSError):
            super().dump_bytecode(bucket)
