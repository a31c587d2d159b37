"""Geometry of images: size, cropping and rotation."""

from typing import Annotated, Any, Literal

from PIL import Image, ImageChops, ImageOps
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, tool
from retinue_tools.media._pictures import (
    MOST_PIXELS,
    MOST_SIDE,
    Box,
    Color,
    Picture,
    fit_into,
    format_of,
    inside,
    keep,
    rgba,
    upright,
)
from retinue_tools.media._samples import FILE, HALVES, NO_IMAGE, PHOTO, paint

_NOISE = 12
_GRID = {FILE: paint(3, 3, lambda x, y: f"{x:02x}{y:02x}ff")}
"""Nine pixels, each of which encodes its column in red and its row in green."""


def _check_size(width: int, height: int) -> tuple[int, int]:
    if width * height > MOST_PIXELS or max(width, height) > MOST_SIDE:
        raise ToolError(f"The image would have {width} x {height} pixels; the maximum is {MOST_PIXELS:,}.")
    return max(1, width), max(1, height)


@tool(
    tags="image resize scale enlarge shrink dimensions pixels width height percent fit fill",
    use_when=(
        "Resize this photo to 1200 pixels wide.",
        "Scale the picture down to 50 %.",
        "Make the image exactly 300 by 300 without distorting it.",
        "Make a picture smaller",
        "Make a photo bigger",
        "Make this picture smaller",
    ),
    examples=(
        Example(
            {"file": FILE, "width": 8},
            {"width": 8, "height": 4, "format": "png"},
            source="by hand: 4 x 2 doubled, in proportion",
            files=HALVES,
            then=(ExampleCall("image_inspect", {"file": "{made}"}, {"width": 8, "height": 4}),),
        ),
        Example({"file": FILE, "percent": 50}, {"width": 2, "height": 1}, source="by hand", files=HALVES),
        Example(
            {"file": FILE, "width": 6, "height": 6, "fit": "fill"},
            {"width": 6, "height": 6},
            source="filling takes exactly the box",
            files=HALVES,
        ),
        Refusal({"file": FILE}, "width, height or percent", files=HALVES),
    ),
    reply="The picture now has {width} x {height} pixels: {file}",
    memory_mb=1024,
)
def image_resize(
    file: File,
    width: Annotated[int | None, About("New width in pixels", 1200, minimum=1, maximum=MOST_SIDE)] = None,
    height: Annotated[int | None, About("New height in pixels", 800, minimum=1, maximum=MOST_SIDE)] = None,
    percent: Annotated[
        float | None, About("New size in percent of the original", 50, minimum=0.1, maximum=1000)
    ] = None,
    fit: Annotated[
        Literal["inside", "fill", "stretch"],
        About("With width and height: fit within the box, fill and crop, or distort"),
    ] = "inside",
) -> Picture:
    """Resize an image to a width, a height, a box or a percentage, with a Lanczos filter.

    With only one side given, the proportions are kept. For a small preview use image_make_thumbnail. Returns the new
    image as a file with its size in pixels.
    """
    image = upright(file)
    if percent is not None:
        scale = percent / 100
        size = _check_size(round(image.width * scale), round(image.height * scale))
        return keep("resized", image.resize(size, Image.Resampling.LANCZOS), format_of(image))
    if width is None and height is None:
        raise ToolError("Give the new size: width, height or percent.")
    return keep("resized", _draw_box(image, width, height, fit), format_of(image))


def _draw_box(image: Any, width: int | None, height: int | None, fit: str) -> Any:
    if width is None or height is None:
        scale = (width or 0) / image.width or (height or 0) / image.height
        size = _check_size(round(image.width * scale), round(image.height * scale))
        return image.resize(size, Image.Resampling.LANCZOS)
    _check_size(width, height)
    if fit == "inside":
        return fit_into(image, width, height)
    if fit == "fill":
        return ImageOps.fit(image, (width, height), Image.Resampling.LANCZOS)
    return image.resize((width, height), Image.Resampling.LANCZOS)


@tool(
    tags="image thumbnail preview small square icon",
    use_when=(
        "Make a 200 pixel thumbnail of this photo.",
        "I need a square preview image for the gallery.",
        "Create a small version of the picture for a list.",
    ),
    examples=(
        Example({"file": FILE, "size": 16}, {"width": 4, "height": 2}, source="never enlarged", files=HALVES),
        Example(
            {"file": FILE, "size": 16, "square": True},
            {"width": 16, "height": 16, "format": "png"},
            source="by hand: 40 x 20 in a square of 16",
            files={FILE: paint(40, 20, lambda x, y: "ff0000")},
        ),
        Refusal({"file": FILE, "size": 16}, "not a readable image", files=NO_IMAGE),
    ),
    reply="The preview of {width} x {height} pixels: {file}",
    memory_mb=1024,
)
def image_make_thumbnail(
    file: File,
    size: Annotated[int, About("Longest side in pixels", 200, minimum=16, maximum=2000)] = 200,
    square: Annotated[bool, About("Whether to crop to a centred square")] = False,
) -> Picture:
    """Make a small preview of an image, upright and without metadata; an image is only enlarged if it is cropped to a
    square.

    Use it for lists and galleries. Returns the thumbnail as a file with its size in pixels.
    """
    image = upright(file)
    form = format_of(image)
    if square:
        return keep("thumbnail", ImageOps.fit(image, (size, size), Image.Resampling.LANCZOS), form)
    image.thumbnail((size, size), Image.Resampling.LANCZOS)
    return keep("thumbnail", image, form)


