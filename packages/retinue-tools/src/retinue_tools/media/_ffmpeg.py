"""Running ffmpeg and ffprobe on untrusted files, for the tools of this category."""

import json
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import OUTPUT_FOLDER, About, OutputFile, ToolError, ToolUnavailable, output_path

FFMPEG = ("ffmpeg", "ffprobe")
"""Programs that these tools need."""

_PROBE_S, _RUN_S = 6.0, 45.0
MOST_SIDE = 4096
_MOST_PIXELS = 4096 * 2304

_DEMUXERS = (
    "aac,ac3,aiff,amr,ape,asf,au,avi,caf,eac3,flac,flv,gif,h264,hevc,ivf,m4v,matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,mp3,"
    "mpeg,mpegts,mpegvideo,nut,ogg,tta,voc,w64,wav,wv,yuv4mpegpipe"
)
"""Containers with their own content. Playlists and scripts (hls, concat) refer to other files, and are rejected."""
_CLOSED = ("-protocol_whitelist", "file,pipe", "-format_whitelist", _DEMUXERS, "-max_pixels", str(_MOST_PIXELS))
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "2", "HOME": "."}
_TOO_LONG = (signal.SIGXCPU, signal.SIGKILL)

STREAMS = ("-map", "0:v:0", "-map", "0:a:0?", "-sn", "-dn")
"""The first video and the first audio stream of a file."""
EVEN = "pad=ceil(iw/2)*2:ceil(ih/2)*2,setsar=1"
"""Compressed pictures have even side lengths."""
H264 = (
    "-c:v", "libx264", "-preset", "superfast", "-crf", "23", "-pix_fmt", "yuv420p", "-threads", "2",
    "-c:a", "aac", "-b:a", "128k", "-movflags", "+faststart",
)  # fmt: skip
"""Encoder settings for MP4, MOV and MKV."""

Start = Annotated[float, About("Start in seconds", 30, minimum=0, maximum=360_000)]
End = Annotated[float, About("End in seconds; default: the end", 90.5, minimum=0, maximum=360_000)]


class Stream(TypedDict):
    """A stream of a file."""

    kind: Annotated[str, About("video, audio, subtitle, or other")]
    codec: Annotated[str, About("Codec, as named by ffmpeg: h264, aac, mp3, pcm_s16le")]
    language: Annotated[str | None, About("Language code, if the file contains it")]
    bitrate_kbps: Annotated[float | None, About("Bit rate in kbit/s")]
    width: Annotated[int | None, About("Width in pixels, of video")]
    height: Annotated[int | None, About("Height in pixels, of video")]
    frames_per_second: Annotated[float | None, About("Mean frame rate, of video")]
    pixel_format: Annotated[str | None, About("Pixel format, of video: yuv420p")]
    rotation_degrees: Annotated[int | None, About("Rotation by players, of video")]
    sample_rate_hz: Annotated[int | None, About("Sample rate in Hz, of audio")]
    channels: Annotated[int | None, About("Number of channels, of audio")]


class Facts(TypedDict):
    """Properties of an audio or video file."""

    container: Annotated[str, About("Container format, as named by ffmpeg")]
    duration_s: Annotated[float | None, About("Duration in seconds")]
    bytes: Annotated[int, About("Size of the file")]
    bitrate_kbps: Annotated[float | None, About("Total bit rate in kbit/s")]
    streams: Annotated[list[Stream], About("Streams, the first 50")]
    tags: Annotated[dict[str, str], About("Title, artist and other tags of the file, the first 50")]
    chapters: Annotated[int, About("Number of chapters")]


class MadeAudio(TypedDict):
    """Created audio."""

    file: OutputFile
    duration_s: Annotated[float, About("Duration in seconds")]
    codec: Annotated[str, About("Codec")]
    sample_rate_hz: Annotated[int, About("Sample rate in Hz")]
    channels: Annotated[int, About("1 for mono, 2 for stereo")]
    bytes: Annotated[int, About("Size of the file")]


class MadeVideo(TypedDict):
    """Created video."""

    file: OutputFile
    duration_s: Annotated[float, About("Duration in seconds")]
    width: Annotated[int, About("Width in pixels")]
    height: Annotated[int, About("Height in pixels")]
    frames_per_second: Annotated[float, About("Mean frame rate")]
    codecs: Annotated[list[str], About("Codecs of video and audio")]
    bytes: Annotated[int, About("Size of the file")]


