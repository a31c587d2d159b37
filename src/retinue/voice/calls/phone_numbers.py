"""Phone numbers as people write them, in E.164 form.

The rules of all countries are those of libphonenumber. The library is imported where it is used: only servers that make
calls need it, and it takes 5 MB. Its import takes 50 ms, so these functions must not run on the event loop.
"""

import re
from contextlib import suppress
from typing import Annotated

from pydantic import Field

from retinue.core.errors import ValidationFailed

_E164 = re.compile(r"\+[1-9][0-9]{1,14}")
_WRITTEN = re.compile(r"(?:tel:)?[\s(]*[+\uff0b]?[\d\s()./\u2010-\u2015-]{2,40}", re.IGNORECASE)
"""Digits with spaces, parentheses, dots, slashes and dashes. Letters are refused, and so are extensions."""


def is_e164(text: str) -> bool:
    """Return whether a text is a number in E.164 form (ITU-T): at most 15 digits, not starting with zero."""
    return bool(_E164.fullmatch(text))


def to_e164(text: str, country: str | None) -> str | None:
    """Return the E.164 form of a number in any usual spelling, or None if it has none.

    `country` (ISO 3166) is where a number without a country code is dialled. A number with a plus sign that does not
    fit the rules of its country keeps its digits, because the rules may be out of date.
    """
    import phonenumbers as library  # noqa: PLC0415 - see above

    if not _WRITTEN.fullmatch(text):
        return None
    with suppress(library.NumberParseException):
        number = library.parse(text, country)
        if library.is_possible_number_with_reason(number) == library.ValidationResult.IS_POSSIBLE:
            return library.format_number(number, library.PhoneNumberFormat.E164)
    bare = f"+{library.normalize_digits_only(text)}"
    return bare if ("+" in text or "\uff0b" in text) and is_e164(bare) else None


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
