"""The marks of everything a compiled catalogue is made from, so that a stale one is noticed."""

import hashlib
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

PACKAGE = Path(__file__).parent
LIBRARY = PACKAGE / "library"
_ROOT = PACKAGE.parent
_MAKERS = (
    *("tools/base.py", "tools/declare.py", "tools/arguments.py", "tools/entries.py", "tools/compile.py"),
    *("tools/absent.py", "tools/compiled.py", "tools/precedents.py", "tools/roster.py"),
    *(f"tools/selection/{name}.py" for name in ("documents", "index", "intents", "need", "postings", "words")),
    *("core/kinds.py", "core/phrases.py", "core/stems.py"),
)


def fingerprint() -> str:
    """A hash over names and contents of the tool modules and of what compiles them."""
    return _hash((path, path.read_bytes()) for path in _files())


def glance() -> str:
    """A hash over names, sizes and times of change: while it is the same, nothing need be read."""
    states = ((path, path.stat()) for path in _files())
    return _hash((path, b"%d %d" % (state.st_size, state.st_mtime_ns)) for path, state in states)


def _files() -> list[Path]:
    found = (LIBRARY.rglob(pattern) for pattern in ("*.py", "*.tsv", "*.txt"))
    return [*(_ROOT / name for name in _MAKERS), *sorted(chain.from_iterable(found))]


def _hash(parts: Iterable[tuple[Path, bytes]]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for path, content in parts:
        digest.update(f"{path.relative_to(_ROOT).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
