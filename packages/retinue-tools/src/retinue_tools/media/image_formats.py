"""Image files: formats, sizes, metadata, icons."""

import base64
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Literal

from PIL import Image
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.media._pictures import (
    BROKEN,
    Format,
    Picture,
    encode,
    flatten,
    format_of,
    keep,
    open_image,
    upright,
)
from retinue_tools.media._samples import CLEAR, FILE, HALVES, NO_IMAGE, PHOTO, paint

Quality = Annotated[int, About("Quality of JPEG, WebP and AVIF, 1 to 100", minimum=1, maximum=100)]
_NOISY = {FILE: paint(40, 40, lambda x, y: f"{(x * x * 31 + y * 57) % 256:02x}{(x * y * 13) % 256:02x}{x * 6:02x}")}


@tool(
    tags="image convert format png jpeg jpg webp avif tiff gif bmp save as",
    use_when=(
        "Convert this PNG to JPEG.",
        "Save the picture as WebP with quality 80.",
        "I need the AVIF photo as a PNG.",
        "Turn a PNG into a JPG",
    ),
    examples=(
        Example(
            {"file": FILE, "target_format": "webp"},
            {"file": "converted.webp", "format": "webp", "width": 2, "height": 4},
            source="the size of the upright sample",
            files=PHOTO,
            then=(ExampleCall("image_inspect", {"file": "{made}"}, {"format": "webp", "rotated_by_exif": False}),),
        ),
        Example(
            {"file": FILE, "target_format": "bmp"},
            {"format": "bmp"},
            source="transparent pixels lie on white",
            files=CLEAR,
            then=(
                ExampleCall(
                    "image_read_pixels",
                    {"file": "{made}", "points": [{"x": 0, "y": 1}]},
                    {"pixels": [{"hex": "#ffffff", "alpha": 255}]},
                ),
            ),
        ),
        Refusal({"file": FILE, "target_format": "png"}, "not a readable image", files=NO_IMAGE),
    ),
    reply="The picture as {format}: {file}",
    memory_mb=1024,
)
def image_convert_format(file: File, target_format: Format, quality: Quality = 90) -> Picture:
    """Convert an image to PNG, JPEG, WebP, AVIF, TIFF, GIF or BMP, upright and without metadata.

    Use it if a program needs another format; for an animation, the first frame is used. JPEG and BMP show transparent
    parts on white. Returns the file with its size.
    """
    image = upright(file)
    if target_format == "gif":
        image = image.quantize(256, Image.Quantize.FASTOCTREE)
    return keep("converted", image, target_format, quality)


class Compressed(TypedDict):
    """A compressed image file."""

    file: OutputFile
    format: Annotated[str, About("jpeg or webp")]
    width: Annotated[int, About("Width in pixels")]
    height: Annotated[int, About("Height in pixels")]
    bytes: Annotated[int, About("Size of the file")]
    quality: Annotated[int, About("Chosen quality")]


