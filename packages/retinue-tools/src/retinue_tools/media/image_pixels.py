"""Pixels, palettes and histograms of images."""

from typing import Annotated, Any, Literal

from PIL import Image, ImageStat
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.media._pictures import flatten, to_hex, upright
from retinue_tools.media._samples import CLEAR, FILE, HALVES, NO_IMAGE, PHOTO, paint


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

    pixels: Annotated[list[Pixel], About("Colours in the given order")]


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
    reply={
        "pixels.1": "The colours: {pixels}",
        "": "The colour is {pixels.0.hex}.",
    },
    memory_mb=1024,
)
def image_read_pixels(
    file: File,
    points: Annotated[list[Point], About("Points to read", [{"x": 0, "y": 0}], min_items=1, max_items=500)],
) -> Pixels:
    """Read the colours of single pixels, like an eyedropper.

    Use it to find the exact colour at positions of an image; points are counted from the upper left corner of the
    upright picture. Returns a hex colour and the opacity for each point.
    """
    image = upright(file).convert("RGBA")
    pixels: list[Pixel] = []
    for point in points:
        x, y = point["x"], point["y"]
        if x >= image.width or y >= image.height:
            raise ToolError(f"The point {x}, {y} is outside the image of {image.width} x {image.height} pixels.")
        *color, alpha = image.getpixel((x, y))
        pixels.append({"x": x, "y": y, "hex": to_hex(tuple(color)), "alpha": alpha})
    return {"pixels": pixels}


class Share(TypedDict):
    """A colour and its share of the image."""

    hex: Annotated[str, About("Colour as #rrggbb")]
    share_percent: Annotated[float, About("Share of the pixels that are nearest to it")]


class ImagePalette(TypedDict):
    """The main colours of an image."""

    colors: Annotated[list[Share], About("Most frequent colour first")]


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
        Refusal({"file": FILE, "count": 2}, "not a readable image", files=NO_IMAGE),
    ),
    reply={
        "colors.1": "The dominant colours: {colors}",
        "colors": "The dominant colour is {colors.0.hex}, with {colors.0.share_percent} %.",
        "": "I found no colours.",
    },
    memory_mb=1024,
)
def image_extract_palette(
    file: File, count: Annotated[int, About("Maximum number of colours", minimum=1, maximum=64)] = 6
) -> ImagePalette:
    """Find the dominant colours of an image by median cut over a reduced copy.

    Use it for brand colours, themes and matching backgrounds. Transparent pixels count as white. Returns hex colours
    with their shares in percent, most frequent first; fewer than requested if the image has fewer.
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
    lowest: Annotated[int, About("Minimum")]
    highest: Annotated[int, About("Maximum")]
    bins: Annotated[list[int], About("Histogram in equal parts of 0 to 255")]


class Histogram(TypedDict):
    """Tonal distribution of an image."""

    channels: Annotated[list[Channel], About("Luminance, red, green and blue")]
    shadows_clipped_percent: Annotated[float, About("Share of pixels with luminance 0 or 1")]
    highlights_clipped_percent: Annotated[float, About("Share of pixels with luminance 254 or 255")]
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
    reply=(
        "The exposure is {exposure}; {shadows_clipped_percent} % of the shadows and "
        "{highlights_clipped_percent} % of the highlights are clipped."
    ),
    memory_mb=1024,
)
def image_measure_histogram(
    file: File, bins: Annotated[Literal[2, 4, 8, 16, 32, 64, 128, 256], About("Number of equal parts of 0 to 255")] = 16
) -> Histogram:
    """Measure the tonal distribution of an image: histogram, mean, median, spread and clipping per channel.

    Use it to check exposure and contrast before editing. Returns statistics of luminance (ITU-R BT.601) and of red,
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
