"""Encodes images, PDFs and recordings, and says so where a model cannot see them."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import replace

from retinue.models.base import Media, Message, Modality

_AUDIO_FORMATS = {"mpeg": "mp3", "mp3": "mp3", "x-wav": "wav", "wave": "wav", "vnd.wave": "wav", "mp4": "m4a"}


def base64_of(media: Media) -> str:
    """Return the bytes of `media` in base64."""
    return b64encode(media.data).decode()


def data_url(media: Media) -> str:
    """Return `media` as a `data:` URL."""
    return f"data:{media.media_type};base64,{base64_of(media)}"


def audio_format(media: Media) -> str:
    """Return the short name of a recording's format, such as `wav` or `mp3`."""
    subtype = media.media_type.partition("/")[2].partition(";")[0].strip()
    return _AUDIO_FORMATS.get(subtype, subtype)


def file_name(media: Media) -> str:
    """Return the name of a file; some providers require one."""
    return media.name or f"attachment.{media.media_type.partition('/')[2].partition(';')[0] or 'bin'}"


def hide_unsupported(messages: Iterable[Message], accepted: Iterable[Modality]) -> list[Message]:
    """Replace media that the model does not take with a sentence that it cannot see them."""
    kinds = frozenset(accepted)
    return [_hide(message, kinds) if message.media else message for message in messages]


def _hide(message: Message, kinds: frozenset[Modality]) -> Message:
    hidden = [media for media in message.media if media.kind not in kinds]
    if not hidden:
        return message
    sentences = [f"({_noun(media)} is attached, but you cannot see or hear it.)" for media in hidden]
    visible = tuple(media for media in message.media if media.kind in kinds)
    return replace(message, content="\n".join(filter(None, [message.content, *sentences])), media=visible)


def _noun(media: Media) -> str:
    noun = {"image": "An image", "pdf": "A PDF", "audio": "A recording"}[media.kind]
    return f"{noun} named {media.name!r}" if media.name else noun


def describe(media: Sequence[Media]) -> str:
    """Return a sentence that introduces the media of a tool result where they follow in a message of their own."""
    return "The file that the tool returned:" if len(media) == 1 else "The files that the tool returned:"
