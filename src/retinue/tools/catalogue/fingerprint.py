"""Detect a stale catalogue by hashes of the tool libraries and of the compiler."""

import hashlib
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from retinue.tools.authoring.libraries import PACKAGE, libraries

_ROOT = PACKAGE.parent
_MAKERS = (
    *(
        "tools/authoring/aliases.py",
        "tools/authoring/tool.py",
        "tools/authoring/declare.py",
        "tools/authoring/arguments.py",
        "tools/authoring/schema_from_function.py",
        "tools/catalogue/build_catalogue.py",
    ),
    *(
        "tools/authoring/import_stubs.py",
        "tools/catalogue/catalogue_file.py",
        "tools/authoring/libraries.py",
        "tools/authoring/example_requests.py",
    ),
    *(
        f"tools/selection/{name}.py"
        for name in ("documents", "index", "intents", "tool_need", "inverted_index", "query_terms")
    ),
    *("language/data_placeholders.py", "language/text_features.py", "language/text_normalization.py"),
)


def fingerprint() -> str:
    """Return a hash over names and contents of the tool modules and of the modules that compile them."""
    return _hash((name, path.read_bytes()) for name, path in _files())


def stat_hash() -> str:
    """Return a hash over names, sizes and modification times: while it stays the same, no file need be read."""
    states = ((name, path.stat()) for name, path in _files())
    return _hash((name, b"%d %d" % (state.st_size, state.st_mtime_ns)) for name, state in states)


def _files() -> list[tuple[str, Path]]:
    """Return the files with their names, which are the same in every installation."""
    found = [(name, _ROOT / name) for name in _MAKERS]
    for library in libraries():
        paths = sorted(chain.from_iterable(library.folder.rglob(pattern) for pattern in ("*.py", "*.tsv", "*.txt")))
        found += [(f"{library.module}/{path.relative_to(library.folder).as_posix()}", path) for path in paths]
    return found


def _hash(parts: Iterable[tuple[str, bytes]]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name, content in parts:
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
