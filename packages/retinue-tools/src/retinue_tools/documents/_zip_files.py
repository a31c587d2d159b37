"""Untrusted ZIP archives, including documents: reading entries with protection against archive bombs."""

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from retinue.sdk import ToolError

MOST_ENTRIES = 20_000
MOST_BYTES = 100_000_000
MOST_ENTRY_BYTES = 50_000_000


@contextmanager
def open_zip(file: str, kind: str = "ZIP archive") -> Iterator[zipfile.ZipFile]:
    """Open an archive. Errors of the archive, on opening or while reading, become `ToolError`."""
    try:
        with zipfile.ZipFile(file) as archive:
            if len(archive.infolist()) > MOST_ENTRIES:
                raise ToolError(f"The archive has more than {MOST_ENTRIES:,} entries.")
            yield archive
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        ValueError,
        OSError,
    ) as error:
        raise ToolError(f"The file is not a complete {kind}. file_detect_type detects its type.") from error
    except (NotImplementedError, RuntimeError) as error:
        raise ToolError("The archive is encrypted, or uses an unsupported compression. Pack it again.") from error


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo | str, most: int = MOST_ENTRY_BYTES) -> bytes:
    """Return the content of an entry of at most this many bytes, regardless of its declared size. Raises `KeyError` if
    there is none.
    """
    with archive.open(entry) as content:
        found = content.read(most + 1)
    if len(found) > most:
        raise ToolError(
            f"An entry of the archive is larger than {most / 1000000.0:,.0f} MB when unpacked, which is not supported."
        )
    return found
