"""Units of measure, as requests write them and as names of arguments end: what kind each is of, and how large."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: what it measures, its size in the base unit of that, and where its zero lies there."""

    kind: str
    size: float
    zero: float = 0.0

    def differs_from(self, other: "Unit") -> bool:
        """Whether numbers of the two mean different quantities."""
        return (self.size, self.zero) != (other.size, other.zero)

    def measured_in(self, number: float, other: "Unit") -> float:
        """A number of this unit in another one of its kind."""
        return (number * self.size + self.zero - other.zero) / other.size


_SIZES: Mapping[str, Mapping[str, float]] = {
    "duration": {
        "ms millisecond": 0.001,
        "s sec second": 1,
        "min minute": 60,
        "h hr hour": 3600,
        "day": 86_400,
        "week": 604_800,
    },
    "calendar": {"month": 1, "quarter": 3, "yr year": 12},
    "length": {
        "mm millimetre millimeter": 0.001,
        "cm centimetre centimeter": 0.01,
        "m metre meter": 1,
        "km kilometre kilometer": 1000,
        "inch": 0.0254,
        "ft foot feet": 0.3048,
        "yd yard": 0.9144,
        "mi mile": 1609.344,
    },
    "mass": {
        "mg milligram": 1e-6,
        "g gram": 0.001,
        "kg kilogram kilo": 1,
        "tonne": 1000,
        "lb pound": 0.45359237,
        "oz ounce": 0.028349523125,
    },
    "speed": {"m/s": 1, "km/h kmh kph": 1 / 3.6, "mph": 0.44704, "knot": 1852 / 3600},
    "acceleration": {"m/s2 m/s² m/s^2": 1},
    "area": {"mm2 mm²": 1e-6, "cm2 cm² cm^2": 1e-4, "m2 m² m^2 sqm": 1, "km2 km²": 1e6, "hectare ha": 1e4},
    "volume": {"ml millilitre milliliter cm3 cm³ cm^3": 0.001, "l litre liter dm3 dm³": 1, "m3 m³ m^3": 1000},
    "density": {"kg/m3 kg/m³ kg/m^3": 1, "g/cm3 g/cm³ g/cm^3 g/ml kg/l": 1000},
    "energy": {"j joule": 1, "kj kilojoule": 1000, "mj megajoule": 1e6, "kwh": 3.6e6, "kcal": 4184},
    "substance": {"umol \u00b5mol \u03bcmol": 1e-6, "mmol": 0.001, "mol mole": 1},
    "temperature": {"k kelvin": 1, "°c c celsius": 1, "°f f fahrenheit": 5 / 9},
    "share": {"% percent": 1},
    "angle": {"° deg degree": 1},
    "voltage": {"mv": 0.001, "v volt": 1, "kv": 1000},
    "current": {"ma milliamp": 0.001, "a amp ampere": 1},
    "resistance": {"ohm ω": 1, "kohm kω kilohm": 1000},
    "power": {"w watt": 1, "kw kilowatt": 1000},
    "frequency": {"hz hertz": 1, "khz kilohertz": 1000, "mhz megahertz": 1e6, "ghz": 1e9},
    "force": {"n newton": 1, "kn": 1000},
    "pressure": {"pa pascal": 1, "hpa mbar": 100, "kpa": 1000, "bar": 1e5, "mpa": 1e6, "atm": 101_325, "psi": 6894.757},
    "capacitance": {"pf": 1e-12, "nf": 1e-9, "uf \u00b5f \u03bcf microfarad": 1e-6},
}
"""Of each kind the units, each by its spellings; the volume of a litre and the duration of a second are 1."""

_ZEROS = dict.fromkeys(("°c", "c", "celsius"), 273.15) | dict.fromkeys(("°f", "f", "fahrenheit"), 459.67 * 5 / 9)
"""Where the zero of a scale lies in kelvin."""

UNITS: Mapping[str, Unit] = {
    spelling: Unit(kind, size, _ZEROS.get(spelling, 0.0))
    for kind, sizes in _SIZES.items()
    for spellings, size in sizes.items()
    for spelling in spellings.split()
}

_WRITTEN = {"m_s": "m/s", "m_s2": "m/s2", "km_h": "km/h", "kg_m3": "kg/m3", "inches": "inch"}
"""How names of arguments write a unit that is not spelled so."""

_OTHERWISE = frozenset({"angle", "successes", "trials", "inductance"})
"""Behind these words a letter tells which one, or is another unit."""

_WORDS = 4
"""Characters from which a spelling is a word, that may end with an s."""


def unit_of(spelling: str) -> Unit | None:
    """The unit that is spelled like that, in whatever case."""
    folded = spelling.lower()
    singular = folded.removesuffix("s") if len(folded) > _WORDS else folded
    return UNITS.get(folded) or UNITS.get(singular) or (UNITS["yr"] if folded == "yrs" else None)


def unit_of_name(name: str) -> tuple[Unit | None, Sequence[str]]:
    """The unit that an argument's name ends with, and the words before it."""
    words = name.split("_")
    for count, ending in _endings(words):
        if unit := unit_of(_WRITTEN.get(ending, ending)):
            return unit, words[:-count]
    return None, words


def _endings(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    yield 2, "_".join(words[-2:]) if len(words) > 1 else ""
    before = words[-2] if len(words) > 1 else ""
    # Behind "per" or another unit it is a part of one; one letter alone is that of a formula.
    part = before == "per" or (before != "second" and unit_of(before) is not None)
    formula = len(words[-1]) == 1 and before in {"", *_OTHERWISE}
    if not part and not formula:
        yield 1, words[-1]
