"""Videos from pictures, GIFs from videos, and adding or removing sound and subtitles."""

import base64
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import OUTPUT_FOLDER, About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, tool
from retinue_tools.media._clips import CLIP, SILENT_CLIP
from retinue_tools.media._ffmpeg import (
    EVEN,
    FFMPEG,
    H264,
    STREAMS,
    End,
    MadeVideo,
    Start,
    Stream,
    first,
    input_arguments,
    length,
    made_video,
    make_file,
    probe,
    span,
    with_picture,
    with_sound,
)
from retinue_tools.media._pictures import Color, blank, fit_into, flatten, rgba, upright
from retinue_tools.media._samples import FILE, HALVES, NO_IMAGE, OTHER, TONE, look_at_pixel, paint
from retinue_tools.text._subtitle_cues import format_cues, read_cues

_MOST_GIF_S = 30.0
_AS_THEY_ARE = ("h264", "hevc", "av1", "vp9", "mpeg4")
"""Codecs that MP4 supports and that need not be encoded again."""
_CUES = base64.b64encode(b"1\n00:00:00,200 --> 00:00:01,200\nHello\n").decode()


class MadeGif(TypedDict):
    """A created animated GIF."""

    file: OutputFile
    duration_s: Annotated[float, About("Duration of one loop in seconds")]
    width: Annotated[int, About("Width in pixels")]
    height: Annotated[int, About("Height in pixels")]
    bytes: Annotated[int, About("Size of the file")]


@tool(
    tags="video gif animated loop convert mp4 clip meme",
    use_when=(
        "Make a GIF of seconds 3 to 6 of this video",
        "Turn the screen recording into an animated GIF of 480 pixels",
        "Convert clip.mp4 to GIF",
        "GIF from a video clip",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE, "start_s": 1, "end_s": 2, "width": 32},
            {"file": "clip.gif", "duration_s": 1.0, "width": 32, "height": 24},
            source="by hand: the second second is blue; GIF counts in hundredths",
            files=CLIP,
            tolerance=0.02,
            then=(
                look_at_pixel(16, 12, "#0000ff"),
                ExampleCall("image_inspect", {"file": "{made}"}, {"format": "gif"}),
            ),
        ),
        Example(
            {"file": FILE, "frames_per_second": 5}, {"width": 480, "height": 360}, source="the default", files=CLIP
        ),
        Refusal(
            {"file": FILE, "start_s": 9},
            "There is nothing between 9 and 2 s; the duration of the file is 2 s",
            files=CLIP,
        ),
        Refusal({"file": FILE}, "no picture", files=TONE),
    ),
    reply="The GIF of {duration_s|second}: {file}",
)
def video_make_gif(
    file: File,
    start_s: Start = 0,
    end_s: End | None = None,
    width: Annotated[int, About("Width in pixels", minimum=16, maximum=1000)] = 480,
    frames_per_second: Annotated[float, About("Frames per second", minimum=1, maximum=30)] = 12,
) -> MadeGif:
    """Make an animated GIF of a part of a video, at most 30 seconds, with a palette of the video's colours.

    Use it for short loops in chats and pages. Returns the GIF.
    """
    facts, _ = with_picture(file)
    seconds = span(facts, start_s, end_s)
    if seconds > _MOST_GIF_S:
        raise ToolError(f"A GIF lasts at most {_MOST_GIF_S:g} s; give start_s and end_s of a part.")
    shape = f"fps={frames_per_second:g},scale={width}:-1:flags=lanczos"
    palette = "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4"
    source = ["-ss", f"{start_s:.6f}", "-t", f"{seconds:.6f}", *input_arguments(file)]
    name = make_file("clip.gif", [*source, "-filter_complex", f"[0:v:0]{shape},{palette}", "-loop", "0"])
    result = probe(f"{OUTPUT_FOLDER}/{name}")
    picture = first(result, "video")
    return {
        "file": name,
        "duration_s": round(length(result), 2),
        "width": picture["width"] or 0 if picture else 0,
        "height": picture["height"] or 0 if picture else 0,
        "bytes": result["bytes"],
    }


