"""Single colours: notation, names, contrast, difference."""

import colorsys
import re
from functools import cache
from typing import Annotated, Literal

from PIL import ImageColor
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.media._color_math import (
    Triple,
    contrast,
    difference,
    from_oklab,
    lab,
    luminance,
    oklab,
    polar,
    xyz,
)
from retinue_tools.media._pictures import Color, rgba, to_hex

_CMYK = re.compile(r"cmyk\(\s*([\d.]{1,8})%?[\s,]+([\d.]{1,8})%?[\s,]+([\d.]{1,8})%?[\s,]+([\d.]{1,8})%?\s*\)", re.I)


def parts_of(color: str) -> Triple:
    """Return red, green and blue, each 0 to 1, of a colour in CSS notation. Raises `ToolError`."""
    red, green, blue, _ = rgba(color)
    return red / 255, green / 255, blue / 255


@cache
def css_colors() -> dict[str, str]:
    """Return the code of each CSS colour name. Pillow stores names that it has looked up as tuples."""
    return {name: code if isinstance(code, str) else to_hex(code) for name, code in ImageColor.colormap.items()}


def hex_of(color: Triple) -> str:
    """Format a colour as #rrggbb."""
    return to_hex(tuple(round(255 * min(max(part, 0.0), 1.0)) for part in color))


class Notations(TypedDict):
    """A colour in all usual spaces."""

    hex: Annotated[str, About("#rrggbb")]
    rgb: Annotated[list[int], About("Red, green, blue, 0 to 255")]
    alpha: Annotated[float, About("Opacity, 0 to 1")]
    hsl: Annotated[list[float], About("Hue in degrees, saturation and lightness in percent")]
    hsv: Annotated[list[float], About("Hue in degrees, saturation and value in percent")]
    cmyk: Annotated[list[float], About("Cyan, magenta, yellow, black in percent, without a printing profile")]
    lab: Annotated[list[float], About("CIE L*, a*, b* under D65")]
    lch: Annotated[list[float], About("CIE L*, chroma, hue in degrees under D65")]
    oklch: Annotated[list[float], About("Lightness 0 to 1, chroma, hue in degrees")]
    xyz: Annotated[list[float], About("CIE X, Y, Z under D65, with white at Y = 1")]
    luminance: Annotated[float, About("Relative luminance, 0 to 1 (WCAG)")]
    name: Annotated[str | None, About("CSS name of exactly this colour")]


@tool(
    tags="color colour convert hex rgb hsl hsv cmyk lab lch oklch xyz css",
    use_when=(
        "What is #1e90ff in RGB and HSL?",
        "Convert cmyk(0, 100, 100, 0) to hex.",
        "Give me the OKLCH values of red.",
        "What are the RGB values of a hex colour?",
    ),
    examples=(
        Example(
            {"color": "#ff0000"},
            {
                "rgb": [255, 0, 0],
                "hsl": [0.0, 100.0, 50.0],
                "cmyk": [0.0, 100.0, 100.0, 0.0],
                "lab": [53.24, 80.09, 67.20],
                "oklch": [0.62796, 0.25768, 29.23],
                "name": "red",
                "alpha": 1.0,
                "hsv": [0.0, 100.0, 100.0],
                "lch": [53.237, 104.55, 40.0],
                "xyz": [0.41239, 0.21264, 0.01933],
                "luminance": 0.2126,
            },
            source="B. Lindbloom's calculator (sRGB, D65) and CSS Color 4 for red",
            tolerance=3e-4,
        ),
        Example(
            {"color": "cmyk(100, 0, 0, 0)"}, {"hex": "#00ffff", "hsl": [180.0, 100.0, 50.0]}, source="by hand: cyan"
        ),
        Refusal({"color": "#12"}, "not a colour"),
    ),
    reply=(
        "{hex} is rgb({rgb.0}, {rgb.1}, {rgb.2}), hsl({hsl.0}, {hsl.1} %, {hsl.2} %) and "
        "cmyk({cmyk.0}, {cmyk.1}, {cmyk.2}, {cmyk.3})."
    ),
)
def color_convert_spaces(color: Color) -> Notations:
    """Convert a colour between notations: hex, RGB, HSL, HSV, CMYK, CIE Lab, LCH, OKLCH and XYZ.

    It accepts #hex, rgb(), hsl(), hsv(), cmyk() and CSS names. Returns the colour in all spaces, its luminance and its
    CSS name if it has one.
    """
    parts = _from_cmyk(color) or rgba(color)
    red, green, blue = exact = (parts[0] / 255, parts[1] / 255, parts[2] / 255)
    hue, lightness, saturation = colorsys.rgb_to_hls(*exact)
    _, strength, value = colorsys.rgb_to_hsv(*exact)
    black = 1 - max(exact)
    inks = [0.0 if black == 1 else (1 - part - black) / (1 - black) for part in (red, green, blue)]
    shown = to_hex(parts[:3])
    return {
        "hex": to_hex(parts),
        "rgb": list(parts[:3]),
        "alpha": round(parts[3] / 255, 4),
        "hsl": [round(hue * 360, 2), round(saturation * 100, 2), round(lightness * 100, 2)],
        "hsv": [round(hue * 360, 2), round(strength * 100, 2), round(value * 100, 2)],
        "cmyk": [round(100 * part, 2) for part in (*inks, black)],
        "lab": _round(lab(exact), 3),
        "lch": _round(polar(lab(exact)), 3),
        "oklch": _round(polar(oklab(exact)), 5),
        "xyz": _round(xyz(exact), 5),
        "luminance": round(luminance(exact), 5),
        "name": next((name for name, code in css_colors().items() if code == shown), None),
    }


