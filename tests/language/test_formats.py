"""Numbers, prices and dates as readers of each language write them."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import pytest

from retinue.language.formats import format_day, format_fixed, format_number, format_share, format_usd
from retinue.language.translation import LANGUAGES, current_language

NO_BREAK, NARROW = "\u00a0", "\u202f"


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    token = current_language.set(request.param)
    yield request.param
    current_language.reset(token)


def test_numbers_have_the_separators_of_the_language(language: str) -> None:
    thousands, point = {"en": (",", "."), "de": (".", ","), "es": (".", ","), "fr": (NARROW, ",")}[language]
    assert format_number(1234567) == f"1{thousands}234{thousands}567"
    assert format_number(0.0625) == f"0{point}0625"
    assert format_fixed(2.0, 1) == f"2{point}0"
    assert format_share(0.125) == f"12{point}5{'' if language == 'en' else NO_BREAK}%"


def test_prices_keep_their_digits(language: str) -> None:
    written = {"en": "$0.0010", "de": f"0,0010{NO_BREAK}$", "es": f"0,0010{NO_BREAK}$", "fr": f"0,0010{NO_BREAK}$"}
    assert format_usd(Decimal("0.0010"), 4) == written[language]


def test_days_have_the_names_of_months_in_the_language(language: str) -> None:
    written = {"en": "9 Sep 2026", "de": "9. Sept. 2026", "es": "9 sept 2026", "fr": "9 sept. 2026"}
    assert format_day(date(2026, 9, 9)) == written[language]
    assert format_day(date(2026, 9, 9), with_year=False) == written[language].removesuffix(" 2026")
