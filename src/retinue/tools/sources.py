"""The fingerprint of everything a compiled catalogue is made from, so that a stale one is noticed."""

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).parent
LIBRARY = PACKAGE / "library"
_MAKERS = ("base.py", "declare.py", "arguments.py", "entries.py", "compile.py", "absent.py")


def fingerprint() -> str:
    """A hash over names and contents of the tool modules and of what compiles them."""
    digest = hashlib.blake2b(digest_size=16)
    for path in [*(PACKAGE / name for name in _MAKERS), *sorted(LIBRARY.rglob("*.py"))]:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(PACKAGE).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
