"""Facts are found by questions in other words, and in some cases in another language. The sets are the project's own.

`python -m bench.facts` measures all 500 facts; every fifth is tested here.
"""

import pytest

from bench.facts.__main__ import place_of, read_set, to_rows
from retinue.knowledge.retrieval import in_other_language
from retinue.memory.fact_vectors import text_to_embed

TOP, EVERY = 5, 5


async def test_facts_are_found_by_paraphrased_questions() -> None:
    pairs = read_set()
    rows = await to_rows(pairs[::EVERY])
    assert len(pairs) == 500
    languages = [pair.language for pair in pairs[::EVERY]]
    places = []
    for key, pair in enumerate(pairs[::EVERY]):
        own = [row for row, language in zip(rows, languages, strict=True) if language == pair.language]
        places.append(await place_of(key, rows, pair.question, "both"))
        assert await place_of(key, own, pair.question, "both") <= places[-1]
    assert sum(place <= TOP for place in places) / len(places) >= 0.78


@pytest.mark.parametrize(
    ("fact", "embedded"),
    [
        ("The user's sister is a friend of the user.", "I sister is a friend I."),
        ("User prefers tea.", "I prefers tea."),
        ("Die Schwester der Nutzerin wohnt bei dem Benutzer.", "Die Schwester I wohnt bei I."),
        ("Le chien de l\u2019utilisatrice aime l'utilisateur.", "Le chien I aime I."),
        ("La madre de la usuaria llama al usuario.", "La madre I llama I."),
        ("L'utente vive con il gatto dell'utente.", "I vive con il gatto I."),
        ("O carro do usuário é da utilizadora.", "O carro I é I."),
        ("De hond van de gebruikster bijt de gebruiker.", "De hond I bijt I."),
        ("Użytkownik zna brata użytkowniczki.", "I zna brata I."),
        ("Several users share the username.", "Several users share the username."),
    ],
)
def test_the_words_for_the_user_are_not_embedded(fact: str, embedded: str) -> None:
    assert text_to_embed(fact) == embedded


def test_texts_in_another_language_than_the_question_are_known() -> None:
    texts = {1: "The user is a nurse.", 2: "Die Nutzerin ist auf dem Land.", 3: "RTX 4090", 4: "Pies jest w domu."}
    assert in_other_language("Where does the user work?", texts) == [2, 4]
    assert in_other_language("RTX?", texts) == []
