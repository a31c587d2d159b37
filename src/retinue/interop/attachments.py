"""Files in the messages of a request: inline, behind an address, or uploaded before."""

import binascii
import mimetypes
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

import aiohttp

from retinue.auth.caller import Caller
from retinue.core.errors import ValidationFailed
from retinue.core.network.http_client import AddressGuard, AddressRefused
from retinue.core.network.web_fetch import ContentTooLarge, fetch_content
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.files.file_access import FileAccess
from retinue.files.file_metadata import FileMetadata, clean_media_type, clean_name
from retinue.files.service import Files
from retinue.models.base import Model
from retinue.runs.execution.attachments import KINDS
from retinue.runs.run_options import ClientMessage

MAX_BODY = 20 << 20
"""Maximum size of a request with inline files, in bytes."""

_MOST = 50
"""Maximum number of files in one request."""

_TYPES = {"image/jpg": "image/jpeg", "audio/mp3": "audio/mpeg", "audio/wave": "audio/wav"}
_NOUNS = {"image": "images", "pdf": "PDFs", "audio": "recordings"}


def data_url(media_type: str, data: str, name: str | None = None) -> str:
    """Return base64 as a `data:` URL with a name. `data` may be such a URL already, whose type is then used."""
    if data.startswith("data:"):
        media_type, _, data = data.removeprefix("data:").partition(",")
        media_type = media_type.partition(";")[0]
    called = f";name={quote(name)}" if name else ""
    return f"data:{media_type}{called};base64,{data}"


@dataclass(frozen=True)
class Attachments:
    """Turns the files that messages name into files of the account.

    A message names a file by a `data:` URL, by an http(s) URL or by the id of an uploaded file.
    """

    caller: Caller
    files: Files
    file_access: FileAccess
    guard: AddressGuard

    async def store(self, messages: Sequence[ClientMessage]) -> list[ClientMessage]:
        """Return the messages with ids of files. Raises `ValidationFailed` for files that cannot be used."""
        references = list(dict.fromkeys(name for message in messages for name in message.attachments))
        if len(references) > _MOST:
            raise ValidationFailed(f"messages: a request can have at most {_MOST} images and other files.")
        uploaded = [name for name in references if not name.startswith(("data:", "http:", "https:"))]
        await self.file_access.attachments(self.caller, uploaded)
        ids = {name: name if name in uploaded else await self._add(name) for name in references}
        return [
            message.model_copy(update={"attachments": list(dict.fromkeys(ids[name] for name in message.attachments))})
            if message.attachments
            else message
            for message in messages
        ]

    async def check(self, messages: Sequence[ClientMessage], model: Model, name: str) -> None:
        """Raise `ValidationFailed` if the model `name` does not take the files of the messages."""
        ids = [file_id for message in messages for file_id in message.attachments]
        for kind in _NOUNS.keys() - model.input if ids else ():
            types = [media_type for media_type, taken_as in KINDS.items() if taken_as == kind]
            if await self.file_access.names(self.caller.account_id, ids, types):
                raise ValidationFailed(
                    f"model: {name} takes no {_NOUNS[kind]}. GET /api/v1/models lists what each model takes in `input`."
                )

    async def _add(self, name: str) -> str:
        label, content = await (self._decode(name) if name.startswith("data:") else self._fetch(name))
        return await self.files.add_once(content, label)

    @staticmethod
    async def _decode(url: str) -> tuple[FileMetadata, bytes]:
        head, _, data = url.removeprefix("data:").partition(",")
        media_type, *parameters = head.split(";")
        if "base64" not in parameters:
            raise ValidationFailed("messages: a data: URL must be in base64, such as data:image/png;base64,….")
        try:
            content = await run_on_compute_thread(b64decode, data, validate=True)
        except (binascii.Error, ValueError) as error:
            raise ValidationFailed("messages: the data of a file is not valid base64.") from error
        names = [unquote(one.removeprefix("name=")) for one in parameters if one.startswith("name=")]
        return _label(names[0] if names else "", media_type), content

    async def _fetch(self, url: str) -> tuple[FileMetadata, bytes]:
        most = min(MAX_BODY, self.files.max_bytes)
        try:
            fetched = await fetch_content(self.guard, url, most)
        except AddressRefused as error:
            raise ValidationFailed(f"messages: {url[:200]} is not a public address. Send the file inline.") from error
        except ContentTooLarge as error:
            raise ValidationFailed(f"messages: {url[:200]} is larger than {most >> 20} MiB.") from error
        except (TimeoutError, aiohttp.ClientError, ValueError) as error:
            raise ValidationFailed(
                f"messages: {url[:200]} could not be fetched. Check the address, or send the file inline."
            ) from error
        if fetched.status >= 400:
            raise ValidationFailed(f"messages: {url[:200]} answered with status {fetched.status}.")
        return _label(urlsplit(url).path.rpartition("/")[2], fetched.media_type), fetched.content


def _label(name: str, media_type: str) -> FileMetadata:
    kind = media_type.strip().lower()
    kind = clean_media_type(_TYPES.get(kind, kind))
    return FileMetadata(clean_name(name or f"attachment{mimetypes.guess_extension(kind) or ''}"), kind)