def _round(parts: Triple, digits: int) -> list[float]:
    return [round(part, digits) + 0.0 for part in parts]


def _from_cmyk(text: str) -> tuple[int, int, int, int] | None:
    match = _CMYK.fullmatch(text.strip())
    if not match:
        return None
    try:
        cyan, magenta, yellow, black = (float(part) / 100 for part in match.groups())
    except ValueError as error:
        raise ToolError(f"{text} is not a colour. Write it as cmyk(0, 100, 100, 0).") from error
    if max(cyan, magenta, yellow, black) > 1:
        raise ToolError("The parts of cmyk() are percentages from 0 to 100.")
    red, green, blue = (round(255 * (1 - ink) * (1 - black)) for ink in (cyan, magenta, yellow))
    return red, green, blue, 255


class Contrast(TypedDict):
    """Contrast of a text on a background."""

    ratio: Annotated[float, About("Contrast ratio, 1 to 21, truncated to two decimals")]
    exact_ratio: Annotated[float, About("Contrast ratio to six decimals")]
    aa_normal: Annotated[bool, About("At least 4.5: WCAG AA for normal text")]
    aa_large: Annotated[bool, About("At least 3: AA for large text, icons and controls")]
    aaa_normal: Annotated[bool, About("At least 7: AAA for normal text")]
    aaa_large: Annotated[bool, About("At least 4.5: AAA for large text")]
    suggestion: Annotated[
        str | None, About("A text colour of the same hue that reaches the target ratio, if the given one does not")
    ]


@tool(
    tags="contrast wcag accessibility ratio text background readable aa aaa",
    use_when=(
        "Is #777777 text on white accessible?",
        "What is the contrast ratio of navy on light grey?",
        "Does this button colour pass WCAG AA, and what would?",
    ),
    examples=(
        Example(
            {"text": "#000000", "background": "#ffffff"},
            {"ratio": 21.0, "aaa_normal": True, "suggestion": None, "aaa_large": True},
            source="WCAG 2.2: black on white is 21:1",
        ),
        Example(
            {"text": "#777777", "background": "white", "wanted_ratio": 3},
            {"ratio": 4.47, "exact_ratio": 4.478089, "aa_normal": False, "aa_large": True, "suggestion": None},
            source="by hand: 1.05 / (0.18447 + 0.05) is 4.478, cut so that nothing passes by rounding",
        ),
        Refusal({"text": "black", "background": "whitee"}, "not a colour"),
    ),
    reply={
        "aaa_normal": "The contrast is {ratio}:1, good enough for text of any size (WCAG AA and AAA).",
        "aa_normal": "The contrast is {ratio}:1, which passes WCAG AA for normal text, but not AAA.",
        "aa_large, suggestion": (
            "The contrast is {ratio}:1, enough only for large text (WCAG AA). {suggestion} would pass."
        ),
        "aa_large": "The contrast is {ratio}:1, enough only for large text (WCAG AA).",
        "suggestion": "The contrast is {ratio}:1, too low for text of any size (WCAG AA). {suggestion} would pass.",
        "": "The contrast is {ratio}:1, too low for text of any size (WCAG AA).",
    },
)
def color_check_contrast(
    text: Color,
    background: Color,
    wanted_ratio: Annotated[float, About("Target ratio of the suggestion", minimum=1, maximum=21)] = 4.5,
) -> Contrast:
    """Check the contrast of a text on a background according to WCAG 2.2, and suggest a text colour that passes.

    Use it for accessible pages and documents. Returns the ratio and the AA and AAA results. If the target ratio is
    missed, it also returns the nearest lightness of the same hue that reaches it.
    """
    ink, ground = parts_of(text), parts_of(background)
    ratio = contrast(ink, ground)
    return {
        "ratio": int(ratio * 100 + 1e-9) / 100,
        "exact_ratio": round(ratio, 6),
        "aa_normal": ratio >= 4.5,
        "aa_large": ratio >= 3,
        "aaa_normal": ratio >= 7,
        "aaa_large": ratio >= 4.5,
        "suggestion": None if ratio >= wanted_ratio else _find_passing_color(ink, ground, wanted_ratio),
    }


