"""How many documents a collection holds, and how many bytes each counts in storage."""

MOST_DOCUMENTS = 10_000
"""Per collection."""

OVERHEAD = 128
"""Bytes that a document or a passage counts in storage besides its content."""


def own_size(title: str, text: str | None) -> int:
    """Return the bytes that a document counts in storage without its passages."""
    return OVERHEAD + len(title.encode()) + len((text or "").encode())
