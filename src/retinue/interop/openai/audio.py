"""Speech and transcription, by the tools of the catalogue.

Protocol: https://platform.openai.com/docs/api-reference/audio
"""

import io
import wave
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, TypedDict

import orjson
from fastapi import Depends, Request
from pydantic import Field, ValidationError
from starlette.responses import JSONResponse, PlainTextResponse, Response

from retinue.auth.services import of_caller
from retinue.core.errors import ValidationFailed
from retinue.core.http.operations import Api
from retinue.core.http.validation_messages import describe_fields
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.service import Files
from retinue.files.upload import announced_size, read_past, read_upload
from retinue.interop.lenient import Lenient, Name
from retinue.interop.openai.base import BASE
from retinue.tools.service import CallFiles, Tools

_SAY, TRANSCRIBE, _CONVERT = "speech_say_text", "speech_transcribe_audio", "audio_convert_format"
_RECORDING = "file_" + 26 * "0"
"""An id that no file has, for the file that is handed to a tool."""

_FORMATS = {"mp3": "audio/mpeg", "opus": "audio/ogg", "aac": "audio/mp4", "flac": "audio/flac", "wav": "audio/wav"}
_CONVERTED = {"aac": "m4a"}
"""The name of a format in the catalogue, where it has another one."""

_MOST_CALLS = 20
"""Calls of the tool for one recording, of up to 15 minutes each."""

ToolsOfCaller = Annotated[Tools, Depends(of_caller(Tools))]
FilesOfCaller = Annotated[Files, Depends(of_caller(Files))]

api = Api("openai", base=BASE)


class SpeechRequest(Lenient):
    """Request body of speech. The model and the voice are the server's, whatever their names."""

    input: Annotated[str, Field(min_length=1, max_length=10_000)]
    model: Name | None = None
    response_format: Literal["mp3", "opus", "aac", "flac", "wav", "pcm"] = "mp3"
    speed: Annotated[float, Field(ge=0.25, le=4)] = 1


class TranscriptionFields(Lenient):
    """Fields of the form of a transcription."""

    response_format: Literal["json", "text", "srt", "verbose_json", "vtt"] = "json"
    stream: bool = False
    language: str | None = None


@dataclass
class _Made:
    """Takes the file that a tool creates."""

    content: bytes = b""

    async def keep(self, name: str, file: BinaryIO) -> str:
        """Read the file. Returns its name."""
        self.content = await run_on_disk_thread(file.read)
        return name


@api.post("/audio/speech", scope="tools:execute", binary=True, include_in_schema=False)
async def create_speech(body: SpeechRequest, tools: ToolsOfCaller, files: FilesOfCaller) -> Response:
    """Say a text."""
    audio = _Made()
    await _execute(tools, _SAY, {"text": body.input, "speed": min(max(body.speed, 0.5), 2)}, CallFiles(keep=audio.keep))
    if body.response_format == "pcm":
        with wave.open(io.BytesIO(audio.content)) as sound:
            return Response(sound.readframes(sound.getnframes()), media_type="audio/pcm")
    if body.response_format != "wav":
        audio.content = await _convert(tools, files, audio.content, body.response_format)
    return Response(audio.content, media_type=_FORMATS[body.response_format])


async def _convert(tools: Tools, files: Files, content: bytes, form: str) -> bytes:
    converted = _Made()
    async with files.store.receive(len(content)) as upload:
        await upload.write(content)
        await upload.finish()
        args = {"file": _RECORDING, "target_format": _CONVERTED.get(form, form)}
        await _execute(tools, _CONVERT, args, CallFiles({_RECORDING: upload.path}, converted.keep))
    return converted.content


async def _execute(tools: Tools, name: str, args: Mapping[str, object], handover: CallFiles) -> Any:
    """Return the result of a tool."""
    await tools.admit(name)
    return (await tools.execute(name, args, handover))["result"]


class _Segment(TypedDict):
    start_s: float
    end_s: float
    text: str


