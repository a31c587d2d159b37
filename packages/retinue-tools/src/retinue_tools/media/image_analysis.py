"""Image comparison, thresholding, edges and object counts."""

import math
from typing import Annotated, Any, Literal

import numpy as np
from PIL import Image
from skimage import feature, filters, measure, metrics
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, OutputFile, Refusal, ToolError, tool
from retinue_tools.media._pictures import Picture, flatten, keep, upright
from retinue_tools.media._samples import FILE, HALVES, NO_IMAGE, OTHER, look_at_pixel, paint

_MOST = 4_000_000
_DOTS = {FILE: paint(12, 6, lambda x, y: "000000" if y in (2, 3) and x in (1, 2, 6, 7, 8) else "ffffff")}
"""Two black boxes on white, of 4 and of 6 pixels."""


def _grey(file: str) -> Any:
    """Return the luma of an image, 0 to 255, on white."""
    image = flatten(upright(file, _MOST), (255, 255, 255, 255))
    return np.asarray(image.convert("L"))


class Comparison(TypedDict):
    """Differences between two images of the same size."""

    identical: Annotated[bool, About("Whether all pixels are equal")]
    differing_pixels: Annotated[int, About("Number of pixels in which a channel differs by more than the tolerance")]
    differing_percent: Annotated[float, About("Share of these pixels")]
    mean_difference: Annotated[float, About("Mean absolute difference of the channels, 0 to 255")]
    psnr_db: Annotated[float | None, About("Peak signal to noise ratio; null for identical images")]
    ssim: Annotated[
        float | None, About("Structural similarity of the luma, 1 for equal images; null below 7 x 7 pixels")
    ]
    box: Annotated[list[int] | None, About("Left, top, width, height of the differing part")]
    difference_file: Annotated[OutputFile, About("Map of the differences in white", format="file-id")]


@tool(
    tags="image compare difference pixel ssim psnr visual regression screenshot",
    use_when=(
        "What changed between these two screenshots?",
        "Compute SSIM and PSNR of the compressed photo.",
        "Are these two images identical pixel by pixel?",
    ),
    examples=(
        Example(
            {"file_a": FILE, "file_b": OTHER},
            {
                "identical": False,
                "differing_pixels": 1,
                "differing_percent": 12.5,
                "mean_difference": 21.25,
                "psnr_db": 10.7918,
                "box": [2, 1, 1, 1],
                "ssim": None,
            },
            source="by hand: two of 24 channels differ by 255, so the PSNR is 10 log10(12)",
            files={FILE: HALVES[FILE], OTHER: paint(4, 2, lambda x, y: "0000ff" if x + 1 - y > 2 else "ff0000")},
        ),
        Example(
            {"file_a": FILE, "file_b": FILE, "tolerance": 3},
            {"identical": True, "ssim": 1.0, "psnr_db": None, "box": None},
            source="an image compared with itself",
            files={FILE: paint(8, 8, lambda x, y: f"{x * 30:02x}" * 3)},
        ),
        Refusal(
            {"file_a": FILE, "file_b": OTHER},
            "same size",
            files={**HALVES, OTHER: paint(1, 1, lambda x, y: "ffffff")},
        ),
    ),
    reply={
        "identical": "The pictures are the same.",
        "difference_file": (
            "The pictures differ in {differing_pixels|pixel}, or {differing_percent} %: {difference_file}"
        ),
        "": "The pictures differ in {differing_pixels|pixel}, or {differing_percent} %.",
    },
    tier="starter",
    credits=2,
    memory_mb=1024,
    pace="normal",
)
def image_compare_pixels(
    file_a: File,
    file_b: File,
    tolerance: Annotated[int, About("Tolerated difference of a channel, 0 to 255", minimum=0, maximum=255)] = 0,
) -> Comparison:
    """Compare two images of the same size pixel by pixel: what differs, PSNR, SSIM and a map of the differences.

    Use it for visual tests and to evaluate compression, up to 4 megapixels; for duplicates in other sizes use
    image_compare_hashes.
    """
    first, second = (np.asarray(flatten(upright(f, _MOST), (255, 255, 255, 255))) for f in (file_a, file_b))
    if first.shape != second.shape:
        raise ToolError("The images must have the same size. Resize one of them first.")
    apart = np.abs(first.astype(np.int16) - second)
    differs = apart.max(axis=2) > tolerance
    square = float(np.square(apart.astype(np.float64)).mean())
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    box = [int(columns[0]), int(rows[0]), int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1] if rows.size else None
    return {
        "identical": square == 0,
        "differing_pixels": int(differs.sum()),
        "differing_percent": round(100 * float(differs.mean()), 4),
        "mean_difference": round(float(apart.mean()), 4),
        "psnr_db": round(10 * math.log10(255**2 / square), 4) if square else None,
        "ssim": _similarity(file_a, file_b) if min(differs.shape) >= 7 else None,
        "box": box,
        "difference_file": keep("difference", Image.fromarray((differs * 255).astype(np.uint8)), "png")["file"],
    }


