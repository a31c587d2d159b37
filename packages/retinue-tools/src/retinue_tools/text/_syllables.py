"""Syllables of English words, by spelling rules."""

import re

_EXCEPTIONS = {
    "people": 2, "sea": 1, "tea": 1, "pea": 1, "plea": 1, "flea": 1, "yea": 1, "area": 3, "being": 2, "seeing": 2,
    "every": 2, "evening": 2, "business": 2, "different": 3, "colonel": 2, "queue": 1, "eye": 1, "eyes": 1,
    "one": 1, "once": 1, "ones": 1, "something": 2, "sometimes": 2, "someone": 2, "everyone": 3, "everything": 3,
    "anyone": 3, "are": 1, "were": 1, "recipe": 3, "apostrophe": 4, "catastrophe": 4, "simile": 3, "maybe": 2,
    "forever": 3, "therefore": 2, "vegetable": 3, "beautiful": 3, "ocean": 2, "oceans": 2, "fiery": 2, "hour": 1,
    "ancient": 2, "poem": 2, "poems": 2, "poet": 2, "poetry": 3, "chaos": 2, "karate": 3, "cafe": 2, "caf\u00e9": 2,
    "resume": 2, "sometime": 2, "whereas": 2, "somewhere": 2, "statement": 2, "movement": 2, "moment": 2,
    "safety": 2, "ninety": 2, "heard": 1, "theory": 3, "shoelace": 2, "homework": 2, "lonely": 2, "rely": 2,
    "hundred": 2, "naked": 2, "wicked": 2, "sacred": 2, "kindred": 2, "hatred": 2, "beloved": 3, "idea": 3,
    "ideas": 3, "quiet": 2, "diet": 2, "society": 4, "lion": 2, "lions": 2, "liar": 2, "giant": 2, "giants": 2,
    "rhythm": 2, "rhythms": 2, "says": 1, "said": 1, "choir": 1, "tuesday": 2, "wednesday": 2, "friend": 1,
    "friends": 1, "likely": 2, "useful": 2,
}  # fmt: skip
_VOWELS = re.compile("[aeiouy]+")
_SILENT = tuple(
    map(
        re.compile,
        (
            r"[^aeiouy]e$(?<![^aeiouy][lr]e)",
            r"(?:[^aeiouylcgsxz]|[aeiouy]l)es$(?<![cs]hes)",
            r"(?:[^aeiouytdl]|[aeiouylr]l)ed$",
            r"[^aeiouy]e(?=(?:ly|ful|less|ness|ment|ments)$)(?<![^aeiouy]le)",
        ),
    )
)
"""Each match removes one vowel group."""
_PARTED = tuple(
    map(
        re.compile,
        (
            r"(?<![cstg])i[ao](?<![ln]i[ao](?=[nr](?!c)))",
            r"(?<=[ct])iat",
            r"(?<=sc)ience",
            r"(?<=[bdlmnrv])ie(?:t|nt|nce|ncy)",
            r"(?<=[aeou])ying$|(?<=[^aeiouy])ying$",
            r"[oei]ing$(?<!ying)",
            r"sms?$",
            r"(?<=[^aeiou])n't$(?<=[dst]n't)",
            r"(?<![gq])u[ao](?!l?i?ty)",
            r"(?<=[dlmnrt])iu",
            r"[dnrt]eo(?!u)|eum",
            r"creat(?!ur)|^reali|^react|^theat|^beati|oyee",
        ),
    )
)
"""Each match splits one group of vowels in two."""


def syllables(word: str) -> int:
    """Count the syllables of an English word, including each part of a hyphenated compound; digits count as one."""
    return sum(_of_part(part) for part in re.split(r"[-\u2010-\u2014]", word.lower().replace("\u2019", "'")) if part)


def _of_part(word: str) -> int:
    bare = re.sub(r"'(?:s|d|ll|m|re|ve)?$", "", word)
    if bare in _EXCEPTIONS:
        return _EXCEPTIONS[bare]
    groups = len(_VOWELS.findall(bare))
    if len(bare) > 2:
        groups -= any(pattern.search(bare) is not None for pattern in _SILENT[:3])
        groups -= _SILENT[3].search(bare) is not None
    groups += sum(len(pattern.findall(bare)) for pattern in _PARTED)
    return max(groups, 1)
