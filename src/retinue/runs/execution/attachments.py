"""Reads the files that are attached to messages, as text or as the model sees and hears them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, Protocol

from retinue.models.base import Media, Model
from retinue.runs.context_window import Attached

_BYTES_A_TOKEN = 2
"""Bytes of attached texts per token of the context window. At four bytes a token, they fill half of it."""

_MEDIA_BYTES = 20 << 20
"""Maximum size of all images, PDFs and recordings of a request."""

_KINDS: Mapping[str, Literal["image", "pdf", "audio"]] = {
    **dict.fromkeys(("image/png", "image/jpeg", "image/gif", "image/webp"), "image"),
    "application/pdf": "pdf",
    **dict.fromkeys(("audio/mpeg", "audio/wav", "audio/x-wav"), "audio"),
}


class Attachments(Protocol):
    """Reads the files attached to messages."""

    async def texts(self, account_id: int, ids: Sequence[str], room: int) -> dict[str, str]:
        """Return each file's text for the model, by file id, with at most `room` bytes in total."""
        ...

    async def contents(
        self, account_id: int, ids: Sequence[str], media_types: Collection[str], room: int
    ) -> dict[str, tuple[str, str, bytes]]:
        """Return the name, media type and bytes of the files of these types, by file id, up to `room` bytes."""
        ...


async def read_attached(files: Attachments, account_id: int, ids: Sequence[str], model: Model) -> Attached:
    """Read attached files. A model receives images, PDFs and recordings if it takes them, the newest first."""
    if not ids:
        return Attached()
    texts = await files.texts(account_id, ids, model.context_tokens * _BYTES_A_TOKEN)
    types = [media_type for media_type, kind in _KINDS.items() if kind in model.input]
    if not types:
        return Attached(texts)
    found = await files.contents(account_id, ids, types, _MEDIA_BYTES)
    media = {
        file_id: Media(_KINDS[media_type], media_type, content, name)
        for file_id, (name, media_type, content) in found.items()
    }
    return Attached(texts, media)