def input_arguments(file: str) -> list[str]:
    """Return ffmpeg's arguments for an input file, with formats limited to ones that do not refer to other files."""
    return [*_CLOSED, "-i", f"file:{file}"]


def probe(file: str) -> Facts:
    """Return the properties of a file. Raises `ToolError` if it is neither audio nor video."""
    output_options = ["-show_format", "-show_streams", "-show_chapters", "-print_format", "json"]
    ended = _run(["ffprobe", "-v", "error", "-hide_banner", *_CLOSED, *output_options, f"file:{file}"], _PROBE_S)
    try:
        found = json.loads(ended.stdout)
    except ValueError:
        found = {}
    if ended.returncode or not found.get("streams"):
        raise ToolError("The file is not readable audio or video. Send a format such as MP4, WebM, MP3 or WAV.")
    about = found["format"]
    return {
        "container": str(about.get("format_name", "")),
        "duration_s": _number(about.get("duration")),
        "bytes": Path(file).stat().st_size,
        "bitrate_kbps": _kilobits(about),
        "streams": [_stream(stream) for stream in found["streams"][:50]],
        "tags": {str(name)[:100]: str(text)[:1000] for name, text in list(about.get("tags", {}).items())[:50]},
        "chapters": len(found.get("chapters", ())),
    }


def first(facts: Facts, kind: str) -> Stream | None:
    """Return the first stream of a kind."""
    return next((stream for stream in facts["streams"] if stream["kind"] == kind), None)


def with_sound(file: str) -> tuple[Facts, Stream]:
    """Return the properties of a file, and its first audio stream. Raises `ToolError` if there is none."""
    facts = probe(file)
    if sound := first(facts, "audio"):
        return facts, sound
    raise ToolError("The file has no sound. Send one with an audio stream.")


def with_picture(file: str) -> tuple[Facts, Stream]:
    """Return the properties of a file, and its first video stream. Raises `ToolError` if there is none, or if it is too
    large.
    """
    facts = probe(file)
    picture = first(facts, "video")
    if not picture or not picture["width"] or not picture["height"]:
        raise ToolError("The file has no picture. Send one with a video stream.")
    if picture["width"] * picture["height"] > _MOST_PIXELS:
        raise ToolError(f"The video has {picture['width']} x {picture['height']} pixels; the maximum is 4K.")
    return facts, picture


def picture_of(arguments: Sequence[str]) -> str:
    """Let ffmpeg write one picture for the arguments. Returns the path of a PNG. Raises the same errors as `made`."""
    path = Path("picture.png")
    path.unlink(missing_ok=True)
    messages_of([*arguments, "-frames:v", "1", "-c:v", "png", "-f", "image2", "-update", "1", "-y", f"file:{path}"])
    if not path.exists():
        raise ToolError("The video has no picture at that time. Choose an earlier one.")
    return str(path)


def length(facts: Facts) -> float:
    """Return the duration of a file in seconds. Raises `ToolError` if it is unknown."""
    if not facts["duration_s"]:
        raise ToolError("The duration of the file is unknown. Convert it to MP4 or WAV first.")
    return facts["duration_s"]


def span(facts: Facts, start_s: float, end_s: float | None) -> float:
    """Return the seconds between two times of a file. Raises `ToolError` if there are none."""
    end = min(length(facts), end_s) if end_s is not None else length(facts)
    if start_s >= end:
        raise ToolError(
            f"There is nothing between {start_s:g} and {end:g} s; the duration of the file is {length(facts):g} s."
        )
    return end - start_s


def make_file(name: str, arguments: Sequence[str]) -> str:
    """Let ffmpeg create a file for the caller, with the arguments before the file name. Returns that name.

    Raises `ToolError` if it cannot be created from the input, and `ToolUnavailable` if ffmpeg lacks a component.
    """
    path = output_path(name)
    messages_of(["-y", *arguments, "-map_chapters", "-1", f"file:{path}"])
    if not path.exists() or not path.stat().st_size:
        raise ToolError("The result is empty: the file has no content at these times, or is damaged.")
    return path.name


def messages_of(arguments: Sequence[str], level: str = "error") -> str:
    """Run ffmpeg and return its standard error. Raises the same errors as `made`."""
    # One thread for each filter and two for each codec, because the worker pool already runs in parallel.
    command = ["ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-v", level, "-filter_threads", "1"]
    ended = _run([*command, "-filter_complex_threads", "1", *arguments], _RUN_S)
    messages = ended.stderr.decode(errors="replace")
    if ended.returncode == 0:
        return messages
    raise _failure(ended.returncode, messages)


