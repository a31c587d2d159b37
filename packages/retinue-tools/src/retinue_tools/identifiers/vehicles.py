"""Vehicle identification numbers (ISO 3779, ISO 3780)."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_VALUES = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", map(int, "12345678123457923456789" + "0123456789"), strict=True)
)
_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_YEARS = "ABCDEFGHJKLMNPRSTVWXY123456789"
_REGIONS = {
    "A-H": "Africa",
    "J-R": "Asia",
    "S-Z": "Europe",
    "1-5": "North America",
    "6-7": "Oceania",
    "8-9": "South America",
}
_COUNTRIES = (
    ("AA", "AH", "South Africa"),
    ("JA", "J0", "Japan"),
    ("KL", "KR", "South Korea"),
    ("LA", "L0", "China"),
    ("MA", "ME", "India"),
    ("NL", "NR", "Turkey"),
    ("SA", "SM", "United Kingdom"),
    ("SN", "ST", "Germany"),
    ("SU", "SZ", "Poland"),
    ("TA", "TH", "Switzerland"),
    ("TJ", "TP", "Czechia"),
    ("TR", "TV", "Hungary"),
    ("VA", "VE", "Austria"),
    ("VF", "VR", "France"),
    ("VS", "VW", "Spain"),
    ("WA", "W0", "Germany"),
    ("XL", "XR", "Netherlands"),
    ("YA", "YE", "Belgium"),
    ("YF", "YK", "Finland"),
    ("YS", "YW", "Sweden"),
    ("ZA", "ZR", "Italy"),
    ("1A", "10", "United States"),
    ("2A", "20", "Canada"),
    ("3A", "37", "Mexico"),
    ("4A", "40", "United States"),
    ("5A", "50", "United States"),
    ("6A", "6W", "Australia"),
    ("8A", "8E", "Argentina"),
    ("9A", "9E", "Brazil"),
    ("93", "99", "Brazil"),
)
_MAKERS = {
    code: maker
    for maker, codes in {
        "Ford": "1FA 1FM 1FT WF0",
        "Chevrolet": "1G1 1GC",
        "GMC": "1GT",
        "Honda": "1HG 2HG JHM",
        "Jeep": "1J4",
        "Motor Coach Industries": "1M8",
        "Nissan": "1N4 JN1",
        "Toyota": "2T1 4T1 JTD",
        "Volkswagen": "3VW WVW WV1 WV2",
        "Tesla": "5YJ 7SA LRW XP7",
        "Mazda": "JM1",
        "Hyundai": "KMH",
        "Kia": "KNA",
        "Mahindra": "MA1",
        "Jaguar": "SAJ",
        "Land Rover": "SAL",
        "Aston Martin": "SCF",
        "Skoda": "TMB",
        "Renault": "VF1",
        "Peugeot": "VF3",
        "Citroën": "VF7",
        "Seat": "VSS",
        "Opel": "W0L",
        "Audi": "WAU",
        "BMW": "WBA",
        "BMW M": "WBS",
        "Mercedes-Benz": "WDB WDD W1K",
        "Mini": "WMW",
        "Porsche": "WP0",
        "Volvo": "YV1",
        "Alfa Romeo": "ZAR",
        "Fiat": "ZFA",
        "Ferrari": "ZFF",
    }.items()
    for code in codes.split()
}


class Vin(TypedDict):
    """A vehicle identification number."""

    vin: Annotated[str, About("Number in capitals, with its check digit if that was left blank")]
    maker_code: Annotated[str, About("World manufacturer identifier: the first three characters")]
    maker: Annotated[str | None, About("Brand, for about 50 common codes")]
    region: Annotated[str, About("World region of the maker")]
    country: Annotated[str | None, About("Country of the maker, if the range is known")]
    attributes: Annotated[str, About("Characters 4 to 8, which the maker uses for model and engine")]
    model_years: Annotated[list[int], About("Possible years of character 10; outside North America often none")]
    plant: Annotated[str, About("Character 11: plant, in the maker's code")]
    serial: Annotated[str, About("Last six characters")]
    check_digit_valid: Annotated[
        bool, About("Whether character 9 is the right check digit; only required in North America and China")
    ]
    check_digit: Annotated[str, About("Expected character 9")]


@tool(
    tags="vin vehicle identification number decode car maker year check digit chassis",
    use_when=(
        "Decode the VIN 1M8GDM9AXKP042788",
        "Which year and maker has this chassis number?",
        "Is the check digit of the VIN right?",
    ),
    examples=(
        Example(
            {"vin": "1M8GDM9AXKP042788"},
            {
                "check_digit_valid": True,
                "check_digit": "X",
                "country": "United States",
                "region": "North America",
                "model_years": [1989, 2019],
                "serial": "042788",
            },
            source="Wikipedia, Vehicle identification number: the worked example of the check digit",
        ),
        Example(
            {"vin": "wvwzzz1jz3w386752"},
            {"maker": "Volkswagen", "country": "Germany", "maker_code": "WVW", "check_digit_valid": False},
            source="ISO 3780: WVW is Volkswagen; European numbers have Z in place of the check digit",
        ),
        Example(
            {"vin": "1M8GDM9A_KP042788"},
            {"vin": "1M8GDM9AXKP042788", "check_digit": "X", "check_digit_valid": True, "model_years": [1989, 2019]},
            source="Wikipedia, Vehicle identification number: the worked example, with its check digit left blank",
        ),
        Refusal({"vin": "1M8GDM9AIKP042788"}, "I, O and Q"),
        Refusal({"vin": "1M8GDM9AXKP04278?"}, "Only the ninth"),
    ),
    reply={
        "maker, country, model_years.1": (
            "The maker is {maker} ({country}), and the model year {model_years.0} or {model_years.1}."
        ),
        "maker, country, model_years": "The maker is {maker} ({country}), and the model year {model_years.0}.",
        "maker, country": "The maker is {maker} ({country}).",
        "country, model_years.1": "The maker is in {country}, and the model year {model_years.0} or {model_years.1}.",
        "country, model_years": "The maker is in {country}, and the model year {model_years.0}.",
        "country": "The maker is in {country}.",
        "": "The vehicle comes from {region}, from the maker {maker_code}.",
    },
)
def vin_decode_number(
    vin: Annotated[
        str,
        About(
            "Vehicle identification number; the ninth character may be blank: _, ? or *",
            "1M8GDM9AXKP042788",
            min_length=17,
            max_length=30,
        ),
    ],
) -> Vin:
    """Decode a vehicle identification number: maker, country, model year, plant, serial number and check digit.

    Use it for papers of cars and lorries. Model and engine are encoded by each maker.
    """
    plain = vin.replace(" ", "").replace("-", "").upper()
    if not re.fullmatch("[A-HJ-NPR-Z0-9]{8}[A-HJ-NPR-Z0-9_?*][A-HJ-NPR-Z0-9]{8}", plain):
        raise ToolError("A VIN has 17 letters and digits, without I, O and Q. Only the ninth may be left blank.")
    # The ninth character, which is the check digit, has the weight 0.
    remainder = sum(weight * _VALUES.get(sign, 0) for weight, sign in zip(_WEIGHTS, plain, strict=True)) % 11
    wanted = "X" if remainder == 10 else str(remainder)
    if plain[8] in "_?*":
        plain = plain[:8] + wanted + plain[9:]
    return {
        "vin": plain,
        "maker_code": plain[:3],
        "maker": _MAKERS.get(plain[:3]),
        "region": next((name for span, name in _REGIONS.items() if span[0] <= plain[0] <= span[2]), "unknown"),
        "country": next((name for first, last, name in _COUNTRIES if _within(plain[:2], first, last)), None),
        "attributes": plain[3:8],
        "model_years": _model_years(plain[9]),
        "plant": plain[10],
        "serial": plain[11:],
        "check_digit_valid": wanted == plain[8],
        "check_digit": wanted,
    }


def _within(code: str, first: str, last: str) -> bool:
    """Check whether a code is in a range in which digits follow letters (ISO 3780)."""
    order = "ABCDEFGHJKLMNPRSTUVWXYZ1234567890"
    return code[0] == first[0] and order.index(first[1]) <= order.index(code[1]) <= order.index(last[1])


def _model_years(code: str) -> list[int]:
    """Codes repeat after 30 years (49 CFR 565.15)."""
    if code not in _YEARS:
        return []
    return [start + _YEARS.index(code) for start in (1980, 2010)]
