"""What an image is: format, metadata, pixels, colours."""

import math
from typing import Annotated, Any, Literal

from PIL import ExifTags, Image, ImageStat
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.media._pictures import BROKEN, flatten, open_image, to_color, to_hex, upright
from retinue_tools.media._samples import CLEAR, FILE, HALVES, NO_IMAGE, OTHER, PHOTO, gif, paint

_GPS = 0x8825
_MOST_TEXT = 500


class ImageFacts(TypedDict):
    """What the header of an image says."""

    format: Annotated[str, About("File format")]
    width: Annotated[int, About("Width in pixels, as stored")]
    height: Annotated[int, About("Height in pixels, as stored")]
    megapixels: Annotated[float, About("Millions of pixels")]
    aspect_ratio: Annotated[str, About("Width to height in lowest terms")]
    mode: Annotated[str, About("Pixel mode of Pillow: RGB, RGBA, L for grey, P for palette, CMYK")]
    transparent: Annotated[bool, About("Whether it can have transparent pixels")]
    frames: Annotated[int, About("Frames of an animation or pages of a TIFF")]
    dpi: Annotated[float | None, About("Dots per inch, if the file says it")]
    rotated_by_exif: Annotated[bool, About("Whether EXIF tells viewers to turn it")]
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
        Refusal({"file": FILE}, "not an image", files=NO_IMAGE),
    ),
)
def image_inspect(file: File) -> ImageFacts:
    """Tell what an image file is, without changing it.

    Use it before other image tools, or for questions about format, dimensions and resolution. Returns the true format,
    size in pixels, aspect ratio, transparency, number of frames, DPI and whether EXIF turns it.
    """
    image = open_image(file)
    divisor = math.gcd(image.width, image.height)
    try:
        frames, turn = int(getattr(image, "n_frames", 1)), image.getexif().get(0x0112, 1)
    except BROKEN as error:
        raise ToolError("The image is damaged: its frames or its metadata cannot be read.") from error
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


class Point(TypedDict):
    """A pixel, counted from the upper left corner."""

    x: Annotated[int, About("Pixels from the left edge", 0, minimum=0, maximum=65_535)]
    y: Annotated[int, About("Pixels from the upper edge", 0, minimum=0, maximum=65_535)]


class Pixel(TypedDict):
    """The colour at a point."""

    x: Annotated[int, About("Pixels from the left edge")]
    y: Annotated[int, About("Pixels from the upper edge")]
    hex: Annotated[str, About("Colour as #rrggbb")]
    alpha: Annotated[int, About("Opacity, 0 to 255")]


class Pixels(TypedDict):
    """Colours at points."""

    pixels: Annotated[list[Pixel], About("In the order asked")]


@tool(
    tags="image pixel color picker eyedropper value point hex",
    use_when=(
        "What colour is the pixel at 120, 45 in this screenshot?",
        "Pick the hex colour in the middle of this logo.",
        "Is the corner of this PNG transparent?",
    ),
    examples=(
        Example(
            {"file": FILE, "points": [{"x": 0, "y": 0}, {"x": 1, "y": 3}]},
            {"pixels": [{"x": 0, "y": 0, "hex": "#ff0000", "alpha": 255}, {"x": 1, "y": 3, "hex": "#0000ff"}]},
            source="upright the sample is red above blue",
            files=PHOTO,
        ),
        Example(
            {"file": FILE, "points": [{"x": 0, "y": 0}]},
            {"pixels": [{"hex": "#ff0000", "alpha": 128}]},
            source="written with alpha 0x80",
            files=CLEAR,
        ),
        Refusal({"file": FILE, "points": [{"x": 4, "y": 0}]}, "outside", files=HALVES),
    ),
    memory_mb=1024,
)
def image_read_pixels(
    file: File,
    points: Annotated[list[Point], About("Points to look at", [{"x": 0, "y": 0}], min_items=1, max_items=500)],
) -> Pixels:
    """Read the colours of single pixels, as an eyedropper does.

    Use it to find the exact colour at places of an image; points count from the upper left corner of the upright
    picture. Returns a hex colour and the opacity for each point.
    """
    image = upright(file).convert("RGBA")
    pixels: list[Pixel] = []
    for point in points:
        x, y = point["x"], point["y"]
        if x >= image.width or y >= image.height:
            raise ToolError(f"The point {x}, {y} lies outside the image of {image.width} x {image.height} pixels.")
        *color, alpha = image.getpixel((x, y))
        pixels.append({"x": x, "y": y, "hex": to_hex(tuple(color)), "alpha": alpha})
    return {"pixels": pixels}


