"""Card numbers and IBANs in a text, by their check digits."""

import re
from collections.abc import Iterator

from retinue_tools.text._word_lists import word_list

_CARD = re.compile(r"(?<![\w-])(?:\d[ -]?){12,18}\d(?![\w-])")
_CARD_GROUPS = re.compile(r"(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}|\d{4}([ -])\d{6}\2\d{4,5})(?!\w)")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
_IBAN_LENGTHS = {
    entry[:2]: int(entry[2:])
    for entry in word_list(
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29"
        " ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20"
        " LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29"
        " PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
        " YE30"
    )
}


def find_cards(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of card numbers. Digits before or after a number may look like a part of it."""
    place = tried = 0
    while found := _CARD.search(text, place):
        start = found.start()
        candidates = [found if start >= tried else None, _CARD_GROUPS.match(text, start)]
        card = next((one for one in candidates if one and _is_card(one[0])), None)
        if card:
            yield card.span()
        tried = max(tried, found.end())
        place = card.end() if card else start + 1


def find_ibans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of IBANs. Capitals and digits after an IBAN may look like a part of it."""
    place = 0
    while found := _IBAN.search(text, place):
        own = re.match(rf"(?: ?\w){{{_IBAN_LENGTHS.get(found[0][:2], 34)}}}(?!\w)", found[0])
        iban = next((one[0] for one in (own, found) if one and _is_iban(one[0])), "")
        place = found.start() + len(iban)
        if iban:
            yield found.start(), place
        else:
            place += 1


def _is_card(text: str) -> bool:
    """Check a card number with Luhn's algorithm of ISO/IEC 7812-1."""
    digits = [int(one) for one in text if one.isdigit()][::-1]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return len(set(digits)) > 1 and (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _is_iban(text: str) -> bool:
    """Check ISO 13616: the remainder modulo 97 is 1."""
    plain = text.replace(" ", "")
    return int("".join(str(int(one, 36)) for one in plain[4:] + plain[:4])) % 97 == 1
