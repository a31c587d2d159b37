"""Reads the files that are attached to messages, as text or as the model sees and hears them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, Protocol

from retinue.models.base import Media, Model
from retinue.runs.context_window import STEP_IMAGES, AttachedFiles

_BYTES_A_TOKEN = 2
"""Bytes of attached texts per token of the context window. At four bytes a token, they fill half of it."""

_MEDIA_BYTES = 20 << 20
"""Maximum size of all images, PDFs and recordings of a request."""

_IMAGE_BYTES, IMAGES_BYTES = 3_500_000, 10 << 20
"""Maximum size of an image that a tool returned, and of all of them in a request."""

KINDS: Mapping[str, Literal["image", "pdf", "audio"]] = {
    **dict.fromkeys(("image/png", "image/jpeg", "image/gif", "image/webp"), "image"),
    "application/pdf": "pdf",
    **dict.fromkeys(("audio/mpeg", "audio/wav", "audio/x-wav"), "audio"),
}
"""What models may see or hear as it is, by media type."""


class Attachments(Protocol):
    """Reads the files attached to messages."""

    async def texts(self, account_id: int, ids: Sequence[str], room: int) -> dict[str, str]:
        """Return each file's text for the model, by file id, with at most `room` bytes in total."""
        ...

    async def names(
        self, account_id: int, ids: Sequence[str], media_types: Collection[str]
    ) -> dict[str, tuple[str, int]]:
        """Return the name and size of the files of these types, by file id."""
        ...

    async def contents(
        self, account_id: int, ids: Sequence[str], media_types: Collection[str], room: int
    ) -> dict[str, tuple[str, str, bytes]]:
        """Return the name, media type and bytes of the files of these types, by file id, up to `room` bytes."""
        ...


_IMAGES = [media_type for media_type, kind in KINDS.items() if kind == "image"]


async def find_images(files: Attachments, account_id: int, ids: Sequence[str]) -> list[str]:
    """Return the ids of the images among the files that a tool call returned, as many as a step can show."""
    found = await files.names(account_id, ids, _IMAGES) if ids else {}
    return list(found)[:STEP_IMAGES]


async def read_images(files: Attachments, account_id: int, ids: Sequence[str], *, sees_images: bool) -> AttachedFiles:
    """Read images that tools returned, the last ones first. A sentence tells the model of those it cannot see.

    An image that has been deleted is left out.
    """
    if not ids:
        return AttachedFiles()
    found = await files.names(account_id, ids, _IMAGES)
    texts = {
        file_id: f"(The tool returned an image named {name!r}, which you cannot see.)"
        for file_id, (name, _) in found.items()
    }
    small = [file_id for file_id in reversed(ids) if file_id in found and found[file_id][1] <= _IMAGE_BYTES]
    if not (sees_images and small):
        return AttachedFiles(texts)
    contents = await files.contents(account_id, small, _IMAGES, IMAGES_BYTES)
    media = {file_id: Media("image", kind, content, name) for file_id, (name, kind, content) in contents.items()}
    return AttachedFiles(texts, media)


async def read_attached(files: Attachments, account_id: int, ids: Sequence[str], model: Model) -> AttachedFiles:
    """Read attached files. A model receives images, PDFs and recordings if it takes them, the newest first."""
    if not ids:
        return AttachedFiles()
    texts = await files.texts(account_id, ids, model.context_tokens * _BYTES_A_TOKEN)
    types = [media_type for media_type, kind in KINDS.items() if kind in model.input]
    if not types:
        return AttachedFiles(texts)
    found = await files.contents(account_id, ids, types, _MEDIA_BYTES)
    media = {
        file_id: Media(KINDS[media_type], media_type, content, name)
        for file_id, (name, media_type, content) in found.items()
    }
    return AttachedFiles(texts, media)