@tool(
    tags="image compress reduce size kilobytes optimise smaller upload limit target",
    use_when=(
        "Compress this photo to under 200 KB.",
        "The upload form takes at most 1 MB: make my picture fit.",
        "Shrink the image file for e-mail.",
        "Shrink a photo so that I can email it",
        "My photo is too big to upload",
    ),
    examples=(
        Example(
            {"file": FILE, "target_kb": 1},
            {"file": "compressed.webp", "format": "webp"},
            source="the name by the format",
            files=_NOISY,
            then=(ExampleCall("image_inspect", {"file": "{made}"}, {"format": "webp"}),),
        ),
        Example(
            {"file": FILE, "target_kb": 500, "target_format": "jpeg"},
            {"quality": 95, "width": 40, "height": 40},
            source="the best quality is under 500 KB at once",
            files=_NOISY,
        ),
        Refusal({"file": FILE, "target_kb": 5}, "not a readable image", files=NO_IMAGE),
    ),
    reply="The picture now has {bytes|byte}, {width} x {height} pixels: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def image_compress(
    file: File,
    target_kb: Annotated[float, About("Maximum size in kilobytes of 1,000 bytes", 200, minimum=1, maximum=20_000)],
    target_format: Annotated[Literal["webp", "jpeg"], About("File format")] = "webp",
) -> Compressed:
    """Compress an image until its file is below a number of kilobytes, with the best quality that fits.

    First the quality is reduced from 95 to 25, then the size of the picture. Use it for upload limits and fast pages.
    Returns the file with its size in bytes, pixels and the chosen quality.
    """
    image = upright(file)
    if image.width * image.height > 16_000_000:
        image.thumbnail((4000, 4000), Image.Resampling.LANCZOS)
    image.info = {}
    while True:
        found = _best(image, target_format, target_kb * 1000)
        if found is not None:
            break
        if max(image.size) <= 16:
            raise ToolError(f"The image does not fit into {target_kb} KB. Increase the limit.")
        size = (max(1, image.width * 7 // 10), max(1, image.height * 7 // 10))
        image = image.resize(size, Image.Resampling.LANCZOS)
    quality, content = found
    return {
        "file": save(f"compressed.{'jpg' if target_format == 'jpeg' else target_format}", content),
        "format": target_format,
        "width": image.width,
        "height": image.height,
        "bytes": len(content),
        "quality": quality,
    }


def _best(image: Any, form: str, most: float) -> tuple[int, bytes] | None:
    """Return the highest of the tried qualities whose file is small enough, with the file."""
    for quality in (95, 85, 75, 60, 45, 25):
        content = encode(image, form, quality)
        if len(content) <= most:
            return quality, content
    return None


class Stripped(TypedDict):
    """An image without its metadata."""

    file: OutputFile
    bytes_before: Annotated[int, About("Size of the original file")]
    bytes: Annotated[int, About("Size of the new file")]
    removed: Annotated[list[str], About("Kinds of removed metadata: exif, gps, xmp, icc profile, comment, text")]


@tool(
    tags="image strip remove metadata exif gps privacy anonymise photo location",
    use_when=(
        "Remove the GPS location from this photo before I post it.",
        "Strip all metadata from the picture.",
        "Make my JPEG anonymous.",
        "Delete where a photo was taken from the file",
        "Remove the location from a photo before I post it",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"removed": ["exif", "gps"]},
            source="the sample has EXIF with a GPS part",
            files=PHOTO,
            then=(ExampleCall("image_read_exif", {"file": "{made}"}, {"entries": [], "latitude": None}),),
        ),
        Refusal({"file": FILE}, "not a readable image", files=NO_IMAGE),
    ),
    reply={
        "removed": "I removed {removed}: {file}",
        "": "There was no metadata to remove: {file}",
    },
    memory_mb=1024,
)
def image_strip_metadata(file: File) -> Stripped:
    """Remove EXIF, GPS, XMP, comments and profiles from a photo, after rotating it upright.

    Use it before publishing a picture that would reveal place, time or device. The pixels are encoded again, a JPEG at
    quality 95. Returns the clean file and the kinds of removed metadata.
    """
    header = open_image(file)
    try:
        exif = header.getexif()
        found = {"exif": bool(exif), "gps": bool(exif.get_ifd(0x8825))}
    except BROKEN:
        found = {"exif": True, "gps": False}
    image = upright(file)
    found |= {
        "xmp": "xmp" in header.info or "XML:com.adobe.xmp" in header.info,
        "icc profile": "icc_profile" in header.info,
        "comment": "comment" in header.info,
        "text": bool(getattr(header, "text", None)),
    }
    picture = keep("clean", image, format_of(image), 95)
    return {
        "file": picture["file"],
        "bytes_before": Path(file).stat().st_size,
        "bytes": picture["bytes"],
        "removed": [name for name, there in found.items() if there],
    }


@tool(
    tags="image quantize reduce colors palette indexed png8 gif dither posterise",
    use_when=(
        "Reduce this image to 16 colours.",
        "Make an 8-bit palette PNG of the screenshot.",
        "Turn the picture into four colours without dithering.",
    ),
    examples=(
        Example(
            {"file": FILE, "colors": 2},
            {"format": "png", "width": 40, "height": 40},
            source="the size stays",
            files=_NOISY,
            then=(ExampleCall("image_inspect", {"file": "{made}"}, {"mode": "P"}),),
        ),
        Example(
            {"file": FILE, "colors": 4, "dither": False},
            {"width": 4},
            source="two colours stay what they are",
            files=HALVES,
            then=(
                ExampleCall(
                    "image_read_pixels",
                    {"file": "{made}", "points": [{"x": 3, "y": 0}]},
                    {"pixels": [{"hex": "#0000ff"}]},
                ),
            ),
        ),
        Refusal({"file": FILE, "colors": 1}, "colors", files=HALVES),
    ),
    reply="The picture with fewer colours has {bytes|byte}: {file}",
    memory_mb=1024,
)
def image_quantize_colors(
    file: File,
    colors: Annotated[int, About("Number of colours to keep", 16, minimum=2, maximum=256)],
    dither: Annotated[bool, About("Whether to use dithering, so that fewer colours look like more")] = True,
) -> Picture:
    """Reduce an image to a palette of few colours, saved as an indexed PNG.

    Use it for small files of drawings and screenshots, or for a retro look. Transparent parts become white. Returns the
    file with its size.
    """
    image = flatten(upright(file), (255, 255, 255, 255))
    palette = image.quantize(colors, Image.Quantize.MEDIANCUT)
    if dither:
        palette = image.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)
    return keep("quantized", palette, "png")


