"""CSS: specificity of selectors, and lengths in other units."""

import re
from typing import Annotated, Literal

import cssselect
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

Unit = Literal["px", "rem", "em", "pt", "pc", "in", "cm", "mm", "%", "vw", "vh"]

_LENGTH = re.compile(
    r"\s*([-+]?(?:\d{1,12}(?:\.\d{1,12})?|\.\d{1,12}))\s*(px|rem|em|pt|pc|in|cm|mm|%|vw|vh)?\s*", re.IGNORECASE
)
_ABSOLUTE = {"px": 1.0, "in": 96.0, "pt": 96 / 72, "pc": 16.0, "cm": 96 / 2.54, "mm": 96 / 25.4}
"""Pixels per unit: CSS Values and Units Module Level 4, section 6.2."""


class Weight(TypedDict):
    """Specificity of a selector."""

    selector: Annotated[str, About("The selector")]
    specificity: Annotated[str, About("IDs, classes, elements: such as 1,2,3")]
    ids: Annotated[int, About("Number of IDs")]
    classes: Annotated[int, About("Number of classes, attributes and pseudo-classes")]
    elements: Annotated[int, About("Number of elements and pseudo-elements")]


class Weights(TypedDict):
    """Specificities of selectors."""

    selectors: Annotated[list[Weight], About("Selectors in the given order")]
    winner: Annotated[str, About("The selector that wins; among equal ones, the last")]


class Lengths(TypedDict):
    """A length in the units of CSS."""

    value: Annotated[float, About("Length in the requested unit")]
    css: Annotated[str, About("CSS text of the length")]
    px: Annotated[float, About("Length in pixels")]
    rem: Annotated[float, About("Length in rem")]
    em: Annotated[float, About("Length in em")]
    pt: Annotated[float, About("Length in points")]


@tool(
    tags="css specificity selector weight cascade ids classes elements which rule wins",
    use_when=(
        "Specificity of the CSS selector #nav ul li.active a:hover",
        "Which selector wins, .menu a or nav a:hover?",
        "Compare the weight of two CSS rules",
    ),
    examples=(
        Example(
            {"selectors": ["#nav ul li.active a:hover"]},
            {
                "selectors": [
                    {
                        "selector": "#nav ul li.active a:hover",
                        "specificity": "1,2,3",
                        "ids": 1,
                        "classes": 2,
                        "elements": 3,
                    }
                ]
            },
            source="counted by the rules of Selectors Level 4, section 17",
        ),
        Example(
            {"selectors": ["ul ol li.red", "*", "#s12:not(p)"]},
            {
                "winner": "#s12:not(p)",
                "selectors": [{"specificity": "0,1,3"}, {"specificity": "0,0,0"}, {"specificity": "1,0,1"}],
            },
            source="Selectors Level 3, section 9; :not counts its argument",
        ),
        Refusal({"selectors": ["a >"]}, "is not a valid selector"),
    ),
    reply={
        "selectors.1": "{winner} wins. The specificities: {selectors}",
        "": "The specificity of {winner} is {selectors.0.specificity}.",
    },
)
def css_compute_specificity(
    selectors: Annotated[
        list[Annotated[str, About("A selector", min_length=1, max_length=2000)]],
        About("One or more selectors", ["#nav li.active a"], min_items=1, max_items=200),
    ],
) -> Weights:
    """Compute the specificity of CSS selectors, and find which one wins: IDs before classes before elements.

    Style attributes and !important outweigh every selector. Among equal ones, the last wins.
    """
    weights = [_weight(part) for selector in selectors for part in _alternatives(selector)]
    winner = max(enumerate(weights), key=lambda one: (*_triple(one[1]), one[0]))[1]
    return {"selectors": weights, "winner": winner["selector"]}


