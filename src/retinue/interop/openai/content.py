"""What requests of both of OpenAI's protocols share."""

import mimetypes
from collections.abc import Sequence

from retinue.interop.attachments import data_url
from retinue.interop.lenient import unsupported_part
from retinue.interop.openai.schemas import FileSource, ImageUrl, Part
from retinue.models.base import ReasoningEffort

EFFORTS: dict[str, ReasoningEffort] = {
    "none": "none",
    "minimal": "low",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "high",
}


def text_of(content: str | Sequence[Part] | None) -> str:
    """Return the text of a message without its files. Raises `ValidationFailed` for parts that cannot be read."""
    if content is None or isinstance(content, str):
        return content or ""
    for part in content:
        if part.text is None and part.refusal is None and file_of(part) is None:
            raise unsupported_part(part.type)
    return "\n".join(text for part in content if (text := part.text or part.refusal))


def files_of(content: str | Sequence[Part] | None) -> list[str]:
    """Return the files of a message, as `Attachments` takes them."""
    parts = () if content is None or isinstance(content, str) else content
    return [file for part in parts if (file := file_of(part))]


def file_of(part: Part) -> str | None:
    """Return the URL or the id of a part's file; None for a part without one."""
    if audio := part.input_audio:
        return data_url(f"audio/{audio.format}", audio.data)
    if image := part.image_url:
        return image.url if isinstance(image, ImageUrl) else image
    source: FileSource = part.file or part
    if source.file_data:
        return data_url(_guess_type(source.filename), source.file_data, source.filename)
    return source.file_id or source.file_url


def _guess_type(name: str | None) -> str:
    """Return the media type of an inline file; without a name it is a PDF, as OpenAI takes no others."""
    return (mimetypes.guess_type(name)[0] if name else "application/pdf") or "application/octet-stream"
