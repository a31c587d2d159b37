"""Colour changes of images."""

from typing import Annotated, Any, Literal

import numpy as np
from PIL import Image, ImageChops, ImageEnhance, ImageOps
from scipy import ndimage

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.media._pictures import Color, Picture, format_of, keep, rgba, upright
from retinue_tools.media._samples import FILE, HALVES, NO_IMAGE, look_at_pixel, paint

Factor = Annotated[float, About("1 is unchanged, 0 removes it, 2 doubles it", minimum=0, maximum=10)]
_GREY = {FILE: paint(2, 1, lambda x, y: "404040" if x == 0 else "808080")}


def _with_alpha(image: Any, source: Any) -> Any:
    """Return an RGB image with the transparency of another."""
    if source.mode == "RGBA":
        image.putalpha(source.getchannel("A"))
    return image


@tool(
    tags="image adjust brightness contrast saturation sharpness gamma brighten darken photo",
    use_when=(
        "Make this photo 20 % brighter.",
        "Raise the contrast and lower the saturation of the picture.",
        "The image is too dark: apply gamma 1.8.",
        "My photo is too dark",
        "Make a picture brighter",
        "Brighten a dark picture",
    ),
    examples=(
        Example(
            {"file": FILE, "brightness": 1.5},
            {"width": 2, "height": 1},
            source="by hand: 0x40 by 1.5 is 0x60",
            files=_GREY,
            then=(look_at_pixel(0, 0, "#606060"),),
        ),
        Example(
            {"file": FILE, "saturation": 0},
            {"width": 4},
            source="ITU-R BT.601: the luma of pure red is 0.299 x 255 = 76",
            files=HALVES,
            then=(look_at_pixel(0, 0, "#4c4c4c"),),
        ),
        Refusal({"file": FILE, "brightness": -1}, "brightness", files=_GREY),
    ),
    reply="The adjusted picture: {file}",
    memory_mb=1024,
)
def image_adjust_tones(
    file: File,
    brightness: Factor = 1,
    contrast: Factor = 1,
    saturation: Factor = 1,
    sharpness: Factor = 1,
    gamma: Annotated[float, About("Above 1 brightens the dark parts", minimum=0.1, maximum=10)] = 1,
) -> Picture:
    """Adjust brightness, contrast, saturation, sharpness and gamma of an image, in this order.

    Use it to correct photos by hand; for automatic enhancement use image_enhance_auto. Returns the changed image as a
    file.
    """
    source = upright(file)
    image = source.convert("RGB")
    steps = (
        (ImageEnhance.Brightness, brightness),
        (ImageEnhance.Contrast, contrast),
        (ImageEnhance.Color, saturation),
        (ImageEnhance.Sharpness, sharpness),
    )
    for enhancer, factor in steps:
        if factor != 1:
            image = enhancer(image).enhance(factor)
    if gamma != 1:
        image = image.point([round(255 * (value / 255) ** (1 / gamma)) for value in range(256)] * 3)
    return keep("adjusted", _with_alpha(image, source), format_of(source))


@tool(
    tags="image grayscale grey black white sepia duotone tint monochrome",
    use_when=(
        "Turn this photo black and white.",
        "Give the picture a sepia look.",
        "Make a duotone of navy and orange.",
        "Make my picture black and white",
        "Black and white photo",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"width": 4},
            source="ITU-R BT.601: the luma of pure blue is 0.114 x 255 = 29",
            files=HALVES,
            then=(look_at_pixel(3, 0, "#1d1d1d"),),
        ),
        Example(
            {"file": FILE, "style": "duotone", "dark": "#000080", "light": "orange"},
            {"width": 2},
            source="black takes the dark colour whole",
            files={FILE: paint(2, 1, lambda x, y: "000000" if x == 0 else "ffffff")},
            then=(look_at_pixel(0, 0, "#000080"), look_at_pixel(1, 0, "#ffa500")),
        ),
        Refusal({"file": FILE, "style": "duotone", "dark": "nocolour"}, "not a colour", files=HALVES),
    ),
    reply="The picture in its new colours: {file}",
    memory_mb=1024,
)
def image_convert_monochrome(
    file: File,
    style: Annotated[Literal["grey", "sepia", "duotone"], About("Greyscale, sepia, or two colours")] = "grey",
    dark: Color = "#000000",
    light: Color = "#ffffff",
) -> Picture:
    """Convert an image to greyscale, sepia or a duotone of two colours (dark for shadows, light for highlights).

    Use it for black-and-white prints and uniform looks. The two colours matter for duotone only. Returns the image as
    a file.
    """
    source = upright(file)
    shadows, lights = ("#1a0f00", "#fff0d0") if style == "sepia" else (dark, light)
    if style == "grey":
        shadows, lights = "#000000", "#ffffff"
    image = ImageOps.colorize(source.convert("L"), rgba(shadows)[:3], rgba(lights)[:3])
    return keep("monochrome", _with_alpha(image, source), format_of(source))


