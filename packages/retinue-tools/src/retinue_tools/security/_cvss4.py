"""CVSS 4.0: scores by macro vectors and interpolation (FIRST, CVSS v4.0 specification, section 8).

The tables are those of FIRST's calculator: Copyright (c) 2023 FIRST.ORG, Inc., Red Hat, and contributors, under the
2-clause BSD licence.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from retinue.sdk import ToolError

BASE = {
    "AV": "NALP", "AC": "LH", "AT": "NP", "PR": "NLH", "UI": "NPA",
    "VC": "HLN", "VI": "HLN", "VA": "HLN", "SC": "HLN", "SI": "HLN", "SA": "HLN",
}  # fmt: skip
"""The mandatory metrics, each with its values from the most to the least severe."""

_ENVIRONMENT = {
    "CR": "HML", "IR": "HML", "AR": "HML", **{f"M{name}": values for name, values in BASE.items()},
    "MSI": "SHLN", "MSA": "SHLN",
}  # fmt: skip
_SUPPLEMENTAL = {
    "S": ("N", "P"), "AU": ("N", "Y"), "R": ("A", "U", "I"), "V": ("D", "C"), "RE": ("L", "M", "H"),
    "U": ("CLEAR", "GREEN", "AMBER", "RED"),
}  # fmt: skip
_KNOWN: dict[str, tuple[str, ...]] = {
    **{name: tuple(values) for name, values in BASE.items()},
    **{name: (*values, "X") for name, values in {"E": "APU", **_ENVIRONMENT}.items()},
    **{name: (*values, "X") for name, values in _SUPPLEMENTAL.items()},
}

_LEVELS = {**BASE, "SC": "SHLN", "SI": "SHLN", "SA": "SHLN", "CR": "HML", "IR": "HML", "AR": "HML"}
"""Values in the order of severity. Safety counts as the most severe impact on a subsequent system."""

_GROUPS = (("AV", "PR", "UI"), ("AC", "AT"), ("VC", "VI", "VA", "CR", "IR", "AR"), ("SC", "SI", "SA"))
"""The metrics of equivalence sets 1, 2, 3 with 6, and 4."""

_HIGHEST: tuple[Mapping[str, tuple[str, ...]], ...] = (
    {"0": ("NNN",), "1": ("ANN", "NLN", "NNP"), "2": ("PNN", "ALP")},
    {"0": ("LN",), "1": ("HN", "LP")},
    {
        "00": ("HHHHHH",),
        "01": ("HHLMMH", "HHHMMM"),
        "10": ("LHHHHH", "HLHHHH"),
        "11": ("LHLHMH", "LHHHMM", "HLHMHM", "HLLMHH", "LLHHHM"),
        "21": ("LLLHHH",),
    },
    {"0": ("HSS",), "1": ("HHH",), "2": ("LLL",)},
)
"""The most severe vectors of each level of those groups."""

_DEPTHS: tuple[Mapping[str, int], ...] = (
    {"0": 1, "1": 4, "2": 5},
    {"0": 1, "1": 2},
    {"00": 7, "01": 6, "10": 8, "11": 8, "21": 10},
    {"0": 6, "1": 5, "2": 4},
)

_TABLE = """
000000:10 000001:9.9 000010:9.8 000011:9.5 000020:9.5 000021:9.2 000100:10 000101:9.6 000110:9.3 000111:8.7
000120:9.1 000121:8.1 000200:9.3 000201:9 000210:8.9 000211:8 000220:8.1 000221:6.8 001000:9.8 001001:9.5
001010:9.5 001011:9.2 001020:9 001021:8.4 001100:9.3 001101:9.2 001110:8.9 001111:8.1 001120:8.1 001121:6.5
001200:8.8 001201:8 001210:7.8 001211:7 001220:6.9 001221:4.8 002001:9.2 002011:8.2 002021:7.2 002101:7.9
002111:6.9 002121:5 002201:6.9 002211:5.5 002221:2.7 010000:9.9 010001:9.7 010010:9.5 010011:9.2 010020:9.2
010021:8.5 010100:9.5 010101:9.1 010110:9 010111:8.3 010120:8.4 010121:7.1 010200:9.2 010201:8.1 010210:8.2
010211:7.1 010220:7.2 010221:5.3 011000:9.5 011001:9.3 011010:9.2 011011:8.5 011020:8.5 011021:7.3 011100:9.2
011101:8.2 011110:8 011111:7.2 011120:7 011121:5.9 011200:8.4 011201:7 011210:7.1 011211:5.2 011220:5
011221:3 012001:8.6 012011:7.5 012021:5.2 012101:7.1 012111:5.2 012121:2.9 012201:6.3 012211:2.9 012221:1.7
100000:9.8 100001:9.5 100010:9.4 100011:8.7 100020:9.1 100021:8.1 100100:9.4 100101:8.9 100110:8.6 100111:7.4
100120:7.7 100121:6.4 100200:8.7 100201:7.5 100210:7.4 100211:6.3 100220:6.3 100221:4.9 101000:9.4 101001:8.9
101010:8.8 101011:7.7 101020:7.6 101021:6.7 101100:8.6 101101:7.6 101110:7.4 101111:5.8 101120:5.9 101121:5
101200:7.2 101201:5.7 101210:5.7 101211:5.2 101220:5.2 101221:2.5 102001:8.3 102011:7 102021:5.4 102101:6.5
102111:5.8 102121:2.6 102201:5.3 102211:2.1 102221:1.3 110000:9.5 110001:9 110010:8.8 110011:7.6 110020:7.6
110021:7 110100:9 110101:7.7 110110:7.5 110111:6.2 110120:6.1 110121:5.3 110200:7.7 110201:6.6 110210:6.8
110211:5.9 110220:5.2 110221:3 111000:8.9 111001:7.8 111010:7.6 111011:6.7 111020:6.2 111021:5.8 111100:7.4
111101:5.9 111110:5.7 111111:5.7 111120:4.7 111121:2.3 111200:6.1 111201:5.2 111210:5.7 111211:2.9 111220:2.4
111221:1.6 112001:7.1 112011:5.9 112021:3 112101:5.8 112111:2.6 112121:1.5 112201:2.3 112211:1.3 112221:0.6
200000:9.3 200001:8.7 200010:8.6 200011:7.2 200020:7.5 200021:5.8 200100:8.6 200101:7.4 200110:7.4 200111:6.1
200120:5.6 200121:3.4 200200:7 200201:5.4 200210:5.2 200211:4 200220:4 200221:2.2 201000:8.5 201001:7.5
201010:7.4 201011:5.5 201020:6.2 201021:5.1 201100:7.2 201101:5.7 201110:5.5 201111:4.1 201120:4.6 201121:1.9
201200:5.3 201201:3.6 201210:3.4 201211:1.9 201220:1.9 201221:0.8 202001:6.4 202011:5.1 202021:2 202101:4.7
202111:2.1 202121:1.1 202201:2.4 202211:0.9 202221:0.4 210000:8.8 210001:7.5 210010:7.3 210011:5.3 210020:6
210021:5 210100:7.3 210101:5.5 210110:5.9 210111:4 210120:4.1 210121:2 210200:5.4 210201:4.3 210210:4.5
210211:2.2 210220:2 210221:1.1 211000:7.5 211001:5.5 211010:5.8 211011:4.5 211020:4 211021:2.1 211100:6.1
211101:5.1 211110:4.8 211111:1.8 211120:2 211121:0.9 211200:4.6 211201:1.8 211210:1.7 211211:0.7 211220:0.8
211221:0.2 212001:5.3 212011:2.4 212021:1.4 212101:2.4 212111:1.2 212121:0.5 212201:1 212211:0.3 212221:0.1
"""
"""The score of each macro vector."""

_SCORES = {key: Fraction(value) for key, _, value in (pair.partition(":") for pair in _TABLE.split())}


def check(metrics: Mapping[str, str]) -> None:
    """Raise `ToolError` unless the metrics are those of a vector."""
    if missing := [name for name in BASE if name not in metrics]:
        raise ToolError(f"The vector lacks {', '.join(missing)}.")
    for name, value in metrics.items():
        if value not in _KNOWN.get(name, ()):
            raise ToolError(f"CVSS 4.0 has no metric {name[:20]}:{value[:20]}. Check the vector.")


def nomenclature(metrics: Mapping[str, str]) -> str:
    """Which metrics a score includes: CVSS-B, CVSS-BT, CVSS-BE or CVSS-BTE (section 1.3)."""
    defined = {name for name, value in metrics.items() if value != "X"}
    return f"CVSS-B{'T' if 'E' in defined else ''}{'E' if defined & _ENVIRONMENT.keys() else ''}"


def score(metrics: Mapping[str, str]) -> float:
    """The score of checked metrics, with the threat and environmental ones that are given."""
    used = _effective(metrics)
    if all(used[name] == "N" for name in ("VC", "VI", "VA", "SC", "SI", "SA")):
        return 0.0
    key = _macro_vector(used)
    highest = _SCORES[key]
    lost = []
    for number, distance in enumerate(_distances(used, key)):
        if (lower := _next_lower(key, number)) is not None:
            lost.append((highest - lower) * Fraction(distance, _DEPTHS[number][_level(key, number)]))
    if _SCORES.get(_raise_levels(key, 4)) is not None:
        lost.append(Fraction(0))
    value = highest - (sum(lost) / len(lost) if lost else 0)
    return int(max(value, Fraction(0)) * 10 + Fraction(1, 2)) / 10


def _effective(metrics: Mapping[str, str]) -> dict[str, str]:
    """The values that count: modified ones replace base ones, and the worst case what is not defined."""
    defined = {name: value for name, value in metrics.items() if value != "X"}
    base = {name: defined.get(f"M{name}", defined[name]) for name in BASE}
    return {**base, **{name: defined.get(name, "H") for name in ("CR", "IR", "AR")}, "E": defined.get("E", "A")}


def _macro_vector(used: Mapping[str, str]) -> str:
    """The levels of the six equivalence sets."""
    easy = [used["AV"] == "N", used["PR"] == "N", used["UI"] == "N"]
    first = 0 if all(easy) else 1 if any(easy) and used["AV"] != "P" else 2
    second = 0 if used["AC"] == "L" and used["AT"] == "N" else 1
    high = [used[name] == "H" for name in ("VC", "VI", "VA")]
    third = 0 if high[0] and high[1] else 1 if any(high) else 2
    later = [used[name] for name in ("SC", "SI", "SA")]
    fourth = 0 if "S" in later else 1 if "H" in later else 2
    required = [used[name] == "H" for name in ("CR", "IR", "AR")]
    sixth = 0 if any(one and other for one, other in zip(high, required, strict=True)) else 1
    return f"{first}{second}{third}{fourth}{'APU'.index(used['E'])}{sixth}"


def _level(key: str, number: int) -> str:
    return key[2] + key[5] if number == 2 else key[number]


def _raise_levels(key: str, *places: int) -> str:
    return "".join(str(int(level) + 1) if place in places else level for place, level in enumerate(key))


def _next_lower(key: str, number: int) -> Fraction | None:
    """The score of the next lower macro vector in a group, if there is one."""
    if number != 2:
        return _SCORES.get(_raise_levels(key, number))
    match _level(key, number):
        case "00":
            return max(_SCORES[_raise_levels(key, 5)], _SCORES[_raise_levels(key, 2)])
        case "01" | "11":
            return _SCORES.get(_raise_levels(key, 2))
        case "10":
            return _SCORES.get(_raise_levels(key, 5))
    return None


def _distances(used: Mapping[str, str], key: str) -> list[int]:
    """The steps of severity from the first highest vector that is at least as severe, in each group."""
    choices = [_HIGHEST[number][_level(key, number)] for number in range(len(_GROUPS))]
    for chosen in product(*choices):
        steps = [
            [
                _LEVELS[name].index(used[name]) - _LEVELS[name].index(value)
                for name, value in zip(names, highest, strict=True)
            ]
            for names, highest in zip(_GROUPS, chosen, strict=True)
        ]
        if all(step >= 0 for group in steps for step in group):
            return [sum(group) for group in steps]
    raise AssertionError(key)