def _similarity(file_a: str, file_b: str) -> float:
    return round(float(metrics.structural_similarity(_grey(file_a), _grey(file_b), data_range=255)), 6)


@tool(
    tags="image edges canny sobel outline contour detect",
    use_when=(
        "Find the edges in this photo with Canny.",
        "Make an outline drawing of the picture.",
        "Show the Sobel gradient of the image.",
    ),
    examples=(
        Example(
            {"file": FILE, "method": "sobel"},
            {"width": 8, "height": 8},
            source="where all is one colour there is no edge",
            files={FILE: paint(8, 8, lambda x, y: "336699")},
            then=(look_at_pixel(4, 4, "#000000"),),
        ),
        Example(
            {"file": FILE, "sigma": 1},
            {"width": 20, "height": 20, "format": "png"},
            source="far from the border between black and white there is no edge",
            files={FILE: paint(20, 20, lambda x, y: "ffffff" if x < 10 else "000000")},
            then=(look_at_pixel(2, 10, "#000000"), look_at_pixel(17, 10, "#000000")),
        ),
        Refusal({"file": FILE}, "not a readable image", files=NO_IMAGE),
    ),
    reply="The edges of the picture: {file}",
    tier="starter",
    credits=2,
    memory_mb=1024,
    pace="normal",
)
def image_detect_edges(
    file: File,
    method: Annotated[Literal["canny", "sobel"], About("Thin lines, or the strength of the gradient")] = "canny",
    sigma: Annotated[float, About("Blur before Canny in pixels: more removes details", minimum=0.1, maximum=20)] = 1.5,
) -> Picture:
    """Detect the edges of an image of up to 4 megapixels, white on black.

    Use it for outlines and measurements. Canny gives thin lines, Sobel the strength of the gradient. Returns a PNG.
    """
    grey = _grey(file) / 255
    edges = feature.canny(grey, sigma).astype(float) if method == "canny" else filters.sobel(grey)
    return keep("edges", Image.fromarray(np.rint(np.clip(edges, 0, 1) * 255).astype(np.uint8)), "png")


