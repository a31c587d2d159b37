"""Reads how many decimals a request wants ("…, to two decimals"), and rounds a result to them.

Most tools have no argument for it, and the model puts the number into another argument.
"""

import json
import re
from typing import Any

from retinue.models.base import ToolOffer
from retinue_assistant.text_parsing.numbers import numerals

_DECIMALS = re.compile(
    r"(?:[,;:.?!(]\s*|\s(?=to |with |rounded ))(?:please |give |me |it |use |with |and |rounded |round |to ){0,4}"
    r"(?P<count>\d|one|two|three|four|five|six) decimals?(?: places?)?"
    r"(?:,? (?:each|please|pls|will do|(?:is|are) (?:enough|fine|plenty))){0,2}[\s).?!]*$",
    re.IGNORECASE,
)
"""Matches the clause at the end of a request that asks for a number of decimals."""
_ROUNDING = frozenset(("decimals", "digits", "expression", "places"))
"""Arguments of tools that round their result themselves."""


def split_decimals(request: str) -> tuple[str, int | None]:
    """Return a request without its clause about decimals, and their number. A request to round a number stays whole."""
    clause = _DECIMALS.search(request)
    if clause is None or "round " in request[: clause.start()].lower():
        return request, None
    return request[: clause.start()], int(numerals(clause["count"])[0].value)


def rounds(tool: ToolOffer) -> bool:
    """Return whether a tool has an argument for the rounding of its result."""
    return not _ROUNDING.isdisjoint(tool.input_schema.get("properties", {}))


def parse_rounded(text: str, decimals: int) -> Any:
    """Parse JSON and round its numbers. Numbers that would become 0 stay as they are."""
    return json.loads(text, parse_float=lambda digits: round(float(digits), decimals) or float(digits))