@tool(
    tags="video make create images slideshow pictures photos mp4 time lapse music",
    use_when=(
        "Make a video of these photos with 3 seconds each",
        "Turn the pictures into an MP4 slideshow with music",
        "Create a time lapse video from these images, 10 a second",
        "Slideshow of holiday photos",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"files": [FILE, OTHER], "seconds_each": 1.5, "width": 64, "height": 48},
            {"file": "slideshow.mp4", "duration_s": 3.0, "width": 64, "height": 48, "codecs": ["h264"]},
            source="by hand: two pictures of 1.5 s",
            files={FILE: HALVES[FILE], OTHER: paint(8, 8, lambda x, y: "00ff00")},
        ),
        Example(
            {"files": [FILE], "sound": OTHER},
            {"duration_s": 3.0, "width": 1280, "height": 720, "codecs": ["h264", "aac"]},
            source="the defaults: 3 s of 1280 x 720",
            files={FILE: HALVES[FILE], OTHER: TONE[FILE]},
            tolerance=0.05,
        ),
        Refusal({"files": [FILE]}, "not a readable image", files=NO_IMAGE),
        Refusal({"files": [FILE] * 3, "seconds_each": 600}, "10 minutes", files=HALVES),
    ),
    reply="The video lasts {duration_s|second}: {file}",
)
def video_make_from_images(
    files: Annotated[list[File], About("Images in order", [FILE, OTHER], min_items=1, max_items=200)],
    seconds_each: Annotated[float, About("Duration of each image, in seconds", minimum=0.04, maximum=600)] = 3,
    sound: Annotated[File, About("ID of an audio file to play with it", OTHER)] | None = None,
    width: Annotated[int, About("Width in pixels, even", minimum=16, maximum=1920)] = 1280,
    height: Annotated[int, About("Height in pixels, even", minimum=16, maximum=1920)] = 720,
    background: Color = "#000000",
) -> MadeVideo:
    """Make a video from images, each fitted into the picture and shown for the same time, optionally with sound.

    Use it for slideshows and time lapses. Returns an MP4.
    """
    seconds = len(files) * seconds_each
    if seconds > 600:
        raise ToolError(f"The duration of the video would be {seconds:g} s; the maximum is 10 minutes.")
    size, ground = (width // 2 * 2, height // 2 * 2), rgba(background)
    for number, file in enumerate(files):
        image = fit_into(upright(file).convert("RGBA"), *size)
        sheet = blank(*size)
        sheet.paste(image, ((size[0] - image.width) // 2, (size[1] - image.height) // 2))
        flatten(sheet, ground).save(f"slide-{number:04}.png", compress_level=1)
    rate = min(25.0, max(5.0, 1 / seconds_each))
    picture_input = ["-f", "image2", "-framerate", f"{1 / seconds_each:.6f}", "-i", "file:slide-%04d.png"]
    played = [] if sound is None else _play(sound)
    chain = ["-vf", f"fps={rate:.6f},{EVEN}", "-t", f"{seconds:.6f}"]
    return made_video("slideshow.mp4", [*picture_input, *played, *chain, *H264])


def _play(sound: str) -> list[str]:
    with_sound(sound)
    return [*input_arguments(sound), "-map", "0:v:0", "-map", "1:a:0"]


@tool(
    tags="video subtitles captions srt vtt burn hard soft add text track",
    use_when=(
        "Add talk.srt as subtitles to talk.mp4",
        "Burn the captions into the video",
        "Put these SRT subtitles on the clip so that viewers can switch them off",
        "Put subtitles in my film",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE, "subtitles": OTHER},
            {"file": "subtitled.mp4", "duration_s": 2.0, "codecs": ["h264"]},
            source="by hand: the picture alone is changed",
            files={FILE: SILENT_CLIP[FILE], OTHER: _CUES},
        ),
        Example(
            {"file": FILE, "subtitles": OTHER, "kind": "track", "language": "eng"},
            {"codecs": ["h264", "mov_text"]},
            source="subtitles of MP4 are mov_text",
            files={FILE: SILENT_CLIP[FILE], OTHER: _CUES},
            then=(
                ExampleCall(
                    "media_probe_file", {"file": "{made}"}, {"streams": [{"kind": "video"}, {"language": "eng"}]}
                ),
            ),
        ),
        Refusal({"file": FILE, "subtitles": OTHER}, "no subtitles", files={**CLIP, OTHER: NO_IMAGE[FILE]}),
    ),
    reply="The video with its subtitles: {file}",
)
def video_add_subtitles(
    file: File,
    subtitles: Annotated[File, About("ID of an SRT or WebVTT file", OTHER)],
    kind: Annotated[
        Literal["burned", "track"],
        About("Permanently drawn into the picture, or a track that can be switched on and off"),
    ] = "burned",
    language: Annotated[str, About("ISO 639-2 code of the track's language", "eng", pattern="^[a-z]{3}$")] = "und",
    font_size: Annotated[
        int, About("Font size of burned subtitles; the picture is 288 high", minimum=8, maximum=60)
    ] = 18,
) -> MadeVideo:
    """Add subtitles from an SRT or WebVTT file to a video: burned into the picture, or as a track.

    Use burned ones for social media, a track for players. Returns an MP4.
    """
    _, picture = with_picture(file)
    cues = read_cues(_decode(Path(subtitles).read_bytes()[:2_000_000]))
    Path("cues.srt").write_text(format_cues(cues, "srt"), encoding="utf-8")
    if kind == "track":
        subtitle_input = ["-f", "srt", "-i", "file:cues.srt", "-map", "0:v:0", "-map", "0:a:0?", "-map", "1:s:0"]
        how = [*_keep(picture), "-c:a", "aac", "-c:s", "mov_text", "-metadata:s:s:0", f"language={language}"]
        return made_video("subtitled.mp4", [*input_arguments(file), *subtitle_input, *how])
    chain = f"{EVEN},subtitles=cues.srt:fontsdir={_fonts()}:force_style='FontName=DejaVu Sans,FontSize={font_size}'"
    return made_video("subtitled.mp4", [*input_arguments(file), *STREAMS, "-vf", chain, *H264])


def _decode(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _fonts() -> str:
    """Return a folder with the font included in matplotlib, because machines need not have any."""
    folder = Path("fonts")
    folder.mkdir(exist_ok=True)
    if (library := find_spec("matplotlib")) and library.origin:
        shutil.copy(Path(library.origin).parent / "mpl-data/fonts/ttf/DejaVuSans.ttf", folder)
    return str(folder)


@tool(
    tags="video remove audio mute silent sound strip",
    use_when=(
        "Remove the sound from this video",
        "Mute clip.mp4",
        "I need the video without audio",
        "Mute a video",
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE},
            {"file": "silent.mp4", "duration_s": 2.0, "codecs": ["h264"]},
            source="by hand: the picture alone stays",
            files=CLIP,
        ),
        Refusal({"file": FILE}, "no picture", files=TONE),
    ),
    reply="The video without sound: {file}",
)
def video_remove_audio(file: File) -> MadeVideo:
    """Remove the sound of a video; its picture is copied without re-encoding if MP4 supports it.

    Use it before publishing screen recordings, or to add other sound. Returns an MP4.
    """
    _, picture = with_picture(file)
    return made_video("silent.mp4", [*input_arguments(file), "-map", "0:v:0", "-an", *_keep(picture)])


