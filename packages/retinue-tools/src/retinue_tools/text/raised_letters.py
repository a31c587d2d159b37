"""Small raised and lowered characters."""

import re
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_PLAIN = "0123456789+-=()"
_LOWERED, _RAISED = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾"
_TABLES = {"subscript": str.maketrans(_PLAIN, _LOWERED), "superscript": str.maketrans(_PLAIN, _RAISED)}
_BACK = str.maketrans(_LOWERED + _RAISED, _PLAIN * 2)
_POWER = re.compile(r"\^\(?([+-]?\d+)\)?")


class RaisedText(TypedDict):
    """The text."""

    text: str


@tool(
    tags="subscript superscript unicode digits chemical formula exponent power small numbers raised lowered",
    use_when=(
        "Turn the digits of H2SO4 into subscripts",
        "Write x^2 + y^3 with superscript numbers",
        "Make CO₂ plain ASCII",
    ),
    examples=(
        Example({"text": "H2SO4", "style": "subscript"}, {"text": "H₂SO₄"}, source="Unicode U+2080 to U+2089"),
        Example({"text": "x^2 + y^-13", "style": "superscript"}, {"text": "x² + y⁻¹³"}, source="Unicode"),
        Example({"text": "CO₂", "style": "plain"}, {"text": "CO2"}, source="Unicode"),
        Refusal({"text": "abc", "style": "subscript"}, "no digits"),
    ),
)
def text_write_scripts(
    text: Annotated[str, About("Text with digits", "H2SO4", min_length=1, max_length=100_000)],
    style: Annotated[
        Literal["subscript", "superscript", "plain"], About("superscript raises what stands behind ^, or all digits")
    ],
) -> RaisedText:
    """Turn digits into Unicode subscripts or superscripts, or such back into plain digits.

    Use it for formulas and powers where there is no formatting.
    """
    if style == "plain":
        return {"text": text.translate(_BACK)}
    if not re.search(r"\d", text):
        raise ToolError("The text has no digits.")
    table = _TABLES[style]
    if style == "superscript" and "^" in text:
        return {"text": _POWER.sub(lambda match: match[1].translate(table), text)}
    return {"text": re.sub(r"\d", lambda match: match[0].translate(table), text)}