class Share(TypedDict):
    """A colour and how much of the image it covers."""

    hex: Annotated[str, About("Colour as #rrggbb")]
    share_percent: Annotated[float, About("Part of the pixels that are nearest to it")]


class ImagePalette(TypedDict):
    """The main colours of an image."""

    colors: Annotated[list[Share], About("From the most to the least frequent")]


@tool(
    tags="image palette dominant main colors extract brand logo scheme",
    use_when=(
        "What are the dominant colours of this logo?",
        "Extract a palette of 5 colours from the photo.",
        "Which background colour fits this picture?",
    ),
    examples=(
        Example(
            {"file": FILE, "count": 2},
            {"colors": [{"hex": "#ff0000", "share_percent": 75.0}, {"hex": "#0000ff", "share_percent": 25.0}]},
            source="by hand: three quarters of the sample are painted red, one blue",
            files={FILE: paint(4, 4, lambda x, y: "ff0000" if x < 3 else "0000ff")},
        ),
        Example(
            {"file": FILE},
            {"colors": [{"hex": "#00ff00", "share_percent": 100.0}]},
            source="one colour, so one entry",
            files={FILE: paint(3, 3, lambda x, y: "00ff00")},
        ),
        Refusal({"file": FILE, "count": 2}, "not an image", files=NO_IMAGE),
    ),
    memory_mb=1024,
)
def image_extract_palette(
    file: File, count: Annotated[int, About("Most colours to find", minimum=1, maximum=64)] = 6
) -> ImagePalette:
    """Find the dominant colours of an image by median cut over a reduced copy.

    Use it for brand colours, themes and matching backgrounds. Transparent pixels count as white. Returns hex colours
    with their shares in percent, most frequent first; fewer than asked if the image has fewer.
    """
    image = flatten(upright(file), (255, 255, 255, 255))
    if image.width * image.height > 250_000:
        image.thumbnail((500, 500), Image.Resampling.BOX)
    few = image.getcolors(count)
    if few is None:
        reduced = image.quantize(count, Image.Quantize.MEDIANCUT, kmeans=1).convert("RGB")
        few = reduced.getcolors(image.width * image.height) or []
    total = image.width * image.height
    ordered = sorted(few, key=lambda entry: (-entry[0], entry[1]))
    return {"colors": [{"hex": to_hex(color), "share_percent": round(100 * n / total, 3)} for n, color in ordered]}


class Channel(TypedDict):
    """Statistics of one channel, 0 to 255."""

    channel: Annotated[str, About("red, green, blue or luminance")]
    mean: Annotated[float, About("Mean value")]
    median: Annotated[float, About("Median value")]
    standard_deviation: Annotated[float, About("Standard deviation: low means little contrast")]
    lowest: Annotated[int, About("Lowest value")]
    highest: Annotated[int, About("Highest value")]
    bins: Annotated[list[int], About("Pixels in equal parts of 0 to 255")]


class Histogram(TypedDict):
    """How bright an image is."""

    channels: Annotated[list[Channel], About("Luminance, red, green and blue")]
    shadows_clipped_percent: Annotated[float, About("Pixels of luminance 0 or 1")]
    highlights_clipped_percent: Annotated[float, About("Pixels of luminance 254 or 255")]
    exposure: Annotated[str, About("dark, normal or bright by the mean luminance (below 64, above 192)")]


@tool(
    tags="image histogram exposure brightness contrast statistics mean clipped",
    use_when=(
        "Is this photo underexposed?",
        "Show the RGB histogram of the picture in 16 bins.",
        "How much of the image is blown out to white?",
    ),
    examples=(
        Example(
            {"file": FILE, "bins": 2},
            {"shadows_clipped_percent": 0.0, "highlights_clipped_percent": 0.0, "exposure": "dark"},
            source="by hand: ITU-R BT.601 gives red 76 and blue 29, mean 52.5",
            files=HALVES,
        ),
        Example(
            {"file": FILE},
            {"highlights_clipped_percent": 100.0, "exposure": "bright"},
            source="all pixels are white",
            files={FILE: paint(2, 2, lambda x, y: "ffffff")},
        ),
        Refusal({"file": FILE, "bins": 3}, "bins", files=HALVES),
    ),
    memory_mb=1024,
)
def image_measure_histogram(
    file: File, bins: Annotated[Literal[2, 4, 8, 16, 32, 64, 128, 256], About("Equal parts of 0 to 255")] = 16
) -> Histogram:
    """Measure the tonal distribution of an image: histogram, mean, median, spread and clipping per channel.

    Use it to judge exposure and contrast before editing. Returns statistics of luminance (ITU-R BT.601) and of red,
    green and blue, and the shares of clipped shadows and highlights.
    """
    image = flatten(upright(file), (255, 255, 255, 255))
    grey = image.convert("L")
    parts = [("luminance", grey), *zip(("red", "green", "blue"), image.split(), strict=True)]
    channels = [_channel(name, part, bins) for name, part in parts]
    counts, total = grey.histogram(), image.width * image.height
    mean = channels[0]["mean"]
    return {
        "channels": channels,
        "shadows_clipped_percent": 100 * sum(counts[:2]) / total,
        "highlights_clipped_percent": 100 * sum(counts[254:]) / total,
        "exposure": "dark" if mean < 64 else "bright" if mean > 192 else "normal",
    }


