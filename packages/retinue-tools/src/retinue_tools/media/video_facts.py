"""Audio and video file properties, and still pictures from videos."""

import base64
from typing import Annotated, Literal

from PIL import Image, ImageDraw

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.media._clips import CLIP
from retinue_tools.media._ffmpeg import FFMPEG, Facts, input_arguments, length, picture_of, probe, with_picture
from retinue_tools.media._pictures import Picture, fit_into, font, keep, upright
from retinue_tools.media._samples import FILE, NO_IMAGE, TONE, look_at_pixel

_GAP = 6
_PLAYLIST = {
    FILE: base64.b64encode(b"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:a.wav\n#EXT-X-ENDLIST\n").decode()
}
"""A playlist that refers to another file (RFC 8216)."""


@tool(
    tags="media probe video audio info codec duration resolution frame rate streams ffprobe metadata",
    use_when=(
        "How long is holiday.mp4, and in what resolution?",
        "Which codec and bit rate has this video?",
        "What streams are in this MKV file?",
        "Is this an MP3 in stereo?",
    ),
    pace="normal",
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE},
            {
                "container": "avi",
                "duration_s": 2.0,
                "streams": [
                    {"kind": "video", "codec": "png", "width": 32, "height": 24, "frames_per_second": 10.0},
                    {"kind": "audio", "codec": "pcm_u8", "sample_rate_hz": 4000, "channels": 1},
                ],
            },
            source="how the file was made: 20 frames, ten a second, and sound of 8 bits",
            files=CLIP,
        ),
        Example(
            {"file": FILE},
            {"container": "wav", "duration_s": 0.5, "streams": [{"codec": "pcm_s16le", "bitrate_kbps": 128.0}]},
            source="8,000 samples of 16 bits a second",
            files=TONE,
        ),
        Refusal({"file": FILE}, "not readable audio or video", files=NO_IMAGE),
        Refusal({"file": FILE}, "not readable audio or video", files=_PLAYLIST),
    ),
    reply={
        "streams.1": "The {container} file lasts {duration_s|second} and has {bytes|byte}: {streams}",
        "streams.0.width": (
            "The {container} file lasts {duration_s|second}, with "
            "{streams.0.width} x {streams.0.height} pixels in "
            "{streams.0.codec}."
        ),
        "streams": "The {container} file lasts {duration_s|second} and is coded as {streams.0.codec}.",
        "": "The {container} file has {bytes|byte}.",
    },
)
def media_probe_file(file: File) -> Facts:
    """Inspect what an audio or video file contains: length, container, codecs, resolution, frame rate, channels and
    tags.

    Use it before converting, or to find out why a file does not play. Returns the properties of each stream.
    """
    return probe(file)


@tool(
    tags="video frame screenshot still image thumbnail capture picture mp4 snapshot",
    use_when=(
        "Take a screenshot of the video at 1:23",
        "Save the frame at 12.5 seconds as PNG",
        "Make a thumbnail of 640 pixels from my video",
        "Take a picture out of a video",
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE, "at_s": 1.5},
            {"file": "frame.png", "width": 32, "height": 24},
            source="by hand: the second second is blue",
            files=CLIP,
            then=(look_at_pixel(16, 12, "#0000ff"),),
        ),
        Example(
            {"file": FILE, "width": 64},
            {"width": 64, "height": 48},
            source="by hand: twice as wide and as high; the first frame is red",
            files=CLIP,
            then=(look_at_pixel(16, 12, "#ff0000"),),
        ),
        Refusal({"file": FILE, "at_s": 60}, "no picture at that time", files=CLIP),
        Refusal({"file": FILE}, "no picture", files=TONE),
    ),
    reply="The picture of {width} x {height} pixels: {file}",
)
def video_take_frame(
    file: File,
    at_s: Annotated[float, About("Time in the video, in seconds", 83, minimum=0, maximum=360_000)] = 0,
    width: Annotated[
        int | None, About("Width in pixels; default: that of the video", 640, minimum=16, maximum=4096)
    ] = None,
    image_format: Annotated[Literal["png", "jpeg", "webp"], About("Format of the picture")] = "png",
) -> Picture:
    """Extract (take) a still picture from a video at a given time.

    Use it for screenshots, thumbnails and posters. Returns a PNG, JPEG or WebP.
    """
    with_picture(file)
    image = upright(picture_of(["-ss", f"{at_s:.6f}", *input_arguments(file), "-map", "0:v:0"]))
    return keep("frame", fit_into(image, width, 1 << 16) if width else image, image_format)


