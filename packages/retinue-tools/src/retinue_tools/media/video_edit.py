"""Video editing: conversion, cutting, resizing, joining, and speed."""

from typing import Annotated, Literal

from retinue.sdk import About, Example, ExampleCall, File, Refusal, ToolError, tool
from retinue_tools.media._clips import CLIP, SILENT_CLIP, TWO_CLIPS
from retinue_tools.media._ffmpeg import (
    EVEN,
    FFMPEG,
    H264,
    MOST_SIDE,
    STREAMS,
    End,
    MadeVideo,
    Start,
    first,
    input_arguments,
    length,
    made_video,
    span,
    with_picture,
)
from retinue_tools.media._samples import FILE, NO_IMAGE, OTHER, TONE

_QUALITIES = {"small": ("28", "40"), "normal": ("23", "33"), "high": ("18", "24")}
"""Constant rate factors of H.264 and of VP9."""
_VP9 = ("-c:v", "libvpx-vp9", "-b:v", "0", "-deadline", "realtime", "-cpu-used", "7", "-pix_fmt", "yuv420p")
_OPUS = ("-threads", "2", "-c:a", "libopus", "-b:a", "96k")
_MOST_PER_SECOND = 60.0

Side = Annotated[int | None, About("Pixels", 1280, minimum=16, maximum=MOST_SIDE)]


@tool(
    tags="video convert mp4 webm mkv mov avi format transcode compress smaller h264 vp9",
    use_when=(
        "Convert this MOV to MP4",
        "Turn clip.avi into WebM for my website",
        "Make the video file smaller for e-mail",
        "Compress holiday.mp4",
        "My video is too big to send",
        "Make a video smaller",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE},
            {"file": "video.mp4", "duration_s": 2.0, "width": 32, "height": 24, "codecs": ["h264", "aac"]},
            source="MP4 is made of H.264 and AAC; length and size stay",
            files=CLIP,
            tolerance=0.1,
            then=(ExampleCall("media_probe_file", {"file": "{made}"}, {"container": "mov,mp4,m4a,3gp,3g2,mj2"}),),
        ),
        Example(
            {"file": FILE, "target_format": "webm", "quality": "small"},
            {"file": "video.webm", "codecs": ["vp9"]},
            source="WebM is made of VP9; there is no sound",
            files=SILENT_CLIP,
        ),
        Refusal({"file": FILE}, "not readable audio or video", files=NO_IMAGE),
        Refusal({"file": FILE}, "no picture", files=TONE),
    ),
    reply="The converted video, {duration_s|second} long: {file}",
)
def video_convert_format(
    file: File,
    target_format: Annotated[
        Literal["mp4", "webm", "mkv", "mov"], About("Output format: WebM is VP9 and Opus, the others are H.264 and AAC")
    ] = "mp4",
    quality: Annotated[Literal["small", "normal", "high"], About("Small files, or high picture quality")] = "normal",
) -> MadeVideo:
    """Convert a video to MP4, WebM, MKV or MOV, or compress it to a smaller file.

    Use it for players and web pages that support only one format; `small` compresses most. Returns the video.
    """
    with_picture(file)
    h264, vp9 = _QUALITIES[quality]
    how = [*_VP9, "-crf", vp9, *_OPUS] if target_format == "webm" else [*H264, "-crf", h264]
    return made_video(f"video.{target_format}", [*input_arguments(file), *STREAMS, "-vf", EVEN, *how])


