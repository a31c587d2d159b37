"""The words and vectors that the database stores stay as they are.

`workspace_words` and `workspace_vectors` hold what these functions returned when a record was written, and a search
compares them with what they return now. If a test here fails, records that were stored before the change are no longer
found by the affected words: keep the functions as they are, or index all records again in a migration.
"""

import hashlib

import pytest

from retinue.workspace.vectors import embed
from retinue.workspace.words import count_words

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


@pytest.mark.parametrize("text", STORED)
def test_the_indexed_words_of_a_text_do_not_change(text: str) -> None:
    assert list(count_words(text)) == STORED[text]


def test_the_vector_of_a_text_does_not_change() -> None:
    # Each word occurs once: then no function is used whose last digit depends on the machine.
    found = embed("The meeting about invoices is on Friday in Zürich.")
    assert found is not None
    assert found.signature.hex() == "00081d3027182082ac212041102125004c0b183084a0881900c85800003c1043"
    assert hashlib.blake2b(found.vector, digest_size=8).hexdigest() == "3a3a588d2de74d34"
