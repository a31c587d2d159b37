"""Image regions: blurring, sharpening and framing."""

from typing import Annotated, Any

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.media._pictures import (
    MOST_PIXELS,
    Box,
    Color,
    Picture,
    format_of,
    inside,
    keep,
    rgba,
    upright,
)
from retinue_tools.media._samples import FILE, HALVES, NO_IMAGE, look_at_pixel, paint

_CHECKED = {FILE: paint(8, 8, lambda x, y: "ffffff" if (x + y) % 2 else "000000")}
Boxes = Annotated[
    list[Box], About("Areas to hide", [{"left": 40, "top": 60, "width": 120, "height": 80}], min_items=1, max_items=100)
]


@tool(
    tags="image blur gaussian soften region background",
    use_when=(
        "Blur this photo with radius 8.",
        "Blur only the upper part of the screenshot.",
        "Soften the picture for a page background.",
        "Blur faces in a photo",
    ),
    examples=(
        Example(
            {"file": FILE, "radius": 5},
            {"width": 3, "height": 3},
            source="blurring one colour leaves it",
            files={FILE: paint(3, 3, lambda x, y: "336699")},
            then=(look_at_pixel(1, 1, "#336699"),),
        ),
        Example(
            {"file": FILE, "radius": 3, "boxes": [{"left": 0, "top": 0, "width": 4, "height": 8}]},
            {"width": 8},
            source="what lies outside the box stays",
            files=_CHECKED,
            then=(look_at_pixel(7, 0, "#ffffff"), look_at_pixel(6, 0, "#000000")),
        ),
        Refusal({"file": FILE, "boxes": [{"left": 8, "top": 0, "width": 1, "height": 1}]}, "outside", files=_CHECKED),
    ),
    reply="The blurred picture: {file}",
    memory_mb=1024,
    pace="normal",
)
def image_blur_area(
    file: File,
    radius: Annotated[float, About("Radius of the Gaussian blur in pixels", minimum=0.1, maximum=200)] = 8,
    boxes: Annotated[
        list[Box] | None,
        About(
            "Areas to blur; default: the whole image",
            [{"left": 0, "top": 0, "width": 200, "height": 80}],
            max_items=100,
        ),
    ] = None,
) -> Picture:
    """Blur an image, or only some boxes of it, by a Gaussian filter.

    Use it for backgrounds and depth; to make faces or numbers permanently unreadable, use image_hide_areas. Returns the
    blurred image as a file.
    """
    image = upright(file)
    form = format_of(image)
    if not boxes:
        return keep("blurred", image.filter(ImageFilter.GaussianBlur(radius)), form)
    for box in boxes:
        edges = inside(box, image)
        image.paste(image.crop(edges).filter(ImageFilter.GaussianBlur(radius)), edges)
    return keep("blurred", image, form)


