"""The words and vectors that the database stores stay as they are, or get another version.

A search compares what these functions returned when a text was stored with what they return now. If a test here fails,
raise the version that its message names: servers then make the stored features again when they start.
"""

import pytest

from retinue.workspace.vectors import VECTORS_VERSION, embed
from retinue.workspace.words import WORDS_VERSION, count_words

STORED = {
    "Meetings": ["meet"],
    "running": ["run"],
    "cities": ["city"],
    "boxes": ["box"],
    "invoices": ["invoic"],
    "organised": ["organiz"],
    "centre colour": ["cent", "color"],
    "naïve Überraschungen": ["naiv", "uberraschungen"],
    "2046 sha-256": ["2046", "sha", "256"],
    "東京タワー": ["東京", "京タ", "タワ", "ワー"],
}

SIGNATURES = {
    "Staff have 28 days of paid leave a year.": "0080400003b09282",
    "Der Laden ist sonntags geschlossen.": "0005010810488083",
    "¿Cuándo abre la piscina?": "0001120000005080",
    "Le train part à huit heures.": "0784182000008802",
    "Il corso costa novanta euro.": "2000020c00116610",
    "Do you repair boots?": "0001000802000000",
    "東京タワーは333メートルです。": "4001484001951000",
    "Invoice 2046-17 is overdue.": "1000080020000800",
    "The gate opens at noon.": "0008108004082000",
    "Hunde sind im Park willkommen.": "0101800104001603",
}
"""The first bits of vectors."""


@pytest.mark.parametrize("text", STORED)
def test_other_words_have_another_version(text: str) -> None:
    assert (WORDS_VERSION, list(count_words(text))) == ("1", STORED[text]), "raise WORDS_VERSION in workspace/words.py"


@pytest.mark.parametrize("text", SIGNATURES)
def test_other_vectors_have_another_version(text: str) -> None:
    found = embed(text)
    assert found is not None
    first = found.signature.hex()[:16]
    assert (VECTORS_VERSION, first) == ("1", SIGNATURES[text]), "raise VECTORS_VERSION in workspace/vectors.py"
