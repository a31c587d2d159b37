"""Numbers of a request that can only be one argument."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.reading.quantities import denied, numbers_left, stated_numbers
from retinue.models.reading.units import UNITS, unit_of, unit_of_name

NUMBER = {"type": "number"}
OF_ONE_KIND = [(one, other) for one in UNITS for other in UNITS if UNITS[one].kind == UNITS[other].kind]
WHOLE = {"type": "integer", "minimum": 1, "maximum": 600}


def schema(*required: str, **optional: dict[str, Any]) -> dict[str, Any]:
    """A tool that takes these numbers, and these others if it is given them."""
    return {"properties": {**dict.fromkeys(required, NUMBER), **optional}, "required": list(required)}


@pytest.mark.parametrize(
    ("request_", "taken", "wanted"),
    [
        ("spot 100, strike 105", schema("spot", "strike"), {"spot": 100, "strike": 105}),
        ("latitude 55.9533, longitude -3.1883", schema("latitude", "longitude"), (55.9533, -3.1883)),
        ("a rate of 3% and volatility 20%", schema("rate_percent", "volatility_percent"), (3, 20)),
        ("3% over 6 months", schema("rate_percent", "years"), (3, 0.5)),
        ("5000 for 8 years", schema("start", "months"), (5000, 96)),
        ("5000 or 6000 for 8 years", schema("start", "months"), {"months": 96}),
        ("5000 for 8 years, 2 decimals", schema("start", "end", "months"), {"months": 96}),
        ("220 ohm at 12 V", schema("voltage_v", "resistance_ohm"), (12, 220)),
        ("a fall of 45 metres in 3 s", schema("time_s", "distance_m", "speed_m_s"), {"time_s": 3, "distance_m": 45}),
        ("90 km/h for 2 hours", schema("speed_m_s", "time_s"), (25, 7200)),
        ("$15,000 at 7 percent", schema("rate_percent"), {"rate_percent": 7}),
        ("split between 5 people", schema("amount", people=WHOLE), {"people": 5}),
        ("a concentration of 3.2e-5 mol/l", schema("concentration_mol_l"), {"concentration_mol_l": 3.2e-5}),
        ("x = 3 and y: 4.5", schema("x", "y"), (3, 4.5)),
        ("as a 32-bit float", schema("value", bits={"type": "integer", "enum": [32, 64]}), {"bits": 32}),
        ("as a 16-bit float", schema(bits={"type": "integer", "enum": [32, 64]}), {}),
        ("a 5% tip", schema("a"), {}),
        ("between 10 years and 20 years", schema("years"), {}),
        ("3 m and 5 m", schema("length_m"), {}),
        ("15 percent of 80", schema("value", confidence_percent={**NUMBER, "default": 95}), {"value": 80}),
        ("70 years old", schema(months=WHOLE), {}),
        ("2.5 months", schema(months=WHOLE), {}),
        ("on 2026-11-21 at 10:30, version 1.2.3", schema("at", "version"), {}),
        ("how long is 3 miles", schema("length_km"), {"length_km": 4.828032}),
        ("no numbers", schema("years"), {}),
        (f"amount {'9' * 400} and years {'1' * 30}", schema("amount", "years"), {}),
    ],
)
def test_a_number_goes_where_it_can_only_go(request_: str, taken: dict[str, Any], wanted: Any) -> None:
    expected = wanted if isinstance(wanted, dict) else dict(zip(taken["required"], wanted, strict=True))
    assert stated_numbers(taken, request_) == expected


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("annual_rate_percent", "share", ["annual", "rate"]),
        ("speed_m_s", "speed", ["speed"]),
        ("acceleration_m_s2", "acceleration", ["acceleration"]),
        ("years", "calendar", []),
        ("m", None, ["m"]),
        ("angle_a", None, ["angle", "a"]),
        ("concentration_mol_l", None, ["concentration", "mol", "l"]),
        ("temperature_c", "temperature", ["temperature"]),
        ("principal", None, ["principal"]),
    ],
)
def test_names_end_with_units(name: str, kind: str | None, words: list[str]) -> None:
    unit, rest = unit_of_name(name)
    assert (unit and unit.kind, list(rest)) == (kind, words)


@pytest.mark.parametrize("spelling", ["Km", "hours", "yrs", "Hz", "feet", "m/s", "%"])
def test_units_are_known_however_they_are_written(spelling: str) -> None:
    assert unit_of(spelling) is not None


@pytest.mark.parametrize("word", ["", "s2", "people", "decimals", "as"])
def test_other_words_are_no_units(word: str) -> None:
    assert unit_of(word) is None


@given(st.sampled_from(OF_ONE_KIND), st.integers(1, 9999))
def test_a_number_is_converted_there_and_back(pair: tuple[str, str], number: int) -> None:
    unit, target = (UNITS[name] for name in pair)
    assert target.measured_in(unit.measured_in(number, target), unit) == pytest.approx(number)


def test_temperatures_are_told_in_other_scales() -> None:
    taken = schema(temperature_k=NUMBER)
    assert stated_numbers(taken, "at 27 \u00b0C") == {"temperature_k": 300.15}
    assert stated_numbers(taken, "at 50 \u00b0F") == {"temperature_k": 283.15}
    assert stated_numbers(schema(temperature_c=NUMBER), "at 300 K") == {"temperature_c": 26.85}


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ("a van without any salvage value", {"salvage": 0}),
        ("with no down payment", {"down_payment": 0}),
        ("no salvage and no fee", {"salvage": 0}),
        ("salvage value 500", {}),
    ],
)
def test_what_there_is_none_of_is_nought(request_: str, wanted: dict[str, int]) -> None:
    assert denied(schema(salvage=NUMBER, down_payment=NUMBER, fee={**NUMBER, "minimum": 1}), request_) == wanted


@given(st.text(max_size=400))
def test_any_request_is_read(request_: str) -> None:
    found = stated_numbers(schema("years", "amount", "a", people=WHOLE), request_)
    assert all(isinstance(value, (int, float)) for value in found.values())


@pytest.mark.parametrize(
    ("request_", "taken", "wanted"),
    [
        ("falls 45 metres at g = 9.81", schema(distance_m=NUMBER, time_s=NUMBER), {"time_s": [9.81]}),
        ("2.5 mol at 300 K", schema(amount_mol=NUMBER, temperature_k=NUMBER, volume_m3=NUMBER), {"volume_m3": []}),
        ("sides 13, 20 and 21", schema(a=NUMBER, b=NUMBER), {"a": [13, 20, 21], "b": [13, 20, 21]}),
        ("5 or 6", schema("amount", rate=NUMBER), {}),
        ("three times 5", schema(a=NUMBER), {}),
        ("5", schema(setting={**NUMBER, "default": 1}), {}),
    ],
)
def test_what_need_not_be_given_is_a_number_that_is_left(request_: str, taken: Any, wanted: Any) -> None:
    assert numbers_left(taken, request_) == wanted