@tool(
    tags="image pixelate censor redact hide face plate privacy black bar mosaic",
    use_when=(
        "Pixelate the face at 120, 80 in this photo.",
        "Hide the licence plate in the picture.",
        "Black out the account number in the screenshot.",
        "Hide a number plate in a picture",
    ),
    examples=(
        Example(
            {"file": FILE, "boxes": [{"left": 0, "top": 0, "width": 4, "height": 4}], "block": 4},
            {"width": 8},
            source="by hand: a checkerboard is 127.5 on average, outside the box it stays",
            files=_CHECKED,
            then=(look_at_pixel(0, 0, "#808080"), look_at_pixel(3, 3, "#808080"), look_at_pixel(5, 0, "#ffffff")),
        ),
        Example(
            {"file": FILE, "boxes": [{"left": 1, "top": 0, "width": 2, "height": 1}], "fill": "black"},
            {"width": 4},
            source="by hand",
            files=HALVES,
            then=(look_at_pixel(1, 0, "#000000"), look_at_pixel(1, 1, "#ff0000")),
        ),
        Refusal({"file": FILE, "boxes": [{"left": 9, "top": 9, "width": 1, "height": 1}]}, "outside", files=HALVES),
    ),
    reply="The picture with the hidden parts: {file}",
    memory_mb=1024,
)
def image_hide_areas(
    file: File,
    boxes: Boxes,
    block: Annotated[int, About("Side length of the blocks in pixels", minimum=2, maximum=500)] = 24,
    fill: Annotated[str | None, About("Colour to cover with, instead of blocks", "black", max_length=40)] = None,
) -> Picture:
    """Make parts of an image unreadable: with coarse blocks, or reliably with a plain colour.

    Use it for faces, number plates and private data in screenshots; cover texts with a colour, because text under
    blocks can be guessed. Returns the new image, without metadata.
    """
    image = upright(file)
    form = format_of(image)
    for box in boxes:
        edges = inside(box, image)
        if fill is not None:
            image.paste(rgba(fill)[: len(image.getbands())], edges)
            continue
        part = image.crop(edges)
        few = part.resize((-(-part.width // block), -(-part.height // block)), Image.Resampling.BOX)
        image.paste(few.resize(part.size, Image.Resampling.NEAREST), edges)
    return keep("hidden", image, form)


@tool(
    tags="image sharpen unsharp mask crisp details blurry",
    use_when=(
        "Sharpen this slightly blurry photo.",
        "Apply an unsharp mask with radius 2.",
        "Make the downscaled picture crisper.",
        "Sharpen a blurry photo",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"width": 3},
            source="one colour has nothing to sharpen",
            files={FILE: paint(3, 3, lambda x, y: "336699")},
            then=(look_at_pixel(1, 1, "#336699"),),
        ),
        Example(
            {"file": FILE, "radius": 1, "percent": 500, "threshold": 255},
            {"width": 8},
            source="no difference of neighbours is above a threshold of 255",
            files=_CHECKED,
            then=(look_at_pixel(0, 0, "#000000"), look_at_pixel(1, 0, "#ffffff")),
        ),
        Refusal({"file": FILE}, "not a readable image", files=NO_IMAGE),
    ),
    reply="The sharpened picture: {file}",
    memory_mb=1024,
    pace="normal",
)
def image_sharpen_details(
    file: File,
    radius: Annotated[float, About("Radius in pixels", minimum=0.1, maximum=50)] = 2,
    percent: Annotated[int, About("Strength in percent", minimum=1, maximum=500)] = 120,
    threshold: Annotated[
        int, About("Minimum difference to sharpen, to avoid amplifying noise", minimum=0, maximum=255)
    ] = 3,
) -> Picture:
    """Sharpen an image by an unsharp mask.

    Use it after making a picture smaller, or for slight blur; it cannot restore lost focus. Returns the sharpened image
    as a file.
    """
    image = upright(file)
    return keep("sharpened", image.filter(ImageFilter.UnsharpMask(radius, percent, threshold)), format_of(image))


@tool(
    tags="image border frame padding margin square canvas passe-partout",
    use_when=(
        "Add a 20 pixel white border to this photo.",
        "Pad the picture to a square with a grey background.",
        "Put a black frame around the screenshot.",
        "Frame a photo",
    ),
    examples=(
        Example(
            {"file": FILE, "width": 3, "color": "#112233"},
            {"width": 10, "height": 8},
            source="by hand: 4 + 2 x 3 by 2 + 2 x 3",
            files=HALVES,
            then=(look_at_pixel(0, 0, "#112233"), look_at_pixel(3, 3, "#ff0000")),
        ),
        Example(
            {"file": FILE, "width": 0, "square": True},
            {"width": 4, "height": 4},
            source="by hand: padded above and below",
            files=HALVES,
            then=(look_at_pixel(0, 0, "#ffffff"), look_at_pixel(0, 1, "#ff0000"), look_at_pixel(3, 3, "#ffffff")),
        ),
        Refusal({"file": FILE, "width": 4000, "color": "nothing"}, "not a colour", files=HALVES),
    ),
    reply="The picture with the border, {width} x {height} pixels: {file}",
    memory_mb=1024,
)
def image_add_border(
    file: File,
    width: Annotated[int, About("Width of the border in pixels", 20, minimum=0, maximum=4000)],
    color: Color = "#ffffff",
    square: Annotated[bool, About("Whether to pad the shorter sides until the image is square")] = False,
) -> Picture:
    """Add a border in one colour around an image, or pad it to a square.

    Use it for frames, or if a square is required and nothing may be cropped. With a transparent colour, the result is a
    PNG. Returns the framed image as a file.
    """
    image, ground = upright(file), rgba(color)
    form = format_of(image)
    side = max(image.size)
    across, down = (side, side) if square else image.size
    if (across + 2 * width) * (down + 2 * width) > MOST_PIXELS:
        raise ToolError("The framed image would be too large. Use a narrower border or a smaller image.")
    canvas = Image.new("RGBA", (across + 2 * width, down + 2 * width), ground)
    place = (width + (across - image.width) // 2, width + (down - image.height) // 2)
    canvas.paste(image, place) if image.mode == "RGB" else canvas.alpha_composite(image, place)
    solid = ground[3] == 255
    return keep("framed", canvas.convert("RGB") if solid else canvas, form if solid else "png")


@tool(
    tags="image rounded corners circle mask avatar shadow crop round",
    use_when=(
        "Round the corners of this screenshot by 24 pixels.",
        "Cut my portrait to a circle.",
        "Add a soft shadow and rounded corners to the picture.",
        "Cut a profile picture into a circle",
    ),
    examples=(
        Example(
            {"file": FILE, "radius": 10},
            {"width": 40, "height": 40, "format": "png"},
            source="by hand: the corner is outside the arc, the middle inside",
            files={FILE: paint(40, 40, lambda x, y: "ff0000")},
            then=(look_at_pixel(20, 20, "#ff0000"), look_at_pixel(0, 20, "#ff0000")),
        ),
        Example(
            {"file": FILE, "circle": True, "shadow": 5},
            {"width": 40, "height": 40},
            source="by hand: the shorter side of 20 and room for the shadow, twice 2 x 5, on each axis",
            files={FILE: paint(40, 20, lambda x, y: "00ff00")},
            then=(look_at_pixel(20, 20, "#00ff00"), look_at_pixel(0, 0, "#000000", 0)),
        ),
        Refusal({"file": FILE}, "not a readable image", files=NO_IMAGE),
    ),
    reply="The picture with round corners: {file}",
    memory_mb=1024,
    pace="normal",
)
def image_round_corners(
    file: File,
    radius: Annotated[int, About("Radius of the corners in pixels", minimum=1, maximum=4000)] = 24,
    circle: Annotated[bool, About("Whether to crop a circle from the centre instead")] = False,
    shadow: Annotated[int, About("Blur of a shadow in pixels, 0 for none", minimum=0, maximum=100)] = 0,
) -> Picture:
    """Round the corners of an image or cut it to a circle, on a transparent background, optionally with a soft shadow.

    Use it for avatars and screenshots on slides. Returns a PNG with transparency.
    """
    image = upright(file, MOST_PIXELS // 4).convert("RGBA")
    if circle:
        image = ImageOps.fit(image, (min(image.size),) * 2, Image.Resampling.LANCZOS)
        radius = image.width // 2
    mask = _round(image.size, min(radius, min(image.size) // 2))
    image.putalpha(ImageChops.multiply(image.getchannel("A"), mask))
    return keep("rounded", _shadow(image, shadow) if shadow else image, "png")


def _round(size: tuple[int, int], radius: int) -> Any:
    """Return a smooth mask, drawn at twice the size."""
    mask = Image.new("L", (size[0] * 2, size[1] * 2))
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, size[0] * 2 - 1, size[1] * 2 - 1), radius * 2, fill=255)
    return mask.resize(size, Image.Resampling.BOX)


def _shadow(image: Any, softness: int) -> Any:
    room = 2 * softness
    size = (image.width + 2 * room, image.height + 2 * room)
    shade = Image.new("L", size)
    shade.paste(image.getchannel("A"), (room, room + softness // 2))
    shade = shade.filter(ImageFilter.GaussianBlur(softness)).point([value // 2 for value in range(256)])
    canvas = Image.merge("RGBA", (*(Image.new("L", size) for _ in range(3)), shade))
    canvas.alpha_composite(image, (room, room))
    return canvas
