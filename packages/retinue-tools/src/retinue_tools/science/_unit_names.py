"""Resolution of unit names: symbols and English names in any case and number, powers of lengths, quotients of units."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from retinue_tools.science._unit_table import SECOND_MEANINGS, UNITS, Unit

_CASED: Mapping[str, str] = {name.lower(): name for name in reversed(list(UNITS) + list(SECOND_MEANINGS))}
"""Correct spelling of each lower-case name."""
LOWER: Mapping[str, Unit] = {name.lower(): unit for name, unit in reversed(list(UNITS.items()))}
_LOWER_SECOND: Mapping[str, Unit] = {name.lower(): unit for name, unit in reversed(list(SECOND_MEANINGS.items()))}

_SQUARE = re.compile(r"(?:square|sq)_?(?P<before>[^2-3]+)|(?P<behind>[^2-3]+?)(?:\^2|2|_squared)", re.IGNORECASE)
_CUBE = re.compile(r"(?:cubic|cu)_?(?P<before>[^2-3]+)|(?P<behind>[^2-3]+?)(?:\^3|3|_cubed)", re.IGNORECASE)
_QUOTIENT = re.compile(r"(.+)(?:/|_per_|_an?_(?=hour|second|minute|day))_?([1-9][0-9]*)?_?([^0-9].*)")

_QUOTIENTS: Mapping[tuple[str, str], str] = {
    ("length", "time"): "speed",
    ("speed", "time"): "acceleration",
    ("volume", "time"): "flow",
    ("data", "time"): "data rate",
    ("mass", "time"): "mass flow",
    ("energy", "time"): "power",
    ("mass", "volume"): "density",
    ("force", "area"): "pressure",
    ("power", "area"): "irradiance",
    ("energy", "mass"): "specific energy",
    ("length", "volume"): "fuel economy",
}
"""Dimension of the quotient of two dimensions. Its base unit is the quotient of their base units."""


def meanings(name: str) -> list[Unit]:
    """Return all units that a name can refer to, most likely first."""
    words = "_".join(name.split()).replace("²", "2").replace("³", "3").replace("μ", "µ")
    plain = re.sub(r"_{2,}", "_", words.replace(".", "").replace("-", "_")).strip("_")
    spellings = tuple(dict.fromkeys(spelling for text in (words, plain) for spelling in _spellings(text)))
    first = _find_known(UNITS, LOWER, spellings) or _compose(plain)
    found = (first, _find_known(SECOND_MEANINGS, _LOWER_SECOND, spellings))
    return [unit for unit in found if unit is not None]


def _spellings(text: str) -> Iterator[str]:
    """Yield a name unchanged, in lower case, without "degrees", and in the singular."""
    lower = text.lower()
    bare = lower.removeprefix("degrees_").removeprefix("degree_").removeprefix("deg_")
    yield from (text, lower, bare, re.sub(r"(?<!^u)s(?=[_/]|$)", "", bare))


def _find_known(exact: Mapping[str, Unit], lower: Mapping[str, Unit], spellings: tuple[str, ...]) -> Unit | None:
    """Find a unit in a table: by its symbol, or else by a lower-case spelling."""
    if spellings[0] in exact:
        return exact[spellings[0]]
    if _is_other_symbol(spellings[0]):
        return None
    return next((lower[spelling] for spelling in spellings if spelling == spelling.lower() and spelling in lower), None)


def _is_other_symbol(symbol: str) -> bool:
    """Return whether a match in any case would confuse milli with mega, or bits with bytes: MS is not ms.

    Names without capitals are matched: mhz is MHz.
    """
    name = _CASED.get(symbol.lower(), symbol)
    if symbol == symbol.lower() or name == symbol:
        return False
    whole, rest = UNITS.get(name), UNITS.get(name[1:])
    if whole is None:
        return False
    prefixed = rest is not None and rest.dimension == whole.dimension and symbol[0] != name[0] and name[0] in "mM"
    return prefixed or (whole.dimension == "data" and symbol[-1] != name[-1] and name[-1] in "bB")


def _compose(name: str) -> Unit | None:
    """Parse a power of a length, or a quotient, such as sq mi, mm2, km per hour, MB/min, l/100km or min/mile."""
    for pattern, power, dimension in ((_SQUARE, 2, "area"), (_CUBE, 3, "volume")):
        if found := pattern.fullmatch(name):
            length = _one(found["before"] or found["behind"])
            if length is not None and length.dimension == "length":
                return Unit(f"{length.symbol}{power}", dimension, length.factor**power)
    if found := _QUOTIENT.fullmatch(name):
        top, bottom = _one(found[1]), _one(found[3])
        if top is not None and bottom is not None:
            return _quotient(top, bottom, Fraction(found[2] or 1))
    return None


def _one(name: str) -> Unit | None:
    return next(iter(meanings(name)), None)


def _quotient(top: Unit, bottom: Unit, count: Fraction) -> Unit | None:
    """Return the quotient of a unit per `count` of another; inverse if only the reciprocal has a name."""
    symbol = f"{top.symbol}/{'' if count == 1 else count}{bottom.symbol}"
    if name := _QUOTIENTS.get((top.dimension, bottom.dimension)):
        return Unit(symbol, name, top.factor / (count * bottom.factor))
    if name := _QUOTIENTS.get((bottom.dimension, top.dimension)):
        return Unit(symbol, name, count * bottom.factor / top.factor, inverse=True)
    return None
