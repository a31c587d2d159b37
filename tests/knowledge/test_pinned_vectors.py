"""The vectors that collections and memory store stay as they are, or get another version."""

import numpy as np
import pytest

from retinue.knowledge.embedding import VERSION, embed, pack_vectors
from retinue.knowledge.vectors import SCALE_BYTES
from retinue.memory import fact_vectors

FIRST = {
    "Staff have 28 days of paid leave a year.": (-0.026, -0.027, 0.054, 0.058, -0.056),
    "Der Laden ist sonntags geschlossen.": (-0.053, -0.002, -0.030, 0.003, 0.039),
    "¿Cuándo abre la piscina?": (-0.008, 0.024, -0.044, 0.044, 0.017),
    "Le train part à huit heures.": (-0.056, -0.006, -0.020, 0.004, -0.054),
    "Il corso costa novanta euro.": (0.020, -0.045, -0.056, 0.010, 0.028),
    "Do you repair boots?": (0.052, 0.040, 0.074, 0.073, -0.010),
    "東京タワーは333メートルです。": (0.000, -0.017, 0.052, -0.072, 0.016),
    "Invoice 2046-17 is overdue.": (0.061, -0.055, 0.032, 0.037, -0.049),
    "The gate opens at noon.": (-0.044, -0.015, 0.039, -0.040, -0.006),
    "Hunde sind im Park willkommen.": (-0.049, -0.003, -0.021, -0.007, 0.016),
}
"""The first numbers of vectors. Their last digits depend on the processor."""


@pytest.mark.parametrize("text", FIRST)
async def test_other_vectors_have_another_version(text: str) -> None:
    (packed,) = await embed([text])
    scale = np.frombuffer(packed[:SCALE_BYTES], "<f4")[0]
    first = np.frombuffer(packed[SCALE_BYTES:], np.int8)[:5] * scale
    assert len(packed) == SCALE_BYTES + 512
    assert VERSION == "use-multilingual-v3/1"
    assert first == pytest.approx(FIRST[text], abs=0.002), "raise VERSION in knowledge/embedding.py"


async def test_other_vectors_of_facts_have_another_version() -> None:
    (packed,) = await fact_vectors.encode_facts(["The user is a nurse."])
    assert [packed] == await embed(["I is a nurse."])
    assert fact_vectors.VERSION == "use-multilingual-v3/1-facts/1"


def test_the_format_of_stored_vectors_does_not_change() -> None:
    # Vectors of providers have this format too, and making them again costs money.
    (packed,) = pack_vectors(np.array([[0.5, -0.25, 0.127, 0.0, -0.5, 0.004, 0.3, -0.1, 0.02, 0.49]], np.float32))
    assert packed.hex() == "0402813b7fc0200081014ce7057c"