@tool(
    tags="image threshold binarize black white scan otsu local document",
    use_when=(
        "Make this scan pure black and white.",
        "Binarise the picture by Otsu's method.",
        "Clean the unevenly lit photo of a page.",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"width": 4, "format": "png"},
            source="Otsu parts two values between them: blue is darker than red",
            files=HALVES,
            then=(look_at_pixel(0, 0, "#ffffff"), look_at_pixel(3, 0, "#000000")),
        ),
        Example(
            {"file": FILE, "method": "fixed", "level": 200},
            {"width": 4},
            source="both are darker than 200",
            files=HALVES,
            then=(look_at_pixel(0, 0, "#000000"),),
        ),
        Refusal({"file": FILE, "level": 300}, "level", files=HALVES),
    ),
    reply="The picture in black and white: {file}",
    memory_mb=1024,
    pace="normal",
)
def image_threshold_scan(
    file: File,
    method: Annotated[
        Literal["otsu", "local", "fixed"],
        About("One automatic threshold, a threshold for each neighbourhood, or a fixed one"),
    ] = "otsu",
    level: Annotated[int, About("Luma above which fixed gives white", minimum=0, maximum=255)] = 128,
) -> Picture:
    """Convert an image of up to 4 megapixels to pure black and white.

    Use it for scans and photos of pages; local handles uneven light. Returns a small PNG.
    """
    grey = _grey(file)
    bound: Any = level
    if method == "otsu":
        bound = filters.threshold_otsu(grey) if grey.min() < grey.max() else level
    elif method == "local":
        bound = filters.threshold_local(grey, 35, offset=10)
    return keep("threshold", Image.fromarray(((grey > bound) * 255).astype(np.uint8)), "png")


class Thing(TypedDict):
    """An object in an image."""

    area: Annotated[int, About("Area in pixels")]
    left: Annotated[int, About("Left edge of its box")]
    top: Annotated[int, About("Upper edge of its box")]
    width: Annotated[int, About("Width of its box")]
    height: Annotated[int, About("Height of its box")]


class Things(TypedDict):
    """Objects in an image."""

    count: Annotated[int, About("Number of objects")]
    mean_area: Annotated[float | None, About("Mean area in pixels")]
    objects: Annotated[list[Thing], About("Largest first, at most 500")]


@tool(
    tags="image count objects blobs cells particles measure area connected",
    use_when=(
        "How many coins lie on this white table?",
        "Count the cells in the microscope picture.",
        "Measure the area of each dark spot.",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "count": 2,
                "mean_area": 5.0,
                "objects": [{"area": 6, "left": 6, "top": 2, "width": 3, "height": 2}, {"area": 4, "left": 1}],
            },
            source="the boxes that the sample was painted with",
            files=_DOTS,
        ),
        Example({"file": FILE, "least_area": 5}, {"count": 1}, source="one box has 6 pixels", files=_DOTS),
        Refusal({"file": FILE}, "one tone", files={FILE: paint(3, 3, lambda x, y: "ffffff")}),
    ),
    reply={
        "objects": "I counted {count|object}: {objects}",
        "": "I found no objects in the picture.",
    },
    tier="starter",
    credits=2,
    memory_mb=1024,
    pace="normal",
)
def image_count_objects(
    file: File,
    look_for: Annotated[
        Literal["dark", "bright"], About("Whether objects are darker or brighter than the background")
    ] = "dark",
    least_area: Annotated[int, About("Minimum number of pixels of an object", minimum=1, maximum=1_000_000)] = 1,
) -> Things:
    """Count separate objects on a contrasting background, and measure them, in an image of up to 4 megapixels.

    The image is segmented with Otsu's threshold; touching objects count as one. Returns the number, areas and boxes.
    """
    grey = _grey(file)
    if grey.min() == grey.max():
        raise ToolError("The image has only one tone, so there is nothing to count.")
    bound = filters.threshold_otsu(grey)
    labels = measure.label(grey <= bound if look_for == "dark" else grey > bound)
    found = [region for region in measure.regionprops(labels) if region.area >= least_area]
    found.sort(key=lambda region: -region.area)
    areas = [int(region.area) for region in found]
    return {
        "count": len(found),
        "mean_area": sum(areas) / len(areas) if areas else None,
        "objects": [_describe_area(int(region.area), region.bbox) for region in found[:500]],
    }


def _describe_area(area: int, box: tuple[int, ...]) -> Thing:
    top, left, bottom, right = (int(edge) for edge in box)
    return {"area": area, "left": left, "top": top, "width": right - left, "height": bottom - top}
