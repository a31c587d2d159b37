"""Stream a form with one file (multipart/form-data, RFC 7578)."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from retinue.core.errors import ValidationFailed
from retinue.files.file_metadata import FileMetadata, clean_media_type, clean_name, form_field
from retinue.files.store import Upload

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

FIELD = "file"

_TEXT_BYTES, _MOST_FIELDS = 4096, 32
"""Maximum size of a field of text, and number of such fields."""


async def read_form(
    body: AsyncIterator[bytes], content_type: str, upload: Upload, fields: dict[str, str] | None = None
) -> FileMetadata:
    """Write the content of the part `file` to `upload`, and the texts of the other parts to `fields`.

    Raises `ValidationFailed` if the form is malformed, or has other parts although `fields` is None.
    """
    boundary = parse_options_header(content_type)[1].get(b"boundary")
    if not boundary:
        raise ValidationFailed("The Content-Type multipart/form-data requires a boundary. Let your client generate it.")
    form = _Form(fields)
    try:
        parser = MultipartParser(boundary, form.callbacks())
        async for chunk in body:
            parser.write(chunk)
            for piece in form.take_content():
                await upload.write(piece)
    except FormParserError as error:
        raise ValidationFailed(f"The form is malformed: {error}.") from error
    return form.end()


class _Form:
    """The parser's callbacks for a form."""

    def __init__(self, fields: dict[str, str] | None) -> None:
        self._fields = fields
        self._field = FIELD
        self._text = bytearray()
        self._label: FileMetadata | None = None
        self._pieces: list[bytes] = []
        self._headers: dict[str, str] = {}
        self._name = bytearray()
        self._value = bytearray()
        self._ended = False

    def callbacks(self) -> "MultipartCallbacks":
        """Return the callbacks in the form that the parser expects."""
        return {
            "on_header_field": lambda data, start, end: self._name.extend(data[start:end]),
            "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
            "on_header_end": self._end_header,
            "on_headers_finished": self._begin_part,
            "on_part_data": self._add,
            "on_part_end": self._end_part,
            "on_end": self._end,
        }

    def take_content(self) -> list[bytes]:
        """Return the content received since the last call."""
        pieces, self._pieces = self._pieces, []
        return pieces

    def end(self) -> FileMetadata:
        """Return the name and media type of the file, once the form has ended."""
        if not self._ended:
            raise ValidationFailed("The form ended before its closing boundary.")
        if self._label is None:
            raise ValidationFailed("The form has no file. Send one part with the name file.")
        return self._label

    def _end_header(self) -> None:
        self._headers[self._name.decode("latin-1").lower()] = self._value.decode(errors="replace")
        self._name.clear()
        self._value.clear()

    def _begin_part(self) -> None:
        headers, self._headers = self._headers, {}
        field, name = form_field(headers.get("content-disposition", ""))
        self._field = field
        if field != FIELD and self._fields is not None:
            return
        if field != FIELD:
            raise ValidationFailed(
                f"The form may only contain one part, named file; {field[:100]!r} is not a known field."
            )
        if self._label is not None:
            raise ValidationFailed("The form contains more than one file. Send each in its own request.")
        self._label = FileMetadata(clean_name(name), clean_media_type(headers.get("content-type")))

    def _add(self, data: bytes, start: int, end: int) -> None:
        if self._field == FIELD:
            self._pieces.append(data[start:end])
            return
        self._text += data[start:end]
        if len(self._text) > _TEXT_BYTES:
            raise ValidationFailed(f"The fields of a form can have at most {_TEXT_BYTES >> 10} KiB of text.")

    def _end_part(self) -> None:
        if self._field == FIELD or self._fields is None:
            return
        if len(self._fields) == _MOST_FIELDS:
            raise ValidationFailed(f"A form can have at most {_MOST_FIELDS} fields.")
        self._fields[self._field] = self._text.decode(errors="replace")
        self._text.clear()

    def _end(self) -> None:
        self._ended = True