@tool(
    tags="video cut trim clip part section shorten mp4 seconds",
    use_when=(
        "Cut the video from 0:30 to 1:15",
        "Remove the first ten seconds of clip.mp4",
        "Keep only the last minute of the recording",
        "Trim a video",
        "Cut the end off a video",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE, "start_s": 0.5, "end_s": 1.5},
            {"file": "part.mp4", "duration_s": 1.0, "frames_per_second": 10.0},
            source="by hand",
            files=SILENT_CLIP,
        ),
        Example(
            {"file": FILE, "start_s": 1},
            {"duration_s": 1.0, "codecs": ["h264", "aac"]},
            source="by hand: the second half; AAC has blocks of 1,024 samples",
            files=CLIP,
            tolerance=0.3,
        ),
        Refusal(
            {"file": FILE, "start_s": 5},
            "There is nothing between 5 and 2 s; the duration of the file is 2 s",
            files=CLIP,
        ),
    ),
    reply="The part of the video lasts {duration_s|second}: {file}",
)
def video_cut_part(file: File, start_s: Start = 0, end_s: End | None = None) -> MadeVideo:
    """Cut a part out of a video, from one time to another, accurate to the frame.

    Use it to shorten recordings: to drop the beginning, give only `start_s`. Returns an MP4.
    """
    facts, _ = with_picture(file)
    seconds = span(facts, start_s, end_s)
    source = ["-ss", f"{start_s:.6f}", *input_arguments(file), "-t", f"{seconds:.6f}"]
    return made_video("part.mp4", [*source, *STREAMS, "-vf", EVEN, *H264])


@tool(
    tags="video resize scale resolution 720p 1080p square vertical crop pad smaller",
    use_when=(
        "Resize the video to 720p",
        "Scale clip.mp4 to 640 pixels wide",
        "Make it 1080 x 1080 for social media, cropped",
        "Make the picture of a video smaller",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE, "width": 64},
            {"file": "resized.mp4", "width": 64, "height": 48},
            source="by hand: the sides stay in proportion",
            files=SILENT_CLIP,
        ),
        Example(
            {"file": FILE, "width": 48, "height": 48, "fit": "crop"},
            {"width": 48, "height": 48, "duration_s": 2.0},
            source="what was asked for",
            files=SILENT_CLIP,
        ),
        Refusal({"file": FILE}, "width, height or both", files=SILENT_CLIP),
    ),
    reply="The video now has {width} x {height} pixels: {file}",
)
def video_resize(
    file: File,
    width: Side = None,
    height: Side = None,
    fit: Annotated[
        Literal["pad", "crop", "stretch"], About("If both sides are given: bars, cropping, or distortion")
    ] = "pad",
) -> MadeVideo:
    """Resize (change the size of) a video's picture, in proportion if only one side is given.

    Use it for 720p or for square and upright formats. Sides are rounded to even numbers. Returns an MP4.
    """
    if width is None and height is None:
        raise ToolError("Give width, height or both.")
    with_picture(file)
    if width and height:
        wide, high = width // 2 * 2, height // 2 * 2
        box = f"{wide}:{high}"
        chain = {
            "pad": f"scale={box}:force_original_aspect_ratio=decrease,pad={box}:(ow-iw)/2:(oh-ih)/2",
            "crop": f"scale={box}:force_original_aspect_ratio=increase,crop={box}",
            "stretch": f"scale={box}",
        }[fit]
    else:
        chain = f"scale={width // 2 * 2}:-2" if width else f"scale=-2:{(height or 0) // 2 * 2}"
    return made_video("resized.mp4", [*input_arguments(file), *STREAMS, "-vf", f"{chain},setsar=1", *H264])