@tool(
    tags="image crop cut trim ratio box region square 16:9 borders",
    use_when=(
        "Crop this picture to 16:9.",
        "Cut out the area of 300 by 200 pixels at 50, 80.",
        "Trim the white margin around the scan.",
        "Cut the edges off a photo",
    ),
    examples=(
        Example(
            {"file": FILE, "box": {"left": 1, "top": 2, "width": 2, "height": 1}},
            {"width": 2, "height": 1},
            source="by hand",
            files=_GRID,
            then=(
                ExampleCall(
                    "image_read_pixels",
                    {"file": "{made}", "points": [{"x": 0, "y": 0}]},
                    {"pixels": [{"hex": "#0102ff"}]},
                ),
            ),
        ),
        Example(
            {"file": FILE, "ratio": "1:3"},
            {"width": 1, "height": 3},
            source="by hand: the middle column of three",
            files=_GRID,
            then=(
                ExampleCall(
                    "image_read_pixels",
                    {"file": "{made}", "points": [{"x": 0, "y": 0}]},
                    {"pixels": [{"hex": "#0100ff"}]},
                ),
            ),
        ),
        Example(
            {"file": FILE, "trim": True},
            {"width": 2, "height": 1},
            source="by hand: two black pixels in a white frame",
            files={FILE: paint(5, 4, lambda x, y: "000000" if y == 1 and x in (2, 3) else "ffffff")},
        ),
        Refusal({"file": FILE, "box": {"left": 3, "top": 0, "width": 1, "height": 1}}, "outside", files=_GRID),
        Refusal({"file": FILE}, "exactly one", files=_GRID),
    ),
    reply="The cropped picture has {width} x {height} pixels: {file}",
    memory_mb=1024,
)
def image_crop(
    file: File,
    box: Annotated[
        Box | None,
        About(
            "Box to keep, in pixels from the upper left corner", {"left": 50, "top": 80, "width": 300, "height": 200}
        ),
    ] = None,
    ratio: Annotated[
        str | None, About("Aspect ratio, cropped around the centre", "16:9", pattern=r"^[0-9]{1,5}:[0-9]{1,5}$")
    ] = None,
    trim: Annotated[bool, About("Whether to trim margins of the colour of the upper left pixel")] = False,
) -> Picture:
    """Crop an image to a box, to an aspect ratio around its centre, or by trimming its plain margins.

    Give exactly one of box, ratio and trim. Returns the part as a file with its size in pixels.
    """
    image = upright(file)
    if (box is not None) + (ratio is not None) + trim != 1:
        raise ToolError("Give exactly one of box, ratio and trim.")
    if box is not None:
        edges = inside(box, image)
    elif ratio is not None:
        edges = _middle(image, ratio)
    else:
        edges = _content(image)
    return keep("cropped", image.crop(edges), format_of(image))