class _Heard(TypedDict):
    """The fields of the result of `speech_transcribe_audio` that this module uses."""

    segments: list[_Segment]
    end_s: float
    next_start_s: float | None


@dataclass
class Transcript:
    """The transcript of a recording. Times are in seconds."""

    segments: list[_Segment] = field(default_factory=list)
    end_s: float = 0.0

    @property
    def text(self) -> str:
        """The whole text."""
        return " ".join(one["text"] for one in self.segments)

    def fields(self) -> dict[str, object]:
        """Return the transcript as `verbose_json`."""
        segments = [
            {"id": at, "start": one["start_s"], "end": one["end_s"], "text": one["text"], **_UNKNOWN}
            for at, one in enumerate(self.segments)
        ]
        return {
            "task": "transcribe",
            "language": "english",
            "duration": self.end_s,
            "text": self.text,
            "segments": segments,
        }

    def cues(self, form: str) -> str:
        """Return the transcript as subtitles: `srt` or `vtt`."""
        mark = "," if form == "srt" else "."
        cues = [
            f"{number}\n{_time(one['start_s'], mark)} --> {_time(one['end_s'], mark)}\n{one['text']}\n"
            for number, one in enumerate(self.segments, start=1)
        ]
        return "\n".join(cues if form == "srt" else ["WEBVTT\n", *cues])


_UNKNOWN: dict[str, object] = {
    "seek": 0,
    "tokens": [],
    "temperature": 0.0,
    "avg_logprob": 0.0,
    "compression_ratio": 1.0,
    "no_speech_prob": 0.0,
}
"""What clients expect of a segment, and the transcription does not measure."""


@api.post("/audio/transcriptions", scope="tools:execute", raw_body=True, include_in_schema=False)
async def create_transcription(request: Request, tools: ToolsOfCaller, files: FilesOfCaller) -> Response:
    """Transcribe a recording, which is not stored."""
    form_fields: dict[str, str] = {}
    async with read_past(request), files.receiving(announced_size(request)) as upload:
        await read_upload(request, None, upload, form_fields)
        fields = _read_fields(form_fields)
        transcript = await transcribe(tools, upload.path)
    if fields.stream:
        return Response(_events(transcript.text), media_type="text/event-stream")
    match fields.response_format:
        case "json":
            return JSONResponse({"text": transcript.text})
        case "verbose_json":
            return JSONResponse(transcript.fields())
        case "text":
            return PlainTextResponse(transcript.text + "\n")
        case form:
            return PlainTextResponse(transcript.cues(form))


def _read_fields(form: Mapping[str, str]) -> TranscriptionFields:
    try:
        fields = TranscriptionFields.model_validate(form)
    except ValidationError as error:
        raise ValidationFailed(describe_fields(error)) from error
    if fields.language not in (None, "", "en", "english"):
        raise ValidationFailed("language: only English can be transcribed. Leave the field out, or send en.")
    return fields


async def transcribe(tools: Tools, path: Path) -> Transcript:
    """Transcribe a recording. Raises `ValidationFailed` if it is longer than five hours."""
    transcript, start = Transcript(), 0.0
    for _ in range(_MOST_CALLS):
        args = {"file": _RECORDING, "start_s": start}
        part: _Heard = await _execute(tools, TRANSCRIBE, args, CallFiles({_RECORDING: path}))
        transcript.segments += part["segments"]
        transcript.end_s = part["end_s"]
        if part["next_start_s"] is None:
            return transcript
        start = part["next_start_s"]
    raise ValidationFailed("file: the recording is too long. Send it in parts of an hour.")


def _events(text: str) -> bytes:
    delta = {"type": "transcript.text.delta", "delta": text}
    done = {"type": "transcript.text.done", "text": text}
    return b"".join(b"data: " + orjson.dumps(one) + b"\n\n" for one in (delta, done))


def _time(seconds: float, mark: str) -> str:
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}{mark}{rest % 1000:03}"
