"""Image composition: overlays, texts, watermarks, collages."""

from typing import Annotated, Any, Literal

from PIL import Image, ImageDraw

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.media._pictures import (
    MOST_PIXELS,
    MOST_SIDE,
    Color,
    Picture,
    blank,
    fit_into,
    font,
    format_of,
    keep,
    rgba,
    upright,
)
from retinue_tools.media._samples import FILE, HALVES, OTHER, look_at_pixel, paint

_GREEN = {FILE: HALVES[FILE], OTHER: paint(1, 1, lambda x, y: "00ff00")}
_WHITE = {FILE: paint(120, 60, lambda x, y: "ffffff")}
Files = Annotated[list[File], About("Images in order", [FILE, OTHER], min_items=2, max_items=50)]
Place = Annotated[
    Literal["top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right"],
    About("Position in the image"),
]


def _corner(place: str, outer: tuple[int, int], inner: tuple[int, int], margin: int) -> tuple[int, int]:
    """Return the position of the upper left corner of an element."""
    free_across, free_down = outer[0] - inner[0], outer[1] - inner[1]
    left = margin if "left" in place else free_across - margin if "right" in place else free_across // 2
    top = margin if "top" in place else free_down - margin if "bottom" in place else free_down // 2
    return left, top


def _finish(name: str, canvas: Any, source: Any) -> Picture:
    """Save a drawing on a copy of a source, opaque if the source was."""
    return keep(name, canvas if source.mode == "RGBA" else canvas.convert("RGB"), format_of(source))


def _fade(image: Any, percent: float) -> Any:
    alpha = image.getchannel("A").point([round(value * percent / 100) for value in range(256)])
    image.putalpha(alpha)
    return image


@tool(
    tags="image overlay composite paste logo sticker layer blend on top",
    use_when=(
        "Put this logo on the photo in the lower right corner.",
        "Paste one picture into the other at 40, 60.",
        "Blend the sticker over my image with 50 % opacity.",
    ),
    examples=(
        Example(
            {"file": FILE, "overlay": OTHER, "left": 3, "top": 1},
            {"width": 4, "height": 2},
            source="by hand: one green pixel over the lower right one",
            files=_GREEN,
            then=(look_at_pixel(3, 1, "#00ff00"), look_at_pixel(3, 0, "#0000ff")),
        ),
        Example(
            {"file": FILE, "overlay": OTHER, "place": "top-left", "opacity_percent": 50},
            {"width": 4},
            source="by hand: alpha 128 of 255 over red",
            files=_GREEN,
            then=(look_at_pixel(0, 0, "#7f8000"), look_at_pixel(1, 0, "#ff0000")),
        ),
        Refusal({"file": FILE, "overlay": OTHER, "left": 4, "top": 0}, "outside", files=_GREEN),
    ),
    reply="The combined picture: {file}",
    memory_mb=1024,
)
def image_overlay_picture(
    file: File,
    overlay: File,
    place: Place = "center",
    margin: Annotated[int, About("Distance to the edge in pixels", minimum=0, maximum=4000)] = 0,
    width_percent: Annotated[
        float | None,
        About("Width of the overlay in percent of the image; default: its own size", 20, minimum=0.1, maximum=100),
    ] = None,
    opacity_percent: Annotated[float, About("Opacity: 100 is opaque, 0 is invisible", minimum=0, maximum=100)] = 100,
    left: Annotated[
        int | None, About("Left edge in pixels, instead of the position", 40, minimum=0, maximum=MOST_SIDE)
    ] = None,
    top: Annotated[
        int | None, About("Upper edge in pixels, instead of the position", 60, minimum=0, maximum=MOST_SIDE)
    ] = None,
) -> Picture:
    """Overlay (lay) one image over another, at a named position or pixel coordinates, with scaling and opacity.

    Use it for logos, stickers and picture-in-picture; transparency of the overlay is preserved. Returns the composed
    image as a file.
    """
    source, layer = upright(file), upright(overlay).convert("RGBA")
    if width_percent is not None:
        layer = fit_into(layer, max(1, round(source.width * width_percent / 100)), source.height)
    corner = _corner(place, source.size, layer.size, margin)
    corner = (corner[0] if left is None else left, corner[1] if top is None else top)
    if (
        corner[0] >= source.width
        or corner[1] >= source.height
        or corner[0] <= -layer.width
        or corner[1] <= -layer.height
    ):
        raise ToolError("The overlay would be outside the image. Choose a smaller margin, left or top.")
    ground = blank(*source.size)
    ground.paste(_fade(layer, opacity_percent), corner)
    return _finish("composed", Image.alpha_composite(source.convert("RGBA"), ground), source)


