"""Phone numbers as people write them, in E.164 form.

The rules of all countries are those of libphonenumber. The library is imported where it is used: only servers that make
calls need it, and it takes 5 MB. Its import takes 50 ms, so these functions must not run on the event loop.
"""

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from retinue.core.errors import ValidationFailed

if TYPE_CHECKING:
    from phonenumbers import PhoneNumber

_E164 = re.compile(r"\+[1-9][0-9]{6,14}")
_INTERNATIONAL = re.compile(r"(?:00)?[1-9][0-9]{6,14}")
"""A number with its country code, but without the plus sign."""
_BEGUN = re.compile(r"[1-9][0-9]{0,5}")
"""The digits of a number in E.164 form with too few of them."""
_WRITTEN = re.compile(r"(?:tel:)?[\s(]*[+\uff0b]?[\d\s()./\u2010-\u2015-]{2,40}", re.IGNORECASE)
"""Digits with spaces, parentheses, dots, slashes and dashes. Letters are refused, and so are extensions."""


def is_e164(text: str) -> bool:
    """Return whether a text is a number in E.164 form (ITU-T): 7 to 15 digits, not starting with zero."""
    return bool(_E164.fullmatch(text))


def to_e164(text: str, country: str | None) -> str | None:
    """Return the E.164 form of a number in any usual spelling, or None if it has none.

    `country` (ISO 3166) is where a number without a country code is dialled. A number with a plus sign keeps its digits
    if it is too long for its country or has an unknown country code, because the rules may be out of date.
    """
    import phonenumbers as library  # noqa: PLC0415 - see above

    if not _WRITTEN.fullmatch(text):
        return None
    with suppress(library.NumberParseException):
        number = library.parse(text, country)
        length = library.is_possible_number_with_reason(number)
        if length == library.ValidationResult.IS_POSSIBLE and not _keeps_national_prefix(number):
            return library.format_number(number, library.PhoneNumberFormat.E164)
        if length != library.ValidationResult.TOO_LONG:
            return None
    bare = f"+{library.normalize_digits_only(text)}"
    return bare if _has_plus(text) and is_e164(bare) else None


def is_too_short(text: str, country: str | None) -> bool:
    """Return whether a number in any usual spelling lacks digits, such as its area code."""
    import phonenumbers as library  # noqa: PLC0415 - see above

    if not _WRITTEN.fullmatch(text):
        return False
    try:
        number = library.parse(text, country)
    except library.NumberParseException:
        digits = library.normalize_digits_only(text)
        return _has_plus(text) and bool(_BEGUN.fullmatch(digits))
    lacking = (library.ValidationResult.TOO_SHORT, library.ValidationResult.IS_POSSIBLE_LOCAL_ONLY)
    return library.is_possible_number_with_reason(number) in lacking or _keeps_national_prefix(number)


def meanings_of(dialled: str, country: str | None) -> list[str]:
    """Return the numbers in E.164 form that the user part of a SIP address can mean, the likeliest first.

    It is a number of `country`, or an international one with or without `+` or `00`.
    """
    international = f"+{dialled.removeprefix('00')}" if _INTERNATIONAL.fullmatch(dialled) else dialled
    return list(dict.fromkeys(filter(None, (to_e164(dialled, country), to_e164(international, None)))))


def spellings_of(number: str) -> set[str]:
    """Return how carriers may write a number in E.164 form: with `+`, `00` or neither, and in its national format."""
    import phonenumbers as library  # noqa: PLC0415 - see above

    digits = number.removeprefix("+")
    spellings = {number, digits, f"00{digits}"}
    with suppress(library.NumberParseException):
        national = library.format_number(library.parse(number), library.PhoneNumberFormat.NATIONAL)
        spellings.add(library.normalize_digits_only(national))
    return spellings


def _keeps_national_prefix(number: "PhoneNumber") -> bool:
    """Return whether the rules left a national prefix in the number, because too few digits would follow it."""
    import phonenumbers as library  # noqa: PLC0415 - see above

    region = library.region_code_for_country_code(number.country_code or 0)
    rules = library.PhoneMetadata.metadata_for_region(region, None)
    prefix = rules.national_prefix if rules else None
    return (
        prefix is not None
        and library.national_significant_number(number).startswith(prefix)
        and not library.is_valid_number(number)
    )


def _has_plus(text: str) -> bool:
    return "+" in text or "\uff0b" in text


def country_of(number: str) -> str | None:
    """Return the main country of a number in E.164 form (ISO 3166); None for one without a country."""
    import phonenumbers as library  # noqa: PLC0415 - see above

    try:
        code = library.parse(number).country_code
    except library.NumberParseException:
        return None
    region = library.region_code_for_country_code(code or 0)
    return region if region in library.SUPPORTED_REGIONS else None


def check_country(code: str) -> str:
    """Return the ISO 3166 code of a country in capitals. Raises `ValidationFailed` if it has no phone numbers."""
    import phonenumbers as library  # noqa: PLC0415 - see above

    if code.upper() not in library.SUPPORTED_REGIONS:
        raise ValidationFailed(f"country: {code} is not the ISO 3166 code of a country with phone numbers, such as GB.")
    return code.upper()


Country = Annotated[
    str,
    Field(
        pattern="^[A-Za-z]{2}$",
        description="Country of numbers without a country code (ISO 3166), such as GB for `01632 960123`. Defaults to "
        "the country of the server's own phone numbers, if they are all in one.",
    ),
]