def _find_passing_color(ink: Triple, ground: Triple, least: float) -> str | None:
    lightness, a, b = oklab(ink)
    steps = sorted((step / 100 for step in range(101)), key=lambda step: abs(step - lightness))
    for step in steps:
        # Near black and white, less chroma is possible.
        fade = min(1.0, 4 * step, 4 * (1 - step))
        candidate = hex_of(from_oklab((step, a * fade, b * fade)))
        if contrast(parts_of(candidate), ground) >= least:
            return candidate
    return None


class Named(TypedDict):
    """A CSS colour."""

    name: Annotated[str, About("CSS name")]
    hex: Annotated[str, About("#rrggbb")]
    difference: Annotated[
        float, About("CIEDE2000 to the given colour: below 1 hardly visible, above 10 a different colour")
    ]


class Names(TypedDict):
    """Names of similar colours."""

    nearest: Annotated[list[Named], About("Nearest first")]


@tool(
    tags="color name nearest css named what is this colour called",
    use_when=(
        "What is the colour #663399 called?",
        "Which CSS colour name is nearest to #1c8fff?",
        "Give a name to this RGB value.",
        "What is the name of this colour?",
    ),
    examples=(
        Example(
            {"color": "#663399", "count": 1},
            {"nearest": [{"name": "rebeccapurple", "hex": "#663399", "difference": 0.0}]},
            source="CSS Color 4, named colours",
        ),
        Example(
            {"color": "#fe0101"},
            {"nearest": [{"name": "red"}, {}, {}]},
            source="one step beside pure red",
        ),
        Refusal({"color": "reddish"}, "not a colour"),
    ),
    reply=("The nearest CSS colour is {nearest.0.name} ({nearest.0.hex}), at a difference of {nearest.0.difference}."),
)
def color_find_name(color: Color, count: Annotated[int, About("Number of names", minimum=1, maximum=20)] = 3) -> Names:
    """Find the CSS colour names that are perceptually nearest to a colour, as the eye sees it (CIEDE2000).

    Use it to name a colour or to find a similar standard colour. Returns names with their codes and differences.
    """
    target = lab(parts_of(color))
    distances = {name: difference(target, lab(parts_of(code))) for name, code in css_colors().items()}
    best = sorted(distances, key=lambda name: (distances[name], name))[:count]
    return {
        "nearest": [{"name": name, "hex": css_colors()[name], "difference": round(distances[name], 3)} for name in best]
    }


class Apart(TypedDict):
    """Difference between two colours."""

    delta_e_2000: Annotated[float, About("CIEDE2000: 1 is about the smallest visible difference")]
    delta_e_76: Annotated[float, About("Distance in CIE Lab")]
    verdict: Annotated[Literal["same", "close", "similar", "different"], About("Category: below 1, 3, 10, or above")]


@tool(
    tags="color difference delta e ciede2000 compare similar tolerance print",
    use_when=(
        "How different are #ff0000 and #fe0505 to the eye?",
        "What is the delta E between these two brand colours?",
        "Would anybody see the difference between these greys?",
    ),
    examples=(
        Example(
            {"color_a": "black", "color_b": "white"},
            {"delta_e_2000": 100.0, "delta_e_76": 100.0, "verdict": "different"},
            source="by the formula: at a mean lightness of 50 it is the difference in lightness",
            tolerance=1e-3,
        ),
        Example(
            {"color_a": "red", "color_b": "#f00"}, {"delta_e_2000": 0.0, "verdict": "same"}, source="the same colour"
        ),
        Refusal({"color_a": "black", "color_b": ".."}, "color_b"),
    ),
    reply="The difference is {delta_e_2000} (CIEDE2000): {verdict}.",
)
def color_measure_difference(color_a: Color, color_b: Color) -> Apart:
    """Measure how different two colours look: CIEDE2000 and the older distance in CIE Lab.

    Use it for brand and print tolerances. Returns both differences and a category.
    """
    first, second = lab(parts_of(color_a)), lab(parts_of(color_b))
    delta = difference(first, second)
    verdicts: tuple[tuple[float, Literal["same", "close", "similar"]], ...] = (
        (1, "same"),
        (3, "close"),
        (10, "similar"),
    )
    return {
        "delta_e_2000": round(delta, 4),
        "delta_e_76": round(sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) ** 0.5, 4),
        "verdict": next((word for most, word in verdicts if delta < most), "different"),
    }
