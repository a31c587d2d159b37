"""Card numbers and IBANs in a text."""

import pytest

from retinue_tools.text._account_numbers import find_cards, find_ibans


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("Card 4111 1111 1111 1111 12/27", ["4111 1111 1111 1111"]),
        ("4111111111111111 123", ["4111111111111111"]),
        ("3782 822463 10005 12/27", ["3782 822463 10005"]),
        ("2027 4111 1111 1111 1111", ["4111 1111 1111 1111"]),
        ("4111 1111 1111 1112", []),
    ],
)
def test_digits_around_a_card_number_do_not_hide_it(text: str, cards: list[str]) -> None:
    assert [text[start:end] for start, end in find_cards(text)] == cards


@pytest.mark.parametrize(
    ("text", "ibans"),
    [
        ("IBAN BE68 5390 0754 7034 EUR 5", ["BE68 5390 0754 7034"]),
        ("AT61 1904 3002 3457 3201 BIC ABCDATWW", ["AT61 1904 3002 3457 3201"]),
        ("BE68 5390 0754 7034 AT61 1904 3002 3457 3201", ["BE68 5390 0754 7034", "AT61 1904 3002 3457 3201"]),
        ("GB82 WEST 1234 5698 7654 33", []),
    ],
)
def test_words_after_an_iban_do_not_hide_it(text: str, ibans: list[str]) -> None:
    assert [text[start:end] for start, end in find_ibans(text)] == ibans