@tool(
    tags="css px rem em pt convert units pixels points length font size vw percent",
    use_when=(
        "Convert 24px to rem with a 16px root",
        "How many pixels are 1.5em?",
        "12pt in px",
        "Pixels to rem",
        "What is 50vw on a 1440 px wide screen?",
    ),
    examples=(
        Example(
            {"length": "24px", "to": "rem"},
            {"value": 1.5, "css": "1.5rem", "rem": 1.5, "em": 1.5, "pt": 18.0},
            source="24 / 16",
        ),
        Example({"length": "12pt", "to": "px"}, {"value": 16.0, "css": "16px"}, source="CSS Values 4: 72pt is 96px"),
        Example({"length": "1.5em", "to": "px", "parent_px": 20}, {"px": 30.0}, source="1.5 * 20"),
        Example({"length": "50vw", "to": "px", "viewport_width_px": 1440}, {"value": 720.0}, source="1440 / 2"),
        Refusal({"length": "big", "to": "px"}, "not a length"),
        Refusal({"length": "50vw", "to": "px"}, "viewport_width_px"),
    ),
    reply="{args.length} is {css}.",
)
def css_convert_units(
    length: Annotated[str, About("Number with its unit; a bare number is in px", "24px", min_length=1, max_length=40)],
    to: Annotated[Unit, About("Target unit; % is relative to the parent's font size")],
    root_px: Annotated[float, About("Font size of the root element in px", 16, minimum=0.01, maximum=1000)] = 16,
    parent_px: Annotated[
        float | None,
        About(
            "Font size of the parent in px, for em and %; default: that of the root", 20, minimum=0.01, maximum=10_000
        ),
    ] = None,
    viewport_width_px: Annotated[
        float | None, About("Width of the viewport in px, for vw", 1440, minimum=1, maximum=100_000)
    ] = None,
    viewport_height_px: Annotated[
        float | None, About("Height of the viewport in px, for vh", 900, minimum=1, maximum=100_000)
    ] = None,
) -> Lengths:
    """Convert a CSS length between px, rem, em, pt, %, cm, inches and parts of the window (viewport).

    An inch has 96 px. Returns the length in the unit, and in px, rem, em and pt.
    """
    found = _LENGTH.fullmatch(length.replace(",", "."))
    if not found:
        raise ToolError(
            f"{length!r} is not a length. Write a number with px, rem, em, pt, pc, in, cm, mm, %, vw or vh."
        )
    parent = parent_px or root_px
    sizes = {**_ABSOLUTE, "rem": root_px, "em": parent, "%": parent / 100}
    for unit, side, name in (("vw", viewport_width_px, "width"), ("vh", viewport_height_px, "height")):
        if side:
            sizes[unit] = side / 100
        elif unit in ((found[2] or "").lower(), to):
            raise ToolError(f"For {unit} give viewport_{name}_px.")
    pixels = float(found[1]) * sizes[(found[2] or "px").lower()]
    value = _round(pixels / sizes[to])
    return {
        "value": value,
        "css": f"{value:.6f}".rstrip("0").rstrip(".") + to,
        "px": _round(pixels),
        "rem": _round(pixels / root_px),
        "em": _round(pixels / parent),
        "pt": _round(pixels / _ABSOLUTE["pt"]),
    }


def _round(value: float) -> float:
    return round(value, 6)


def _triple(weight: Weight) -> tuple[int, int, int]:
    return weight["ids"], weight["classes"], weight["elements"]


def _alternatives(selector: str) -> list[str]:
    """Return the selectors of a list; commas within brackets do not separate them."""
    parts, depth = [""], 0
    for one in selector.strip().removesuffix("{}").rstrip("{ "):
        depth += (one in "([") - (one in ")]")
        if one == "," and not depth:
            parts.append("")
        else:
            parts[-1] += one
    return [part.strip() for part in parts]


def _weight(selector: str) -> Weight:
    try:
        ids, classes, elements = cssselect.parse(selector)[0].specificity()
    except (cssselect.SelectorError, NotImplementedError) as error:
        raise ToolError(f"{selector[:100]!r} is not a valid selector: {str(error)[:150]}") from error
    return {
        "selector": selector,
        "specificity": f"{ids},{classes},{elements}",
        "ids": ids,
        "classes": classes,
        "elements": elements,
    }
