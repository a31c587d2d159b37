"""Gas laws, and changes of state of a gas."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_GAS = 8.31446261815324


class Gas(TypedDict):
    """A gas."""

    pressure_pa: float
    volume_m3: float
    amount_mol: float
    temperature_k: float
    molar_volume_l: Annotated[float, About("Molar volume in litres")]
    pressure_kpa: float
    pressure_atm: Annotated[float, About("Pressure in standard atmospheres of 101,325 Pa")]
    volume_l: float
    temperature_c: float


_ATMOSPHERE, _ZERO_CELSIUS = 101_325, 273.15
_IDEAL: tuple[Rule, ...] = (
    ("pressure", lambda amount, temperature, volume: amount * _GAS * temperature / volume),
    ("volume", lambda amount, temperature, pressure: amount * _GAS * temperature / pressure),
    ("amount", lambda pressure, volume, temperature: pressure * volume / (_GAS * temperature)),
    ("temperature", lambda pressure, volume, amount: pressure * volume / (amount * _GAS)),
)


@tool(
    tags="ideal gas law pressure volume temperature moles pv=nrt molar volume",
    use_when=(
        "What volume have 2 mol of gas at 101325 Pa and 298 K?",
        "Pressure in a 10 litre bottle with 5 mol at 293 K",
        "How many moles of air are in a 0.5 m3 tank at 2 bar?",
    ),
    examples=(
        Example(
            {"pressure_pa": 100000, "amount_mol": 1, "temperature_k": 273.15},
            {
                "volume_m3": 0.02271095464,
                "molar_volume_l": 22.71095464,
                "volume_l": 22.71095464,
                "pressure_kpa": 100.0,
                "pressure_pa": 100000.0,
                "amount_mol": 1.0,
                "temperature_k": 273.15,
                "pressure_atm": 0.9869232667160128,
                "temperature_c": 0.0,
            },
            source="CODATA: molar volume of an ideal gas at 273.15 K and 100 kPa",
            tolerance=1e-9,
        ),
        Refusal({"pressure_pa": 100000}, "Too few values"),
    ),
    reply=(
        "{amount_mol} mol of gas takes up {volume_l} litres at {pressure_pa} Pa and "
        "{temperature_k} K ({temperature_c} \u00b0C)."
    ),
)
def chem_solve_gas_law(
    pressure_pa: Annotated[float | None, About("Pressure, Pa", 101_325, minimum=1e-12, maximum=1e15)] = None,
    volume_m3: Annotated[float | None, About("Volume, m3", 0.01, minimum=1e-15, maximum=1e15)] = None,
    amount_mol: Annotated[float | None, About("Amount, mol", 2, minimum=1e-15, maximum=1e15)] = None,
    temperature_k: Annotated[float | None, About("Temperature, K", 298.15, minimum=1e-6, maximum=1e9)] = None,
) -> Gas:
    """Solve the ideal gas law p V = n R T from any three of its four quantities.

    Use it for gases at moderate pressure. A fourth value is checked against the others.
    """
    values = {"pressure": pressure_pa, "volume": volume_m3, "amount": amount_mol, "temperature": temperature_k}
    found = complete(values, _IDEAL)
    return {
        "pressure_pa": found["pressure"],
        "volume_m3": found["volume"],
        "amount_mol": found["amount"],
        "temperature_k": found["temperature"],
        "molar_volume_l": 1000 * found["volume"] / found["amount"],
        "pressure_kpa": found["pressure"] / 1000,
        "pressure_atm": found["pressure"] / _ATMOSPHERE,
        "volume_l": 1000 * found["volume"],
        "temperature_c": found["temperature"] - _ZERO_CELSIUS,
    }


_ZERO_C = 273.15
_MOST = 1e15
Given = float | None


class GasChange(TypedDict):
    """A gas before and after a change."""

    first_pressure: float | None
    first_volume: float | None
    first_celsius: float | None
    second_pressure: float | None
    second_volume: float | None
    second_celsius: float | None
    second_kelvin: float | None


Measure = Annotated[float | None, About("Same unit before and after", 2, minimum=1e-30, maximum=_MOST)]
Celsius = Annotated[float | None, About("Temperature in °C", 20, minimum=-273, maximum=1e9)]


@tool(
    tags="boyle charles gay-lussac combined gas law pressure volume temperature compress expand tyre balloon",
    use_when=(
        "Boyle's law: 4 L at 150 kPa are compressed to 1.5 L. New pressure?",
        "A tyre has 2.2 bar at 10 °C. What pressure at 45 °C?",
        "A balloon of 3 litres at 20 degrees is cooled to -40: its volume?",
    ),
    examples=(
        Example(
            {"first_pressure": 150, "first_volume": 4, "second_volume": 1.5},
            {"second_pressure": 400.0},
            source="150 * 4 / 1.5",
        ),
        Example(
            {"first_pressure": 3, "first_celsius": 0, "second_celsius": 273.15},
            {"second_pressure": 6.0},
            source="the absolute temperature doubles",
        ),
        Example(
            {"first_volume": 3, "first_celsius": 26.85, "second_volume": 2},
            {"second_celsius": -73.15, "second_kelvin": 200.0},
            source="300 K * 2 / 3",
        ),
        Refusal({"first_pressure": 3, "second_volume": 2}, "all but one"),
    ),
    reply={
        "second_celsius": (
            "The pressure is {second_pressure} and the volume {second_volume} at {second_celsius} \u00b0C."
        ),
        "second_volume": "The pressure is {second_pressure} and the volume {second_volume} after the change.",
        "second_pressure": "The pressure is {second_pressure} at {second_celsius} \u00b0C.",
        "second_volume, second_celsius": "The volume is {second_volume} at {second_celsius} \u00b0C.",
        "second_pressure, not second_volume": "The pressure is {second_pressure} after the change.",
        "second_volume, not second_pressure": "The volume is {second_volume} after the change.",
        "": "The temperature is {second_celsius} \u00b0C after the change.",
    },
)
def gas_compare_states(
    first_pressure: Measure = None,
    first_volume: Measure = None,
    first_celsius: Celsius = None,
    second_pressure: Measure = None,
    second_volume: Measure = None,
    second_celsius: Celsius = None,
) -> GasChange:
    """Solve the state of a gas after a change (p V / T is constant): Boyle, Charles, Gay-Lussac and the combined law.

    Use it for tyres, balloons and pumps. Omit constant quantities, and the one to compute. Pressures are absolute.
    """
    first = [first_pressure, first_volume, _inverse(first_celsius)]
    second = [second_pressure, second_volume, _inverse(second_celsius)]
    at = _unknown(first, second)
    before, after = (_product(values) for values in (first, second))
    if second[at] is None:
        second[at] = before / after
    else:
        first[at] = after / before
    return {
        "first_pressure": first[0] and tidy(first[0]),
        "first_volume": first[1] and tidy(first[1]),
        "first_celsius": _celsius(first[2]),
        "second_pressure": second[0] and tidy(second[0]),
        "second_volume": second[1] and tidy(second[1]),
        "second_celsius": _celsius(second[2]),
        "second_kelvin": second[2] and tidy(1 / second[2]),
    }


def _inverse(celsius: Given) -> Given:
    """Return 1 / absolute temperature, so that the product of pressure, volume and this value is constant."""
    return None if celsius is None else 1 / (celsius + _ZERO_C)


def _celsius(inverse: Given) -> Given:
    return inverse and tidy(1 / inverse - _ZERO_C)


def _unknown(first: list[Given], second: list[Given]) -> int:
    """Return the quantity with one value only; all others have two or none."""
    single = [place for place, pair in enumerate(zip(first, second, strict=True)) if pair.count(None) == 1]
    if len(single) != 1 or all(one is None for one in (*first[: single[0]], *first[single[0] + 1 :])):
        raise ToolError("Give all but one of the values of the changing quantities, before and after.")
    return single[0]


def _product(values: list[Given]) -> float:
    product = 1.0
    for value in values:
        product *= 1.0 if value is None else value
    return product
