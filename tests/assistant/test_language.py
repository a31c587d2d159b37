"""Requests in other languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.language.language_detection import instruction_of, is_foreign, language_of_request
from retinue_assistant.fixed_texts import language_of
from retinue_assistant.translating import GLOSSARY, checked_translation, split_data, translation_prompt, with_glossary


@pytest.mark.parametrize(
    ("request_", "language"),
    [
        ("Wie viel ist 3 mal 4?", "de"),
        ("Erstelle ein sicheres Passwort", "de"),
        ("Wirf eine M\u00fcnze", "de"),
        ("Schick Anna eine E-Mail", "de"),
        ("Setze Milch auf meine Einkaufsliste", "de"),
        ("\u00bfQu\u00e9 hora es?", "es"),
        ("Convierte 180 libras a kilogramos", "es"),
        ("Combien font 3 fois 4 ?", "fr"),
        ("Trie ces noms : Paul, Anna", "fr"),
        ("Quanti giorni ha maggio?", "it"),
        ("Hoeveel dagen heeft mei?", "nl"),
        ("3 \u043c\u0438\u043b\u0438", None),
        ("\u751f\u6210\u4e09\u4e2aUUID", None),
        ("How many days are in May?", "en"),
        ('Reverse "Wie viel ist 3 mal 4?"', "en"),
        ("Which language is this: Der Hund l\u00e4uft im Park", "en"),
        ("What is the resistance of 4.7 k\u03a9 and 10 k\u03a9 in parallel?", "en"),
        ("A die was thrown 120 times: is it fair?", "en"),
        ("solve y' + y = x", "en"),
        ("12", "en"),
    ],
)
def test_the_language_in_which_a_request_asks(request_: str, language: str | None) -> None:
    assert language_of_request(request_) == language
    assert is_foreign(request_) is (language != "en")


def test_a_long_text_is_translated_up_to_its_data() -> None:
    data = "Der Hund l\u00e4uft. " * 40
    assert is_foreign(f"Fasse diesen Text zusammen: {data}")
    assert not is_foreign(data)
    assert split_data(f"Fasse diesen Text zusammen: {data}")[0] == "Fasse diesen Text zusammen:"


def test_replies_are_english_where_no_other_language_has_texts() -> None:
    assert language_of("Wie viel ist 3 mal 4?") == "de"
    assert language_of("Quanti giorni ha maggio?") == language_of("3 \u043c\u0438\u043b\u0438") == "en"


def test_the_data_of_a_request_say_nothing_of_its_language() -> None:
    assert instruction_of("Count the words: der Hund und die Katze") == "Count the words"
    assert split_data("Wie viele W\u00f6rter hat dieser Text: der Hund") == (
        "Wie viele W\u00f6rter hat dieser Text:",
        "der Hund",
    )
    assert split_data("Um 10:30 Uhr") == ("Um 10:30 Uhr", "")


def test_the_glossary_has_every_word_in_three_languages() -> None:
    rows = [line.split("\t") for line in GLOSSARY.read_text("utf-8").splitlines()]
    assert [row for row in rows if len(row) != 4 or not all(row)] == []
    assert [row for row in rows if any(form != form.lower() for column in row[1:] for form in column.split("|"))] == []


def test_words_of_the_glossary_stand_beside_a_request() -> None:
    assert with_glossary("Wirf eine M\u00fcnze") == "Wirf eine M\u00fcnze\n(Wirf eine M\u00fcnze = flip a coin)"
    assert with_glossary("Montre mes t\u00e2ches") == "Montre mes t\u00e2ches\n(Montre = show, t\u00e2ches = tasks)"
    assert with_glossary("Show my tasks") == "Show my tasks"
    assert translation_prompt("Lanza dos dados")[-1].content == "Lanza dos dados\n(Lanza = roll, dados = dice)"


def test_a_translation_has_the_numbers_and_quotations_of_the_request() -> None:
    assert checked_translation({"english": "What is 3 times 4?"}, "Wie viel ist 3 mal 4?") == "What is 3 times 4?"
    assert checked_translation({"english": "What is 3 times 5?"}, "Wie viel ist 3 mal 4?") == "Wie viel ist 3 mal 4?"
    assert checked_translation({}, "Wie viel ist 3 mal 4?") == "Wie viel ist 3 mal 4?"
    assert checked_translation(
        {"english": "How many days until Navidad?"}, "\u00bfCu\u00e1ntos d\u00edas faltan para Navidad?"
    ) == ("How many days until Christmas?")
    translated = checked_translation(
        {"english": "How many letters has 'cheese'?"}, 'Wie viele Buchstaben hat "K\u00e4se"?'
    )
    assert translated == 'How many letters has "K\u00e4se"?'


@given(st.text(max_size=300))
def test_any_text_has_a_language_and_hints(text: str) -> None:
    assert isinstance(language_of(text), str)
    assert with_glossary(text).startswith(text)
    assert " ".join(split_data(text)).split() == text.split()
