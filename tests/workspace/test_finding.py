"""Search by words and by vectors, and its ranking."""

import math

from hypothesis import given
from hypothesis import strategies as st

from retinue.workspace.vectors import DIMENSIONS, cosine, distance, embed
from retinue.workspace.words import MOST_WORDS, count_words, slug
from tests.support.client import Client
from tests.workspace.support import finish

TEXTS = st.text(max_size=200)


@given(TEXTS)
def test_words_are_found_whatever_their_case_and_accents(text: str) -> None:
    assert count_words(text).keys() == count_words(text.lower()).keys()


def test_words_of_scripts_without_spaces_are_pairs_of_letters() -> None:
    assert count_words("東京都") == {"東京": 1, "京都": 1}
    assert count_words("Straßen, STRASSEN").total() == 2


def test_a_text_of_very_many_words_is_indexed_in_part() -> None:
    assert len(count_words(" ".join(f"w{number}" for number in range(3 * MOST_WORDS)))) == MOST_WORDS


@given(TEXTS)
def test_a_slug_names_itself(text: str) -> None:
    assert slug(slug(text)) == slug(text)
    assert 0 < len(slug(text)) <= 60


@given(TEXTS)
def test_a_vector_has_length_one_and_is_always_the_same(text: str) -> None:
    one, again = embed(text), embed(text)
    if one is None or again is None:
        assert one is again
        assert not count_words(text)
        return
    assert one == again
    assert math.isclose(cosine(one.vector, one.vector), 1, rel_tol=1e-5)
    assert len(one.vector) == 4 * DIMENSIONS


def test_like_texts_lie_nearer_than_others() -> None:
    question, like, other = map(
        embed, ("allergic to peanuts", "a peanut allergy in the family", "the train to Lisbon leaves at nine")
    )
    assert question is not None
    assert like is not None
    assert other is not None
    assert cosine(question.vector, like.vector) > 0.3 > cosine(question.vector, other.vector)
    assert distance(question.signature, like.signature) < distance(question.signature, other.signature)


def test_the_best_note_comes_first(client: Client) -> None:
    finish(client, "note_create", title="Groceries", text="milk, eggs, and a garden hose")
    finish(client, "note_create", title="Garden", text="garden plan: roses, garden shed")
    finish(client, "note_create", title="Work", text="quarterly report")
    found = finish(client, "note_search", query="gardens")
    assert [note["title"] for note in found["notes"]] == ["Garden", "Groceries"]
    assert found["total"] == 3


def test_a_changed_note_is_found_by_its_new_text(client: Client) -> None:
    finish(client, "note_create", title="Moving", text="aardvark")
    finish(client, "note_update", note="moving", text="buffalo")
    assert finish(client, "note_search", query="aardvark")["notes"] == []
    assert len(finish(client, "note_search", query="buffalo")["notes"]) == 1
