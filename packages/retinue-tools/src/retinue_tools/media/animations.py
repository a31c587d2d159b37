"""Animated pictures."""

from io import BytesIO
from typing import Annotated, Any, Literal

from PIL import Image, ImageSequence
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.media._pictures import (
    BROKEN,
    MOST_PIXELS,
    Color,
    fit_into,
    flatten,
    keep,
    open_image,
    rgba,
    upright,
)
from retinue_tools.media._samples import FILE, HALVES, NO_IMAGE, OTHER, gif, paint

_MOST_FRAMES = 500


class Animation(TypedDict):
    """A created animation."""

    file: OutputFile
    width: Annotated[int, About("Width in pixels")]
    height: Annotated[int, About("Height in pixels")]
    frames: Annotated[int, About("Number of frames")]
    duration_s: Annotated[float, About("Duration of one loop in seconds")]
    bytes: Annotated[int, About("Size of the file")]


def _encode(frames: list[Any], durations_ms: list[int], form: str, loop: int) -> Animation:
    buffer = BytesIO()
    try:
        frames[0].save(
            buffer, form.upper(), save_all=True, append_images=frames[1:], duration=durations_ms, loop=loop, disposal=2
        )
    except BROKEN as error:
        raise ToolError("The animation cannot be saved. Use fewer or smaller frames.") from error
    return {
        "file": save(f"animation.{form}", buffer.getvalue()),
        "width": frames[0].width,
        "height": frames[0].height,
        "frames": len(frames),
        "duration_s": sum(durations_ms) / 1000,
        "bytes": len(buffer.getvalue()),
    }


def _frames(file: str) -> tuple[list[Any], list[int]]:
    """Return all frames as RGBA, and their durations in milliseconds. Raises `ToolError`."""
    image = open_image(file)
    try:
        count = int(getattr(image, "n_frames", 1))
        if count > _MOST_FRAMES or count * image.width * image.height > MOST_PIXELS:
            raise ToolError(f"The animation has {count} frames, too many or too large. The maximum is {_MOST_FRAMES}.")
        pairs = [
            (frame.convert("RGBA"), int(frame.info.get("duration", 100))) for frame in ImageSequence.Iterator(image)
        ]
    except BROKEN as error:
        raise ToolError("The animation is damaged: its frames cannot be decoded.") from error
    return [frame for frame, _ in pairs], [min(max(duration, 10), 65_000) for _, duration in pairs]


@tool(
    tags="gif animation create animated webp frames slideshow images",
    use_when=(
        "Make an animated GIF from these pictures.",
        "Create a slideshow GIF with 2 seconds per image.",
        "Turn the frames into a looping WebP.",
    ),
    examples=(
        Example(
            {"files": [FILE, OTHER], "frame_ms": 200},
            {"file": "animation.gif", "width": 4, "height": 2, "frames": 2, "duration_s": 0.4},
            source="by hand: two frames of 200 ms of the size of the first",
            files={FILE: HALVES[FILE], OTHER: paint(4, 2, lambda x, y: "00ff00")},
            then=(ExampleCall("image_inspect", {"file": "{made}"}, {"format": "gif", "frames": 2}),),
        ),
        Example(
            {"files": [FILE, OTHER], "target_format": "webp"},
            {"file": "animation.webp", "frames": 2, "duration_s": 1.0},
            source="the default of 500 ms",
            files={FILE: HALVES[FILE], OTHER: paint(2, 2, lambda x, y: "00ff00")},
        ),
        Refusal({"files": [FILE]}, "files", files=HALVES),
    ),
    reply="The animation with {frames|frame}, {duration_s|second} long: {file}",
    memory_mb=1024,
    pace="normal",
)
def gif_create_animation(
    files: Annotated[list[File], About("Images in order", [FILE, OTHER], min_items=2, max_items=100)],
    frame_ms: Annotated[int, About("Milliseconds per frame", minimum=20, maximum=60_000)] = 500,
    target_format: Annotated[Literal["gif", "webp"], About("File format")] = "gif",
    loops: Annotated[int, About("Number of loops, 0 for infinite", minimum=0, maximum=1000)] = 0,
    background: Color = "#ffffff",
) -> Animation:
    """Create an animated GIF or WebP from images; others are fitted into the size of the first.

    Use it for slideshows and screen recordings. Returns the file with its size and duration.
    """
    frames = [flatten(_centre(upright(file), None, background), rgba(background)) for file in files[:1]]
    for file in files[1:]:
        frames.append(_centre(upright(file), frames[0].size, background).convert("RGB"))
        if len(frames) * frames[0].width * frames[0].height > MOST_PIXELS:
            raise ToolError("The frames are too large in total. Reduce the images first.")
    return _encode(frames, [frame_ms] * len(frames), target_format, loops)


