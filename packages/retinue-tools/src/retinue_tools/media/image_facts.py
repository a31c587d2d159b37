"""Image properties: format, metadata and similarity."""

import math
from typing import Annotated, Any, Literal

from PIL import ExifTags, Image
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.media._pictures import BROKEN, flatten, open_image, to_color, upright
from retinue_tools.media._samples import FILE, HALVES, NO_IMAGE, OTHER, PHOTO, gif, paint

_GPS = 0x8825
_MOST_TEXT = 500


class ImageFacts(TypedDict):
    """Properties in the header of an image."""

    format: Annotated[str, About("File format")]
    width: Annotated[int, About("Width in pixels, as stored")]
    height: Annotated[int, About("Height in pixels, as stored")]
    megapixels: Annotated[float, About("Millions of pixels")]
    aspect_ratio: Annotated[str, About("Width to height in lowest terms")]
    mode: Annotated[str, About("Pixel mode of Pillow: RGB, RGBA, L for grey, P for palette, CMYK")]
    transparent: Annotated[bool, About("Whether it can have transparent pixels")]
    frames: Annotated[int, About("Frames of an animation or pages of a TIFF")]
    dpi: Annotated[float | None, About("Dots per inch, if stored in the file")]
    rotated_by_exif: Annotated[bool, About("Whether EXIF contains a rotation for viewers")]
    color_profile: Annotated[bool, About("Whether an ICC profile is embedded")]


@tool(
    tags="image picture photo info format size dimensions resolution dpi mode frames png jpeg",
    use_when=(
        "How many pixels wide and high is this photo?",
        "Is this PNG transparent, and what is its DPI?",
        "What file format does this picture really have?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"format": "png", "width": 4, "height": 2, "aspect_ratio": "2:1", "frames": 1, "rotated_by_exif": True},
            source="the header that the sample was written with; orientation 6 in its EXIF",
            files=PHOTO,
        ),
        Example(
            {"file": FILE},
            {"format": "gif", "frames": 3},
            source="a GIF89a of three frames",
            files={FILE: gif([5] * 3)},
        ),
        Refusal({"file": FILE}, "not a readable image", files=NO_IMAGE),
    ),
    reply={
        "dpi": "The picture is a {format} of {width} x {height} pixels at {dpi} DPI.",
        "": "The picture is a {format} of {width} x {height} pixels ({aspect_ratio}).",
    },
)
def image_inspect(file: File) -> ImageFacts:
    """Inspect an image file, what it is, without changing it.

    Use it before other image tools, or for questions about format, dimensions and resolution. Returns the true format,
    size in pixels, aspect ratio, transparency, number of frames, DPI and whether EXIF rotates it.
    """
    image = open_image(file)
    divisor = math.gcd(image.width, image.height)
    try:
        frames, turn = int(getattr(image, "n_frames", 1)), image.getexif().get(0x0112, 1)
    except BROKEN as error:
        raise ToolError("The image is damaged: its frames or its metadata cannot be decoded.") from error
    return {
        "format": image.format.lower(),
        "width": image.width,
        "height": image.height,
        "megapixels": image.width * image.height / 1e6,
        "aspect_ratio": f"{image.width // divisor}:{image.height // divisor}",
        "mode": image.mode,
        "transparent": image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info,
        "frames": frames,
        "dpi": _dpi(image),
        "rotated_by_exif": turn not in (0, 1),
        "color_profile": bool(image.info.get("icc_profile")),
    }


def _dpi(image: Any) -> float | None:
    try:
        across = float(image.info["dpi"][0])
    except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError):
        return None
    return round(across, 2) if math.isfinite(across) and across > 0 else None


class Entry(TypedDict):
    """A metadata entry."""

    name: Annotated[str, About("Name of the EXIF tag, or its number")]
    value: Annotated[str, About("Value as text, truncated after 500 characters")]


class ImageMetadata(TypedDict):
    """Metadata of a photo."""

    entries: Annotated[list[Entry], About("EXIF entries")]
    latitude: Annotated[float | None, About("Degrees, north positive; null without GPS")]
    longitude: Annotated[float | None, About("Degrees, east positive; null without GPS")]
    taken: Annotated[str | None, About("Time of the photo, as written by the camera: YYYY:MM:DD HH:MM:SS")]
    camera: Annotated[str | None, About("Maker and model of the camera")]
    xmp: Annotated[bool, About("Whether XMP metadata is embedded")]