class DataUri(TypedDict):
    """A file as text."""

    data_uri: Annotated[str, About("For src attributes and CSS url()")]
    media_type: Annotated[str, About("Media type of the image")]
    bytes: Annotated[int, About("Size of the file before encoding")]


@tool(
    tags="image base64 data uri url embed inline html css",
    use_when=(
        "Give me this icon as a data URI for CSS.",
        "Encode the logo as base64 to embed it in HTML.",
        "Inline this small PNG in my e-mail template.",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"data_uri": f"data:image/png;base64,{HALVES[FILE]}", "media_type": "image/png"},
            source="RFC 2397; the Base64 that the sample was written with",
            files=HALVES,
        ),
        Refusal({"file": FILE}, "not a readable image", files=NO_IMAGE),
    ),
    reply="The picture as a data URI: {data_uri}",
)
def image_encode_data_uri(file: File) -> DataUri:
    """Encode a small image of up to 300 KB as a data URI (RFC 2397) to embed it in HTML, CSS or SVG.

    The file itself is encoded without changes. Returns the URI with its media type.
    """
    media_type = Image.MIME.get(open_image(file).format, "application/octet-stream")
    with Path(file).open("rb") as stream:
        content = stream.read(300_001)
    if len(content) > 300_000:
        raise ToolError("The image is larger than 300 KB. Compress it or reduce its size first.")
    text = base64.b64encode(content).decode()
    return {"data_uri": f"data:{media_type};base64,{text}", "media_type": media_type, "bytes": len(content)}


class Icons(TypedDict):
    """A set of icons for a web site."""

    file: Annotated[OutputFile, About("ZIP with favicon.ico, the PNG icons and site.webmanifest", format="file-id")]
    names: Annotated[list[str], About("Files in the ZIP")]
    html: Annotated[str, About("HTML lines for the head of the page")]


_SIZES = {
    "favicon-16x16.png": 16,
    "favicon-32x32.png": 32,
    "apple-touch-icon.png": 180,
    "icon-192.png": 192,
    "icon-512.png": 512,
}
_HEAD = """<link rel="icon" href="/favicon.ico" sizes="any">
<link rel="icon" type="image/png" sizes="16x16" href="/favicon-16x16.png">
<link rel="icon" type="image/png" sizes="32x32" href="/favicon-32x32.png">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<link rel="manifest" href="/site.webmanifest">"""
_MANIFEST = """{"icons": [
  {"src": "/icon-192.png", "sizes": "192x192", "type": "image/png"},
  {"src": "/icon-512.png", "sizes": "512x512", "type": "image/png"}
]}
"""


@tool(
    tags="favicon ico app icon apple touch manifest website set",
    use_when=(
        "Make a favicon from this logo.",
        "I need all app icons for my web site.",
        "Create favicon.ico and the apple-touch-icon from a PNG.",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "file": "icons.zip",
                "names": [
                    "favicon.ico",
                    "favicon-16x16.png",
                    "favicon-32x32.png",
                    "apple-touch-icon.png",
                    "icon-192.png",
                    "icon-512.png",
                    "site.webmanifest",
                ],
            },
            source="the sizes that browsers, iOS and the web app manifest ask for",
            files=HALVES,
        ),
        Refusal({"file": FILE}, "not a readable image", files=NO_IMAGE),
    ),
    reply={
        "html": "All icons are in a ZIP, {file}. Put this into the head of the page: {html}",
        "": "The icons: {file}",
    },
    memory_mb=1024,
)
def favicon_create_set(file: File) -> Icons:
    """Create the icons of a web site from one picture: favicon.ico, PNG icons, Apple touch icon and manifest.

    Use it with a logo, ideally square with 512 pixels or more; others are centred on a transparent square. Returns a
    ZIP and the HTML lines for the head of the page.
    """
    image = upright(file).convert("RGBA")
    image.thumbnail((1024, 1024), Image.Resampling.LANCZOS)
    side = max(image.size)
    square = Image.new("RGBA", (side, side))
    square.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
    files = {"favicon.ico": _ico(square)}
    for name, size in _SIZES.items():
        files[name] = encode(square.resize((size, size), Image.Resampling.LANCZOS), "png")
    files["site.webmanifest"] = _MANIFEST.encode()
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return {"file": save("icons.zip", buffer.getvalue()), "names": list(files), "html": _HEAD}


def _ico(square: Any) -> bytes:
    large = square.resize((64, 64), Image.Resampling.LANCZOS)
    return encode(large, "ico", extra={"sizes": [(16, 16), (32, 32), (48, 48)]})
