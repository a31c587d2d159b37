"""Convert the answer of an agent to a result. Its fields show whether it is in version 1.0 or 0.3."""

import base64
import binascii
import io
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass

from retinue.core.errors import ValidationFailed
from retinue.files.file_metadata import clean_media_type
from retinue.tools.execution.output_files import Keep
from retinue.tools.imports.schema_trimming import as_list, as_object, text

Json = dict[str, object]

ENDED = frozenset({"completed", "failed", "canceled", "rejected"})
INTERRUPTED = frozenset({"input_required", "auth_required"})
_MOST_PARTS = 100
_MOST_FILES = 20
_MOST_SAID = 2000
"""Maximum characters of an agent's error message that are passed on."""


@dataclass(frozen=True)
class AgentAnswer:
    """A task, or a message in its place."""

    fields: Json
    is_task: bool

    @classmethod
    def read(cls, result: object) -> "AgentAnswer":
        """Read a result of 1.0 or 0.3. Raises `ValidationFailed` for another value."""
        fields = as_object(result)
        for name in ("task", "message"):
            if isinstance(inner := fields.get(name), dict):
                return cls(inner, name == "task")
        if "status" in fields or "parts" in fields:
            return cls(fields, "status" in fields)
        raise ValidationFailed("The agent answered with neither a task nor a message.")

    @property
    def state(self) -> str:
        """The state of the task in the words of results; a message is an answer that is complete."""
        if not self.is_task:
            return "completed"
        state = text(as_object(self.fields.get("status")).get("state"), 40).lower()
        return state.removeprefix("task_state_").replace("-", "_")

    @property
    def task_id(self) -> str | None:
        """The id of the task."""
        return text(self.fields.get("id" if self.is_task else "taskId"), 200) or None

    def _parts(self) -> Iterator[Json]:
        """Yield the parts of the artifacts, or of the message if there are none."""
        artifacts = [as_object(one) for one in as_list(self.fields.get("artifacts"))]
        status = as_object(self.fields.get("status"))
        message = as_object(status.get("message")) if self.is_task else self.fields
        holders = artifacts if artifacts and self.state == "completed" else [*artifacts, message]
        for holder in holders:
            yield from (as_object(part) for part in as_list(holder.get("parts")))

    async def result(self, name: str, keep: Keep) -> Json:
        """Return the result for the tool `name`. Raises `ValidationFailed` if the agent did not complete the task."""
        parts = [part for part, _ in zip(self._parts(), range(_MOST_PARTS), strict=False)]
        answer = "\n\n".join(words for part in parts if isinstance(words := part.get("text"), str) and words)
        if self.state not in {"completed", *INTERRUPTED}:
            raise ValidationFailed(
                f"{name}: the task is {self.state}: {text(answer, _MOST_SAID) or 'no reason given.'}"
            )
        files = [file for part in parts if (file := _file(part))][:_MOST_FILES]
        return {
            "state": self.state,
            "text": answer,
            "data": [part["data"] for part in parts if part.get("data") is not None],
            "files": [await _keep(file, f"{name}_{number}", keep) for number, file in enumerate(files, 1)],
            "context_id": text(self.fields.get("contextId"), 200) or None,
            "task_id": self.task_id,
        }


def _file(part: Json) -> Json | None:
    """Return the file in a part with the field names of 1.0, or None."""
    if isinstance(old := part.get("file"), dict):
        names = {"filename": old.get("name"), "mediaType": old.get("mimeType")}
        return {"raw": old.get("bytes"), "url": old.get("uri"), **names}
    return part if part.get("raw") or part.get("url") else None


async def _keep(file: Json, name: str, keep: Keep) -> dict[str, str]:
    """Store a file that arrived in base64, and describe it."""
    media_type = clean_media_type(text(file.get("mediaType"), 255) or "application/octet-stream")
    known: dict[str, str] = {"name": text(file.get("filename"), 200) or name, "media_type": media_type}
    if not isinstance(raw := file.get("raw"), str):
        return {**known, "url": text(file.get("url"), 2000)}
    try:
        content = base64.b64decode(raw)
    except (binascii.Error, ValueError):
        return known
    ending = "" if "." in known["name"] else mimetypes.guess_extension(media_type) or ".bin"
    return {**known, "file": await keep(f"{known['name']}{ending}", io.BytesIO(content))}