@tool(
    tags="image photo exif metadata gps location camera date taken privacy xmp",
    use_when=(
        "Where and when was this photo taken?",
        "Which camera and lens made this JPEG?",
        "Does my picture contain GPS coordinates?",
        "Where was this photo taken?",
        "When was a picture taken?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"latitude": 52.5, "longitude": 13.25, "camera": "Acme", "taken": None},
            source="the sample's EXIF says 52° 30' N, 13° 15' E (CIPA DC-008)",
            files=PHOTO,
        ),
        Example({"file": FILE}, {"entries": [], "latitude": None}, source="a PNG without EXIF", files=HALVES),
        Refusal({"file": FILE}, "not a readable image", files=NO_IMAGE),
    ),
    reply={
        "taken, latitude, camera": (
            "The photo was taken on {taken} at {latitude}, {longitude} with the camera {camera}."
        ),
        "taken, latitude": "The photo was taken on {taken} at {latitude}, {longitude}.",
        "taken, camera": "The photo was taken on {taken} with the camera {camera}.",
        "latitude, camera": "The photo was taken at {latitude}, {longitude} with the camera {camera}.",
        "latitude": "The photo was taken at {latitude}, {longitude}.",
        "taken": "The photo was taken on {taken}; the place is not stored.",
        "camera": "The photo was taken with the camera {camera}; place and date are not stored.",
        "entries": "Neither place nor date is stored, only this: {entries}",
        "": "The photo contains no EXIF data.",
    },
)
def image_read_exif(file: File) -> ImageMetadata:
    """Read the metadata that a camera or phone wrote into a photo: date, place, camera, exposure.

    Use it to find where and when a picture was taken, or to see which private data it contains. Returns the EXIF
    entries, GPS coordinates in degrees, the date and the camera.
    """
    image = open_image(file)
    try:
        exif = image.getexif()
        tags, place = {**exif, **exif.get_ifd(0x8769)}, exif.get_ifd(_GPS)
    except BROKEN as error:
        raise ToolError("The metadata of the image is damaged and cannot be decoded.") from error
    named = {ExifTags.TAGS.get(tag, str(tag)): _show(value) for tag, value in tags.items() if tag not in (_GPS, 0x8769)}
    named |= {ExifTags.GPSTAGS.get(tag, f"GPS{tag}"): _show(value) for tag, value in place.items()}
    camera = " ".join(named[part] for part in ("Make", "Model") if named.get(part))
    return {
        "entries": [{"name": name, "value": value} for name, value in list(named.items())[:300]],
        "latitude": _degrees(place.get(2), place.get(1), "S"),
        "longitude": _degrees(place.get(4), place.get(3), "W"),
        "taken": named.get("DateTimeOriginal") or named.get("DateTime"),
        "camera": camera or None,
        "xmp": bool(image.info.get("xmp") or image.info.get("XML:com.adobe.xmp")),
    }


def _show(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return str(value).strip("\0 ")[:_MOST_TEXT]


def _degrees(parts: Any, side: Any, negative: str) -> float | None:
    try:
        degrees, minutes, seconds = (float(part) for part in parts)
        value = degrees + minutes / 60 + seconds / 3600
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    if not math.isfinite(value) or value > 180:
        return None
    return -value if str(side).startswith(negative) else value


class Likeness(TypedDict):
    """Similarity of two images."""

    hash_a: Annotated[str, About("Hash of the first image, 16 hexadecimal digits")]
    hash_b: Annotated[str, About("Hash of the second image")]
    distance: Annotated[int, About("Number of differing bits, of 64")]
    alike: Annotated[bool, About("Whether at most 10 bits differ, which indicates the same picture")]


@tool(
    tags="image perceptual hash dhash ahash duplicate similar near-duplicate compare",
    use_when=(
        "Are these two photos the same picture, one of them resized?",
        "Find out whether this image is a near duplicate of that one.",
        "Compute the perceptual hash of two pictures.",
    ),
    examples=(
        Example(
            {"file_a": FILE, "file_b": OTHER},
            {"distance": 64, "hash_a": "0" * 16, "hash_b": "f" * 16, "alike": False},
            source="difference hash by its definition: growing brightness gives no bit, falling brightness every bit",
            files={
                FILE: paint(18, 8, lambda x, y: f"{x * 14:02x}" * 3),
                OTHER: paint(18, 8, lambda x, y: f"{(17 - x) * 14:02x}" * 3),
            },
        ),
        Example(
            {"file_a": FILE, "file_b": OTHER, "method": "average"},
            {"distance": 0, "alike": True},
            source="the same picture in another size",
            files={
                FILE: paint(16, 16, lambda x, y: "ffffff" if x < 8 else "000000"),
                OTHER: paint(32, 32, lambda x, y: "ffffff" if x < 16 else "000000"),
            },
        ),
        Refusal({"file_a": FILE, "file_b": FILE}, "not a readable image", files=NO_IMAGE),
    ),
    reply={
        "alike": "Yes, the pictures are most likely the same; only {distance} of 64 bits differ.",
        "": "No, the pictures are different; {distance} of 64 bits differ.",
    },
    memory_mb=1024,
)
def image_compare_hashes(
    file_a: File,
    file_b: File,
    method: Annotated[
        Literal["difference", "average"], About("Bits by decreasing brightness (dHash) or by the mean (aHash)")
    ] = "difference",
) -> Likeness:
    """Compare two images by perceptual hashes, which hardly change with size, format and compression.

    Use it to find duplicates; for exact differences use image_compare_pixels. Returns both 64-bit hashes and the number
    of differing bits.
    """
    first, second = (_bits(upright(file), method) for file in (file_a, file_b))
    distance = (first ^ second).bit_count()
    return {"hash_a": f"{first:016x}", "hash_b": f"{second:016x}", "distance": distance, "alike": distance <= 10}


def _bits(image: Any, method: str) -> int:
    size = (9, 8) if method == "difference" else (8, 8)
    small = to_color(flatten(image, (255, 255, 255, 255))).convert("L").resize(size, Image.Resampling.BOX)
    values = list(small.tobytes())
    if method == "average":
        bits = [value > sum(values) / 64 for value in values]
    else:
        bits = [values[9 * y + x] > values[9 * y + x + 1] for y in range(8) for x in range(8)]
    return sum(bit << place for place, bit in enumerate(reversed(bits)))
