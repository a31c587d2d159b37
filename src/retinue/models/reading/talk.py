"""Requests that are answered in words, whatever tools the search finds for them."""

import re

_LONGEST = 2000
"""Characters that are looked at."""

_TALK = re.compile(
    r"(?:(?:why|should (?:i|we)|recommend|suggest|explain|do you|what do you|thanks|thank you"
    r"|tell me (?:a|an|something)|write (?:me )?(?:a|an|some)|how (?:do|does|did|can|could|should)"
    r"|who (?:are|is|was|wrote|painted|made|invented|discovered)|what are the (?:pros|advantages|differences))\b"
    r"|(?:hi|hello|hey|good \w+)\b.{0,12}(?:how are you|$))",
    re.IGNORECASE,
)
"""How they begin, where there is nothing in them to work on."""

_LANGUAGES = (
    "arabic|chinese|czech|danish|dutch|english|finnish|french|german|greek|hebrew|hindi|hungarian|italian|japanese"
    "|korean|latin|norwegian|polish|portuguese|romanian|russian|spanish|swedish|turkish|ukrainian"
)
_WORDING = re.compile(
    rf"\b(?:translate|say)\b.*\b(?:{_LANGUAGES})\b|\b(?:synonyms?|antonyms?|rhymes?) (?:for|of|with)\b"
    r"|\b(?:friendlier|politer|more (?:formal|friendly|polite|casual))\b|\bwhat does .* stand for\b"
    r"|\b(?:rephrase|paraphrase)\b",
    re.IGNORECASE | re.DOTALL,
)
"""What a language model does by itself, whatever it is to be done with."""


def is_talk(request: str, *, has_data: bool) -> bool:
    """Whether a request is for words alone. One that has data is, only if it is about the wording of that."""
    looked_at = request[:_LONGEST]
    return bool(_WORDING.search(looked_at)) or (not has_data and bool(_TALK.match(looked_at.strip())))