@tool(
    tags="image effect invert negative posterize solarize emboss contour",
    use_when=(
        "Invert the colours of this image.",
        "Make a poster effect with 3 bits per channel.",
        "Give me the negative of the scanned film.",
    ),
    examples=(
        Example(
            {"file": FILE, "effect": "invert"},
            {"width": 4},
            source="255 minus each channel",
            files=HALVES,
            then=(look_at_pixel(0, 0, "#00ffff"),),
        ),
        Example(
            {"file": FILE, "effect": "posterize", "level": 1},
            {"width": 2},
            source="one bit is left: 0x40 becomes 0, 0x80 stays",
            files=_GREY,
            then=(look_at_pixel(0, 0, "#000000"), look_at_pixel(1, 0, "#808080")),
        ),
        Refusal({"file": FILE, "effect": "posterize", "level": 9}, "1 to 8", files=_GREY),
    ),
    reply="The picture with the effect: {file}",
    memory_mb=1024,
)
def image_apply_effect(
    file: File,
    effect: Annotated[Literal["invert", "posterize", "solarize"], About("Effect")],
    level: Annotated[
        int,
        About("Bits per channel for posterize, 1 to 8; the value from which solarize inverts", minimum=1, maximum=255),
    ] = 3,
) -> Picture:
    """Apply a colour effect to an image: negative, posterise to few levels, or solarise the bright parts.

    Use it for scanned negatives and poster looks. Returns the changed image as a file.
    """
    source = upright(file)
    image = source.convert("RGB")
    if effect == "posterize" and level > 8:
        raise ToolError("Posterizing keeps 1 to 8 bits per channel. Give such a level.")
    if effect == "invert":
        image = ImageOps.invert(image)
    else:
        image = ImageOps.posterize(image, level) if effect == "posterize" else ImageOps.solarize(image, level)
    return keep(effect, _with_alpha(image, source), format_of(source))


@tool(
    tags="image auto enhance contrast equalize levels correct photo fix",
    use_when=(
        "Fix this flat, foggy photo automatically.",
        "Stretch the contrast of the scan.",
        "Equalise the histogram of the picture.",
        "Make a photo look better",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"width": 2},
            source="by hand: stretched, the darkest value becomes 0, the brightest 255",
            files=_GREY,
            then=(look_at_pixel(0, 0, "#000000"), look_at_pixel(1, 0, "#ffffff")),
        ),
        Example(
            {"file": FILE, "method": "equalize"},
            {"width": 3, "height": 3},
            source="one single value stays as it is",
            files={FILE: paint(3, 3, lambda x, y: "777777")},
            then=(look_at_pixel(1, 1, "#777777"),),
        ),
        Refusal({"file": FILE}, "not a readable image", files=NO_IMAGE),
    ),
    reply="The improved picture: {file}",
    memory_mb=1024,
)
def image_enhance_auto(
    file: File,
    method: Annotated[
        Literal["stretch", "equalize"], About("Stretch the range of tones, or spread the tones evenly")
    ] = "stretch",
    cutoff_percent: Annotated[
        float, About("Extreme pixels that stretching ignores at each end", minimum=0, maximum=20)
    ] = 0,
) -> Picture:
    """Enhance the contrast of an image automatically, without changing its hues.

    Use it for flat, foggy or badly exposed pictures. Returns the enhanced image as a file.
    """
    source = upright(file)
    lightness, *rest = source.convert("RGB").convert("YCbCr").split()
    if method == "stretch":
        lightness = ImageOps.autocontrast(lightness, cutoff_percent)
    else:
        lightness = ImageOps.equalize(lightness)
    image = Image.merge("YCbCr", (lightness, *rest)).convert("RGB")
    return keep("enhanced", _with_alpha(image, source), format_of(source))


def _near(image: Any, color: tuple[int, ...], tolerance: int) -> Any:
    """Return a mask, 255 where no channel of a pixel differs from a colour by more than the tolerance."""
    bands = ImageChops.difference(image.convert("RGB"), Image.new("RGB", image.size, color[:3])).split()
    furthest = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    return furthest.point([255 * (value <= tolerance) for value in range(256)])