@tool(
    tags="image text caption write label title annotate photo meme",
    use_when=(
        "Write 'Summer 2026' on this photo at the bottom.",
        "Put a white caption with a dark outline on the picture.",
        "Label the screenshot with a heading.",
        "Put a caption on a photo",
        "Make a meme",
    ),
    examples=(
        Example(
            {"file": FILE, "text": "I", "place": "center", "size": 40, "color": "black"},
            {"width": 120, "height": 60},
            source="the stem of a centred capital I covers the middle",
            files=_WHITE,
            then=(look_at_pixel(60, 30, "#000000"), look_at_pixel(0, 0, "#ffffff")),
        ),
        Example(
            {"file": FILE, "text": "A", "size": 12, "place": "top-left", "box_color": "#0000ff"},
            {"width": 120},
            source="the box begins at the margin of 10 and is blue",
            files=_WHITE,
            then=(look_at_pixel(10, 10, "#0000ff"), look_at_pixel(9, 9, "#ffffff")),
        ),
        Refusal({"file": FILE, "text": "A", "color": "colour"}, "not a colour", files=_WHITE),
    ),
    reply="The picture with the text: {file}",
    memory_mb=1024,
)
def image_add_text(
    file: File,
    text: Annotated[str, About("Text; line breaks are kept", "Summer 2026", min_length=1, max_length=1000)],
    place: Place = "bottom",
    size: Annotated[int, About("Font size in pixels", minimum=6, maximum=1000)] = 32,
    color: Color = "#ffffff",
    outline_color: Annotated[
        str | None, About("Colour of an outline around the letters", "black", max_length=40)
    ] = None,
    box_color: Annotated[str | None, About("Colour of a box behind the text", "#00000080", max_length=40)] = None,
    margin: Annotated[int, About("Distance to the edge in pixels", minimum=0, maximum=4000)] = 10,
) -> Picture:
    """Write text on an image, optionally with an outline or a box behind it.

    Use it for captions, labels and titles in Latin, Greek or Cyrillic letters. Returns the image as a file.
    """
    source = upright(file)
    words = _draw_text(text, size, color, outline_color, box_color)
    layer = blank(*source.size)
    layer.paste(words, _corner(place, source.size, words.size, margin))
    return _finish("captioned", Image.alpha_composite(source.convert("RGBA"), layer), source)


