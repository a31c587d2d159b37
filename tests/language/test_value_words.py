"""Values of results as readers of a language write them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.language.reply_templates import fill_template
from retinue.language.translation import LANGUAGES
from retinue.language.value_words import value_writer


@pytest.mark.parametrize(
    ("value", "german", "spanish", "french"),
    [
        (8.04672, "8,04672", "8,04672", "8,04672"),
        (True, "ja", "s\u00ed", "oui"),
        ("2027-02-28", "28. Februar 2027", "28 de febrero de 2027", "28 f\u00e9vrier 2027"),
        (
            "2027-02-28T09:30:00Z",
            "28. Februar 2027 um 09:30 UTC",
            "28 de febrero de 2027 a las 09:30 UTC",
            "28 f\u00e9vrier 2027 \u00e0 09:30 UTC",
        ),
        ("Friday", *["Friday"] * 3),
        ("31 February 2026", *["31 February 2026"] * 3),
        ("e4:5a:1b", *["e4:5a:1b"] * 3),
    ],
)
def test_values_in_other_languages(value: object, german: str, spanish: str, french: str) -> None:
    words = [value_writer(language).word(value) for language in ("de", "es", "fr")]
    assert words == [german, spanish, french]


@pytest.mark.parametrize(
    ("value", "german", "spanish", "french"),
    [
        ("Friday", "Freitag", "viernes", "vendredi"),
        (
            "02:12 on Tuesday, 1 December 2026",
            "02:12 Uhr am Dienstag, 1. Dezember 2026",
            "02:12 del martes, 1 de diciembre de 2026",
            "02:12 le mardi 1 d\u00e9cembre 2026",
        ),
        (
            "2 years, 1 month and 14 days",
            "2 Jahre, 1 Monat und 14 Tage",
            "2 a\u00f1os, 1 mes y 14 d\u00edas",
            "2 ans, 1\u00a0mois et 14\u00a0jours",
        ),
        ("3 hours ahead of", "3 Stunden vor", "3 horas por delante de", "3\u00a0heures en avance sur"),
        ("some words", *["some words"] * 3),
    ],
)
def test_words_of_a_tool_in_other_languages(value: str, german: str, spanish: str, french: str) -> None:
    words = [value_writer(language).named("words", value) for language in ("de", "es", "fr")]
    assert words == [german, spanish, french]


@pytest.mark.parametrize(
    ("template", "german"),
    [
        ("{total} EUR", "12,50 EUR"),
        ("{next_version}", "3.10"),
        ("{text}", "1.5"),
        ("{weekday}", "Freitag"),
        ("{title}", "Friday"),
        ("{args.weekday}", "Friday"),
        ("{weekdays}", "Freitag und Montag"),
    ],
)
def test_texts_of_the_user_stay_as_they_are(template: str, german: str) -> None:
    result = {
        "total": "12.50", "next_version": "3.10", "text": "1.5", "weekday": "Friday", "title": "Friday",
        "weekdays": ["Friday", "Monday"],
    }  # fmt: skip
    assert fill_template({"": template}, result, {"weekday": "Friday"}, language="de")[1] == german


def test_numbers_of_things_have_the_separators_and_the_plural_of_the_language() -> None:
    result = {"count": 12_000, "days": 0}
    assert fill_template({"": "{count|Wort|W\u00f6rter}"}, result, {}, language="de")[1] == "12.000 W\u00f6rter"
    assert fill_template({"": "{count|mot|mots}"}, result, {}, language="fr")[1] == "12\u202f000 mots"
    assert fill_template({"": "{days|jour|jours}"}, result, {}, language="fr")[1] == "0 jour"
    assert fill_template({"": "{days|Tag|Tage}"}, result, {}, language="de")[1] == "0 Tage"


def test_tables_have_the_words_of_the_language() -> None:
    tasks = [{"title": "Tee", "status": "todo", "open": None}, {"title": "todo", "status": "Monday"}]
    table = fill_template({"": "Aufgaben: {tasks}"}, {"tasks": tasks}, {}, language="de")[1]
    assert table == "Aufgaben:\n\n| Titel | Status |\n| --- | --- |\n| Tee | offen |\n| todo | Montag |"
    data = [{"title": "a", "status quo": True}]
    table = fill_template({"": "{data}"}, {"data": data}, {}, language="de")[1]
    assert table == "| title | status quo |\n| --- | --- |\n| a | ja |"


def test_lists_are_joined_as_in_the_language() -> None:
    for language, word in (("de", "und"), ("es", "y"), ("fr", "et")):
        assert fill_template({"": "{a}"}, {"a": ["x", "y"]}, {}, language=language)[1].split()[1] == word


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=40), st.lists))
def test_any_value_can_be_written(value: Any) -> None:
    for language in LANGUAGES:
        writer = value_writer(language)
        assert isinstance(writer.word(value), str)
        assert isinstance(writer.count(value), str)