@tool(
    tags="video contact sheet thumbnails overview grid storyboard preview frames",
    use_when=(
        "Make a contact sheet of 4 x 4 frames of this film",
        "Give me an overview of what happens in the video",
        "Create a storyboard picture with times",
    ),
    tier="starter",
    credits=2,
    pace="long",
    memory_mb=2048,
    needs=FFMPEG,
    examples=(
        Example(
            {"file": FILE, "columns": 2, "rows": 1, "frame_width": 64, "show_times": False},
            {"file": "contact-sheet.png", "width": 146, "height": 60},
            source="by hand: two frames of 64 x 48 and gaps of 6; at 0.5 s it is red, at 1.5 s blue",
            files=CLIP,
            then=(look_at_pixel(20, 20, "#ff0000"), look_at_pixel(100, 20, "#0000ff"), look_at_pixel(2, 2, "#ffffff")),
        ),
        Example({"file": FILE}, {"width": 1310, "height": 744}, source="4 x 3 of 320 x 240, gaps of 6", files=CLIP),
        Refusal({"file": FILE, "columns": 6, "rows": 7}, "at most 30", files=CLIP),
    ),
    reply="The overview of the video: {file}",
)
def video_make_contact_sheet(
    file: File,
    columns: Annotated[int, About("Frames per row", minimum=1, maximum=10)] = 4,
    rows: Annotated[int, About("Number of rows", minimum=1, maximum=10)] = 3,
    frame_width: Annotated[int, About("Width of each frame in pixels", minimum=64, maximum=1280)] = 320,
    show_times: Annotated[bool, About("Whether to show the time of each frame")] = True,
) -> Picture:
    """Combine (lay out) frames of a video, evenly spread over its length, in one picture.

    Use it to see at a glance what a video shows. Each frame is from the middle of its interval. Returns a PNG.
    """
    count = columns * rows
    if count > 30:
        raise ToolError(f"A sheet has at most 30 frames; {columns} x {rows} is {count}.")
    facts, picture = with_picture(file)
    times = [(number + 0.5) * length(facts) / count for number in range(count)]
    height = max(1, round(frame_width * (picture["height"] or 1) / (picture["width"] or 1)))
    sheet = Image.new("RGB", (columns * (frame_width + _GAP) + _GAP, rows * (height + _GAP) + _GAP), (255, 255, 255))
    for number, at_s in enumerate(times):
        frame = upright(picture_of(["-ss", f"{at_s:.6f}", *input_arguments(file), "-map", "0:v:0"])).convert("RGB")
        frame = fit_into(frame, frame_width, height)
        if show_times:
            _stamp(frame, at_s)
        row, column = divmod(number, columns)
        sheet.paste(frame, (_GAP + column * (frame_width + _GAP), _GAP + row * (height + _GAP)))
    return keep("contact-sheet", sheet, "png")


def _stamp(frame: Image.Image, at_s: float) -> None:
    """Write a time into the lower left corner."""
    minutes, seconds = divmod(int(at_s), 60)
    pen = ImageDraw.Draw(frame)
    face = font(max(10, frame.height // 12))
    place = (6, frame.height - 4)
    pen.text(
        place,
        f"{minutes // 60}:{minutes % 60:02}:{seconds:02}",
        "white",
        face,
        "ls",
        stroke_width=2,
        stroke_fill="black",
    )
