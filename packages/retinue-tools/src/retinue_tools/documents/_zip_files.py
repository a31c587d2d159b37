"""ZIP archives that nobody vouches for, documents among them: reading entries without unpacking bombs."""

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
    """An open archive. What is wrong with it, then or while it is read, becomes `ToolError`."""
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
        raise ToolError(f"The file is not a whole {kind}. file_detect_type tells what it is.") from error
    except (NotImplementedError, RuntimeError) as error:
        raise ToolError("The archive is encrypted, or packed in a way that is not read. Pack it anew.") from error


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo | str, most: int = MOST_ENTRY_BYTES) -> bytes:
    """The content of an entry of at most so many bytes, whatever size it claims. `KeyError` where there is none."""
    with archive.open(entry) as content:
        found = content.read(most + 1)
    if len(found) > most:
        raise ToolError(f"An entry of the archive unpacks to more than {most / 1e6:,.0f} MB, and is not read.")
    return found