def made_audio(name: str, arguments: Sequence[str]) -> MadeAudio:
    """Like `made`, for audio."""
    file = make_file(name, arguments)
    facts, sound = with_sound(f"{OUTPUT_FOLDER}/{file}")
    return {
        "file": file,
        "duration_s": round(length(facts), 3),
        "codec": sound["codec"],
        "sample_rate_hz": sound["sample_rate_hz"] or 0,
        "channels": sound["channels"] or 0,
        "bytes": facts["bytes"],
    }


def made_video(name: str, arguments: Sequence[str]) -> MadeVideo:
    """Like `made`, for video."""
    file = make_file(name, arguments)
    facts, picture = with_picture(f"{OUTPUT_FOLDER}/{file}")
    return {
        "file": file,
        "duration_s": round(length(facts), 3),
        "width": picture["width"] or 0,
        "height": picture["height"] or 0,
        "frames_per_second": picture["frames_per_second"] or 0.0,
        "codecs": [stream["codec"] for stream in facts["streams"]],
        "bytes": facts["bytes"],
    }


def _run(command: Sequence[str], seconds: float) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(  # noqa: S603 - a fixed program, and no shell
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, env=_ENVIRONMENT, check=False
        )
    except FileNotFoundError as error:
        raise ToolUnavailable(
            f"{command[0]} is not installed on this server. The operator can install ffmpeg."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise _slow() from error


def _slow() -> ToolError:
    return ToolError(f"The operation takes longer than {_RUN_S:g} s. Send a shorter part, or request a smaller size.")


def _failure(code: int, messages: str) -> Exception:
    """Return the exception for an exit status of ffmpeg, negative for a signal, and its messages."""
    if -code in _TOO_LONG:
        return _slow()
    if -code == signal.SIGXFSZ or "File too large" in messages:
        return ToolError("The result would be larger than 64 MiB. Request a shorter part, or a smaller size.")
    if "Unknown encoder" in messages or "No such filter" in messages:
        return ToolUnavailable(f"The ffmpeg on this server lacks a component: {_last(messages)}")
    if "Cannot allocate memory" in messages:
        return ToolError(
            "The operation needs more memory than the tool may use. Send a smaller picture or a shorter part."
        )
    return ToolError(f"ffmpeg failed: {_last(messages)}")


def _last(messages: str) -> str:
    """Return the last informative line of the messages."""
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    telling = [line for line in lines if line not in ("Conversion failed!",)] or lines or ["it gave no reason"]
    return telling[-1][-300:]


def _stream(stream: Mapping[str, Any]) -> Stream:
    kind = str(stream.get("codec_type", "other"))
    sides = [side.get("rotation") for side in stream.get("side_data_list", ()) if "rotation" in side]
    return {
        "kind": kind if kind in ("video", "audio", "subtitle") else "other",
        "codec": str(stream.get("codec_name", "unknown")),
        "language": stream.get("tags", {}).get("language"),
        "bitrate_kbps": _kilobits(stream),
        "width": _whole(stream.get("width")),
        "height": _whole(stream.get("height")),
        "frames_per_second": _ratio(stream.get("avg_frame_rate")) if kind == "video" else None,
        "pixel_format": stream.get("pix_fmt") if kind == "video" else None,
        "rotation_degrees": (_whole(sides[0]) if sides else 0) if kind == "video" else None,
        "sample_rate_hz": _whole(stream.get("sample_rate")),
        "channels": _whole(stream.get("channels")),
    }


def _number(text: Any) -> float | None:
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return round(value, 6) if 0 < value < 1e9 else None


def _whole(text: Any) -> int | None:
    try:
        return int(text)
    except (TypeError, ValueError, OverflowError):
        return None


def _ratio(text: Any) -> float | None:
    """Parse a ratio such as 30000/1001."""
    above, _, below = str(text).partition("/")
    upper, lower = _number(above), _number(below or "1")
    return round(upper / lower, 4) if upper and lower else None


def _kilobits(about: Mapping[str, Any]) -> float | None:
    bits = _number(about.get("bit_rate"))
    return round(bits / 1000, 1) if bits else None