def _draw_text(text: str, size: int, color: str, outline: str | None = None, box: str | None = None) -> Any:
    """Return a text as an RGBA image, with some margin."""
    face, stroke, room = font(size), max(1, size // 12) if outline else 0, size // 4
    pen = ImageDraw.Draw(Image.new("RGBA", (1, 1)))
    left, top, right, bottom = pen.multiline_textbbox((0, 0), text, face, stroke_width=stroke)
    width, height = int(right - left) + 2 * room, int(bottom - top) + 2 * room
    if width > 3 * MOST_SIDE or width * height > MOST_PIXELS:
        raise ToolError("The text is too large for the image. Reduce the font size, or add line breaks.")
    layer = blank(max(1, width), max(1, height), rgba(box) if box else (0, 0, 0, 0))
    ImageDraw.Draw(layer).multiline_text(
        (room - left, room - top),
        text,
        rgba(color),
        face,
        stroke_width=stroke,
        stroke_fill=rgba(outline) if outline else None,
    )
    return layer


@tool(
    tags="image watermark copyright stamp text repeat tile protect draft",
    use_when=(
        "Put a faint '© 2026 Harbour Studio' watermark on this photo.",
        "Stamp DRAFT diagonally over the picture.",
        "Tile my name across the image to protect it.",
        "Put my name on my photos",
    ),
    examples=(
        Example(
            {"file": FILE, "text": "I", "size": 40, "opacity_percent": 100, "color": "black", "angle": 0},
            {"width": 120, "height": 60},
            source="the stem of a centred capital I covers the middle",
            files=_WHITE,
            then=(look_at_pixel(60, 30, "#000000"), look_at_pixel(0, 0, "#ffffff")),
        ),
        Example(
            {"file": FILE, "text": "x", "repeat": True, "opacity_percent": 0},
            {"width": 120},
            source="at an opacity of nothing all stays white",
            files=_WHITE,
            then=(look_at_pixel(60, 30, "#ffffff"),),
        ),
        Refusal({"file": FILE, "text": ""}, "text", files=_WHITE),
    ),
    reply="The picture with the watermark: {file}",
    memory_mb=1024,
    pace="normal",
)
def image_add_watermark(
    file: File,
    text: Annotated[str, About("Text of the watermark", "© 2026 Harbour Studio", min_length=1, max_length=200)],
    size: Annotated[
        int | None,
        About("Font size in pixels; default: a twelfth of the width", 40, minimum=6, maximum=1000),
    ] = None,
    color: Color = "#ffffff",
    opacity_percent: Annotated[float, About("Opacity", minimum=0, maximum=100)] = 30,
    angle: Annotated[float, About("Degrees, counter-clockwise", minimum=-90, maximum=90)] = 30,
    repeat: Annotated[bool, About("Whether to repeat it over the whole image")] = False,
) -> Picture:
    """Stamp a half transparent text over an image, once in the middle or repeated over all of it.

    Use it to mark drafts and protect photos; for a logo use image_overlay_picture. Returns the image as a file.
    """
    source = upright(file, MOST_PIXELS // 2)
    stamp = _draw_text(text, size or min(1000, max(10, source.width // 12)), color)
    stamp = _fade(stamp.rotate(angle, Image.Resampling.BICUBIC, expand=True), opacity_percent)
    layer = blank(*source.size)
    if repeat:
        for top in range(0, source.height, stamp.height + stamp.height // 4):
            for left in range(0, source.width, stamp.width + stamp.width // 4):
                layer.paste(stamp, (left, top))
    else:
        layer.paste(stamp, _corner("center", source.size, stamp.size, 0))
    return _finish("watermarked", Image.alpha_composite(source.convert("RGBA"), layer), source)


@tool(
    tags="image collage grid contact sheet mosaic gallery combine photos",
    use_when=(
        "Make a collage of these four photos.",
        "Arrange the pictures in a grid of 3 columns.",
        "Create a contact sheet of my images.",
        "Photo collage",
        "Put several photos into one picture",
    ),
    examples=(
        Example(
            {"files": [FILE, OTHER], "columns": 2, "cell_width": 16, "cell_height": 16, "gap": 2},
            {"width": 38, "height": 20},
            source="by hand: two cells of 16 and three gaps of 2 across, one cell and two gaps down",
            files={FILE: paint(2, 2, lambda x, y: "ff0000"), OTHER: paint(2, 2, lambda x, y: "00ff00")},
            then=(look_at_pixel(2, 2, "#ff0000"), look_at_pixel(35, 17, "#00ff00"), look_at_pixel(0, 0, "#ffffff")),
        ),
        Example(
            {"files": [FILE, FILE, FILE], "columns": 2, "cell_width": 16, "cell_height": 16, "gap": 0, "crop": True},
            {"width": 32, "height": 32},
            source="by hand: three images need two rows",
            files=HALVES,
        ),
        Refusal({"files": [FILE]}, "files", files=HALVES),
    ),
    reply="The collage of {width} x {height} pixels: {file}",
    memory_mb=1024,
    pace="normal",
)
def image_make_collage(
    files: Files,
    columns: Annotated[int, About("Images per row", minimum=1, maximum=20)] = 3,
    cell_width: Annotated[int, About("Width of a cell in pixels", minimum=16, maximum=4000)] = 400,
    cell_height: Annotated[int, About("Height of a cell in pixels", minimum=16, maximum=4000)] = 300,
    gap: Annotated[int, About("Gap in pixels between and around the cells", minimum=0, maximum=200)] = 8,
    background: Color = "#ffffff",
    crop: Annotated[bool, About("Whether images are cropped to fill their cells, or shown completely")] = False,
) -> Picture:
    """Arrange images in a grid with equal cells: a collage or contact sheet.

    Use it to show several pictures in one. Images are shown completely, or cropped to fill their cells. Returns one
    PNG.
    """
    columns = min(columns, len(files))
    rows = -(-len(files) // columns)
    canvas = blank(columns * (cell_width + gap) + gap, rows * (cell_height + gap) + gap, rgba(background))
    for place, file in enumerate(files):
        row, column = divmod(place, columns)
        cell = _cell_of(upright(file).convert("RGBA"), cell_width, cell_height, crop)
        left = gap + column * (cell_width + gap) + (cell_width - cell.width) // 2
        canvas.alpha_composite(cell, (left, gap + row * (cell_height + gap) + (cell_height - cell.height) // 2))
    return keep("collage", canvas, "png")


def _cell_of(image: Any, width: int, height: int, crop: bool) -> Any:
    if not crop:
        return fit_into(image, width, height)
    scale = max(width / image.width, height / image.height)
    part_width, part_height = min(image.width, width / scale), min(image.height, height / scale)
    left, top = (image.width - part_width) / 2, (image.height - part_height) / 2
    part = (left, top, left + part_width, top + part_height)
    return image.resize((width, height), Image.Resampling.LANCZOS, part)


@tool(
    tags="image stitch join side by side stack append concatenate before after",
    use_when=(
        "Put these two screenshots side by side.",
        "Stack the three images below each other.",
        "Make a before and after picture.",
        "Put two pictures next to each other",
    ),
    examples=(
        Example(
            {"files": [FILE, OTHER]},
            {"width": 6, "height": 2},
            source="by hand: the single pixel grows to the height of 2",
            files=_GREEN,
            then=(look_at_pixel(0, 0, "#ff0000"), look_at_pixel(5, 1, "#00ff00")),
        ),
        Example(
            {"files": [FILE, FILE], "direction": "vertical", "gap": 3},
            {"width": 4, "height": 7},
            source="by hand",
            files=HALVES,
            then=(look_at_pixel(0, 3, "#ffffff"), look_at_pixel(0, 6, "#ff0000")),
        ),
        Refusal({"files": [FILE, OTHER], "gap": -1}, "gap", files=_GREEN),
    ),
    reply="The joined picture of {width} x {height} pixels: {file}",
    memory_mb=1024,
    pace="normal",
)
def image_stitch_rows(
    files: Files,
    direction: Annotated[Literal["horizontal", "vertical"], About("Side by side, or stacked")] = "horizontal",
    gap: Annotated[int, About("Gap between the images in pixels", minimum=0, maximum=500)] = 0,
    background: Color = "#ffffff",
) -> Picture:
    """Join images side by side or stacked, each scaled to the same height or width as the largest.

    Use it for comparisons and long screenshots. Returns one PNG.
    """
    images = [upright(file, MOST_PIXELS // len(files)).convert("RGBA") for file in files]
    across = direction == "horizontal"
    common = max(image.height if across else image.width for image in images)
    sizes = [_scale(image.size, common, across) for image in images]
    length = sum(size[0 if across else 1] for size in sizes) + gap * (len(sizes) - 1)
    width, height = (length, common) if across else (common, length)
    canvas = blank(width, height, rgba(background))
    start = 0
    for image, size in zip(images, sizes, strict=True):
        canvas.alpha_composite(image.resize(size, Image.Resampling.LANCZOS), (start, 0) if across else (0, start))
        start += size[0 if across else 1] + gap
    return keep("stitched", canvas, "png")


def _scale(size: tuple[int, int], common: int, across: bool) -> tuple[int, int]:
    width, height = size
    return (
        (max(1, round(width * common / height)), common) if across else (common, max(1, round(height * common / width)))
    )