@tool(
    tags="video add audio music sound track voice over replace mix background",
    use_when=(
        "Put this music under the video",
        "Replace the sound of clip.mp4 by voice.mp3",
        "Add a voice-over to the screen recording",
        "Put music under a video",
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE, "sound": OTHER},
            {"file": "sounding.mp4", "duration_s": 2.0, "codecs": ["h264", "aac"]},
            source="by hand: the length stays that of the picture",
            files={**SILENT_CLIP, OTHER: TONE[FILE]},
            tolerance=0.1,
        ),
        Example(
            {"file": FILE, "sound": OTHER, "how": "mix", "volume_percent": 30},
            {"codecs": ["h264", "aac"]},
            source="by hand",
            files={**CLIP, OTHER: TONE[FILE]},
        ),
        Refusal({"file": FILE, "sound": OTHER}, "no sound", files={**CLIP, OTHER: SILENT_CLIP[FILE]}),
    ),
    reply="The video with the new sound, {duration_s|second} long: {file}",
)
def video_add_audio(
    file: File,
    sound: Annotated[File, About("ID of an audio file", OTHER)],
    how: Annotated[Literal["replace", "mix"], About("Instead of the video's own sound, or mixed with it")] = "replace",
    volume_percent: Annotated[int, About("Volume of the added sound", minimum=1, maximum=400)] = 100,
) -> MadeVideo:
    """Add music or a voice to a video, instead of its own sound or mixed with it; the length of the video is kept.

    Use it for background music and voice-overs. Returns an MP4.
    """
    facts, picture = with_picture(file)
    with_sound(sound)
    added = f"[1:a:0]volume={volume_percent / 100:g},aresample=48000,apad"
    if how == "mix" and first(facts, "audio"):
        chain = f"{added}[m];[0:a:0]aresample=48000,apad[o];[o][m]amix=inputs=2:normalize=0[a]"
    else:
        chain = f"{added}[a]"
    chosen = ["-filter_complex", chain, "-map", "0:v:0", "-map", "[a]", "-t", f"{length(facts):.6f}"]
    encoded = [*_keep(picture), "-c:a", "aac", "-b:a", "128k"]
    return made_video("sounding.mp4", [*input_arguments(file), *input_arguments(sound), *chosen, *encoded])


def _keep(picture: Stream) -> list[str]:
    """Return ffmpeg's arguments to copy the picture if MP4 supports its codec."""
    if picture["codec"] in _AS_THEY_ARE:
        return ["-c:v", "copy", "-movflags", "+faststart"]
    return ["-vf", EVEN, *H264]
