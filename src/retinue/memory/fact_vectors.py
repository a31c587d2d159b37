"""The vectors of facts and of the questions that look for them.

Notes say "the user" where questions say "I". Every fact has these words, so they make all facts alike and none like a
question. Before a text is encoded, "I" takes their place, whatever its language: the model encodes languages alike.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from retinue.knowledge import embedding
from retinue.knowledge.embedding import embed, embed_query, included_model

if TYPE_CHECKING:
    from retinue.knowledge.embedding import Floats

VERSION = f"{embedding.VERSION}-facts/1"
"""Version of the vectors of facts. Raise its number if `text_to_embed` returns other texts: servers then make the
vectors of all facts again.
"""

READABLE = (VERSION, *embedding.READABLE)
"""The versions whose vectors searches use, the current one first; see `embedding.READABLE`."""

_USER = re.compile(
    r"\b(?:"
    r"(?:of )?the user(?:['\u2019]s)?|^user(?:['\u2019]s)?"
    r"|(?:der|die|des|dem|den|vom|von der) (?:be)?nutzer(?:in|s)?"
    r"|(?:de |à )?l['\u2019]utilisat(?:eur|rice)"
    r"|(?:el|la|del|de la|al|a la) usuari[oa]"
    r"|(?:l|dell|all)['\u2019]utente"
    r"|[oa] usuári[oa]|d[oa] usuári[oa]|ao usuário|à usuária|[oa] utilizadora?|d[oa] utilizadora?"
    r"|(?:van )?de gebruik(?:er|ster)"
    r"|użytkowni(?:k|czk)\w*"
    r")\b",
    re.IGNORECASE,
)


def text_to_embed(text: str) -> str:
    """Return a text with "I" in place of "the user", in the eight languages that were measured."""
    return _USER.sub("I", text)


async def encode_facts(texts: Sequence[str]) -> list[bytes | None]:
    """Return the vectors of facts as they are stored; None for each without the embedding model."""
    if not texts or not included_model():
        return [None] * len(texts)
    return list(await embed([text_to_embed(text) for text in texts]))


async def encode_question(text: str) -> "Floats | None":
    """Return the vector of a question; None without the embedding model."""
    return await embed_query(text_to_embed(text)) if included_model() else None
