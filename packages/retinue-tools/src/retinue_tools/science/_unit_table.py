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
temperature: K kelvin = 1; °C C celsius degc = 1 + 273.15; °F F fahrenheit degf = 5/9 + 45967/180; R rankine = 5/9
length: µm micrometer = 0.000001; nm nanometer = 0.000000001; dm decimeter = 0.1; pm picometre picometer = 1/10**12
length: NM = 1852; ft ' = 0.3048; in " = 0.0254; km klick = 1000; ly lightyear = 9460730472580800
length: furlong fur = 201.168; fathom = 1.8288; chain = 20.1168; rod perch = 5.0292; league = 4828.032; hand = 0.1016
length: thou mil = 0.0000254; Å angstrom ångström = 1/10**10; pc parsec = 30856775814913673; light_second = 299792458
length: kpc kiloparsec = 30856775814913673000; Mpc megaparsec = 30856775814913673000000; light_minute = 17987547480
mass: g gm gms = 0.001; kg kilogramme = 1; µg mcg = 0.000000001; ng nanogram = 1/10**12; quintal = 100
mass: ozt oz_t t_oz troy_ounce troy_oz = 0.0311034768; slug = 14.593902937206365; dram = 0.0017718451953125
mass: short_hundredweight us_hundredweight = 45.359237; long_hundredweight imperial_hundredweight = 50.80234544
time: ps picosecond = 1/10**12; ms msec = 0.001; wk = 604800; fortnight = 1209600; month mo = 2629800; yr = 31557600
time: decade = 315576000; century centuries = 3155760000; millennium millennia = 31557600000
area: are = 100; in2 square_inches = 0.00064516
volume: dl deciliter decilitre = 0.0001; cl centiliter = 0.00001; hl hectolitre hectoliter = 0.1; cc ccm = 0.000001
volume: µl ul microlitre microliter = 0.000000001; in3 cubic_inches = 0.000016387064; gill us_gill = 0.00011829411825
volume: us_gal = 0.003785411784; imp_gal imperial_gal uk_gal = 0.00454609; bushel us_bushel = 0.03523907016688
volume: us_floz us_fl_oz us_fluid_ounce = 0.0000295735295625; metric_cup = 0.00025; barrel = 0.158987294928
volume: uk_floz uk_fl_oz imperial_fl_oz imperial_floz imperial_fluid_ounce uk_fluid_ounce = 0.0000284130625
volume: us_quart = 0.000946352946; uk_quart imperial_quart = 0.0011365225; acre_foot acre_feet = 1233.48183754752
speed: km/h kmph = 1000/3600; ft/s = 0.3048
acceleration: m/s2 m/s^2 = 1; ft/s2 ft/s^2 = 0.3048; g0 gee g_force standard_gravity = 9.80665
pressure: GPa gigapascal = 10**9; mmHg mm_hg = 101325/760; inHg in_hg inch_of_mercury inches_of_mercury = 3386.389
pressure: cmH2O = 98.0665; ksi = 44482216152605000/6451600000; psi lb/in2 lbf/in2 = 44482216152605/6451600000
pressure: kgf/cm2 kg/cm2 = 98066.5
energy: MWh megawatt_hour = 3600000000; GWh gigawatt_hour = 3600000000000; therm = 105505585.262; erg = 0.0000001
energy: keV = 1602176634/10**25; MeV = 1602176634/10**22
force: dyn dyne = 0.00001; kip = 4448.2216152605
torque: N*m Nm N_m N·m newton_metre newton_meter = 1; kgf*m kgf_m kgm = 9.80665
torque: lbf*ft lbf_ft ft_lbf ft_lb lb_ft foot_pound pound_foot pound_feet = 1.3558179483314004
torque: lbf*in in_lbf in_lb lb_in inch_pound = 0.1129848290276167
data: PB petabyte = 8*10**15; PiB pebibyte = 8*1024**5; Tbit terabit = 10**12
data rate: bit/s bps = 1; kbit/s kbps kb/s = 1000; Mbit/s Mbps Mb/s = 10**6; Gbit/s Gbps Gb/s = 10**9
data rate: kB/s KB/s kBps = 8000; MB/s MBps = 8*10**6; GB/s GBps = 8*10**9
fuel economy: mpg us_mpg mpg_us = 1609.344/0.003785411784; imperial_mpg uk_mpg mpg_uk = 1609.344/0.00454609
angle: mrad milliradian = 0.057295779513082320876798
frequency: THz terahertz = 10**12; rad/s = 0.15915494309189533577
temperature: °C degree_centigrade centigrade = 1 + 273.15; R °R degr = 5/9
current: A amp ampere = 1; mA milliamp milliampere = 0.001; µA uA microamp = 0.000001; kA kiloampere = 1000
voltage: V volt = 1; mV millivolt = 0.001; kV kilovolt = 1000; µV uV microvolt = 0.000001
resistance: Ω ohm = 1; kΩ kohm kiloohm kilohm = 1000; MΩ Mohm megaohm megohm = 1000000; mΩ milliohm = 0.001
charge: coulomb = 1; Ah amp_hour ampere_hour = 3600; mAh milliamp_hour milliampere_hour = 3.6
capacitance: farad = 1; mF = 0.001; µF uF microfarad = 0.000001; nF nanofarad = 0.000000001; pF picofarad = 1/10**12
magnetic flux density: tesla = 1; mT millitesla = 0.001; µT uT microtesla = 0.000001; gauss = 0.0001
illuminance: lx lux = 1; foot_candle footcandle fc ftc = 1/0.09290304
activity: Bq becquerel = 1; kBq = 1000; MBq = 10**6; GBq = 10**9; Ci curie = 37*10**9; mCi = 37*10**6
length: Mm megametre megameter = 1000000
mass: Mg megagram = 1000
volume: ML megalitre megaliter = 1000
pressure: mPa millipascal = 0.001
energy: mJ millijoule = 0.001; kcal Cal = 4184
data: kbit Kb = 1000; Mbit Mb = 10**6; Gbit Gb = 10**9; Tbit Tb = 10**12
frequency: mHz millihertz = 0.001
voltage: MV megavolt = 1000000
equivalent dose: Sv sievert = 1; mSv millisievert = 0.001; µSv uSv = 0.000001; rem = 0.01; mrem millirem = 0.00001
"""

_SECOND_MEANINGS = """
volume: floz oz ounce = 0.0000295735295625
force: lbf lb lbs pound = 4.4482216152605
energy: N*m Nm N_m N·m newton_metre newton_meter = 1; lbf*ft ft_lb ft_lbf foot_pound = 1.3558179483314004
acceleration: g0 g = 9.80665
charge: C = 1
capacitance: F = 1
magnetic flux density: T = 1; G = 0.0001
"""


@dataclass(frozen=True, slots=True)
class Unit:
    """`value` of a unit is `value * factor + offset` in the base unit of its dimension, or `factor / value` for an
    inverse unit, such as l/100km versus km/l.
    """

    symbol: str
    dimension: str
    factor: Fraction
    offset: Fraction = Fraction(0)
    inverse: bool = False


def _factor(text: str) -> Fraction:
    """Parse a number, a product with powers of whole numbers, or their quotient: 0.3048, 8*10**6, 1000/3600."""
    top, _, bottom = text.strip().partition("/")
    return _product(top) / (_product(bottom) if bottom else 1)


def _product(text: str) -> Fraction:
    product = Fraction(1)
    for part in text.replace("**", "^").split("*"):
        base, _, exponent = part.partition("^")
        product *= Fraction(base) ** int(exponent or 1)
    return product


def _parse(table: str) -> Mapping[str, Unit]:
    units: dict[str, Unit] = {}
    for line in table.strip().splitlines():
        dimension, _, definitions = line.partition(":")
        for definition in definitions.split(";"):
            names, _, value = definition.partition("=")
            factor, _, offset = value.partition("+")
            symbol = names.split()[0]
            unit = Unit(symbol, dimension, _factor(factor), Fraction(offset.strip() or 0))
            units |= dict.fromkeys(names.split(), unit)
    return units


UNITS: Mapping[str, Unit] = _parse(_TABLE)
"""Units by symbol and by name; words of a name are joined with underscores."""

SECOND_MEANINGS: Mapping[str, Unit] = _parse(_SECOND_MEANINGS)
"""Second meaning of a name, for conversions in which the first one has the wrong dimension."""
