"""Opening and saving of images with size limits, for the tools of this category."""

import struct
from collections.abc import Mapping
from io import BytesIO
from typing import Annotated, Any, Literal

from PIL import Image, ImageColor, ImageFont, ImageOps
from typing_extensions import TypedDict

from retinue.sdk import About, OutputFile, ToolError, save

MOST_PIXELS = 40_000_000
"""Limit for an input or output image, and for all images that a call holds at once."""
MOST_SIDE = 16_000

_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "ICO", "AVIF", "PPM", "TGA", "JPEG2000")
"""Supported formats: none that start other programs or have no use here."""
_ENDINGS = {"jpeg": "jpg", "tiff": "tif"}
_KEPT = ("png", "jpeg", "webp")
BROKEN = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, OverflowError, struct.error)
"""Exceptions of Pillow for a damaged file."""

Format = Annotated[Literal["png", "jpeg", "webp", "gif", "tiff", "bmp", "avif"], About("Format of the output image")]
Color = Annotated[
    str,
    About("Colour as #rrggbb, #rrggbbaa, rgb(…), hsl(…) or a CSS name", "#1e90ff", min_length=3, max_length=40),
]
Side = Annotated[int, About("Pixels", 640, minimum=1, maximum=MOST_SIDE)]


class Box(TypedDict):
    """A rectangle of an image, in pixels from its upper left corner."""

    left: Annotated[int, About("Left edge", 10, minimum=0, maximum=MOST_SIDE)]
    top: Annotated[int, About("Upper edge", 20, minimum=0, maximum=MOST_SIDE)]
    width: Annotated[int, About("Width", 100, minimum=1, maximum=MOST_SIDE)]
    height: Annotated[int, About("Height", 50, minimum=1, maximum=MOST_SIDE)]


class Picture(TypedDict):
    """A created image."""

    file: OutputFile
    format: Annotated[str, About("File format")]
    width: Annotated[int, About("Width in pixels")]
    height: Annotated[int, About("Height in pixels")]
    bytes: Annotated[int, About("Size of the file")]


def open_image(file: str, most_pixels: int = MOST_PIXELS) -> Any:
    """Open an image without decoding it; its size is checked first. Raises `ToolError`."""
    # Images that Pillow would only warn about are rejected below with a message.
    Image.MAX_IMAGE_PIXELS = 2 * MOST_PIXELS
    try:
        image = Image.open(file, formats=_FORMATS)
    except Image.DecompressionBombError as error:
        raise ToolError(f"The image has more than {most_pixels:,} pixels. Send a smaller one.") from error
    except BROKEN as error:
        raise ToolError("The file is not a readable image. Send PNG, JPEG, WebP, GIF, TIFF or BMP.") from error
    if image.width * image.height > most_pixels:
        raise ToolError(f"The image has {image.width} x {image.height} pixels; the maximum is {most_pixels:,}.")
    return image


def upright(file: str, most_pixels: int = MOST_PIXELS) -> Any:
    """Return the first frame of an image as RGB or RGBA, rotated according to its EXIF. Raises `ToolError`."""
    image = open_image(file, most_pixels)
    try:
        image.load()
        turned = ImageOps.exif_transpose(image)
    except BROKEN as error:
        raise ToolError("The image is damaged: its pixels cannot be decoded. Save it again and retry.") from error
    result = to_color(turned)
    result.info = {"kept_format": image.format.lower()}
    return result


def to_color(image: Any) -> Any:
    """Convert an image to RGB, or to RGBA if it has transparency."""
    if image.mode in ("RGB", "RGBA"):
        return image
    if image.mode.startswith("I;16") or image.mode == "I":
        # Pillow clips 16-bit samples when converting them to 8 bits.
        return image.convert("I").point(lambda value: value / 256).convert("L").convert("RGB")
    clear = image.mode in ("LA", "PA", "La", "RGBa") or "transparency" in image.info
    return image.convert("RGBA" if clear else "RGB")


def format_of(image: Any) -> str:
    """Return the format for saving an edited image: its own if that is a web format, otherwise PNG."""
    own = str(image.info.get("kept_format", "png"))
    return own if own in _KEPT else "png"


def encode(image: Any, form: str, quality: int = 90, extra: Mapping[str, Any] | None = None) -> bytes:
    """Encode an image. JPEG and BMP have no transparency and use a white background. `quality` is 1 to 100."""
    if form in ("jpeg", "bmp"):
        image = flatten(image, (255, 255, 255, 255))
    settings: dict[str, Any] = {"quality": quality} if form in ("jpeg", "webp", "avif") else {}
    if form in ("png", "jpeg"):
        settings["optimize"] = True
    buffer = BytesIO()
    try:
        image.save(buffer, form.upper(), **settings, **(extra or {}))
    except BROKEN as error:
        raise ToolError(f"The image cannot be saved as {form}. Choose png, or reduce its size.") from error
    return buffer.getvalue()


def flatten(image: Any, background: tuple[int, ...]) -> Any:
    """Flatten an image onto a background colour."""
    if image.mode != "RGBA":
        return image.convert("RGB")
    ground = Image.new("RGBA", image.size, background)
    return Image.alpha_composite(ground, image).convert("RGB")


def keep(name: str, image: Any, form: str = "", quality: int = 90, extra: Mapping[str, Any] | None = None) -> Picture:
    """Save an image for the caller, without metadata; by default in its original format."""
    form = form or format_of(image)
    image.info = {}
    content = encode(image, form, quality, extra)
    return {
        "file": save(f"{name}.{_ENDINGS.get(form, form)}", content),
        "format": form,
        "width": image.width,
        "height": image.height,
        "bytes": len(content),
    }


def rgba(color: str) -> tuple[int, int, int, int]:
    """Return red, green, blue and alpha, each 0 to 255, of a colour in CSS notation. Raises `ToolError`."""
    try:
        parts = ImageColor.getrgb(color.strip())
    except ValueError as error:
        raise ToolError(f"{color} is not a colour. Write it as #1e90ff, rgb(30, 144, 255) or dodgerblue.") from error
    red, green, blue, alpha = (min(max(int(part), 0), 255) for part in (*parts, 255)[:4])
    return red, green, blue, alpha


def to_hex(parts: tuple[int, ...]) -> str:
    """Format a colour as #rrggbb, or as #rrggbbaa if it is not opaque."""
    visible = parts[:3] if len(parts) < 4 or parts[3] == 255 else parts[:4]
    return "#" + "".join(f"{part:02x}" for part in visible)


def blank(width: int, height: int, color: tuple[int, ...] = (0, 0, 0, 0)) -> Any:
    """Create an RGBA image. Raises `ToolError` if it would be too large."""
    if width * height > MOST_PIXELS:
        raise ToolError(f"The image would have {width} x {height} pixels; the maximum is {MOST_PIXELS:,}.")
    return Image.new("RGBA", (width, height), color)


def inside(box: Box, image: Any) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of a box, clipped to the image. Raises `ToolError` if it is outside."""
    left, top = box["left"], box["top"]
    right, bottom = min(left + box["width"], image.width), min(top + box["height"], image.height)
    if left >= right or top >= bottom:
        raise ToolError(f"The box at {left}, {top} is outside the image of {image.width} x {image.height} pixels.")
    return left, top, right, bottom


def font(size: float) -> Any:
    """Return the font included in Pillow, at a size in pixels."""
    return ImageFont.load_default(max(1, size))


def fit_into(image: Any, width: int, height: int) -> Any:
    """Scale an image to fit into a box, keeping its proportions."""
    scale = min(width / image.width, height / image.height)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image.resize(size, Image.Resampling.LANCZOS)
