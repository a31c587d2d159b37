"""Convert an MCP server's answer to a result: `text`, `structured` and `content`."""

import base64
import binascii
import io
import mimetypes

import orjson

from retinue.core.errors import ValidationFailed
from retinue.files.file_metadata import clean_media_type
from retinue.tools.execution.output_files import Keep
from retinue.tools.imports.mcp.messages import Json
from retinue.tools.imports.mcp.questions import InputRequired, read_question
from retinue.tools.imports.schema_trimming import text

_MOST_PARTS = 100
_MOST_FILES = 20
_MOST_SAID = 2000
"""Maximum characters of a tool's error message that are passed on."""


async def result(answer: Json, name: str, keep: Keep) -> Json:
    """Return the result of a call; binary content becomes files named after the tool. Raises `ValidationFailed` for a
    failure, and `InputRequired` if the server asks a person first.
    """
    if answer.get("resultType") == "input_required":
        raise InputRequired(name, read_question(answer, name))
    listed = answer.get("content")
    parts = [one for one in listed[:_MOST_PARTS] if isinstance(one, dict)] if isinstance(listed, list) else []
    words = "\n\n".join(one["text"] for one in parts if one.get("type") == "text" and isinstance(one.get("text"), str))
    if answer.get("isError") is True:
        raise ValidationFailed(f"{name} failed: {text(words, _MOST_SAID) or 'the server gave no reason.'}")
    structured = answer.get("structuredContent")
    others = [one for one in parts if one.get("type") != "text"]
    return {
        "text": "" if structured is not None and _repeats(words, structured) else words,
        "structured": structured,
        "content": await _Parts(name, keep).of(others),
    }


class _Parts:
    """Converts the non-text parts of one answer to parts of a result."""

    def __init__(self, name: str, keep: Keep) -> None:
        self._name = name
        self._keep = keep
        self._files = 0

    async def of(self, parts: list[Json]) -> list[Json]:
        """Return the converted parts, in the same order."""
        return [await self._part(part) for part in parts]

    async def _part(self, part: Json) -> Json:
        kind = text(part.get("type"), 40)
        match kind:
            case "image" | "audio":
                return {"type": kind, **await self._file(part.get("data"), part.get("mimeType"))}
            case "resource":
                inside = part.get("resource")
                return {"type": kind, **(await self._resource(inside) if isinstance(inside, dict) else {})}
            case "resource_link":
                fields = {"uri": 2000, "name": 200, "description": 1000}
                link = {field: text(part.get(field), most) for field, most in fields.items() if part.get(field)}
                return {"type": kind, **link, **_media_type(part.get("mimeType"))}
            case _:
                return {"type": kind}

    async def _resource(self, inside: Json) -> dict[str, str]:
        fields = {"uri": text(inside.get("uri"), 2000)}
        if isinstance(content := inside.get("text"), str):
            return fields | _media_type(inside.get("mimeType")) | {"text": content}
        return fields | await self._file(inside.get("blob"), inside.get("mimeType"))

    async def _file(self, data: object, media_type: object) -> dict[str, str]:
        """Store bytes that arrived in base 64."""
        fields = _media_type(media_type)
        self._files += 1
        if not isinstance(data, str) or self._files > _MOST_FILES:
            return fields
        try:
            content = base64.b64decode(data)
        except (binascii.Error, ValueError):
            return fields
        ending = mimetypes.guess_extension(fields.get("media_type", "").partition(";")[0]) or ".bin"
        return fields | {"file": await self._keep(f"{self._name}_{self._files}{ending}", io.BytesIO(content))}


def _media_type(media_type: object) -> dict[str, str]:
    return {"media_type": clean_media_type(media_type)} if isinstance(media_type, str) else {}


def _repeats(content: str, structured: object) -> bool:
    """Return whether the text is only the structured content as JSON, which servers add for old clients."""
    try:
        return bool(orjson.loads(content) == structured)
    except orjson.JSONDecodeError:
        return False
