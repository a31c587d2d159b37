"""Units of measure. Factors are exact or as in NIST Special Publication 811, appendix B."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

_TABLE = """
length: m metre meter = 1; km kilometre kilometer = 1000; dm decimetre = 0.1; cm centimetre centimeter = 0.01
length: mm millimetre millimeter = 0.001; um µm micrometre micron = 0.000001; nm nanometre = 0.000000001
length: in inch inches = 0.0254; ft foot feet = 0.3048; yd yard = 0.9144; mi mile = 1609.344; nmi nautical_mile = 1852
length: au astronomical_unit = 149597870700; ly light_year = 9460730472580800
mass: kg kilogram kilo = 1; g gram gramme = 0.001; mg milligram = 0.000001; ug µg microgram = 0.000000001
mass: t tonne metric_ton = 1000; lb lbs pound = 0.45359237; oz ounce = 0.028349523125; st stone = 6.35029318
mass: ton short_ton us_ton = 907.18474; long_ton imperial_ton = 1016.0469088; ct carat = 0.0002
mass: gr grain = 0.00006479891
time: s sec second = 1; ms millisecond = 0.001; us µs microsecond = 0.000001; ns nanosecond = 0.000000001
time: min minute = 60; h hr hour = 3600; d day = 86400; week = 604800; julian_year year = 31557600
area: m2 square_metre square_meter = 1; km2 square_kilometre = 1000000; cm2 square_centimetre = 0.0001
area: ha hectare = 10000
area: acre = 4046.8564224; ft2 sqft square_foot square_feet = 0.09290304; in2 square_inch = 0.00064516
area: mi2 square_mile = 2589988.110336; yd2 square_yard = 0.83612736
volume: m3 cubic_metre cubic_meter = 1; l L litre liter = 0.001; ml mL millilitre milliliter = 0.000001
volume: cl centilitre = 0.00001
volume: gal gallon us_gallon = 0.003785411784; imperial_gallon uk_gallon = 0.00454609; qt quart = 0.000946352946
volume: pt pint us_pint = 0.000473176473; imperial_pint uk_pint = 0.00056826125; cup us_cup = 0.0002365882365
volume: floz fl_oz fluid_ounce = 0.0000295735295625; tbsp tablespoon = 0.00001478676478125
volume: tsp teaspoon = 0.00000492892159375
volume: ft3 cubic_foot cubic_feet = 0.028316846592; in3 cubic_inch = 0.000016387064; bbl oil_barrel = 0.158987294928
speed: m/s mps metre_per_second = 1; km/h kmh kph kilometre_per_hour = 1000/3600; mph mile_per_hour = 0.44704
speed: kn kt knot = 1852/3600; ft/s fps foot_per_second = 0.3048
pressure: Pa pascal = 1; hPa hectopascal = 100; kPa kilopascal = 1000; MPa megapascal = 1000000; bar = 100000
pressure: mbar millibar = 100
pressure: atm atmosphere = 101325; psi = 44482216152605/6451600000; mmHg torr = 101325/760
energy: J joule = 1; kJ kilojoule = 1000; MJ megajoule = 1000000; cal calorie = 4.184; kcal kilocalorie = 4184
energy: Wh watt_hour = 3600; kWh kilowatt_hour = 3600000; BTU btu = 1055.05585262
energy: eV electronvolt = 0.0000000000000000001602176634
power: W watt = 1; mW milliwatt = 0.001; kW kilowatt = 1000; MW megawatt = 1000000; GW gigawatt = 1000000000
power: hp horsepower = 745.69987158227022; PS metric_horsepower = 735.49875
force: N newton = 1; kN kilonewton = 1000; lbf pound_force = 4.4482216152605; kgf kilogram_force = 9.80665
data: bit = 1; B byte = 8; kB kilobyte = 8000; MB megabyte = 8000000; GB gigabyte = 8000000000
data: TB terabyte = 8000000000000
data: KiB kibibyte = 8192; MiB mebibyte = 8388608; GiB gibibyte = 8589934592; TiB tebibyte = 8796093022208
data: kbit kilobit = 1000; Mbit megabit = 1000000; Gbit gigabit = 1000000000
angle: deg degree ° = 1; rad radian = 57.295779513082320876798; grad gon gradian = 0.9; arcmin arcminute = 1/60
angle: arcsec arcsecond = 1/3600; turn revolution = 360
frequency: Hz hertz = 1; kHz kilohertz = 1000; MHz megahertz = 1000000; GHz gigahertz = 1000000000; rpm = 1/60
temperature: K kelvin = 1; C °C celsius degc = 1 + 273.15; F °F fahrenheit degf = 5/9 + 45967/180; R rankine = 5/9
"""


@dataclass(frozen=True, slots=True)
class Unit:
    """`value` of a unit is `value * factor + offset` in the base unit of its dimension."""

    symbol: str
    dimension: str
    factor: Fraction
    offset: Fraction


def _parse(table: str) -> Mapping[str, Unit]:
    units: dict[str, Unit] = {}
    for line in table.strip().splitlines():
        dimension, _, definitions = line.partition(":")
        for definition in definitions.split(";"):
            names, _, value = definition.partition("=")
            factor, _, offset = value.partition("+")
            symbol = names.split()[0]
            unit = Unit(symbol, dimension, Fraction(factor.strip()), Fraction(offset.strip() or 0))
            units |= dict.fromkeys(names.split(), unit)
    return units


UNITS: Mapping[str, Unit] = _parse(_TABLE)
"""By symbol and by name; words of a name are joined by underscores."""
