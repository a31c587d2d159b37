"""Conversion of common arithmetic notation to Python's: 5!, 1,234.50, 3², 2√2, 17 mod 5, sin(30°)."""

# ruff: noqa: RUF001, RUF002 - the signs are meant as they are

import re
from collections.abc import Callable

from retinue.sdk import ToolError

_MARKED = re.compile(r"[A-Za-z_]\w*\s*\(|[()]|(?<![\w.,])[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9,])")
"""The start of a call, brackets, and numbers with thousands separators."""
_GROUPED = re.compile(r"(?<![0-9.,])[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9,])")
"""A number with thousands separators."""
_FACTORIAL = re.compile(r"(?<=[\w)])\s*!(?![!=])")
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_CHANGE = re.compile(rf"([^%]*[\w)])\s*([-+])\s*({_NUMBER})\s*%\s*")
"""A percentage that is added to an expression or subtracted from it."""
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")

_Spelling = tuple[str, str | Callable[["re.Match[str]"], str]]
_SIGNS: tuple[_Spelling, ...] = (
    (rf"√\s*({_NUMBER}|π)", r"sqrt(\1)"),
    (rf"∛\s*({_NUMBER}|π)", r"cbrt(\1)"),
    (r"√(?=\s*\()", "sqrt"),
    (r"∛(?=\s*\()", "cbrt"),
    (r"[⁻⁰¹²³⁴-⁹]+", lambda found: f"**({found[0].translate(_SUPERSCRIPTS)})"),
    ("π", "pi"),
    ("[×·⋅∙∗]", "*"),
    ("÷", "/"),
    ("[−–]", "-"),
)
_BEFORE: tuple[_Spelling, ...] = (
    (r"(?<![\w)])³√", "∛"),
    (rf"(^|[-+(,*×·]\s*)({_NUMBER})\s*(?=[π√∛])", r"\1\2*"),
    (rf"({_NUMBER})\s*°", r"radians(\1)"),
)
"""A factor before a root or pi multiplies it, unless a preceding division or power makes it ambiguous."""
_AFTER: tuple[_Spelling, ...] = (
    (r"\^", "**"),
    (r"(?<=[0-9)])(?:\s+[xX]\s+|(?<!\b0)[xX])(?=[-0-9.(a-z])", "*"),
    (":", "/"),
    (r"%(?=\s*(?:[-+*/),]|of\b|$))", "/100"),
    (r"\bof\b", "*"),
    (r"(?i)(?<=[\w)])\s+mod\b", " %"),
)
"""A percent sign is a percentage if no number can follow it, otherwise the remainder operator."""


def plain(expression: str) -> str:
    """Convert arithmetic to Python's notation. Ambiguous notation is left unchanged, and rejected later."""
    without_question = re.sub(r"\s*=\s*\??\s*$", "", expression.strip())
    text = re.sub(r"(?<=[0-9])['’\u00a0\u202f](?=[0-9]{3}(?![0-9]))", "", without_question)
    text = in_letters(_spell(_called_factorials(_without_commas(text)), _BEFORE))
    return _spell(_with_change(text), _AFTER)


def _with_change(expression: str) -> str:
    """Write `1800 - 10%` as `(1800) * (1 - 10/100)`, as calculators read it. Only a last percentage changes what is
    before it, and only if that has no percentage itself: `5% + 3%` is a sum.
    """
    if (found := _CHANGE.fullmatch(expression)) is None or found[1].count("(") != found[1].count(")"):
        return expression
    return f"({found[1]})*(1{found[2]}{found[3]}/100)"


def in_letters(expression: str) -> str:
    """Replace the signs ², √, π, ×, ÷ and − in an expression, including symbolic ones, with keyboard characters."""
    return _spell(expression, _SIGNS)


def _spell(text: str, spellings: tuple[_Spelling, ...]) -> str:
    for pattern, spelling in spellings:
        text = re.sub(pattern, spelling, text)
    return text


def remove_thousands_separators(number: str) -> str:
    """Remove commas between thousands. Raises `ToolError` for other commas."""
    text = _GROUPED.sub(lambda found: found[0].replace(",", ""), number)
    if "," in text:
        raise ToolError("Write decimals with a point, and commas only between thousands: 1234.5 or 1,234.5.")
    return text


def _without_commas(expression: str) -> str:
    """Remove thousands separators from numbers outside calls, in which commas separate arguments."""
    within: list[bool] = []

    def read(found: "re.Match[str]") -> str:
        part = found[0]
        if part.endswith("("):
            within.append(len(part) > 1)
        elif part == ")":
            del within[-1:]
        elif not any(within):
            return part.replace(",", "")
        return part

    return _MARKED.sub(read, expression)


def _called_factorials(expression: str) -> str:
    """Write `5!` and `(2 + 3)!` as function calls."""
    while mark := _FACTORIAL.search(expression):
        before, after = expression[: mark.start()], expression[mark.end() :]
        start = _operand_start(before)
        expression = f"{before[:start]}factorial({before[start:]}){after}"
    return expression


def _operand_start(text: str) -> int:
    """Return the start of the operand that ends the text: a number, a name, or a bracket with its function."""
    if not text.endswith(")"):
        return len(re.sub(r"[\w.]+$", "", text))
    depth = 0
    for place in reversed(range(len(text))):
        depth += (text[place] == ")") - (text[place] == "(")
        if not depth:
            return len(re.sub(r"\w+$", "", text[:place]))
    return 0
