"""English names of countries that ISO 3166-1 does not contain: common, short and former ones."""

import unicodedata

_NAMES = (
    "AE uae emirates|AX aland|BA bosnia|BF upper volta|BJ dahomey|BW bechuanaland|BY byelorussia, belorussia|CC cocos"
    " islands, keeling islands|CD dr congo, drc, congo kinshasa, democratic republic of congo, democratic republic of"
    " the congo, zaire, belgian congo|CG congo brazzaville|CI ivory coast, cote divoire|CN mainland china, prc|CV cape"
    " verde, cape verde islands|CW curacao|DE deutschland|EH western sahara|ES espana|ET abyssinia|FK falklands|FM"
    " micronesia|GB uk, britain, great britain, england, scotland, wales, northern ireland|GH gold coast|GW portuguese"
    " guinea|GY british guiana|BZ british honduras|HR croatia|ID dutch east indies|IE republic of ireland, eire|IR"
    " persia|JO transjordan|KG kirghizia, kyrgyzia, kirgizia|KH kampuchea|KI gilbert islands|KN saint kitts, saint"
    " kitts and nevis|LC saint lucia|LK ceylon|LS basutoland|MF saint martin|MK macedonia|MM burma|MO macau|MW"
    " nyasaland|NL holland|PF tahiti|PG new guinea|PM saint pierre|PS palestine|RE reunion|RU russia|SA ksa|SH saint"
    " helena|SJ svalbard|SR dutch guiana, surinam|ST sao tome|SX sint maarten|SZ swaziland|TC turks and caicos|TH siam"
    "|TL east timor, timor|TR turkey, turkiye|TT trinidad, trinidad and tobago|TV ellice islands|TW formosa, republic"
    " of china|US us, usa, america, united states|VA vatican, vatican city, holy see|VC saint vincent, saint vincent"
    " and grenadines|VI us virgin islands|VU new hebrides|WS western samoa|YE south yemen, north yemen|ZM northern"
    " rhodesia|ZW rhodesia, southern rhodesia"
)
"""Two-letter codes and their names, in the form of `_plain`."""
_CODES = {name.strip(): entry[:2] for entry in _NAMES.split("|") for name in entry[2:].split(",")}


def code_of_common_name(name: str) -> str | None:
    """Return the two-letter code of a country by a common or former name, such as Turkey, Ivory Coast or Burma."""
    return _CODES.get(_plain(name))


def _plain(name: str) -> str:
    """Return a name in lower case without accents, dots, hyphens and article, with St and & written out."""
    apart = unicodedata.normalize("NFD", name.casefold())
    letters = "".join(one for one in apart.replace("-", " ").replace("&", " and ") if one.isalpha() or one == " ")
    words = ["saint" if word == "st" else word for word in letters.split()]
    return " ".join(words).removeprefix("the ").replace(" and the ", " and ")
