"""Conversion of units: there and back, names, and reasons."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.science._unit_table import UNITS, Unit
from retinue_tools.science.units import convert, unit_convert_quantity

PAIRS = [
    (source, target) for source in UNITS.values() for target in UNITS.values() if source.dimension == target.dimension
]


@given(st.floats(-1e12, 1e12, allow_subnormal=False), st.sampled_from(PAIRS))
def test_there_and_back_is_where_it_began(value: float, pair: tuple[Unit, Unit]) -> None:
    source, target = pair
    try:
        there = convert(value, source, target)
    except ToolError:
        assert source.dimension == "temperature"
        return
    back = convert(there, target, source)
    assert math.isclose(back, value, rel_tol=1e-9, abs_tol=1e-9 + abs(float(source.offset / source.factor)) * 1e-9)


@given(st.just(0.0) | st.floats(1e-200, 1e12), st.sampled_from(PAIRS))
def test_the_larger_unit_has_the_smaller_number(value: float, pair: tuple[Unit, Unit]) -> None:
    source, target = pair
    if source.dimension != "temperature":
        assert (convert(value, source, target) <= value) == (source.factor <= target.factor or value == 0)


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (100, "km/h", "mph", 62.137119223733395),
        (0, "celsius", "fahrenheit", 32.0),
        (-40, "degrees celsius", "Degrees Fahrenheit", -40.0),
        (1, "Kilometres per hour", "km/h", 1.0),
        (1, "square metre", "square feet", 10.763910416709722),
        (1, "m²", "cm²", 10_000.0),
        (8, "bit", "byte", 1.0),
        (1, "MW", "mW", 1e9),
        (1, "US gallon", "imperial gallon", 0.8326741846289888),
        (1, "Inches", "CM", 2.54),
        (2, "sq. ft.", "square inches", 288.0),
        (36, "km per hour", "metres per second", 10.0),
        (1, "MB/s", "Mb/s", 8.0),
        (5, "l/100km", "km/l", 20.0),
        (6, "min/km", "km/h", 10.0),
        (3.5, "T", "kg", 3500.0),
        (1, "T", "gauss", 10_000.0),
        (7.87, "g/cm³", "kg/m3", 7870.0),
        (1, "mJ", "J", 0.001),
        (1, "mPa", "Pa", 0.001),
        (1, "mHz", "Hz", 0.001),
        (1, "Mg", "kg", 1000.0),
        (1, "ML", "L", 1e6),
        (1, "MV", "V", 1e6),
        (1, "Mm", "m", 1e6),
        (1, "Mb", "MB", 0.125),
        (8, "Kb", "kB", 1.0),
        (1, "Cal", "J", 4184.0),
        (1, "Metre", "m", 1.0),
        (1, "MPH", "mph", 1.0),
        (1, "mhz", "Hz", 1e6),
        (1, "LB", "kg", 0.45359237),
    ],
)
def test_quantities_are_converted(value: float, source: str, target: str, expected: float) -> None:
    assert unit_convert_quantity(value, source, target)["value"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ["MS", "mB", "mBPS", "Ms"])
def test_a_symbol_is_not_matched_across_milli_and_mega_or_bits_and_bytes(name: str) -> None:
    with pytest.raises(ToolError, match="There is no unit"):
        unit_convert_quantity(1, name, name)


@given(st.text(min_size=1, max_size=40))
def test_any_unit_name_gets_a_value_or_a_reason(name: str) -> None:
    try:
        assert unit_convert_quantity(1, name, name)["value"] == pytest.approx(1)
    except ToolError:
        assert name not in UNITS
