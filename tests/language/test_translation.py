"""The language of a page, from what the reader chose and from the header `Accept-Language`."""

from hypothesis import given
from hypothesis import strategies as st

from retinue.language.translation import LANGUAGES, SOURCE, choose_language

TAGS = st.sampled_from([*LANGUAGES, "de-CH", "es-419", "FR", "en-GB"])
WEIGHTS = st.lists(st.integers(1, 1000), min_size=1, max_size=4, unique=True)


@given(st.none() | st.text(max_size=20), st.text() | st.lists(TAGS | st.text(max_size=20)).map(",".join))
def test_any_header_gives_a_known_language(chosen: str | None, header: str) -> None:
    assert choose_language(chosen, header) in LANGUAGES


@given(st.permutations(list(LANGUAGES)), WEIGHTS, st.sampled_from(["", " "]))
def test_the_language_with_the_highest_weight_wins(languages: list[str], weights: list[int], space: str) -> None:
    weighed = list(zip(weights, languages, strict=False))
    header = f",{space}".join(f"{language};{space}q={weight / 1000:.3f}" for weight, language in weighed)
    assert choose_language(None, header) == max(weighed)[1]
    assert choose_language(None, f"{header}, fi") == max(weighed)[1]


@given(st.permutations(list(LANGUAGES)), st.sampled_from(["0", "0.0", "0.000"]))
def test_a_language_of_weight_zero_is_never_chosen(languages: list[str], zero: str) -> None:
    refused, wanted = languages[:2]
    assert choose_language(None, f"{refused};q={zero}, {wanted};q=0.001") == wanted
    assert choose_language(None, f"{refused};q={zero}") == SOURCE


@given(st.sampled_from(list(LANGUAGES)), st.sampled_from(list(LANGUAGES)))
def test_the_chosen_language_comes_before_the_header(chosen: str, accepted: str) -> None:
    assert choose_language(chosen, accepted) == chosen