Tolerance = Annotated[int, About("Tolerance per channel, 0 to 255", minimum=0, maximum=255)]


@tool(
    tags="image replace color swap recolor change logo",
    use_when=(
        "Change all red in this logo to #0055aa.",
        "Replace white by transparent in the icon.",
        "Recolour the green parts of the picture.",
    ),
    examples=(
        Example(
            {"file": FILE, "color": "red", "replacement": "#00ff00"},
            {"width": 4},
            source="by hand",
            files=HALVES,
            then=(look_at_pixel(0, 0, "#00ff00"), look_at_pixel(3, 0, "#0000ff")),
        ),
        Example(
            {"file": FILE, "color": "#484848", "replacement": "white", "tolerance": 8},
            {"width": 2},
            source="0x40 is 8 away from 0x48, 0x80 is not",
            files=_GREY,
            then=(look_at_pixel(0, 0, "#ffffff"), look_at_pixel(1, 0, "#808080")),
        ),
        Refusal({"file": FILE, "color": "rot", "replacement": "red"}, "not a colour", files=HALVES),
    ),
    reply="The picture with {args.replacement} instead of {args.color}: {file}",
    memory_mb=1024,
)
def image_replace_color(file: File, color: Color, replacement: Color, tolerance: Tolerance = 0) -> Picture:
    """Replace one colour of an image by another, which may be transparent (#00000000).

    Use it to recolour logos and icons; a tolerance includes similar shades. Returns the image as a file.
    """
    source = upright(file)
    old, new = rgba(color), rgba(replacement)
    image = source.convert("RGBA")
    image.paste(new, (0, 0, *image.size), _near(source, old, tolerance))
    clear = source.mode == "RGBA" or new[3] < 255
    return keep("recolored", image if clear else image.convert("RGB"), "png" if clear else format_of(source))


@tool(
    tags="image remove background transparent cutout logo white signature",
    use_when=(
        "Make the white background of this logo transparent.",
        "Cut out the signature from the scanned paper.",
        "Remove the plain backdrop of the product photo.",
        "Remove the white background of a logo",
        "Cut out the background of a picture",
        "Take the background out of a photo",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"format": "png", "width": 5},
            source="by hand: white touches the edge, but the white dot in the black ring does not",
            files={
                FILE: paint(5, 5, lambda x, y: "000000" if 0 < x < 4 and 0 < y < 4 and (x, y) != (2, 2) else "ffffff")
            },
            then=(
                look_at_pixel(0, 0, "#ffffff", 0),
                look_at_pixel(2, 2, "#ffffff", 255),
                look_at_pixel(1, 1, "#000000", 255),
            ),
        ),
        Example(
            {"file": FILE, "color": "blue", "only_outside": False},
            {"width": 4},
            source="by hand",
            files=HALVES,
            then=(look_at_pixel(3, 0, "#0000ff", 0), look_at_pixel(0, 0, "#ff0000", 255)),
        ),
        Refusal({"file": FILE, "color": "nowhere"}, "not a colour", files=HALVES),
    ),
    reply="The picture with a transparent background: {file}",
    memory_mb=1024,
)
def image_remove_background_color(
    file: File,
    color: Annotated[
        str | None, About("Background colour; default: that of the corner", "white", max_length=40)
    ] = None,
    tolerance: Tolerance = 24,
    only_outside: Annotated[bool, About("Whether to keep areas of that colour that do not touch the edge")] = True,
) -> Picture:
    """Make a uniform background transparent, by its colour and a tolerance.

    Use it for logos, signatures and product shots on one colour; it does not recognise people or things. Returns a PNG
    with transparency.
    """
    image = upright(file).convert("RGBA")
    ground = rgba(color) if color is not None else image.getpixel((0, 0))
    mask = _near(image, ground, tolerance)
    if only_outside:
        mask = _touching_edge(mask)
    image.putalpha(ImageChops.subtract(image.getchannel("A"), mask))
    return keep("cutout", image, "png")


def _touching_edge(mask: Any) -> Any:
    """Return the parts of a mask that are connected with its edge."""
    labels, _ = ndimage.label(np.asarray(mask) > 0)
    border = np.concatenate((labels[0], labels[-1], labels[:, 0], labels[:, -1]))
    outside = np.isin(labels, border[border > 0])
    return Image.fromarray((outside * 255).astype(np.uint8))