@tool(
    tags="video join concatenate merge append clips combine",
    use_when=(
        "Join these three clips into one video",
        "Put the intro before talk.mp4",
        "Merge part1.mp4 and part2.webm",
        "Join two video clips",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"files": [FILE, OTHER]},
            {"file": "joined.mp4", "duration_s": 3.0, "width": 32, "height": 24, "codecs": ["h264", "aac"]},
            source="by hand: 2 s and 1 s, of the size of the first",
            files=TWO_CLIPS,
            tolerance=0.1,
        ),
        Refusal({"files": [FILE]}, "files", files=CLIP),
        Refusal({"files": [FILE, OTHER]}, "no picture", files={**CLIP, OTHER: TONE[FILE]}),
    ),
    reply="The joined video lasts {duration_s|second}: {file}",
)
def video_join_files(
    files: Annotated[list[File], About("Videos in order", [FILE, OTHER], min_items=2, max_items=12)],
) -> MadeVideo:
    """Join videos of any formats one after the other, at the size and frame rate of the first.

    Use it to put clips together. Others are fitted into the picture with bars; videos without sound are silent. Returns
    an MP4.
    """
    found = [with_picture(file) for file in files]
    head = found[0][1]
    wide, high = ((side or 2) // 2 * 2 for side in (head["width"], head["height"]))
    rate = min(_MOST_PER_SECOND, max(1.0, head["frames_per_second"] or 25.0))
    shape = f"scale={wide}:{high}:force_original_aspect_ratio=decrease,pad={wide}:{high}:(ow-iw)/2:(oh-ih)/2"
    sounding = any(first(facts, "audio") for facts, _ in found)
    steps, marks = "", ""
    for number, (facts, _) in enumerate(found):
        steps += f"[{number}:v:0]{shape},setsar=1,fps={rate:g},format=yuv420p[v{number}];"
        marks += f"[v{number}]"
        if sounding:
            own = f"[{number}:a:0]" if first(facts, "audio") else "anullsrc=r=48000:cl=stereo,"
            cut = f"apad,atrim=duration={length(facts):.6f}"
            steps += f"{own}aresample=48000,aformat=sample_fmts=fltp:channel_layouts=stereo,{cut}[a{number}];"
            marks += f"[a{number}]"
    joined = f"{marks}concat=n={len(files)}:v=1:a={int(sounding)}[v]" + ("[a]" if sounding else "")
    inputs = [argument for file in files for argument in input_arguments(file)]
    chosen = ["-map", "[v]", *(["-map", "[a]"] if sounding else [])]
    return made_video("joined.mp4", [*inputs, "-filter_complex", steps + joined, *chosen, *H264])


@tool(
    tags="video speed faster slower slow motion time lapse tempo",
    use_when=(
        "Play the video twice as fast",
        "Make a slow motion of this clip, half speed",
        "Speed up the screen recording by 4",
        "Slow motion",
        "Time lapse",
    ),
    tier="starter",
    credits=5,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE, "factor": 2},
            {"file": "faster.mp4", "duration_s": 1.0},
            source="by hand: 2 s at double speed",
            files=SILENT_CLIP,
        ),
        Example(
            {"file": FILE, "factor": 0.25, "keep_sound": False},
            {"file": "slower.mp4", "duration_s": 8.0, "codecs": ["h264"]},
            source="by hand: 2 s at a quarter of the speed",
            files=CLIP,
            tolerance=0.05,
        ),
        Refusal({"file": FILE, "factor": 1}, "must not be 1", files=CLIP),
    ),
    reply="The video now lasts {duration_s|second}: {file}",
)
def video_change_speed(
    file: File,
    factor: Annotated[float, About("2 is twice as fast, 0.5 half as fast", 2, minimum=0.1, maximum=16)],
    keep_sound: Annotated[bool, About("Whether to keep the sound, at its original pitch")] = True,
) -> MadeVideo:
    """Make a video play faster or slower; its sound keeps its pitch.

    Use it for slow motion, and to shorten screen recordings. Returns an MP4.
    """
    if factor == 1:
        raise ToolError("The factor must not be 1.")
    facts, picture = with_picture(file)
    rate = min(_MOST_PER_SECOND, max(1.0, picture["frames_per_second"] or 25.0))
    sound = ["-af", _tempo(factor)] if keep_sound and first(facts, "audio") else ["-an"]
    chain = f"setpts=PTS/{factor:.6f},fps={rate:g},{EVEN}"
    name = "faster.mp4" if factor > 1 else "slower.mp4"
    return made_video(name, [*input_arguments(file), *STREAMS, "-vf", chain, *sound, *H264])


def _tempo(factor: float) -> str:
    """The filter atempo accepts 0.5 and more: smaller factors are applied in steps."""
    steps = []
    while factor < 0.5:
        steps.append("atempo=0.5")
        factor /= 0.5
    return ",".join([*steps, f"atempo={factor:.6f}"])
