"""Sets of colours: harmonies, scales, mixtures and gradients."""

import colorsys
from itertools import pairwise
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.media._color_math import Triple, from_oklab, linear, oklab, transfer_curve
from retinue_tools.media._pictures import Color, rgba
from retinue_tools.media.color_spaces import hex_of, parts_of

Colors = Annotated[list[Color], About("Colours", ["#ff0000", "#0000ff"], min_items=2, max_items=50)]
Space = Annotated[Literal["srgb", "linear", "oklab"], About("As screens blend, as light adds, or perceptually uniform")]

_HARMONIES: dict[str, tuple[float, ...]] = {
    "complementary": (0, 180),
    "split-complementary": (0, 150, 210),
    "analogous": (-30, 0, 30),
    "triadic": (0, 120, 240),
    "tetradic": (0, 90, 180, 270),
}


class Palette(TypedDict):
    """A set of matching colours."""

    colors: Annotated[list[str], About("Colours as #rrggbb")]


@tool(
    tags="color harmony scheme complementary triadic analogous palette wheel",
    use_when=(
        "What is the complementary colour of #ff8800?",
        "Give me a triadic colour scheme from teal.",
        "Which colours are analogous to #3366cc?",
        "Which colours go with navy blue?",
        "Colours that match",
    ),
    examples=(
        Example(
            {"color": "#ff0000", "harmony": "triadic"},
            {"colors": ["#ff0000", "#00ff00", "#0000ff"]},
            source="by hand: hues of 0, 120 and 240 degrees",
        ),
        Example(
            {"color": "yellow", "harmony": "complementary"},
            {"colors": ["#ffff00", "#0000ff"]},
            source="by hand: 60 and 240 degrees",
        ),
        Refusal({"color": "yello", "harmony": "triadic"}, "not a colour"),
    ),
    reply={
        "args.harmony": "The {args.harmony} colours are {colors}.",
        "": "The colours that go with {args.color} are {colors}.",
    },
)
def color_build_harmony(
    color: Color,
    harmony: Annotated[
        Literal["complementary", "split-complementary", "analogous", "triadic", "tetradic"],
        About("Rule of the colour wheel"),
    ],
) -> Palette:
    """Build a colour scheme around a colour by turning its hue on the HSL wheel.

    Use it for designs that start from one brand colour. Returns the colours, including the given one.
    """
    hue, lightness, saturation = colorsys.rgb_to_hls(*parts_of(color))
    turned = [colorsys.hls_to_rgb((hue + turn / 360) % 1, lightness, saturation) for turn in _HARMONIES[harmony]]
    return {"colors": [hex_of(parts) for parts in turned]}


def _blend(first: Triple, second: Triple, share: float, space: str) -> Triple:
    """Return a colour between two; `share` is that of the second."""
    if space == "oklab":
        return from_oklab(_interpolate(oklab(first), oklab(second), share))
    if space == "srgb":
        return _interpolate(first, second, share)
    straight = _interpolate(_each_linear(first), _each_linear(second), share)
    return transfer_curve(straight[0]), transfer_curve(straight[1]), transfer_curve(straight[2])


def _each_linear(color: Triple) -> Triple:
    return linear(color[0]), linear(color[1]), linear(color[2])


def _interpolate(first: Triple, second: Triple, share: float) -> Triple:
    a, b, c = (one + (other - one) * share for one, other in zip(first, second, strict=True))
    return a, b, c


@tool(
    tags="color scale ramp tints shades interpolate steps gradient palette sequential",
    use_when=(
        "Give me 9 tints and shades of #3366cc.",
        "Interpolate 5 colours from yellow to purple.",
        "Make a colour ramp for a heat map.",
    ),
    examples=(
        Example(
            {"colors": ["black", "white"], "steps": 3, "space": "srgb"},
            {"colors": ["#000000", "#808080", "#ffffff"]},
            source="by hand: 127.5 rounded to even",
        ),
        Example(
            {"colors": ["white", "red", "black"], "steps": 3},
            {"colors": ["#ffffff", "#ff0000", "#000000"]},
            source="the given colours are part of their scale",
        ),
        Refusal({"colors": ["black"], "steps": 3}, "colors"),
    ),
    reply="The colours are {colors}.",
)
def color_build_scale(
    colors: Colors, steps: Annotated[int, About("Number of colours", 9, minimum=2, maximum=256)], space: Space = "oklab"
) -> Palette:
    """Build a scale of colours that runs evenly through two or more given ones.

    White, a colour and black give its tints and shades; two colours give a ramp for charts. Returns hex colours.
    """
    stops = [parts_of(color) for color in colors]
    scale = []
    for step in range(steps):
        place, share = divmod(step * (len(stops) - 1) / (steps - 1), 1)
        first = stops[int(place)]
        second = stops[min(int(place) + 1, len(stops) - 1)]
        scale.append(hex_of(first if share < 1e-9 else _blend(first, second, share, space)))
    return {"colors": scale}


class Mixture(TypedDict):
    """A mixed colour."""

    hex: Annotated[str, About("#rrggbb")]