def _middle(image: Any, ratio: str) -> tuple[int, int, int, int]:
    across, down = (int(part) for part in ratio.split(":"))
    if not across or not down:
        raise ToolError("Both numbers of the ratio must be above 0, as in 16:9.")
    width = max(1, min(image.width, image.height * across // down))
    height = max(1, min(image.height, image.width * down // across))
    left, top = (image.width - width) // 2, (image.height - height) // 2
    return left, top, left + width, top + height


def _content(image: Any) -> tuple[int, int, int, int]:
    """Return the box of all pixels that differ from the upper left one by more than the noise of JPEG."""
    plain = Image.new(image.mode, image.size, image.getpixel((0, 0)))
    bands = ImageChops.difference(image, plain).split()
    boxes = [box for band in bands if (box := band.point(lambda value: 255 * (value > _NOISE)).getbbox())]
    if not boxes:
        raise ToolError("The image has only one colour, so nothing would be left.")
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


@tool(
    tags="image rotate turn flip mirror degrees upright orientation",
    use_when=(
        "Rotate the photo by 90 degrees clockwise.",
        "Mirror this picture horizontally.",
        "Turn the scan by 3.5 degrees on a white background.",
        "My photo is upside down",
        "Turn a picture sideways",
        "Mirror a photo",
    ),
    examples=(
        Example(
            {"file": FILE, "degrees": 90},
            {"width": 3, "height": 3},
            source="by hand: clockwise the lower left pixel comes to the upper left",
            files=_GRID,
            then=(
                ExampleCall(
                    "image_read_pixels",
                    {"file": "{made}", "points": [{"x": 0, "y": 0}]},
                    {"pixels": [{"hex": "#0002ff"}]},
                ),
            ),
        ),
        Example(
            {"file": FILE, "flip": "horizontal"},
            {"width": 3, "height": 3},
            source="by hand: the upper right pixel comes to the upper left",
            files=_GRID,
            then=(
                ExampleCall(
                    "image_read_pixels",
                    {"file": "{made}", "points": [{"x": 0, "y": 0}]},
                    {"pixels": [{"hex": "#0200ff"}]},
                ),
            ),
        ),
        Example({"file": FILE}, {"width": 2, "height": 4}, source="orientation 6 in the sample's EXIF", files=PHOTO),
        Refusal({"file": FILE, "degrees": 400}, "degrees", files=_GRID),
    ),
    reply="The turned picture of {width} x {height} pixels: {file}",
    memory_mb=1024,
)
def image_rotate_flip(
    file: File,
    degrees: Annotated[float, About("Clockwise angle", minimum=-360, maximum=360)] = 0,
    flip: Annotated[
        Literal["none", "horizontal", "vertical"], About("Mirror horizontally or vertically, before rotating")
    ] = "none",
    background: Color = "#00000000",
) -> Picture:
    """Rotate an image clockwise by any angle, or mirror it; with neither it is only rotated upright according to its
    EXIF.

    Use it for sideways photos and tilted scans. The canvas grows to contain the whole picture, and its corners are
    filled with the background. Returns the rotated image as a file.
    """
    image, ground = upright(file), rgba(background)
    form = format_of(image)
    if flip != "none":
        image = ImageOps.mirror(image) if flip == "horizontal" else ImageOps.flip(image)
    quarters: dict[float, str] = {90: "ROTATE_270", 180: "ROTATE_180", 270: "ROTATE_90"}
    if degrees % 360 in quarters:
        image = image.transpose(Image.Transpose[quarters[degrees % 360]])
    elif degrees % 360:
        if image.width * image.height > MOST_PIXELS // 2:
            raise ToolError("The image is too large to be rotated by this angle. Reduce its size first.")
        turned = image.convert("RGBA").rotate(
            -degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=ground if ground[3] else (0, 0, 0, 0)
        )
        image, form = turned, form if ground[3] == 255 else "png"
    return keep("turned", image, form)


class Tile(TypedDict):
    """A part of an image."""

    file: OutputFile
    left: Annotated[int, About("Left edge in the original")]
    top: Annotated[int, About("Upper edge in the original")]
    width: Annotated[int, About("Width in pixels")]
    height: Annotated[int, About("Height in pixels")]


class Tiles(TypedDict):
    """Tiles of an image."""

    tiles: Annotated[list[Tile], About("Row by row")]


@tool(
    tags="image split tiles grid slices cut puzzle instagram pieces",
    use_when=(
        "Cut this picture into 3 by 3 tiles.",
        "Split the panorama into 4 equal slices.",
        "Slice the sprite sheet into single images.",
    ),
    examples=(
        Example(
            {"file": FILE, "columns": 2, "rows": 1},
            {
                "tiles": [
                    {"left": 0, "width": 2},
                    {"left": 2, "width": 2},
                ]
            },
            source="by hand: 4 x 2 cut in the middle",
            files=HALVES,
        ),
        Example(
            {"file": FILE, "columns": 1, "rows": 2},
            {"tiles": [{"top": 0, "height": 1}, {"top": 1, "height": 2}]},
            source="by hand: three rows halved as evenly as whole pixels allow",
            files=_GRID,
        ),
        Refusal({"file": FILE, "columns": 5, "rows": 1}, "more tiles than pixels", files=HALVES),
    ),
    reply="The tiles of the picture: {tiles}",
    memory_mb=1024,
)
def image_split_tiles(
    file: File,
    columns: Annotated[int, About("Number of columns", 3, minimum=1, maximum=20)],
    rows: Annotated[int, About("Number of rows", 3, minimum=1, maximum=20)],
) -> Tiles:
    """Cut an image into a grid of tiles of nearly equal size.

    Use it for posters, puzzles, profile grids or sprite sheets. Returns a PNG or JPEG file per tile with its position
    in the original, row by row.
    """
    if columns * rows > 100:
        raise ToolError("At most 100 tiles are possible. Use fewer columns or rows.")
    image = upright(file)
    if columns > image.width or rows > image.height:
        raise ToolError("There are more tiles than pixels. Use fewer columns or rows.")
    form = format_of(image)
    return {"tiles": [_tile(image, form, columns, rows, place) for place in range(columns * rows)]}


def _tile(image: Any, form: str, columns: int, rows: int, place: int) -> Tile:
    row, column = divmod(place, columns)
    left, right = image.width * column // columns, image.width * (column + 1) // columns
    top, bottom = image.height * row // rows, image.height * (row + 1) // rows
    picture = keep(f"tile-{row + 1}-{column + 1}", image.crop((left, top, right, bottom)), form)
    return {"file": picture["file"], "left": left, "top": top, "width": picture["width"], "height": picture["height"]}