def _centre(image: Any, size: tuple[int, int] | None, background: str) -> Any:
    """Centre an image on a background of that size, or of its own size."""
    if size is None:
        return image
    canvas = Image.new("RGBA", size, rgba(background))
    part = fit_into(image.convert("RGBA"), *size)
    canvas.alpha_composite(part, ((size[0] - part.width) // 2, (size[1] - part.height) // 2))
    return canvas


class Frame(TypedDict):
    """A frame."""

    file: OutputFile
    index: Annotated[int, About("Index in the animation, from 0")]
    shown_ms: Annotated[int, About("Duration in milliseconds")]


class Frames(TypedDict):
    """Frames of an animation."""

    total: Annotated[int, About("Number of frames in the animation")]
    frames: Annotated[list[Frame], About("Extracted frames, as PNG")]


@tool(
    tags="gif split frames extract animation png webp stills",
    use_when=(
        "Extract the frames of this GIF as PNGs.",
        "Give me the first frame of the animation.",
        "Save every fifth frame of the animated WebP.",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"total": 3, "frames": [{"index": 0, "shown_ms": 100}, {"index": 1, "shown_ms": 200}, {"index": 2}]},
            source="the delays in hundredths of a second that the sample was written with (GIF89a)",
            files={FILE: gif([10, 20, 30])},
        ),
        Example(
            {"file": FILE, "every": 2},
            {"total": 3, "frames": [{"index": 0}, {"index": 2, "shown_ms": 300}]},
            source="by hand",
            files={FILE: gif([10, 20, 30])},
        ),
        Refusal({"file": FILE}, "not a readable image", files=NO_IMAGE),
    ),
    reply="The frames of the animation: {frames}",
    memory_mb=1024,
    pace="normal",
)
def gif_split_frames(
    file: File,
    every: Annotated[int, About("Interval: extract every n-th frame", minimum=1, maximum=500)] = 1,
    limit: Annotated[int, About("Maximum number of frames", minimum=1, maximum=100)] = 50,
) -> Frames:
    """Extract (take) the frames of an animated GIF, WebP or PNG as single PNG images.

    Use it for stills or to edit an animation. Returns a file per frame with its duration.
    """
    images, durations = _frames(file)
    taken: list[Frame] = []
    for index in range(0, len(images), every)[:limit]:
        picture = keep(f"frame-{index:03d}", images[index], "png")
        taken.append({"file": picture["file"], "index": index, "shown_ms": durations[index]})
    return {"total": len(images), "frames": taken}


@tool(
    tags="gif edit timing speed reverse loop boomerang faster slower animation",
    use_when=(
        "Make this GIF twice as fast.",
        "Reverse the animation.",
        "Play the GIF forth and back, only once.",
    ),
    examples=(
        Example(
            {"file": FILE, "speed": 2},
            {"frames": 2, "duration_s": 0.2},
            source="by hand: 100 and 300 ms halved",
            files={FILE: gif([10, 30])},
        ),
        Example(
            {"file": FILE, "order": "boomerang"},
            {"frames": 4, "duration_s": 0.8},
            source="by hand: 100, 200, 300 and once more 200 ms",
            files={FILE: gif([10, 20, 30])},
        ),
        Refusal({"file": FILE}, "one frame", files={FILE: gif([10])}),
    ),
    reply="The animation now takes {duration_s|second} per loop: {file}",
    memory_mb=1024,
    pace="normal",
)
def gif_edit_timing(
    file: File,
    speed: Annotated[float, About("2 is twice as fast", minimum=0.05, maximum=20)] = 1,
    order: Annotated[
        Literal["forward", "reverse", "boomerang"], About("Boomerang plays forwards and backwards")
    ] = "forward",
    loops: Annotated[int, About("Number of loops, 0 for infinite", minimum=0, maximum=1000)] = 0,
) -> Animation:
    """Change the speed, direction or number of loops (rounds) of an animated GIF.

    Use it to speed up or reverse an animation; the minimum frame duration is 20 ms, as in viewers. Returns a GIF.
    """
    frames, old_durations = _frames(file)
    if len(frames) < 2:
        raise ToolError("The file has only one frame, so there is no timing to change.")
    places = list(range(len(frames)))
    if order == "reverse":
        places.reverse()
    elif order == "boomerang":
        places += places[-2:0:-1]
    durations = [min(60_000, max(20, round(old_durations[place] / speed / 10) * 10)) for place in places]
    return _encode([frames[place] for place in places], durations, "gif", loops)
