"""Colour blindness: simulation of colours and images, and palette checks."""

from itertools import combinations
from typing import Annotated, Any, Literal

import numpy as np
from PIL import Image
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, tool
from retinue_tools.media._color_math import DEFICIENCIES, deficient, difference, lab, linear
from retinue_tools.media._pictures import Picture, format_of, keep, upright
from retinue_tools.media._samples import FILE, NO_IMAGE, look_at_pixel, paint
from retinue_tools.media.color_palettes import Colors
from retinue_tools.media.color_spaces import hex_of, parts_of

Deficiency = Annotated[
    Literal["protanopia", "deuteranopia", "tritanopia", "achromatopsia"],
    About("Missing red cones, green cones, blue cones, or all colour vision"),
]


class Confusion(TypedDict):
    """Two colours that are hard to distinguish."""

    color_a: Annotated[str, About("First colour")]
    color_b: Annotated[str, About("Second colour")]
    vision: Annotated[str, About("normal, or the deficiency")]
    difference: Annotated[float, About("Perceived CIEDE2000 difference")]


class PaletteCheck(TypedDict):
    """Result of checking a palette."""

    ok: Annotated[bool, About("Whether all pairs are distinguishable")]
    confusions: Annotated[list[Confusion], About("Pairs that are too similar, worst first, at most 200")]


@tool(
    tags="palette color blind accessible chart distinguish check confusion",
    use_when=(
        "Can colour-blind people tell these chart colours apart?",
        "Check my palette #d00, #0a0, #00c for accessibility.",
        "Which of these category colours look too similar?",
    ),
    examples=(
        Example(
            {"colors": ["black", "white"]}, {"ok": True, "confusions": []}, source="nobody confuses black and white"
        ),
        Example(
            {"colors": ["#808080", "#818181"], "least_difference": 5},
            {"ok": False},
            source="neighbouring greys are below 1 for everybody",
        ),
        Refusal({"colors": ["black", "whit"]}, "not a colour"),
    ),
    reply={
        "ok": "All colours can be told apart, with colour blindness too.",
        "confusions": "Some colours are too similar: {confusions}",
        "": "Some colours are too similar.",
    },
)
def color_check_palette(
    colors: Colors, least_difference: Annotated[float, About("Minimum CIEDE2000 of pairs", minimum=1, maximum=50)] = 10
) -> PaletteCheck:
    """Check whether the colours of a palette can be told apart, with normal vision and with colour blindness.

    Use it for charts and maps. Each pair is compared by CIEDE2000 for four kinds of vision. Returns the pairs that are
    too similar.
    """
    found: list[Confusion] = []
    for vision in ("normal", "protanopia", "deuteranopia", "tritanopia"):
        views = [parts_of(color) for color in colors]
        seen_colors = [lab(view if vision == "normal" else deficient(view, vision)) for view in views]
        for first, second in combinations(range(len(colors)), 2):
            delta = difference(seen_colors[first], seen_colors[second])
            if delta < least_difference:
                pair = (colors[first], colors[second])
                found.append({"color_a": pair[0], "color_b": pair[1], "vision": vision, "difference": round(delta, 2)})
    found.sort(key=lambda confusion: confusion["difference"])
    return {"ok": not found, "confusions": found[:200]}


class Seen(TypedDict):
    """Simulated colours."""

    colors: Annotated[list[str], About("Perceived colours in order, as #rrggbb")]


@tool(
    tags="color blindness simulate protanopia deuteranopia tritanopia vision accessibility",
    use_when=(
        "How do red and green look to somebody with deuteranopia?",
        "Simulate protanopia for my brand colours.",
        "Show these colours as a colour-blind person sees them.",
    ),
    examples=(
        Example(
            {"colors": ["white", "black"], "deficiency": "deuteranopia"},
            {"colors": ["#ffffff", "#000000"]},
            source="Machado et al. (2009): the rows add up to 1, so greys stay",
        ),
        Example(
            {"colors": ["#00ff00", "#808080"], "deficiency": "achromatopsia"},
            {"colors": ["#dcdcdc", "#808080"]},
            source="by hand: a luminance of 0.7152 has the sRGB value 0.8623, 220 of 255",
        ),
        Refusal({"colors": ["white", "a"], "deficiency": "tritanopia"}, "colors"),
    ),
    reply={
        "args.deficiency": "With {args.deficiency} the colours look like {colors}.",
        "": "The colours look like {colors}.",
    },
)
def color_simulate_blindness(colors: Colors, deficiency: Deficiency) -> Seen:
    """Simulate how colours look to people with a deficiency of colour vision (Machado et al. 2009).

    Use it to evaluate designs; for a whole picture use image_simulate_blindness. Returns the perceived colours in
    order.
    """
    return {"colors": [hex_of(deficient(parts_of(color), deficiency)) for color in colors]}


@tool(
    tags="image color blindness simulate vision accessibility screenshot deuteranopia",
    use_when=(
        "Show this chart as a red-green blind person sees it.",
        "Simulate tritanopia on my screenshot.",
        "Is the map readable for colour-blind people?",
    ),
    examples=(
        Example(
            {"file": FILE, "deficiency": "achromatopsia"},
            {"width": 2},
            source="by hand: a luminance of 0.7152 is 220 of 255",
            files={FILE: paint(2, 2, lambda x, y: "00ff00")},
            then=(look_at_pixel(0, 0, "#dcdcdc"),),
        ),
        Example(
            {"file": FILE, "deficiency": "protanopia"},
            {"width": 2},
            source="greys stay as they are",
            files={FILE: paint(2, 2, lambda x, y: "808080")},
            then=(look_at_pixel(1, 1, "#808080"),),
        ),
        Refusal({"file": FILE, "deficiency": "tritanopia"}, "not a readable image", files=NO_IMAGE),
    ),
    reply={
        "args.deficiency": "The picture as seen with {args.deficiency}: {file}",
        "": "The picture as colour-blind people see it: {file}",
    },
    memory_mb=1024,
    pace="normal",
)
def image_simulate_blindness(file: File, deficiency: Deficiency) -> Picture:
    """Show a whole picture as people with a deficiency of colour vision see it (Machado et al. 2009).

    Use it for charts, maps and user interfaces; images of more than 4 megapixels are reduced. Returns the image as a
    file.
    """
    image = upright(file)
    form = format_of(image)
    image = image.convert("RGB")
    image.thumbnail((2000, 2000), Image.Resampling.BOX)
    return keep("simulated", Image.fromarray(_simulate(np.asarray(image), deficiency)), form)


def _simulate(pixels: Any, deficiency: str) -> Any:
    curve = np.array([linear(value / 255) for value in range(256)], dtype=np.float32)
    seen_light = np.clip(curve[pixels] @ np.array(DEFICIENCIES[deficiency], dtype=np.float32).T, 0, 1)
    low, high = 12.92 * seen_light, 1.055 * np.power(seen_light, 1 / 2.4) - 0.055
    return np.rint(255 * np.where(seen_light <= 0.0031308, low, high)).astype(np.uint8)