def _channel(name: str, part: Any, bins: int) -> Channel:
    counts, statistic, wide = part.histogram(), ImageStat.Stat(part), 256 // bins
    lowest, highest = part.getextrema()
    return {
        "channel": name,
        "mean": float(statistic.mean[0]),
        "median": float(statistic.median[0]),
        "standard_deviation": float(statistic.stddev[0]),
        "lowest": lowest,
        "highest": highest,
        "bins": [sum(counts[start : start + wide]) for start in range(0, 256, wide)],
    }


class Entry(TypedDict):
    """One entry of the metadata."""

    name: Annotated[str, About("Name of the EXIF tag, or its number")]
    value: Annotated[str, About("Its value as text, cut after 500 characters")]


class ImageMetadata(TypedDict):
    """What a photo says of how, when and where it was taken."""

    entries: Annotated[list[Entry], About("EXIF entries")]
    latitude: Annotated[float | None, About("Degrees, north positive; null without GPS")]
    longitude: Annotated[float | None, About("Degrees, east positive; null without GPS")]
    taken: Annotated[str | None, About("When it was taken, as the camera wrote it: YYYY:MM:DD HH:MM:SS")]
    camera: Annotated[str | None, About("Maker and model of the camera")]
    xmp: Annotated[bool, About("Whether XMP metadata is embedded")]


@tool(
    tags="image photo exif metadata gps location camera date taken privacy xmp",
    use_when=(
        "Where and when was this photo taken?",
        "Which camera and lens made this JPEG?",
        "Does my picture contain GPS coordinates?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"latitude": 52.5, "longitude": 13.25, "camera": "Acme", "taken": None},
            source="the sample's EXIF says 52° 30' N, 13° 15' E (CIPA DC-008)",
            files=PHOTO,
        ),
        Example({"file": FILE}, {"entries": [], "latitude": None}, source="a PNG without EXIF", files=HALVES),
        Refusal({"file": FILE}, "not an image", files=NO_IMAGE),
    ),
)
def image_read_exif(file: File) -> ImageMetadata:
    """Read the metadata that a camera or phone wrote into a photo: date, place, camera, exposure.

    Use it for where and when a picture was taken, or to see what it would give away. Returns the EXIF entries, GPS
    coordinates in degrees, the date and the camera.
    """
    image = open_image(file)
    try:
        exif = image.getexif()
        tags, place = {**exif, **exif.get_ifd(0x8769)}, exif.get_ifd(_GPS)
    except BROKEN as error:
        raise ToolError("The metadata of the image is damaged and cannot be read.") from error
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
    """How alike two images look."""

    hash_a: Annotated[str, About("Hash of the first image, 16 hexadecimal digits")]
    hash_b: Annotated[str, About("Hash of the second image")]
    distance: Annotated[int, About("Bits that differ, of 64")]
    alike: Annotated[bool, About("Whether at most 10 bits differ: most likely the same picture")]


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
        Refusal({"file_a": FILE, "file_b": FILE}, "not an image", files=NO_IMAGE),
    ),
    memory_mb=1024,
)
def image_compare_hashes(
    file_a: File,
    file_b: File,
    method: Annotated[
        Literal["difference", "average"], About("Bits by falling brightness (dHash) or by the mean (aHash)")
    ] = "difference",
) -> Likeness:
    """Compare two images by perceptual hashes, which hardly change with size, format and compression.

    Use it to find duplicates; for exact differences of pixels compare the images themselves. Returns both 64-bit hashes
    and the number of bits that differ.
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