@tool(
    tags="color mix blend average two colors weight",
    use_when=(
        "What colour do red and blue give when mixed half and half?",
        "Mix 30 % white into #004488.",
        "Blend these three colours.",
    ),
    examples=(
        Example(
            {"colors": ["#ff0000", "#0000ff"], "space": "srgb"},
            {"hex": "#800080"},
            source="by hand: 127.5 of red and blue",
        ),
        Example(
            {"colors": ["#ff0000", "#0000ff"], "weights": [1, 1], "space": "linear"},
            {"hex": "#bc00bc"},
            source="IEC 61966-2-1: half of the light is 188 of 255",
        ),
        Refusal({"colors": ["red", "blue"], "weights": [1]}, "the same number of weights"),
    ),
    reply="The mixed colour is {hex}.",
)
def color_mix_shades(
    colors: Colors,
    weights: Annotated[
        list[Annotated[float, About("Share", 1, minimum=0, maximum=1e6)]] | None,
        About("Share of each colour; default: equal", [70, 30], max_items=50),
    ] = None,
    space: Space = "oklab",
) -> Mixture:
    """Mix colours with weights: as screens blend (srgb), as light adds (linear) or perceptually uniform, evenly to the
    eye (oklab).

    Use it for tints and in-between colours; paints mix differently. Returns the mixture.
    """
    shares = weights if weights is not None else [1.0] * len(colors)
    if len(shares) != len(colors) or sum(shares) <= 0:
        raise ToolError("Give the same number of weights and colours, and not only zeros.")
    mixed, total = parts_of(colors[0]), float(shares[0])
    for color, share in zip(colors[1:], shares[1:], strict=True):
        total += share
        if share:
            mixed = _blend(mixed, parts_of(color), share / total, space)
    return {"hex": hex_of(mixed)}


class Stop(TypedDict):
    """A colour of a gradient."""

    color: Color
    at_percent: Annotated[float, About("Position, 0 to 100", 50, minimum=0, maximum=100)]


class Gradient(TypedDict):
    """A gradient for style sheets."""

    css: Annotated[str, About("Value for background or background-image")]
    svg: Annotated[str, About("SVG definition; null for conic")]


@tool(
    tags="css gradient linear radial conic background generate svg",
    use_when=(
        "Write a CSS gradient from #ff0000 to #0000ff at 90 degrees.",
        "Make a radial gradient with three stops for CSS.",
        "Give me the SVG definition of this gradient.",
        "Rainbow background for a website",
    ),
    examples=(
        Example(
            {
                "stops": [{"color": "red", "at_percent": 0}, {"color": "#00f8", "at_percent": 100}],
                "angle": 90,
            },
            {
                "css": "linear-gradient(90deg, #ff0000 0%, #0000ff88 100%)",
                "svg": '<linearGradient id="gradient" gradientTransform="rotate(0 0.5 0.5)">'
                '<stop offset="0%" stop-color="#ff0000"/><stop offset="100%" stop-color="#0000ff88"/></linearGradient>',
            },
            source="CSS Images 3, section 3.1: 90deg points to the right, as an SVG gradient does",
        ),
        Example(
            {"stops": [{"color": "white", "at_percent": 0}, {"color": "black", "at_percent": 50}], "kind": "radial"},
            {"css": "radial-gradient(circle, #ffffff 0%, #000000 50%)"},
            source="CSS Images 3, section 3.2",
        ),
        Refusal({"stops": [{"color": "white", "at_percent": 9}, {"color": "red", "at_percent": 8}]}, "ascending"),
    ),
    reply="The CSS: {css}",
)
def css_make_gradient(
    stops: Annotated[
        list[Stop],
        About(
            "Colours in order",
            [{"color": "#ff0000", "at_percent": 0}, {"color": "#0000ff", "at_percent": 100}],
            min_items=2,
            max_items=30,
        ),
    ],
    kind: Annotated[Literal["linear", "radial", "conic"], About("Shape of the gradient")] = "linear",
    angle: Annotated[float, About("Direction in degrees: 0 upwards, 90 to the right", minimum=0, maximum=360)] = 180,
) -> Gradient:
    """Write a gradient for CSS, and its definition for SVG.

    Use it for backgrounds of pages and buttons. Returns the value for the CSS property background and the element for
    the defs of an SVG.
    """
    if any(later["at_percent"] < earlier["at_percent"] for earlier, later in pairwise(stops)):
        raise ToolError("The positions of the stops must be ascending. Sort them.")
    marks = [(_css_hex(stop["color"]), f"{stop['at_percent']:g}%") for stop in stops]
    lead = {"linear": f"{angle:g}deg", "radial": "circle", "conic": f"from {angle:g}deg"}[kind]
    css = f"{kind}-gradient({lead}, {', '.join(f'{color} {place}' for color, place in marks)})"
    inner = "".join(f'<stop offset="{place}" stop-color="{color}"/>' for color, place in marks)
    turned = f' gradientTransform="rotate({angle - 90:g} 0.5 0.5)"' if kind == "linear" else ""
    svg = "" if kind == "conic" else f'<{kind}Gradient id="gradient"{turned}>{inner}</{kind}Gradient>'
    return {"css": css, "svg": svg}


def _css_hex(color: str) -> str:
    red, green, blue, alpha = rgba(color)
    return f"#{red:02x}{green:02x}{blue:02x}" + (f"{alpha:02x}" if alpha < 255 else "")
