"""A comma in a number separates thousands; any other comma is refused, because it could be a decimal point."""

from fractions import Fraction

import pytest

from retinue.tools.authoring.declare import ToolError
from retinue_tools.math.fraction_notations import fraction_compare_list, fraction_convert_notation
from retinue_tools.math.number_notations import number_convert_scientific


@pytest.mark.parametrize(
    ("text", "value"), [("1,234,567", 1_234_567), ("-1,234.5", Fraction(-2469, 2)), ("1,500%", 15)]
)
def test_commas_between_thousands(text: str, value: Fraction | int) -> None:
    assert fraction_convert_notation(text)["fraction"] == str(value)


def test_commas_between_thousands_of_a_scientific_number() -> None:
    assert number_convert_scientific("12,345.6")["plain"] == "12345.6"
    assert number_convert_scientific("1,234 x 10^3")["plain"] == "1234000"


@pytest.mark.parametrize("text", ["0,75", "0,750", "1,2345", "12,34,567", "1234,567", "3.5,000"])
def test_other_commas_are_refused(text: str) -> None:
    with pytest.raises(ToolError, match="commas only between thousands"):
        fraction_convert_notation(text)
    with pytest.raises(ToolError, match="commas only between thousands"):
        fraction_compare_list([text, "1/2"])
    with pytest.raises(ToolError, match="commas only between thousands"):
        number_convert_scientific(text)
