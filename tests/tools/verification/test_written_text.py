"""Parsers of what people write, in six locales: each reads it right, or refuses it by naming the argument to give."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from retinue.core.errors import ValidationFailed
from retinue.tools.verification.example_runner import LocalExecutor, holds
from tests.support.catalogue import TOOLS
from tests.tools.executors import ON_ONE_LOOP, open_executor

pytestmark = ON_ONE_LOOP
BASE = "2026-11-24T10:00"

MONEY = {
    "1,234.56 USD": 1234.56, "$1.5 million": 1.5e6, "1.234,56 €": 1234.56, "12,50 €": 12.5, "3 Mrd. Euro": 3e9,
    "1 234,50 €": 1234.5, "2,5 millions d'euros": 2.5e6, "R$ 1.234,56": 1234.56, "1 mil reais": 1000.0,
    "1.234,56 EUR": 1234.56, "3 milioni di euro": 3e6, "5 万円": 50_000.0, "₹ 1,23,456.50": 123456.5,
    "1'234.50 CHF": 1234.5, "($45.10)": -45.1, "Fr. 5.-": 5.0,
}  # fmt: skip
TIMES = {
    "tomorrow at 9": "2026-11-25T09:00", "next friday at 3pm": "2026-11-27T15:00",
    "half past six in the evening": "2026-11-24T18:30", "übermorgen um 14 Uhr": "2026-11-26T14:00",
    "nächsten Freitag um halb sieben": "2026-11-27T06:30", "am 3. Januar um 18 Uhr": "2027-01-03T18:00",
    "demain à 14h30": "2026-11-25T14:30", "vendredi prochain à 9h": "2026-11-27T09:00",
    "mañana a las 14": "2026-11-25T14:00", "el próximo viernes a las 9": "2026-11-27T09:00",
    "domani alle 9": "2026-11-25T09:00", "venerdì prossimo alle 15": "2026-11-27T15:00",
    "amanhã às 14h": "2026-11-25T14:00", "próxima sexta-feira às 8": "2026-11-27T08:00",
}  # fmt: skip
PLACES = {
    "Wien": "Vienna", "Vienne": "Vienna", "Viena": "Vienna", "München": "Munich", "Monaco di Baviera": "Munich",
    "Múnich": "Munich", "Londres": "London", "Londra": "London", "Nueva York": "New York City",
    "Nova Iorque": "New York City", "大阪": "Osaka", "ニューヨーク": "New York City",
}  # fmt: skip
NUMBERS = {
    ("en", "two and a half million"): "2500000", ("en", "three hundred and forty-two"): "342",
    ("de", "dreihundertzweiundvierzig"): "342", ("de", "zwölf Komma fünf"): "12.5",
    ("fr", "quatre-vingt-dix-sept"): "97", ("fr", "soixante et onze"): "71",
    ("es", "veintiuno"): "21", ("es", "mil novecientos ochenta y cuatro"): "1984",
    ("it", "ventuno"): "21", ("it", "trecentoquarantadue"): "342",
    ("pt", "vinte e um"): "21", ("pt", "trezentos e quarenta e dois"): "342",
}  # fmt: skip
LANGUAGES = {
    "German": "deu", "Deutsch": "deu", "allemand": "deu", "alemán": "deu", "tedesco": "deu", "alemão": "deu",
    "français": "fra", "español": "spa", "italiano": "ita", "português": "por", "日本語": "jpn", "Französisch": "fra",
}  # fmt: skip
PASSWORDS = {
    "password": 0, "letmein": 0, "schatz": 0, "azerty": 0, "tequiero": 0, "juventus": 0, "flamengo": 0, "пароль": 0,
    "Tr0ub4dour&3": 2, "vK9#tq2Lx&Zw": 4, "correct horse battery staple": 4,
}  # fmt: skip
REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("money_parse_text", {"text": "1.234"}, "locale"),
    ("money_parse_text", {"text": "1,234"}, "locale"),
    ("money_parse_text", {"text": "12,50", "locale": "en-US"}, "locale"),
    ("money_parse_text", {"text": "10 to 20 €"}, "one amount"),
    ("time_parse_natural", {"text": "03/04/2026", "base": BASE}, "day_first"),
    ("time_parse_natural", {"text": "tomorrow at 25:00", "base": BASE}, "text"),
    ("text_parse_number_words", {"words": "ein Apfel", "language": "de"}, "language"),
    ("currency_lookup_details", {"query": "dollar"}, "query"),
    ("country_lookup_details", {"query": "Congo"}, "query"),
    ("language_lookup_details", {"query": "Klingonish"}, "query"),
    ("place_find_by_name", {"name": "Qwertzuiop"}, "name"),
)
TABLES: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {
    "money_parse_text": [({"text": text}, {"amount": amount}) for text, amount in MONEY.items()],
    "time_parse_natural": [
        ({"text": text, "base": BASE}, {"time": f"{time}:00+00:00"}) for text, time in TIMES.items()
    ],
    "place_find_by_name": [
        ({"name": name, "most": 1}, {"places": [{"name": common}]}) for name, common in PLACES.items()
    ],
    "text_parse_number_words": [
        ({"words": words, "language": language}, {"number": number}) for (language, words), number in NUMBERS.items()
    ],
    "language_lookup_details": [({"query": name}, {"alpha_3": code}) for name, code in LANGUAGES.items()],
    "password_estimate_strength": [({"password": word}, {"score": score}) for word, score in PASSWORDS.items()],
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def executor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalExecutor]:
    """Where the tools run with their libraries."""
    async with open_executor(TOOLS, tmp_path_factory.mktemp("executor")) as executor:
        yield executor


@pytest.mark.parametrize("tool", TABLES)
async def test_common_spellings_are_read(executor: LocalExecutor, tool: str) -> None:
    results = [(args, wanted, await executor.execute(tool, args)) for args, wanted in TABLES[tool]]
    assert [(args, result) for args, wanted, result in results if not holds(wanted, result)] == []


async def test_ambiguous_values_are_refused_with_a_remedy(executor: LocalExecutor) -> None:
    for tool, args, remedy in REFUSED:
        with pytest.raises(ValidationFailed, match=remedy):
            await executor.execute(tool, args)
